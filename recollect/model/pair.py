"""What a later text does to an earlier one about the same thing, and how probable each possibility is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from recollect.clock import DAY_US


class PairLabel(StrEnum):
    """What a newer text does to what an older one states. The order is that of a reader's outputs."""

    REPLACES = "replaces"  # another value holds from then on
    ENDS = "ends"  # it is over, and nothing takes its place
    CORRECTS = "corrects"  # the older one was wrong when it was said
    ADDS = "adds"  # the same thing, and the older one still holds: a detail, a plan, an exception, a part of it changed
    RESTATES = "restates"  # it says the same again
    UNRELATED = "unrelated"  # it is about something else, or about someone else


LABELS = tuple(PairLabel)
OVER = (PairLabel.REPLACES, PairLabel.ENDS, PairLabel.CORRECTS)  # the older one holds no more


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidText:
    """A text as it was said: by whom, in which role, and when (microseconds)."""

    text: str
    speaker: str | None
    role: str | None
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPair:
    """An older text and a newer one, in the order in which they were said."""

    older: SaidText
    newer: SaidText

    @property
    def days(self) -> int:
        """Whole days between the two."""
        return max(0, (self.newer.at - self.older.at) // DAY_US)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReading:
    """How probable each label is, in the order of `LABELS`; together 1."""

    probabilities: tuple[float, ...]

    @classmethod
    def of(cls, probabilities: Sequence[float]) -> PairReading:
        assert len(probabilities) == len(LABELS)
        return cls(probabilities=tuple(float(each) for each in probabilities))

    @property
    def over(self) -> float:
        """How probable it is that the older text holds no more."""
        return sum(self.probabilities[LABELS.index(label)] for label in OVER)

    @property
    def how(self) -> PairLabel:
        """The most probable way in which the older text holds no more."""
        return max(OVER, key=lambda label: self.probabilities[LABELS.index(label)])
