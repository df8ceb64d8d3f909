"""Edges that were found rather than stated: each kept once, and withdrawn when the words it rests on are gone.

They belong to the operation that stored the text they were found in, so that one undo takes both back. What people say
about a pair stands: an edge of the same label between the two, even a withdrawn one of the same evidence, is left as
it is, and the question is not put twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from recollect.errors import CycleRefused
from recollect.model.edge import rule_of
from recollect.perceive.relations.standing import CONTRADICTS, RELATES_TO, TextRelation
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.edges import NewEdge
from recollect.store.journal import Op
from recollect.store.relations import METHOD, READ_IN
from recollect.upkeep.relations.texts import LiveText

VERB = "relate"  # of an operation made for edges whose own is gone

_SETTLED = frozenset(("updates", "supersedes"))  # two of which one is the newer do not contradict each other


class TextRelations(NamedTuple):
    """What one text says about others. `row_pk` is the row that gave cause to read it."""

    note: LiveText
    row_pk: int
    relations: Sequence[tuple[TextRelation, LiveText]]

    @property
    def is_revision(self) -> bool:
        return self.row_pk != self.note.pk


def keep(tx: Tx, found: Iterable[TextRelations], *, methods: Sequence[str], now: int) -> int:
    """Store what is new, withdraw what a changed text no longer says; how many edges that made.

    `methods` are those that were tried: what others found in a changed text is not theirs to withdraw.
    """
    made = 0
    for each in found:
        if not each.note.is_unchanged(tx):
            continue
        new = [pair for pair in each.relations if pair[1].is_unchanged(tx)]
        if not new and not each.is_revision:
            continue
        op = tx.journal.of_row(each.row_pk, now=now, verb=VERB)
        if each.is_revision:
            _withdraw(tx, op, each, methods)
        for relation, other in new:
            edge = _edge(relation, each.note, other)
            if not _known(tx, edge):
                made += _insert(tx, op, edge)
    return made


def _edge(relation: TextRelation, note: LiveText, other: LiveText) -> NewEdge:
    start, end = (other.pk, note.pk) if relation.reverse else (note.pk, other.pk)
    return edges.pair(
        start,
        end,
        relation.label,
        confidence=relation.confidence,
        auto_extracted=True,
        evidence=[relation.evidence],
        attributes={METHOD: relation.method, READ_IN: note.row.id},
    )


def _known(tx: Tx, edge: NewEdge) -> bool:
    (start, _, _), (end, _, _) = edge.members
    for other in tx.relations.between(start, end):
        same = other.label == edge.label and (other.onward or rule_of(other.label).symmetric)
        if same and (other.live or other.evidence == list(edge.evidence)):
            return True
        if other.live and edge.label == CONTRADICTS and other.label in _SETTLED:
            return True
    return False


def _insert(tx: Tx, op: Op, edge: NewEdge) -> int:
    """One edge. Where its label may not lead back to where it starts and would, the two are merely related."""
    try:
        tx.edges.insert(op, [edge])
    except CycleRefused:
        pks = [pk for pk, _, _ in edge.members]
        plain = edges.pair(
            pks[0],
            pks[1],
            RELATES_TO,
            confidence=edge.confidence,
            auto_extracted=True,
            evidence=edge.evidence,
            attributes=edge.attributes,
        )
        if _known(tx, plain):
            return 0
        tx.edges.insert(op, [plain])
    return 1


def _withdraw(tx: Tx, op: Op, found: TextRelations, methods: Sequence[str]) -> None:
    """Of what was found in an earlier version, what this one does not say."""
    said = {_key(relation.label, 1 if relation.reverse else 0, other.pk) for relation, other in found.relations}
    gone = [
        each.pk
        for each in tx.relations.found_in(found.note.row.id, found.note.pk)
        if each.method in methods and _key(each.label, each.position, each.other_pk) not in said
    ]
    tx.edges.retire(op, sorted(gone))


def _key(label: str, position: int, other_pk: int) -> tuple[Any, ...]:
    return label, 0 if rule_of(label).symmetric else position, other_pk
