"""Graphs of Zep and Graphiti: episodes, nodes, and edges with facts and the times in which they held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from recollect.exchange.formats.base import ForeignItem, Read, key_of, message, name_in, text_in, time_in
from recollect.exchange.formats.structured import Value

_EPISODES = ("episodes", "episodic_nodes", "messages")
_NODES = ("nodes", "entities", "entity_nodes")
_EDGES = ("edges", "facts", "entity_edges", "relevant_facts")
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}


def is_graph(value: Any) -> bool:
    """Whether a value is such a graph, or a part of one."""
    if not isinstance(value, Mapping):
        return False
    if text_in(value, "fact") is not None or ("episode_body" in value or "source_description" in value):
        return True
    return any(
        isinstance(value.get(name), list) and any(isinstance(each, Mapping) for each in value[name][:20])
        for name in (*_EPISODES[:2], *_NODES, *_EDGES)
    )


def read_graph(values: Iterable[Value]) -> Read:
    """Episodes as turns or texts, facts as statements with the times in which they held, nodes by their summaries."""
    out = Read("import:graphiti")
    nodes: dict[str, str] = {}
    parts = list(_parts(values))
    for _, kind, each in parts:
        if kind == "node" and name_in(each, "uuid", "id") and name_in(each, "name"):
            nodes[str(name_in(each, "uuid", "id"))] = str(name_in(each, "name"))
    readers = {"episode": _episode, "edge": _fact, "node": _node}
    for where, kind, each in parts:
        item = readers[kind](each, where, nodes)
        if item is not None:
            out.take(item)
        elif kind != "node":  # a node without a summary is in the facts that name it
            out.skip(where, f"is no {kind} with words in it")
    return out


def _parts(values: Iterable[Value]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for where, value in values:
        if not isinstance(value, Mapping):
            continue
        found = False
        for kind, names in (("node", _NODES), ("episode", _EPISODES), ("edge", _EDGES)):
            for name in names:
                if isinstance(value.get(name), list) and not text_in(value, "fact", "content"):
                    found = True
                    for at, each in enumerate(value[name], start=1):
                        if isinstance(each, Mapping):
                            yield f"{where}, {name} {at}", kind, each
        if not found:
            yield where, _kind_of(value), value


def _kind_of(value: Mapping[str, Any]) -> str:
    if text_in(value, "fact") is not None:
        return "edge"
    return "episode" if text_in(value, "content", "episode_body") is not None else "node"


def _episode(each: Mapping[str, Any], where: str, nodes: Mapping[str, str]) -> ForeignItem | None:
    text = text_in(each, "content", "episode_body", "body")
    if text is None:
        return None
    original = name_in(each, "uuid", "id")
    role = _ROLES.get(str(each.get("role_type") or each.get("role") or "").lower())
    more = {"role": role, "name": name_in(each, "role", "name")} if role else {"kind": "episodic"}
    metadata = {"source_description": text_in(each, "source_description")}
    return ForeignItem(
        message(
            text,
            key=original,
            metadata={name: value for name, value in metadata.items() if value},
            timestamp=time_in(each, "valid_at", "reference_time", "created_at"),
            **more,
        ),
        key_of(original, text),
        where,
        _scope(each),
        name_in(each, "session_id", "thread_id"),
    )


def _fact(each: Mapping[str, Any], where: str, nodes: Mapping[str, str]) -> ForeignItem | None:
    text = text_in(each, "fact")
    if text is None:
        return None
    original = name_in(each, "uuid", "id")
    begins, ends = time_in(each, "valid_at", "created_at"), time_in(each, "invalid_at", "expired_at")
    if begins is not None and ends is not None and ends < begins:
        begins = None  # it ended before anybody heard of it: true until then, since whenever
    episodes = each.get("episodes")
    metadata = {"episodes": episodes} if isinstance(episodes, list) and episodes else {}
    return ForeignItem(
        message(
            text,
            key=original,
            metadata=metadata,
            kind="semantic",
            timestamp=begins,
            valid_from=begins,
            valid_until=ends,
            predicate=name_in(each, "name"),
            subject=nodes.get(str(each.get("source_node_uuid"))) or name_in(each, "source_node_name"),
            object=nodes.get(str(each.get("target_node_uuid"))) or name_in(each, "target_node_name"),
        ),
        key_of(original, text),
        where,
        _scope(each),
    )


def _node(each: Mapping[str, Any], where: str, nodes: Mapping[str, str]) -> ForeignItem | None:
    name, summary = name_in(each, "name"), text_in(each, "summary")
    if name is None or summary is None:
        return None
    original = name_in(each, "uuid", "id")
    text = summary if name.casefold() in summary.casefold() else f"{name}: {summary}"
    return ForeignItem(
        message(text, key=original, kind="entity", subject=name, timestamp=time_in(each, "created_at")),
        key_of(original, text),
        where,
        _scope(each),
    )


def _scope(each: Mapping[str, Any]) -> dict[str, str]:
    """Zep keeps users apart by their id; a group is what a project is here."""
    found = {"user_id": name_in(each, "user_id"), "project": name_in(each, "group_id", "graph_id")}
    return {name: value for name, value in found.items() if value is not None}
