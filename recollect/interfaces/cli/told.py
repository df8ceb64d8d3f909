"""What a verb's answer lacks for people: the words of records it only names, and why it is empty."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.errors import NotFound
from recollect.facade.handle import engine_of
from recollect.interfaces.cli.wording import counted
from recollect.model.scope import DIMENSIONS

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.verbs.verb import Verb

_ROWS = 10  # of a receipt that are shown
_LOOKED_BACK = 500  # operations among which the last one of a person is looked for
# Verbs whose report is a sentence, rather than figures to look at.
SORTS = {"import": "Imported", "export": "Exported", "settle": "Settled", "erase_user": "Erased"}
_LONG = ("ingest", "import", "add")  # verbs that store in portions, which stay when they are interrupted
_EMPTY = ("Recollection", "Page")


def complete(memory: Memory, verb: Verb, sort: str, given: Mapping[str, Any], data: dict[str, Any]) -> None:
    """Put into the answer of a verb what only the store can tell."""
    if sort in _EMPTY and not data["results"]:
        from recollect.interfaces.cli.emptiness import why_nothing

        data["reason"] = why_nothing(memory, given)
    if sort == "Receipt":
        _name_records(memory, data)
        data["final"] = bool(given.get("hard"))
        if verb.name == "undo":
            data["undone"] = _operation(memory, given["operation"])
    if sort == "list[Operation]":
        with engine_of(memory).store.read() as tx:
            about = tx.journal.first_contents([each["id"] for each in data["results"]])
        for each in data["results"]:
            each["about"] = about.get(each["id"])


@contextmanager
def interruptions(memory: Memory, verb: Verb) -> Iterator[None]:
    """Say what is stored when somebody presses Ctrl-C in the middle of much."""
    before = memory.operations(limit=1) if verb.name in _LONG else []
    try:
        yield
    except KeyboardInterrupt:
        newest = memory.operations(limit=1) if verb.name in _LONG else []
        if newest and [each.id for each in newest] != [each.id for each in before]:
            done = newest[0]
            stored = f"stopped: {counted(done.count, 'record')} of it {'is' if done.count == 1 else 'are'} stored"
            print(f"{stored}; say it again to go on, or: recollect undo {done.id[:8]}", file=sys.stderr)
        raise


def nothing_was_kept(sort: str, data: Mapping[str, Any]) -> bool:
    """Whether a write took in nothing of what it was given: that is a failure, whatever the reasons."""
    return sort == "Receipt" and bool(data["skipped"]) and not (data["ids"] or data["merged"] or data["count"])


def last_operation(memory: Memory, given: Mapping[str, Any]) -> str:
    """The newest thing a person did here that was not taken back: not what upkeep or an agent did, and no undo."""
    scope = {name: given.get(name) for name in DIMENSIONS}
    for done in memory.operations(limit=_LOOKED_BACK, **scope):
        if done.actor is None and done.verb != "undo" and not done.undone:
            return done.id
    raise NotFound("there is nothing to take back; `operations()` lists what was done")


def _name_records(memory: Memory, data: dict[str, Any]) -> None:
    nameless = [row for row in data["results"][:_ROWS] if row["memory"] is None]
    if not nameless:
        return

    with engine_of(memory).store.read() as tx:
        words = tx.records.contents_by_id([row["id"] for row in nameless])
    for row in nameless:
        row["memory"] = words.get(row["id"])


def _operation(memory: Memory, operation: str) -> dict[str, Any]:
    """What was taken back."""
    for done in memory.operations(limit=_LOOKED_BACK):
        if done.id.startswith(operation.lower()):
            return {"id": done.id, "verb": done.verb, "at": done.at.isoformat()}
    return {"id": operation, "verb": "", "at": None}
