"""Times of day in running text: "3pm", "at 17:30", "from 2 to 4pm", "in the morning", "tonight"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from recollect.model.calendar import NUMBERS, Stretch, midnight

# When each part of a day begins and ends, in hours; a night reaches into the next day.
PARTS = {
    "morning": (6, 12), "noon": (12, 12), "midday": (12, 12), "lunchtime": (11, 13), "afternoon": (12, 18),
    "evening": (18, 22), "night": (20, 28), "tonight": (20, 28), "tonite": (20, 28), "midnight": (24, 24),
}  # fmt: skip
_HOURS = "|".join(sorted((word for word, number in NUMBERS.items() if 0 < number <= 12), key=len, reverse=True))
_MERIDIEM = r"(?:\s*[ap](?:m\b|\s?\.\s?m\b(?:\s?\.)?))"
_CLOCK = r"(?:[01]?\d|2[0-3])(?:[:.][0-5]\d(?::[0-5]\d)?)?"
_DIGITS = frozenset("0123456789")
_HALVES = frozenset(["am", "pm", "m"])  # "p.m." ends with an m
_TO = r"\s*(?:-|–|to|until|till|and)\s*"
_AT = r"(?:(?:at|around|about|by)\s+)?"
_RANGE = rf"(?P<start>{_CLOCK})(?P<start_half>{_MERIDIEM})?{_TO}(?P<end>{_CLOCK})"
_PART = (
    r"(?:(?:early|late|later)\s+)?(?:(?:in|at|during)\s+(?:the\s+)?)?(?:(?P<this>this|last)\s+)?"
    rf"(?:(?:early|late)\s+)?(?P<part>{'|'.join(PARTS)})"
)
# Words without one of which a pattern cannot match, and the pattern. What is `bare` needs a day beside it.
_PATTERNS = (
    (_HALVES, rf"(?:(?:from|between|at)\s+)?{_RANGE}(?P<end_half>{_MERIDIEM})"),
    (frozenset(["from", "between"]), rf"(?:from|between)\s+{_RANGE}(?P<end_half>)(?P<bare>)"),
    (_HALVES, rf"{_AT}(?P<start>{_CLOCK}|{_HOURS})(?P<start_half>{_MERIDIEM})"),
    (_DIGITS, rf"{_AT}(?P<start>(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?P<start_half>)"),
    (frozenset(["clock", "oclock"]), rf"{_AT}(?P<start>1?\d|{_HOURS})(?P<start_half>)\s+o['’]?clock"),
    (frozenset(["at", "around"]), rf"(?:at|around)\s+(?P<start>1[0-2]|[1-9]|{_HOURS})(?P<start_half>)(?P<bare>)"),
    (frozenset(PARTS), _PART),
)
CLOCK_WORDS = frozenset(PARTS) | _DIGITS | {"pm", "clock", "oclock"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A time of day: hours after midnight, where in the text, and whether it says which day without a date."""

    begin: int
    end: int
    from_time: timedelta
    to_time: timedelta
    grain: str
    stands_alone: bool
    days: int = 0  # from the day of the text, where no date stands beside it

    def on(self, day: datetime) -> Stretch:
        start = midnight(day)
        return Stretch(start + self.from_time, start + self.to_time, self.grain)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?=\w)(?<![\w$€£#:.,/-])(?:{pattern})(?![\w%€°])(?![.:/]\d)", re.IGNORECASE)


def clocks_in(text: str, words: frozenset[str]) -> list[Clock]:
    """Times of day, first come first, none inside another."""
    if words.isdisjoint(CLOCK_WORDS):
        return []
    found: list[Clock] = []
    for telling, pattern in _PATTERNS:
        for match in () if words.isdisjoint(telling) else _compiled(pattern).finditer(text):
            clock = _part(match) if "part" in match.re.groupindex else _clock(match)
            if clock and not any(clock.begin < other.end and other.begin < clock.end for other in found):
                found.append(clock)
    return sorted(found, key=lambda clock: clock.begin)


def _part(match: re.Match[str]) -> Clock:
    part = match["part"].lower()
    begin, end = PARTS[part]
    return Clock(
        begin=match.start(), end=match.end(), from_time=timedelta(hours=begin), to_time=timedelta(hours=end),
        grain="part", stands_alone=bool(match["this"]) or part.startswith("to"),
        days=-1 if (match["this"] or "").lower() == "last" else 0,
    )  # fmt: skip


def _clock(match: re.Match[str]) -> Clock | None:
    groups = match.groupdict()
    last = groups.get("end")
    half = groups["start_half"] or groups.get("end_half")
    start = _time_of_day(groups["start"], half)
    end = _time_of_day(last, groups["end_half"]) if last else start
    if start is None or end is None:
        return None
    bare, half_day = groups.get("bare") is not None, timedelta(hours=12)
    if bare and start == end and start < timedelta(hours=7):
        start = end = start + half_day  # "at 5" is rarely before breakfast
    if end < start:  # "from 10 to 2pm", "from 10:30 to 3"
        start, end = (start - half_day, end) if start >= half_day else (start, end + half_day)
    return Clock(
        begin=match.start(), end=match.end(), from_time=start, to_time=end,
        grain="minute" if ":" in groups["start"] else "hour", stands_alone=not bare,
    )  # fmt: skip


def _time_of_day(words: str, half: str | None) -> timedelta | None:
    if words.lower() in NUMBERS:
        hour, minute, second = NUMBERS[words.lower()], 0, 0
    else:
        parts = [int(part) for part in re.split(r"[:.]", words)]
        hour, minute, second = (*parts, 0, 0)[:3]
    if half:
        if hour > 12:
            return None
        hour = hour % 12 + (12 if half.strip().lower().startswith("p") else 0)
    return timedelta(hours=hour, minutes=minute, seconds=second)
