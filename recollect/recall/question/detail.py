"""How likely a question is one that what was told answers, by its words alone.

People ask for prices, surnames and ages that were never said, and seldom for where they work. A logistic model over the
words of the question and their neighbours; `training/cross/questions.py` fits it on written questions in several
languages; the weights lie beside this module. Alone it must refuse nothing: it would refuse the same questions where
the answer was told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from recollect.recall.question.aims import signs_of

WEIGHTS_FILE = "detail.json"


class DetailWeights(NamedTuple):
    """What speaks for an answer: a share that every question has, and one for each sign."""

    bias: float
    signs: Mapping[str, float]


def answered_odds(text: str) -> float:
    """The log-odds that such a question has an answer among what people tell."""
    weights = _weights()
    return weights.bias + sum(weights.signs.get(sign, 0.0) for sign in set(signs_of(text)))


@lru_cache(maxsize=1)
def _weights() -> DetailWeights:
    raw = json.loads(Path(__file__).with_name(WEIGHTS_FILE).read_text(encoding="utf-8"))
    return DetailWeights(raw["bias"], raw["signs"])
