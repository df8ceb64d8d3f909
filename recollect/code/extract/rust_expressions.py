"""Expressions, types and patterns of Rust, as far as one file says what they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.extract.rust_types import RustTypes
from recollect.code.extract.syntax import ARGUMENTS_MAX, DEPTH_MAX, ITEMS_MAX
from recollect.code.facts import UNKNOWN, By, CallSite, FunctionParameter, Sort
from recollect.structure.languages import parse

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LITERALS = {
    "string_literal": "str",
    "raw_string_literal": "str",
    "integer_literal": "int",
    "float_literal": "float",
    "boolean_literal": "bool",
    "char_literal": "char",
    "unit_expression": "()",
}
# Macros of the language whose arguments are expressions. What any other one makes of its arguments nobody can tell.
_PLAIN_MACROS = frozenset(
    "assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne print println eprint eprintln format "
    "format_args write writeln panic unreachable unimplemented todo vec dbg ready try matches".split()
)
_PASSING_MACROS = {"ready": "q", "try": "q"}
_ITEM_MACRO_DEPTH_MAX = 8
ALWAYS = 0  # the line of a name that is seen wherever its scope is


class _Taken(NamedTuple):
    """What a pattern takes apart, and the line from which its names are seen."""

    value: int
    declared: int
    line: int


class RustExpressions(RustTypes):
    """Reads expressions. Every node is looked at once, since looking at a call notes it."""

    def __init__(self, data: bytes, parser: Parser) -> None:
        super().__init__(data, "rust")
        self.parser = parser
        self.macros = 0  # macros around us

    def statement(self, node: Node, attributes: Iterable[str] = ()) -> bool:
        """Read an item; False if the node is none."""
        raise NotImplementedError

    # Expressions

    def expr(self, node: Node | None) -> int:
        if node is None:
            return UNKNOWN
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        handle = _EXPRESSIONS.get(node.type)
        self.depth += 1
        if handle is not None:
            place = handle(self, node)
        elif self.statement(node):
            place = UNKNOWN
        else:
            for child in node.named_children:
                self.expr(child)
            place = UNKNOWN
        self.depth -= 1
        return place

    def _name(self, node: Node) -> int:
        return self.put("n", self.text(node))

    def _nothing(self, node: Node) -> int:
        return UNKNOWN

    def _through(self, node: Node) -> int:
        """`(x)`, `&x`, `*x`, `-x`: what matters of them is x."""
        places = [self.expr(child) for child in node.named_children if child.type not in _SILENT]
        return places[0] if places else UNKNOWN

    def _literal(self, node: Node) -> int:
        return self.put("k", _LITERALS[node.type])

    def _field_of(self, node: Node) -> int:
        name = self.field(node, "field")
        of = self.expr(self.field(node, "value"))
        return self.put("a", of, self.text(name)) if name is not None else UNKNOWN

    def _call(self, node: Node) -> int:
        function, given = self.field(node, "function"), self.field(node, "arguments")
        turbofish: Node | None = None
        if function is not None and function.type == "generic_function":
            turbofish, function = self.field(function, "type_arguments"), self.field(function, "function")
        if function is None:
            return UNKNOWN
        if function.type == "field_expression":
            of, last = self.expr(self.field(function, "value")), self.field(function, "field")
        else:
            of = self.path(function) if function.type in _PATHS else self.expr(function)
            last = (self.field(function, "name") or function) if function.type in _PATHS else function
        arguments = [self.expr(child) for child in given.named_children if child.type not in _SILENT] if given else []
        if function.type == "field_expression" and last is not None:
            some = tuple(arguments[:ARGUMENTS_MAX])
            of = callee = self.put("m", of, self.text(last), str(len(arguments)), some)
        else:
            callee = of
        if last is not None:
            at = last.start_point
            self.calls.append(CallSite(self.here, callee, at[0] + 1, at[1]))
        types = self.many_types(turbofish)
        if types:
            return self.put("c", callee, tuple(arguments[:ARGUMENTS_MAX]), self.put("L", "tuple", types))
        return self.put("c", callee, tuple(arguments[:ARGUMENTS_MAX]))

    def _try(self, node: Node) -> int:
        return self.put("q", self._through(node))

    def _await(self, node: Node) -> int:
        return self.put("y", self._through(node))

    def _index(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children if child.type not in _SILENT]
        return self.put("s", places[0], places[1]) if len(places) > 1 else UNKNOWN

    def _struct(self, node: Node) -> int:
        """`Foo { a: x }` is an instance; what stands in it is looked at."""
        body = self.field(node, "body")
        for child in body.named_children if body is not None else ():
            value = self.field(child, "value")
            self.expr(value if value is not None else child if child.type == "base_field_initializer" else None)
        return self.put("I", self.path(self.field(node, "name")))

    def _cast(self, node: Node) -> int:
        self.expr(self.field(node, "value"))
        type_ = self.field(node, "type")
        return self.put("I", self.type(type_)) if type_ is not None else UNKNOWN

    def _tuple(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children if child.type not in _SILENT]
        return self.put("L", "tuple", tuple(places[: ITEMS_MAX * 2]))

    def _array(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children if child.type not in _SILENT]
        return self.put("L", "list", tuple(places[:1]))

    def _assignment(self, node: Node) -> int:
        for child in node.named_children:
            self.expr(child)
        return self.put("k", "()")

    def _binary(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children if child.type not in _SILENT]
        operator = self.field(node, "operator")
        sign = operator.type if operator is not None else ""
        if sign in ("==", "!=", "<", ">", "<=", ">=", "&&", "||"):
            return self.put("k", "bool")
        return self.put("b", sign, *places) if len(places) == 2 else UNKNOWN

    # Blocks and branches

    def block(self, node: Node) -> int:
        """What a block gives: its last expression, seen from inside."""
        if any(child.type == "let_declaration" for child in node.named_children):
            return self.within(node, lambda: self._statements(node))
        return self._statements(node)

    def within(self, node: Node, read: Callable[[], int]) -> int:
        """A scope for names that are bound inside alone; the value that is read in it, as seen from outside."""
        place = self.open(Sort.BLOCK, "", node)
        before = self.enter(place)
        value = read()
        self.leave(before)
        return self.put("w", str(place), value, "") if value != UNKNOWN else UNKNOWN

    def outside(self, value: int, scope: int, node: Node) -> int:
        """What a pattern takes apart, as seen from around the pattern: it does not see what the pattern binds."""
        return self.put("w", str(scope), value, str(node.start_point[0] + 1)) if value != UNKNOWN else UNKNOWN

    def _statements(self, node: Node) -> int:
        value = UNKNOWN
        attributes: list[str] = []
        for child in node.named_children:
            if child.type == "attribute_item":
                attributes.append(self.text(child))
                continue
            if child.type in _SILENT:
                continue
            if self.statement(child, attributes):
                value = UNKNOWN
            else:
                value = self.expr(child)
                if child.type == "expression_statement" and child.children[-1].type == ";":
                    value = UNKNOWN
            attributes = []
        return value

    def _scoped_block(self, node: Node) -> int:
        """`unsafe { }` and blocks with a word before them."""
        blocks = [child for child in node.named_children if child.type == "block"]
        return self.block(blocks[0]) if blocks else UNKNOWN

    def _async(self, node: Node) -> int:
        self._scoped_block(node)
        return UNKNOWN

    def _let(self, node: Node) -> int:
        value = self.expr(self.field(node, "value"))
        type_, pattern = self.field(node, "type"), self.field(node, "pattern")
        declared = self.type(type_) if type_ is not None else UNKNOWN
        alternative = self.field(node, "alternative")
        if alternative is not None:
            self.block(alternative)
        if pattern is not None:
            self.bind_pattern(pattern, value, declared, line=node.end_point[0] + 1)
        return UNKNOWN

    def _if(self, node: Node) -> int:
        outer = self.here
        condition, body = self.field(node, "condition"), self.field(node, "consequence")

        def then() -> int:
            self._condition(condition, outer)
            return self.block(body) if body is not None else UNKNOWN

        first = self.within(node, then) if _binds(condition) else then()
        other = self.field(node, "alternative")
        second = self._through(other) if other is not None else UNKNOWN
        given = tuple(place for place in (first, second) if place != UNKNOWN)
        return self.put("o", given) if given else UNKNOWN

    def _condition(self, node: Node | None, outer: int) -> None:
        """`let` in conditions binds names for what follows."""
        if node is None:
            return
        if node.type == "let_condition":
            value = self.outside(self.expr(self.field(node, "value")), outer, node)
            pattern = self.field(node, "pattern")
            if pattern is not None:
                self.bind_pattern(pattern, value, line=ALWAYS)
        elif node.type in ("let_chain", "binary_expression"):
            for child in node.named_children:
                self._condition(child, outer)
        else:
            self.expr(node)

    def _while(self, node: Node) -> int:
        outer = self.here
        condition, body = self.field(node, "condition"), self.field(node, "body")

        def read() -> int:
            self._condition(condition, outer)
            if body is not None:
                self.block(body)
            return UNKNOWN

        return self.within(node, read) if _binds(condition) else read()

    def _for(self, node: Node) -> int:
        value = self.put("i", self.outside(self.expr(self.field(node, "value")), self.here, node))
        pattern, body = self.field(node, "pattern"), self.field(node, "body")

        def read() -> int:
            if pattern is not None:
                self.bind_pattern(pattern, value, line=ALWAYS)
            if body is not None:
                self.block(body)
            return UNKNOWN

        return self.within(node, read)

    def _loop(self, node: Node) -> int:
        body = self.field(node, "body")
        if body is not None:
            self.block(body)
        return UNKNOWN

    def _match(self, node: Node) -> int:
        value = self.outside(self.expr(self.field(node, "value")), self.here, node)
        body = self.field(node, "body")
        given: list[int] = []
        for arm in body.named_children if body is not None else ():
            if arm.type == "match_arm":
                place = self.within(arm, lambda arm=arm: self._arm(arm, value))  # type: ignore[misc]
                if place != UNKNOWN and len(given) < ITEMS_MAX:
                    given.append(place)
        return self.put("o", tuple(given)) if given else UNKNOWN

    def _arm(self, node: Node, value: int) -> int:
        pattern = self.field(node, "pattern")
        if pattern is not None:
            inner = pattern.named_children
            if inner:
                self.bind_pattern(inner[0], value, line=ALWAYS)
            self._condition(self.field(pattern, "condition"), self.here)
        return self.expr(self.field(node, "value"))

    def _closure(self, node: Node) -> int:
        place = self.open(Sort.BLOCK, "", node)
        scope = self.scopes[place]
        before = self.enter(place)
        given = self.field(node, "parameters")
        if given is not None:
            self.parameters(given, place)
        type_ = self.field(node, "return_type")
        scope.type = self.type(type_) if type_ is not None else UNKNOWN
        scope.returned.append((self.expr(self.field(node, "body")), scope.line))
        self.leave(before)
        return self.put("f", place)

    def parameters(self, node: Node, scope: int) -> None:
        """What a function or closure takes; parts of a pattern are bound in its scope."""
        here = self.scopes[scope]
        for child in node.named_children:
            if child.type in _SILENT or child.type == "attribute_item":
                continue
            at = len(here.parameters)
            if child.type == "self_parameter":
                here.parameters.append(FunctionParameter("self", self.put("n", "Self")))
                self.bind("self", By.PARAMETER, here.line, at)
                continue
            pattern, type_ = self.field(child, "pattern"), self.field(child, "type")
            pattern = pattern if pattern is not None else child
            simple = pattern.type in ("identifier", "self")
            name = self.text(pattern) if simple else f"#{at}"
            here.parameters.append(FunctionParameter(name, self.type(type_) if type_ is not None else UNKNOWN))
            self.bind(name, By.PARAMETER, here.line, at)
            if not simple:
                self.bind_pattern(pattern, self.put("n", name), line=ALWAYS)

    # Patterns

    def bind_pattern(self, node: Node, value: int, declared: int = UNKNOWN, *, line: int) -> None:
        """Bind the names in a pattern to the parts of a value."""
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return
        self.depth += 1
        parts = [child for child in node.named_children if child.type not in _SILENT]
        handle = _PATTERNS.get(node.type)
        if handle is not None:
            handle(self, node, parts, _Taken(value, declared, line))
        self.depth -= 1

    def _name_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        name = self.text(node)
        if not name[:1].isupper():  # a constant or variant is compared with, not bound
            self.bind(name, By.VALUE, taken.line, taken.value, taken.declared)

    def _last_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        """`&x`, `ref x`, `mut x`, `(x)`."""
        for child in parts[-1:]:
            self.bind_pattern(child, taken.value, taken.declared, line=taken.line)

    def _captured_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        """`name @ pattern`"""
        if len(parts) == 2:
            self._name_pattern(parts[0], [], taken)
            self.bind_pattern(parts[1], taken.value, line=taken.line)

    def _tuple_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        whole = self.put("I", taken.declared) if taken.declared != UNKNOWN else taken.value
        for at, child in enumerate(parts):
            self.bind_pattern(child, self.put("u", whole, at), line=taken.line)

    def _or_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        """All sides bind the same names."""
        for child in parts[:1]:
            self.bind_pattern(child, taken.value, taken.declared, line=taken.line)

    def _slice_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        for child in parts:
            self.bind_pattern(child, self.put("i", taken.value), line=taken.line)

    def _variant_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        """`Some(x)` passes on what is in it; `Shape::Round(x)` has parts by their place."""
        type_ = self.field(node, "type")
        if type_ is None:
            return
        name = self.text(type_).rpartition("::")[2]
        rest = [child for child in parts if child != type_]
        for at, child in enumerate(rest):
            if name in ("Some", "Ok", "Ready", "Break", "Continue"):
                inner = self.put("q", taken.value)
            elif name == "Err":
                inner = self.put("u", taken.value, 1)
            else:
                inner = self.put("v", self.path(type_), str(at))
            self.bind_pattern(child, inner, line=taken.line)

    def _fields_pattern(self, node: Node, parts: list[Node], taken: _Taken) -> None:
        type_ = self.path(self.field(node, "type"))
        for child in parts:
            name = self.field(child, "name")
            if child.type != "field_pattern" or name is None:
                continue
            inner = self.field(child, "pattern")
            held = self.put("v", type_, self.text(name))
            self.bind_pattern(inner if inner is not None else name, held, line=taken.line)

    # Macros

    def macro(self, node: Node) -> int:
        """Macros of the language that take expressions are read; what others do nobody can tell."""
        name = self.field(node, "macro")
        word = self.text(name).rpartition("::")[2] if name is not None else ""
        given = node.named_children[-1] if node.named_children else None
        if word not in _PLAIN_MACROS or given is None or given.type != "token_tree":
            return UNKNOWN
        root = self.parsed_again(given.start_byte, given.end_byte, given)
        if root is None or not root.named_children:
            return UNKNOWN
        inner = root.named_children[0]
        if inner.type == "expression_statement" and inner.named_children:
            inner = inner.named_children[0]
        if inner.has_error or inner.type not in ("tuple_expression", "parenthesized_expression", "array_expression"):
            return UNKNOWN
        parts = [child for child in inner.named_children if child.type not in _SILENT]
        places = [self.expr(child) for child in (parts[:1] if word == "matches" else parts)]
        if word == "vec":
            return self.put("L", "list", tuple(places[:1]))
        if word in _PASSING_MACROS and places:
            return self.put(_PASSING_MACROS[word], places[0])
        return places[0] if word == "dbg" and len(places) == 1 else UNKNOWN

    def parsed_again(self, first: int, last: int, node: Node) -> Node | None:
        """A part of the file read by itself, every node at its place; None if macros are nested too deep for that."""
        if self.macros >= _ITEM_MACRO_DEPTH_MAX:
            self.too_deep = True
            return None
        from tree_sitter import Point, Range

        inner = 0 if first == node.start_byte else 1
        start, end = node.start_point, node.end_point
        within = Range(Point(start[0], start[1] + inner), Point(end[0], end[1] - inner), first, last)
        self.parser.included_ranges = [within]
        try:
            return parse(self.parser, self.data, size=last - first).root_node
        except ValueError:  # its time is up
            self.parser.reset()
            return None
        finally:
            del self.parser.included_ranges


_SILENT = frozenset({"line_comment", "block_comment", "attribute_item", "mutable_specifier", "label"})
_PATHS = frozenset({"identifier", "scoped_identifier"})


def _binds(condition: Node | None) -> bool:
    return condition is not None and condition.type in ("let_condition", "let_chain")


_EXPRESSIONS: dict[str, Callable[[RustExpressions, Node], int]] = {
    "identifier": RustExpressions._name,
    "self": RustExpressions._name,
    "scoped_identifier": RustExpressions.path,
    "generic_function": RustExpressions.path,
    "field_expression": RustExpressions._field_of,
    "call_expression": RustExpressions._call,
    "try_expression": RustExpressions._try,
    "await_expression": RustExpressions._await,
    "index_expression": RustExpressions._index,
    "struct_expression": RustExpressions._struct,
    "type_cast_expression": RustExpressions._cast,
    "tuple_expression": RustExpressions._tuple,
    "array_expression": RustExpressions._array,
    "assignment_expression": RustExpressions._assignment,
    "compound_assignment_expr": RustExpressions._assignment,
    "binary_expression": RustExpressions._binary,
    "parenthesized_expression": RustExpressions._through,
    "reference_expression": RustExpressions._through,
    "unary_expression": RustExpressions._through,
    "expression_statement": RustExpressions._through,
    "else_clause": RustExpressions._through,
    "block": RustExpressions.block,
    "unsafe_block": RustExpressions._scoped_block,
    "const_block": RustExpressions._scoped_block,
    "async_block": RustExpressions._async,
    "let_declaration": RustExpressions._let,
    "if_expression": RustExpressions._if,
    "while_expression": RustExpressions._while,
    "for_expression": RustExpressions._for,
    "loop_expression": RustExpressions._loop,
    "match_expression": RustExpressions._match,
    "closure_expression": RustExpressions._closure,
    "macro_invocation": RustExpressions.macro,
    "token_tree": RustExpressions._nothing,
    "line_comment": RustExpressions._nothing,
    "block_comment": RustExpressions._nothing,
    **dict.fromkeys(_LITERALS, RustExpressions._literal),
}
_PATTERNS: dict[str, Callable[[RustExpressions, Node, list[Node], _Taken], None]] = {
    "identifier": RustExpressions._name_pattern,
    "shorthand_field_identifier": RustExpressions._name_pattern,
    **dict.fromkeys(
        ("ref_pattern", "mut_pattern", "reference_pattern", "parenthesized_pattern"), RustExpressions._last_pattern
    ),
    "captured_pattern": RustExpressions._captured_pattern,
    "tuple_pattern": RustExpressions._tuple_pattern,
    "tuple_struct_pattern": RustExpressions._variant_pattern,
    "struct_pattern": RustExpressions._fields_pattern,
    "or_pattern": RustExpressions._or_pattern,
    "slice_pattern": RustExpressions._slice_pattern,
}
