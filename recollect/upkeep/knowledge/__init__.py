"""Draws a map of what is known: a tree of summaries, domains with figures, gaps and questions about them.

Records are clustered, clusters and domains summed up, and what is usually known but missing becomes a question.
`abstraction` is the door to the tree, `gaps` and `questions` to what is missing.
"""
