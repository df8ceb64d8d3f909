"""Hyperedges in the database: insert, change, retire, prune, load."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from recollect.clock import DAY_US, from_us, maybe_from_us
from recollect.errors import CycleRefused, NotFound
from recollect.ids import new_ids
from recollect.model.edge import LABELS, Edge, Family, Member, Role, rule_of
from recollect.model.query import Criteria
from recollect.store import before, changes
from recollect.store.base import Group, Row
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

# A directed relation runs from these roles to those; where a label tells it from the other end, the roles say so.
SOURCE_ROLES = "('subject', 'cause')"
TARGET_ROLES = "('object', 'effect')"
SYMMETRIC = "(" + ", ".join(f"'{label}'" for label, rule in LABELS.items() if rule.symmetric) + ")"
PROVENANCE = "('derived_from', 'inferred_from', 'supersedes')"  # where a record comes from: never one too many
ENDS = "('supersedes', 'may_replace')"  # what has ended or may have: an end rests on it, so it is never pruned
DECAYED_TO = "decayed_to"  # attribute of an edge: up to when its loss of confidence is counted already
_INSERT_EDGE = (
    "INSERT INTO edge (pk, id, family, label, weight, confidence, evidence, auto_extracted, attributes, valid_from, "
    "valid_until, recorded_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_COLUMNS = (
    "pk",
    "id",
    "family",
    "label",
    "weight",
    "confidence",
    "evidence",
    "auto_extracted",
    "attributes",
    "valid_from",
    "valid_until",
    "recorded_at",
    "retired_at",
)


@dataclass(slots=True, kw_only=True)
class NewEdge:
    """An edge to be stored: members are (record pk, role, position)."""

    label: str
    members: Sequence[tuple[int, str, int]]
    family: str = "relation"
    weight: float = 1.0
    confidence: float = 1.0
    evidence: Sequence[str] = ()
    auto_extracted: bool = False
    attributes: dict[str, Any] = field(default_factory=dict)
    valid_from: int | None = None
    valid_until: int | None = None


def pair(source_pk: int, target_pk: int, label: str, **values: Any) -> NewEdge:
    """A plain A→B link with the roles its label calls for."""
    rule = rule_of(label)
    roles = ("cause", "effect") if rule.family is Family.CAUSATION else ("subject", "object")
    if rule.reverse_of is not None:  # "A caused_by B": B is the cause
        roles = (roles[1], roles[0])
    members = ((source_pk, roles[0], 0), (target_pk, roles[1], 1))
    return NewEdge(label=label, family=rule.family.value, members=members, **values)


_PASSES_ON = f"""(
    e.label IN {SYMMETRIC} OR (here.role IN {SOURCE_ROLES} AND there.role IN {TARGET_ROLES})
    OR (e.label = 'derived_from' AND here.role IN {TARGET_ROLES} AND there.role IN {SOURCE_ROLES})
)"""


class Pruning(NamedTuple):
    """What a pruning would do: new columns of edges that have faded, and edges that go."""

    decayed: list[tuple[int, dict[str, Any]]]
    gone: list[int]


class ToldEdge(NamedTuple):
    """A relation from one record to another, with the names that a caller gave them where there are any."""

    pk: int
    source_pk: int
    target_pk: int
    source: str
    target: str
    label: str
    confidence: float
    evidence: list[Any]
    auto_extracted: bool
    attributes: dict[str, Any]
    recorded_at: int
    id: str


class Edges(Group):
    """Relations among records: insert, revise, retire, prune, load."""

    def insert(self, op: Op, new: Sequence[NewEdge]) -> list[str]:
        """Store edges; their public ids. An edge that would close a circle of an acyclic label is refused."""
        if not new:
            return []
        first = self.sql.next_key("edge")
        ids = new_ids(len(new))
        for offset, edge in enumerate(new):
            if rule_of(edge.label).acyclic:
                self._refuse_cycle(edge)
            self._write(first + offset, ids[offset], edge, op.at)
        op.inserted("edge", first, first + len(new) - 1)
        self.tx.changes.announce("edge", first, first + len(new) - 1)
        return ids

    def insert_chain(self, op: Op, label: str, pks: Sequence[int]) -> None:
        """Link neighbours in one go: each record to the one before it. For labels that may form circles only."""
        assert not rule_of(label).acyclic
        self.insert_links(op, label, [(later, earlier) for earlier, later in pairwise(pks)])

    def insert_links(self, op: Op, label: str, links: Sequence[tuple[int, int]]) -> None:
        """Many plain links in one go, (from, to). No circle is looked for: nothing may lead to the records they start
        at,
        because those are new."""
        if not links:
            return
        rule = rule_of(label)
        first = self.sql.next_key("edge")
        ids = new_ids(len(links))
        self.sql.many(
            _INSERT_EDGE,
            (
                (pk, edge_id, rule.family.value, label, 1.0, 1.0, None, 0, None, None, None, op.at)
                for pk, edge_id in enumerate(ids, first)
            ),
        )
        members = [
            row
            for pk, (start, end) in enumerate(links, first)
            for row in ((pk, start, "subject", 0), (pk, end, "object", 1))
        ]
        self.sql.many("INSERT INTO member (edge_pk, record_pk, role, position) VALUES (?, ?, ?, ?)", members)
        op.inserted("edge", first, first + len(ids) - 1)
        self.tx.changes.announce("edge", first, first + len(ids) - 1)

    def _write(self, pk: int, edge_id: str, edge: NewEdge, at: int) -> None:
        self.sql.run(
            _INSERT_EDGE,
            (
                pk,
                edge_id,
                edge.family,
                edge.label,
                edge.weight,
                edge.confidence,
                to_json(list(edge.evidence)),
                int(edge.auto_extracted),
                to_json(edge.attributes),
                edge.valid_from,
                edge.valid_until,
                at,
            ),
        )
        self.sql.many(
            "INSERT INTO member (edge_pk, record_pk, role, position) VALUES (?, ?, ?, ?)",
            ((pk, record_pk, role, position) for record_pk, role, position in edge.members),
        )

    def _refuse_cycle(self, edge: NewEdge) -> None:
        """Walk on from the targets along the same relation: arriving at a source would close a circle."""
        sources = [pk for pk, role, _ in edge.members if role in ("subject", "cause")]
        targets = [pk for pk, role, _ in edge.members if role in ("object", "effect")]
        labels = ("causes", "caused_by") if edge.label in ("causes", "caused_by") else (edge.label,)
        found = self.sql.value(
            "WITH RECURSIVE walk(pk) AS (SELECT value FROM EACH_KEY(?) k UNION SELECT onward.record_pk FROM walk "
            f"JOIN member here ON here.record_pk = walk.pk AND here.role IN {SOURCE_ROLES} "
            f"JOIN edge e ON e.pk = here.edge_pk AND LIVE(e) AND e.label IN "
            f"({', '.join('?' * len(labels))}) "
            f"JOIN member onward ON onward.edge_pk = e.pk AND onward.role IN {TARGET_ROLES}) "
            "SELECT 1 FROM walk WHERE pk IN KEYS(?) LIMIT 1",
            (self.sql.keys(targets), *labels, self.sql.keys(sources)),
        )
        if found:
            raise CycleRefused(
                f"{edge.label!r} would lead back to where it starts; remove the opposite relation first, "
                "or use a label such as relates_to"
            )

    def refuse_circles(self, first_pk: int, last_pk: int) -> None:
        """For edges that came back: those of an acyclic label must still lead nowhere near where they start."""
        rows = self.sql.all("SELECT pk, label FROM edge WHERE pk BETWEEN ? AND ? AND LIVE(edge)", (first_pk, last_pk))
        for pk, label in rows:
            if rule_of(label).acyclic:
                members = self.sql.all("SELECT record_pk, role, position FROM member WHERE edge_pk = ?", (pk,))
                self._refuse_cycle(NewEdge(label=label, members=[(m[0], m[1], m[2]) for m in members]))

    def revise(self, op: Op, pk: int, new: dict[str, Any]) -> None:
        """Change columns of an edge; the old values go to the journal, and what was thought of it stays known."""
        names = list(new)
        row = self.sql.one(f"SELECT {', '.join(names)} FROM edge WHERE pk = ?", (pk,))
        assert row is not None
        old = dict(zip(names, row, strict=True))
        op.changed("edge", [pk], old)
        self.tx.before.note_edge(op, pk, {name: value for name, value in old.items() if value != new[name]})
        if new.get("retired_at") is not None:  # gone again, but believed until now
            new = {**new, "retired_at": op.at}
        self.write_columns(pk, new)

    def write_columns(self, pk: int, values: dict[str, Any]) -> None:
        """Set columns and tell the feed. Journalling is the caller's."""
        self.sql.run(f"UPDATE edge SET {', '.join(f'{n} = ?' for n in values)} WHERE pk = ?", [*values.values(), pk])
        self.tx.changes.announce("edge", pk, pk)

    def retire(self, op: Op, pks: Iterable[int]) -> list[int]:
        """Stop believing edges; the ones that changed."""
        live = [
            row[0]
            for row in self.sql.all(
                "SELECT pk FROM edge WHERE pk IN KEYS(?) AND LIVE(edge) ORDER BY pk", (self.sql.keys(pks),)
            )
        ]
        self.sql.run("UPDATE edge SET retired_at = ? WHERE pk IN KEYS(?)", (op.at, self.sql.keys(live)))
        op.changed("edge", live, {"retired_at": None})
        for first, last in changes.spans(live):
            self.tx.changes.announce("edge", first, last)
        return live

    def prune(
        self, op: Op, *, min_confidence: float, max_per_record: int, decay_factor: float, decay_days: float
    ) -> tuple[int, int]:
        """Forget weak relations: (decayed, retired). Everything is journalled."""
        found = self.to_prune(
            op.at,
            min_confidence=min_confidence,
            max_per_record=max_per_record,
            decay_factor=decay_factor,
            decay_days=decay_days,
        )
        for pk, values in found.decayed:
            self.revise(op, pk, values)
        return len(found.decayed), len(self.retire(op, found.gone))

    def to_prune(
        self, now: int, *, min_confidence: float, max_per_record: int, decay_factor: float, decay_days: float
    ) -> Pruning:
        """The weak relations.

        Automatically found edges lose confidence by `decay_factor` for every `decay_days` of age; what falls below
        `min_confidence` goes, and of each record's outgoing edges only the most confident stay. Edges a person
        or a program stated are neither decayed nor dropped for their age, and neither is `updates`: which of two
        facts is the newer one does not fade. What ended a record, or may have, is not touched at all.
        """
        rows = self.sql.all(
            "SELECT pk, confidence, auto_extracted = 1 AND label <> 'updates', recorded_at, attributes FROM edge "
            f"WHERE LIVE(edge) AND label NOT IN {ENDS} ORDER BY pk"
        )
        decayed: list[tuple[int, dict[str, Any]]] = []
        weak: list[int] = []
        confidence_of: dict[int, float] = {}
        period = int(decay_days * DAY_US)
        for pk, confidence, fades, recorded_at, text in rows:
            attributes = from_json(text, {})
            since = attributes.get(DECAYED_TO, recorded_at)
            periods = max(0, now - since) // period if fades else 0
            confidence_of[pk] = confidence * decay_factor**periods
            if confidence_of[pk] < min_confidence:
                weak.append(pk)
            elif confidence_of[pk] != confidence:
                # Whole periods only: what is left of this one counts at the next pruning.
                attributes = attributes | {DECAYED_TO: since + periods * period}
                decayed.append((pk, {"confidence": confidence_of[pk], "attributes": to_json(attributes)}))
        crowded = self._over_fan_out(confidence_of, set(weak), max_per_record)
        return Pruning(decayed, sorted({*weak, *crowded}))

    def _over_fan_out(self, confidence_of: dict[int, float], gone: set[int], keep: int) -> list[int]:
        """Edges beyond the `keep` most confident ones that start at the same record."""
        outgoing: dict[int, list[int]] = {}
        for record_pk, edge_pk in self.sql.each(
            f"SELECT m.record_pk, m.edge_pk FROM member m JOIN edge e ON e.pk = m.edge_pk AND LIVE(e) "
            f"WHERE m.role IN {SOURCE_ROLES} AND e.label NOT IN {PROVENANCE} AND e.label NOT IN {ENDS}"
        ):
            if edge_pk not in gone:
                outgoing.setdefault(record_pk, []).append(edge_pk)
        return [
            edge_pk
            for edge_pks in outgoing.values()
            if len(edge_pks) > keep
            for edge_pk in sorted(edge_pks, key=lambda pk: (-confidence_of[pk], -pk))[keep:]
        ]

    def any_edge(self) -> bool:
        """Whether anything was ever related."""
        return bool(self.sql.value("SELECT EXISTS (SELECT 1 FROM edge)"))

    def find_pk(self, edge_id: str) -> int:
        pk = self.sql.value("SELECT pk FROM edge WHERE id = ? AND LIVE(edge)", (edge_id,))
        if pk is None:
            raise NotFound(f"no edge has the id {edge_id}")
        return int(pk)

    def is_known(self, edge_id: str) -> bool:
        """Whether a relation has this id, a withdrawn one too."""
        return bool(self.sql.value("SELECT 1 FROM edge WHERE id = ?", (edge_id,)))

    def scope_pk(self, pk: int) -> int | None:
        """The scope of the first record that a relation joins."""
        found: int | None = self.sql.value(
            "SELECT r.scope_pk FROM member m JOIN record r ON r.pk = m.record_pk WHERE m.edge_pk = ? "
            "ORDER BY m.position LIMIT 1",
            (pk,),
        )
        return found

    def columns_of(self, pk: int, names: Sequence[str]) -> Row:
        """These columns of a relation."""
        row = self.sql.one(f"SELECT {', '.join(names)} FROM edge WHERE pk = ?", (pk,))
        assert row is not None
        return row

    def is_seen(self, pk: int, criteria: Criteria, *, now: int) -> bool:
        """Whether the criteria let a reader see every record that a relation joins."""
        clause, params = self.tx.criteria.where(criteria, now=now, times=False)
        unseen = self.sql.value(
            "SELECT 1 FROM member m JOIN record r ON r.pk = m.record_pk WHERE m.edge_pk = ? "
            f"AND ({clause}) IS NOT TRUE LIMIT 1",
            [pk, *params],
        )
        return unseen is None

    def joins(self, source: int, target: int, label: str) -> bool:
        """Whether a live relation of this label joins two records."""
        return bool(
            self.sql.value(
                "SELECT 1 FROM member a JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? "
                "JOIN edge e ON e.pk = a.edge_pk AND e.label = ? AND LIVE(e) WHERE a.record_pk = ? LIMIT 1",
                (target, label, source),
            )
        )

    def live_members(self, pk: int) -> dict[int, str]:
        """The live records that a relation joins, key and id."""
        return dict(
            self.sql.all(
                "SELECT r.pk, r.id FROM member m JOIN record r ON r.pk = m.record_pk WHERE m.edge_pk = ? AND LIVE(r)",
                (pk,),
            )
        )

    def passing_belief(
        self, pks: Sequence[int], labels: Sequence[str], criteria: Criteria | None, *, now: int
    ) -> list[tuple[int, int, str, float]]:
        """(from, to, label, confidence) of every relation of these labels that passes belief on from these records."""
        clause, params = ("1 = 1", []) if criteria is None else self.tx.criteria.where(criteria, now=now, times=False)
        rows = self.sql.all(
            "SELECT here.record_pk, there.record_pk, e.label, e.confidence "
            "FROM member here JOIN edge e ON e.pk = here.edge_pk "
            "JOIN member there ON there.edge_pk = e.pk AND there.record_pk <> here.record_pk "
            "JOIN record r ON r.pk = there.record_pk "
            f"WHERE here.record_pk IN KEYS(?) AND e.label IN ({', '.join('?' * len(labels)) or 'NULL'}) "
            "AND LIVE(e) AND HOLDS(e, ?) "
            f"AND {_PASSES_ON} AND LIVE(r) AND r.user_verified = 0 AND {clause} ORDER BY e.pk",
            [self.sql.keys(pks), *labels, now, *params],
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def told(self, labels: Sequence[str], *, now: int, among: Sequence[int] | None = None) -> list[ToldEdge]:
        """Live relations of two records with these labels, oldest first: all, or those of some records."""
        named = "JSON_TEXT({0}.attributes, '$.node_id')"
        where = "edge e", "1 = 1"
        if among is not None:
            where = "member here JOIN edge e ON e.pk = here.edge_pk", "here.record_pk IN KEYS(?)"
        rows = self.sql.all(
            f"SELECT DISTINCT e.pk, s.record_pk, t.record_pk, coalesce({named.format('sr')}, sr.id), "
            f"coalesce({named.format('tr')}, tr.id), e.label, e.confidence, e.evidence, e.auto_extracted, "
            f"e.attributes, e.recorded_at, e.id FROM {where[0]} JOIN member s ON s.edge_pk = e.pk AND s.position = 0 "
            "JOIN member t ON t.edge_pk = e.pk AND t.position = 1 JOIN record sr ON sr.pk = s.record_pk "
            "AND LIVE(sr) JOIN record tr ON tr.pk = t.record_pk AND LIVE(tr) "
            f"WHERE LIVE(e) AND e.label IN ({', '.join('?' * len(labels))}) "
            f"AND HOLDS(e, ?) AND {where[1]} ORDER BY e.pk",
            [*labels, now, *([] if among is None else [self.sql.keys(among)])],
        )
        return [
            ToldEdge._make((*row[:7], from_json(row[7], []), bool(row[8]), from_json(row[9], {}), *row[10:]))
            for row in rows
        ]

    def beginning(self, text: str, limit: int = 8) -> list[tuple[int, str]]:
        """(key, id) of edges whose ids begin so."""
        sql = "SELECT pk, id FROM edge WHERE id >= ? AND id < ? AND LIVE(edge) ORDER BY id LIMIT ?"
        return [(row[0], row[1]) for row in self.sql.all(sql, (text, text + "g", limit))]

    def load(
        self,
        pks: Iterable[int],
        visible: dict[int, str],
        hidden: Collection[int] = (),
        *,
        known_at: int | None = None,
        least: int = 2,
    ) -> list[Edge]:
        """Edges with the members among `visible` (record pk to id); edges with fewer records than `least` are left out.

        Of an edge with a `hidden` member the evidence stays back: it may speak of what the reader may not see. With
        `known_at` they are as they were believed then.
        """
        keys = list(pks)
        members: dict[int, list[Member]] = {}
        guarded: set[int] = set()
        for edge_pk, record_pk, role, position in self.sql.all(
            "SELECT edge_pk, record_pk, role, position FROM member WHERE edge_pk IN KEYS(?) ORDER BY edge_pk, position",
            (self.sql.keys(keys),),
        ):
            if record_pk in visible:
                member = Member(record_id=visible[record_pk], role=Role(role), position=position)
                members.setdefault(edge_pk, []).append(member)
            elif record_pk in hidden:
                guarded.add(edge_pk)
        columns = ", ".join(before.edge_column(name, known_at) for name in _COLUMNS)
        rows = self.sql.all(f"SELECT {columns} FROM edge e WHERE e.pk IN KEYS(?) ORDER BY e.pk", (self.sql.keys(keys),))
        joined = {pk for pk, found in members.items() if len({member.record_id for member in found}) >= least}
        edges = [(row[0], _edge_of(row, members[row[0]])) for row in rows if row[0] in joined]
        return [replace(edge, evidence=(), attributes={}) if pk in guarded else edge for pk, edge in edges]

    def ids(self, pks: Iterable[int]) -> dict[int, str]:
        """The public ids of edges, by key."""
        return dict(self.sql.all("SELECT pk, id FROM edge WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))

    def labels(self, pks: Iterable[int]) -> dict[int, str]:
        """The labels of edges, by key."""
        return dict(self.sql.all("SELECT pk, label FROM edge WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))

    def strengths(self, pks: Iterable[int], *, besides: Collection[str] = ()) -> dict[int, float]:
        """How strong edges are, at most 1, by key; those with a label `besides` are left out."""
        sql = "SELECT pk, weight * confidence, label FROM edge WHERE pk IN KEYS(?)"
        rows = self.sql.all(sql, (self.sql.keys(pks),))
        return {pk: min(strength, 1.0) for pk, strength, label in rows if label not in besides}

    def told_by(self, pks: Iterable[int]) -> dict[int, dict[str, Any]]:
        """The attributes of edges that have any, by key."""
        sql = "SELECT pk, attributes FROM edge WHERE pk IN KEYS(?) AND attributes IS NOT NULL"
        return {pk: from_json(attributes, {}) for pk, attributes in self.sql.all(sql, (self.sql.keys(pks),))}

    def members_of(self, edge_pks: Iterable[int]) -> set[int]:
        """The records that these edges join."""
        rows = self.sql.all(
            "SELECT DISTINCT record_pk FROM member WHERE edge_pk IN KEYS(?)", (self.sql.keys(edge_pks),)
        )
        return {row[0] for row in rows}

    def live_ids(self, pks: Iterable[int]) -> dict[int, str]:
        """The public ids of those of these edges that stand, by key."""
        sql = "SELECT pk, id FROM edge WHERE pk IN KEYS(?) AND LIVE(edge)"
        return dict(self.sql.all(sql, (self.sql.keys(pks),)))


def _edge_of(row: Sequence[Any], members: Sequence[Member]) -> Edge:
    (
        _,
        id_,
        family,
        label,
        weight,
        confidence,
        evidence,
        auto,
        attributes,
        valid_from,
        valid_until,
        recorded_at,
        retired_at,
    ) = row
    return Edge(
        id=id_,
        family=Family(family),
        label=label,
        members=tuple(members),
        weight=weight,
        confidence=confidence,
        evidence=tuple(from_json(evidence, [])),
        auto_extracted=bool(auto),
        attributes=from_json(attributes, {}),
        valid_from=maybe_from_us(valid_from),
        valid_until=maybe_from_us(valid_until),
        recorded_at=from_us(recorded_at),
        retired_at=maybe_from_us(retired_at),
    )
