"""What is known of a file, packed into the bytes that the database keeps (`recollect.code.packed` reads them)."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import orjson

from recollect.code.facts import ADDED, DECLARED, FileFacts, Sort, from_plain
from recollect.code.packed import EDGE, KINDS, RESOLVED, node_key
from recollect.code.resolve.links import FileEdge
from recollect.code.resolve.rules import is_promise
from recollect.model.code import NodeKind, Resolved

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


def hash_of(data: bytes, language: str, version: int) -> bytes:
    """By what the facts of a text are kept."""
    return blake2b(data, digest_size=16, person=f"{language[:10]}:{version}".encode()[:16]).digest()


def packed_facts(facts: FileFacts) -> bytes:
    return zlib.compress(orjson.dumps(facts.plain(), default=tuple), 1)


def unpacked_facts(data: bytes) -> FileFacts:
    return from_plain(orjson.loads(zlib.decompress(data)))


def returning(data: bytes) -> frozenset[str]:
    """The functions that give something back, of packed facts."""
    facts = unpacked_facts(data)
    return frozenset(facts.path_of(at) for at, scope in enumerate(facts.scopes) if scope.returned or scope.yielded)


def nodes_of(facts: FileFacts) -> list[SymbolNode]:
    """The file and its symbols. Of several definitions of one name the last is shown, being the one that counts."""
    found = {"": SymbolNode("", NodeKind.FILE, 1, facts.lines)}
    for at, scope in enumerate(facts.scopes):
        if at == 0 or scope.sort == Sort.BLOCK or DECLARED in scope.traits:
            continue
        if scope.sort == Sort.OBJECT and "namespace" not in scope.traits:
            continue
        kind: str = NodeKind.MODULE if scope.sort == Sort.OBJECT else NodeKind.FUNCTION
        if scope.sort in (Sort.CLASS, Sort.INTERFACE) and is_promise(facts, at):
            kind = NodeKind.INTERFACE
        elif scope.sort == Sort.CLASS:
            kind = NodeKind.CLASS
        elif scope.sort == Sort.MODULE:
            kind = NodeKind.MODULE
        symbol = facts.path_of(at)
        if symbol in found and ADDED in scope.traits:
            continue
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
