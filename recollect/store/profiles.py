"""What is known about an entity: its records, its company, and what it is near to in meaning.

Everything is read from the records that the criteria allow, so nobody learns of a mention that is not theirs to see.
What could be long is bounded: the newest records stand for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.model.entity import Companion, Entity, EntityProfile, EntityType
from recollect.model.query import Criteria
from recollect.store import entities
from recollect.store.base import Group

RECORDS_MAX = 2_000  # of an entity, newest first, in which its company is looked for
CENTROID_RECORDS = 100  # of an entity, newest first, that stand for what it is about
LISTED_MAX = 1_000  # entities, last seen first, among which the most mentioned are listed
COMPARED_MAX = 40  # entities, last seen first, whose meaning is compared
TOGETHER, SIMILAR, NEWEST, TELLING = 10, 5, 5, 5  # how many of each a profile shows
_CLEARLY = 0.02  # nearer in meaning by this much
_LIVE_RECORDS = "LIVE(r)"

Clause = tuple[str, Sequence[Any]]


class Profiles(Group):
    """What is known about one entity, worked out of its records."""

    def profile(self, pk: int, criteria: Criteria, *, now: int) -> EntityProfile | None:
        """Everything about an entity that these criteria let see; None when that is nothing."""
        clause = self.tx.criteria.where(criteria, now=now)
        entity = self.tx.entities.load([pk], *clause).get(pk)
        if entity is None:
            return None
        newest, telling = self._newest(pk, clause, NEWEST), self._telling(pk, entity, clause)
        loaded = self.tx.records.load([*newest, *telling])
        return EntityProfile(
            entity=entity,
            together=self.together(pk, clause),
            similar=self.similar(pk, criteria, clause),
            newest=tuple(loaded[each] for each in newest),
            telling=tuple(loaded[each] for each in telling),
        )

    def listed(self, criteria: Criteria, *, now: int, type_: EntityType | None, limit: int) -> list[Entity]:
        """The most mentioned entities among those seen last."""
        pks = self._last_seen(criteria, type_, LISTED_MAX)
        rows = self.sql.all(  # by the index alone; the records are looked at for those that are listed
            "SELECT e.pk, (SELECT count(*) FROM mention m WHERE m.entity_pk = e.pk) FROM entity e "
            f"WHERE e.pk IN KEYS(?) AND {entities.LIVE} ORDER BY 2 DESC, 1 LIMIT ?",
            (self.sql.keys(pks), limit),
        )
        found = self.tx.entities.load([row[0] for row in rows], *self.tx.criteria.where(criteria, now=now))
        return sorted(found.values(), key=lambda entity: -entity.mention_count)

    def together(self, pk: int, clause: Clause) -> tuple[Companion, ...]:
        """Entities that the same records name, the most frequent first."""
        record_pks = self._newest(pk, clause, RECORDS_MAX)
        rows = self.sql.all(
            "SELECT m.entity_pk, count(*) FROM mention m JOIN entity e ON e.pk = m.entity_pk AND LIVE(e) "
            "WHERE m.record_pk IN KEYS(?) AND m.entity_pk <> ? GROUP BY m.entity_pk ORDER BY 2 DESC, 1 LIMIT ?",
            (self.sql.keys(record_pks), pk, TOGETHER),
        )
        named = self.tx.entities.load([row[0] for row in rows], *clause)
        return tuple(Companion(name=named[k].name, type=named[k].type, count=count) for k, count in rows if k in named)

    def similar(self, pk: int, criteria: Criteria, clause: Clause) -> tuple[Companion, ...]:
        """Entities whose records are about similar things, the nearest first."""
        others = [other for other in self._last_seen(criteria, None, COMPARED_MAX) if other != pk]
        own = self.centroids([pk], clause).get(pk)
        if own is None:
            return ()
        near = sorted(
            ((float(own @ each), other) for other, each in self.centroids(others, clause).items()), reverse=True
        )
        named = self.tx.entities.load([other for _, other in near[:SIMILAR]], *clause)
        return tuple(
            Companion(name=named[other].name, type=named[other].type, similarity=cosine)
            for cosine, other in near[:SIMILAR]
            if other in named
        )

    def centroids(
        self, pks: Iterable[int], clause: Clause = (_LIVE_RECORDS, ()), *, without: int = 0
    ) -> dict[int, NDArray[np.float32]]:
        """The mean direction of each entity's newest records; entities without vectors are left out."""
        space = next(iter(self.tx.vectors.spaces()), None)
        out: dict[int, NDArray[np.float32]] = {}
        for pk in pks if space is not None else ():
            assert space is not None
            near = [each for each in self._newest(pk, clause, CENTROID_RECORDS) if each != without]
            _, rows = self.tx.vectors.load(space, near)
            mean = rows.mean(axis=0) if len(rows) else None
            if mean is not None and (norm := float(np.linalg.norm(mean))) > 0:
                out[pk] = (mean / norm).astype(np.float32)
        return out

    def nearest(self, record_pk: int, pks: Sequence[int], *, above: float) -> int | None:
        """Which of these entities a record is about, by meaning: near enough, and clearly nearer than the others."""
        space = next(iter(self.tx.vectors.spaces()), None)
        _, own = (
            self.tx.vectors.load(space, [record_pk])
            if space is not None
            else (None, np.empty((0, 0), dtype=np.float32))
        )
        if not len(own):
            return None
        by_nearness = sorted(
            ((float(own[0] @ each), pk) for pk, each in self.centroids(pks, without=record_pk).items()), reverse=True
        )
        if not by_nearness or by_nearness[0][0] <= above:
            return None
        clear = len(by_nearness) == 1 or by_nearness[0][0] - by_nearness[1][0] > _CLEARLY
        return by_nearness[0][1] if clear else None

    def _newest(self, pk: int, clause: Clause, limit: int) -> list[int]:
        rows = self.sql.all(
            "SELECT m.record_pk FROM mention m JOIN record r ON r.pk = m.record_pk "
            f"WHERE m.entity_pk = ? AND {clause[0]} ORDER BY m.record_pk DESC LIMIT ?",
            [pk, *clause[1], limit],
        )
        return [row[0] for row in rows]

    def _telling(self, pk: int, entity: Entity, clause: Clause) -> list[int]:
        """Of the newest records that name it or are about it, those that say most: statements about it that matter."""
        names = [entity.name, *entity.aliases]
        candidates = [
            *self._newest(pk, clause, CENTROID_RECORDS),
            *self.tx.entities.about(names, limit=CENTROID_RECORDS),
        ]
        folded = [entities.fold(name) for name in names]
        rows = self.sql.all(
            "SELECT r.pk FROM record r WHERE r.pk IN KEYS(?) AND "
            f"{clause[0]} ORDER BY "
            f"CASE WHEN FOLDED(coalesce(r.subject, '')) IN ({', '.join('?' * len(folded))}) THEN 1.0 ELSE 0.0 END "
            "+ CASE WHEN r.kind IN ('semantic', 'opinion', 'entity') THEN 0.5 ELSE 0.0 END + r.importance + "
            "r.confidence DESC, r.pk DESC "
            "LIMIT ?",
            [self.sql.keys(candidates), *clause[1], *folded, TELLING],
        )
        return [row[0] for row in rows]

    def _last_seen(self, criteria: Criteria, type_: EntityType | None, limit: int) -> list[int]:
        visible = self.tx.scopes.visible(criteria.scope, criteria.reach)
        parts, params = ["LIVE(entity)"], []
        if visible is not None:
            parts, params = [*parts, "scope_pk IN KEYS(?)"], [self.sql.keys(visible)]
        if type_ is not None:
            parts, params = [*parts, "type = ?"], [*params, type_.value]
        sql = f"SELECT pk FROM entity WHERE {' AND '.join(parts)} ORDER BY last_seen DESC, pk DESC LIMIT ?"
        return [row[0] for row in self.sql.all(sql, [*params, limit])]
