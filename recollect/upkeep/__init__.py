"""What a memory does for itself between calls.

`maintain` is the door: it says which steps each verb of upkeep takes, in which order, and runs them. The packages
hold the steps by what they do; `runs` carries steps out, `jobs` takes care of what was just stored.
"""
