"""Nodes and edges of a file as bytes: what is kept in the database and read into arrays in one go.

A node is known by a key of 8 bytes, made of its path and symbol, so edges of other files still fit when the lines and
the order of a file's symbols change.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import orjson

from recollect.code.facts import FileFacts, Sort, from_plain
from recollect.code.resolve.links import FileEdge
from recollect.code.resolve.rules import is_promise
from recollect.model.code import NodeKind, Resolved

KINDS = ("imports", "calls", "implements", "extends", "exports")
RESOLVED = (Resolved.EXACT, Resolved.INFERRED, Resolved.AMBIGUOUS, Resolved.UNRESOLVED)
EDGE = np.dtype(
    [("source", "<u4"), ("target", "<u8"), ("line", "<u4"), ("kind", "u1"), ("resolved", "u1"), ("choice", "<u2")]
)
DEPENDENT = np.dtype([("file", "<u4"), ("via", "<u4"), ("depth", "u1")])
_KIND = {name: at for at, name in enumerate(KINDS)}
_RESOLVED = {str(name): at for at, name in enumerate(RESOLVED)}
_CHOICES_MAX = 0xFFFF
_SURE = (Resolved.EXACT, Resolved.INFERRED)


class SymbolNode(NamedTuple):
    """A node of a file; the first one is the file itself, with no symbol."""

    symbol: str
    kind: str
    line: int
    end: int


class PackedFile(NamedTuple):
    """What is kept of one file."""

    symbols: bytes
    nodes: bytes
    edges: bytes
    loose: bytes
    depends_on: bytes
    looked_at: bytes


@lru_cache(maxsize=200_000)
def node_key(path: str, symbol: str) -> int:
    """The key of a node; that of a name that nothing is known of has no path."""
    data = f"{path}\0{symbol}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def hash_of(data: bytes, language: str, version: int) -> bytes:
    """By what the facts of a text are kept."""
    return blake2b(data, digest_size=16, person=f"{language[:10]}:{version}".encode()[:16]).digest()


def packed_facts(facts: FileFacts) -> bytes:
    return zlib.compress(orjson.dumps(facts.plain(), default=tuple), 1)


def unpacked_facts(data: bytes) -> FileFacts:
    return from_plain(orjson.loads(zlib.decompress(data)))


def nodes_of(facts: FileFacts) -> list[SymbolNode]:
    """The file and its symbols. Of several definitions of one name the last is shown, being the one that counts."""
    found = {"": SymbolNode("", NodeKind.FILE, 1, facts.lines)}
    for at, scope in enumerate(facts.scopes):
        if at == 0 or scope.sort == Sort.BLOCK:
            continue
        kind: str = NodeKind.FUNCTION
        if scope.sort in (Sort.CLASS, Sort.INTERFACE) and is_promise(facts, at):
            kind = NodeKind.INTERFACE
        elif scope.sort == Sort.CLASS:
            kind = NodeKind.CLASS
        symbol = facts.path_of(at)
        found[symbol] = SymbolNode(symbol, kind, scope.line, scope.end)
    return list(found.values())


def packed(path: str, facts: FileFacts, links: Collection[FileEdge], keys: Iterable[int]) -> PackedFile:
    """A file as it is kept."""
    nodes = nodes_of(facts)
    places = {node.symbol: at for at, node in enumerate(nodes)}
    loose: dict[str, None] = {}
    rows: list[tuple[int, ...]] = []
    for link in links:
        if not link.path:
            loose[link.target] = None
        choice = min(link.choice, _CHOICES_MAX)
        target = node_key(link.path, link.target)
        rows.append((places[link.source], target, link.line, _KIND[link.kind], _RESOLVED[link.resolved], choice))
    return PackedFile(
        symbols=orjson.dumps(nodes, default=tuple),
        nodes=np.array([node_key(path, node.symbol) for node in nodes], dtype="<u8").tobytes(),
        edges=np.array(rows, dtype=EDGE).tobytes(),
        loose=orjson.dumps(list(loose)),
        depends_on=orjson.dumps(sorted({each.path for each in links if each.resolved in _SURE} - {"", path})),
        looked_at=np.unique(np.fromiter(keys, dtype="<u4")).tobytes(),
    )


EMPTY = PackedFile(b"[]", b"", b"", b"[]", b"[]", b"")


def symbols_in(data: bytes) -> list[list[Any]]:
    found: list[list[Any]] = orjson.loads(data)
    return found
