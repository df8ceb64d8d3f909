"""A time at its place in a sentence, while it is being put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from recollect.language.en.calendar import Stretch
from recollect.language.en.clocks import Clock
from recollect.language.en.readings import Match, Reading
from recollect.language.en.rules import Rule

Kind = Literal["point", "stretch", "repeating"]
Relation = Literal["in", "since", "after", "before", "until", "around", "between"]
CLOCK_GRAINS = ("second", "minute", "hour", "part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A phrase at its place. `phrase` can be read again against another moment, None if it was put together."""

    begin: int
    end: int
    stretch: Stretch
    phrase: tuple[Rule, Match] | None = None
    fixed: bool = False  # cannot be another one than it says
    kind: Kind = "point"
    relation: Relation = "in"
    clock: Clock | None = None  # an hour without a day of its own
    day_first: bool = False  # a day and its hour, in this order

    @property
    def is_day(self) -> bool:
        return self.stretch.grain == "day" and (self.stretch.end - self.stretch.start).days == 1

    def overlaps(self, begin: int, end: int) -> bool:
        return self.begin < end and begin < self.end

    def against(self, now: datetime, *, ahead: bool) -> Found:
        if self.phrase is None or self.fixed:
            return self
        rule, match = self.phrase
        read = rule.read(match, Reading(now=now, ahead=ahead, planned=ahead))
        return self if read is None else replace(self, stretch=read)
