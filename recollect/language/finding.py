"""Times in running text, resolved against the moment it was said: the part that is the same in every language.

A language gives a `TimeGrammar`: the phrases that name a piece of the calendar, times of day, what repeats, tense and
the words that join times. Here they are looked for in sentences and put together: a day and an hour, two ends of a
stretch ("between May and July 2022"), a distance and where it is counted from ("two weeks before Christmas"), and the
word before that says how the time is meant ("since 2019").

What is found is meant for dating events, so a word that is a time only by chance is left out rather than guessed:
"may", "march", "second", a number of four digits before a plural. A phrase without a year means the last one there
was where its clause tells of the past, and the next one where it tells of what is to come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from recollect.language.calendar import Stretch, day_at
from recollect.language.found import CLOCK_GRAINS, ClockTime, FoundTime, Kind, Relation
from recollect.language.joining import Joins, TenseOfTimes, counted_from, lasting, ranges, related, with_clocks
from recollect.language.resolving import CalendarReading
from recollect.language.rules import Match, PhraseRule
from recollect.language.sentences import Sentence

_POINTS = ("second", "minute", "hour", "day")
_YEAR_GROUPS = ("year", "year_beside", "year_short")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMention:
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
class TimeGrammar:
    """How a language names times.

    `words_in` gives the words of a text as rules ask for them; a text with none of the `hints` names no time.
    `is_filler` says of a found phrase that it fills the sentence and names no time ("now" at its beginning).
    """

    hints: frozenset[str]
    words_in: Callable[[str], frozenset[str]]
    sentences: Callable[[str], Iterable[Sentence]]
    rules_for: Callable[[frozenset[str]], list[PhraseRule]]
    clocks_in: Callable[[str, frozenset[str]], list[ClockTime]]
    repeating_in: Callable[[str, frozenset[str]], list[tuple[int, int]]]
    weekday_in: Callable[[str], int | None]
    tense_of: Callable[[str], TenseOfTimes]
    is_filler: Callable[[str, FoundTime, TenseOfTimes], bool]
    joins: Joins


def find_times(text: str, reference: datetime, grammar: TimeGrammar) -> tuple[TimeMention, ...]:
    """Every time this text names, in the order of the text, in the zone of `reference`."""
    if grammar.words_in(text).isdisjoint(grammar.hints):
        return ()
    reference = reference if reference.tzinfo else reference.replace(tzinfo=UTC)
    mentions: list[TimeMention] = []
    for each in grammar.sentences(text):
        sentence, offset = each.text, each.span[0]
        words = grammar.words_in(sentence)
        if not words.isdisjoint(grammar.hints):
            with suppress(ValueError, OverflowError):  # beyond the years there are
                found_here = _in_sentence(sentence, words, reference, grammar)
                mentions += [_mention(found, sentence, offset) for found in found_here]
    return tuple(mentions)


def _mention(found: FoundTime, sentence: str, offset: int) -> TimeMention:
    start, end, grain = found.stretch
    if start == end and grain not in CLOCK_GRAINS:
        start, end, _ = day_at(start)  # "two weeks ago" is a day, by its grain a vague one
    return TimeMention(
        start=start,
        end=end,
        surface=sentence[found.begin : found.end],
        grain=grain,
        kind=found.kind,
        span=(offset + found.begin, offset + found.end),
        relation=found.relation,
    )


def _in_sentence(sentence: str, words: frozenset[str], reference: datetime, grammar: TimeGrammar) -> list[FoundTime]:
    tense, joins = grammar.tense_of(sentence), grammar.joins
    repeating = [
        FoundTime(
            begin=begin,
            end=end,
            stretch=_next_turn(grammar.weekday_in(sentence[begin:end]), reference),
            kind="repeating",
        )
        for begin, end in grammar.repeating_in(sentence, words)
    ]
    dates = _dates(sentence, grammar.rules_for(words), reference, tense, repeating)
    clocks = grammar.clocks_in(sentence, words)
    found = ranges(sentence, with_clocks(sentence, dates, clocks, reference, tense, repeating, joins), reference, joins)
    found = [counted_from(sentence, each, joins) for each in found if not grammar.is_filler(sentence, each, tense)]
    found = [related(sentence, lasting(sentence, each, joins), joins) for each in found]
    return sorted([*found, *repeating], key=lambda each: each.begin)


def _next_turn(weekday: int | None, reference: datetime) -> Stretch:
    """The next of the weekday that repeats; what names none may happen today."""
    day = reference.weekday() if weekday is None else weekday
    return day_at(reference + timedelta(days=(day - reference.weekday()) % 7))


def _dates(
    sentence: str, rules: list[PhraseRule], now: datetime, tense: TenseOfTimes, taken: list[FoundTime]
) -> list[FoundTime]:
    """What the rules find, the longest first where they overlap."""
    found: list[FoundTime] = []
    for rule in rules:
        for match in rule.compiled.finditer(sentence):
            begin, end = match.span("it" if "it" in match.re.groupindex else 0)
            try:
                stretch = rule.read(match, _reading(now, tense.at(begin)))
            except (ValueError, OverflowError):
                continue
            if stretch is not None:
                named = not rule.floats or _names_year(match) or bool(match.groupdict().get("which"))
                kind: Kind = "point" if stretch.grain in _POINTS else "stretch"
                if not named and tense.at(begin) == "habit":
                    kind = "repeating"
                found.append(
                    FoundTime(begin=begin, end=end, stretch=stretch, phrase=(rule, match), fixed=named, kind=kind)
                )
    kept: list[FoundTime] = []
    for each in sorted(found, key=lambda each: each.begin - each.end):
        if not any(each.overlaps(other.begin, other.end) for other in (*kept, *taken)):
            kept.append(each)
    return sorted(kept, key=lambda each: each.begin)


def _names_year(match: Match) -> bool:
    groups = match.groupdict()
    return any(groups.get(name) for name in _YEAR_GROUPS)


def _reading(now: datetime, says: str) -> CalendarReading:
    return CalendarReading(
        now=now, ahead=says != "past", planned=says == "planned", possible=says == "possible", strict=True
    )
