"""Times of day in running text: "3pm", "at 17:30", "half past seven", "from 2 to 4pm", "in the morning", "tonight"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import NamedTuple

from recollect.language.en.calendar_words import NUMBERS, WEEKDAYS, number_of
from recollect.language.en.patterns import DIGIT_WORD, DIGITS
from recollect.language.found import DAWN, HALF_DAY, ClockTime, Stands

# When each part of a day begins and ends, in hours; a night reaches into the next day.
PARTS = {
    "morning": (6, 12),
    "noon": (12, 12),
    "midday": (12, 12),
    "lunchtime": (11, 13),
    "afternoon": (12, 18),
    "evening": (18, 22),
    "night": (20, 28),
    "tonight": (20, 28),
    "tonite": (20, 28),
    "midnight": (24, 24),
    "am": (0, 12),
    "pm": (12, 24),
}
_HOURS = "|".join(sorted((word for word, number in NUMBERS.items() if 0 < number <= 12), key=len, reverse=True))
_MINUTES = (
    rf"(?:(?:twenty|thirty|forty|fifty)(?:[-\s](?:{DIGIT_WORD}))?|ten|eleven|twelve|\w{{3,5}}teen|"
    rf"oh[-\s](?:{DIGIT_WORD}))"
)
_SPOKEN = rf"(?:{_HOURS})[-\s]{_MINUTES}"
_MERIDIEM = r"(?:\s*\.?[ap](?:\s?m\b|\s?\.\s?m\b(?:\s?\.)?)|(?<=\d)[ap]\b)"
_CLOCK = r"(?:[01]?\d|2[0-3])(?:[:.][0-5]\d(?::[0-5]\d)?)?"
_TO = r"\s*(?:-|–|to|until|till|and)\s*"
_AT = r"(?:(?:at|around|about)\s+)?"
_ANY = rf"(?:{_CLOCK}|{_SPOKEN}|{_HOURS})"
_RANGE = rf"(?P<start>{_CLOCK})(?P<start_half>{_MERIDIEM})?{_TO}(?P<end>{_CLOCK})"
_NAMES = "|".join(sorted(set(PARTS) - {"am", "pm", "midnight", "midday", "noon"}, key=len, reverse=True))
_PART = (
    r"(?:(?P<which>early|late|later)\s+)?(?:(?P<in>in|at|during)\s+(?:the\s+)?)?(?:(?P<this>this|last|next)\s+)?"
    rf"(?:(?P<early>early|late)\s+)?(?P<part>(?:12\s+)?noon(?:-?ish)?|mid[-\s]?(?:night|day)|{_NAMES})(?:-?time)?"
)
_AFTER_PREPOSITION = (
    "(?:" + "|".join(rf"(?<=\b{word}\s)" for word in "at by from until till to before after".split()) + ")"
)
_DAYS = "|".join(["today", "tomorrow", "yesterday", *WEEKDAYS])
_FROM = frozenset(["from", "between"])
_HALVES = frozenset(["am", "pm", "m", "a", "p"])  # "p.m." ends with an m
_PART_WORDS = frozenset(PARTS) - {"am", "pm"} | {"noonish", "nighttime", "mid"}
_SAID_LAST = re.compile(r"\s*(?:$|[.,;!?)])")
_COUNTS = DIGITS | frozenset(NUMBERS)
_OF = r"(?P<of>morning|afternoon|evening|night)"
_PAST = (
    rf"{_AT}(?P<minutes>half|(?:a\s+)?quarter|\d\d?\s*min(?:ute)?s?|{_MINUTES}\s+min(?:ute)?s?|(?:five|ten|twenty)(?=\s+past))"
    rf"\s+(?P<way>past|to|after|before)\s+(?P<start>1[0-2]|[1-9]|{_HOURS})(?!\s+(?:hour|hr|minute|day))"
    rf"(?P<start_half>{_MERIDIEM})?(?:\s+(?:in\s+the|at)\s+{_OF})?"
)
_SMALL = r"(?:1[0-2]|[1-9])(?::[0-5]\d)?"


class _ClockPattern(NamedTuple):
    """A pattern, the words without one of which it cannot match, and those of which one is beside them.

    What is `bare` needs a day beside it, or a sentence of the future.
    """

    words: frozenset[str]
    pattern: str
    beside: frozenset[str] = _COUNTS


_PATTERNS = (
    _ClockPattern(frozenset("past half quarter minutes minute mins min".split()), _PAST),
    _ClockPattern(_HALVES, rf"(?:(?:from|between|at)\s+)?{_RANGE}(?P<end_half>{_MERIDIEM})", DIGITS),
    _ClockPattern(_FROM, rf"(?:from|between)\s+{_RANGE}(?P<end_half>)(?P<bare>)", DIGITS),
    _ClockPattern(
        _FROM,
        rf"(?:from|between)\s+(?P<start>{_SPOKEN})(?P<start_half>){_TO}(?P<end>{_SPOKEN})(?P<end_half>)(?P<bare>)",
    ),
    _ClockPattern(
        _HALVES,
        rf"{_AT}(?P<start>{_CLOCK}|(?:1[0-2]|0?[1-9])[0-5]\d|{_SPOKEN}|{_HOURS})(?P<start_half>{_MERIDIEM})",
    ),
    _ClockPattern(
        _PART_WORDS,
        rf"(?:(?:at|around|about)\s+|{_AFTER_PREPOSITION})(?P<start>{_ANY})(?P<start_half>)\s+(?:in\s+the|at|this)\s+{_OF}",
    ),
    _ClockPattern(DIGITS, rf"{_AT}(?P<start>(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?P<start_half>)"),
    _ClockPattern(frozenset(["clock", "oclock"]), rf"{_AT}(?P<start>{_ANY})(?P<start_half>)\s+o['’]?clock"),
    _ClockPattern(frozenset(["ish"]), rf"{_AT}(?P<start>1[0-2]|[1-9])(?P<start_half>)\s?-?ish"),
    _ClockPattern(frozenset(NUMBERS), rf"{_AT}(?P<start>{_SPOKEN})(?P<start_half>)(?:\s+minutes)?(?P<bare>)"),
    _ClockPattern(
        frozenset(["at", "around"]),
        rf"(?:at|around)\s+(?P<start>(?:1[0-2]|[1-9])(?:\.[0-5]\d)?|{_HOURS})(?P<start_half>)(?P<bare>)(?!-\d)",
    ),
    _ClockPattern(
        DIGITS,
        rf"(?P<start>{_SMALL})(?P<start_half>)\s?(?:-|–|to)\s?(?P<end>{_SMALL})(?P<end_half>)(?P<bare>)",
    ),
    _ClockPattern(
        frozenset(["am", "pm"]),
        rf"(?:{_DAYS})\s+(?P<it>(?P<which>)(?P<in>)(?P<this>)(?P<early>)(?P<part>am|pm))",
        frozenset(_DAYS.split("|")),
    ),
    _ClockPattern(_PART_WORDS, _PART, frozenset()),
)
CLOCK_WORDS = (_PART_WORDS - {"mid"}) | DIGITS | {"pm", "clock", "oclock"}  # say by themselves that a time is named


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?=\w)(?<![\w$€£#:.,/-])(?:{pattern})(?![\w%€°])(?![.,:/]\d)", re.IGNORECASE)


def clocks_in(text: str, words: frozenset[str]) -> list[ClockTime]:
    """Times of day, first come first, none inside another; an hour and the part of the day beside it are one."""
    found: list[ClockTime] = []
    for telling, pattern, beside in _PATTERNS:
        possible = not words.isdisjoint(telling) and not (beside and words.isdisjoint(beside))
        for match in _compiled(pattern).finditer(text) if possible else ():
            clock = _part(match) if "part" in match.re.groupindex else _clock(match)
            if clock and not any(clock.begin < other.end and other.begin < clock.end for other in found):
                found.append(clock)
    return _merged(text, sorted(found, key=lambda clock: clock.begin))


def _merged(text: str, clocks: list[ClockTime]) -> list[ClockTime]:
    """ "In the morning at 7", "this evening 6-8": the part says which half of the day is meant."""
    out: list[ClockTime] = []
    for clock in clocks:
        last = out[-1] if out else None
        if last and last.is_part != clock.is_part and text[last.end : clock.begin].strip(" ,") == "":
            part, hour = (last, clock) if last.is_part else (clock, last)
            stands: Stands = "alone" if "alone" in (part.stands, hour.stands) else "ahead"
            hour = hour.within(part.from_time.seconds // 3_600)
            out[-1] = replace(hour, begin=last.begin, end=clock.end, stands=stands, days=part.days)
        else:
            out.append(clock)
    return out


def _part(match: re.Match[str]) -> ClockTime:
    part = re.sub(r"[^a-z]", "", match["part"].lower()).removesuffix("ish")
    begin, end = (timedelta(hours=hours) for hours in PARTS[part])
    how, this = (match["which"] or match["early"] or "").lower(), (match["this"] or "").lower()
    middle = begin + (end - begin) / 2
    begins, ends = match.span("it" if "it" in match.re.groupindex else 0)
    alone = this in ("this", "last") or part.startswith("to") or (this == "" and "ish" in match[0].lower())
    return ClockTime(
        begin=begins,
        end=ends,
        from_time=middle if how.startswith("late") else begin,
        to_time=middle if how == "early" else end,
        grain="part",
        stands="alone" if alone else "beside",
        days={"last": -1, "next": 1}.get(this, 0),
    )


def _clock(match: re.Match[str]) -> ClockTime | None:
    groups = match.groupdict()
    last = groups.get("end")
    half = groups["start_half"] or groups.get("end_half")
    start = _time_of_day(groups["start"], half)
    end = _time_of_day(last, groups["end_half"]) if last else start
    if start is None or end is None:
        return None
    if minutes := groups.get("minutes"):
        start = end = start + _minutes(minutes) * (1 if groups["way"].lower() in ("past", "after") else -1)
    bare = groups.get("bare") is not None
    if end < start:  # "from 10 to 2pm", "from 10:30 to 3"
        start, end = (start - HALF_DAY, end) if start >= HALF_DAY else (start, end + HALF_DAY)
    clock = ClockTime(
        begin=match.start(),
        end=match.end(),
        from_time=start,
        to_time=end,
        grain="hour" if start.seconds % 3_600 == 0 else "minute",
        stands=_stands(match, bare=bare),
        half_known=bool(half) or start >= timedelta(hours=13) or groups["start"].startswith("0"),
    )
    part = groups.get("of")
    return clock.within(PARTS[part.lower()][0]) if part and not (part.lower() == "night" and start < DAWN) else clock


def _stands(match: re.Match[str], *, bare: bool) -> Stands:
    if not bare:
        return "alone"
    said_last = match[0].lower().startswith("at") and _SAID_LAST.match(match.string, match.end())
    return "ahead" if said_last else "beside"


def _minutes(words: str) -> timedelta:
    words = words.lower()
    if words.endswith(("half", "quarter")):
        return timedelta(minutes=30 if words == "half" else 15)
    return timedelta(minutes=number_of(re.sub(r"\s*min(?:ute)?s?$", "", words)))


def _time_of_day(words: str, half: str | None) -> timedelta | None:
    words = words.lower()
    if words[0].isdigit():
        if words.isdigit() and len(words) > 2:
            words = f"{words[:-2]}:{words[-2:]}"
        hour, minute, second = (*(int(part) for part in re.split(r"[:.]", words)), 0, 0)[:3]
    else:
        spoken, _, rest = words.replace("-", " ").partition(" ")
        hour, minute, second = NUMBERS[spoken], number_of(rest.removeprefix("oh ")) if rest.strip() else 0, 0
    if half:
        if hour > 12:
            return None
        hour = hour % 12 + (12 if half.strip(" .").lower().startswith("p") else 0)
    return timedelta(hours=hour, minutes=minute, seconds=second)
