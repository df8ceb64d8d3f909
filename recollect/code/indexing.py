"""Taking a project's files in: all of them once, afterwards what changed and what looked at what changed.

An update gives the graph that a build of all files would give. Three things make sure of that: what a file says depends
on its bytes alone, what its edges mean depends on facts alone, and every part of another file that was looked at is
noted with the file that looked.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from recollect.clock import Clock
from recollect.code.closure import DEPTH, FileGraph
from recollect.code.families import families_of, language_of
from recollect.code.fingerprints import changed_keys
from recollect.code.graph import CodeGraph
from recollect.code.held import standing_of
from recollect.code.packed import DEPENDENT
from recollect.code.packing import EMPTY, PackedFile, packed
from recollect.code.project import Content, FileStamp, ProjectListing, content_of, listed, stamp_of
from recollect.code.resolve.engine import key_of
from recollect.code.resolve.links import EdgeResolver
from recollect.code.world import FactsOfFiles
from recollect.limits import CODE_FACTS_KEPT
from recollect.store.base import Store, Tx
from recollect.store.code import FileRow, FileStanding, ProjectRow

VERSION = 2  # of the rules of resolution; another one makes every graph anew


@dataclass(slots=True)
class FileChanges:
    """What is different on disk from what is known."""

    suspects: list[str] = field(default_factory=list)  # not as they were, or not known
    read: dict[str, Content] = field(default_factory=dict)  # those whose text is new or different
    gone: dict[str, FileStanding] = field(default_factory=dict)
    touched: dict[str, Content] = field(default_factory=dict)  # other times, the same text
    left_out: Counter[str] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        return bool(self.read or self.gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """What taking in came to."""

    files: int
    read: int  # whose text was new
    resolved: int  # whose edges were worked out
    gone: int
    left_out: dict[str, int]
    renamed: dict[str, str]  # files that are gone, and the new ones that say the same


class ProjectIntake:
    """Takes in the files of one project. The facts of a few files stay in memory between updates."""

    def __init__(self, store: Store, clock: Clock, root: Path) -> None:
        self._store = store
        self._clock = clock
        self.root = root
        self.world = FactsOfFiles(store)

    def update(self, row: ProjectRow | None, name: str, only: str | None = None) -> Indexed:
        """Take in whatever is new, changed or gone; with `only`, one file that is known already.

        Garbage is not collected meanwhile: there is none in circles, and looking through all facts takes seconds.
        """
        with _uncollected():
            done = self._update(row, name, only)
        if done.read > _FACTS_HELD:
            self.world.reset({})
        return done

    def _update(self, row: ProjectRow | None, name: str, only: str | None) -> Indexed:
        anew = row is None or row.version != VERSION
        known = standing_of(self._store, row)
        listing = listed(self.root) if anew or only not in known else self._listed_but_for(known, only)
        changes = self._changes(listing, {} if anew else known, since=0 if row is None else row.indexed_at)
        if anew:
            changes.gone = {path: standing for path, standing in known.items() if path not in listing.files}
        hashes = {path: each.hash for path, each in known.items() if each.refused is None}
        self.world.reset(hashes, None if row is None or anew else row.pk)
        refused, keys = self._read(changes, known, anew=anew)
        paths = ({path for path, each in known.items() if each.refused is None} | changes.read.keys()) - refused.keys()
        paths -= changes.gone.keys()
        concerned = paths if anew else self._concerned(row, changes, keys, paths)
        rows = self._resolved(concerned, paths, changes, known)
        rows += [_refused_row(path, content) for path, content in refused.items()]
        counted = changes.left_out if not listing.settled else _counted_before(row, known)
        seen = changes.read.keys() | changes.gone.keys() | refused.keys()
        left_out = counted + Counter(each.refused for path, each in known.items() if each.refused and path not in seen)
        left_out.update(content.refused for content in refused.values())
        self._save(name, rows, changes, known, left_out=left_out, folders=listing.folders)
        return Indexed(
            files=len(paths),
            read=len(changes.read),
            resolved=len(concerned),
            gone=len(changes.gone),
            left_out=dict(left_out),
            renamed=self._renamed(changes, known),
        )

    def _renamed(self, changes: FileChanges, known: dict[str, FileStanding]) -> dict[str, str]:
        """Files that are gone and came back under one other name, by what they say."""
        new: dict[bytes, list[str]] = {}
        for path in changes.read if changes.gone else ():
            if path not in known:
                new.setdefault(self.world.hash_of(path), []).append(path)
        gone = Counter(each.hash for each in changes.gone.values())
        return {
            path: new[each.hash][0]
            for path, each in changes.gone.items()
            if gone[each.hash] == 1 and len(new.get(each.hash, ())) == 1
        }

    def _read(
        self, changes: FileChanges, known: dict[str, FileStanding], *, anew: bool
    ) -> tuple[dict[str, Content], set[int]]:
        """Facts of what is to be read. What is not code is handed back, with the keys of all parts that changed."""
        refused: dict[str, Content] = {}
        keys: set[int] = set()
        for path in changes.suspects:
            standing = known.get(path)
            content = content_of(self.root, path)
            if content is None:  # gone since it was listed
                if standing is not None:
                    changes.gone[path] = standing
                continue
            old = None
            if standing is not None and standing.refused is None:
                old = self.world.kept(standing.hash)
            if content.refused:
                refused[path] = content
                keys |= changed_keys(path, old, None)
                continue
            hash_, facts = self.world.read(path, content.data, language_of(path) or "")
            content = content._replace(data=b"")
            if standing is not None and standing.hash == hash_ and standing.refused is None and not anew:
                changes.touched[path] = content
                continue
            changes.read[path] = content
            if known:
                keys |= changed_keys(path, old, facts)
        for path, standing in changes.gone.items():
            if standing.refused is None:
                keys |= changed_keys(path, self.world.kept(standing.hash), None)
        return refused, keys

    def _concerned(
        self,
        row: ProjectRow | None,
        changes: FileChanges,
        keys: set[int],
        paths: set[str],
    ) -> set[str]:
        """Files whose edges may be different: those that changed, and those that looked at what changed."""
        assert row is not None
        known = standing_of(self._store, row)
        taken = {path for path, each in known.items() if each.refused is None}
        found = set(changes.read)
        if taken != paths:
            for family in families_of(taken | paths):
                moved = family.rules_class().moved(family.of(taken), family.of(paths))
                keys = keys | {key_of(*parts) for parts in moved.looks}
                found |= moved.paths
        if keys:
            wanted = np.fromiter(keys, dtype="<u4")
            with self._store.read() as tx:
                for path, data in tx.code.looked_at(row.pk):
                    if path not in found and np.isin(wanted, np.frombuffer(data, "<u4"), assume_unique=True).any():
                        found.add(path)
        return found & paths

    def _resolved(
        self, concerned: Iterable[str], paths: set[str], changes: FileChanges, known: dict[str, FileStanding]
    ) -> list[FileRow]:
        """The files with their edges worked out."""
        concerned = sorted(concerned)
        if not concerned:
            return []
        hashes = {path: each.hash for path, each in known.items() if path in paths and path not in changes.read}
        rows: list[FileRow] = []
        for family in families_of(concerned):
            files = family.of(paths)
            links = EdgeResolver(family.rules_class()(self.world, files))
            for path in concerned:
                facts = self.world.facts(path) if path in files else None
                if facts is None:  # of another family; or what was kept of it is lost: read it again next time
                    continue
                found, keys = links.of(path)
                content = changes.read.get(path)
                stamp = content.stamp if content is not None else known[path][1:3]
                hash_ = self.world.hash_of(path) if content is not None else hashes[path]
                rows.append(_row(path, stamp, hash_, packed(path, facts, found, keys), facts.notes))
        return rows

    def _save(
        self,
        name: str,
        rows: list[FileRow],
        changes: FileChanges,
        known: dict[str, FileStanding],
        *,
        left_out: Counter[str],
        folders: dict[str, int],
    ) -> None:
        at = self._clock()
        facts = self.world.taken()
        stamps = [
            (content.stamp.size, content.stamp.mtime_ns, known[path].pk)
            for path, content in changes.touched.items()
            if path in known
        ]

        def work(tx: Tx) -> None:
            tx.code.save_facts(facts, at=at)
            pk = tx.code.save_project(str(self.root), name, at=at, version=VERSION, left_out=left_out)
            if folders:
                tx.code.save_folders(pk, folders)
            same = bool(known) and self._leads_as_before(tx, rows, changes, known)
            before = _pairs(CodeGraph(tx.code.graph(pk))) if known and not same else None
            tx.code.drop_files([each.pk for each in changes.gone.values()])
            tx.code.restamp(stamps)
            tx.code.save_files(pk, rows)
            if not same:
                _save_closure(tx, pk, before)
                tx.code.trim_facts(CODE_FACTS_KEPT)

        self._store.write(work)

    def _leads_as_before(
        self, tx: Tx, rows: list[FileRow], changes: FileChanges, known: dict[str, FileStanding]
    ) -> bool:
        """Whether every file depends on the files that it depended on, so that the closure holds."""
        if changes.gone or any(row.path not in known for row in rows):
            return False
        before = tx.code.depends_on([known[row.path].pk for row in rows])
        return all(before[row.path] == row.depends_on and known[row.path].refused == row.refused for row in rows)

    def _listed_but_for(self, known: dict[str, FileStanding], only: str | None) -> ProjectListing:
        """All files as they are known, and one as it is now."""
        files = {path: FileStamp(each.size, each.mtime_ns) for path, each in known.items() if path != only}
        stamp = stamp_of(self.root / only) if only is not None else None
        if only is not None and stamp is not None:
            files[only] = stamp
        return ProjectListing(files=files, settled=True)

    def _changes(self, listing: ProjectListing, known: dict[str, FileStanding], *, since: int) -> FileChanges:
        """Files to be read, by size and time. One touched in the moment it was last looked at is read to be sure."""
        found = FileChanges(left_out=listing.left_out)
        for path, stamp in listing.files.items():
            standing = known.get(path)
            settled = listing.settled or stamp.mtime_ns < since * 1000 - _RACE_NS
            if standing is not None and (standing.size, standing.mtime_ns) == stamp and settled:
                continue
            found.suspects.append(path)
        found.gone = {path: standing for path, standing in known.items() if path not in listing.files}
        return found


_FACTS_HELD = 500  # files; a build of more lets go of their facts when it is done
_RACE_NS = 50_000_000  # times of files are no finer than this everywhere


def _counted_before(row: ProjectRow | None, known: dict[str, FileStanding]) -> Counter[str]:
    """How many files the last look at all of them left out, without those that are known by name."""
    counts = Counter(row.left_out if row is not None else {})
    counts.subtract(each.refused for each in known.values() if each.refused)
    return +counts


def _row(path: str, stamp: tuple[int, int], hash_: bytes, kept: PackedFile, notes: Iterable[str]) -> FileRow:
    return FileRow(path, language_of(path) or "", *stamp, hash_, None, tuple(notes), *kept)


def _refused_row(path: str, content: Content) -> FileRow:
    return FileRow(path, language_of(path) or "", *content.stamp, b"", content.refused, (), *EMPTY)


@contextmanager
def _uncollected() -> Iterator[None]:
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


Dependencies = set[tuple[int, int]]


def _pairs(graph: CodeGraph) -> Dependencies:
    """Which file depends on which, by their keys in the database."""
    pks = graph.file_pks
    return {(pks[source], pks[target]) for source, target in graph.dependencies_of_files().tolist()}


def _save_closure(tx: Tx, project_pk: int, before: Dependencies | None) -> None:
    """Bring the closure up to date: of all files, or of those that a changed dependency leads to."""
    graph = CodeGraph(tx.code.graph(project_pk))
    pks = np.array(graph.file_pks, dtype="<u4")
    places = {pk: at for at, pk in enumerate(graph.file_pks)}
    now = _pairs(graph)
    known = tx.code.closures(project_pk).keys()
    tx.code.drop_closures(known - places.keys())  # of files that are no code any more
    if before is None:
        concerned = set(places)
    else:
        leads = _leads(before | now)
        concerned = {target for _, target in before ^ now}
        front = set(concerned)
        for _ in range(DEPTH - 1):
            front = {further for pk in front for further in leads.get(pk, ())} - concerned
            concerned |= front
        concerned |= places.keys() - known
    files = FileGraph(len(pks), graph.dependencies_of_files())
    rows: list[tuple[int, bytes]] = []
    for pk in sorted(concerned & places.keys()):
        found = files.dependents(places[pk])
        named = np.empty(len(found), dtype=DEPENDENT)
        named["file"], named["via"], named["depth"] = pks[found["file"]], pks[found["via"]], found["depth"]
        rows.append((pk, named.tobytes()))
    tx.code.save_closures(rows)


def _leads(pairs: Dependencies) -> dict[int, list[int]]:
    leads: dict[int, list[int]] = {}
    for source, target in pairs:
        leads.setdefault(source, []).append(target)
    return leads
