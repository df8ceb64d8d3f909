"""A project's graph in memory: nodes and edges as arrays, read from the database in one go.

Nodes are numbered by file and by their order in it; the first node of a file is the file itself. What nothing is known
of has no number. The graph is a snapshot: an update makes a new one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.code.packed import EDGE, KINDS, RESOLVED, node_key, symbols_in
from recollect.model.code import CodeEdge, NodeKind

Numbers = NDArray[np.int64]
_UNKNOWN = -1
_SURE = 2  # exact and inferred come first


class Adjacency(NamedTuple):
    """Edges by one of their ends: those of node n are `edges[starts[n]:starts[n + 1]]`."""

    starts: Numbers
    edges: Numbers

    def of(self, node: int) -> Numbers:
        return self.edges[self.starts[node] : self.starts[node + 1]]


class CodeGraph:
    """Every node and edge of one project."""

    def __init__(self, rows: Iterable[tuple[int, str, bytes, bytes, bytes, bytes]]) -> None:
        rows = list(rows)
        self.file_pks = [row[0] for row in rows]
        self.paths = [row[1] for row in rows]
        symbols = [symbols_in(row[2]) for row in rows]
        self._symbols: list[list[Any]] = [node for nodes in symbols for node in nodes]
        self.first = np.cumsum([0, *(len(nodes) for nodes in symbols)])  # of each file, its own node
        self._firsts: list[int] = self.first.tolist()
        self.keys = np.frombuffer(b"".join(row[3] for row in rows), dtype="<u8")
        per_file = [np.frombuffer(row[4], dtype=EDGE) for row in rows]
        self._edges = np.concatenate(per_file) if per_file else np.empty(0, dtype=EDGE)
        offsets = np.repeat(self.first[:-1], [len(each) for each in per_file]) if per_file else np.empty(0, "i8")
        self.source: Numbers = self._edges["source"].astype(np.int64) + offsets
        self.target = self._numbered(self._edges["target"])
        self.kind = self._edges["kind"]
        self.resolved = self._edges["resolved"]
        self.line = self._edges["line"]
        self.choice = self._edges["choice"]
        self._loose = [row[5] for row in rows]

    def _numbered(self, keys: NDArray[np.uint64]) -> Numbers:
        """Nodes by their keys; -1 for what is no node."""
        if not len(self.keys) or not len(keys):
            return np.full(len(keys), _UNKNOWN, dtype=np.int64)
        order = np.argsort(self.keys)
        at = np.searchsorted(self.keys, keys, sorter=order)
        at[at == len(order)] = 0
        found = order[at]
        return np.where(self.keys[found] == keys, found, _UNKNOWN)

    def __len__(self) -> int:
        return len(self._symbols)

    @property
    def edge_count(self) -> int:
        return len(self._edges)

    # Nodes

    def file_at(self, node: int) -> int:
        """The place of the file that a node is in."""
        return bisect_right(self._firsts, node) - 1

    def path(self, node: int) -> str:
        return self.paths[self.file_at(node)]

    def symbol(self, node: int) -> str:
        return str(self._symbols[node][0])

    def kind_of(self, node: int) -> str:
        return str(self._symbols[node][1])

    def lines(self, node: int) -> tuple[int, int]:
        found = self._symbols[node]
        return int(found[2]), int(found[3])

    def label(self, node: int) -> str:
        """How a node is named in answers: `path` or `path::symbol`."""
        symbol = self.symbol(node)
        return f"{self.path(node)}::{symbol}" if symbol else self.path(node)

    def nodes_in(self, file: int) -> range:
        return range(self._firsts[file], self._firsts[file + 1])

    def file_of_nodes(self, nodes: Numbers) -> Numbers:
        return np.searchsorted(self.first, nodes, side="right") - 1

    @cached_property
    def places(self) -> dict[str, int]:
        """Files by path."""
        return {path: at for at, path in enumerate(self.paths)}

    @cached_property
    def tests(self) -> NDArray[np.bool_]:
        """Which files hold tests."""
        return np.array([is_test_path(path) for path in self.paths], dtype=bool)

    @cached_property
    def folders(self) -> tuple[list[str], Numbers]:
        """The folders of files, and for each file which of them it is in."""
        names = [path.rpartition("/")[0] or "." for path in self.paths]
        known = {name: at for at, name in enumerate(dict.fromkeys(names))}
        return list(known), np.array([known[name] for name in names], dtype=np.int64)

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """Symbols by their last name."""
        found: dict[str, list[int]] = {}
        for node, (symbol, *_) in enumerate(self._symbols):
            if symbol:
                found.setdefault(symbol.rpartition(".")[2], []).append(node)
        return found

    @cached_property
    def qualified(self) -> dict[str, list[int]]:
        """Symbols by their whole name."""
        found: dict[str, list[int]] = {}
        for node, (symbol, *_) in enumerate(self._symbols):
            if symbol:
                found.setdefault(symbol, []).append(node)
        return found

    # Edges

    @cached_property
    def sure(self) -> NDArray[np.bool_]:
        """Edges that are exact or inferred, and lead somewhere else."""
        found: NDArray[np.bool_] = (self.resolved < _SURE) & (self.target != _UNKNOWN) & (self.target != self.source)
        return found

    def _by(self, ends: Numbers, which: NDArray[np.bool_]) -> Adjacency:
        edges = np.flatnonzero(which)
        order = np.argsort(ends[edges], kind="stable")
        counts = np.bincount(ends[edges], minlength=len(self))
        return Adjacency(np.concatenate(([0], np.cumsum(counts))), edges[order])

    @cached_property
    def incoming(self) -> Adjacency:
        return self._by(self.target, self.sure)

    @cached_property
    def outgoing(self) -> Adjacency:
        return self._by(self.source, self.sure)

    @cached_property
    def maybe_incoming(self) -> Adjacency:
        """Edges of which a node is one of several candidates."""
        return self._by(self.target, (self.resolved == _SURE) & (self.target != _UNKNOWN))

    @cached_property
    def _loose_by_key(self) -> tuple[NDArray[np.uint64], Numbers]:
        """Edges to something unknown, in the order of the keys of the names that are meant."""
        edges = np.flatnonzero(self.target == _UNKNOWN)
        keys = self._edges["target"][edges]
        order = np.argsort(keys, kind="stable")
        return keys[order], edges[order]

    def possible_callers(self, name: str) -> Numbers:
        """Calls of a method of this name on something unknown: any of them may mean any method of that name."""
        keys, edges = self._loose_by_key
        wanted = np.uint64(node_key("", f".{name}"))
        return edges[np.searchsorted(keys, wanted) : np.searchsorted(keys, wanted, side="right")]

    @cached_property
    def loose_names(self) -> dict[int, str]:
        """The names that unresolved edges mean."""
        names = {name for data in self._loose for name in symbols_in(data)}
        return {node_key("", str(name)): str(name) for name in names}

    def edge(self, at: int, weights: dict[str, float], trust: dict[str, float]) -> CodeEdge:
        """One edge as it is shown."""
        source, target = int(self.source[at]), int(self.target[at])
        kind, resolved = KINDS[self.kind[at]], RESOLVED[self.resolved[at]]
        unknown = target == _UNKNOWN
        return CodeEdge(
            kind=kind,
            source_path=self.path(source),
            source_symbol=self.symbol(source),
            target_path="" if unknown else self.path(target),
            target_symbol=self.loose_names.get(int(self._edges["target"][at]), "") if unknown else self.symbol(target),
            line=int(self.line[at]),
            resolved=resolved,
            weight=weights.get(kind, 0.0),
            confidence=trust[resolved],
        )

    def dependencies_of_files(self) -> NDArray[np.int64]:
        """Which file depends on which, by their places: pairs, each once."""
        sure = self.sure
        count = max(1, len(self.paths))
        both = np.unique(self.file_of_nodes(self.source[sure]) * count + self.file_of_nodes(self.target[sure]))
        pairs = np.stack((both // count, both % count), axis=1)
        found: NDArray[np.int64] = pairs[pairs[:, 0] != pairs[:, 1]]
        return found

    def is_test(self, node: int) -> bool:
        return is_test_path(self.path(node))

    @property
    def symbol_kinds(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for node in self._symbols:
            counts[node[1]] = counts.get(node[1], 0) + 1
        counts[NodeKind.DIRECTORY] = len({path.rpartition("/")[0] for path in self.paths})
        return counts


def is_test_path(path: str) -> bool:
    """Whether a file holds tests, by where it lies and what it is called."""
    *folders, name = path.lower().split("/")
    if any(folder in ("test", "tests", "__tests__", "spec") for folder in folders):
        return True
    stem = name.partition(".")[0]
    return stem.startswith("test_") or stem.endswith("_test") or ".test." in name or ".spec." in name
