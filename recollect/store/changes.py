"""The change feed: which rows derived indexes have to look at again, in the order things happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from recollect.limits import SPAN_MAX
from recollect.store.base import Group


class Change(NamedTuple):
    seq: int
    topic: str  # record | vector | edge | entity
    first_pk: int
    last_pk: int
    space_pk: int | None


IDS_MAX = 100  # named in one announcement; all are counted

_TOPICS = ("record", "edge", "entity")

_SQL = {
    "record": "record t WHERE HEAD(t) AND t.pk BETWEEN ? AND ?",
    "edge": "edge t WHERE t.pk BETWEEN ? AND ?",
    "entity": "entity t WHERE t.pk BETWEEN ? AND ?",
}

_SEEN = {
    "record": " AND t.scope_pk IN KEYS(?)",
    "edge": " AND NOT EXISTS (SELECT 1 FROM member m JOIN record r ON r.pk = m.record_pk "
    "WHERE m.edge_pk = t.pk AND r.scope_pk NOT IN KEYS(?))",
    "entity": " AND t.scope_pk IN KEYS(?)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """One entry of the feed. Of very many `ids` the first are named; `retired` are those of them that are gone now."""

    seq: int
    topic: str  # record | edge | entity
    ids: tuple[str, ...]
    retired: tuple[str, ...]
    count: int
    operation: str | None
    verb: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "ids": list(self.ids),
            "retired": list(self.retired),
            "count": self.count,
            "operation": self.operation,
            "verb": self.verb,
        }


class AnnouncedPortion(NamedTuple):
    """What came after a number, up to another. `lost`: entries in between were trimmed before they were read."""

    announcements: list[Announcement]
    seq: int
    lost: bool


class Changes(Group):
    """The change feed: which rows the derived indexes have to look at again."""

    def announce(self, topic: str, first_pk: int, last_pk: int, space_pk: int | None = None) -> None:
        """Say that these rows changed. Readers of the feed see it with the commit."""
        self.sql.run(
            "INSERT INTO change (topic, first_pk, last_pk, space_pk) VALUES (?, ?, ?, ?)",
            (topic, first_pk, last_pk, space_pk),
        )
        self.sql.note_change()

    def since(self, seq: int, limit: int) -> list[Change]:
        """The next entries after `seq`."""
        rows = self.sql.all(
            "SELECT seq, topic, first_pk, last_pk, space_pk FROM change WHERE seq > ? ORDER BY seq LIMIT ?",
            (seq, limit),
        )
        return [Change(*row) for row in rows]

    def newest(self) -> int:
        return int(self.sql.value("SELECT seq FROM change ORDER BY seq DESC LIMIT 1") or 0)

    def oldest(self) -> int:
        """The first entry still kept; an index older than it has to be rebuilt."""
        return int(self.sql.value("SELECT seq FROM change ORDER BY seq LIMIT 1") or 0)

    def trim(self, keep: int) -> int:
        """Forget all but the newest `keep` entries; how many went."""
        return self.sql.run("DELETE FROM change WHERE seq <= ?", (self.newest() - keep,))

    def after(self, seq: int, *, limit: int, visible: list[int] | None) -> AnnouncedPortion:
        """The next entries of the feed that concern what these scopes hold; None is the whole store."""
        entries = self.since(seq, limit)
        lost = bool(entries) and self.oldest() > seq + 1
        found = [told for entry in entries if entry.topic in _TOPICS and (told := self._announcement(entry, visible))]
        return AnnouncedPortion(found, entries[-1].seq if entries else seq, lost)

    def _announcement(self, entry: Change, visible: list[int] | None) -> Announcement | None:
        """None where nothing of it can be seen, or it was erased since."""
        where, params = _SQL[entry.topic], [entry.first_pk, entry.last_pk]
        if visible is not None:
            where, params = where + _SEEN[entry.topic], [*params, self.sql.keys(visible)]
        rows = self.sql.all(f"SELECT t.pk, t.id, t.retired_at FROM {where} ORDER BY t.pk LIMIT {IDS_MAX + 1}", params)
        if not rows:
            return None
        count = len(rows) if len(rows) <= IDS_MAX else int(self.sql.value(f"SELECT count(*) FROM {where}", params))
        operation, verb = self._newest_operation(entry.topic, rows[0][0])
        named = rows[:IDS_MAX]
        return Announcement(
            seq=entry.seq,
            topic=entry.topic,
            ids=tuple(row[1] for row in named),
            retired=tuple(row[1] for row in named if row[2] is not None),
            count=count,
            operation=operation,
            verb=verb,
        )

    def _newest_operation(self, relation: str, pk: int) -> tuple[str | None, str | None]:
        row = self.sql.one(
            "SELECT o.id, o.verb FROM journal j JOIN operation o ON o.pk = j.operation_pk WHERE j.relation = ? "
            "AND j.first_pk BETWEEN ? AND ? AND j.last_pk >= ? ORDER BY j.pk DESC LIMIT 1",
            (relation, pk - SPAN_MAX + 1, pk, pk),
        )
        return (row[0], row[1]) if row else (None, None)


def spans(pks: list[int]) -> list[tuple[int, int]]:
    """Ascending pks as runs of neighbours: (first, last) each."""
    out: list[tuple[int, int]] = []
    for pk in pks:
        if out and pk == out[-1][1] + 1:
            out[-1] = (out[-1][0], pk)
        else:
            out.append((pk, pk))
    return out
