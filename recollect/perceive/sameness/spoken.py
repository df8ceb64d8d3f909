"""The words of a sentence as they are compared: in small letters, without marks, contractions and numbers written out.

What looks like an identifier, a path, a version or an amount stays one word with all its signs: "C++" is not "C".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from recollect.perceive.sameness import wording

Words = list[str]

PAUSE = ","  # among the words, where a comma or a colon stood
DAY = re.compile(r"([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
FULL_HOUR = re.compile(r"(\d{1,2}):00")

_EDGES_LEFT = "\"'“”([{`«¿¡"
_EDGES_RIGHT = "\"'“”)]}`».,;:!?…。！？、，；"
_MARKS = frozenset(_EDGES_LEFT + _EDGES_RIGHT + "-–—")
_GROUPED = re.compile(r"[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?")
_MONEY = re.compile(r"([$€£])(\d[\d.]*)([km]?)")
_GLUED = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")
_CLITIC = re.compile(r"(.+?)(n't|'(?:re|ve|ll|m))")


def spoken(sentence: str) -> Words:
    """The words of a sentence as they are compared, with its pauses."""
    words: Words = []
    shouted = sentence.isupper()
    for piece in sentence.split():
        bare = piece.lstrip(_EDGES_LEFT)
        core = bare.rstrip(_EDGES_RIGHT)
        if core[:1] == "*" == core[-1:]:  # emphasis; a single one would be code
            core = core.strip("*")
        if core:
            words.extend(_words_of(core, article=shouted or not words))
        elif not _MARKS.issuperset(piece):
            words.append(piece)
        if piece.rstrip("\"'”)").endswith((",", ":")):
            words.append(PAUSE)
    while words and words[-1] == PAUSE:
        words.pop()
    return words


def _words_of(core: str, *, article: bool) -> Sequence[str]:
    """One written word as it is compared. What looks like an identifier keeps its capitals: they tell keys apart."""
    if core == "A" and not article:
        return ("A",)  # a grade, a plan, a vitamin
    low = core.casefold()
    if low.isalpha():
        return _plain_word(low)
    if "'" in low:
        return _contracted(low)
    if low[0].isdigit() or low[0] in "$€£":
        return _number(core, low)
    if any(mark.isdigit() for mark in core) or "/" in core or "_" in core:
        return (core,)
    return _plain_word(low)


@lru_cache(maxsize=1 << 14)
def _plain_word(low: str) -> tuple[str, ...]:
    typed = wording.TYPED.get(low)
    if typed is not None:
        return tuple(typed.split())
    if low in wording.NOW:
        return ("now",)
    return (wording.NUMBERS.get(low) or wording.SPELLINGS.get(low, low),)


def _contracted(low: str) -> Sequence[str]:
    if match := _CLITIC.fullmatch(low):
        stem = wording.CONTRACTED_STEMS.get(match[1], match[1])
        return (stem, wording.CONTRACTED[match[2]])
    if low.endswith("'s"):
        return (low[:-2], "'s")
    return (low[:-1], "'s") if low.endswith("s'") else (low,)


def _number(core: str, low: str) -> Sequence[str]:
    if _GROUPED.fullmatch(low):
        low = low.replace(",", "")
    if match := _MONEY.fullmatch(low):
        return (match[2] + match[3], match[1])
    if low.endswith("%"):
        return (low[:-1], "%")
    hour = FULL_HOUR.fullmatch(low.removesuffix("am").removesuffix("pm"))
    if hour and low[-1] == "m":
        return (hour[1], low[-2:])
    if (match := _GLUED.fullmatch(low)) and match[2] in wording.GLUED_UNITS and core[-1].islower():
        return (match[1], wording.UNITS.get(match[2], match[2]))
    return (low if low.replace(",", "").isdigit() or DAY.fullmatch(low) else core,)
