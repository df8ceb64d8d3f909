"""What stands right before a name, and says what it names: patterns that are tried where their last word is there.

A pattern that must end at a name is searched for in the characters before it, at every place of them. Most names have
an ordinary word before them, which one look into a set tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

CHARS_BEFORE = 48  # how far back is looked
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Before:
    """A pattern that ends where a name begins. `last` are the last words it can end in, articles apart."""

    pattern: re.Pattern[str]
    last: frozenset[str]

    def stands(self, text: str, at: int, word: str) -> bool:
        """Whether it stands before the name at this place; `word` is what `word_before` says of it."""
        return word in self.last and self.pattern.search(text, max(0, at - CHARS_BEFORE), at) is not None


def before(pattern: str, *last: str) -> Before:
    """A pattern with its last words, given as texts between spaces or bars; of a phrase the last word is taken."""
    phrases = [phrase for words in last for phrase in (words.split("|") if "|" in words else words.split())]
    return Before(re.compile(pattern), last_words(phrases))


def last_words(phrases: list[str]) -> frozenset[str]:
    """The last word of each phrase, in small letters."""
    return frozenset(_WORD.findall(phrase.lower())[-1] for phrase in phrases)


def word_before(text: str, at: int) -> str:
    """The word before this place in small letters, without marks and "the"; "" if there is none."""
    said = text[max(0, at - CHARS_BEFORE) : at].rstrip(" \"“'.,")
    word = said.removesuffix(" the").removesuffix(" The").rpartition(" ")[2]
    if word.isalpha():
        return word.lower()
    parts = _WORD.findall(word)
    return parts[-1].lower() if parts else ""
