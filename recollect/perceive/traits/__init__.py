"""Traits: what a text is like, as values to filter, weigh and show it by.

It decides how a text feels (`affect`), what sort of text it is (`facets`), what it can be filtered by (`metadata`),
what it is about (`topics`), which programming language its code has (`code_language`), and how it reads in fewer words
(`fidelity`). Each module is the door to its own trait; `perceive.turn` asks for all of them at once.
"""
