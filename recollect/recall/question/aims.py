"""What a question is after: how things are now, what happened or once was, or how something came to be as it is.

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

WEIGHTS_FILE = "aims.json"

_WORD = re.compile(r"\w+")


class Aims(NamedTuple):
    """The probability of each, together 1."""

    now: float
    past: float
    development: float


class AimWeights(NamedTuple):
    """What speaks for each aim, in the order of `Aims`: a share that every question has, and one for each sign."""

    bias: tuple[float, ...]
    signs: Mapping[str, tuple[float, ...]]


@lru_cache(maxsize=256)  # several steps of a search ask the same
def aims_of(text: str) -> Aims:
    """How likely a question asks for each."""
    weights = _weights()
    told = [weights.signs[sign] for sign in set(signs_of(text)) if sign in weights.signs]
    powers = [math.exp(sum(column)) for column in zip(weights.bias, *told, strict=True)]
    return Aims(*(power / sum(powers) for power in powers))


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
def _weights() -> AimWeights:
    raw = json.loads(Path(__file__).with_name(WEIGHTS_FILE).read_text(encoding="utf-8"))
    return AimWeights(tuple(raw["bias"]), {sign: tuple(each) for sign, each in raw["signs"].items()})
