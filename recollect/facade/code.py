"""What is known about a project's code: `mem.code`."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from recollect.clock import from_us
from recollect.errors import UsageError
from recollect.facade.audited import audited
from recollect.facade.code_asking import PageArgs, named, number, root_named
from recollect.facade.code_notes import CodeNoteVerbs
from recollect.ingest import check
from recollect.limits import CODE_ANSWER_ITEMS_MAX
from recollect.model.result import Report

if TYPE_CHECKING:
    from recollect.code.projects import AskedProject
    from recollect.model.code import CodeAnswer, CodeEdge, CodeMap, PairedFile, PairedFiles


PAIRED_SHOWN = 5  # files that go with the one that was asked for


@partial(audited, prefix="code_")
class CodeVerbs(CodeNoteVerbs):
    """A graph of a project's code: files, symbols, and what imports, calls and extends what.

    A handle sees the projects whose names it holds or may add, the owner of the store all of them.
    """

    def index(self, path: str | os.PathLike[str] = ".", *, name: str | None = None) -> Report:
        """Take a project's code in, or bring it up to date: files that changed, and what looked at them.

        Args:
            path: A folder: all of its repository is taken in. A file of a project that is known: this file alone.
            name: What the project is called; the name of its folder unless it is said.
        """
        self._handle._owner_only("code.index")
        return self._projects.index(path, None if name is None else check.name(name, "name"))

    def watch(
        self, path: str | os.PathLike[str] = ".", *, name: str | None = None, seconds: float | None = None
    ) -> Report:
        """Take a project's code in and keep it up to date until this is interrupted.

        Args:
            path: A folder of the project.
            name: What the project is called; the name of its folder unless it is said.
            seconds: How long; left out, until it is interrupted.
        """
        from recollect.code.watching import ProjectWatch

        self._handle._owner_only("code.watch")
        most = None if seconds is None else check.figure(seconds, "seconds")
        root = pathlib.Path(self.index(path, name=name)["root"])
        settings = self._handle._opened.config.current.codegraph
        return ProjectWatch(root, settings, partial(self._projects.refresh, root)).run(most)

    def projects(self) -> Report:
        """The projects whose code is known, the one that was taken in last first."""
        found = sorted(self._projects.projects(self._sees), key=lambda each: (-each.indexed_at, each.name))
        return Report(
            figures={
                "projects": [
                    {
                        "project": each.name,
                        "root": each.root,
                        "indexed_at": from_us(each.indexed_at).isoformat(),
                        "there": os.path.isdir(each.root),
                    }
                    for each in found
                ]
            }
        )

    def status(self, *, root: str | None = None) -> Report:
        """How large the graph of a project is, how its edges were resolved, and which files are not taken in.

        Args:
            root: The project, by its folder or name; left out, the one around the current folder, or the only one.
        """
        return self._projects.status(root_named(root), self._sees)

    def forget(self, *, root: str | None = None) -> Report:
        """Forget the graph of a project; its files and records stay.

        Args:
            root: The project, by its folder or name.
        """
        self._handle._owner_only("code.forget")
        return self._projects.drop(root_named(root), self._sees)

    def impact(
        self,
        path_or_symbol: str,
        *,
        max_depth: int = 3,
        possible: bool = False,
        **page: Unpack[PageArgs],
    ) -> CodeAnswer:
        """What a change of a file or symbol reaches: direct and transitive dependents, best first, tests among them.

        With it comes what is known about those: trusted warnings, invariants and decisions, and paired files.

        Args:
            path_or_symbol: A path from the root, a folder, a symbol, or path::symbol.
            max_depth: Steps to go.
            possible: Whether uses that could not be resolved for certain are listed too; they are always counted.
        """
        wanted = self._wanted(page, possible=possible)
        name, depth = named(path_or_symbol, "path_or_symbol"), number(max_depth, "max_depth", 1)
        asked = self._asked(page.get("root"))
        return self._with_records(asked, name, asked.questions.impact(name, wanted, depth=depth))

    def _with_records(self, asked: AskedProject, name: str, answer: CodeAnswer) -> CodeAnswer:
        """An answer with what is known about the files and symbols in it, and with what goes with the file."""
        from recollect.observe.attached import AskedFiles, AttachedRecords

        files = asked.questions.files_of(name, answer)
        engine = self._handle._engine
        records = AttachedRecords(engine.store, engine.clock, engine.anchors.states)
        found = records.about(AskedFiles(asked.row.name, asked.row.root, files), self._sight(asked.row.name))
        first = next(iter(files), None)
        paired = tuple(self._beside(asked)(first)) if first is not None else ()
        return _with(asked, replace(answer, records=found, paired=paired))

    def dependencies(
        self,
        path_or_symbol: str,
        *,
        max_depth: int = 3,
        **page: Unpack[PageArgs],
    ) -> CodeAnswer:
        """What a file or symbol depends on, directly and through others, best first.

        Args:
            path_or_symbol: A path from the root, a folder, a symbol, or path::symbol.
            max_depth: Steps to go.
        """
        wanted = self._wanted(page)
        name, depth = named(path_or_symbol, "path_or_symbol"), number(max_depth, "max_depth", 1)
        asked = self._asked(page.get("root"))
        return _with(asked, asked.questions.dependencies(name, wanted, depth=depth))

    def callers(
        self,
        symbol: str,
        *,
        possible: bool = False,
        **page: Unpack[PageArgs],
    ) -> CodeAnswer:
        """Where a function, a method or a class is called, with the lines.

        Args:
            symbol: A symbol, or path::symbol.
            possible: Whether calls that may mean something else are listed too; they are always counted.
        """
        wanted, name = self._wanted(page, possible=possible), named(symbol, "symbol")
        asked = self._asked(page.get("root"))
        return _with(asked, asked.questions.callers(name, wanted))

    def callees(
        self,
        symbol: str,
        *,
        possible: bool = False,
        **page: Unpack[PageArgs],
    ) -> CodeAnswer:
        """What a function, a method or a class calls.

        Args:
            symbol: A symbol, or path::symbol.
            possible: Whether calls that could not be resolved are listed too; they are always counted.
        """
        wanted, name = self._wanted(page, possible=possible), named(symbol, "symbol")
        asked = self._asked(page.get("root"))
        return _with(asked, asked.questions.callees(name, wanted))

    def path(self, a: str, b: str, *, root: str | None = None) -> CodeAnswer:
        """A shortest chain of dependencies between two files or symbols, whichever depends on the other.

        Args:
            a: A path, a symbol, or path::symbol.
            b: Another one.
            root: The project, by its folder or name.
        """
        first, second = named(a, "a"), named(b, "b")
        asked = self._asked(root)
        return _with(asked, asked.questions.path(first, second))

    def find(self, name: str, **page: Unpack[PageArgs]) -> CodeAnswer:
        """Files and symbols by a part of their name; several words find the files that are called most by them.

        Args:
            name: A part of a path or of a symbol, or a few words: of a task, of a question.
        """
        wanted, part = self._wanted(page), named(name, "name")
        asked = self._asked(page.get("root"))
        if len(part.split()) == 1:
            return _with(asked, asked.questions.find(part, wanted))
        from recollect.code.words import find_by_words

        return _with(asked, find_by_words(asked.questions, part, wanted, self._beside(asked)))

    def _beside(self, asked: AskedProject) -> Callable[[str], Sequence[PairedFile]]:
        return partial(self._projects.beside, asked.row, limit=PAIRED_SHOWN)

    def outline(
        self,
        path: str,
        **page: Unpack[PageArgs],
    ) -> CodeAnswer:
        """What a file, a folder or a class defines, in order, with the lines.

        Args:
            path: A path from the root, or a symbol.
        """
        wanted, name = self._wanted(page), named(path, "path")
        asked = self._asked(page.get("root"))
        return _with(asked, asked.questions.outline(name, wanted))

    def trace(
        self,
        source: str,
        *,
        max_depth: int = 4,
        **page: Unpack[PageArgs],
    ) -> CodeAnswer:
        """Where data goes from a function on: calls, returns and flows that were said, and why each way ends.

        Args:
            source: A symbol, a path, or path::symbol.
            max_depth: Steps to go.
        """
        from recollect.code.tracing import trace

        wanted = self._wanted(page)
        name, depth = named(source, "source"), number(max_depth, "max_depth", 1)
        asked = self._asked(page.get("root"))
        return _with(asked, trace(asked.questions, name, wanted, depth=depth, returns=self._projects.returns(asked)))

    def changes(
        self,
        diff_or_range: str = "",
        *,
        max_depth: int = 3,
        **page: Unpack[PageArgs],
    ) -> CodeAnswer:
        """Which symbols a diff changes, and what depends on these.

        Args:
            diff_or_range: A unified diff, or a range of commits; left out, what is not committed.
            max_depth: Steps to go.
        """
        from recollect.code.changes import changes

        wanted, depth = self._wanted(page), number(max_depth, "max_depth", 1)
        if not isinstance(diff_or_range, str):
            raise UsageError("diff_or_range is a text: a diff, or a range of commits")
        asked = self._asked(page.get("root"))
        return _with(asked, changes(asked.questions, diff_or_range, wanted, depth=depth))

    def map(self, *, max_tokens: int = 1000, focus: str | None = None, root: str | None = None) -> CodeMap:
        """A project in few words: its modules, where it is entered, and the symbols that most leans on.

        Args:
            max_tokens: About how long it may be.
            focus: A file or symbol for whose sake it is asked, or a few words: the files that these fit are named.
            root: The project, by its folder or name.
        """
        from recollect.code.overview import project_map

        number(max_tokens, "max_tokens", 1)
        if focus is not None:
            focus = named(focus, "focus")
        asked = self._asked(root)
        found = project_map(
            asked.questions, max_tokens=max_tokens, focus=focus, known=self._known(asked), beside=self._beside(asked)
        )
        return replace(found, stale=asked.stale)

    def _known(self, asked: AskedProject) -> Mapping[str, int]:
        """How many trusted records there are about each file."""
        from recollect.observe.attached import AttachedRecords

        engine = self._handle._engine
        records = AttachedRecords(engine.store, engine.clock, engine.anchors.states)
        return records.by_file(asked.row.name, self._sight(asked.row.name))

    def health(self, *, root: str | None = None) -> Report:
        """How well a project's code is known: files, edges by how they were resolved, what is stale, module by module.

        Of each module: its files and symbols, the share of its calls whose target is known, and trusted records.

        Args:
            root: The project, by its folder or name.
        """
        from recollect.code.health import health_of

        asked = self._asked(root)
        status = self._projects.status(asked.row.root, self._sees)
        figures = health_of(asked.questions, asked.said, known=self._known(asked))
        return Report(figures={**status.figures, **figures}, warnings=status.warnings)

    def paired(self, path: str, *, limit: int = 10, root: str | None = None) -> PairedFiles:
        """Files that change or are read together with one, by the project's history and by watched work.

        The weight of a file is a lower bound of how probable it is that it is needed where the other one is.

        Args:
            path: A file of the project.
            limit: At most so many.
            root: The project, by its folder or name.
        """
        if not isinstance(path, str) or not path or "\0" in path:
            raise UsageError("path is the path of a file")
        most = min(number(limit, "limit", 1), CODE_ANSWER_ITEMS_MAX)
        return self._projects.paired(root, path, self._sees, limit=most)

    def edges(self, kind: str | None = None, *, root: str | None = None) -> list[CodeEdge]:
        """Every edge of the graph, with how it was resolved.

        Args:
            kind: imports, calls, implements, extends or exports; left out, all of them.
            root: The project, by its folder or name.
        """
        wanted = None if kind is None else named(kind, "kind")
        return list(self._projects.edges(root_named(root), wanted, self._sees, self._sight))


def _with(asked: AskedProject, answer: CodeAnswer) -> CodeAnswer:
    return replace(answer, stale=asked.stale) if asked.stale else answer
