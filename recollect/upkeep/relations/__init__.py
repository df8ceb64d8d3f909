"""Finds how records stand to each other, and says so with edges.

New records are related by rules or by a language model, matched to what they update, and what follows or was caused
is worked out every night. `relations_by_rules` is the door for new records; `infer` and `causal` are steps of a
night.
"""
