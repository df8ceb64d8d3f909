"""Relations as upkeep reads them: plain links within a scope, and what was inferred from which of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.model.entity import fold
from recollect.store.base import Group, Row
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.journal import SPAN_MAX
from recollect.store.rows import from_json

METHOD, PREMISES, CHAIN, LAPSED = "method", "inferred_from", "chain", "lapsed"  # attributes of what was inferred
TRANSITIVE = "transitive"
_ENDS = (
    f"FROM edge e JOIN member here ON here.edge_pk = e.pk AND here.role IN {SOURCE_ROLES} JOIN member there "
    f"ON there.edge_pk = e.pk AND there.role IN {TARGET_ROLES} JOIN record a ON a.pk = here.record_pk "
    "JOIN record b ON b.pk = there.record_pk "
)
# An edge `e` that went with the operation that stored it: nobody withdrew it by itself, so whoever found it may again.
UNDONE = (
    "(e.retired_at IS NOT NULL AND EXISTS (SELECT 1 FROM journal j JOIN operation o ON o.pk = j.operation_pk "
    f"WHERE j.relation = 'edge' AND j.before IS NULL AND j.first_pk BETWEEN e.pk - {SPAN_MAX} AND e.pk "
    "AND j.last_pk >= e.pk AND o.undone_by IS NOT NULL))"
)
_LIVE_ENDS = "LIVE(a) AND LIVE(b)"


class Link(NamedTuple):
    """One plain relation from a record to another of the same scope. `chain`: on how many stated ones it rests."""

    pk: int
    id: str
    label: str
    source: int
    target: int
    confidence: float
    chain: int
    premises: tuple[str, ...]


class Told(NamedTuple):
    """A statement that relates its subject to its object. `chain`: on how many stated ones it rests."""

    pk: int
    id: str
    content: str
    subject: str
    predicate: str
    object: str
    confidence: float
    security: str
    turn_pk: int | None
    chain: int
    premises: tuple[str, ...]


class Relations(Group):
    """Told and inferred relations of one scope."""

    def links(self, scope_pk: int, labels: Sequence[str], *, now: int) -> list[Link]:
        """Plain links of these labels between live records of a scope that hold now, oldest first."""
        rows = self.sql.all(
            f"SELECT e.pk, e.id, e.label, here.record_pk, there.record_pk, e.confidence, e.attributes {_ENDS} "
            f"WHERE LIVE(e) AND e.label IN ({', '.join('?' * len(labels))}) AND {_LIVE_ENDS} "
            "AND a.scope_pk = ? AND b.scope_pk = ? AND (e.valid_until IS NULL OR e.valid_until > ?) "
            "AND (SELECT count(*) FROM member m WHERE m.edge_pk = e.pk) = 2 ORDER BY e.pk",
            (*labels, scope_pk, scope_pk, now),
        )
        return [_link(row) for row in rows]

    def inferred_links(self, scope_pk: int) -> list[Link]:
        """Links that were inferred, and are still there."""
        rows = self.sql.all(
            f"SELECT e.pk, e.id, e.label, here.record_pk, there.record_pk, e.confidence, e.attributes {_ENDS} "
            f"WHERE LIVE(e) AND e.auto_extracted = 1 AND e.attributes ->> '$.{METHOD}' = ? "
            "AND a.scope_pk = ? ORDER BY e.pk",
            (TRANSITIVE, scope_pk),
        )
        return [_link(row) for row in rows]

    def standing(self, edge_ids: Iterable[str]) -> dict[str, float]:
        """Of these edges those that still hold, between live records, with their confidence."""
        found: dict[str, float] = {}
        for edge_id in set(edge_ids):
            row = self.sql.one(f"SELECT e.confidence {_ENDS} WHERE e.id = ? AND LIVE(e) AND {_LIVE_ENDS}", (edge_id,))
            if row is not None:
                found[edge_id] = float(row[0])
        return found

    def withdrawn(self, source: int, target: int, label: str) -> bool:
        """Whether such a link was there and somebody took it away; one that lapsed with its premises does not count."""
        return bool(
            self.sql.value(
                f"SELECT 1 {_ENDS} WHERE here.record_pk = ? AND there.record_pk = ? AND e.label = ? "
                f"AND e.retired_at IS NOT NULL AND e.attributes ->> '$.{LAPSED}' IS NULL AND NOT {UNDONE} LIMIT 1",
                (source, target, label),
            )
        )

    def told(self, scope_pk: int, *, now: int) -> list[Told]:
        """Affirmative statements of a scope with a subject, a predicate and an object that hold now, oldest first."""
        rows = self.sql.all(
            "SELECT pk, id, content, subject, predicate, object, confidence, security, turn_pk, attributes FROM record "
            "WHERE scope_pk = ? AND retired_at IS NULL AND head_pk IS NULL AND subject IS NOT NULL "
            "AND predicate IS NOT NULL AND object IS NOT NULL AND kind = 'semantic' AND flagged = 0 AND tier <> "
            "'archive' "
            "AND coalesce(attributes ->> '$.polarity', '+') = '+' AND coalesce(attributes ->> '$.ended', 0) = 0 "
            "AND coalesce(attributes ->> '$.tense', 'present') <> 'future' "
            "AND (valid_until IS NULL OR valid_until > ?) ORDER BY pk",
            (scope_pk, now),
        )
        out = []
        for *values, attributes in rows:
            known = from_json(attributes, {})
            out.append(Told._make((*values, int(known.get(CHAIN, 1)), tuple(known.get(PREMISES, ())))))
        return out

    def is_told(self, scope_pk: int, content_hash: str) -> bool:
        """Whether a scope holds this very statement, or held it and somebody took it away."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM record r WHERE r.content_hash = ? AND r.scope_pk = ? AND HEAD(r) "
                f"AND (LIVE(r) OR (r.attributes ->> '$.{METHOD}' = ? "
                f"AND r.attributes ->> '$.{LAPSED}' IS NULL AND NOT EXISTS (SELECT 1 FROM journal j JOIN operation o "
                "ON o.pk = j.operation_pk WHERE j.relation = 'record' AND j.before IS NULL "
                f"AND j.first_pk BETWEEN r.pk - {SPAN_MAX} AND r.pk AND j.last_pk >= r.pk "
                "AND o.undone_by IS NOT NULL))) LIMIT 1",
                (content_hash, scope_pk, TRANSITIVE),
            )
        )


def thing(name: str) -> str:
    """A subject or object as it is compared: without its article."""
    folded = fold(name).strip(" .,;:!?\"'")
    for article in ("the ", "a ", "an "):
        folded = folded.removeprefix(article)
    return folded


def _link(row: Row) -> Link:
    *values, attributes = row
    known = from_json(attributes, {})
    return Link._make((*values, int(known.get(CHAIN, 1)), tuple(known.get(PREMISES, ()))))
