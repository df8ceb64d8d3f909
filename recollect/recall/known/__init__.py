"""What is known, seen as a whole: domains and how well each is known, and the questions that are open.

Upkeep builds the tree of summaries and finds gaps; this package reads both, for windows and for people.
"""
