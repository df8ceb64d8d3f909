"""Records that say the same: by the very text, by its sense, or in one session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from recollect.model.columns import COLUMNS, RecordRow
from recollect.store.base import Group, Row

_ROW = ", ".join(f"r.{name}" for name in ("pk", *COLUMNS))
_CURRENT = "HEAD(r) AND LIVE(r) AND r.tier <> 'archive'"
# The planner would take the index of scopes, and read all of one, for want of statistics: 10 ms at 100,000 records.
_BY_HASH = (
    f"SELECT {_ROW} FROM EACH_ITEM(?) wanted CROSS JOIN record r BY_INDEX(record_hash) "
    f"ON r.content_hash = wanted.value WHERE r.scope_pk IN KEYS(?) AND {_CURRENT} ORDER BY r.pk LIMIT ?"
)
_BY_SENSE = (
    f"SELECT s.sense, {_ROW} FROM sense s JOIN record r ON r.pk = s.record_pk "
    f"WHERE s.sense IN KEYS(?) AND {_CURRENT} ORDER BY r.pk"
)
_IN_SESSION = (  # since it began: other sessions may hold thousands of the same "ok"
    f"SELECT {_ROW} FROM EACH_ITEM(?) wanted CROSS JOIN record r BY_INDEX(record_hash) "
    "ON r.content_hash = wanted.value AND r.pk >= (SELECT min(pk) FROM record WHERE session_pk = ?) "
    "WHERE r.session_pk = ? AND HEAD(r) AND LIVE(r) ORDER BY r.pk"
)
# A finding is a record by itself, and no turn.
_FINDING = "r.kind = 'episodic' AND r.role IS NULL AND r.turn_pk IS NULL"


class Sayings(Group):
    """What is said already."""

    def by_hash(self, hashes: Iterable[str], scope_pks: Iterable[int], *, limit: int) -> list[tuple[int, RecordRow]]:
        """Live records of these scopes with the very text of one of these hashes, oldest first."""
        wanted = (_listed(hashes), self.sql.keys(scope_pks), limit)
        return [_row_of(row) for row in self.sql.all(_BY_HASH, wanted)]

    def by_sense(self, senses: Iterable[int]) -> list[tuple[int, int, RecordRow]]:
        """(sense, key, row) of live records with one of these senses, oldest first."""
        rows = self.sql.all(_BY_SENSE, (self.sql.keys(senses),))
        return [(row[0], *_row_of(row[1:])) for row in rows]

    def in_session(self, hashes: Iterable[str], session_pk: int | None) -> list[tuple[int, RecordRow]]:
        """Live records of a session with the very text of one of these hashes, oldest first."""
        rows = self.sql.all(_IN_SESSION, (_listed(hashes), session_pk, session_pk))
        return [_row_of(row) for row in rows]

    def note_senses(self, senses: Sequence[tuple[int, int]]) -> None:
        """(sense, key): what records are found by from now on."""
        self.sql.many("INSERT INTO sense (sense, record_pk) VALUES (?, ?) ON CONFLICT DO NOTHING", senses)

    def findings_among(self, pks: Iterable[int]) -> set[int]:
        """Those of these records that are findings: no turns, and not drawn from any."""
        rows = self.sql.all(f"SELECT r.pk FROM record r WHERE r.pk IN KEYS(?) AND {_FINDING}", (self.sql.keys(pks),))
        return {row[0] for row in rows}

    def findings_by_hash(self, hashes: Iterable[str], scope_pk: int) -> dict[str, int]:
        """The first live finding of a scope with the very text of each of these hashes."""
        return dict(
            self.sql.all(
                "SELECT r.content_hash, min(r.pk) FROM EACH_ITEM(?) n JOIN record r ON r.content_hash = n.value "
                f"AND r.scope_pk = ? WHERE {_FINDING} AND LIVE(r) AND HEAD(r) GROUP BY r.content_hash",
                (_listed(hashes), scope_pk),
            )
        )


def _row_of(row: Row) -> tuple[int, RecordRow]:
    return row[0], RecordRow(**dict(zip(COLUMNS, row[1:], strict=True)))


def _listed(texts: Iterable[str]) -> str:
    return orjson.dumps(sorted(texts)).decode()
