"""Lets go of what has faded, and works against that for what is used.

A record loses strength with the time since it was last used; too weak, it goes into the archive, and later out of it.
Replay goes over memories while no caller needs the store: it strengthens what fades, links what is alike and makes
stale vectors anew. `decay` and `replay` are the doors, two steps; `strength` says how strong a record is now.
"""
