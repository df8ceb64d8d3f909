"""Turns sessions into knowledge: what repeats becomes one, what conflicts is settled or set against each other.

What occurs again and again becomes a pattern, and steps that are done in the same order become a procedure.
`consolidate` is the door; `patterns` and `procedures` are steps of their own.
"""
