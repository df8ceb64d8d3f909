"""Patterns over the lower-case words of a clause, made from lists of phrases."""

from __future__ import annotations


def any_of(*phrases: str) -> str:
    """One of the phrases, up to the end of a word; a phrase that ends in `$` wants the end of the text."""
    return "(?:" + "|".join(phrase if phrase.endswith("$") else rf"{phrase}\b" for phrase in phrases) + ")"
