"""What a session says about records that were there before it: used, or shown in vain.

Used is a record that the agent cited, or acted upon: it was put before the agent, and then the agent went to another
file that the record names, or cured the error it tells of in a file it names. That it was put there is no use. Shown in
vain is a warning after which its error, or its backtrack, came up all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.hook.failure import print_of_bytes
from recollect.ids import ID_CHARS
from recollect.model.observed import SignalKind
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.inference import BACKTRACK_KEY, ERROR_KEY, KEY_PARTS
from recollect.observe.signals import steps_of
from recollect.observe.standing import ATTRIBUTE, files_of
from recollect.store.base import Tx
from recollect.store.observed import SignalRow, StoredEvent

ERRORS_MAX = 500
ACTED_STEPS = 5  # after which going to a file says nothing about what was read before
_TOUCHING = ("read", "edit", "write")
_CHANGING = ("edit", "write")


class Proof(NamedTuple):
    """Ids of records that a session used, and of those that were shown to it in vain."""

    used: frozenset[str]
    in_vain: frozenset[str]


class _Touch(NamedTuple):
    at: int  # place among the events
    step: int
    path: str
    changed: bool


class _Failure(NamedTuple):
    at: int
    tool: str
    hash: str


class _Work:
    """A session as records are held against it: what was put before the agent, and what it did."""

    def __init__(self, events: Sequence[StoredEvent], signals: Iterable[SignalRow]) -> None:
        self.shown = _first(events, ("shown",))
        self.said = _first(events, ("shown", "found"))
        self.about = {
            at: frozenset(event.detail.get("about", ())) for at, event in enumerate(events) if event.type == "shown"
        }
        place = {event.pk: at for at, event in enumerate(events)}
        steps = steps_of(events)
        self.touches = [
            _Touch(place[step.event.pk], step.number, file.path, file.kind in _CHANGING)
            for step in steps
            if step.done
            for file in step.touched(_TOUCHING)
        ]
        self.failures = [
            _Failure(place[step.event.pk], step.event.tool or "", step.event.error_hash)
            for step in steps
            if step.event.error_hash is not None
        ]
        self.backtracks = {(each.subject, each.other) for each in signals if each.kind == SignalKind.BACKTRACK}


def proved(
    events: Sequence[StoredEvent], signals: Iterable[SignalRow], known: Iterable[Record], *, cited: Iterable[str]
) -> Proof:
    """What a session proved of records. `cited` are beginnings of ids."""
    work, named = _Work(events, signals), frozenset(cited)
    used: set[str] = set()
    in_vain: set[str] = set()
    for record in known:
        short = record.id[:ID_CHARS]
        if short in work.shown and _came_back(record, work, after=work.shown[short]):
            in_vain.add(record.id)
        elif short in named or (short in work.said and _was_acted_upon(record, work, after=work.said[short])):
            used.add(record.id)
    return Proof(frozenset(used), frozenset(in_vain))


def _first(events: Sequence[StoredEvent], names: Sequence[str]) -> dict[str, int]:
    """Where each record was first put before the agent, by the beginning of its id."""
    found: dict[str, int] = {}
    for at, event in enumerate(events):
        for name in names:
            for short in event.detail.get(name, ()):
                found.setdefault(short, at)
    return found


def _came_back(record: Record, work: _Work, *, after: int) -> bool:
    match _parts(record):
        case [kind, tool, error] if kind == ERROR_KEY:
            hash_ = print_of_bytes(error.encode("utf-8", "replace"))
            return any(each.at > after and (each.tool, each.hash) == (tool, hash_) for each in work.failures)
        case [kind, file, cause, *_] if kind == BACKTRACK_KEY:
            # Both edits came after it: the one that was taken back was made in spite of the warning.
            edits = sum(each.at > after and each.changed and each.path == file for each in work.touches)
            return edits > 1 and (file, cause) in work.backtracks
    return False


def _was_acted_upon(record: Record, work: _Work, *, after: int) -> bool:
    files = files_of(record)
    match _parts(record):
        case [kind, tool, error] if kind == ERROR_KEY:
            return _was_cured(files, work, tool, print_of_bytes(error.encode("utf-8", "replace")), after=after)
    known = {each.path for each in work.touches if each.at < after} | work.about.get(after, frozenset())
    later = [each for each in work.touches if each.at > after and each.path in files]
    began = max((each.step for each in work.touches if each.at < after), default=0)
    if not known & files:  # the work came to it afterwards: what counts is where it went from there
        known |= {each.path for each in later[:1]}
        began = max((each.step for each in later[:1]), default=0)
    return any(each.path not in known and began < each.step <= began + ACTED_STEPS for each in later)


def _was_cured(files: set[str], work: _Work, tool: str, hash_: str, *, after: int) -> bool:
    """Whether the error came up, and was gone after an edit of a file that the record names."""
    failed = [each.at for each in work.failures if (each.tool, each.hash) == (tool, hash_)]
    since = max([after, *failed])
    return bool(failed) and any(each.changed and each.path in files and each.at > since for each in work.touches)


def learned_errors(tx: Tx, scope: Scope, *, now: int) -> dict[tuple[str, str], Record]:
    """The records of errors that were inferred in a scope, by tool and normalised text."""
    found = tx.records.latest(Criteria(scope=scope, categories=("error_pattern",)), now=now, limit=ERRORS_MAX)
    out: dict[tuple[str, str], Record] = {}
    for record in tx.records.load(found).values():
        match _parts(record):
            case [kind, tool, error] if kind == ERROR_KEY and not record.flagged:
                out[tool, error] = record
    return out


def _parts(record: Record) -> list[str]:
    kept = record.attributes.get(ATTRIBUTE)
    key = kept.get("key") if isinstance(kept, dict) else None
    return key.split(KEY_PARTS) if isinstance(key, str) else []
