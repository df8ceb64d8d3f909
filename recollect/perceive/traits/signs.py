"""Words and phrases that say one thing, and how many of them a text has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.language.words import WORD


@dataclass(frozen=True, slots=True)
class Sign:
    """Words and phrases that say one thing; a phrase is looked for when its last word is there."""

    words: frozenset[str]
    phrases: dict[str, tuple[str, ...]]

    def count(self, words: frozenset[str], lowered: str) -> int:
        """How many of them a text has, given the words of it and the whole, both in small letters."""
        if not words:
            return 0
        found = len(words & self.words)
        if not words.isdisjoint(self.phrases):
            for last in words & self.phrases.keys():
                found += sum(phrase in lowered for phrase in self.phrases[last])
        return found


def sign_of(entries: Iterable[str]) -> Sign:
    """A sign from the entries of a list: words, and phrases of several words."""
    words: set[str] = set()
    by_last: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        last = entry.rsplit(None, 1)[-1]
        if last == entry:
            words.add(entry)
        else:
            by_last[last] = (*by_last.get(last, ()), entry)
    return Sign(frozenset(words), by_last)


def words_of(*signs: Sign) -> frozenset[str]:
    """The words that these signs ask for. A text's words among them are all that `Sign.count` needs, and few."""
    return frozenset().union(*(each.words | each.phrases.keys() for each in signs))


def words_in(lowered: str) -> frozenset[str]:
    """The words of a text in small letters, hyphened ones whole; what `Sign.count` wants."""
    return frozenset(WORD.findall(lowered))
