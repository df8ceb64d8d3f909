"""What readers of languages with declared types share: blocks that hold names of their own, one table of handlers.

A block becomes a scope when the first name is declared in it. A name is seen from its declaration on, to the end of the
block; where its own value names it (`x := x.next()`) the rest of the block is a scope of its own, and the value is
looked at from outside of that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from recollect.code.extract.syntax import DEPTH_MAX, Reading
from recollect.code.facts import SHADOWS, UNKNOWN, By, CallSite, Sort

if TYPE_CHECKING:
    from tree_sitter import Node

_SHADOWS_MAX = 100  # of one block; more of them are taken for plain names


class TypedReading(Reading):
    """Reads statements, expressions and types by tables; a node without a handler is looked through."""

    handlers: ClassVar[Mapping[str, Callable[[Any, Node], int]]]
    types: ClassVar[Mapping[str, Callable[[Any, Node], int]]]

    def __init__(self, data: bytes, language: str) -> None:
        super().__init__(data, language)
        self._unopened: Node | None = None  # the block around us, if it binds nothing yet
        self._shadows = 0

    def read(self, node: Node | None) -> int:
        """A statement or an expression; the place of its value."""
        if node is None:
            return UNKNOWN
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        self.depth += 1
        handle = self.handlers.get(node.type)
        if handle is not None:
            place = handle(self, node)
        else:
            place = UNKNOWN
            for child in node.named_children:
                self.read(child)
        self.depth -= 1
        return place

    def read_all(self, nodes: Iterable[Node]) -> list[int]:
        return [self.read(node) for node in nodes if node.type not in COMMENTS]

    def inner(self, node: Node) -> int:
        """What stands between parentheses."""
        places = self.read_all(node.named_children)
        return places[0] if places else UNKNOWN

    def nothing(self, node: Node) -> int:
        """Nothing is bound, nothing is called."""
        return UNKNOWN

    def type(self, node: Node | None) -> int:
        """A declared type."""
        if node is None:
            return UNKNOWN
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        self.depth += 1
        handle = self.types.get(node.type)
        place = handle(self, node) if handle is not None else UNKNOWN
        self.depth -= 1
        return place

    def generic(self, of: int, given: list[int]) -> int:
        """A type or function with what it is given in brackets."""
        if not given:
            return of
        return self.put("s", of, given[0] if len(given) == 1 else self.put("L", "tuple", tuple(given)))

    def call_at(self, callee: int, node: Node) -> None:
        """Note a call, at the name that is called."""
        self.calls.append(CallSite(self.here, callee, node.start_point[0] + 1, node.start_point[1]))

    # Blocks

    def block(self, node: Node) -> int:
        with self.in_block(node):
            for child in node.named_children:
                self.read(child)
        return UNKNOWN

    @contextmanager
    def in_block(self, node: Node) -> Iterator[None]:
        before = (self._unopened, self._shadows, self.here)
        self._unopened, self._shadows = node, 0
        yield
        self._unopened, self._shadows, self.here = before

    @contextmanager
    def in_scope(self, scope: int) -> Iterator[None]:
        """Inside a function or a type, which is a scope whether it binds anything or not."""
        before = (self._unopened, self._shadows, self.here)
        self._unopened, self._shadows, self.here = None, 0, scope
        yield
        self._unopened, self._shadows, self.here = before

    def declare(self, name: str, node: Node, value: int = UNKNOWN, type_: int = UNKNOWN) -> None:
        """A variable, seen from this node's line on."""
        self._open_block()
        self.bind(name, By.VALUE, node.start_point[0] + 1, value, type_)

    def define(self, name: str, node: Node, scope: int) -> None:
        """A function or type of the block, or of the scope, that we are in."""
        self.bind(name, By.SCOPE, node.start_point[0] + 1, scope)

    @property
    def is_unopened(self) -> bool:
        """Whether the block we are in binds nothing so far."""
        return self._unopened is not None

    def shadow(self, names: Collection[str], value: Node | None) -> None:
        """What follows is a scope of its own if one of the names to be declared is meant in the value."""
        if value is None or not names or self._shadows >= _SHADOWS_MAX:
            return
        words = b"|".join(re.escape(name.encode()) for name in names)
        if re.compile(rb"\b(?:" + words + rb")\b").search(self.data, value.start_byte, value.end_byte):
            self._shadows += 1
            self.here = self.open(Sort.BLOCK, "", value)
            self.scopes[self.here].traits.append(SHADOWS)
            self._unopened = None

    def _open_block(self) -> None:
        if self._unopened is not None:
            self.here = self.open(Sort.BLOCK, "", self._unopened)
            self._unopened = None


COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
