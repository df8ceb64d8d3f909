"""A database with SPEC-02's own schema: nodes, hyperedges, membership."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from recollect.clock import EARLIEST_US, LATEST_US
from recollect.errors import UsageError
from recollect.exchange.formats.made_rows import MadeEdge, MadeRows
from recollect.ids import id_of_name, is_id
from recollect.ingest import check
from recollect.model.edge import Role
from recollect.store import foreign

NAME = "hypergraph"
UNLABELLED = "unlabelled"  # the label of an edge that was given none
# What each type of node is here: its kind and its category.
KINDS: Mapping[str, tuple[str, str]] = {
    "entity": ("entity", "entity"),
    "fact": ("semantic", "fact"),
    "experience": ("episodic", "experience"),
    "decision": ("semantic", "decision"),
    "snippet": ("snippet", "snippet"),
}
_TABLES = {"nodes": {"id", "type", "content"}, "hyperedges": {"id", "type"}, "membership": {"node_id", "role"}}
_NODE = (
    "id",
    "type",
    "subtype",
    "content",
    "embedding",
    "tier",
    "confidence",
    "provenance",
    "created_at",
    "updated_at",
    "last_accessed",
    "access_count",
    "metadata",
)


def is_database(path: str) -> bool:
    """Whether a database file has the tables of SPEC-02."""
    found = foreign.tables(path)
    return all(columns <= set(found.get(name, ())) for name, columns in _TABLES.items())


def read_database(path: str) -> MadeRows:
    """Its nodes with their ids, times and counts, and its hyperedges. A node that cannot be kept is a `UsageError`."""
    there = foreign.tables(path)
    made = MadeRows(NAME)
    ids: dict[str, str] = {}
    for node in foreign.rows(path, "nodes", [name for name in _NODE if name in there["nodes"]]):
        ids[str(node["id"])] = id_of_name(str(node["id"]))
        made.records[id_of_name(str(node["id"]))] = _record(node)
    edges = {
        str(row["id"]): row
        for row in foreign.rows(
            path, "hyperedges", [name for name in ("id", "type", "label", "weight") if name in there["hyperedges"]]
        )
    }
    columns = [name for name in ("hyperedge_id", "node_id", "role", "position") if name in there["membership"]]
    members: dict[str, list[tuple[str, str, int]]] = {}
    for row in foreign.rows(path, "membership", columns):
        if str(row["node_id"]) in ids and row["role"] in set(Role):
            position = row.get("position")
            at = position if isinstance(position, int) and position >= 0 else 0
            members.setdefault(str(row["hyperedge_id"]), []).append((ids[str(row["node_id"])], str(row["role"]), at))
        else:
            made.notes.append("a membership of a node that is not there, or in an unknown role, was left out")
    for id_, row in edges.items():
        if id_ not in members:
            made.notes.append(f"hyperedge {id_[:60]} joins nothing; it was left out")
            continue
        weight = row.get("weight")
        values = {"family": row["type"], "weight": 1.0 if weight is None else weight}
        label = str(row.get("label") or UNLABELLED)
        made.edges.append(MadeEdge(label=label, members=members[id_], id=id_of_name(id_), values=values))
    if "evolution_log" in there:
        made.notes.append("the log of moves between tiers stays in the old file")
    return made


def _record(node: Mapping[str, Any]) -> dict[str, Any]:
    where = f"node {str(node['id'])[:60]!r}"
    try:
        content = check.content(node["content"], bytes_max=None)
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}; nothing was imported") from None
    if node["type"] not in KINDS:
        raise UsageError(f"{where} has the unknown type {node['type']!r:.40}; nothing was imported")
    kind, category = KINDS[node["type"]]
    kept = {name: node.get(name) for name in ("subtype", "provenance")}
    if isinstance(node.get("embedding"), bytes):
        kept["embedding"] = base64.b64encode(node["embedding"]).decode()
    if not is_id(node["id"]):
        kept["node_id"] = str(node["id"])
    values: dict[str, Any] = {
        "content": content,
        "kind": kind,
        "category": category,
        "tier": node.get("tier") or "task",
        "confidence": 0.5 if node.get("confidence") is None else node["confidence"],
        "access_count": max(0, int(node.get("access_count") or 0)),
        "metadata": _metadata(node.get("metadata")),
        "attributes": {name: value for name, value in kept.items() if value is not None},
    }
    for ours, theirs in (("created_at", "created_at"), ("updated_at", "updated_at"), ("last_access", "last_accessed")):
        at = node.get(theirs)
        if isinstance(at, int) and EARLIEST_US <= at * 1000 <= LATEST_US:
            values[ours] = at * 1000  # milliseconds
    return {name: value for name, value in values.items() if value is not None}


def _metadata(given: Any) -> dict[str, Any] | None:
    try:
        found = json.loads(given) if isinstance(given, str) else None
    except ValueError:
        return None
    return found if isinstance(found, dict) and found else None
