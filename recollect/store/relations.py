"""Relations as upkeep reads them: plain links within a scope, and what was inferred from which of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from recollect.limits import SPAN_MAX
from recollect.model.entity import fold
from recollect.store.base import Group, Row
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.journal import MAKING_UNDONE
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


class ToldRelation(NamedTuple):
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


READ_IN = "read_in"  # attribute of an edge that was found: the record whose text says so
_DECIDED_BETWEEN = (
    "SELECT a.record_pk, b.record_pk, e.label, e.pk, e.auto_extracted = 1 AND LIVE(e) FROM member a "
    "JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk <> a.record_pk "
    "JOIN edge e ON e.pk = a.edge_pk AND e.label IN ('supersedes', 'updates', 'contradicts') "
    "WHERE a.record_pk IN KEYS(?) AND b.record_pk IN KEYS(?) "
    f"AND JSON_TEXT(e.attributes, '$.{LAPSED}') IS NULL AND NOT {UNDONE} ORDER BY e.pk, a.record_pk"
)


class Decided(NamedTuple):
    """An edge that says which of two records holds, or that they contradict. `found`: upkeep made it, and it stands."""

    one: int
    other: int
    label: str
    edge_pk: int
    found: bool


class Between(NamedTuple):
    """An edge between two records, live or not. `onward`: it leads from the first to the second."""

    label: str
    live: bool
    evidence: list[str]
    onward: bool


class FoundIn(NamedTuple):
    """An edge that was found in a text: by which method, at which end of it the text stands, and the other end."""

    pk: int
    label: str
    method: str | None
    position: int
    other_pk: int


class Inferred(NamedTuple):
    """A statement that was inferred."""

    pk: int
    id: str
    attributes: dict[str, Any]


# A statement counts as the turn that it speaks for: that is what stands in the tree of summaries.
_DOUBTED = (
    "SELECT coalesce(r.turn_pk, r.pk) FROM edge e JOIN member m ON m.edge_pk = e.pk "
    "JOIN record r ON r.pk = m.record_pk AND LIVE(r) "
    "WHERE e.label IN ('contradicts', 'conflicts_with') AND LIVE(e) "
    "UNION SELECT coalesce(r.turn_pk, r.pk) FROM record r WHERE r.needs_review = 1 AND LIVE(r) "
    "AND HEAD(r) "
    "UNION SELECT coalesce(r.turn_pk, r.pk) FROM question q JOIN record r ON r.pk IN (q.record_pk, q.other_pk) "
    "AND LIVE(r) WHERE q.dismissed_at IS NULL "
    "AND EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.made_by AND o.undone_by IS NULL) "
    "AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.pk = q.answered_by AND o.undone_by IS NULL)"
)


class Relations(Group):
    """Told and inferred relations of one scope."""

    def links(self, scope_pk: int, labels: Sequence[str], *, now: int) -> list[Link]:
        """Plain links of these labels between live records of a scope that hold now, oldest first."""
        rows = self.sql.all(
            f"SELECT e.pk, e.id, e.label, here.record_pk, there.record_pk, e.confidence, e.attributes {_ENDS} "
            f"WHERE LIVE(e) AND e.label IN ({', '.join('?' * len(labels))}) AND {_LIVE_ENDS} "
            "AND a.scope_pk = ? AND b.scope_pk = ? AND HOLDS(e, ?) "
            "AND (SELECT count(*) FROM member m WHERE m.edge_pk = e.pk) = 2 ORDER BY e.pk",
            (*labels, scope_pk, scope_pk, now),
        )
        return [_link(row) for row in rows]

    def inferred_links(self, scope_pk: int) -> list[Link]:
        """Links that were inferred, and are still there."""
        rows = self.sql.all(
            f"SELECT e.pk, e.id, e.label, here.record_pk, there.record_pk, e.confidence, e.attributes {_ENDS} "
            f"WHERE LIVE(e) AND e.auto_extracted = 1 AND JSON_TEXT(e.attributes, '$.{METHOD}') = ? "
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
                f"AND e.retired_at IS NOT NULL AND JSON_TEXT(e.attributes, '$.{LAPSED}') IS NULL AND NOT "
                f"{UNDONE} LIMIT 1",
                (source, target, label),
            )
        )

    def told(self, scope_pk: int, *, now: int) -> list[ToldRelation]:
        """Affirmative statements of a scope with a subject, a predicate and an object that hold now, oldest first."""
        rows = self.sql.all(
            "SELECT pk, id, content, subject, predicate, object, confidence, security, turn_pk, attributes FROM record "
            "WHERE scope_pk = ? AND LIVE(record) AND HEAD(record) AND subject IS NOT NULL "
            "AND predicate IS NOT NULL AND object IS NOT NULL AND kind = 'semantic' AND flagged = 0 AND tier <> "
            "'archive' "
            "AND coalesce(JSON_TEXT(attributes, '$.polarity'), '+') = '+' AND coalesce(JSON_INT(attributes, "
            "'$.ended'), 0) = 0 "
            "AND coalesce(JSON_TEXT(attributes, '$.tense'), 'present') <> 'future' "
            "AND HOLDS(record, ?) ORDER BY pk",
            (scope_pk, now),
        )
        out = []
        for *values, attributes in rows:
            known = from_json(attributes, {})
            out.append(ToldRelation._make((*values, int(known.get(CHAIN, 1)), tuple(known.get(PREMISES, ())))))
        return out

    def is_told(self, scope_pk: int, content_hash: str) -> bool:
        """Whether a scope holds this very statement, or held it and somebody took it away."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM record r WHERE r.content_hash = ? AND r.scope_pk = ? AND HEAD(r) "
                f"AND (LIVE(r) OR (JSON_TEXT(r.attributes, '$.{METHOD}') = ? "
                f"AND JSON_TEXT(r.attributes, '$.{LAPSED}') IS NULL AND NOT {MAKING_UNDONE})) LIMIT 1",
                (content_hash, scope_pk, TRANSITIVE),
            )
        )

    def decided_between(self, pks: Collection[int]) -> list[Decided]:
        """What is said of any two of these about which of them holds, by edges that stand or that a person withdrew."""
        keys = self.sql.keys(pks)
        rows = self.sql.all(_DECIDED_BETWEEN, (keys, self.sql.keys(pks)))
        return [Decided(one, other, label, edge_pk, bool(found)) for one, other, label, edge_pk, found in rows]

    def topic_of_change(self, pk: int) -> list[str] | None:
        """What a question has to speak of for a record to have taken another's place; None where it took none."""
        text = self.sql.value(
            "SELECT e.attributes FROM member m JOIN edge e ON e.pk = m.edge_pk AND LIVE(e) "
            "AND e.label IN ('supersedes', 'updates') AND e.attributes IS NOT NULL "
            "WHERE m.record_pk = ? AND m.position = 0 ORDER BY e.pk LIMIT 1",
            (pk,),
        )
        return None if text is None else list(from_json(text, {}).get("about") or ())

    def topics_of_order(self, newer_pk: int, older_pk: int) -> list[list[str]]:
        """What each edge that puts one record before another is about; those that a person withdrew included."""
        rows = self.sql.all(
            "SELECT e.attributes FROM member a JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? "
            "JOIN edge e ON e.pk = a.edge_pk AND e.label IN ('supersedes', 'updates') "
            f"WHERE a.record_pk = ? AND a.position = 0 AND NOT {UNDONE} ORDER BY e.pk",
            (older_pk, newer_pk),
        )
        return [list(from_json(text, {}).get("about") or ()) for (text,) in rows]

    def is_replaced(self, one_pk: int, other_pk: int) -> bool:
        """Whether an edge, even one that a person withdrew, says that one of the two took the other's place."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM member a JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? "
                "JOIN edge e ON e.pk = a.edge_pk AND e.label = 'supersedes' "
                f"WHERE a.record_pk = ? AND NOT {UNDONE} LIMIT 1",
                (one_pk, other_pk),
            )
        )

    def is_ordered(self, newer_pk: int, older_pk: int) -> bool:
        """Whether any edge, even a withdrawn one, says which of the two is the newer."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM member a JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? "
                "JOIN edge e ON e.pk = a.edge_pk WHERE a.record_pk = ? AND e.label IN ('updates', 'supersedes') "
                "LIMIT 1",
                (older_pk, newer_pk),
            )
        )

    def is_joined(self, one_pk: int, other_pk: int, *, even_withdrawn: str) -> bool:
        """Whether a relation holds between the two; one of the label `even_withdrawn` counts even when it is gone."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM member a JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? "
                "JOIN edge e ON e.pk = a.edge_pk AND (LIVE(e) OR e.label = ?) "
                "WHERE a.record_pk = ? LIMIT 1",
                (other_pk, even_withdrawn, one_pk),
            )
        )

    def has_cause(self, cause_pk: int, effect_pk: int) -> bool:
        """Whether one of the two is held to be the cause of the other."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM member a JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? JOIN edge e "
                "ON e.pk = a.edge_pk AND LIVE(e) AND e.family = 'causation' WHERE a.record_pk = ? LIMIT 1",
                (effect_pk, cause_pk),
            )
        )

    def between(self, start_pk: int, end_pk: int) -> list[Between]:
        """All edges that ever joined two records, and whether each leads from the first to the second."""
        rows = self.sql.all(
            "SELECT e.label, LIVE(e), e.evidence, start.position < stop.position FROM member start "
            "JOIN member stop ON stop.edge_pk = start.edge_pk AND stop.record_pk = ? "
            "JOIN edge e ON e.pk = start.edge_pk WHERE start.record_pk = ? ORDER BY e.pk",
            (end_pk, start_pk),
        )
        return [
            Between(label, bool(live), from_json(evidence, []), bool(onward)) for label, live, evidence, onward in rows
        ]

    def found_in(self, record_id: str, pk: int) -> list[FoundIn]:
        """The live edges that were found in the text of a record, which is one of their ends."""
        rows = self.sql.all(
            f"SELECT e.pk, e.label, JSON_TEXT(e.attributes, '$.{METHOD}'), m.position, o.record_pk FROM member m "
            "JOIN edge e ON e.pk = m.edge_pk AND e.auto_extracted = 1 AND LIVE(e) "
            f"AND JSON_TEXT(e.attributes, '$.{READ_IN}') = ? "
            "JOIN member o ON o.edge_pk = e.pk AND o.record_pk <> m.record_pk WHERE m.record_pk = ? ORDER BY e.pk",
            (record_id, pk),
        )
        return [FoundIn._make(row) for row in rows]

    def lapsed(self, scope_pk: int, *, now: int) -> list[Inferred]:
        """Statements of a scope that were inferred, not confirmed, and of which a premise is gone or has ended."""
        rows = self.sql.all(
            f"SELECT i.pk, i.id, i.attributes FROM record i WHERE i.scope_pk = ? AND HEAD(i) AND LIVE(i) "
            f"AND i.user_verified = 0 AND JSON_TEXT(i.attributes, '$.{METHOD}') = ? "
            "AND EXISTS (SELECT 1 FROM member here JOIN edge e ON e.pk = here.edge_pk AND e.label = ? "
            "AND LIVE(e) JOIN member there ON there.edge_pk = e.pk AND there.role = 'object' "
            "JOIN record p ON p.pk = there.record_pk AND (p.retired_at IS NOT NULL OR p.valid_until <= ?) "
            "WHERE here.record_pk = i.pk AND here.role = 'subject') ORDER BY i.pk",
            (scope_pk, TRANSITIVE, PREMISES, now),
        )
        return [Inferred(pk, record_id, from_json(attributes, {})) for pk, record_id, attributes in rows]

    def by_domain(self, only: int | None = None) -> dict[int, int]:
        """How many records of each domain of the tree of summaries are in doubt; of one, where that is all one asks."""
        of_one = "" if only is None else " AND c.parent_pk = ?"
        rows = self.sql.all(
            "SELECT c.parent_pk, count(DISTINCT m.record_pk) FROM summary_member m JOIN summary c ON c.pk = "
            "m.summary_pk "
            f"AND c.live = 1 AND c.parent_pk IS NOT NULL WHERE m.record_pk IN ({_DOUBTED}){of_one} "
            "GROUP BY c.parent_pk",
            [] if only is None else [only],
        )
        return {int(pk): int(count) for pk, count in rows}


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
