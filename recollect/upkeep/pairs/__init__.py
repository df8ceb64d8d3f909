"""Pairs of an older and a newer text: which are compared, what a reader says of them, and what follows from it."""
