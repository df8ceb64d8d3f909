"""Times of day in a text: what its language calls an hour and a part of the day, put together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import NamedTuple

from recollect.language.found import HALF_DAY, ClockTime, Stands
from recollect.language.frame.calendar_words import CalendarWords

_AFTERNOON = timedelta(hours=13)  # an hour from here on says that it is after noon
_NOON, _NIGHTFALL = 12, 20
_BEFORE_CHARS = 16


class ClockPattern(NamedTuple):
    """A pattern, the words without one of which it cannot match, and how surely it is a time without a day."""

    words: frozenset[str]
    pattern: str
    stands: Stands = "alone"


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A space in a pattern is any space, ` ?` any or none."""
    spaced = pattern.replace(" ", r"\s+").replace(r"\s+?", r"\s*")
    return re.compile(rf"(?=\w)(?<![\w$€£#:.,/-])(?:{spaced})(?![\w%€°])(?![.,:/]\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The times of day of a language: its patterns, and the words in them.

    Groups of a pattern: `start` and `end` are hours; `minutes` are added or, by `way`, taken away; `more` and
    `end_more` are added; those of `before` are taken away. `spoken` marks an hour that may be a count. `part` is a part
    of a day, `how` which end of it, `early` an early part of `early_part`.
    """

    calendar: CalendarWords
    patterns: tuple[ClockPattern, ...]
    hours: Mapping[str, int]
    minutes: Mapping[str, int]
    forward: frozenset[str]  # ways that add minutes
    counted: re.Pattern[str]  # behind a `spoken` hour: it counts something
    midnight: str
    mistaken: frozenset[str]  # parts of a day that mean something else alone: "morgen", "tarde"
    day_before: re.Pattern[str]  # before such a word: it is the part of a day all the same
    early: tuple[str, ...]  # how the words of `how` begin
    late: tuple[str, ...]
    says_half: Callable[[Mapping[str, str | None]], bool]  # whether an hour says which half of the day
    early_part: str = ""
    before: Mapping[str, int] = field(default_factory=dict)
    adverbs: Mapping[str, str] = field(default_factory=dict)
    sure_alone: bool = False  # whether an hour that says its half needs no day beside it

    def found_in(self, text: str, words: frozenset[str]) -> list[ClockTime]:
        """Times of day, first come first, none inside another; an hour and the part of the day beside it are one."""
        found: list[ClockTime] = []
        for telling, pattern, stands in self.patterns:
            for match in compiled(pattern).finditer(text) if not words.isdisjoint(telling) else ():
                clock = self._read(match, stands)
                if clock and not any(clock.begin < other.end and other.begin < clock.end for other in found):
                    found.append(clock)
        return self._merged(text, sorted(found, key=lambda clock: clock.begin))

    def _merged(self, text: str, clocks: list[ClockTime]) -> list[ClockTime]:
        """The part says which half of the day is meant; "las doce de la noche" is midnight."""
        out: list[ClockTime] = []
        for clock in clocks:
            last = out[-1] if out else None
            if last and last.is_part != clock.is_part and text[last.end : clock.begin].strip(" ,") == "":
                part, hour = (last, clock) if last.is_part else (clock, last)
                begins = part.from_time.seconds // 3_600
                if begins >= _NIGHTFALL and hour.from_time.seconds // 3_600 == _NOON:
                    hour = replace(hour, from_time=hour.from_time + HALF_DAY, to_time=hour.to_time + HALF_DAY)
                out[-1] = replace(hour.within(begins), begin=last.begin, end=clock.end)
            else:
                out.append(clock)
        return out

    def _read(self, match: re.Match[str], stands: Stands) -> ClockTime | None:
        groups = match.groupdict()
        if groups.get("part") or groups.get("early"):
            return self._part(match)
        if groups.get("spoken") is not None and self.counted.match(match.string, match.end()):
            return None
        start = self._time_of_day(match["start"]) + self._minutes(groups.get("more"))
        start -= timedelta(minutes=sum(minutes for name, minutes in self.before.items() if groups.get(name)))
        if groups.get("minutes"):
            start += self._minutes(groups["minutes"]) * (1 if match["way"].lower() in self.forward else -1)
        start = start if start >= timedelta(0) else start + HALF_DAY
        last = groups.get("end")
        known = start >= _AFTERNOON or self.says_half(groups)
        return ClockTime(
            begin=match.start(),
            end=match.end(),
            from_time=start,
            to_time=self._time_of_day(last) + self._minutes(groups.get("end_more")) if last else start,
            grain="hour" if start.seconds % 3_600 == 0 else "minute",
            stands="alone" if known and self.sure_alone else stands,
            half_known=known,
        )

    def _part(self, match: re.Match[str]) -> ClockTime | None:
        groups = match.groupdict()
        word = (groups.get("part") or self.early_part).lower()
        if word == self.midnight:
            begin = end = timedelta(hours=24)
            return ClockTime(
                begin=match.start(), end=match.end(), from_time=begin, to_time=end, grain="hour", stands="beside"
            )
        before = max(0, match.start() - _BEFORE_CHARS)
        alone = match[0].lower() == word and not self.day_before.search(match.string, before, match.start())
        if alone and word in self.mistaken:
            return None
        named = self.calendar.day_parts[self.adverbs.get(word, word)]
        begin, end = (timedelta(hours=hours) for hours in named)
        how, middle = (groups.get("early") or groups.get("how") or "").lower(), begin + (end - begin) / 2
        return ClockTime(
            begin=match.start(),
            end=match.end(),
            from_time=middle if how.startswith(self.late) else begin,
            to_time=middle if how.startswith(self.early) else end,
            grain="part",
            stands="beside",
        )

    def _minutes(self, words: str | None) -> timedelta:
        if not words:
            return timedelta(0)
        named = self.minutes.get(words.lower())
        return timedelta(minutes=self.calendar.number_of(words) if named is None else named)

    def _time_of_day(self, words: str) -> timedelta:
        lowered = words.lower()
        if not lowered[0].isdigit():
            return timedelta(hours=self.hours[lowered])
        hour, minute = (*(int(part) for part in re.split(r"[:.h]", lowered)), 0)[:2]
        return timedelta(hours=hour, minutes=minute)
