"""Records and the code they are about: anchored when they are stored, and found to be as it was, moved or drifted.

What a record says is never touched. Its attributes keep the places as they were. How these stand today is a row of
`code_anchor`, brought up to date when files are taken in and in the background, after a search met a changed file. A
search itself looks at the size and the time of the files of its hits and at nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from recollect.code.anchors import Anchor
from recollect.code.families import language_of
from recollect.code.project import Content, FileStamp, content_of, stamp_of
from recollect.config import LiveConfig
from recollect.model.anchor import ATTRIBUTE, AnchorState, CodeAnchor, anchors_on, print_of, state_of
from recollect.model.columns import RecordRow
from recollect.model.record import SecurityTier
from recollect.model.result import Hit
from recollect.model.said_of_code import SaidOfCode, place_of
from recollect.model.scope import Scope
from recollect.store.anchors import AnchoredRecord, AnchorRow
from recollect.store.base import Store, Tx
from recollect.store.code import ProjectRow
from recollect.store.rows import from_json, to_json

FILES_MAX = 5  # of one record that are anchored
SYMBOLS_MAX = 3  # of one file
RECORDS_MAX = 20_000  # that are looked at in one go
ELSEWHERE_MAX = 5  # files that have a symbol of the same name
_GONE = FileStamp(-1, -1)
_NAME = re.compile(r"(`?)((?:[A-Za-z_]\w*)(?:(?:\.|::)[A-Za-z_]\w*)*)(\(|`)?")
_LIKE_CODE = re.compile(r"[._]|[a-z0-9][A-Z]")
NOTHING_RENAMED: Mapping[str, str] = {}

Symbols = Mapping[str, tuple[int, int]]


class _FileNow:
    """A file of a project as it is now, read when somebody needs its text."""

    def __init__(self, store: Store, root: str, path: str) -> None:
        self._store = store
        self._root = root
        self.path = path
        self.stamp = _stamp(root, path)

    @cached_property
    def _content(self) -> Content | None:
        found = content_of(Path(self._root), self.path) if self.stamp != _GONE else None
        return found if found is not None and not found.refused else None

    @cached_property
    def text(self) -> str | None:
        return None if self._content is None else self._content.data.decode("utf-8", "replace")

    @cached_property
    def symbols(self) -> Symbols:
        """What the file defines, with its lines; nothing of a language that is not read."""
        from recollect.code.packing import nodes_of
        from recollect.code.world import FactsOfFiles

        language = language_of(self.path)
        if self._content is None or language is None:
            return {}
        _, facts = FactsOfFiles(self._store).read(self.path, self._content.data, language)
        return {node.symbol: (node.line, node.end) for node in nodes_of(facts) if node.symbol}


class _HeldRecord(NamedTuple):
    """How one record's anchors were found, and whether that has to be written down."""

    pk: int
    rows: list[AnchorRow]


