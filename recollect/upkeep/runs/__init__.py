"""Carries steps out over a store: in portions that make way for callers, as one operation that can be undone.

A run that was killed is resumed where it stopped, and a dry run does the same work and takes it back. `runner` is the
door; `run` is what a step is handed, and `schedule` begins runs when they are due.
"""
