"""Times of day in German text: "um 15:30 Uhr", "um halb acht", "Viertel nach drei", "von 9 bis 17 Uhr", "abends"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import NamedTuple

from recollect.language.de.calendar_words import DAY_PARTS, NUMBERS, number_of
from recollect.language.found import HALF_DAY, ClockTime, Stands
from recollect.language.numeric_dates import DIGITS
from recollect.language.rules import one_of

_HOUR_WORDS = {word: number for word, number in NUMBERS.items() if number <= 12} | {"eins": 1}
_HOUR = rf"(?:[01]?\d|2[0-4]|{one_of(_HOUR_WORDS)})"
_DIGIT_CLOCK = r"(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?"
_AT = r"(?:(?:um|gegen|ab|bis|kurz vor|kurz nach|so um) )?"
_COUNTED = re.compile(
    r"\s*(?:%|€|\$|[.,]\d|(?:prozent|euro|cent|grad|stück|meter|km|kg|jahre?n?|tagen?|wochen?|monaten?|stunden?"
    r"|minuten?|uhr|mal"
    r"|leute|personen|[a-zäöü]*ere[nrs]?)\b)",
    re.IGNORECASE,
)
_MORNING_AFTER = re.compile(
    r"\b(?:heute|gestern|vorgestern|übermorgen|jeden|diesen|\w{2,10}(?:tag|woch))\s+$", re.IGNORECASE
)
_ADVERBS = {f"{part}s": part for part in DAY_PARTS if part != "früh"} | {"nachts": "nacht"}
_PART_WORDS = frozenset([*DAY_PARTS, *_ADVERBS, "mitternacht"])


class _GermanClock(NamedTuple):
    """A pattern, the words without one of which it cannot match, and how surely it is a time without a day."""

    words: frozenset[str]
    pattern: str
    stands: Stands = "alone"


_PATTERNS = (
    _GermanClock(  # von 9 bis 17 Uhr
        frozenset(["bis"]),
        rf"(?:von|zwischen) (?P<start>{_DIGIT_CLOCK})(?: uhr)? (?:bis|und) (?P<end>{_DIGIT_CLOCK}) uhr",
    ),
    _GermanClock(  # 9-17 Uhr
        frozenset(["uhr"]), rf"(?P<start>{_DIGIT_CLOCK})\s?(?:-|–|bis)\s?(?P<end>{_DIGIT_CLOCK}) uhr"
    ),
    _GermanClock(  # halb vier, fünf vor halb vier
        frozenset(["halb"]),
        rf"{_AT}(?:(?P<minutes>fünf|zehn|\d\d?) (?P<way>vor|nach) )?(?P<half>halb) "
        rf"(?P<start>{one_of(_HOUR_WORDS)}|1[0-2]|[1-9])(?: uhr)?",
    ),
    _GermanClock(  # dreiviertel vier
        frozenset(["dreiviertel"]), rf"{_AT}(?P<three>dreiviertel) (?P<start>{one_of(_HOUR_WORDS)}|1[0-2]|[1-9])"
    ),
    _GermanClock(  # Viertel nach drei, zehn vor acht
        frozenset(["viertel", "nach", "vor"]),
        rf"{_AT}(?P<minutes>viertel|fünf|zehn|zwanzig|\d\d?(?: minuten)?) (?P<way>nach|vor) "
        rf"(?P<start>{one_of(_HOUR_WORDS)}|1[0-2]|[1-9])(?: uhr)?(?! (?:tagen?|wochen?|monaten?|jahren?"
        rf"|stunden?|minuten?)\b)",
    ),
    _GermanClock(  # 15 Uhr 30
        frozenset(["uhr"]), rf"{_AT}(?P<start>{_HOUR}) uhr (?P<past>[0-5]\d|{one_of(NUMBERS)})(?! uhr)\b"
    ),
    _GermanClock(frozenset(["uhr"]), rf"{_AT}(?P<start>{_DIGIT_CLOCK}|{_HOUR}) ?uhr"),
    _GermanClock(DIGITS, rf"{_AT}(?P<start>(?:[01]?\d|2[0-3]):[0-5]\d)"),
    _GermanClock(frozenset(["um", "gegen"]), rf"(?:um|gegen) (?P<start>{_HOUR})(?P<bare>)", "ahead"),
    _GermanClock(frozenset(["mitternacht"]), r"(?:um |gegen |vor |nach )?(?P<part>mitternacht)"),
    _GermanClock(
        _PART_WORDS,
        rf"(?:(?:am|in der|zu|gegen) )?(?:(?P<how>früh|spät|frühe[nr]|späte[nr]) )?"
        rf"(?P<part>{one_of([*DAY_PARTS, *_ADVERBS])})",
        "beside",
    ),
)
CLOCK_WORDS = frozenset(["uhr", "um", "halb", "viertel", "dreiviertel", "mitternacht"]) | DIGITS


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
    """ "Um acht Uhr abends", "abends um acht": the part says which half of the day is meant."""
    out: list[ClockTime] = []
    for clock in clocks:
        last = out[-1] if out else None
        if last and last.is_part != clock.is_part and text[last.end : clock.begin].strip(" ,") == "":
            part, hour = (last, clock) if last.is_part else (clock, last)
            hour = hour.within(part.from_time.seconds // 3_600)
            out[-1] = replace(hour, begin=last.begin, end=clock.end)
        else:
            out.append(clock)
    return out


def _clock(match: re.Match[str], stands: Stands) -> ClockTime | None:
    groups = match.groupdict()
    if groups.get("part"):
        return _part(match)
    if groups.get("bare") is not None and _COUNTED.match(match.string, match.end()):
        return None
    start = _time_of_day(groups["start"])
    if groups.get("half"):
        start -= timedelta(minutes=30)
    if groups.get("three"):
        start -= timedelta(minutes=15)
    if groups.get("minutes"):
        minutes = 15 if groups["minutes"].lower() == "viertel" else int(number_of(groups["minutes"]))
        start += timedelta(minutes=minutes) * (1 if groups["way"].lower() == "nach" else -1)
    elif groups.get("past"):
        start += timedelta(minutes=int(number_of(groups["past"])))
    start = start if start >= timedelta(0) else start + HALF_DAY
    last = groups.get("end")
    spoken = any(groups.get(name) for name in ("half", "three", "minutes")) or groups.get("bare") is not None
    return ClockTime(
        begin=match.start(),
        end=match.end(),
        from_time=start,
        to_time=_time_of_day(last) if last else start,
        grain="hour" if start.seconds % 3_600 == 0 else "minute",
        stands="ahead" if spoken else stands,  # with "Uhr" twenty-four hours are counted
        half_known=not spoken or start >= timedelta(hours=13),
    )


def _part(match: re.Match[str]) -> ClockTime | None:
    word = match["part"].lower()
    if (
        word == "morgen"
        and match[0].lower() == word
        and not _MORNING_AFTER.search(match.string, max(0, match.start() - 16), match.start())
    ):
        return None  # tomorrow
    if word == "mitternacht":
        midnight = timedelta(hours=24)
        return ClockTime(
            begin=match.start(), end=match.end(), from_time=midnight, to_time=midnight, grain="hour", stands="beside"
        )
    begin, end = (timedelta(hours=hours) for hours in DAY_PARTS[_ADVERBS.get(word, word)])
    how = (match["how"] or "").lower()
    middle = begin + (end - begin) / 2
    return ClockTime(
        begin=match.start(),
        end=match.end(),
        from_time=middle if how.startswith("spät") else begin,
        to_time=middle if how.startswith("früh") else end,
        grain="part",
        stands="beside",
    )


def _time_of_day(words: str) -> timedelta:
    lowered = words.lower()
    if not lowered[0].isdigit():
        return timedelta(hours=_HOUR_WORDS[lowered])
    hour, minute = (*(int(part) for part in re.split(r"[:.]", lowered)), 0)[:2]
    return timedelta(hours=hour, minutes=minute)
