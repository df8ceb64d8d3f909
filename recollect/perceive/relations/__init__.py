"""Relations: how one text stands to others.

It decides what a text points at (links, paths, titles, ids), and whether a text refers to, depends on, illustrates,
sums up or contradicts another one. The door is `standing.relations_in`; `links.links_in` finds what a text points at.
"""
