"""Turns of exported conversations, given to `add` session by session, each turn once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Protocol

from recollect.limits import NAME_CHARS_MAX
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.store.documents import TURN_HEAD_CHARS
from recollect.structure.piece import ChatTurn, Parsed

_UNNAMED = "conversation"


class Adds(Protocol):
    """What takes messages: the write path of `add`."""

    def add(
        self, given: Any, *, scope: Scope, session_id: str | None, fields: Mapping[str, Any], actor: str | None
    ) -> Receipt: ...


def sessions_of(parsed: Parsed, session_id: str | None) -> dict[str, list[ChatTurn]]:
    """The turns by session. Those without one belong to the session given, else to one called as the file."""
    unnamed = session_id or (PurePath(parsed.path).name if parsed.path else _UNNAMED)
    out: dict[str, list[ChatTurn]] = {}
    for turn in parsed.turns:
        out.setdefault(turn.session or unnamed[:NAME_CHARS_MAX], []).append(turn)
    return out


def unknown(tx: Tx, scope_pk: int | None, session: str, turns: Iterable[ChatTurn]) -> list[ChatTurn]:
    """The turns that are not stored yet. The same conversation may come in several exports, longer each time."""
    if scope_pk is None:
        return list(turns)
    seen: set[Any] = set()
    for message_id, position, head in tx.documents.turns_of(scope_pk, session):
        seen |= {message_id, (position, head)}
    return [turn for turn in turns if not _marks(turn) & seen]


def messages_of(turns: Iterable[ChatTurn], document_id: str) -> list[dict[str, Any]]:
    """The form in which `add` takes them."""
    return [turn.to_message() | {"attributes": {"document": document_id}} for turn in turns]


def _marks(turn: ChatTurn) -> set[Any]:
    """What a turn is known by: the id of the message, else where it stands and how it begins."""
    if turn.place.anchor is not None:
        return {turn.place.anchor}
    return {(turn.place.line_range and turn.place.line_range[0], turn.text[:TURN_HEAD_CHARS])}
