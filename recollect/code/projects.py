"""The projects whose code a store knows: which one is asked about, and that its graph is fresh or said to be stale."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.clock import Clock
from recollect.code.anchoring import RecordAnchors
from recollect.code.graph import CodeGraph, is_test_path
from recollect.code.held import Project
from recollect.code.packed import DEPENDENT, KINDS, RESOLVED
from recollect.code.project import root_of
from recollect.code.questions import CodeQuestions
from recollect.code.said import SaidAboutCode, SaidRecord
from recollect.code.together import Companions
from recollect.config import LiveConfig
from recollect.errors import NotFound, UsageError
from recollect.limits import CODE_ANSWER_ITEMS_MAX
from recollect.model.code import EDGE_KINDS, READ_KINDS, CodeEdge, PairedFile, PairedFiles, Resolved
from recollect.model.query import Criteria
from recollect.model.result import Report
from recollect.store.base import Store
from recollect.store.code import ProjectRow

if TYPE_CHECKING:
    from recollect.code.indexing import Indexed

Sees = Callable[[str], bool]  # whether the caller may see a project of this name
Sight = Callable[[str], Criteria]  # which records of a project of this name the caller may see
OCCASIONS_MIN = 2  # before two files are said to go together to somebody who asked for something else
_STALE_SHOWN = 20
_ASKED_MAX = 64  # projects and callers whose questions are held
_NOTES_SHOWN = 20


class AskedProject(NamedTuple):
    """A project's graph for one question, what was said about it, and which files are not in it as they are now."""

    row: ProjectRow
    questions: CodeQuestions
    stale: tuple[str, ...]
    said: tuple[SaidRecord, ...]


class _Questions(NamedTuple):
    """Questions to a graph with what was said; they hold while both are the same."""

    of: CodeGraph
    said: tuple[SaidRecord, ...]
    questions: CodeQuestions


