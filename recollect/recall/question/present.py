"""How likely a question asks how things are now, rather than what happened, how it once was or how it came about."""

from __future__ import annotations

import re

from recollect.language.expression import expression
from recollect.recall.question.aims import aims_of
from recollect.recall.question.cues import Cues

# These words ask for it whatever stands beside them: "since when does she work there" has all signs of the present.
_OUTRIGHT = expression(
    r"\b(?:since when|what(?:['’]s| has| have)? changed|seit wann|was hat sich|desde cuándo|qué (?:ha )?cambi(?:ó|ado)"
    r"|depuis quand|qu['’]est-ce qui a changé)\b",
    re.IGNORECASE,
)
PRESENT_MIN = 0.5  # from here on a question counts as one about the present, where only yes or no will do


def presentness(text: str, cues: Cues) -> float:
    """The probability that a question asks how things are now; 0 where it names a time or asks how it came about."""
    if cues.days or cues.months or cues.years or asks_how_it_developed(text):
        return 0.0
    return aims_of(text).now


def asks_for_the_present(text: str, cues: Cues) -> bool:
    """Whether a question rather asks how things are now."""
    return presentness(text, cues) >= PRESENT_MIN


def asks_how_it_developed(text: str) -> bool:
    """Whether the steps that led to what holds now are asked for: outright, or more likely than anything else."""
    aims = aims_of(text)
    return asks_outright(text) or aims.development >= max(aims.now, aims.past)


def asks_outright(text: str) -> bool:
    """Whether a question has words that ask since when something is so, or what has changed."""
    return _OUTRIGHT.search(text) is not None
