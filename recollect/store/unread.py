"""Records that were stored without being read: bulk loads, documents, records from before there was perception."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.model.columns import COLUMNS, RecordRow
from recollect.store.base import Group
from recollect.store.rows import COPY_COLUMNS

_UNREAD = "perceived IS NULL AND HEAD(record) AND LIVE(record)"


class Unread(Group):
    """What is still to be read."""

    def count(self) -> int:
        return int(self.sql.value(f"SELECT count(*) FROM record WHERE {_UNREAD}"))

    def after(self, pk: int, limit: int) -> list[tuple[int, RecordRow]]:
        """The next unread records by key, with all their columns."""
        rows = self.sql.all(
            f"SELECT pk, {COPY_COLUMNS} FROM record INDEXED BY record_unread WHERE {_UNREAD} AND pk > ? "
            "ORDER BY pk LIMIT ?",
            (pk, limit),
        )
        return [(key, RecordRow(**dict(zip(COLUMNS, values, strict=True)))) for key, *values in rows]

    def still(self, pks: Iterable[int]) -> set[int]:
        """Those of these that were neither read nor deleted meanwhile."""
        rows = self.sql.all(
            "SELECT pk FROM record WHERE pk IN KEYS(?) AND perceived IS NULL AND LIVE(record)",
            (self.sql.keys(pks),),
        )
        return {row[0] for row in rows}

    def note_read(self, pk: int, values: Mapping[str, Any]) -> None:
        """Write what a text says of itself beside it, without a version: it follows from the text."""
        assert values.keys() <= set(COLUMNS)
        assignments = ", ".join(f"{name} = ?" for name in values)
        self.sql.run(f"UPDATE record SET {assignments} WHERE pk = ?", [*values.values(), pk])
        if "event_time" in values:
            self.tx.changes.announce("record", pk, pk)
