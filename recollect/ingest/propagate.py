"""A change of belief in one record moves belief in those that hang on it.

The design this comes from sets a neighbour's confidence to `source · factor · edge confidence`. Taken at its word, that
would pull a well-believed neighbour down whenever what validates it is confirmed, and push a corrected one up to four
fifths of its successor. So it is the *change* that travels here: a share of it, in the direction the relation means.

    validates, supports …   from the one that validates to the other
    derived_from            both ways: a statement stands and falls with its source, and speaks for it
    required_with           both ways
    contradicts, conflicts  both ways, turned around: what speaks for one speaks against the other
    supersedes              from the new one to the old one, turned around

A record that a person confirmed is not moved: their word stands until they take it back. A record is moved once, by
the strongest change that reaches it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.config.keeping import TrustSettings
from recollect.limits import PROPAGATION_DEPTH, PROPAGATION_RECORDS_MAX
from recollect.model.query import Criteria
from recollect.model.trust import accuracy
from recollect.store.base import Tx
from recollect.store.journal import Op

_TURNED = frozenset({"supersedes"})  # its factor says how much, and the label which way


def belief(row: Mapping[str, Any], scale: TrustSettings) -> float:
    """How far a record is believed by what is known of it alone, from its columns."""
    own = accuracy(
        scale,
        confidence=row["confidence"],
        verified=row["user_verified"],
        flagged=row["flagged"],
        successes=row["success_count"],
        failures=row["failure_count"],
    )
    return min(1.0, max(0.0, float(own)))


def share(label: str, edge_confidence: float, scale: TrustSettings) -> float:
    """What part of a change one relation passes on; negative where it turns the change around."""
    factor = scale.propagation.get(label, 0.0) * edge_confidence
    return -factor if label in _TURNED else factor


def propagate(
    tx: Tx,
    op: Op,
    changes: Mapping[int, float],
    *,
    visible: Criteria | None,
    scale: TrustSettings,
    spared: Iterable[int] = (),
) -> int:
    """Pass changes of belief on, hop by hop, among what the caller may see; how many records were moved.

    `changes` are those that have happened already, by record. Those `spared` are left alone.
    """
    seen = {*changes, *spared}
    moved = 0
    for _ in range(PROPAGATION_DEPTH):
        reached = _reached(tx, changes, seen, op.at, visible, scale)
        strongest = sorted(reached, key=lambda pk: (-abs(reached[pk]), pk))[: PROPAGATION_RECORDS_MAX - moved]
        seen.update(strongest)
        changes = {pk: change for pk in sorted(strongest) if (change := _move(tx, op, pk, reached[pk], scale))}
        moved += len(changes)
        if not changes:
            break
    return moved


def _reached(
    tx: Tx, changes: Mapping[int, float], seen: set[int], now: int, visible: Criteria | None, scale: TrustSettings
) -> dict[int, float]:
    """The strongest change that arrives at each neighbour; those too small to matter do not."""
    found: dict[int, float] = {}
    for source, target, label, confidence in _relations(tx, list(changes), now, visible, scale):
        arriving = changes[source] * share(label, confidence, scale)
        if target not in seen and abs(arriving) >= max(scale.propagation_min, abs(found.get(target, 0.0))):
            found[target] = arriving
    return found


def _relations(
    tx: Tx, pks: list[int], now: int, visible: Criteria | None, scale: TrustSettings
) -> list[tuple[int, int, str, float]]:
    """(from, to, label, confidence) of every relation that passes belief on from these records."""
    labels = [label for label, factor in scale.propagation.items() if factor]
    return tx.edges.passing_belief(pks, labels, visible, now=now)


def _move(tx: Tx, op: Op, pk: int, change: float, scale: TrustSettings) -> float:
    """Move a record's confidence; by how much that changed belief in it."""
    old = tx.records.columns_of(pk)
    assert old is not None
    confidence = min(1.0, max(0.0, old["confidence"] + change))
    if confidence == old["confidence"]:
        return 0.0
    tx.records.adjust(op, pk, old, {"confidence": confidence})
    return belief({**old, "confidence": confidence}, scale) - belief(old, scale)