class RecordAnchors:
    """Anchors of the records of one store. `later` has something done in the background; without it, it is done now."""

    def __init__(
        self, store: Store, config: LiveConfig, later: Callable[[Callable[[], object]], object] | None
    ) -> None:
        self._store = store
        self._config = config
        self._later = later

    # When a record is stored

    def anchor(self, rows: Sequence[RecordRow], scope: Scope) -> None:
        """Note in rows that are about to be stored which code they are about. Nobody else says that."""
        before = {row.id: anchors_on(from_json(row.attributes, {})) for row in rows}
        for row in rows:
            _set(row, ())
        about = [row for row in rows if _may_be_anchored(row)]
        if not about:
            return
        with self._store.read() as tx:
            projects = tx.code.projects()
            kept = tx.anchors.kept([id_ for id_, anchors in before.items() if anchors])
        files: dict[tuple[str, str], _FileNow] = {}
        for row in about if projects else ():
            followed = _followed_paths(before[row.id], kept.get(row.id, ()))
            _set(row, self._anchors_of(row, scope, projects, files, followed))

    def place(self, project: ProjectRow, text: str) -> Anchor | None:
        """The anchor of a place in a project's files; None where there is nothing that could be kept."""
        path, lines, symbol = place_of(text)
        inside = _inside(project, path, Scope(project=project.name))
        file = None if inside is None else _FileNow(self._store, project.root, inside)
        found = _place(file, lines, symbol) if file is not None and file.text is not None else []
        return found[0] if found else None

    def _anchors_of(
        self,
        row: RecordRow,
        scope: Scope,
        projects: Sequence[ProjectRow],
        files: dict[tuple[str, str], _FileNow],
        followed: Mapping[str, str],
    ) -> list[Anchor]:
        said = SaidOfCode.of(from_json(row.attributes, {}))
        found: list[Anchor] = []
        for given in _listed(row.metadata)[:FILES_MAX] if said is None else said.places:
            path, lines, symbol = place_of(given.replace("\\", "/"))
            for project in projects:
                inside = _inside(project, path, scope)
                if inside is None:
                    continue
                file = self._file(project, inside, files)
                if file.text is None and inside in followed:
                    file = self._file(project, followed[inside], files)
                if file.text is not None:
                    places = _places(file, row.content, lines) if said is None else _place(file, lines, symbol)
                    found += [_noted(each, project, file.stamp) for each in places]
                    break
        return found

    # When a record is found

    def seen(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits with how their code stands, as far as sizes and times of files tell."""
        about = [hit for hit in hits if hit.code]
        if not about:
            return list(hits)
        found, changed = self._standing(about)
        if changed and self._later is None:
            self.hold(ids=changed)
            found, _ = self._standing(about)
        elif changed and self._later is not None:
            self._later(lambda: self.hold(ids=changed))
        return [self._judged(hit, found[hit.id]) if hit.code else hit for hit in hits]

    def states(self, of: Mapping[str, Sequence[CodeAnchor]]) -> dict[str, tuple[CodeAnchor, ...]]:
        """How records stand, by id, from the places in their attributes. Files that have changed are read."""
        found, changed = self._standing_of(of)
        if changed:
            self.hold(ids=changed)
            found, _ = self._standing_of(of)
        return found

    def _standing(self, hits: Sequence[Hit]) -> tuple[dict[str, tuple[CodeAnchor, ...]], list[str]]:
        return self._standing_of({hit.id: hit.code for hit in hits})

    def _standing_of(
        self, of: Mapping[str, Sequence[CodeAnchor]]
    ) -> tuple[dict[str, tuple[CodeAnchor, ...]], list[str]]:
        """Anchors as they stand, by id, and the ids of records whose files have changed since they were looked at."""
        with self._store.read() as tx:
            kept = tx.anchors.kept(of)
            projects = [each for each in tx.code.projects() if os.path.isdir(each.root)]
        found: dict[str, tuple[CodeAnchor, ...]] = {}
        changed: list[str] = []
        for id_, anchors in of.items():
            rows = _valid(kept.get(id_, ()), print_of(anchors))
            shown = [_shown(each, rows.get(at), projects) for at, each in enumerate(anchors)]
            found[id_] = tuple(each for each in shown if each is not None)
            if any(each is not None and not each.checked for each in shown):
                changed.append(id_)
        return found, changed

    def _judged(self, hit: Hit, code: tuple[CodeAnchor, ...]) -> Hit:
        """A hit with its code; what is about other code than there is now is trusted less."""
        settings = self._config.current.codegraph
        shares = {AnchorState.DRIFTED: settings.drifted_trust, AnchorState.ORPHANED: settings.orphaned_trust}
        share = shares.get(state_of(code) or AnchorState.FRESH, 1.0)
        if share == 1.0:
            return replace(hit, code=code)
        trust = replace(hit.trust, accuracy=hit.trust.accuracy * share, composite=hit.trust.composite * share)
        return replace(hit, code=code, trust=trust)

    # When files have changed

    def hold(self, *, ids: Collection[str] | None = None, renamed: Mapping[str, str] = NOTHING_RENAMED) -> int:
        """Hold anchors against the files they are in; how many records stand otherwise than before.

        Files that are as they were are not read. `renamed` says under which names files that are gone are found now.
        """
        with self._store.read() as tx:
            records = tx.anchors.anchored(limit=RECORDS_MAX, ids=ids)
            kept = tx.anchors.kept([each.id for each in records]) if records else {}
            projects = [each for each in tx.code.projects() if os.path.isdir(each.root)] if records else []
            files: dict[tuple[str, str], _FileNow] = {}
            looks = [self._held(tx, each, kept.get(each.id, ()), projects, files, renamed) for each in records]
        moved = [each for each in looks if each is not None]

        def work(tx: Tx) -> None:
            for pk, rows in moved:
                tx.anchors.save(pk, rows)

        if moved:
            self._store.write(work)
        return len(moved)

    def _held(
        self,
        tx: Tx,
        record: AnchoredRecord,
        kept: Sequence[AnchorRow],
        projects: Sequence[ProjectRow],
        files: dict[tuple[str, str], _FileNow],
        renamed: Mapping[str, str],
    ) -> _HeldRecord | None:
        """A record's anchors as they are now; None if nothing has to be noted."""
        attributes = from_json(record.attributes, {})
        print_ = print_of(anchors_on(attributes))
        known = _valid(kept, print_)
        anchors = [anchor for each in attributes[ATTRIBUTE] if (anchor := Anchor.of(each)) is not None]
        rows: list[AnchorRow] = []
        for at, anchor in enumerate(anchors):
            row = known.get(at)
            project = _project_of(anchor.project, row, projects)
            if project is None:
                return None
            now = self._look(tx, anchor, row, project, files, renamed)
            rows.append(now._replace(position=at, project_pk=project.pk, print=print_))
        untouched = [
            (each.path, each.state, each.size, each.mtime_ns) == (anchor.path, "fresh", anchor.size, anchor.mtime_ns)
            for each, anchor in zip(rows, anchors, strict=True)
        ]
        if rows == [known.get(at) for at in range(len(rows))] or (not known and all(untouched)):
            return None
        return _HeldRecord(record.pk, rows)

    def _look(
        self,
        tx: Tx,
        anchor: Anchor,
        row: AnchorRow | None,
        project: ProjectRow,
        files: dict[tuple[str, str], _FileNow],
        renamed: Mapping[str, str],
    ) -> AnchorRow:
        before = row or AnchorRow(
            0, project.pk, 0, anchor.path, anchor.start, anchor.end, "fresh", anchor.size, anchor.mtime_ns
        )
        file = self._followed(before.path, project, files, renamed)
        if file.path == before.path and file.stamp == (before.size, before.mtime_ns):
            return before
        start = anchor.start if anchor.is_whole else before.line
        state, now = replace(anchor, start=start).held_against(file.text)
        if state is AnchorState.ORPHANED and anchor.symbol:
            state, now = replace(anchor, start=start).held_against(file.text, file.symbols)
        if state is AnchorState.ORPHANED and anchor.symbol:
            other = self._elsewhere(tx, anchor, project, files)
            file, now = other or (file, now)
            state = AnchorState.MOVED if other else state
        if state in (AnchorState.FRESH, AnchorState.MOVED):
            same = (file.path, now.start) == (anchor.path, anchor.start)
            state = AnchorState.FRESH if same else AnchorState.MOVED
        return before._replace(
            path=file.path,
            line=now.start,
            end_line=now.end,
            state=state.value,
            size=file.stamp.size,
            mtime_ns=file.stamp.mtime_ns,
        )

    def _followed(
        self,
        path: str,
        project: ProjectRow,
        files: dict[tuple[str, str], _FileNow],
        renamed: Mapping[str, str],
    ) -> _FileNow:
        """The file at a path, or where it went if there is none."""
        seen = {path}
        file = self._file(project, path, files)
        while file.stamp == _GONE and (further := renamed.get(file.path)) is not None and further not in seen:
            seen.add(further)
            file = self._file(project, further, files)
        return file if file.stamp != _GONE else self._file(project, path, files)

    def _file(self, project: ProjectRow, path: str, files: dict[tuple[str, str], _FileNow]) -> _FileNow:
        key = (project.root, path)
        if key not in files:
            files[key] = _FileNow(self._store, project.root, path)
        return files[key]

    def _elsewhere(
        self, tx: Tx, anchor: Anchor, project: ProjectRow, files: dict[tuple[str, str], _FileNow]
    ) -> tuple[_FileNow, Anchor] | None:
        """The one other file in which the same lines are, under the same symbol."""
        named = orjson.dumps([anchor.symbol])[:-1] + b","
        paths = [path for path, _, kept in tx.code.definitions(project.pk) if named in kept and path != anchor.path]
        found: list[tuple[_FileNow, Anchor]] = []
        for path in paths if len(paths) <= ELSEWHERE_MAX else ():
            file = self._file(project, path, files)
            state, now = anchor.held_against(file.text)
            if state in (AnchorState.FRESH, AnchorState.MOVED):
                found.append((file, now))
        return found[0] if len(found) == 1 else None


def _may_be_anchored(row: RecordRow) -> bool:
    return bool(row.metadata) and row.box is None and row.security == SecurityTier.CLEARTEXT.value and row.place is None


def _set(row: RecordRow, anchors: Sequence[Anchor]) -> None:
    attributes: dict[str, Any] = from_json(row.attributes, {})
    if ATTRIBUTE not in attributes and not anchors:
        return
    attributes = {name: value for name, value in attributes.items() if name != ATTRIBUTE}
    if anchors:
        attributes[ATTRIBUTE] = [each.to_dict() for each in anchors]
    row.attributes = to_json(attributes) if attributes else None


def _listed(metadata: str | None) -> list[str]:
    listed = from_json(metadata, {}).get("related_files")
    listed = listed if isinstance(listed, list) else [listed]
    return [path for path in listed if isinstance(path, str) and path and "\0" not in path]


def _inside(project: ProjectRow, path: str, scope: Scope) -> str | None:
    """A path from the root of a project, if it is meant: by its project's name, or by its full path.

    Hidden files are no code, and may hold what nobody should keep a print of.
    """
    if os.path.isabs(path):
        base = project.root.rstrip("/") + "/"
        if not path.startswith(base) or scope.project not in (None, project.name):
            return None
        path = path[len(base) :]
    elif scope.project != project.name:
        return None
    path = os.path.normpath(path).replace(os.sep, "/")
    return None if path.startswith("../") or any(part.startswith(".") for part in path.split("/")) else path


def _stamp(root: str, path: str) -> FileStamp:
    """Size and time of a file that lies where its path says, behind no link; of one that does not exist -1."""
    place = os.path.join(root, path)
    stamp = stamp_of(place)
    return stamp if stamp is not None and os.path.realpath(place) == place else _GONE


def _places(file: _FileNow, content: str, lines: tuple[int, int] | None) -> list[Anchor]:
    """The places in a file that a text is about: lines that were given, symbols it names, or the whole file."""
    text = file.text or ""
    if lines is not None:
        return [Anchor.at(file.path, text, start=lines[0], end=lines[1])]
    named = named_symbols(content, file.symbols) if _NAME.search(content) else []
    anchors = [
        Anchor.at(file.path, text, symbol=symbol, start=file.symbols[symbol][0], end=file.symbols[symbol][1])
        for symbol in named[:SYMBOLS_MAX]
    ]
    return anchors or [Anchor.of_file(file.path, text)]


def _followed_paths(before: Sequence[CodeAnchor], kept: Sequence[AnchorRow]) -> dict[str, str]:
    """Where the files of a record's anchors are now, of those that moved."""
    rows = _valid(kept, print_of(before))
    return {each.path: rows[at].path for at, each in enumerate(before) if at in rows and rows[at].path != each.path}


def _place(file: _FileNow, lines: tuple[int, int] | None, symbol: str) -> list[Anchor]:
    """The one place in a file that was named; none if the file has no such symbol."""
    text = file.text or ""
    if symbol:
        found = file.symbols.get(symbol)
        return [Anchor.at(file.path, text, symbol=symbol, start=found[0], end=found[1])] if found else []
    return _places(file, "", lines)


def named_symbols(content: str, symbols: Symbols) -> list[str]:
    """Symbols of a file that a text names. A plain word is none unless it stands in backticks or before a bracket."""
    by_last: dict[str, list[str]] = {}
    for symbol in symbols:
        by_last.setdefault(symbol.rpartition(".")[2], []).append(symbol)
    found: dict[str, None] = {}
    for quote, word, after in _NAME.findall(content):
        if not (quote or after or _LIKE_CODE.search(word)):
            continue
        name = word.replace("::", ".")
        fitting = [name] if name in symbols else by_last.get(name, [])
        if not fitting and "." in name:
            fitting = [each for each in by_last.get(name.rpartition(".")[2], []) if f".{name}".endswith(f".{each}")]
        if len(fitting) == 1:
            found[fitting[0]] = None
    return [each for each in found if not any(other.startswith(f"{each}.") for other in found)]


def _noted(anchor: Anchor, project: ProjectRow, stamp: FileStamp) -> Anchor:
    return replace(anchor, project=project.name, size=stamp.size, mtime_ns=stamp.mtime_ns)


def _valid(rows: Sequence[AnchorRow], print_: int) -> dict[int, AnchorRow]:
    return {row.position: row for row in rows if row.print == print_}


def _project_of(name: str, row: AnchorRow | None, projects: Sequence[ProjectRow]) -> ProjectRow | None:
    for project in projects:
        if project.pk == row.project_pk if row is not None else project.name == name:
            return project
    return None


def _shown(anchor: CodeAnchor, row: AnchorRow | None, projects: Sequence[ProjectRow]) -> CodeAnchor | None:
    """An anchor as it stands; None where the project is not here, so that nobody can tell."""
    project = _project_of(anchor.project, row, projects)
    if project is None:
        return None
    if row is not None:
        anchor = replace(
            anchor,
            path=row.path,
            line=row.line,
            end_line=row.end_line,
            state=AnchorState(row.state),
            size=row.size,
            mtime_ns=row.mtime_ns,
        )
    stamp = _stamp(project.root, anchor.path)
    if stamp == (anchor.size, anchor.mtime_ns):
        return anchor
    return replace(anchor, checked=False, state=AnchorState.ORPHANED if stamp == _GONE else anchor.state)
