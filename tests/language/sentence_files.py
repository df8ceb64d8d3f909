"""Sentences with what they tell, from `sentences/`, and what a language reads in them: which are read as they should.

`de` and `es` were written before the rules and were at hand while these were made; `de_second` and `es_second` were
written afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from recollect.clock import from_us
from recollect.language.spoken import language_for, language_named
from recollect.recall.question.when import when_of

FOLDER = Path(__file__).parent / "sentences"
SAID_AT = {
    "A": datetime(2024, 5, 16, 10, tzinfo=UTC),
    "B": datetime(2025, 11, 3, 19, 30, tzinfo=UTC),
    "C": datetime(2026, 2, 22, 8, tzinfo=UTC),
}
Range = tuple[datetime | None, datetime | None]


class Dated(NamedTuple):
    """A sentence, when it was said, and the times it names as the file writes them."""

    said_at: datetime
    text: str
    names: tuple[str, ...]


class Changing(NamedTuple):
    text: str
    changes: bool
    denies: bool


def dated(name: str, heading: str) -> list[Dated]:
    return [
        Dated(SAID_AT[letter], text, tuple(each.strip() for each in names.split(";") if each.strip()))
        for letter, text, names in _rows(name, heading)
    ]


def changing(name: str) -> list[Changing]:
    return [Changing(text, "change" in told, "no" in told.split()) for text, told in _rows(name, "changes")]


def told_wrongly(name: str) -> list[str]:
    """Sentences of which other times are read than they name."""
    code = name[:2]
    wrong = []
    for said_at, text, names in dated(name, "told"):
        found = [
            "each" if each.kind == "repeating" else each.window for each in language_named(code).times(text, said_at)
        ]
        if len(found) != len(names) or not all(map(_is, found, names)):
            wrong.append(f"{text} {names}, read {[_shown(each) for each in found]}")
    return wrong


def asked_wrongly(name: str) -> list[str]:
    """Questions for which another stretch is searched than they ask about."""
    wrong = []
    for said_at, text, names in dated(name, "asked"):
        when = when_of(text, said_at, recent_days=14)
        found: list[Range] = []
        for start, end in when.windows if when else ():
            found.append((None if start is None else from_us(start), None if end is None else from_us(end)))
        if len(found) != len(names) or not all(map(_is, found, names)):
            wrong.append(f"{text} {names}, searched {[_shown(each) for each in found]}")
    return wrong


def changes_read_wrongly(name: str) -> list[str]:
    """Sentences of which it is read wrongly whether they tell a change, or deny something."""
    code, wrong = name[:2], []
    for each in changing(name):
        language = language_named(code)
        read = language.tells_change(each.text), language.denies(each.text)
        if read != (each.changes, each.denies):
            wrong.append(f"{each}, read {read}")
    return wrong


def told_as_another_language(name: str) -> list[str]:
    """Sentences that are taken for another language than the one of the file."""
    texts = [row[1] for heading in ("told", "asked") for row in _rows(name, heading)]
    texts += [row[0] for row in _rows(name, "changes")]
    return [text for text in texts if language_for(text).code != name[:2]]


def _rows(name: str, heading: str) -> Iterator[list[str]]:
    within = None
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            within = line.strip("[] ")
        elif line.strip() and not line.startswith("#") and within == heading:
            yield [part.strip() for part in line.split("|")]


def _is(found: Range | str, named: str) -> bool:
    if "each" in (found, named):
        return found == named
    assert not isinstance(found, str)
    start, end = found
    if named.endswith("~"):
        return start is not None and start.date().isoformat() == named[:-1]
    first, dots, last = named.partition("..")
    last = last if dots else first
    starts = start is None if not first else start is not None and start == _begin(first)
    if "T" in last:
        return starts and (end in (_begin(last), _begin(last) + timedelta(hours=1)))
    ends = end is None if not last else end is not None and _last_day(end) == _last_day(_after(last))
    if first and "T" not in first and start is not None:
        starts = start.date() == _begin(first).date()
    return starts and ends


def _last_day(end: datetime) -> str:
    return (end - timedelta(microseconds=1)).date().isoformat()


def _begin(named: str) -> datetime:
    if len(named) == 4:
        named += "-01"
    return datetime.fromisoformat(f"{named}-01" if len(named) == 7 else named).replace(tzinfo=UTC)


def _after(named: str) -> datetime:
    begin = _begin(named)
    if len(named) == 4:
        return begin.replace(year=begin.year + 1)
    if len(named) == 7:
        return (begin + timedelta(days=32)).replace(day=1)
    return begin + timedelta(days=1)


def _shown(found: Range | str) -> str:
    if isinstance(found, str):
        return found
    return "..".join("" if each is None else each.isoformat()[:16] for each in found)
