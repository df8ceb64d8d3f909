"""How times that stand together are one: a day and its hour, two ends, a distance and where it is counted from."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from recollect.language.en.amounts import AMOUNT, UNIT, amount_of
from recollect.language.en.calendar import Stretch, day_at, moved, unit_at, unit_named
from recollect.language.en.clocks import Clock, usual
from recollect.language.en.found import CLOCK_GRAINS, Found, Kind, Relation
from recollect.language.en.readings import Match
from recollect.language.en.tense import Tense
from recollect.language.expression import expression

_RELATIONS: dict[str, Relation] = {
    "since": "since",
    "ever since": "since",
    "starting": "since",
    "starting on": "since",
    "starting from": "since",
    "beginning": "since",
    "beginning on": "since",
    "as of": "since",
    "as early as": "since",
    "no earlier than": "since",
    "as far back as": "since",
    "not before": "since",
    "on or after": "since",
    "after": "after",
    "later than": "after",
    "before": "before",
    "prior to": "before",
    "earlier than": "before",
    "until": "until",
    "till": "until",
    "up to": "until",
    "up until": "until",
    "by": "until",
    "as late as": "until",
    "no later than": "until",
    "on or before": "until",
    "around": "around",
    "circa": "around",
}
_RELATION = expression(
    rf"\b({'|'.join(sorted(map(re.escape, _RELATIONS), key=len, reverse=True))})\s+(?:the\s+)?(?:year\s+)?$",
    re.IGNORECASE,
)
_TAILS: dict[str, Relation] = {
    "onward": "since",
    "onwards": "since",
    "or later": "since",
    "or after": "since",
    "and later": "since",
    "or before": "until",
    "or earlier": "until",
    "and earlier": "until",
}
_TAIL = expression(
    rf"\s*+,?\s*+({'|'.join(sorted(_TAILS, key=len, reverse=True))})\b(?!\s+(?:in|this|that|on|at|today)\b)",
    re.IGNORECASE,
)
_BETWEEN = expression(r"\b(between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_TO = expression(r"\s*(?:-|–|—|~|to|until|till|through|thru|and)\s*(?:the\s+)?", re.IGNORECASE)
_TO_IN_WORDS = expression(r"\s*(?:-|–|—|~|to|until|till|through|thru)\s*(?:the\s+)?", re.IGNORECASE)
_TOGETHER = expression(
    r"\s*+[,-]?\s*+(?:@|at|on|in|of|for|from|(?P<how>before|after|until|till|by|since))?\s*+(?:the\s+)?", re.IGNORECASE
)
_ENDS = expression(r"(?:the\s+)?end\s+of\b", re.IGNORECASE)
_FROM = expression(r"\b(?:from|starting|beginning)\s+(?:on\s+)?(?:the\s+)?$", re.IGNORECASE)
_BESIDE_CHARS = 16
_BEFORE_CHARS = 64


# Amounts make large patterns: compiled when a text with a time comes, not when somebody opens a memory.
@cache
def _distance() -> re.Pattern[str]:
    return re.compile(
        (
            rf"(?<![\w-])(?:(?P<than>more|less) than )?(?:the (?P<unit>{UNIT})|(?P<amount>{AMOUNT})) "
            r"(?P<way>before|after|from|following|prior to) (?:the )?$"
        ).replace(" ", r"\s+"),
        re.IGNORECASE,
    )


@cache
def _lasting() -> re.Pattern[str]:
    return re.compile(rf"(?:,? for (?P<amount>{AMOUNT}))(?!\w)".replace(" ", r"\s+"), re.IGNORECASE)


@cache
def _beginning() -> re.Pattern[str]:
    pattern = rf"(?<![\w-])(?P<amount>{AMOUNT}),? (?:starting|beginning|commencing)(?: on| from| at)? $"
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


def before(pattern: re.Pattern[str], sentence: str, found: Found) -> Match | None:
    """What stands right before a time; a few words are looked at, or a long list of dates would take for ever."""
    return pattern.search(sentence, max(0, found.begin - _BEFORE_CHARS), found.begin)


# --- days and hours -------------------------------------------------------------------------------------------------


def with_clocks(
    sentence: str, dates: list[Found], clocks: list[Clock], reference: datetime, tense: Tense, taken: list[Found]
) -> list[Found]:
    """Days with the hours beside them. An hour alone is of the day the text was said, if it can stand alone."""
    found = list(dates)
    for clock in sorted(clocks, key=lambda clock: not clock.is_part):  # "five-thirty tomorrow evening"
        if any(each.overlaps(clock.begin, clock.end) for each in (*found, *taken)):
            continue
        beside = [
            (bool(how != "in"), at, how) for at, day in enumerate(found) if (how := _beside(sentence, day, clock))
        ]
        if beside:
            _, at, how = min(beside)
            found[at] = _on(found[at], clock, how)
        elif clock.stands == "alone" or (clock.stands == "ahead" and tense.ahead(clock.begin)):
            found.append(_standing(usual(clock), reference, ahead=tense.ahead(clock.begin)))
    return sorted(found, key=lambda each: each.begin)


def _on(day: Found, clock: Clock, how: Relation) -> Found:
    clock = clock.within(day.stretch.start.hour) if day.stretch.grain == "part" else usual(clock)
    return replace(
        day,
        begin=min(day.begin, clock.begin),
        end=max(day.end, clock.end),
        phrase=None,
        kind=_kind_of(clock),
        stretch=clock.on(day.stretch.start),
        relation=how,
        day_first=day.begin < clock.begin,
    )


def _standing(clock: Clock, reference: datetime, *, ahead: bool) -> Found:
    """On the day of the text; where that hour is over and the sentence speaks of the future, on the next."""
    stretch = clock.on(reference + timedelta(days=clock.days))
    if ahead and clock.days == 0 and max(stretch.end, stretch.start) < reference:
        stretch = clock.on(reference + timedelta(days=1))
    return Found(begin=clock.begin, end=clock.end, stretch=stretch, kind=_kind_of(clock), clock=clock, fixed=True)


def _kind_of(clock: Clock) -> Kind:
    return "point" if clock.from_time == clock.to_time else "stretch"


def _beside(sentence: str, day: Found, clock: Clock) -> Relation | None:
    """How a time of day belongs to a day: next to it, or to a part of the day that it makes precise. None: not."""
    if not day.is_day and not (day.stretch.grain == "part" and not clock.is_part):
        return None
    between = sentence[day.end : clock.begin] if day.end <= clock.begin else sentence[clock.end : day.begin]
    match = _TOGETHER.fullmatch(between) if len(between) < _BESIDE_CHARS else None
    if match is None or (match["how"] and clock.begin < day.begin):
        return None  # "2pm till tomorrow" are two ends
    return _RELATIONS.get((match["how"] or "").lower(), "in")


# --- both ends ------------------------------------------------------------------------------------------------------


def ranges(sentence: str, found: list[Found], now: datetime) -> list[Found]:
    """Two times with "to" between them are one stretch; the end without a year takes that of the other."""
    out: list[Found] = []
    for each in found:
        last = out[-1] if out else None
        if last is not None and (joined := _joined(sentence, last, each, now)):
            out[-1] = joined
        else:
            out.append(each)
    return out


def _joined(sentence: str, first: Found, second: Found, now: datetime) -> Found | None:
    opening = before(_BETWEEN, sentence, first)
    link = _TO if opening and opening[1].lower() == "between" else _TO_IN_WORDS
    link_text = sentence[first.end : second.begin]
    if first.relation == "between" or not link.fullmatch(link_text):
        return None
    first, second = _on_one_day(first, second, now)
    if (first.stretch.grain in CLOCK_GRAINS) != (second.stretch.grain in CLOCK_GRAINS) and "-" in link_text:
        return None  # a list with dashes
    if second.fixed and not first.fixed:
        first = first.against(second.stretch.start, ahead=False)
    elif not second.fixed:
        first, second = _not_over(first, second, now) or (first, second.against(first.stretch.start, ahead=True))
    if second.stretch.end <= first.stretch.start:
        return None
    return Found(
        begin=opening.start() if opening else first.begin,
        end=second.end,
        fixed=first.fixed or second.fixed,
        stretch=Stretch(first.stretch.start, second.stretch.end, second.stretch.grain),
        kind="stretch",
        relation="between",
    )


def _not_over(first: Found, second: Found, now: datetime) -> tuple[Found, Found] | None:
    """ "Between May and September", said in July of what will be: the one that has begun and is not over yet."""
    if first.fixed or first.stretch.start <= now:
        return None
    begun = first.against(now, ahead=False)
    end = second.against(begun.stretch.start, ahead=True)
    return (begun, end) if begun.stretch.start <= now < end.stretch.end else None


def _on_one_day(first: Found, second: Found, now: datetime) -> tuple[Found, Found]:
    """ "11 am to 12:30 on 27 December": the hour without a day takes that of the other.

    In "2pm till tomorrow at noon" the first is of today, in "now and eight" the second is the eight to come.
    """
    grains = first.stretch.grain in CLOCK_GRAINS, second.stretch.grain in CLOCK_GRAINS
    if first.clock is not None and second.clock is None and grains[1] and second.phrase is None:
        first = replace(first, stretch=first.clock.on(now if second.day_first else second.stretch.start))
    elif second.clock is not None and grains[0]:
        clock, day = second.clock, first.stretch.start
        stretch = clock.on(day)
        second = replace(second, stretch=stretch if stretch.end > day else clock.within(12).on(day))
    return first, second


# --- distances ------------------------------------------------------------------------------------------------------


def counted_from(sentence: str, found: Found) -> Found:
    """ "Two weeks before Christmas" is a day, "the week after Christmas" a week, "more than two weeks" is open."""
    match = before(_distance(), sentence, found)
    if match is None or found.relation == "between" or found.stretch.grain in CLOCK_GRAINS:
        return found
    sign = -1 if match["way"].lower() in ("before", "prior to") else 1
    if match["unit"]:
        unit = unit_named(match["unit"])
        stretch = unit_at(moved(found.stretch.start, unit, sign), unit)
        return replace(found, begin=match.start(), stretch=stretch, phrase=None)
    amount = amount_of(match["amount"])
    there = amount.later(found.stretch.start, sign)
    counted = replace(found, begin=match.start(), stretch=day_at(there)._replace(grain=amount.grain), phrase=None)
    if not match["than"]:
        return counted
    if match["than"].lower() == "more":
        return replace(counted, relation="before" if sign < 0 else "since")
    first, last = sorted([there, found.stretch.start])
    return replace(counted, stretch=Stretch(first, last, amount.grain), relation="between", kind="stretch")


def lasting(sentence: str, found: Found) -> Found:
    """ "From 9:30 for 7 hours", "two weeks starting on 20 May": the beginning of a stretch, and how long it is."""
    if found.kind != "point" or found.relation != "in":
        return found
    start = found.stretch.start
    if match := before(_beginning(), sentence, found):
        begin, end = match.start(), found.end
    elif (match := _lasting().match(sentence, found.end)) and (
        found.stretch.grain in CLOCK_GRAINS or before(_FROM, sentence, found)
    ):
        begin, end = found.begin, match.end()
    else:
        return found
    amount = amount_of(match["amount"])
    grain = found.stretch.grain if found.stretch.grain in CLOCK_GRAINS else "day"
    stretch = Stretch(start, amount.later(start), grain)
    return replace(found, begin=begin, end=end, stretch=stretch, kind="stretch", relation="between", phrase=None)


def related(sentence: str, found: Found) -> Found:
    """The word before a time, or behind it, says how it is meant: "since 2019", "2019 or later"."""
    if found.relation != "in":
        return found
    if match := before(_RELATION, sentence, found):
        relation = _RELATIONS[" ".join(match[1].lower().split())]
        if relation == "before" and _ENDS.match(sentence, found.begin):
            relation = "until"  # what is before the end of March is in it
        return replace(found, begin=match.start(), relation=relation)
    if match := _TAIL.match(sentence, found.end):
        return replace(found, end=match.end(), relation=_TAILS[" ".join(match[1].lower().split())])
    return found
