"""Quick looks around a name: the words right before it, and words that are written without a space in them.

A pattern that must end at a name would be searched for in the characters before it, at every place of them. Most names
have an ordinary word before them, which one look into a set tells; most texts have few words with a "/" or an "@".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.language.words import RUN

CHARS_BEFORE = 48  # how far back is looked


@dataclass(frozen=True, slots=True)
class WordsBefore:
    """A pattern that ends where a name begins. `last` are the last words it can end in, articles apart."""

    pattern: re.Pattern[str]
    last: frozenset[str]

    def stands(self, text: str, at: int, word: str) -> bool:
        """Whether it stands before the name at this place; `word` is what `word_before` says of it."""
        return word in self.last and self.pattern.search(text, max(0, at - CHARS_BEFORE), at) is not None


def words_before(pattern: str, *last: str) -> WordsBefore:
    """A pattern with its last words, given as texts between spaces or bars; of a phrase the last word is taken."""
    phrases = [phrase for words in last for phrase in (words.split("|") if "|" in words else words.split())]
    return WordsBefore(re.compile(pattern), last_words(phrases))


def last_words(phrases: list[str]) -> frozenset[str]:
    """The last word of each phrase, in small letters."""
    return frozenset(RUN.findall(phrase.lower())[-1] for phrase in phrases)


def word_before(text: str, at: int) -> str:
    """The word before this place in small letters, without marks and "the"; "" if there is none."""
    said = text[max(0, at - CHARS_BEFORE) : at].rstrip(" \"“'.,")
    word = said.removesuffix(" the").removesuffix(" The").rpartition(" ")[2]
    if word.isalpha():
        return word.lower()
    parts = RUN.findall(word)
    return parts[-1].lower() if parts else ""


def unspaced_in(text: str, pattern: re.Pattern[str], *, around: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of a pattern that matches no space, in order.

    `around` is a short pattern that every match contains ("/", "@"). Only the words that contain it are looked at:
    that finds the same in a fraction of the time, as most texts have few of them, or none.
    """
    end = 0
    for found in around.finditer(text):
        if found.start() < end:
            continue
        begin = max(end, text.rfind(" ", end, found.start()) + 1)
        space = text.find(" ", found.end())
        end = space if space >= 0 else len(text)
        yield from pattern.finditer(text, begin, end)
