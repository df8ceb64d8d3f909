"""Sealed fields in the database: boxes that only the key of fields opens, and which rows refer to them.

A row of a record names its box in `sealed`. Versions and images of the journal carry that number with all other
columns, so a version that history, `known_at` or an undo brings back brings its own original. A box is written once and
never changed, but for a new key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import orjson

from recollect.model.columns import COLUMNS, RecordRow, SealedBox
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store.base import Group
from recollect.store.rows import COPY_COLUMNS

if TYPE_CHECKING:
    from recollect.store.vectors import Space

_SELECT = "SELECT s.ref, s.record_id, s.box FROM sealed s"
# Rows that only stand for what is sealed: `language.terms.is_withheld` in the words of the database.
WITHHELD = "(r.sealed IS NOT NULL AND (r.content LIKE '[confidential%]' OR r.content LIKE '[sensitive%]'))"


class SealedCounts(NamedTuple):
    """How many current records have something sealed, by tier; how many secrets are kept, how many boxes in all."""

    sensitive: int
    confidential: int
    secrets: int
    boxes: int


class SealedFields(Group):
    """Boxes: put, load, drop."""

    def put(self, boxes: Iterable[SealedBox]) -> None:
        """Keep boxes; in the transaction of the rows that name them."""
        boxes = list(boxes)
        self.sql.many("INSERT INTO sealed (ref, record_id, box) VALUES (?, ?, ?)", (box[:3] for box in boxes))
        if any(box.kinds for box in boxes):
            kinds = ((ref, box.ref, kind) for box in boxes for ref, kind in box.kinds)
            self.sql.many("INSERT INTO secret_ref (ref, sealed, kind) VALUES (?, ?, ?)", kinds)

    def load(self, refs: Sequence[int]) -> dict[int, SealedBox]:
        """Boxes by number; those that are gone are left out."""
        if not refs:
            return {}
        rows = self.sql.all(f"{_SELECT} WHERE s.ref IN KEYS(?)", (self.sql.keys(refs),))
        return {row[0]: SealedBox(*row) for row in rows}

    def with_secret(self, ref: str) -> SealedBox | None:
        """A box that holds the secret of this reference; the same one may be in several."""
        row = self.sql.one(f"{_SELECT} JOIN secret_ref n ON n.sealed = s.ref WHERE n.ref = ? LIMIT 1", (ref,))
        return None if row is None else SealedBox(*row)

    def by_row(self) -> dict[int, int]:
        """The numbers of boxes by the keys of the rows that name them."""
        return dict(self.sql.all("SELECT pk, sealed FROM record WHERE sealed IS NOT NULL"))

    def current(self, record_ids: Sequence[str]) -> dict[str, int]:
        """The numbers of the boxes that the current versions of records name, by their ids."""
        rows = self.sql.all(
            "SELECT r.id, r.sealed FROM EACH_ITEM(?) given JOIN record r ON r.id = given.value AND HEAD(r) "
            "WHERE r.sealed IS NOT NULL AND r.security = 'sensitive'",
            (orjson.dumps(list(record_ids)).decode(),),
        )
        return dict(rows)

    def scopes(self, record_ids: Sequence[str]) -> dict[str, Scope]:
        """Where records belong, by their ids."""
        rows = self.sql.all(
            f"SELECT r.id, {', '.join(f's.{name}' for name in DIMENSIONS)} FROM EACH_ITEM(?) given "
            "JOIN record r ON r.id = given.value AND HEAD(r) JOIN scope s ON s.pk = r.scope_pk",
            (orjson.dumps(list(record_ids)).decode(),),
        )
        return {id_: Scope(**dict(zip(DIMENSIONS, where, strict=True))) for id_, *where in rows}

    def forget(self, pks: Sequence[int]) -> None:
        """Drop the boxes of every version of the records that these rows belong to."""
        self.sql.run(
            "DELETE FROM sealed WHERE record_id IN (SELECT id FROM record WHERE pk IN KEYS(?))", (self.sql.keys(pks),)
        )

    def drop_unused(self, record_id: str) -> None:
        """Drop the boxes of a record that no version of it names."""
        self.sql.run(
            "DELETE FROM sealed WHERE record_id = ?1 AND ref NOT IN "
            "(SELECT r.sealed FROM record r WHERE r.id = ?1 AND r.sealed IS NOT NULL)",
            (record_id,),
        )

    def records_after(self, pk: int, limit: int) -> list[int]:
        """Keys of the next records, deleted ones too."""
        rows = self.sql.all("SELECT r.pk FROM record r WHERE r.pk > ? AND HEAD(r) ORDER BY r.pk LIMIT ?", (pk, limit))
        return [row[0] for row in rows]

    def versions(self, pk: int) -> dict[int, RecordRow]:
        """A record and its earlier versions as rows, by key; itself first."""
        rows = self.sql.all(
            f"SELECT pk, {COPY_COLUMNS} FROM record WHERE pk = ?1 UNION ALL "
            f"SELECT pk, {COPY_COLUMNS} FROM record WHERE head_pk = ?1",
            (pk,),
        )
        return {row[0]: RecordRow(**dict(zip(COLUMNS, row[1:], strict=True))) for row in rows}

    def forget_minds(self) -> None:
        """Forget what agents had in mind when they were last put aside: it may hold words of what is sealed now."""
        self.sql.run("DELETE FROM mind")
        self.tx.turns.forget_words()

    def any(self) -> bool:
        """Whether anything is sealed."""
        return self.sql.value("SELECT 1 FROM sealed LIMIT 1") is not None

    def counts(self) -> SealedCounts:
        """How much is sealed."""
        found: dict[str, int] = dict(
            self.sql.all(
                "SELECT r.security, count(*) FROM record r "
                "WHERE r.sealed IS NOT NULL AND HEAD(r) AND LIVE(r) GROUP BY r.security"
            )
        )
        secrets = int(self.sql.value("SELECT count(DISTINCT ref) FROM secret_ref"))
        boxes = int(self.sql.value("SELECT count(*) FROM sealed"))
        return SealedCounts(int(found.get("sensitive", 0)), int(found.get("confidential", 0)), secrets, boxes)

    def after(self, ref: int, limit: int) -> list[SealedBox]:
        """The next boxes in the order of their numbers."""
        return [
            SealedBox(*row) for row in self.sql.all(f"{_SELECT} WHERE s.ref > ? ORDER BY s.ref LIMIT ?", (ref, limit))
        ]

    def rewrite(self, boxes: Iterable[SealedBox]) -> None:
        """The same contents under another key."""
        self.sql.many("UPDATE sealed SET box = ?3 WHERE ref = ?1 AND record_id = ?2", (box[:3] for box in boxes))

    def shown(self, refs: Iterable[int]) -> dict[int, str]:
        """What rows show in the place of what is in these boxes, by number."""
        rows = self.sql.all(
            "SELECT DISTINCT sealed, content FROM record WHERE sealed IN KEYS(?)", (self.sql.keys(refs),)
        )
        return dict(rows)

    def rehash(self, hashes: Iterable[tuple[int, str]]) -> None:
        """Give rows other hashes, by the numbers of their boxes."""
        self.sql.many("UPDATE record SET content_hash = ?2 WHERE sealed = ?1", hashes)

    def put_vectors(self, space: Space, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors of withheld texts, by the numbers of their boxes."""
        self.sql.many(
            "INSERT INTO sealed_vector (space_pk, ref, data) VALUES (?, ?, ?) "
            "ON CONFLICT (space_pk, ref) DO UPDATE SET data = excluded.data",
            ((space.pk, ref, data) for ref, data in vectors),
        )

    def any_vector(self) -> bool:
        """Whether any withheld text can be found."""
        return self.sql.value("SELECT 1 FROM sealed_vector LIMIT 1") is not None

    def vectors(self, space: Space) -> list[tuple[int, bytes]]:
        """(key, vector) of the live records whose texts are withheld, in ascending order."""
        rows = self.sql.all(
            "SELECT r.pk, v.data FROM sealed_vector v JOIN record r ON r.sealed = v.ref AND HEAD(r) AND LIVE(r) "
            "WHERE v.space_pk = ? ORDER BY r.pk",
            (space.pk,),
        )
        return [(row[0], row[1]) for row in rows]

    def every_vector(self, space: Space) -> list[tuple[int, bytes]]:
        """(number of the box, vector) of all there are, of versions of before too."""
        rows = self.sql.all("SELECT ref, data FROM sealed_vector WHERE space_pk = ? ORDER BY ref", (space.pk,))
        return [(row[0], row[1]) for row in rows]

    def without_vector(self, space: Space, *, limit: int) -> list[SealedBox]:
        """Boxes of live records whose texts are withheld and that this space does not hold yet."""
        rows = self.sql.all(
            f"{_SELECT} JOIN record r ON r.sealed = s.ref WHERE HEAD(r) AND LIVE(r) AND {WITHHELD} AND NOT EXISTS "
            "(SELECT 1 FROM sealed_vector v WHERE v.space_pk = ? AND v.ref = s.ref) ORDER BY s.ref LIMIT ?",
            (space.pk, limit),
        )
        return [SealedBox(*row) for row in rows]
