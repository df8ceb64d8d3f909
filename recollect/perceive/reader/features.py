"""Two texts in numbers: how they are alike, in what they differ, and how each of them speaks.

No number decides anything: what each is worth is learned (`training/reader`). All of them come from the texts
themselves, so a pair reads the same in every store, whichever embedder that store has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.language import lists
from recollect.language.terms import telling, terms_of
from recollect.model.pair import SaidText, TextPair
from recollect.model.roles import is_machine

LANGUAGES = ("en", "de", "es", "fr")  # whose cues are looked for, in every text: people mix them
CUES = tuple(lists.sections("en", "pair_cues"))
TEXT_CHARS_MAX = 2_000  # of a text that are looked at
_SHAPE = ("words", "asks", "ends asking", "exclaims", "quotes", "numbers", *CUES)
_PAIR = (
    "shared",
    "shared of older",
    "shared of newer",
    "shared letters",
    "names shared",
    "names in newer alone",
    "names in older alone",
    "numbers shared",
    "numbers differ",
    "numbers in both",
    "days",
    "same speaker",
    "older by a person",
)
NAMES = (*(f"newer {name}" for name in _SHAPE), *(f"older {name}" for name in _SHAPE), *_PAIR)

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-zß-öø-ÿ][\w'’-]+")
# "2023-05-08 Caroline: …": lines of a transcript, whose day and speaker say nothing about what the texts are about.
_HEAD = re.compile(
    r"\s*[\[(]?(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?[\])]?[,:]?\s+)?"
    r"(?:(?P<speaker>[^\W\d_][\w'’-]{0,30}(?: [^\W\d_][\w'’-]{0,30})?):\s+(?=\S+\s+\S+\s+\S))?"
)
_QUOTES = frozenset('"“”«»')


class _Shape(NamedTuple):
    """One text: its numbers, and the sets that a pair is compared by."""

    values: tuple[float, ...]
    terms: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]


def features_of(pairs: Sequence[TextPair]) -> NDArray[np.float64]:
    """One row a pair, in the order of `NAMES`."""
    return np.array([_row(pair) for pair in pairs], dtype=np.float64).reshape(len(pairs), len(NAMES))


def _row(pair: TextPair) -> list[float]:
    older_speaker, older = _told(pair.older)
    newer_speaker, newer = _told(pair.newer)
    shared = older.terms & newer.terms
    return [
        *newer.values,
        *older.values,
        float(len(shared)),
        len(shared) / max(1, len(older.terms)),
        len(shared) / max(1, len(newer.terms)),
        float(sum(map(len, shared))),  # long words are rare ones
        float(len(older.names & newer.names)),
        float(len(newer.names - older.names)),
        float(len(older.names - newer.names)),
        float(len(older.numbers & newer.numbers)),
        float(bool(older.numbers - newer.numbers) and bool(newer.numbers - older.numbers)),
        float(min(len(older.numbers), len(newer.numbers))),
        math.log1p(pair.days),
        float(older_speaker == newer_speaker),
        float(_is_person(pair.older)),
    ]


def _told(said: SaidText) -> tuple[str | None, _Shape]:
    """Who said it, and the shape of what was said, without the head of a line that tells who and when."""
    text = said.text[:TEXT_CHARS_MAX]
    head = _HEAD.match(text)
    assert head is not None, "everything in it may be missing"
    return said.speaker or head["speaker"], _shape(text[head.end() :])


@lru_cache(maxsize=1024)
def _shape(text: str) -> _Shape:
    numbers = _NUMBER.findall(text)
    values = (
        math.log1p(len(text.split())),
        float("?" in text),
        float(text.rstrip().endswith("?")),
        float(text.count("!")),
        float(not _QUOTES.isdisjoint(text)),
        float(len(numbers)),
        *(float(len(_cue(cue).findall(text))) for cue in CUES),
    )
    names = frozenset(found[0].casefold() for found in _NAME.finditer(text))
    return _Shape(values, frozenset(telling(terms_of(text))), frozenset(numbers), names)


@cache
def _cue(name: str) -> re.Pattern[str]:
    entries = (entry for language in LANGUAGES for entry in lists.sections(language, "pair_cues")[name])
    return re.compile(rf"(?<!\w)(?:{'|'.join(dict.fromkeys(entries))})(?!\w)", re.IGNORECASE)


def _is_person(said: SaidText) -> bool:
    return not is_machine(said.role)
