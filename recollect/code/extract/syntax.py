"""What the readers of all languages share: a list of expressions, a stack of scopes, the text of a node."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any

from recollect.code.facts import CallSite, CodeScope, Expr, FileFacts, ImportStatement, NameBinding, Sort
from recollect.structure.languages import parse

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

DEPTH_MAX = 150  # of nodes in nodes; what lies deeper is not looked at
ITEMS_MAX = 4  # of a literal list, those whose type is looked at
ARGUMENTS_MAX = 3


def parsed(parser: Parser, data: bytes) -> Node | None:
    """The syntax tree of a file; None if that takes longer than a file may."""
    try:
        return parse(parser, data).root_node
    except ValueError:  # its time is up; without this it would go on with this file when it is given the next one
        parser.reset()
        return None


class Reading:
    """Facts while they are gathered."""

    def __init__(self, data: bytes, language: str) -> None:
        self.data = data
        self.exprs: list[Expr] = [("?",)]
        self.known: dict[Expr, int] = {}
        self.scopes: list[CodeScope] = [CodeScope(Sort.MODULE, "", -1, 1, data.count(b"\n") + 1)]
        self.calls: list[CallSite] = []
        self.imports: list[ImportStatement] = []
        self.stars: list[int] = []
        self.exported: list[str] | None = None
        self.language = language
        self.here = 0  # the scope we are in
        self.maybe = 0  # branches and loops around us, within that scope
        self.depth = 0
        self.too_deep = False

    def text(self, node: Node) -> str:
        return intern(self.data[node.start_byte : node.end_byte].decode("utf-8", "replace"))

    def put(self, *expr: Any) -> int:
        """The place of an expression in the list."""
        place = self.known.get(expr)
        if place is None:
            place = self.known[expr] = len(self.exprs)
            self.exprs.append(expr)
        return place

    def bind(self, name: str, by: str, line: int, first: int = 0, second: Any = 0, scope: int | None = None) -> None:
        names = self.scopes[self.here if scope is None else scope].names
        names.setdefault(name, []).append(NameBinding(by, line, self.maybe > 0, first, second))

    def open(self, sort: str, name: str, node: Node) -> int:
        """A new scope inside the one we are in, which is not entered."""
        self.scopes.append(CodeScope(sort, name, self.here, node.start_point[0] + 1, node.end_point[0] + 1))
        return len(self.scopes) - 1

    def enter(self, scope: int) -> tuple[int, int]:
        before = (self.here, self.maybe)
        self.here, self.maybe = scope, 0
        return before

    def leave(self, before: tuple[int, int]) -> None:
        self.here, self.maybe = before

    def function_around(self) -> int:
        """The function, class or module we are in, past blocks."""
        scope = self.here
        while self.scopes[scope].sort == Sort.BLOCK:
            scope = self.scopes[scope].parent
        return scope

    def unread(self) -> FileFacts:
        """Facts of a file that could not be parsed: none but its length."""
        facts = self.facts(broken=False)
        facts.notes.append("takes too long to be parsed; nothing of it is known")
        return facts

    def facts(self, *, broken: bool) -> FileFacts:
        notes = ["has syntax errors"] if broken else []
        if self.too_deep:
            notes.append("is nested too deep; what lies deeper was left out")
        return FileFacts(
            language=self.language,
            lines=self.scopes[0].end,
            exprs=self.exprs,
            scopes=self.scopes,
            calls=self.calls,
            imports=self.imports,
            stars=self.stars,
            exported=self.exported,
            notes=notes,
        )
