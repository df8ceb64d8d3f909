"""Coding agents at work: events taken in, signals told from them, and what is said to an agent in return."""
