"""What a verb's answer lacks for people: the words of records it only names, and why it is empty."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.errors import NotFound
from recollect.facade.handle import engine_of
from recollect.interfaces.cli.wording import counted, flag
from recollect.model.scope import DIMENSIONS, Scope

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.verbs.verb import Verb


_ROWS = 10  # of a receipt that are shown
_LOOKED_BACK = 500  # operations among which the last one of a person is looked for
# Verbs whose report is a sentence, rather than figures to look at.
SORTS = {"import": "Imported", "export": "Exported", "settle": "Settled", "erase_user": "Erased", "erase": "Erased"}
_LONG = ("ingest", "import", "add")  # verbs that store in portions, which stay when they are interrupted
_EMPTY = ("Recollection", "Page")


def complete(memory: Memory, verb: Verb, sort: str, given: Mapping[str, Any], data: dict[str, Any]) -> None:
    """Put into the answer of a verb what only the store can tell."""
    if sort in _EMPTY and not data["results"]:
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


def is_failure(sort: str, data: Mapping[str, Any]) -> bool:
    """Whether a write took in nothing of what it was given, whatever the reasons; or a check found what is wrong."""
    if sort == "AuditReport":
        return not data["ok"]
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


_OTHERS_NAMED = 3
# What narrows a question beside its scope; what was given of it is named when nothing is left.
_NARROWING = (
    "kinds",
    "categories",
    "tiers",
    "tags",
    "filters",
    "session_id",
    "as_of",
    "known_at",
    "after",
    "before",
    "threshold",
    "place",
    "facets",
    "mode",
)
_CALLED = {"user_id": "user", "agent_id": "agent"}
_TYPED = {"user_id": "-u", "project": "-p"}


def why_nothing(memory: Memory, given: Mapping[str, Any]) -> str:
    """A sentence with what to do next. `given` are the arguments of the verb, defaults of the settings included."""
    asked = Scope(**{name: given.get(name) for name in DIMENSIONS})
    with engine_of(memory).store.read() as tx:
        found = tx.scopes.inhabited()
        seen = tx.scopes.visible(asked)
    if not found:
        return 'nothing is stored yet; begin with: recollect add "…"'
    here = sum(each.records for each in found if seen is None or each.pk in seen or given.get("reach") == "all")
    if here:
        narrowed = ", ".join(flag(name) for name in _NARROWING if given.get(name) is not None)
        what = f"none fits {narrowed}" if narrowed else "none is shown"
        return f"{counted(here, 'record')} {'is' if here == 1 else 'are'} stored here, {what}"
    others = [each for each in found if seen is None or each.pk not in seen]
    named = "; ".join(f"{counted(each.records, 'record')} {_under(each.scope)}" for each in others[:_OTHERS_NAMED])
    more = f"; and {len(others) - _OTHERS_NAMED} more" if len(others) > _OTHERS_NAMED else ""
    mine = f" {_under(asked)}" if asked.items() else " here"
    try_ = f"try {_typed(others[0].scope)}, or --reach all"
    return f"nothing is stored{mine}; {named}{more}: {try_}{_default(asked, others[0].scope)}"


def _default(asked: Scope, theirs: Scope) -> str:
    """For whom one user is all there is: saying so once will do."""
    if asked.items() or [name for name, _ in theirs.items()] != ["user_id"]:
        return ""
    return f"; `recollect config set user {theirs.user_id}` spares you the -u"


def _under(scope: Scope) -> str:
    said = ", ".join(f"{_CALLED.get(name, name)} {value}" for name, value in scope.items())
    return f"under {said}" if said else "that everybody sees"


def _typed(scope: Scope) -> str:
    from shlex import quote

    words = (f"{_TYPED.get(name, flag(name))} {quote(value)}" for name, value in scope.items())
    return " ".join(words) or "-u -"
