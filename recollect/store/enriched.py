"""What the summaries of entities were made from, and the mean direction of the records that name each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.store.base import Group
from recollect.store.vectors import Space

RECORDS_MAX = 200  # of an entity, newest first, that it is summed up by
_ABOUT = (  # records that name it, and statements drawn from such records; of its own scope, and nothing secret
    "SELECT r.pk, r.content, r.subject, r.predicate, r.object, r.kind, coalesce(JSON_TEXT(r.attributes, "
    "'$.polarity'), '+'), "
    "r.importance + r.confidence, JSON_TEXT(r.perceived, '$.key_fact') FROM record r WHERE {} AND r.scope_pk = ? "
    "AND LIVE(r) AND HEAD(r) AND r.flagged = 0 AND r.security = 'cleartext' "
    "AND r.kind <> 'schema' AND r.tier <> 'archive' AND HOLDS(r, ?)"
)


class Due(NamedTuple):
    """An entity that is named often enough, and what its summary was made from before."""

    pk: int
    id: str
    name: str
    type: str
    scope_pk: int
    mentions: int
    newest_pk: int
    summary: str | None
    mentions_before: int | None
    newest_before: int | None


class SaidOfEntity(NamedTuple):
    """What a record says that names an entity."""

    pk: int
    content: str
    subject: str | None
    predicate: str | None
    object: str | None
    kind: str
    polarity: str
    worth: float
    key_fact: str | None


class Enriched(Group):
    """What is told about an entity from further away."""

    def due(self, scope_pk: int, *, mentions_min: int) -> list[Due]:
        """Entities of a scope that its own records name so often, and that more of them name than before."""
        rows = self.sql.all(
            "SELECT e.pk, e.id, e.name, e.type, e.scope_pk, count(*), max(m.record_pk), e.summary, n.mentions, "
            "n.newest_pk "
            "FROM entity e JOIN mention m ON m.entity_pk = e.pk JOIN record r ON r.pk = m.record_pk "
            "AND LIVE(r) AND r.scope_pk = e.scope_pk LEFT JOIN enriched n ON n.entity_pk = e.pk "
            "WHERE e.scope_pk = ? AND LIVE(e) GROUP BY e.pk, n.entity_pk "
            "HAVING count(*) >= ? AND (e.summary IS NULL OR n.entity_pk IS NULL OR count(*) <> n.mentions "
            "OR max(m.record_pk) <> n.newest_pk) ORDER BY count(*) DESC, e.pk",
            (scope_pk, mentions_min),
        )
        return [Due(*row) for row in rows]

    def said_about(self, entity: Due, *, now: int) -> list[SaidOfEntity]:
        """What its newest records say, newest first."""
        named = self.sql.all(
            "SELECT record_pk FROM mention WHERE entity_pk = ? ORDER BY record_pk DESC LIMIT ?",
            (entity.pk, RECORDS_MAX),
        )
        pks = [row[0] for row in named]
        rows = self.sql.all(_ABOUT.format("r.pk IN KEYS(?)"), (self.sql.keys(pks), entity.scope_pk, now))
        rows += self.sql.all(_ABOUT.format("r.turn_pk IN KEYS(?)"), (self.sql.keys(pks), entity.scope_pk, now))
        return sorted({SaidOfEntity(*row) for row in rows}, key=lambda each: -each.pk)

    def unchanged(self, said: Sequence[SaidOfEntity]) -> bool:
        """Whether these records still say what they said."""
        rows = self.sql.all(
            "SELECT pk, content FROM record WHERE pk IN KEYS(?) AND LIVE(record)",
            (self.sql.keys([each.pk for each in said]),),
        )
        return dict(rows) == {each.pk: each.content for each in said}

    def keep(
        self, entity: Due, mentions: int, direction: NDArray[np.float32] | None, *, space: Space | None, at: int
    ) -> None:
        """Note what an entity was summed up by; `mentions` as they were when its summary was written."""
        blob = None if space is None or direction is None else space.encode(direction)
        self.sql.run(
            "INSERT INTO enriched (entity_pk, mentions, newest_pk, space_pk, centroid, at) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (entity_pk) DO UPDATE SET mentions = excluded.mentions, newest_pk = excluded.newest_pk, "
            "space_pk = excluded.space_pk, centroid = excluded.centroid, at = excluded.at",
            (entity.pk, mentions, entity.newest_pk, space.pk if space else None, blob, at),
        )

    def centroids(self, scope_pk: int, space: Space) -> dict[int, NDArray[np.float32]]:
        """The mean directions of the entities of a scope, as far as they were enriched."""
        rows = self.sql.all(
            "SELECT n.entity_pk, n.centroid FROM enriched n JOIN entity e ON e.pk = n.entity_pk AND LIVE(e) "
            "WHERE e.scope_pk = ? AND n.space_pk = ? AND n.centroid IS NOT NULL ORDER BY n.entity_pk",
            (scope_pk, space.pk),
        )
        return {pk: space.decode([blob])[0] for pk, blob in rows}

    def unwritten(self) -> int:
        """How many summaries wait for a model's words."""
        return int(self.sql.value("SELECT count(*) FROM enriched WHERE mentions = 0"))
