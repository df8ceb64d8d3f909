"""What every verb about code knows: which project is asked about, who asks, and how much they want to hear."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypedDict

from recollect.errors import AccessDenied, UsageError
from recollect.facade.handle import Namespace, UnknownArgument
from recollect.limits import CODE_ANSWER_ITEMS_MAX, NAME_CHARS_MAX

if TYPE_CHECKING:
    from recollect.code.projects import AskedProject, CodeProjects
    from recollect.code.questions import Wanted
    from recollect.model.query import Criteria

NAMED_CHARS_MAX = 4 * NAME_CHARS_MAX


class PageArgs(TypedDict, total=False):
    """Of which project an answer is, and how much of it is wanted."""

    limit: int | None
    start: int | None
    max_tokens: int | None
    root: str | None


class CodeAsking(Namespace):
    """A caller who asks about code. A handle sees the projects whose names it holds or may add, the owner all."""

    @property
    def _projects(self) -> CodeProjects:
        return self._handle._engine.code

    def _asked(self, root: str | None) -> AskedProject:
        return self._projects.asked(root_named(root), self._sees, self._sight)

    def _sees(self, project: str) -> bool:
        if self._handle._owner:
            return True
        try:
            return self._handle._in({"project": project}).project == project
        except AccessDenied:
            return False

    def _sight(self, project: str) -> Criteria:
        """What the caller may see of a project's records: the owner all of them."""
        return self._handle._walk({} if self._handle._owner else {"project": project}, None, None)

    def _wanted(self, page: PageArgs, *, possible: bool = False) -> Wanted:
        from recollect.code.questions import Wanted

        if unknown := page.keys() - PageArgs.__annotations__.keys():
            raise UnknownArgument(min(unknown))
        limit, max_tokens = page.get("limit"), page.get("max_tokens")
        limit = self._handle._opened.config.current.codegraph.items if limit is None else number(limit, "limit", 1)
        if max_tokens is not None:
            number(max_tokens, "max_tokens", 1)
        if not isinstance(possible, bool):
            raise UsageError("possible is true or false")
        return Wanted(
            min(limit, CODE_ANSWER_ITEMS_MAX), number(page.get("start") or 0, "start", 0), max_tokens, possible
        )


def number(value: int, name: str, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name} is a whole number from {least} on")
    return value


def named(value: str, name: str) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value or len(value) > NAMED_CHARS_MAX:
        raise UsageError(f"{name} is a text of at most {NAMED_CHARS_MAX} characters, without NUL")
    return value.strip()


def root_named(value: str | os.PathLike[str] | None) -> str | None:
    return None if value is None else named(os.fspath(value) if isinstance(value, os.PathLike) else value, "root")
