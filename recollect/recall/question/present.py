"""How likely a question asks how things are now, rather than what happened, how it once was or how it came about.

A logistic model over the words of the question and their neighbours. `training/questions/train.py` fits it on written
questions in several languages; the weights lie beside this module.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from recollect.recall.question.cues import Cues
from recollect.recall.question.development import asks_how_it_developed

WEIGHTS_FILE = "present.json"
PRESENT_MIN = 0.5  # from here on a question counts as one about the present, where only yes or no will do

_WORD = re.compile(r"\w+")


class PresentWeights(NamedTuple):
    """What speaks for the present: a share that every question has, and one for each sign."""

    bias: float
    signs: Mapping[str, float]


def presentness(text: str, cues: Cues) -> float:
    """The probability that a question asks how things are now; 0 where it names a time or asks how it came about."""
    if cues.days or cues.months or cues.years or asks_how_it_developed(text):
        return 0.0
    weights = _weights()
    found = weights.bias + sum(weights.signs.get(sign, 0.0) for sign in set(signs_of(text)))
    return 1.0 / (1.0 + math.exp(-found))


def asks_for_the_present(text: str, cues: Cues) -> bool:
    """Whether a question rather asks how things are now."""
    return presentness(text, cues) >= PRESENT_MIN


def signs_of(text: str) -> Iterator[str]:
    """Words, pairs of neighbours, and with `^` the one and the two that a question begins with."""
    words = _WORD.findall(text.lower())
    yield from words
    for pair in pairwise(words):
        yield " ".join(pair)
    if words:
        yield f"^{words[0]}"
        yield f"^{' '.join(words[:2])}"


@lru_cache(maxsize=1)
def _weights() -> PresentWeights:
    raw = json.loads(Path(__file__).with_name(WEIGHTS_FILE).read_text(encoding="utf-8"))
    return PresentWeights(raw["bias"], raw["signs"])
