"""Why an answer is empty: nothing is stored at all, it is somebody else's, or nothing there fits what was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.facade.handle import engine_of
from recollect.interfaces.cli.wording import counted, flag
from recollect.model.scope import DIMENSIONS, Scope

if TYPE_CHECKING:
    from recollect.memory import Memory

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
