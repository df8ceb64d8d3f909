"""The facts of a project's files while it is resolved: those in memory, others read from the store when asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from recollect.code.facts import Extractor, FileFacts
from recollect.code.families import extractor_of
from recollect.code.packed import symbols_in
from recollect.code.packing import hash_of, nodes_of, packed_facts, unpacked_facts
from recollect.model.code import NodeKind
from recollect.store.base import Store


class SymbolIndex:
    """Where which qualified names are defined."""

    def __init__(self) -> None:
        self.defining: dict[str, list[str]] = {}
        self.promising: dict[str, list[tuple[str, str]]] = {}
        self.held: dict[str, list[tuple[str, str]]] = {}

    def add(self, path: str, symbols: Iterable[Sequence[Any]]) -> None:
        """The symbols of a file, each a qualified name, its kind and more."""
        interfaces: set[str] = set()
        for symbol, kind, *_ in symbols:
            self.defining.setdefault(symbol, []).append(path)
            holder, _, name = symbol.rpartition(".")
            if kind == NodeKind.INTERFACE:
                interfaces.add(symbol)
            if holder:
                self.held.setdefault(holder, []).append((path, name))
            if holder in interfaces:
                self.promising.setdefault(name, []).append((path, holder))


class FactsOfFiles:
    """What every file of a project says, by path. Files are set by their hash; facts are read when first needed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._hashes: dict[str, bytes] = {}
        self._facts: dict[str, FileFacts] = {}
        self._readers: dict[str, Extractor] = {}
        self.unsaved: dict[bytes, bytes] = {}
        self._project_pk: int | None = None
        self._index: SymbolIndex | None = None

    def reset(self, hashes: Mapping[str, bytes], project_pk: int | None = None) -> None:
        """Take over which files there are, and of which content; what is known of others is dropped."""
        self._project_pk, self._index = project_pk, None
        self._facts = {path: facts for path, facts in self._facts.items() if self._hashes.get(path) == hashes.get(path)}
        self._hashes = dict(hashes)

    def facts(self, path: str) -> FileFacts | None:
        known = self._facts.get(path)
        if known is None and path in self._hashes:
            known = self.kept(self._hashes[path])
            if known is not None:
                self._facts[path] = known
        return known

    def defining(self, symbol: str) -> Collection[str]:
        """Files with a definition of a qualified name. Those of unchanged files are as they were saved."""
        return self._symbols().defining.get(symbol, ())

    def promising(self, name: str) -> Collection[tuple[str, str]]:
        return self._symbols().promising.get(name, ())

    def held(self, symbol: str) -> Collection[tuple[str, str]]:
        return self._symbols().held.get(symbol, ())

    def _symbols(self) -> SymbolIndex:
        if self._index is not None:
            return self._index
        found = self._index = SymbolIndex()
        saved: set[str] = set()
        if self._project_pk is not None:
            with self._store.read() as tx:
                rows = tx.code.definitions(self._project_pk)
            for path, hash_, data in rows:
                if self._hashes.get(path) == hash_:
                    saved.add(path)
                    found.add(path, symbols_in(data))
        for path in self._hashes.keys() - saved:
            facts = self.facts(path)
            found.add(path, nodes_of(facts) if facts is not None else ())
        return found

    def hash_of(self, path: str) -> bytes:
        return self._hashes[path]

    def kept(self, hash_: bytes) -> FileFacts | None:
        """Facts of a content that was read before."""
        data = self.unsaved.get(hash_)
        if data is None:
            with self._store.read() as tx:
                data = tx.code.facts([hash_]).get(hash_)
        return None if data is None else unpacked_facts(data)

    def read(self, path: str, data: bytes, language: str) -> tuple[bytes, FileFacts]:
        """The facts of a file's bytes, from memory, from the store, or made now."""
        reader = self._readers.get(language)
        if reader is None:
            reader = self._readers[language] = extractor_of(language)
        hash_ = hash_of(data, language, reader.version)
        facts = self.kept(hash_)
        if facts is None:
            facts = reader.extract(data)
            self.unsaved[hash_] = packed_facts(facts)
        self._hashes[path] = hash_
        self._index = None
        self._facts[path] = facts
        return hash_, facts

    def taken(self) -> dict[bytes, bytes]:
        """Facts that are not in the store yet; they are the caller's to save now."""
        unsaved, self.unsaved = self.unsaved, {}
        return unsaved
