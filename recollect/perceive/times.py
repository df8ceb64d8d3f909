"""Times in running English text, resolved against the moment it was said.

The phrases are those of `model.phrases`, times of day those of `perceive.clocks`. Here they are found in sentences and
put together: a day and an hour, two ends of a stretch ("between May and July 2022"), a distance and where it is counted
from ("two weeks before Christmas"), and the word before that says how the time is meant ("since 2019").

What is found is meant for dating events, so a word that is a time only by chance is left out rather than guessed:
"may", "march", "second", a number of four digits before a plural. A phrase without a year means the last one there
was, unless its sentence speaks of the future.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from recollect.model.calendar import WEEKDAYS, Stretch, day_at, moved, number_of, unit_at, unit_named
from recollect.model.phrases import COUNT, TELLING, UNIT, Rule, rules_for, words_in
from recollect.model.readings import Match, Reading, year_in
from recollect.perceive.clocks import CLOCK_WORDS, Clock, clocks_in
from recollect.perceive.repeating import REPEATING_WORDS, repeating_in

Kind = Literal["point", "stretch", "repeating"]
Relation = Literal["in", "since", "after", "before", "until", "around", "between"]

_HINTS = TELLING | CLOCK_WORDS | REPEATING_WORDS
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'“])|\n+")
_FUTURE = re.compile(
    r"\b(?:will|won['’]t|shall|gonna|going to|plan(?:s|ning)?|tomorrow|upcoming|remind|schedule|let['’]s|book|want to|"
    r"hope to|would like|due|deadline|starting|soon|next|looking forward)\b|['’]ll\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were|did|had|went|been|ago|last|yesterday|happened|\w{3,}ed)\b", re.IGNORECASE)
_RELATIONS: dict[str, Relation] = {
    "since": "since", "starting": "since", "starting on": "since", "starting from": "since",
    "beginning": "since", "as of": "since", "ever since": "since", "after": "after", "later than": "after",
    "before": "before", "prior to": "before", "earlier than": "before", "until": "until",
    "till": "until", "up to": "until", "by": "until", "no later than": "until", "around": "around", "circa": "around",
}  # fmt: skip
_RELATION = re.compile(
    rf"\b({'|'.join(sorted(map(re.escape, _RELATIONS), key=len, reverse=True))})\s+(?:the\s+)?(?:year\s+)?$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\b(between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:-|–|—|~|to|until|till|through|thru|and)\s*(?:the\s+)?", re.IGNORECASE)
_TO_IN_WORDS = re.compile(r"\s*(?:-|–|—|~|to|until|till|through|thru)\s*(?:the\s+)?", re.IGNORECASE)
_TOGETHER = re.compile(
    r"\s*,?\s*(?:@|at|on|in|of|for|from|(?P<how>before|after|until|till))?\s*(?:the\s+)?", re.IGNORECASE
)
_DISTANCE = re.compile(
    (
        rf"(?<![\w-])(?:the |(?P<count>{COUNT}) )(?P<unit>{UNIT}) "
        r"(?P<way>before|after|from|following|prior to) (?:the )?$"
    ).replace(" ", r"\s+"),
    re.IGNORECASE,
)
_CLOCK_GRAINS = ("second", "minute", "hour", "part")
_POINTS = ("second", "minute", "hour", "day")
_BESIDE_CHARS = 16
_BEFORE_CHARS = 64
_SENTENCE_CHARS = 2_000  # a longer one is a table or a log, and is read in pieces
_LONG_TEXT_CHARS = 100_000  # beyond this nothing more is looked for: a text is a turn or a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A time that a text names, end exclusive; a moment is a stretch of no length.

    `relation` says how it is meant: "since 2019" names 2019, and `window` is what begins there. What repeats
    ("every Monday") has the window of its next turn. `grain` is how finely it was named.
    """

    start: datetime
    end: datetime
    surface: str
    span: tuple[int, int]
    grain: str
    kind: Kind
    relation: Relation = "in"

    @property
    def window(self) -> tuple[datetime | None, datetime | None]:
        """From when to when, None where it is open: "after 2019" begins with 2020, "until 2019" ends with it."""
        if self.relation == "since":
            return self.start, None
        if self.relation == "after":
            return self.end, None
        if self.relation == "before":
            return None, self.start
        if self.relation == "until":
            return None, self.end
        return self.start, self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A phrase at its place. `phrase` can be read again against another moment, None if it was put together."""

    begin: int
    end: int
    stretch: Stretch
    phrase: tuple[Rule, Match] | None = None
    fixed: bool = False  # cannot be another one than it says
    kind: Kind = "point"
    relation: Relation = "in"
    clock: Clock | None = None  # an hour without a day of its own

    def against(self, now: datetime, *, ahead: bool) -> _Found:
        if self.phrase is None or self.fixed:
            return self
        rule, match = self.phrase
        read = rule.read(match, Reading(now=now, ahead=ahead))
        return self if read is None else replace(self, stretch=read)


def times_in(text: str, reference: datetime) -> tuple[Mention, ...]:
    """Every time this text names, in the order of the text, in the zone of `reference`."""
    if words_in(text).isdisjoint(_HINTS):
        return ()
    reference = reference if reference.tzinfo else reference.replace(tzinfo=UTC)
    mentions: list[Mention] = []
    for offset, sentence in _sentences(text[:_LONG_TEXT_CHARS]):
        words = words_in(sentence)
        if not words.isdisjoint(_HINTS):
            with suppress(ValueError, OverflowError):  # beyond the years there are
                mentions += [_mention(found, sentence, offset) for found in _in_sentence(sentence, words, reference)]
    return tuple(mentions)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    begin = 0
    for end, following in [*(match.span() for match in _SENTENCE_END.finditer(text)), (len(text), 0)]:
        while end - begin > _SENTENCE_CHARS:
            cut = text.rfind(" ", begin + 1, begin + _SENTENCE_CHARS)
            cut = cut if cut > begin else begin + _SENTENCE_CHARS
            yield begin, text[begin:cut]
            begin = cut
        yield begin, text[begin:end]
        begin = following


def _mention(found: _Found, sentence: str, offset: int) -> Mention:
    start, end, grain = found.stretch
    if start == end and grain not in _CLOCK_GRAINS:
        start, end, _ = day_at(start)  # "two weeks ago" is a day, by its grain a vague one
    return Mention(
        start=start, end=end, surface=sentence[found.begin : found.end], grain=grain, kind=found.kind,
        span=(offset + found.begin, offset + found.end), relation=found.relation,
    )  # fmt: skip


def _in_sentence(sentence: str, words: frozenset[str], reference: datetime) -> list[_Found]:
    ahead = speaks_of_the_future(sentence)
    repeating = [
        _Found(begin=begin, end=end, stretch=_next_turn(sentence[begin:end], reference), kind="repeating")
        for begin, end in repeating_in(sentence, words)
    ]
    dates = _dates(sentence, words, Reading(now=reference, ahead=ahead, strict=True), repeating)
    found = _with_clocks(sentence, dates, clocks_in(sentence, words), reference, repeating)
    found = _ranges(sentence, found)
    found = [_counted_from(sentence, each) for each in found if not _discourse(sentence, each)]
    return sorted([*(_related(sentence, each) for each in found), *repeating], key=lambda each: each.begin)


def _next_turn(repeating: str, reference: datetime) -> Stretch:
    """The next of the weekday that repeats; what names none may happen today."""
    day = next((number for number, name in enumerate(WEEKDAYS) if name[:3] in repeating.lower()), reference.weekday())
    return day_at(reference + timedelta(days=(day - reference.weekday()) % 7))


def speaks_of_the_future(sentence: str) -> bool:
    """Whether it tells of what will be, and nothing in it tells of what was."""
    return bool(_FUTURE.search(sentence)) and not _PAST.search(sentence)


def _dates(sentence: str, words: frozenset[str], reading: Reading, taken: list[_Found]) -> list[_Found]:
    """What the rules find, the longest first where they overlap."""
    found: list[_Found] = []
    for rule in rules_for(words):
        for match in rule.compiled.finditer(sentence):
            try:
                stretch = rule.read(match, reading)
            except (ValueError, OverflowError):
                continue
            if stretch is not None:
                begin, end = match.span("it" if "it" in match.re.groupindex else 0)
                named = not rule.floats or year_in(match) is not None or bool(match.groupdict().get("which"))
                kind: Kind = "point" if stretch.grain in _POINTS else "stretch"
                found.append(
                    _Found(begin=begin, end=end, stretch=stretch, phrase=(rule, match), fixed=named, kind=kind)
                )
    kept: list[_Found] = []
    for each in sorted(found, key=lambda each: each.begin - each.end):
        if not any(each.begin < other.end and other.begin < each.end for other in (*kept, *taken)):
            kept.append(each)
    return sorted(kept, key=lambda each: each.begin)


def _with_clocks(
    sentence: str, dates: list[_Found], clocks: list[Clock], reference: datetime, taken: list[_Found]
) -> list[_Found]:
    """Days with the hours beside them. An hour alone is of the day the text was said, if it can stand alone."""
    found = list(dates)
    for clock in clocks:
        beside = next(((at, how) for at, day in enumerate(found) if (how := _beside(sentence, day, clock))), None)
        if beside is not None:
            at, how = beside
            found[at] = replace(
                found[at], begin=min(found[at].begin, clock.begin), end=max(found[at].end, clock.end), phrase=None,
                stretch=clock.on(found[at].stretch.start), kind=_kind_of(clock), relation=how,
            )  # fmt: skip
        elif clock.stands_alone and not any(clock.begin < o.end and o.begin < clock.end for o in (*found, *taken)):
            day = reference + timedelta(days=clock.days)
            stretch = clock.on(day)
            found.append(
                _Found(begin=clock.begin, end=clock.end, stretch=stretch, kind=_kind_of(clock), clock=clock, fixed=True)
            )
    return sorted(found, key=lambda each: each.begin)


def _kind_of(clock: Clock) -> Kind:
    return "point" if clock.from_time == clock.to_time else "stretch"


def _beside(sentence: str, day: _Found, clock: Clock) -> Relation | None:
    """How a time of day belongs to a day: next to it, or to a part of the day that it makes precise. None: not."""
    whole_day = day.stretch.grain == "day" and day.stretch.end - day.stretch.start == timedelta(days=1)
    if not whole_day and not (day.stretch.grain == "part" and clock.grain != "part"):
        return None
    if clock.begin < day.end and day.begin < clock.end:
        return None
    between = sentence[day.end : clock.begin] if day.end <= clock.begin else sentence[clock.end : day.begin]
    match = _TOGETHER.fullmatch(between) if len(between) < _BESIDE_CHARS else None
    return match and _RELATIONS.get((match["how"] or "").lower(), "in")


def _ranges(sentence: str, found: list[_Found]) -> list[_Found]:
    """Two times with "to" between them are one stretch; the end without a year takes that of the other."""
    out: list[_Found] = []
    for each in found:
        last = out[-1] if out else None
        if last is not None and (joined := _joined(sentence, last, each)):
            out[-1] = joined
        else:
            out.append(each)
    return out


def _joined(sentence: str, first: _Found, second: _Found) -> _Found | None:
    opening = _before(_BETWEEN, sentence, first)
    link = _TO if opening and opening[1].lower() == "between" else _TO_IN_WORDS
    link_text = sentence[first.end : second.begin]
    if first.relation == "between" or not link.fullmatch(link_text):
        return None
    if (first.clock is None) != (second.clock is None):
        first, second = _on_one_day(first, second)
    if (first.stretch.grain in _CLOCK_GRAINS) != (second.stretch.grain in _CLOCK_GRAINS) and "-" in link_text:
        return None  # a list with dashes
    if second.fixed and not first.fixed:
        first = first.against(second.stretch.start, ahead=False)
    elif not second.fixed:
        second = second.against(first.stretch.start, ahead=True)
    if second.stretch.end <= first.stretch.start:
        return None
    return _Found(
        begin=opening.start() if opening else first.begin, end=second.end, fixed=first.fixed or second.fixed,
        stretch=Stretch(first.stretch.start, second.stretch.end, second.stretch.grain), kind="stretch",
        relation="between",
    )  # fmt: skip


def _before(pattern: re.Pattern[str], sentence: str, found: _Found) -> Match | None:
    """What stands right before a time; a few words are looked at, or a long list of dates would take for ever."""
    return pattern.search(sentence, max(0, found.begin - _BEFORE_CHARS), found.begin)


def _on_one_day(first: _Found, second: _Found) -> tuple[_Found, _Found]:
    """ "11 am to 12:30 on 27 December": the hour without a day takes that of the other."""
    if first.clock is not None and second.stretch.grain in _CLOCK_GRAINS:
        return replace(first, stretch=first.clock.on(second.stretch.start)), second
    if second.clock is not None and first.stretch.grain in _CLOCK_GRAINS:
        return first, replace(second, stretch=second.clock.on(first.stretch.start))
    return first, second


def _counted_from(sentence: str, found: _Found) -> _Found:
    """ "Two weeks before Christmas" is a day, "the week after Christmas" a week."""
    match = _before(_DISTANCE, sentence, found)
    if match is None or found.relation == "between" or found.stretch.grain in _CLOCK_GRAINS:
        return found
    unit = unit_named(match["unit"])
    count = number_of(match["count"].strip()) if match["count"] else 1
    there = moved(found.stretch.start, unit, -count if match["way"].lower() in ("before", "prior to") else count)
    stretch = day_at(there)._replace(grain=unit) if match["count"] else unit_at(there, unit)
    return replace(found, begin=match.start(), stretch=stretch, phrase=None)


def _discourse(sentence: str, found: _Found) -> bool:
    """A bare "now" opens sentences and fills them; it is a time where something reaches to it."""
    return found.phrase is not None and sentence[found.begin : found.end].lower() == "now"


def _related(sentence: str, found: _Found) -> _Found:
    match = _before(_RELATION, sentence, found)
    if match is None or found.relation != "in":
        return found
    return replace(found, begin=match.start(), relation=_RELATIONS[" ".join(match[1].lower().split())])
