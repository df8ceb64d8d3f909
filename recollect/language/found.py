"""A time at its place in a sentence, while it is being put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from recollect.language.calendar import Stretch, midnight
from recollect.language.resolving import CalendarReading
from recollect.language.rules import Match, PhraseRule

Kind = Literal["point", "stretch", "repeating"]
Relation = Literal["in", "since", "after", "before", "until", "around", "between"]
CLOCK_GRAINS = ("second", "minute", "hour", "part")
Stands = Literal["alone", "ahead", "beside"]
HALF_DAY = timedelta(hours=12)
DAWN = timedelta(hours=5)
_NIGHTFALL = 20
_WAKING = timedelta(hours=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTime:
    """A time of day: hours after midnight, and where in the text.

    It stands `alone` where it says which day without a date, `ahead` where it does so in a sentence of the future
    ("I'll call at 5"), else `beside` a day only. `half_known` is whether it says if it is before or after noon.
    """

    begin: int
    end: int
    from_time: timedelta
    to_time: timedelta
    grain: str
    stands: Stands
    half_known: bool = True
    days: int = 0  # from the day of the text, where no date stands beside it

    @property
    def is_part(self) -> bool:
        return self.grain == "part"

    def on(self, day: datetime) -> Stretch:
        start = midnight(day)
        return Stretch(start + self.from_time, start + self.to_time, self.grain)

    def within(self, begins: int) -> ClockTime:
        """The same in a part of a day that begins with this hour: "five" of an evening is after noon."""
        if self.half_known or self.from_time >= HALF_DAY or begins < 12:
            return replace(self, half_known=True)
        after_midnight = begins >= _NIGHTFALL and self.from_time < DAWN
        later = 2 * HALF_DAY if after_midnight else HALF_DAY
        return replace(self, from_time=self.from_time + later, to_time=self.to_time + later, half_known=True)


def usual(clock: ClockTime) -> ClockTime:
    """Without anything that says which half of the day: "at 5" is rarely before breakfast."""
    known = (
        clock.half_known or clock.from_time >= _WAKING or clock.from_time != clock.to_time or clock.stands == "alone"
    )
    return clock if known else clock.within(12)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTime:
    """A phrase at its place. `phrase` can be read again against another moment, None if it was put together."""

    begin: int
    end: int
    stretch: Stretch
    phrase: tuple[PhraseRule, Match] | None = None
    fixed: bool = False  # cannot be another one than it says
    kind: Kind = "point"
    relation: Relation = "in"
    clock: ClockTime | None = None  # an hour without a day of its own
    day_first: bool = False  # a day and its hour, in this order

    @property
    def is_day(self) -> bool:
        return self.stretch.grain == "day" and (self.stretch.end - self.stretch.start).days == 1

    def overlaps(self, begin: int, end: int) -> bool:
        return self.begin < end and begin < self.end

    def against(self, now: datetime, *, ahead: bool) -> FoundTime:
        if self.phrase is None or self.fixed:
            return self
        rule, match = self.phrase
        read = rule.read(match, CalendarReading(now=now, ahead=ahead, planned=ahead))
        return self if read is None else replace(self, stretch=read)
