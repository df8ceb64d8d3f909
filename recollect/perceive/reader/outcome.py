"""What follows from a reading of two texts: the older one is over, may be over, or holds.

A turn often says several things, and a later one ends one of them. So where statements were drawn from the older text,
each is read against the newer one by itself: the reading of the whole turn says that something in it is over, the
readings of its statements say what.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from recollect.config.keeping import ReaderSettings
from recollect.model.pair import PairReading

REASONS = {
    "replaces": "a later text gives another value",
    "ends": "a later text says that it is over",
    "corrects": "a later text corrects it",
}


class PairOutcome(StrEnum):
    """What is to become of the older of two texts."""

    OVER = "over"
    DOUBTED = "doubted"
    HOLDS = "holds"


class PairVerdict(NamedTuple):
    """What is to become of one record, how probable it is that the newer text ends it, and why in one line."""

    outcome: PairOutcome
    probability: float
    reason: str


def outcome_of(reading: PairReading, settings: ReaderSettings) -> PairVerdict:
    """The older text by two thresholds: `reader.over_min` ends it, `reader.doubt_min` puts it in doubt."""
    over = reading.over
    if over >= settings.over_min:
        outcome = PairOutcome.OVER
    else:
        outcome = PairOutcome.DOUBTED if over >= settings.doubt_min else PairOutcome.HOLDS
    return PairVerdict(outcome, round(over, 3), REASONS[reading.how.value])


def outcomes_of_parts(whole: PairReading, parts: Sequence[PairReading], settings: ReaderSettings) -> list[PairVerdict]:
    """What is to become of the statements of a turn, in order; `whole` is the reading of the turn itself.

    A statement is over only where its turn is, too: a statement alone lacks what was said around it. The one that the
    newer text most probably ends is over with its turn, unless it reads as if it held (below `reader.first_min`);
    another one only if its own reading says so.
    """
    of_turn = outcome_of(whole, settings)
    if of_turn.outcome is PairOutcome.HOLDS or not parts:
        return [PairVerdict(PairOutcome.HOLDS, 0.0, "") for _ in parts]
    foremost = max(range(len(parts)), key=lambda place: parts[place].over)
    out = []
    for place, part in enumerate(parts):
        own = outcome_of(part, settings)
        if place == foremost and own.probability >= settings.first_min:
            own = own._replace(outcome=of_turn.outcome, probability=max(own.probability, of_turn.probability))
        elif own.outcome is PairOutcome.OVER and of_turn.outcome is not PairOutcome.OVER:
            own = own._replace(outcome=PairOutcome.DOUBTED)
        out.append(own)
    return out
