"""Time expressions of the `datetime` set: how many are resolved to a right value, by kind.

An expression counts as right when a time that overlaps it in the sentence has one of the values the set gives for it.
Where the set and Recollect mean the same and write it differently, it is right, too:

- The set ends "from May to September" with the first of September; Recollect's stretch holds all of September, so its
  end is the end of the unit that begins where the set's ends. The same is so for "after the 15th" and "until the 15th".
  `ranges, to the letter` leaves this out.
- When an evening begins is convention: a part of a day is compared by its day.

Durations ("for three hours") name no time and are not looked for. Expressions that the set does not resolve are left
out. The baseline gets one date for each expression, so of a range either end will do.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, NamedTuple

from bench.quality.figures import Figure, share
from bench.quality.sets import lines_of
from recollect.language.calendar import unit_at
from recollect.language.en.times import times_in
from recollect.language.finding import TimeMention

FILE = "datetime/datetime_en_dev.jsonl.gz"
_KINDS = {
    "date": "dates and date-times",
    "datetime": "dates and date-times",
    "daterange": "ranges",
    "datetimerange": "ranges of hours",
    "time": "times of day",
    "timerange": "parts of a day",
    "set": "repeating",
}
_LENGTHS = ("day", "week", "weekend", "month", "quarter", "year", "decade")
_FORMS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d", "%H:%M:%S")


class Expression(NamedTuple):
    """What the set says about a piece of a sentence."""

    kind: str
    begin: int
    end: int
    values: Sequence[dict[str, str]]

    def overlaps(self, begin: int, end: int) -> bool:
        return begin < self.end and self.begin < end


Finder = Callable[[str, datetime], list[tuple[int, int, Any]]]  # where, and what was found there
Right = Callable[[Any, Expression], bool]


def measure(baselines: bool) -> list[Figure]:
    rows = [row for row in lines_of(FILE) if row["reference"]]
    own, letter = _tally(rows, _own, is_right), _tally(rows, _own, _to_the_letter)
    search = _dateparser() if baselines else None
    other = _tally(rows, search, _is_date) if search is not None else None
    figures = [
        Figure(
            name=name, value=own.share(name), baseline=other.share(name) if other else None, note=f"{own.every[name]}"
        )
        for name in dict.fromkeys(_KINDS.values())
    ]
    figures += [
        Figure(name="ranges, to the letter", value=letter.share("ranges"), note=f"{letter.every['ranges']}"),
        Figure(
            name="silent where there is none",
            value=own.silence,
            baseline=other.silence if other else None,
            note=f"{own.silent} sentences that name none",
        ),
        Figure(name="µs a sentence", value=_microseconds(rows), note=f"{len(rows)} sentences"),
    ]
    if baselines and other is None:
        figures.append(Figure(name="dateparser", value=None, note="not installed: no baseline"))
    return figures


def _own(text: str, at: datetime) -> list[tuple[int, int, Any]]:
    return [(*found.span, found) for found in times_in(text, at)]


def _microseconds(rows: Sequence[dict[str, Any]]) -> float:
    """Of `times_in`, once everything it needs is compiled."""
    asked = [(row["input"], _reference(row)) for row in rows]
    started = time.process_time()
    for text, at in asked:
        times_in(text, at)
    return (time.process_time() - started) / max(1, len(asked)) * 1e6


def _reference(row: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(row["reference"]).replace(tzinfo=UTC)


class _Tally:
    """Right ones and all of them by kind, and what was found where there is nothing."""

    def __init__(self) -> None:
        self.right: Counter[str] = Counter()
        self.every: Counter[str] = Counter()
        self.silent = self.false = 0

    def share(self, name: str) -> float | None:
        return share(self.right[name], self.every[name])

    @property
    def silence(self) -> float | None:
        return share(self.silent - self.false, self.silent)


def _tally(rows: Sequence[dict[str, Any]], find: Finder, right: Right) -> _Tally:
    tally = _Tally()
    named = {row["input"] for row in rows if row["results"]}
    for row in rows:
        found = find(row["input"], _reference(row))
        if row["input"] not in named:
            tally.silent += 1
            tally.false += bool(found)
        for wanted in _expressions(row):
            name = _KINDS[wanted.kind]
            tally.every[name] += 1
            tally.right[name] += any(right(one, wanted) for begin, end, one in found if wanted.overlaps(begin, end))
    return tally


def _expressions(row: dict[str, Any]) -> Iterator[Expression]:
    for result in row["results"]:
        kind = result["type"].rpartition(".")[2]
        wanted = Expression(kind, result["start"], result["end"] + 1, result["values"])
        if kind in _KINDS and (
            kind == "set" or any(_moment(text) for value in wanted.values for text in value.values())
        ):
            yield wanted


# --- what is right --------------------------------------------------------------------------------------------------


def is_right(found: TimeMention, wanted: Expression) -> bool:
    return any(_says(found, wanted.kind, value, letter=False) for value in wanted.values)


def _to_the_letter(found: TimeMention, wanted: Expression) -> bool:
    return any(_says(found, wanted.kind, value, letter=True) for value in wanted.values)


def _says(found: TimeMention, kind: str, value: dict[str, str], *, letter: bool) -> bool:
    if kind == "set":
        return found.kind == "repeating"
    if kind in ("time", "timerange"):
        return _says_hour(found, value)
    if moment := _moment(value.get("value")):
        if kind == "datetime":
            return found.start.replace(microsecond=0) == moment
        return found.start.date() == moment.date() and found.end - found.start <= timedelta(days=1)
    start, end = _moment(value.get("start")), _moment(value.get("end"))
    if start is None and end is None:
        return False
    if found.grain == "part" and start and not letter:
        return found.start.date() == start.date()
    opens, closes = found.window
    return _same_edge(opens, start, found, kind, letter) and _same_edge(closes, end, found, kind, letter)


def _same_edge(ours: datetime | None, theirs: datetime | None, found: TimeMention, kind: str, letter: bool) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    same = ours.date() == theirs.date() if kind == "daterange" else ours.replace(microsecond=0) == theirs
    whole = found.relation == "in" and found.grain != "day"  # "last week" has no end of its own
    if same or letter or whole or ours is found.start or found.grain not in _LENGTHS:
        return same
    return unit_at(theirs, found.grain).end == ours


def _says_hour(found: TimeMention, value: dict[str, str]) -> bool:
    if found.grain == "part":
        return "start" in value
    if moment := _moment(value.get("value")):
        return found.start.time() == moment.time()
    edges = zip(found.window, (_moment(value.get("start")), _moment(value.get("end"))), strict=True)
    return all((ours and ours.time()) == (theirs and theirs.time()) for ours, theirs in edges)


def _moment(text: str | None) -> datetime | None:
    for form in _FORMS:
        try:
            return datetime.strptime(text or "", form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


# --- the baseline ---------------------------------------------------------------------------------------------------


def _dateparser() -> Finder | None:
    try:
        search_dates = import_module("dateparser.search").search_dates
    except ImportError:
        return None

    def find(text: str, at: datetime) -> list[tuple[int, int, Any]]:
        settings = {"RELATIVE_BASE": at.replace(tzinfo=None), "PREFER_DATES_FROM": "past"}
        found, place = [], 0
        for words, moment in search_dates(text, languages=["en"], settings=settings) or ():
            place = max(text.find(words, place), 0)
            found.append((place, place + len(words), moment.replace(tzinfo=UTC)))
        return found

    return find


def _is_date(found: datetime, wanted: Expression) -> bool:
    for value in wanted.values:
        moments = [moment for text in value.values() if (moment := _moment(text))]
        if wanted.kind in ("time", "timerange"):
            if any(found.time() == moment.time() for moment in moments):
                return True
        elif any(found == moment if wanted.kind == "datetime" else found.date() == moment.date() for moment in moments):
            return True
    return False
