"""Records in the shapes that mem0 answers with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from recollect.compat.mem0.conditions import EXPIRES
from recollect.model.record import Record
from recollect.model.result import HistoryEntry, Receipt


def item(record: Record, score: float | None = None, *, scored: bool = True) -> dict[str, Any]:
    """A memory. What mem0 keeps beside the text is there if it is set, as in mem0."""
    metadata = {name: value for name, value in record.metadata.items() if name != EXPIRES}
    out: dict[str, Any] = {
        "id": record.id,
        "memory": record.content,
        "hash": hashlib.md5(record.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": metadata or None,
        "score": score,
        "created_at": record.created_at.isoformat(),
        "updated_at": record.updated_at.isoformat(),
    }
    if not scored:
        del out["score"]
    beside = {
        "user_id": record.scope.user_id,
        "agent_id": record.scope.agent_id,
        "run_id": record.session_id,
        "actor_id": record.speaker,
        "role": record.role,
        EXPIRES: record.metadata.get(EXPIRES),
    }
    return out | {name: value for name, value in beside.items() if value is not None}


def added(receipt: Receipt, *, verbatim: bool) -> list[dict[str, Any]]:
    """What an `add` made: the statements, or with `verbatim` the texts as given. A repeat names what was there."""
    wanted = set(receipt.ids if verbatim else receipt.statements)
    rows = []
    for record in receipt.records:
        if record.id in wanted:
            event = "NONE" if record.id in receipt.merged else "ADD"
            row: dict[str, Any] = {"id": record.id, "memory": record.content, "event": event}
            rows.append(row | {"actor_id": record.speaker, "role": record.role} if verbatim and record.role else row)
    return rows


def history_rows(memory_id: str, entries: Sequence[HistoryEntry]) -> list[dict[str, Any]]:
    """What happened to a memory, oldest first."""
    return list(_rows(memory_id, entries))


def _rows(memory_id: str, entries: Sequence[HistoryEntry]) -> Iterator[dict[str, Any]]:
    before: Record | None = None
    for entry in entries:
        after = entry.record
        known = after or before
        event = "DELETE" if after is None else "ADD" if before is None else "UPDATE"
        yield {
            "id": entry.operation.id,
            "memory_id": memory_id,
            "old_memory": before.content if before else None,
            "new_memory": after.content if after else None,
            "event": event,
            "created_at": known.created_at.isoformat() if known else entry.at.isoformat(),
            "updated_at": entry.at.isoformat(),
            "is_deleted": after is None,
            "actor_id": known.speaker if known else None,
            "role": known.role if known else None,
        }
        before = after
