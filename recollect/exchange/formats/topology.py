"""A folder that RFC-014's own code saved: nodes.json with places and facets, graph.json with relations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.clock import to_us
from recollect.errors import ContentTooLarge, UsageError
from recollect.exchange.formats.base import time_in
from recollect.exchange.formats.made_rows import MadeEdge, MadeRows
from recollect.exchange.formats.structured import value_of
from recollect.ids import id_of_name
from recollect.ingest import check
from recollect.limits import IMPORT_BYTES_MAX, REASON_CHARS_MAX
from recollect.model.edge import rule_of
from recollect.store.rows import from_json

NAME = "topology"
NODES, GRAPH = "nodes.json", "graph.json"
AWAITED = "awaited"  # the category of a node that edges name and nobody stored yet
# The labels of RFC-014's relations; they are ours.
RELATIONS = frozenset(
    {
        "elaborates",
        "summarizes",
        "exemplifies",
        "contradicts",
        "supports",
        "qualifies",
        "depends_on",
        "supersedes",
        "relates_to",
        "follows",
        "updates",
    }
)


def is_folder(path: Path) -> bool:
    """Whether RFC-014's code saved its store here."""
    return (path / NODES).is_file()


def read_folder(path: Path) -> MadeRows:
    """The nodes and relations of a folder. What is no node is a `UsageError` that says where."""
    nodes = _read(path / NODES)
    if not all(isinstance(node, Mapping) for node in nodes.values()):
        raise UsageError(f"{NODES} must map ids to nodes; nothing was imported")
    made = MadeRows(NAME)
    for key, node in nodes.items():
        node_id = str(node.get("id") or key)
        made.records[id_of_name(node_id)] = _record(node_id, node, made)
    graph = _read(path / GRAPH) if (path / GRAPH).is_file() else {}
    told: set[tuple[frozenset[str] | tuple[str, str], str]] = set()
    for at, edge in enumerate(graph.get("edges") or (), start=1):
        _take_edge(edge, f"edge {at} of {GRAPH}", made, told)
    if (path / "embeddings").exists():
        made.notes.append("vectors of the old index are not taken over: give nodes theirs again, or search by words")
    return made


def _read(path: Path) -> dict[str, Any]:
    if path.stat().st_size > IMPORT_BYTES_MAX:
        raise ContentTooLarge(f"{path.name} has more than {IMPORT_BYTES_MAX} bytes")
    try:
        found = value_of(path.read_bytes(), path.name)
    except UsageError as error:
        raise type(error)(f"{error.message}; nothing was imported") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path.name} must be an object, not {type(found).__name__}; nothing was imported")
    return found


def _record(node_id: str, node: Mapping[str, Any], made: MadeRows) -> dict[str, Any]:
    where = f"node {node_id[:60]!r}"
    try:
        content = check.content(node.get("content"), bytes_max=None)
        check.name(node_id, "id")
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}; nothing was imported") from None
    place = _part(check.place, _told(node.get("spatial")), where, "place", made)
    kind, category = "semantic", "fact"
    if place is not None:
        talked = place.get("position_type") == "conversation"
        kind, category = ("episodic", "experience") if talked else ("snippet", "snippet")
    dates = {name: node[name] for name in ("created_at", "updated_at") if isinstance(node.get(name), str)}
    at = time_in(node, "created_at")
    values = {
        "content": content,
        "kind": kind,
        "category": category,
        "place": place,
        "facets": _part(check.facets, _told(node.get("facets")), where, "facets", made),
        "event_time": None if at is None else to_us(at),
        "attributes": {"node_id": node_id, **dates},
    }
    return {name: value for name, value in values.items() if value is not None}


def _told(given: Any) -> dict[str, Any] | None:
    """What a part says; ranges of nothing and empty lists say nothing."""
    if not isinstance(given, Mapping):
        return None
    return {name: value for name, value in given.items() if value not in (None, [], [0, 0], "")}


def _part(checked: Any, given: dict[str, Any] | None, where: str, what: str, made: MadeRows) -> dict[str, Any] | None:
    try:
        kept: dict[str, Any] | None = from_json(checked(given), None)
    except UsageError as error:
        made.notes.append(f"{where} comes without its {what}: {error.message}")
        return None
    return kept


def _take_edge(edge: Any, where: str, made: MadeRows, told: set[tuple[frozenset[str] | tuple[str, str], str]]) -> None:
    """Relations that go both ways stand in the file twice."""
    ends = [edge.get(name) for name in ("source_id", "target_id")] if isinstance(edge, Mapping) else [None, None]
    label = edge.get("relation") if isinstance(edge, Mapping) else None
    if label not in RELATIONS or not all(isinstance(end, str) and end for end in ends) or ends[0] == ends[1]:
        made.notes.append(f"{where} is no relation between two nodes; it was left out")
        return
    source, target = str(ends[0]), str(ends[1])
    key = (frozenset((source, target)) if rule_of(label).symmetric else (source, target), str(label))
    if key in told:
        return
    told.add(key)
    for end in (source, target):
        awaited = {
            "content": end,
            "kind": "entity",
            "category": AWAITED,
            "tier": "archive",
            "decay_rate": 0.0,
            "attributes": {"node_id": end},
        }
        made.records.setdefault(id_of_name(end), awaited)
    confidence, why = edge.get("confidence", 1.0), str(edge.get("evidence") or "")[:REASON_CHARS_MAX]
    values: dict[str, Any] = {
        "confidence": min(1.0, max(0.0, float(confidence))) if isinstance(confidence, int | float) else 1.0,
        "evidence": [why] if why.strip() else [],
        "auto_extracted": int(bool(edge.get("auto_extracted"))),
        "attributes": {"timestamp": str(edge.get("timestamp") or "")},
    }
    if (at := time_in(edge, "timestamp")) is not None:
        values["recorded_at"] = to_us(at)
    members = [(id_of_name(source), "subject", 0), (id_of_name(target), "object", 1)]
    made.edges.append(MadeEdge(label=str(label), members=members, values=values))