class CodeProjects:
    """Graphs of code in one store. They are held in memory once they were asked about."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock, anchors: RecordAnchors) -> None:
        self._anchors = anchors
        self._said = SaidAboutCode(store, config, clock, anchors)
        self._store = store
        self._config = config
        self._clock = clock
        self._open: dict[str, Project] = {}
        self._asked: dict[tuple[str, Criteria | None], _Questions] = {}
        self._looked: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._lock = threading.RLock()
        self._companions = Companions(store, config, clock)

    def index(self, path: str | os.PathLike[str], name: str | None) -> Report:
        """Take a project in, or bring it up to date."""
        root = root_of(path)
        with self._lock:
            project = self._project(root)
            before = project.row()
            only = os.path.relpath(os.path.realpath(path), root) if os.path.isfile(path) else None
            done = project.update(name or (before.name if before else root.name or str(root)), only)
            self._looked.pop(str(root), None)
            row = project.row()
            assert row is not None
            missing, renamed = ((), {}) if only is not None and before is not None else self._companions.read(row)
            self._hold(row, renamed | done.renamed)
            if only is not None and before is not None:  # the figures of the whole would take the whole graph
                figures = {"root": row.root, "project": row.name, "files": done.files, "left_out": done.left_out}
                return Report(figures={**figures, "read": done.read, "resolved": done.resolved, "gone": done.gone})
            return self._told(project, done, missing)

    def status(self, root: str | None, sees: Sees) -> Report:
        """How large a graph is, how it was resolved, and what is not in it."""
        with self._lock:
            row = self._chosen(root, sees)
            project = self._project(Path(row.root))
            pending = project.pending() if os.path.isdir(row.root) else {}
            return self._figures(project, row, pending)

    def projects(self, sees: Sees) -> list[ProjectRow]:
        with self._store.read() as tx:
            return [row for row in tx.code.projects() if sees(row.name)]

    def drop(self, root: str | None, sees: Sees) -> Report:
        """Forget a project's graph."""
        with self._lock:
            row = self._chosen(root, sees)
            count = self._store.write(lambda tx: tx.code.drop_project(row.pk))
            self._open.pop(row.root, None)
            self._looked.pop(row.root, None)
            self._asked = {key: value for key, value in self._asked.items() if key[0] != row.root}
            return Report(figures={"root": row.root, "files": count})

    def asked(self, root: str | None, sees: Sees, sight: Sight) -> AskedProject:
        """The graph for a question, with what was said as far as the caller may see it.

        A few changed files are taken in first; where there are many, they are named.
        """
        with self._lock:
            row = self._chosen(root, sees)
            project = self._project(Path(row.root))
            stale = self._refreshed(project, row)
            seen = sight(row.name)
            said = self._said.records(row.name, seen)
            return AskedProject(row, self._questions(project, said, seen), stale, said)

    def _questions(self, project: Project, said: tuple[SaidRecord, ...], sight: Criteria) -> CodeQuestions:
        graph = project.graph()
        key = (str(project.root), sight if said else None)  # where nothing was said all callers share one
        known = self._asked.get(key)
        if known is None or known.of is not graph or known.said is not said:
            if len(self._asked) >= _ASKED_MAX:
                self._asked.clear()
            joined = self._said.joined(graph, said)
            made = CodeQuestions(joined, project.root, self._config.current.codegraph)
            known = self._asked[key] = _Questions(graph, said, made)
        return known.questions

    def refresh(self, root: Path) -> Indexed | None:
        """Take in what changed, however much; None where nothing did."""
        with self._lock:
            project = self._project(root)
            row = project.row()
            if row is None or not project.pending():
                return None
            done = project.update(row.name)
            self._hold(row, done.renamed)
            self._looked.pop(str(root), None)
            return done

    def look_again(self) -> None:
        """Somebody has worked on files: the next question looks at them, however short the last look is ago."""
        self._looked.clear()

    def _refreshed(self, project: Project, row: ProjectRow) -> tuple[str, ...]:
        settings = self._config.current.codegraph
        looked = self._looked.get(row.root)
        if looked is not None and (self._clock() - looked[0]) / 1e6 < settings.check_s:
            return looked[1]
        if not os.path.isdir(row.root):
            stale: tuple[str, ...] = (f"{row.root}: the project is gone",)
        else:
            pending = project.pending()
            if pending and len(pending) <= settings.refresh_files:
                done = project.update(row.name)
                self._hold(row, done.renamed)
                pending = {}
            stale = tuple(sorted(pending))
        if len(stale) > _STALE_SHOWN:
            stale = (*stale[:_STALE_SHOWN], f"and {len(stale) - _STALE_SHOWN} more")
        self._looked[row.root] = (self._clock(), stale)
        return stale

    def _hold(self, project: ProjectRow, renamed: Mapping[str, str]) -> None:
        """Have records follow their code after files were taken in, and what was watched follow its files."""
        self._anchors.hold(renamed=renamed)
        if renamed:
            from recollect.code.renaming import follow  # few files are renamed

            self._store.write(lambda tx: follow(tx, project, renamed, now=self._clock()))
        self._said.look_again()

    def reach(self, root: str | None, path: str, sees: Sees) -> Report:
        """How many files depend on one, from the closure alone: one row is read, no graph."""
        row = self._chosen(root, sees)
        import numpy as np

        with self._store.read() as tx:
            standing = tx.code.standing(row.pk)
            found = standing.get(path)
            data = tx.code.closure(found.pk) if found is not None else None
        if data is None:
            raise NotFound("no such file was taken in")
        dependents = np.frombuffer(data, dtype=DEPENDENT)
        paths = {each.pk: name for name, each in standing.items()}
        tests = sum(is_test_path(paths[pk]) for pk in dependents["file"].tolist())
        direct = int((dependents["depth"] == 1).sum())
        return Report(figures={"path": path, "direct": direct, "total": len(dependents), "tests": tests})

    def paired(self, root: str | None, path: str, sees: Sees, *, limit: int) -> PairedFiles:
        """Files that change or are read together with one."""
        row = self._chosen(root, sees)
        inside = os.path.relpath(path, row.root) if os.path.isabs(path) else os.path.normpath(path)
        return self._companions.of(row, inside.replace(os.sep, "/"), limit=limit)

    def beside(self, row: ProjectRow, path: str, *, limit: int) -> tuple[PairedFile, ...]:
        """The same by what is known already, and more than one occasion has shown: no commit is read for it."""
        found = self._companions.of(row, path, limit=CODE_ANSWER_ITEMS_MAX, read=False).files
        return tuple(each for each in found if each.together >= OCCASIONS_MIN)[:limit]

    def returns(self, asked: AskedProject) -> Callable[[str, str], bool]:
        """What tells whether a symbol of a file gives something back; a file is looked at once."""
        from recollect.code.packing import returning

        known: dict[str, frozenset[str]] = {}

        def told(path: str, symbol: str) -> bool:
            if path not in known:
                with self._store.read() as tx:
                    data = tx.code.facts_of(asked.row.pk, path)
                known[path] = frozenset() if data is None else returning(data)
            return symbol in known[path]

        return told

    def place(self, asked: AskedProject, text: str) -> str:
        """A place that somebody names, as it is kept with what is said about it."""
        return self._said.place(asked.row, asked.questions, text)

    def edges(self, root: str | None, kind: str | None, sees: Sees, sight: Sight) -> Iterator[CodeEdge]:
        """Every edge, or those of a kind."""
        if kind is not None and kind not in EDGE_KINDS:
            raise UsageError(f"kind is one of {', '.join(EDGE_KINDS)}")
        questions = self.asked(root, sees, sight).questions
        graph, worth = questions.graph, questions.worth
        wanted = KINDS.index(kind) if kind is not None else None
        for at in range(graph.edge_count):
            if wanted is None or graph.kind[at] == wanted:
                yield graph.edge(at, worth.weights, worth.trust)

    # Which project

    def _project(self, root: Path) -> Project:
        return self._open.setdefault(str(root), Project(self._store, self._clock, root))

    def _chosen(self, root: str | None, sees: Sees) -> ProjectRow:
        """The project that is named, the one around the current folder, the only one, or none."""
        rows = self.projects(sees)
        by_root = {row.root: row for row in rows}
        if root is not None:
            wanted = str(root_of(root)) if os.path.lexists(root) else root
            found = by_root.get(wanted) or next((row for row in rows if row.name == root), None)
            if found is None:
                raise NotFound("that project is not indexed; `recollect code index PATH` takes it in")
            return found
        if len(rows) == 1:
            return rows[0]
        if not rows:
            raise NotFound("no project that you may see is indexed; `recollect code index PATH` takes one in")
        here = by_root.get(str(root_of(".")))
        if here is None:
            raise UsageError(f"{len(rows)} projects are indexed; name one by root=, by its folder or its name")
        return here

    # What is told

    def _told(self, project: Project, done: Indexed, missing: tuple[str, ...]) -> Report:
        row = project.row()
        assert row is not None
        report = self._figures(project, row, {})
        return Report(
            figures={**report.figures, "read": done.read, "resolved": done.resolved, "gone": done.gone},
            warnings=(*report.warnings, *missing),
        )

    def _figures(self, project: Project, row: ProjectRow, pending: dict[str, str]) -> Report:
        import numpy as np

        graph = project.graph()
        counts = np.bincount(graph.resolved, minlength=len(RESOLVED)).tolist()[: RESOLVED.index(Resolved.SAID)]
        kinds = np.bincount(graph.kind, minlength=len(KINDS)).tolist()[: len(READ_KINDS)]
        with self._store.read() as tx:
            notes = tx.code.notes(row.pk)
        warnings = [f"{path}: {refused or '; '.join(said)}" for path, refused, said in notes[:_NOTES_SHOWN]]
        if len(notes) > _NOTES_SHOWN:
            warnings.append(f"and {len(notes) - _NOTES_SHOWN} more")
        return Report(
            figures={
                "root": row.root,
                "project": row.name,
                "files": len(graph.paths),
                "nodes": len(graph),
                "kinds": graph.symbol_kinds,
                "edges": dict(zip(READ_KINDS, kinds, strict=True)),
                "how": {str(each): count for each, count in zip(RESOLVED, counts, strict=False)},
                "left_out": row.left_out,
                "stale": dict(sorted(pending.items())[:_STALE_SHOWN]),
                "stale_files": len(pending),
            },
            warnings=tuple(warnings),
        )
