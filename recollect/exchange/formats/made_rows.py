"""Rows of an export made of what another design stored: records with ids of their own, and relations between them.

What has ids is taken over with them, so that it may come again, and is found by them afterwards.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from recollect.model.edge import CIRCULAR, rule_of

_EDGES = uuid.UUID("0f4c9a53-7d0e-4d0b-8d8e-5e6b1c3a2f71")  # makes the id of an edge that has none
_SCOPE_PK = 1


@dataclass(slots=True, kw_only=True)
class MadeEdge:
    """A relation: members are (id of the record, role, position)."""

    label: str
    members: list[tuple[str, str, int]]
    id: str | None = None
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class MadeRows:
    """What a store of another design gives: records by their ids, relations, and a word about what it left out."""

    format: str
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: list[MadeEdge] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lines(self, now: int) -> Iterator[dict[str, Any]]:
        """The rows in the order of an export; all of them are global."""
        yield {"table": "scope", "pk": _SCOPE_PK, "consolidated_to": 0}
        pks: dict[str, int] = {}
        for pk, (id_, values) in enumerate(self.records.items(), start=1):
            pks[id_] = pk
            at = values.get("created_at", now)
            usual = {
                "scope_pk": _SCOPE_PK,
                "created_at": at,
                "updated_at": at,
                "recorded_at": at,
                "version": 1,
                "tier": "longterm",
                "confidence": 1.0,
                "importance": 0.5,
                "strength": 1.0,
                "security": "cleartext",
                "source": f"import:{self.format}",
                "perceived": {},
            }
            yield {"table": "record", "pk": pk, "id": id_, **usual, **values}
        circular = _closing(self.edges)
        joined: list[tuple[int, MadeEdge]] = list(enumerate(self.edges, start=1))
        for pk, edge in joined:
            label = CIRCULAR + edge.label if pk - 1 in circular else edge.label
            usual = {"family": rule_of(edge.label).family.value, "weight": 1.0, "confidence": 1.0, "recorded_at": now}
            yield {"table": "edge", "pk": pk, "id": edge.id or _edge_id(edge), **usual, "label": label, **edge.values}
        for pk, edge in joined:
            for id_, role, position in sorted(edge.members, key=lambda member: (member[2], pks[member[0]], member[1])):
                yield {"table": "member", "edge_pk": pk, "record_pk": pks[id_], "role": role, "position": position}


def _edge_id(edge: MadeEdge) -> str:
    ends = "\0".join(f"{id_}\0{role}" for id_, role, _ in edge.members)
    return str(uuid.uuid5(_EDGES, f"{edge.label}\0{ends}"))


def _closing(edges: list[MadeEdge]) -> set[int]:
    """Which edges lead back to where they start, of labels that allow no circles: one depth-first walk for each."""
    found: set[int] = set()
    for label in {edge.label for edge in edges if rule_of(edge.label).acyclic}:
        onward: dict[str, list[tuple[str, int]]] = {}
        for at, edge in enumerate(edges):
            if edge.label == label:
                sources = [id_ for id_, role, _ in edge.members if role in ("subject", "cause")]
                targets = [id_ for id_, role, _ in edge.members if role in ("object", "effect")]
                for source in sources:
                    onward.setdefault(source, []).extend((target, at) for target in targets)
        found |= _back_edges(onward)
    return found


def _back_edges(onward: dict[str, list[tuple[str, int]]]) -> set[int]:
    found: set[int] = set()
    done: set[str] = set()
    for start in onward:
        if start in done:
            continue
        open_: dict[str, Iterator[tuple[str, int]]] = {start: iter(onward[start])}
        while open_:
            here = next(reversed(open_))
            step = next(open_[here], None)
            if step is None:
                done.add(here)
                del open_[here]
            elif step[0] in open_:
                found.add(step[1])
            elif step[0] not in done:
                open_[step[0]] = iter(onward.get(step[0], ()))
    return found
