"""The graph of a project's code in the database: facts by content, files with their nodes and edges, the closure.

Derived from files, so nothing of it is journalled, exported or undone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from recollect.store.base import Group


class ProjectRow(NamedTuple):
    """A project whose code is known."""

    pk: int
    root: str
    name: str
    indexed_at: int
    version: int
    left_out: dict[str, int]


class FileRow(NamedTuple):
    """One file with all that is known of it; the blobs are read by `recollect.code`."""

    path: str
    language: str
    size: int
    mtime_ns: int
    hash: bytes
    refused: str | None
    notes: tuple[str, ...]
    symbols: bytes
    nodes: bytes
    edges: bytes
    loose: bytes
    depends_on: bytes
    looked_at: bytes


class FileStanding(NamedTuple):
    """By what it is told whether a file has changed."""

    pk: int
    size: int
    mtime_ns: int
    hash: bytes
    refused: str | None


_COLUMNS = "path, language, size, mtime_ns, hash, refused, notes, symbols, nodes, edges, loose, depends_on, looked_at"
_PLACES = ", ".join("?" * 14)
_KEPT = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[1:])


class CodeRows(Group):
    """Projects, their files, and facts."""

    def projects(self) -> list[ProjectRow]:
        """All projects, the newest first."""
        rows = self.sql.all(
            "SELECT pk, root, name, indexed_at, version, left_out FROM code_project ORDER BY indexed_at DESC, pk DESC"
        )
        return [ProjectRow(*row)._replace(left_out=orjson.loads(row[5])) for row in rows]

    def state(self) -> str:
        """A text that changes with every project that was taken in, brought up to date or forgotten."""
        row = self.sql.one("SELECT count(*), coalesce(max(indexed_at), 0) FROM code_project")
        return "" if row is None else f"{row[0]}.{row[1]}"

    def project(self, root: str) -> ProjectRow | None:
        return next((each for each in self.projects() if each.root == root), None)

    def save_project(self, root: str, name: str, *, at: int, version: int, left_out: Mapping[str, int]) -> int:
        """Note that a project was indexed; its key."""
        self.sql.run(
            "INSERT INTO code_project (root, name, indexed_at, version, left_out) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (root) DO UPDATE SET name = excluded.name, indexed_at = excluded.indexed_at, "
            "version = excluded.version, left_out = excluded.left_out",
            (root, name, at, version, orjson.dumps(left_out).decode()),
        )
        return int(self.sql.value("SELECT pk FROM code_project WHERE root = ?", (root,)))

    def folders(self, pk: int) -> dict[str, int]:
        """When each folder of a project was last changed, as it was last listed."""
        found: dict[str, int] = orjson.loads(self.sql.value("SELECT folders FROM code_project WHERE pk = ?", (pk,)))
        return found

    def save_folders(self, pk: int, folders: Mapping[str, int]) -> None:
        self.sql.run("UPDATE code_project SET folders = ? WHERE pk = ?", (orjson.dumps(folders).decode(), pk))

    def drop_project(self, pk: int) -> int:
        """Forget a project's graph; how many files it had. Facts that nobody else has go too."""
        count = int(self.sql.value("SELECT count(*) FROM code_file WHERE project_pk = ?", (pk,)))
        self.sql.run("DELETE FROM code_project WHERE pk = ?", (pk,))
        self.sql.run("DELETE FROM code_facts WHERE hash NOT IN (SELECT hash FROM code_file)")
        return count

    def standing(self, project_pk: int) -> dict[str, FileStanding]:
        """Every file of a project by its path."""
        rows = self.sql.all(
            "SELECT path, pk, size, mtime_ns, hash, refused FROM code_file WHERE project_pk = ?", (project_pk,)
        )
        return {row[0]: FileStanding(*row[1:]) for row in rows}

    def graph(self, project_pk: int) -> list[tuple[int, str, bytes, bytes, bytes, bytes]]:
        """Key, path, symbols, nodes, edges and loose names of every file that was taken in, by path."""
        return self.sql.all(
            "SELECT pk, path, symbols, nodes, edges, loose FROM code_file WHERE project_pk = ? AND refused IS NULL "
            "ORDER BY path",
            (project_pk,),
        )

    def definitions(self, project_pk: int) -> list[tuple[str, bytes, bytes]]:
        """Path, hash and symbols of every file that was taken in."""
        return self.sql.all(
            "SELECT path, hash, symbols FROM code_file WHERE project_pk = ? AND refused IS NULL ORDER BY path",
            (project_pk,),
        )

    def depends_on(self, pks: Collection[int]) -> dict[str, bytes]:
        """To which files some files lead, by path."""
        return dict(self.sql.all("SELECT path, depends_on FROM code_file WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))

    def looked_at(self, project_pk: int) -> list[tuple[str, bytes]]:
        """What the edges of each file rest on."""
        return self.sql.all(
            "SELECT path, looked_at FROM code_file WHERE project_pk = ? AND refused IS NULL ORDER BY pk", (project_pk,)
        )

    def notes(self, project_pk: int) -> list[tuple[str, str | None, list[str]]]:
        """Files about which there is something to say: path, why it was left out, notes."""
        rows = self.sql.all(
            "SELECT path, refused, notes FROM code_file WHERE project_pk = ? "
            "AND (refused IS NOT NULL OR notes IS NOT NULL) ORDER BY path",
            (project_pk,),
        )
        return [(path, refused, orjson.loads(notes) if notes else []) for path, refused, notes in rows]

    def save_files(self, project_pk: int, files: Iterable[FileRow]) -> None:
        """Put files in the place of what was known of them."""
        self.sql.many(
            f"INSERT INTO code_file (project_pk, {_COLUMNS}) VALUES ({_PLACES}) "
            f"ON CONFLICT (project_pk, path) DO UPDATE SET {_KEPT}",
            (
                (project_pk, *each[:6], orjson.dumps(each.notes).decode() if each.notes else None, *each[7:])
                for each in files
            ),
        )

    def restamp(self, stamps: Iterable[tuple[int, int, int]]) -> None:
        """Note other sizes and times of files whose text is the same: size, time, key."""
        self.sql.many("UPDATE code_file SET size = ?, mtime_ns = ? WHERE pk = ?", stamps)

    def drop_files(self, pks: Collection[int]) -> None:
        self.sql.run("DELETE FROM code_file WHERE pk IN KEYS(?)", (self.sql.keys(pks),))

    # Facts

    def facts(self, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """Kept facts by hash, those that there are."""
        found: dict[bytes, bytes] = {}
        for each in hashes:
            data = self.sql.value("SELECT facts FROM code_facts WHERE hash = ?", (each,))
            if data is not None:
                found[each] = data
        return found

    def facts_of(self, project_pk: int, path: str) -> bytes | None:
        """Kept facts of a file of a project."""
        found: bytes | None = self.sql.value(
            "SELECT f.facts FROM code_file c JOIN code_facts f ON f.hash = c.hash "
            "WHERE c.project_pk = ? AND c.path = ?",
            (project_pk, path),
        )
        return found

    def save_facts(self, facts: Mapping[bytes, bytes], *, at: int) -> None:
        self.sql.many(
            "INSERT INTO code_facts (hash, facts, used_at) VALUES (?, ?, ?) "
            "ON CONFLICT (hash) DO UPDATE SET used_at = excluded.used_at",
            ((hash_, data, at) for hash_, data in facts.items()),
        )

    def trim_facts(self, most: int) -> int:
        """Forget the oldest facts that no file has, beyond a number of them."""
        return self.sql.run(
            "DELETE FROM code_facts WHERE hash IN (SELECT hash FROM code_facts WHERE hash NOT IN "
            "(SELECT hash FROM code_file) ORDER BY used_at DESC, hash LIMIT 1000000000 OFFSET ?)",
            (most,),
        )

    # Closure

    def closure(self, file_pk: int) -> bytes | None:
        """Which files depend on one."""
        found: Any = self.sql.value("SELECT dependents FROM code_closure WHERE file_pk = ?", (file_pk,))
        return found  # type: ignore[no-any-return]

    def widest(self, project_pk: int, *, dependents_min: int, row_bytes: int, limit: int) -> dict[str, int]:
        """The keys of the files on which most depends, by path, the widest first; rows of a closure have a size."""
        rows = self.sql.all(
            "SELECT f.path, f.pk FROM code_closure c JOIN code_file f ON f.pk = c.file_pk WHERE f.project_pk = ? "
            "AND length(c.dependents) >= ? ORDER BY length(c.dependents) DESC, f.path LIMIT ?",
            (project_pk, dependents_min * row_bytes, limit),
        )
        return dict(rows)

    def paths(self, pks: Collection[int]) -> dict[int, str]:
        """The paths of files by their keys."""
        return dict(self.sql.all("SELECT pk, path FROM code_file WHERE pk IN KEYS(?)", (self.sql.keys(pks),)))

    def closures(self, project_pk: int) -> dict[int, bytes]:
        rows = self.sql.all(
            "SELECT c.file_pk, c.dependents FROM code_closure c JOIN code_file f ON f.pk = c.file_pk "
            "WHERE f.project_pk = ?",
            (project_pk,),
        )
        return dict(rows)

    def save_closures(self, closures: Iterable[tuple[int, bytes]]) -> None:
        self.sql.many(
            "INSERT INTO code_closure (file_pk, dependents) VALUES (?, ?) "
            "ON CONFLICT (file_pk) DO UPDATE SET dependents = excluded.dependents",
            closures,
        )

    def drop_closures(self, file_pks: Iterable[int]) -> None:
        self.sql.many("DELETE FROM code_closure WHERE file_pk = ?", [(pk,) for pk in file_pks])

    # --- history ------------------------------------------------------------------------------------------------

    def history(self, project_pk: int) -> tuple[str, tuple[str, ...]]:
        """The commit up to which a project's history was read, and what it does not say."""
        row = self.sql.one("SELECT commit_id, missing FROM code_project WHERE pk = ?", (project_pk,))
        return ("", ()) if row is None else (row[0], tuple(orjson.loads(row[1])))

    def save_history(
        self,
        project_pk: int,
        changes: Iterable[tuple[int, Sequence[str]]],
        *,
        commit_id: str,
        missing: Sequence[str],
        renamed: Iterable[tuple[str, str]],
        whole: bool,
        changes_max: int,
    ) -> None:
        """Add changes, (seconds, files) each, the oldest first; with `whole` in the place of all that was known."""
        if whole:
            self.sql.run("DELETE FROM code_change WHERE project_pk = ?", (project_pk,))
        for old, new in () if whole else renamed:
            self.sql.run(
                "UPDATE code_changed_file SET path = ? WHERE path = ? AND change_pk IN "
                "(SELECT pk FROM code_change WHERE project_pk = ?) AND NOT EXISTS (SELECT 1 FROM code_changed_file o "
                "WHERE o.path = ? AND o.change_pk = code_changed_file.change_pk)",
                (new, old, project_pk, new),
            )
        for at_s, files in changes:
            pk = self.sql.value(
                "INSERT INTO code_change (project_pk, at_s) VALUES (?, ?) RETURNING pk", (project_pk, at_s)
            )
            self.sql.many("INSERT INTO code_changed_file VALUES (?, ?)", [(path, pk) for path in files])
        self.sql.run(
            "DELETE FROM code_change WHERE project_pk = ? AND pk NOT IN "
            "(SELECT pk FROM code_change WHERE project_pk = ? ORDER BY at_s DESC, pk DESC LIMIT ?)",
            (project_pk, project_pk, changes_max),
        )
        self.sql.run(
            "UPDATE code_project SET commit_id = ?, missing = ? WHERE pk = ?",
            (commit_id, orjson.dumps(list(missing)).decode(), project_pk),
        )

    def last_changed(self, project_pk: int) -> int | None:
        """When the newest change that is known of was made, in seconds."""
        at_s: int | None = self.sql.value("SELECT max(at_s) FROM code_change WHERE project_pk = ?", (project_pk,))
        return at_s

    def changed_with(self, project_pk: int, path: str) -> list[tuple[int, tuple[str, ...]]]:
        """(seconds, other files) of each change of a file."""
        found: dict[int, tuple[int, list[str]]] = {}
        for pk, at_s, other in self.sql.all(
            "SELECT c.pk, c.at_s, o.path FROM code_changed_file f JOIN code_change c ON c.pk = f.change_pk "
            "JOIN code_changed_file o ON o.change_pk = c.pk WHERE f.path = ? AND c.project_pk = ? ORDER BY c.pk",
            (path, project_pk),
        ):
            found.setdefault(pk, (at_s, []))[1].append(other)
        return [(at_s, tuple(other for other in files if other != path)) for at_s, files in found.values()]
