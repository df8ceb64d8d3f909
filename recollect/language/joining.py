"""How times that stand together are one: a day and its hour, two ends, a distance and where it is counted from.

In no language: which words join two times is in the `Joins` of a language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, Protocol

from recollect.language.calendar import Stretch, day_at, moved, unit_at
from recollect.language.found import CLOCK_GRAINS, ClockTime, FoundTime, Kind, Relation, usual
from recollect.language.resolving import Amount
from recollect.language.rules import Match

Says = Literal["past", "possible", "arranged", "planned", "habit"]
_BESIDE_CHARS = 16
_BEFORE_CHARS = 64
_APART_CHARS = 48
_CLAUSE_MARK = re.compile(r"[,;:.!?()–—]|\s-\s")


class TenseOfTimes(Protocol):
    """What a sentence says of the times it names: whether they are over, planned, possible or a habit."""

    def at(self, place: int) -> Says: ...

    def ahead(self, place: int) -> bool: ...

    def wills(self, place: int) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Joins:
    """The words of a language that join times.

    `between` has a group `and`, which is empty where the ends are joined by "to" alone; `distance` has the groups
    `than`, `unit`, `amount` and `way`; `lasting` and `beginning` have `amount`; `together` has `how`. Patterns with
    amounts are large, so they are made when a text with a time comes.
    """

    relations: Mapping[str, Relation]  # before a time
    relation: re.Pattern[str]
    tails: Mapping[str, Relation]  # behind a time
    tail: re.Pattern[str]
    between: re.Pattern[str]
    to: re.Pattern[str]
    and_or_to: re.Pattern[str]
    together: re.Pattern[str]
    end_of: re.Pattern[str]
    starting: re.Pattern[str]
    distance: Callable[[], re.Pattern[str]]
    lasting: Callable[[], re.Pattern[str]]
    beginning: Callable[[], re.Pattern[str]]
    backward: frozenset[str]  # ways of a distance that count back
    more: frozenset[str]
    amount_of: Callable[[str], Amount]
    unit_named: Callable[[str], str]
    apart: bool = False  # whether the verb stands between a day and its hour: "gestern bin ich um acht …"


def before(pattern: re.Pattern[str], sentence: str, found: FoundTime) -> Match | None:
    """What stands right before a time; a few words are looked at, or a long list of dates would take for ever."""
    return pattern.search(sentence, max(0, found.begin - _BEFORE_CHARS), found.begin)


# --- days and hours -------------------------------------------------------------------------------------------------


def with_clocks(
    sentence: str,
    dates: list[FoundTime],
    clocks: list[ClockTime],
    reference: datetime,
    tense: TenseOfTimes,
    taken: list[FoundTime],
    joins: Joins,
) -> list[FoundTime]:
    """Days with the hours beside them. An hour alone is of the day the text was said, if it can stand alone."""
    found = list(dates)
    for clock in sorted(clocks, key=lambda clock: not clock.is_part):  # "five-thirty tomorrow evening"
        if any(each.overlaps(clock.begin, clock.end) for each in (*found, *taken)):
            continue
        beside = [
            (bool(how != "in"), at, how)
            for at, day in enumerate(found)
            if (how := _beside(sentence, day, clock, joins))
        ]
        if beside:
            _, at, how = min(beside)
            found[at] = _on(found[at], clock, how)
        elif joins.apart and (day := _only_day(sentence, found, clock)):
            found[found.index(day)] = replace(_on(day, clock, "in"), begin=day.begin, end=day.end)
        elif clock.stands == "alone" or (clock.stands == "ahead" and tense.ahead(clock.begin)):
            found.append(_standing(usual(clock), reference, ahead=tense.ahead(clock.begin)))
    return sorted(found, key=lambda each: each.begin)


def _only_day(sentence: str, found: list[FoundTime], clock: ClockTime) -> FoundTime | None:
    """The one day that a clause names, where an hour stands further on in the same clause."""
    days = [each for each in found if each.is_day]
    if len(days) != 1 or clock.is_part or days[0].end > clock.begin:
        return None
    between = sentence[days[0].end : clock.begin]
    return None if len(between) > _APART_CHARS or _CLAUSE_MARK.search(between) else days[0]


def _on(day: FoundTime, clock: ClockTime, how: Relation) -> FoundTime:
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


def _standing(clock: ClockTime, reference: datetime, *, ahead: bool) -> FoundTime:
    """On the day of the text; where that hour is over and the sentence speaks of the future, on the next."""
    stretch = clock.on(reference + timedelta(days=clock.days))
    if ahead and clock.days == 0 and max(stretch.end, stretch.start) < reference:
        stretch = clock.on(reference + timedelta(days=1))
    return FoundTime(begin=clock.begin, end=clock.end, stretch=stretch, kind=_kind_of(clock), clock=clock, fixed=True)


def _kind_of(clock: ClockTime) -> Kind:
    return "point" if clock.from_time == clock.to_time else "stretch"


def _beside(sentence: str, day: FoundTime, clock: ClockTime, joins: Joins) -> Relation | None:
    """How a time of day belongs to a day: next to it, or to a part of the day that it makes precise. None: not."""
    if not day.is_day and not (day.stretch.grain == "part" and not clock.is_part):
        return None
    between = sentence[day.end : clock.begin] if day.end <= clock.begin else sentence[clock.end : day.begin]
    match = joins.together.fullmatch(between) if len(between) < _BESIDE_CHARS else None
    if match is None or (match["how"] and clock.begin < day.begin):
        return None  # "2pm till tomorrow" are two ends
    return joins.relations.get((match["how"] or "").lower(), "in")


# --- both ends ------------------------------------------------------------------------------------------------------


def ranges(sentence: str, found: list[FoundTime], now: datetime, joins: Joins) -> list[FoundTime]:
    """Two times with "to" between them are one stretch; the end without a year takes that of the other."""
    out: list[FoundTime] = []
    for each in found:
        last = out[-1] if out else None
        if last is not None and (joined := _joined(sentence, last, each, now, joins)):
            out[-1] = joined
        else:
            out.append(each)
    return out


def _joined(sentence: str, first: FoundTime, second: FoundTime, now: datetime, joins: Joins) -> FoundTime | None:
    opening = before(joins.between, sentence, first)
    link = joins.and_or_to if opening and opening["and"] else joins.to
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
    return FoundTime(
        begin=opening.start() if opening else first.begin,
        end=second.end,
        fixed=first.fixed or second.fixed,
        stretch=Stretch(first.stretch.start, second.stretch.end, second.stretch.grain),
        kind="stretch",
        relation="between",
    )


def _not_over(first: FoundTime, second: FoundTime, now: datetime) -> tuple[FoundTime, FoundTime] | None:
    """ "Between May and September", said in July of what will be: the one that has begun and is not over yet."""
    if first.fixed or first.stretch.start <= now:
        return None
    begun = first.against(now, ahead=False)
    end = second.against(begun.stretch.start, ahead=True)
    return (begun, end) if begun.stretch.start <= now < end.stretch.end else None


def _on_one_day(first: FoundTime, second: FoundTime, now: datetime) -> tuple[FoundTime, FoundTime]:
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


def counted_from(sentence: str, found: FoundTime, joins: Joins) -> FoundTime:
    """ "Two weeks before Christmas" is a day, "the week after Christmas" a week, "more than two weeks" is open."""
    match = before(joins.distance(), sentence, found)
    if match is None or found.relation == "between" or found.stretch.grain in CLOCK_GRAINS:
        return found
    sign = -1 if match["way"].lower() in joins.backward else 1
    if match["unit"]:
        unit = joins.unit_named(match["unit"])
        stretch = unit_at(moved(found.stretch.start, unit, sign), unit)
        return replace(found, begin=match.start(), stretch=stretch, phrase=None)
    amount = joins.amount_of(match["amount"])
    there = amount.later(found.stretch.start, sign)
    counted = replace(found, begin=match.start(), stretch=day_at(there)._replace(grain=amount.grain), phrase=None)
    if not match["than"]:
        return counted
    if match["than"].lower() in joins.more:
        return replace(counted, relation="before" if sign < 0 else "since")
    first, last = sorted([there, found.stretch.start])
    return replace(counted, stretch=Stretch(first, last, amount.grain), relation="between", kind="stretch")


def lasting(sentence: str, found: FoundTime, joins: Joins) -> FoundTime:
    """ "From 9:30 for 7 hours", "two weeks starting on 20 May": the beginning of a stretch, and how long it is."""
    if found.kind != "point" or found.relation != "in":
        return found
    start = found.stretch.start
    if match := before(joins.beginning(), sentence, found):
        begin, end = match.start(), found.end
    elif (match := joins.lasting().match(sentence, found.end)) and (
        found.stretch.grain in CLOCK_GRAINS or before(joins.starting, sentence, found)
    ):
        begin, end = found.begin, match.end()
    else:
        return found
    amount = joins.amount_of(match["amount"])
    grain = found.stretch.grain if found.stretch.grain in CLOCK_GRAINS else "day"
    stretch = Stretch(start, amount.later(start), grain)
    return replace(found, begin=begin, end=end, stretch=stretch, kind="stretch", relation="between", phrase=None)


def related(sentence: str, found: FoundTime, joins: Joins) -> FoundTime:
    """The word before a time, or behind it, says how it is meant: "since 2019", "2019 or later"."""
    if found.relation != "in":
        return found
    if match := before(joins.relation, sentence, found):
        relation = joins.relations[" ".join(match[1].lower().split())]
        if relation == "before" and joins.end_of.match(sentence, found.begin):
            relation = "until"  # what is before the end of March is in it
        return replace(found, begin=match.start(), relation=relation)
    if match := joins.tail.match(sentence, found.end):
        return replace(found, end=match.end(), relation=joins.tails[" ".join(match[1].lower().split())])
    return found
