"""Stating and withdrawing relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.config.guarding import SecuritySettings
from recollect.errors import ContentTooLarge, NotFound, UsageError, shown
from recollect.ids import parse_id
from recollect.ingest import check
from recollect.limits import EDGE_MEMBERS_MAX, EVIDENCE_ITEMS_MAX, REASON_CHARS_MAX
from recollect.model.edge import Family, Role, rule_of
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.security.screening.policy import for_journals
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.edges import NewEdge


class Relating:
    """Edges over one store."""

    def __init__(self, store: Store, clock: Clock, config: LiveConfig) -> None:
        self._config = config
        self._store = store
        self._clock = clock

    def relate(
        self,
        members: Sequence[tuple[str, str | None, int]],
        label: Any,
        *,
        visible: Criteria | None,
        family: Any = None,
        weight: Any = 1.0,
        confidence: Any = 1.0,
        evidence: Any = None,
        valid_from: Any = None,
        valid_until: Any = None,
        auto_extracted: bool = False,
        actor: str | None = None,
        least: int = 2,
    ) -> str:
        """Store one edge; its id. Members are (record id, role or None for the label's own, position).

        `least` is how many different records they must be: relations join two, but other designs know edges of one.
        """
        name = check.name(label, "label")
        now = from_us(self._clock())
        values: dict[str, Any] = {
            "weight": check.figure(weight, "weight"),
            "confidence": check.share(confidence, "confidence"),
            "evidence": _evidence(evidence, self._config.current.security),
            "valid_from": check.moment(valid_from, "valid_from", now=now),
            "valid_until": check.moment(valid_until, "valid_until", now=now),
            "auto_extracted": auto_extracted,
        }
        _refuse_reversed_validity(values)
        family_name = None if family is None else check.one_of(Family, family, "family")
        ids = [parse_id(record_id) for record_id, _, _ in members]
        _check_members(ids, members, least)

        def work(tx: Tx) -> str:
            at = self._clock()
            pks = [tx.records.find_pk(record_id, visible, now=at) for record_id in ids]
            scope_pk = tx.records.scope_pk(pks[0])
            op = tx.journal.begin("relate", at=at, scope_pk=scope_pk, actor=actor)
            edge = _edge(pks, members, name, family_name, values)
            edge_id = tx.edges.insert(op, [edge])[0]
            op.finish(1)
            return edge_id

        return self._store.write(work)

    def unrelate(self, edge_id: str, *, visible: Criteria | None, actor: str | None = None) -> Receipt:
        """Withdraw an edge; undo brings it back. What it said had ended holds again."""
        wanted = parse_id(edge_id, "edge")

        def work(tx: Tx) -> Receipt:
            at = self._clock()
            pk = tx.edges.find_pk(wanted)
            if visible is not None and not tx.edges.is_seen(pk, visible, now=at):
                raise NotFound(f"no edge has the id {wanted}")
            scope_pk = tx.edges.scope_pk(pk)
            op = tx.journal.begin("unrelate", at=at, scope_pk=scope_pk, actor=actor)
            tx.endings.reject(op, [pk])
            op.finish(1)
            return Receipt(operation=op.id, ids=(wanted,), count=1)

        return self._store.write(work)

    def prune(
        self,
        *,
        min_confidence: float,
        max_per_record: int,
        decay_factor: float,
        decay_days: float,
        dry_run: bool,
        actor: str | None,
    ) -> tuple[str | None, int, int]:
        """(operation, decayed, retired). A dry run does the work and takes it back."""

        def work(tx: Tx) -> tuple[str | None, int, int]:
            op = tx.journal.begin("prune", at=self._clock(), actor=actor)
            decayed, retired = tx.edges.prune(
                op,
                min_confidence=min_confidence,
                max_per_record=max_per_record,
                decay_factor=decay_factor,
                decay_days=decay_days,
            )
            op.finish(decayed + retired)
            if dry_run:
                raise _DryRun(decayed, retired)
            return op.id, decayed, retired

        try:
            return self._store.write(work)
        except _DryRun as outcome:
            return None, outcome.decayed, outcome.retired


class _DryRun(Exception):
    """Carries the figures out of a transaction that is rolled back on purpose."""

    def __init__(self, decayed: int, retired: int) -> None:
        super().__init__("dry run")
        self.decayed, self.retired = decayed, retired


def _edge(
    pks: list[int],
    members: Sequence[tuple[str, str | None, int]],
    label: str,
    family: str | None,
    values: dict[str, Any],
) -> NewEdge:
    if len(pks) == 2 and all(role is None for _, role, _ in members):
        edge = edges.pair(pks[0], pks[1], label, **values)
        edge.family = family or edge.family
        return edge
    placed = [
        (pk, role or Role.PARTICIPANT.value, position) for pk, (_, role, position) in zip(pks, members, strict=True)
    ]
    return NewEdge(label=label, members=placed, family=family or rule_of(label).family.value, **values)


def _refuse_reversed_validity(values: dict[str, Any]) -> None:
    start, end = values["valid_from"], values["valid_until"]
    if start is not None and end is not None and end < start:
        raise UsageError("valid_until lies before valid_from; a relation cannot end before it begins")


def _check_members(ids: list[str], members: Sequence[tuple[str, str | None, int]], least: int) -> None:
    if not least <= len(members) <= EDGE_MEMBERS_MAX:
        raise UsageError(f"a relation has {least} to {EDGE_MEMBERS_MAX} members, not {len(members)}")
    for _, role, _ in members:
        if role is not None:
            check.one_of(Role, role, "role")
    if len(set(ids)) < least:
        raise UsageError("a relation joins at least two different records")
    if len({(record_id, role) for record_id, (_, role, _) in zip(ids, members, strict=True)}) < len(ids):
        raise UsageError("the same record is listed twice in the same role")


def _evidence(value: Any, settings: SecuritySettings) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, str | Sequence):
        raise UsageError(f"evidence is a text or a list of texts, not {shown(value, 40)}")
    items = [value] if isinstance(value, str) else list(value)
    if len(items) > EVIDENCE_ITEMS_MAX:
        raise ContentTooLarge(f"at most {EVIDENCE_ITEMS_MAX} pieces of evidence, not {len(items)}")
    return [for_journals(check.name(item, "evidence", chars_max=REASON_CHARS_MAX), settings) for item in items]
