"""What is known about a project's code: `mem.code`."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from recollect.errors import AccessDenied, UsageError
from recollect.facade.audited import audited
from recollect.facade.handle import Namespace
from recollect.ingest import check
from recollect.limits import CODE_ANSWER_ITEMS_MAX, NAME_CHARS_MAX

if TYPE_CHECKING:
    from recollect.code.projects import AskedProject, CodeProjects
    from recollect.code.questions import Wanted
    from recollect.model.code import CodeAnswer, CodeEdge, CodeMap, PairedFiles
    from recollect.model.result import Report


@partial(audited, prefix="code_")
class CodeVerbs(Namespace):
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

    def status(self, *, root: str | None = None) -> Report:
        """How large the graph of a project is, how its edges were resolved, and which files are not taken in.

        Args:
            root: The project, by its folder or name; left out, the one around the current folder, or the only one.
        """
        return self._projects.status(_root(root), self._sees)

    def forget(self, *, root: str | None = None) -> Report:
        """Forget the graph of a project; its files and records stay.

        Args:
            root: The project, by its folder or name.
        """
        self._handle._owner_only("code.forget")
        return self._projects.drop(_root(root), self._sees)

    def impact(
        self,
        path_or_symbol: str,
        *,
        max_depth: int = 3,
        possible: bool = False,
        limit: int | None = None,
        start: int = 0,
        max_tokens: int | None = None,
        root: str | None = None,
    ) -> CodeAnswer:
        """What a change of a file or symbol reaches: direct and transitive dependents, best first, tests among them.

        Args:
            path_or_symbol: A path from the root, a folder, a symbol, or path::symbol.
            max_depth: Steps to go.
            possible: Whether uses that could not be resolved for certain are listed too; they are always counted.
            limit: How many to name; the others are counted by folder.
            start: Where to go on, as `next` of the answer before said.
            max_tokens: About how long the answer may be.
            root: The project, by its folder or name.
        """
        wanted = self._wanted(limit, start, max_tokens, possible=possible)
        name, depth = _named(path_or_symbol, "path_or_symbol"), _number(max_depth, "max_depth", 1)
        asked = self._asked(root)
        return _with(asked, asked.questions.impact(name, wanted, depth=depth))

    def dependencies(
        self,
        path_or_symbol: str,
        *,
        max_depth: int = 3,
        limit: int | None = None,
        start: int = 0,
        max_tokens: int | None = None,
        root: str | None = None,
    ) -> CodeAnswer:
        """What a file or symbol depends on, directly and through others, best first.

        Args:
            path_or_symbol: A path from the root, a folder, a symbol, or path::symbol.
            max_depth: Steps to go.
            limit: How many to name; the others are counted by folder.
            start: Where to go on, as `next` of the answer before said.
            max_tokens: About how long the answer may be.
            root: The project, by its folder or name.
        """
        wanted = self._wanted(limit, start, max_tokens)
        name, depth = _named(path_or_symbol, "path_or_symbol"), _number(max_depth, "max_depth", 1)
        asked = self._asked(root)
        return _with(asked, asked.questions.dependencies(name, wanted, depth=depth))

    def callers(
        self,
        symbol: str,
        *,
        possible: bool = False,
        limit: int | None = None,
        start: int = 0,
        max_tokens: int | None = None,
        root: str | None = None,
    ) -> CodeAnswer:
        """Where a function, a method or a class is called, with the lines.

        Args:
            symbol: A symbol, or path::symbol.
            possible: Whether calls that may mean something else are listed too; they are always counted.
            limit: How many to name.
            start: Where to go on, as `next` of the answer before said.
            max_tokens: About how long the answer may be.
            root: The project, by its folder or name.
        """
        wanted, name = self._wanted(limit, start, max_tokens, possible=possible), _named(symbol, "symbol")
        asked = self._asked(root)
        return _with(asked, asked.questions.callers(name, wanted))

    def callees(
        self,
        symbol: str,
        *,
        possible: bool = False,
        limit: int | None = None,
        start: int = 0,
        max_tokens: int | None = None,
        root: str | None = None,
    ) -> CodeAnswer:
        """What a function, a method or a class calls.

        Args:
            symbol: A symbol, or path::symbol.
            possible: Whether calls that could not be resolved are listed too; they are always counted.
            limit: How many to name.
            start: Where to go on, as `next` of the answer before said.
            max_tokens: About how long the answer may be.
            root: The project, by its folder or name.
        """
        wanted, name = self._wanted(limit, start, max_tokens, possible=possible), _named(symbol, "symbol")
        asked = self._asked(root)
        return _with(asked, asked.questions.callees(name, wanted))

    def path(self, a: str, b: str, *, root: str | None = None) -> CodeAnswer:
        """A shortest chain of dependencies between two files or symbols, whichever depends on the other.

        Args:
            a: A path, a symbol, or path::symbol.
            b: Another one.
            root: The project, by its folder or name.
        """
        first, second = _named(a, "a"), _named(b, "b")
        asked = self._asked(root)
        return _with(asked, asked.questions.path(first, second))

    def find(self, name: str, *, limit: int | None = None, start: int = 0, root: str | None = None) -> CodeAnswer:
        """Files and symbols by a part of their name.

        Args:
            name: A part of a path, or of a symbol.
            limit: How many to name.
            start: Where to go on, as `next` of the answer before said.
            root: The project, by its folder or name.
        """
        wanted, part = self._wanted(limit, start, None), _named(name, "name")
        asked = self._asked(root)
        return _with(asked, asked.questions.find(part, wanted))

    def outline(
        self,
        path: str,
        *,
        limit: int | None = None,
        start: int = 0,
        max_tokens: int | None = None,
        root: str | None = None,
    ) -> CodeAnswer:
        """What a file, a folder or a class defines, in order, with the lines.

        Args:
            path: A path from the root, or a symbol.
            limit: How many to name.
            start: Where to go on, as `next` of the answer before said.
            max_tokens: About how long the answer may be.
            root: The project, by its folder or name.
        """
        wanted, name = self._wanted(limit, start, max_tokens), _named(path, "path")
        asked = self._asked(root)
        return _with(asked, asked.questions.outline(name, wanted))

    def trace(
        self,
        source: str,
        *,
        max_depth: int = 4,
        limit: int | None = None,
        start: int = 0,
        max_tokens: int | None = None,
        root: str | None = None,
    ) -> CodeAnswer:
        """Where data goes from a function on, call by call, and why each way ends.

        Args:
            source: A symbol, a path, or path::symbol.
            max_depth: Calls in calls.
            limit: How many steps to name.
            start: Where to go on, as `next` of the answer before said.
            max_tokens: About how long the answer may be.
            root: The project, by its folder or name.
        """
        from recollect.code.tracing import trace

        wanted = self._wanted(limit, start, max_tokens)
        name, depth = _named(source, "source"), _number(max_depth, "max_depth", 1)
        asked = self._asked(root)
        return _with(asked, trace(asked.questions, name, wanted, depth=depth))

    def changes(
        self,
        diff_or_range: str = "",
        *,
        max_depth: int = 3,
        limit: int | None = None,
        start: int = 0,
        max_tokens: int | None = None,
        root: str | None = None,
    ) -> CodeAnswer:
        """Which symbols a diff changes, and what depends on these.

        Args:
            diff_or_range: A unified diff, or a range of commits; left out, what is not committed.
            max_depth: Steps to go.
            limit: How many to name; the others are counted by folder.
            start: Where to go on, as `next` of the answer before said.
            max_tokens: About how long the answer may be.
            root: The project, by its folder or name.
        """
        from recollect.code.changes import changes

        wanted, depth = self._wanted(limit, start, max_tokens), _number(max_depth, "max_depth", 1)
        if not isinstance(diff_or_range, str):
            raise UsageError("diff_or_range is a text: a diff, or a range of commits")
        asked = self._asked(root)
        return _with(asked, changes(asked.questions, diff_or_range, wanted, depth=depth))

    def map(self, *, max_tokens: int = 1000, focus: str | None = None, root: str | None = None) -> CodeMap:
        """A project in few words: its modules, where it is entered, and the symbols that most leans on.

        Args:
            max_tokens: About how long it may be.
            focus: A file or symbol for whose sake it is asked.
            root: The project, by its folder or name.
        """
        from recollect.code.overview import project_map

        _number(max_tokens, "max_tokens", 1)
        if focus is not None:
            focus = _named(focus, "focus")
        asked = self._asked(root)
        return replace(project_map(asked.questions, max_tokens=max_tokens, focus=focus), stale=asked.stale)

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
        return self._projects.paired(root, path, self._sees, limit=self._wanted(limit, 0, None).limit)

    def edges(self, kind: str | None = None, *, root: str | None = None) -> list[CodeEdge]:
        """Every edge of the graph, with how it was resolved.

        Args:
            kind: imports, calls, implements, extends or exports; left out, all of them.
            root: The project, by its folder or name.
        """
        return list(self._projects.edges(_root(root), kind if kind is None else _named(kind, "kind"), self._sees))

    @property
    def _projects(self) -> CodeProjects:
        return self._handle._engine.code

    def _asked(self, root: str | None) -> AskedProject:
        return self._projects.asked(_root(root), self._sees)

    def _sees(self, project: str) -> bool:
        if self._handle._owner:
            return True
        try:
            return self._handle._in({"project": project}).project == project
        except AccessDenied:
            return False

    def _wanted(self, limit: int | None, start: int, max_tokens: int | None, *, possible: bool = False) -> Wanted:
        from recollect.code.questions import Wanted

        limit = self._handle._opened.config.current.codegraph.items if limit is None else _number(limit, "limit", 1)
        if max_tokens is not None:
            _number(max_tokens, "max_tokens", 1)
        if not isinstance(possible, bool):
            raise UsageError("possible is true or false")
        return Wanted(min(limit, CODE_ANSWER_ITEMS_MAX), _number(start, "start", 0), max_tokens, possible)


def _number(value: int, name: str, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name} is a whole number from {least} on")
    return value


def _named(value: str, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value or len(value) > _NAMED_CHARS_MAX:
        raise UsageError(f"{name} is a text of at most {_NAMED_CHARS_MAX} characters, without NUL")
    return value.strip()


def _root(value: str | os.PathLike[str] | None) -> str | None:
    return None if value is None else _named(os.fspath(value) if isinstance(value, os.PathLike) else value, "root")


_NAMED_CHARS_MAX = 4 * NAME_CHARS_MAX


def _with(asked: AskedProject, answer: CodeAnswer) -> CodeAnswer:
    return replace(answer, stale=asked.stale) if asked.stale else answer
