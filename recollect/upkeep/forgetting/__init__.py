"""Lets go of what has faded.

A record loses strength with the time since it was last used; too weak, it goes into the archive, and later out of it.
`decay` is the door, the step that does it; `strength` says how strong a record is now.
"""
