"""Whether two texts say the same in other words.

What counts as "other words" is listed, and everything else tells two texts apart: not numbers, names, dates and
negations alone, but every word, and the order of words, since "Ana manages Ben" is not "Ben manages Ana". Texts are
brought to one wording, their *sense*: spelling, contractions, numbers in words, articles, fillers, "on Friday" first or
last, the order within "tea and coffee". Texts of one sense say the same. That misses many a paraphrase, which costs
a second record; the other mistake would lose a memory without a trace.

Two things follow. To say the same is transitive, so a record may stand for all its repeats. And a sense has a number,
by which what a text repeats is found among a million records without comparing it with any.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from recollect.perceive.sameness import wording
from recollect.perceive.sameness.one_wording import Words, compared_words, in_order, to_one_wording, without_fillers

READ_CHARS_MAX = 2_000  # a longer text is compared letter by letter
OVERLAP = 0.6  # `ingest.duplicate_similarity`

_END, _ASKED = ".", "?"
_BREAKS = re.compile(r"(?<=[.!?;…。！？])[\"'”’)\]]*\s+|\n+")
_ASKING = re.compile(r"[?？؟][\s!.\"'”)\]]*$")
_CURLY = str.maketrans("’‘", "''")


class Sense(NamedTuple):
    """What a text says in the one wording, and its words in that wording with the articles and fillers."""

    said: tuple[str, ...]
    words: frozenset[str]

    def number(self, within: int = 0) -> int:
        """The same for texts that say the same `within` one scope, and for hardly any others; 64 bits with a sign."""
        data = "\x1f".join(self.said).encode("utf-8", "surrogatepass")
        hashed = blake2b(data, digest_size=8, salt=within.to_bytes(8, "big"))
        return int.from_bytes(hashed.digest(), "big", signed=True)

    @property
    def personal(self) -> bool:
        """Whether it depends on who says it: "I", "my", "you"."""
        return not wording.FIRST_AND_SECOND_PERSON.isdisjoint(self.said)


def says_the_same(one: str, other: str, *, overlap: float = OVERLAP) -> bool:
    """Whether two texts say the same, with at least this share of their words in common (Jaccard)."""
    return senses_agree(sense_of(one), sense_of(other), overlap=overlap)


def senses_agree(one: Sense, other: Sense, *, overlap: float = OVERLAP) -> bool:
    """The same for texts that were read already."""
    if one.said != other.said:
        return False
    return len(one.words & other.words) >= overlap * len(one.words | other.words)


@lru_cache(maxsize=1024)
def sense_of(text: str) -> Sense:
    """The sense of a text. One without words, or very long: as it stands, but for spaces and capitals."""
    plain = unicodedata.normalize("NFC", text).translate(_CURLY)
    if len(plain) > READ_CHARS_MAX:
        return _literal(plain)
    said: Words = []
    words: set[str] = set()
    for sentence in _BREAKS.split(plain):
        worded = to_one_wording(compared_words(sentence))
        words.update(worded)
        kept = in_order(list(without_fillers(worded)) or worded)
        if kept:
            said += [_END, *kept] if said else kept
            said += [_ASKED] if _ASKING.search(sentence) else []
    return Sense(tuple(said), frozenset(words)) if said else _literal(plain)


def _literal(text: str) -> Sense:
    pieces = tuple(text.casefold().split())
    return Sense(("=", *pieces), frozenset(pieces))
