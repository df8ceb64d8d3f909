"""Times of day in Spanish text: "a las 15:30", "a las tres y media", "de nueve a once", "por la noche"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import NamedTuple

from recollect.language.es.calendar_words import DAY_PARTS, NUMBERS, number_of
from recollect.language.found import HALF_DAY, ClockTime, Stands
from recollect.language.numeric_dates import DIGITS
from recollect.language.rules import one_of

_HOUR_WORDS = {word: number for word, number in NUMBERS.items() if number <= 12 and word not in ("un", "uno")}
_MINUTE_WORDS = one_of(
    ["cuarto", "media", *(word for word, number in NUMBERS.items() if number in (5, 10, 15, 20, 25))]
)
_HOUR = rf"(?:{one_of(_HOUR_WORDS)}|[01]?\d|2[0-4])"
_CLOCK = rf"(?:(?:[01]?\d|2[0-4])[:.][0-5]\d|{_HOUR})"
_PARTS = one_of(DAY_PARTS)
_HALVES = rf"(?:de|por|en) la (?:{_PARTS})|del? mediod[ií]a|de madrugada"
_MORE = rf"(?: (?P<way>y|menos) (?P<minutes>{_MINUTE_WORDS}|[0-5]?\d))?(?: en punto)?(?: ?(?:h|hs|hrs|horas)\b)?"
# "A las tres amigas": what is counted is a plural; "vamos", "después" and their like end so too.
_COUNTED = re.compile(
    r"\s+(?!(?:antes|después|despues|menos|más|los|las|nos|es|mientras|entonces|lunes|martes|miércoles|jueves|viernes)\b)"
    r"(?:de\s+las\s+|[a-záéíóúñ]{2,}(?<!am)(?<!em)(?<!im)[aeo]s\b|%|€|euros?\b)",
    re.IGNORECASE,
)


class _SpanishClock(NamedTuple):
    """A pattern, the words without one of which it cannot match, and how surely it is a time without a day."""

    words: frozenset[str]
    pattern: str
    stands: Stands = "alone"


_PATTERNS = (
    _SpanishClock(  # de las 9 a las 11, entre las tres y las cinco
        frozenset(["las", "la"]),
        rf"(?:de|desde|entre) las? (?P<start>{_CLOCK})(?: y (?P<more>media|cuarto))?(?: horas?)? "
        rf"(?:a|hasta|y) las? (?P<end>{_CLOCK})(?: y (?P<end_more>media|cuarto))?(?: horas?)?",
    ),
    _SpanishClock(  # de 9 a 11 de la mañana, de 9:00 a 11:00
        frozenset(["de"]),
        rf"de (?P<start>{_CLOCK}) a (?P<end>{_CLOCK})(?: ?(?:h|hs|hrs|horas)\b|(?= (?:{_HALVES})\b)|(?<=:\d\d))",
    ),
    _SpanishClock(  # a las tres y media, sobre las 15:30, a la una menos cuarto
        frozenset(["las", "la"]),
        rf"(?:a|sobre|hacia|desde|hasta|para|antes de|después de|a eso de|son|eran|es|era|de) (?P<spoken>las?) "
        rf"(?P<start>{_CLOCK}){_MORE}",
        "ahead",
    ),
    _SpanishClock(  # 15:30, 18h, 18 h, 18h30
        DIGITS, r"(?P<start>(?:[01]?\d|2[0-3])(?::[0-5]\d|h[0-5]\d))(?: ?(?:h|hs|hrs|horas)\b)?"
    ),
    _SpanishClock(frozenset(["h", "hs", "hrs"]), r"(?P<start>(?:[01]?\d|2[0-3])) ?(?:h|hs|hrs)"),
    _SpanishClock(frozenset(["medianoche"]), r"(?:a |hasta |sobre )?(?P<part>medianoche)"),
    _SpanishClock(
        frozenset(DAY_PARTS),
        rf"(?:(?:(?:(?:por|de|en|a|durante) la|al?|de|del) )?(?:(?P<how>primera|última) hora de la )?"
        rf"(?P<part>{_PARTS})|a (?P<early>primera hora)(?: de la mañana)?)",
        "beside",
    ),
)
CLOCK_WORDS = frozenset(["las", "la", "medianoche", "hora"]) | DIGITS
_SAYS_PART = re.compile(r"(?:por|de|en|a|durante)\s+la\s|\bal?\s|\bdel?\s", re.IGNORECASE)
_MORNING_AFTER = re.compile(
    r"\b(?:ayer|hoy|anteayer|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)\s+$", re.I
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    spaced = pattern.replace(" ", r"\s+").replace(r"\s+?", r"\s*")
    return re.compile(rf"(?=\w)(?<![\w$€£#:.,/-])(?:{spaced})(?![\w%€°])(?![.,:/]\d)", re.IGNORECASE)


def clocks_in(text: str, words: frozenset[str]) -> list[ClockTime]:
    """Times of day, first come first, none inside another; an hour and the part of the day beside it are one."""
    found: list[ClockTime] = []
    for telling, pattern, stands in _PATTERNS:
        for match in _compiled(pattern).finditer(text) if not words.isdisjoint(telling) else ():
            clock = _clock(match, stands)
            if clock and not any(clock.begin < other.end and other.begin < clock.end for other in found):
                found.append(clock)
    return _merged(text, sorted(found, key=lambda clock: clock.begin))


def _merged(text: str, clocks: list[ClockTime]) -> list[ClockTime]:
    """ "A las ocho de la tarde": the part says which half of the day is meant; "las doce de la noche" is midnight."""
    out: list[ClockTime] = []
    for clock in clocks:
        last = out[-1] if out else None
        if last and last.is_part != clock.is_part and text[last.end : clock.begin].strip(" ,") == "":
            part, hour = (last, clock) if last.is_part else (clock, last)
            begins = part.from_time.seconds // 3_600
            if begins >= 20 and hour.from_time.seconds // 3_600 == 12:
                hour = replace(hour, from_time=hour.from_time + HALF_DAY, to_time=hour.to_time + HALF_DAY)
            hour = hour.within(begins)
            out[-1] = replace(hour, begin=last.begin, end=clock.end)
        else:
            out.append(clock)
    return out


def _clock(match: re.Match[str], stands: Stands) -> ClockTime | None:
    groups = match.groupdict()
    if groups.get("part") or groups.get("early"):
        return _part(match)
    if groups.get("spoken") and _COUNTED.match(match.string, match.end()):
        return None
    start = _time_of_day(groups["start"]) + _minutes(groups.get("more"))
    if groups.get("way"):
        start += _minutes(groups["minutes"]) * (1 if groups["way"].lower() == "y" else -1)
    start = start if start >= timedelta(0) else start + HALF_DAY
    last = groups.get("end")
    end = _time_of_day(last) + _minutes(groups.get("end_more")) if last else start
    exact = ":" in groups["start"] or start >= timedelta(hours=13)
    return ClockTime(
        begin=match.start(),
        end=match.end(),
        from_time=start,
        to_time=end,
        grain="hour" if start.seconds % 3_600 == 0 else "minute",
        stands="alone" if exact else stands,
        half_known=exact,
    )


def _minutes(words: str | None) -> timedelta:
    if not words:
        return timedelta(0)
    named = {"media": 30, "cuarto": 15}.get(words.lower())
    return timedelta(minutes=named if named is not None else int(number_of(words)))


def _part(match: re.Match[str]) -> ClockTime | None:
    word = (match.groupdict().get("part") or "mañana").lower()
    if word == "medianoche":
        midnight = timedelta(hours=24)
        return ClockTime(
            begin=match.start(), end=match.end(), from_time=midnight, to_time=midnight, grain="hour", stands="beside"
        )
    if match[0].lower() == word and not _MORNING_AFTER.search(match.string, max(0, match.start() - 16), match.start()):
        return None  # "mañana" alone is tomorrow, "tarde" is late
    begin, end = (timedelta(hours=hours) for hours in DAY_PARTS[word])
    middle = begin + (end - begin) / 2
    how = "primera" if match.groupdict().get("early") else (match.groupdict().get("how") or "").lower()
    return ClockTime(
        begin=match.start(),
        end=match.end(),
        from_time=middle if how == "última" else begin,
        to_time=middle if how == "primera" else end,
        grain="part",
        stands="beside",
    )


def _time_of_day(words: str) -> timedelta:
    lowered = words.lower()
    if not lowered[0].isdigit():
        return timedelta(hours=_HOUR_WORDS[lowered])
    hour, minute = (*(int(part) for part in re.split(r"[:.h]", lowered)), 0)[:2]
    return timedelta(hours=hour, minutes=minute)
