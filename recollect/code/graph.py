"""A project's graph in memory: nodes and edges as arrays, read from the database in one go.

Nodes are numbered by file and by their order in it; the first node of a file is the file itself. What nothing is known
of has no number. The graph is a snapshot: an update makes a new one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.code.packed import EDGE, KINDS, RESOLVED, node_key, symbols_in
from recollect.model.code import CodeEdge, NodeKind, Resolved

Numbers = NDArray[np.int64]
FLOWS = "flows_to"
_UNKNOWN = -1
_SURE = 2  # exact and inferred come first
_SAID = RESOLVED.index(Resolved.SAID)


class Adjacency(NamedTuple):
    """Edges by one of their ends: those of node n are `edges[starts[n]:starts[n + 1]]`."""

    starts: Numbers
    edges: Numbers

    def of(self, node: int) -> Numbers:
        return self.edges[self.starts[node] : self.starts[node + 1]]


class SaidEdge(NamedTuple):
    """An edge that somebody said, by its nodes, as it is followed: data that flows from A to B makes B depend on A."""

    source: int
    target: int
    kind: str
    weight: float
    confidence: float
    said: str  # the id of the record


class CodeGraph:
    """Every node and edge of one project: what is read from code, and behind it what was said."""

    def __init__(self, rows: Iterable[tuple[int, str, bytes, bytes, bytes, bytes]]) -> None:
        rows = list(rows)
        self.file_pks = [row[0] for row in rows]
        self.paths = [row[1] for row in rows]
        self._packed = [row[2] for row in rows]  # symbols; those of a file are read when somebody asks for one
        self._read: list[list[list[Any]] | None] = [None] * len(rows)
        self.first = np.cumsum([0, *(len(row[3]) // 8 for row in rows)])  # of each file, its own node
        self._firsts: list[int] = self.first.tolist()
        self.keys = np.frombuffer(b"".join(row[3] for row in rows), dtype="<u8")
        self._edges = np.frombuffer(b"".join(row[4] for row in rows), dtype=EDGE)
        offsets = np.repeat(self.first[:-1], np.array([len(row[4]) for row in rows], dtype=np.int64) // EDGE.itemsize)
        self.source: Numbers = self._edges["source"].astype(np.int64) + offsets
        self.target = self._numbered(self._edges["target"])
        self.kind = self._edges["kind"]
        self.resolved = self._edges["resolved"]
        self.line = self._edges["line"]
        self.choice = self._edges["choice"]
        self._loose = [row[5] for row in rows]
        self.said: tuple[SaidEdge, ...] = ()  # the last edges

    def joined(self, more: Sequence[tuple[str, str]], said: Sequence[SaidEdge]) -> CodeGraph:
        """This graph with further nodes, each a path and a kind, and edges that were said; nodes keep their numbers."""
        made = copy(self)
        for name in [name for name, value in vars(type(self)).items() if isinstance(value, cached_property)]:
            made.__dict__.pop(name, None)  # worked out from what there is more of now
        made.file_pks = [*self.file_pks, *[0] * len(more)]
        made.paths = [*self.paths, *(path for path, _ in more)]
        made._packed = [*self._packed, *[b"[]"] * len(more)]
        made._read = [*self._read, *([["", kind, 0, 0]] for _, kind in more)]
        made.first = np.concatenate((self.first, self.first[-1] + 1 + np.arange(len(more))))
        made._firsts = made.first.tolist()
        made.source = np.concatenate((self.source, [each.source for each in said])).astype(np.int64)
        made.target = np.concatenate((self.target, [each.target for each in said])).astype(np.int64)
        made.kind = np.concatenate((self.kind, [KINDS.index(each.kind) for each in said])).astype("u1")
        made.resolved = np.concatenate((self.resolved, [_SAID] * len(said))).astype("u1")
        made.line = np.concatenate((self.line, [0] * len(said))).astype("<u4")
        made.choice = np.concatenate((self.choice, [0] * len(said))).astype("<u2")
        made.said = tuple(said)
        return made

    def _numbered(self, keys: NDArray[np.uint64]) -> Numbers:
        """Nodes by their keys; -1 for what is no node."""
        if not len(self.keys) or not len(keys):
            return np.full(len(keys), _UNKNOWN, dtype=np.int64)
        order = np.argsort(self.keys)
        known = self.keys[order]
        at = np.searchsorted(known, keys)
        at[at == len(known)] = 0
        return np.where(known[at] == keys, order[at], _UNKNOWN)

    def __len__(self) -> int:
        return self._firsts[-1]

    @property
    def edge_count(self) -> int:
        return len(self.source)

    def said_on(self, edge: int) -> SaidEdge | None:
        """What was said, of an edge that is not read from code."""
        at = edge - len(self._edges)
        return self.said[at] if at >= 0 else None

    # Nodes

    @cached_property
    def files_read(self) -> int:
        """How many files are read from code; behind them come those that only somebody spoke of, and notes."""
        return sum(pk != 0 for pk in self.file_pks)

    def file_at(self, node: int) -> int:
        """The place of the file that a node is in."""
        return bisect_right(self._firsts, node) - 1

    def path(self, node: int) -> str:
        return self.paths[self.file_at(node)]

    def symbol(self, node: int) -> str:
        return str(self._told(node)[0])

    def kind_of(self, node: int) -> str:
        return str(self._told(node)[1])

    def lines(self, node: int) -> tuple[int, int]:
        found = self._told(node)
        return int(found[2]), int(found[3])

    def _told(self, node: int) -> list[Any]:
        file = self.file_at(node)
        return self.symbols_of(file)[node - self._firsts[file]]

    def symbols_of(self, file: int) -> list[list[Any]]:
        """Symbol, kind, first and last line of each node of a file, the file itself first."""
        found = self._read[file]
        if found is None:
            found = self._read[file] = symbols_in(self._packed[file])
        return found

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

    def named(self, name: str) -> list[int]:
        """Symbols whose last name this is. Files in which it does not occur are not read."""
        within = orjson.dumps(name)[1:-1]
        return [
            self._firsts[file] + at
            for file, packed in enumerate(self._packed)
            if within in packed
            for at, (symbol, *_) in enumerate(self.symbols_of(file))
            if symbol.rpartition(".")[2] == name
        ]

    @cached_property
    def names(self) -> list[str]:
        """The last names of all symbols, each once."""
        return list(dict.fromkeys(symbol.rpartition(".")[2] for symbol in self._all_symbols() if symbol))

    def _all_symbols(self) -> Iterator[str]:
        return (symbol for file in range(len(self.paths)) for symbol, *_ in self.symbols_of(file))

    # Edges

    @cached_property
    def sure(self) -> NDArray[np.bool_]:
        """Edges that are exact or inferred, and lead somewhere else."""
        known = (self.resolved < _SURE) | (self.resolved == _SAID)
        found: NDArray[np.bool_] = known & (self.target != _UNKNOWN) & (self.target != self.source)
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
        said = self.said_on(at)
        if kind == FLOWS:  # told as data goes, which is against the dependency
            source, target = target, source
        return CodeEdge(
            kind=kind,
            source_path=self.path(source),
            source_symbol=self.symbol(source),
            target_path="" if unknown else self.path(target),
            target_symbol=self.loose_names.get(int(self._edges["target"][at]), "") if unknown else self.symbol(target),
            line=int(self.line[at]),
            resolved=resolved,
            weight=weights.get(kind, 0.0) * (1.0 if said is None else said.weight),
            confidence=trust[resolved] if said is None else said.confidence,
            said="" if said is None else said.said,
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
        for file in range(len(self.paths)):
            for _, kind, *_ in self.symbols_of(file):
                counts[kind] = counts.get(kind, 0) + 1
        counts[NodeKind.DIRECTORY] = len({path.rpartition("/")[0] for path in self.paths})
        return counts


def is_test_path(path: str) -> bool:
    """Whether a file holds tests, by where it lies and what it is called."""
    folder, _, name = path.lower().rpartition("/")
    if _holds_tests(folder):
        return True
    stem = name.partition(".")[0]
    return stem.startswith("test_") or stem.endswith("_test") or ".test." in name or ".spec." in name


@lru_cache(maxsize=20_000)
def _holds_tests(folder: str) -> bool:
    return not _TEST_FOLDERS.isdisjoint(folder.split("/"))


_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec"})
