"""Words and phrases that say one thing, and how many of them a text has."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Sign:
    """Words and phrases that say one thing; a phrase is looked for when its last word is there."""

    words: frozenset[str]
    phrases: dict[str, tuple[str, ...]]

    def count(self, words: frozenset[str], lowered: str) -> int:
        """How many of them a text has, given the words of it and the whole, both in small letters."""
        found = len(words & self.words)
        for last in words & self.phrases.keys():
            found += sum(phrase in lowered for phrase in self.phrases[last])
        return found


def sign(words: str, phrases: str = "") -> Sign:
    """A sign from words between spaces and phrases between commas."""
    by_last: dict[str, tuple[str, ...]] = {}
    for phrase in filter(None, map(str.strip, phrases.split(","))):
        last = phrase.rsplit(None, 1)[-1]
        by_last[last] = (*by_last.get(last, ()), phrase)
    return Sign(frozenset(words.split()), by_last)


def words_of(*signs: Sign) -> frozenset[str]:
    """The words that these signs ask for. A text's words among them are all that `Sign.count` needs, and few."""
    return frozenset().union(*(each.words | each.phrases.keys() for each in signs))


def words_in(lowered: str) -> frozenset[str]:
    """The words of a text in small letters, hyphened ones whole; what `Sign.count` wants."""
    return frozenset(_WORD.findall(lowered))
