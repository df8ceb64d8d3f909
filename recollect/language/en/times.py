"""Times in running English text, resolved against the moment it was said.

The phrases are those of `en.phrases`, times of day those of `en.clocks`. Here they are found in sentences and put
together: a day and an hour, two ends of a stretch ("between May and July 2022"), a distance and where it is counted
from ("two weeks before Christmas"), and the word before that says how the time is meant ("since 2019").

What is found is meant for dating events, so a word that is a time only by chance is left out rather than guessed:
"may", "march", "second", a number of four digits before a plural. A phrase without a year means the last one there
was where its clause tells of the past, and the next one where it tells of what is to come (`language.en.tense`).
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from recollect.language.en.calendar import WEEKDAYS, Stretch, day_at
from recollect.language.en.clocks import CLOCK_WORDS, clocks_in
from recollect.language.en.found import CLOCK_GRAINS, Found, Kind, Relation
from recollect.language.en.joining import counted_from, lasting, ranges, related, with_clocks
from recollect.language.en.phrases import TELLING, rules_for, words_in
from recollect.language.en.readings import Reading, year_in
from recollect.language.en.repeating import REPEATING_WORDS, repeating_in
from recollect.language.en.tense import Tense
from recollect.language.sentences import each_sentence

__all__ = ["Mention", "Relation", "times_in"]

_HINTS = TELLING | CLOCK_WORDS | REPEATING_WORDS
_SAID_LAST = re.compile(r"\s*(?:$|[.!?])")
_POINTS = ("second", "minute", "hour", "day")


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


def times_in(text: str, reference: datetime) -> tuple[Mention, ...]:
    """Every time this text names, in the order of the text, in the zone of `reference`."""
    if words_in(text).isdisjoint(_HINTS):
        return ()
    reference = reference if reference.tzinfo else reference.replace(tzinfo=UTC)
    mentions: list[Mention] = []
    for each in each_sentence(text):
        sentence, offset = each.text, each.span[0]
        words = words_in(sentence)
        if not words.isdisjoint(_HINTS):
            with suppress(ValueError, OverflowError):  # beyond the years there are
                mentions += [_mention(found, sentence, offset) for found in _in_sentence(sentence, words, reference)]
    return tuple(mentions)


def _mention(found: Found, sentence: str, offset: int) -> Mention:
    start, end, grain = found.stretch
    if start == end and grain not in CLOCK_GRAINS:
        start, end, _ = day_at(start)  # "two weeks ago" is a day, by its grain a vague one
    return Mention(
        start=start,
        end=end,
        surface=sentence[found.begin : found.end],
        grain=grain,
        kind=found.kind,
        span=(offset + found.begin, offset + found.end),
        relation=found.relation,
    )


def _in_sentence(sentence: str, words: frozenset[str], reference: datetime) -> list[Found]:
    tense = Tense(sentence)
    repeating = [
        Found(begin=begin, end=end, stretch=_next_turn(sentence[begin:end], reference), kind="repeating")
        for begin, end in repeating_in(sentence, words)
    ]
    dates = _dates(sentence, words, reference, tense, repeating)
    found = ranges(
        sentence, with_clocks(sentence, dates, clocks_in(sentence, words), reference, tense, repeating), reference
    )
    found = [counted_from(sentence, each) for each in found if not _discourse(sentence, each, tense)]
    found = [related(sentence, lasting(sentence, each)) for each in found]
    return sorted([*found, *repeating], key=lambda each: each.begin)


def _next_turn(repeating: str, reference: datetime) -> Stretch:
    """The next of the weekday that repeats; what names none may happen today."""
    day = next((number for number, name in enumerate(WEEKDAYS) if name[:3] in repeating.lower()), reference.weekday())
    return day_at(reference + timedelta(days=(day - reference.weekday()) % 7))


def _dates(sentence: str, words: frozenset[str], now: datetime, tense: Tense, taken: list[Found]) -> list[Found]:
    """What the rules find, the longest first where they overlap."""
    found: list[Found] = []
    for rule in rules_for(words):
        for match in rule.compiled.finditer(sentence):
            begin, end = match.span("it" if "it" in match.re.groupindex else 0)
            try:
                stretch = rule.read(match, _reading(now, tense.at(begin)))
            except (ValueError, OverflowError):
                continue
            if stretch is not None:
                named = not rule.floats or year_in(match) is not None or bool(match.groupdict().get("which"))
                kind: Kind = "point" if stretch.grain in _POINTS else "stretch"
                if not named and tense.at(begin) == "habit":
                    kind = "repeating"
                found.append(Found(begin=begin, end=end, stretch=stretch, phrase=(rule, match), fixed=named, kind=kind))
    kept: list[Found] = []
    for each in sorted(found, key=lambda each: each.begin - each.end):
        if not any(each.overlaps(other.begin, other.end) for other in (*kept, *taken)):
            kept.append(each)
    return sorted(kept, key=lambda each: each.begin)


def _reading(now: datetime, says: str) -> Reading:
    return Reading(now=now, ahead=says != "past", planned=says == "planned", possible=says == "possible", strict=True)


def _discourse(sentence: str, found: Found, tense: Tense) -> bool:
    """A bare "now" opens sentences and fills them; it is a time where it says when something will be done."""
    if found.phrase is None or sentence[found.begin : found.end].lower() != "now":
        return False
    doing = found.begin > 0 and tense.wills(found.begin) and _SAID_LAST.match(sentence, found.end)
    return not doing or sentence[: found.begin].rstrip().endswith("for")
