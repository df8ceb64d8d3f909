"""Which lines of a source file belong to which definition, told by its syntax tree.

Every line is in one span, so what a grammar does not understand (a syntax error, a macro) is text of the definition
around it. Comments and decorators directly above a definition are part of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from recollect.limits import NAME_CHARS_MAX, PARSED_CODE_BYTES_MAX, SECTION_DEPTH_MAX
from recollect.structure.languages import GRAMMARS, Grammar, parse, parser_of, seconds_allowed

if TYPE_CHECKING:
    from tree_sitter import Node

Scope = tuple[str, ...]  # the classes something stands in, from the outermost


@dataclass(frozen=True, slots=True)
class Span:
    """Lines that belong together, 0-based, `end` exclusive: a definition, or what stands between two."""

    first: int
    end: int
    scope: Scope = ()
    name: str | None = None  # of the function


def spans_of(text: str, lines: list[str], language: str, notes: list[str]) -> list[Span]:
    """All lines of a file, by definition; the whole file at once if its language or size allows no more."""
    whole = [Span(0, len(lines))]
    parser = parser_of(language)
    if parser is None:
        if language in GRAMMARS:
            notes.append(f"the grammar of {language} is not installed; cut between lines")
        return whole
    data = text.encode("utf-8", "replace")
    if len(data) > PARSED_CODE_BYTES_MAX:
        notes.append(f"has more than {PARSED_CODE_BYTES_MAX} bytes; cut between lines")
        return whole
    try:
        tree = parse(parser, data)
    except ValueError:  # its time is up
        notes.append(f"takes the grammar of {language} more than {seconds_allowed(len(data)):.2g} s; cut between lines")
        return whole
    root = tree.root_node
    spans = list(_Walk(GRAMMARS[language], data).spans(root, 0, len(lines), ()))
    if root.has_error:
        found = any(span.name or span.scope for span in spans)
        notes.append("has syntax errors; " + ("what could be told apart was" if found else "cut between lines"))
    return _without_crumbs(spans, lines)


class _Walk:
    """Finds definitions, and only looks at nodes that can hold one."""

    def __init__(self, grammar: Grammar, data: bytes) -> None:
        self._grammar = grammar
        self._data = data
        self._line_starts = [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]

    def _rows(self, node: Node) -> tuple[int, int]:
        """The lines of a node, end exclusive; by its bytes: points of tree-sitter 0.26.0 corrupt memory."""
        first = bisect_right(self._line_starts, node.start_byte) - 1
        return first, max(first + 1, bisect_left(self._line_starts, node.end_byte))

    def spans(self, holder: Node, first: int, end: int, scope: Scope, level: int = 0) -> Iterator[Span]:
        """All lines from first to end, by definition."""
        at = first
        for node, definition, above in self._definitions(holder):
            start = max(at, self._rows(node)[0] if above is None else self._rows(above)[0])
            stop = min(end, self._rows(node)[1])
            if stop <= start:
                continue
            if at < start:
                yield Span(at, start, scope)
            yield from self._definition(definition, start, stop, scope, level)
            at = stop
        if at < end:
            yield Span(at, end, scope)

    def _definition(self, node: Node, start: int, stop: int, scope: Scope, level: int) -> Iterator[Span]:
        grammar = self._grammar
        if node.type in grammar.functions or node.type in grammar.values or level > SECTION_DEPTH_MAX:
            *owners, name = [*_receiver(node), *_name(node).split("::")]
            yield Span(start, stop, (*scope, *owners), name or None)
        else:
            name = _name(node) if node.type in grammar.classes else ""
            yield from self.spans(_body(node), start, stop, (*scope, name) if name else scope, level + 1)

    def _definitions(self, holder: Node) -> Iterator[tuple[Node, Node, Node | None]]:
        """Each definition directly in a node: with its wrapper, itself, and the first comment right above it."""
        grammar = self._grammar
        above: Node | None = None
        below = -1  # the row after the last comment
        for node in holder.named_children:
            if node.type in grammar.attached:
                row, end = self._rows(node)
                if self._data[self._line_starts[row] : node.start_byte].strip():
                    above = None  # behind code, so about that line
                elif above is None or row > below:
                    above = node
                below = end
                continue
            definition = self._unwrapped(node)
            if definition is not None:
                yield node, definition, above if self._rows(node)[0] <= below else None
            above = None

    def _unwrapped(self, node: Node) -> Node | None:
        """The definition a node is, or holds below decorators, `export` or `template`."""
        grammar = self._grammar
        for _ in range(4):
            if node.type in grammar.functions or node.type in grammar.classes:
                return node if not node.type.endswith("_specifier") or node.child_by_field_name("body") else None
            if node.type in grammar.values:
                return node if _holds_function(node) else None
            if node.type in grammar.spaces:
                return node if self._holds_definition(node) else None
            if node.type not in grammar.wrappers:
                return None
            inner = node.child_by_field_name("definition") or node.child_by_field_name("declaration")
            if inner is None and node.named_child_count:
                inner = node.named_children[-1]
            if inner is None:
                return None
            node = inner
        return None

    def _holds_definition(self, space: Node) -> bool:
        body = _body(space)
        wanted = self._grammar.functions | self._grammar.classes | self._grammar.wrappers | self._grammar.spaces
        return any(child.type in wanted for child in body.named_children)


def _body(node: Node) -> Node:
    """Where the members of a definition are."""
    body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
    if body is None and node.type == "expression_statement" and node.named_child_count:  # a namespace in TypeScript
        inner = node.named_children[0]
        return inner.child_by_field_name("body") or inner
    return body if body is not None else node


def _holds_function(declaration: Node) -> bool:
    values = [declaration, *declaration.named_children]
    for value in (each.child_by_field_name("value") for each in values):
        if value is not None and value.type in ("arrow_function", "function_expression", "function", "class"):
            return True
    return False


def _name(node: Node) -> str:
    """What a definition is called; for an `impl` the type it is for."""
    for _ in range(8):
        for field in ("name", "type" if node.type == "impl_item" else "name", "declarator", "property"):
            inner = node.child_by_field_name(field)
            if inner is not None:
                break
        else:
            inner = next((child for child in node.named_children if child.child_by_field_name("name")), None)
        if inner is None:
            break
        if not inner.named_child_count or inner.type in ("generic_type", "qualified_identifier", "operator_name"):
            return _plain_name(inner)
        if inner.type in ("scoped_type_identifier", "destructor_name", "template_type"):
            return _plain_name(inner)
        node = inner
    return _plain_name(node) if node.type.endswith("identifier") else ""


def _plain_name(node: Node) -> str:
    text = (node.text or b"")[: 4 * NAME_CHARS_MAX].decode("utf-8", "ignore")
    return text.partition("<")[0].strip()[:NAME_CHARS_MAX]


def _receiver(node: Node) -> tuple[str, ...]:
    """The type a Go method belongs to."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ()
    words = (receiver.text or b"").decode("utf-8", "ignore").strip("()").replace("*", " ").partition("[")[0].split()
    return (words[-1][:NAME_CHARS_MAX],) if words else ()


def _without_crumbs(spans: list[Span], lines: list[str]) -> list[Span]:
    """Blank lines and lone brackets between definitions belong to the one before them."""
    out: list[Span] = []
    for span in spans:
        if not out or any(char.isalnum() for line in lines[span.first : span.end] for char in line):
            out.append(span)
        else:
            out[-1] = Span(out[-1].first, span.end, out[-1].scope, out[-1].name)
    return out
