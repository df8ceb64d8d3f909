"""Expressions and types of Python: what is called, by which name, of which type as far as the file says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.extract.syntax import ARGUMENTS_MAX, DEPTH_MAX, ITEMS_MAX, Reading, parsed
from recollect.code.facts import UNKNOWN, By, CallSite, FunctionParameter, Sort

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_LITERALS = {
    "string": "str",
    "concatenated_string": "str",
    "integer": "int",
    "float": "float",
    "true": "bool",
    "false": "bool",
    "none": "None",
    "comparison_operator": "bool",
    "not_operator": "bool",
}
_DISPLAYS = {
    "list": "list",
    "tuple": "tuple",
    "set": "set",
    "expression_list": "tuple",
    "pattern_list": "tuple",
    "dictionary": "dict",
}
_COMPREHENSIONS = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "generator_expression": "generator",
    "dictionary_comprehension": "dict",
}


class PythonExpressions(Reading):
    """Reads expressions. Every node is looked at once, since looking at a call notes it."""

    def __init__(self, data: bytes, parser: Parser) -> None:
        super().__init__(data, "python")
        self._parser = parser

    def target(self, node: Node, value: int, declared: int = UNKNOWN) -> None:
        """Bind what stands on the left of an assignment."""
        raise NotImplementedError

    def parameters(self, node: Node) -> list[FunctionParameter]:
        """What a function takes."""
        raise NotImplementedError

    def expr(self, node: Node) -> int:
        handle = _EXPRESSIONS.get(node.type)
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        self.depth += 1
        if handle is not None:
            place = handle(self, node)
        else:
            for child in node.named_children:
                self.expr(child)
            place = UNKNOWN
        self.depth -= 1
        return place

    def is_expression(self, node: Node) -> bool:
        return node.type in _EXPRESSIONS

    def _name(self, node: Node) -> int:
        return self.put("n", self.text(node))

    def _await(self, node: Node) -> int:
        return self.put("y", self.inner(node))

    def _nothing(self, node: Node) -> int:
        return UNKNOWN

    def inner(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children if child.type != "comment"]
        return places[0] if places else UNKNOWN

    def _attribute(self, node: Node) -> int:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        if owner is None or name is None:
            return UNKNOWN
        return self.put("a", self.expr(owner), self.text(name))

    def _call(self, node: Node) -> int:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return UNKNOWN
        callee = self.expr(function)
        last = (function.child_by_field_name("attribute") or function) if function.type == "attribute" else function
        at = last.start_point
        self.calls.append(CallSite(self.here, callee, at[0] + 1, at[1]))
        if self.exprs[callee][-1] in ("TypeVar", "ParamSpec") and given is not None:
            return self._type_variable(given)
        arguments: list[int] = []
        if given is not None and given.type == "generator_expression":
            arguments.append(self.expr(given))
        elif given is not None:
            for child in given.named_children:
                place = self.expr(child)
                if len(arguments) < ARGUMENTS_MAX and child.type not in ("keyword_argument", "comment"):
                    arguments.append(place)
        return self.put("c", callee, tuple(arguments))

    def _type_variable(self, given: Node) -> int:
        """`TypeVar("T", bound=Base)` with what bounds it."""
        for child in given.named_children:
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is not None and value is not None and self.text(name) == "bound":
                return self.put("T", self.annotation(value))
        return self.put("T", UNKNOWN)

    def keyword(self, node: Node) -> int:
        value = node.child_by_field_name("value")
        return self.expr(value) if value is not None else UNKNOWN

    def _subscript(self, node: Node) -> int:
        of = node.child_by_field_name("value")
        owner = self.expr(of) if of is not None else UNKNOWN
        places = [self.expr(child) for child in node.children_by_field_name("subscript")]
        index = places[0] if len(places) == 1 else self.put("L", "tuple", tuple(places))
        return self.put("s", owner, index)

    def _generic_type(self, node: Node) -> int:
        """`Base[int]` as the grammar has it inside a type."""
        name, *rest = node.named_children
        places = [self.expr(child) for given in rest for child in given.named_children]
        index = places[0] if len(places) == 1 else self.put("L", "tuple", tuple(places))
        return self.put("s", self.expr(name), index)

    def _conditional(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children]
        return self.put("o", (places[0], places[-1])) if len(places) == 3 else UNKNOWN

    def _either(self, node: Node) -> int:
        left, right = (node.child_by_field_name(name) for name in ("left", "right"))
        if left is None or right is None:
            return UNKNOWN
        operator = node.child_by_field_name("operator")
        both = (self.expr(left), self.expr(right))
        return self.put("o", both if operator is None or operator.type == "or" else both[1:])

    def _binary(self, node: Node) -> int:
        left, right = (node.child_by_field_name(name) for name in ("left", "right"))
        if left is None or right is None:
            return UNKNOWN
        both = (self.expr(left), self.expr(right))
        operator = node.child_by_field_name("operator")
        sign = operator.type if operator is not None else ""
        return self.put("|", *both) if sign == "|" else self.put("b", sign, *both)

    def _union(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children]
        return self.put("|", places[0], places[1]) if len(places) == 2 else UNKNOWN

    def _named(self, node: Node) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        place = self.expr(value) if value is not None else UNKNOWN
        if name is not None:
            holder = self.here
            while self.scopes[holder].sort == Sort.BLOCK:
                holder = self.scopes[holder].parent
            self.bind(self.text(name), By.VALUE, node.start_point[0] + 1, place, scope=holder)
        return place

    def _lambda(self, node: Node) -> int:
        place = self.open(Sort.BLOCK, "", node)
        scope = self.scopes[place]
        given = node.child_by_field_name("parameters")
        if given is not None:
            scope.parameters = self.parameters(given)
        before = self.enter(place)
        for at, parameter in enumerate(scope.parameters):
            self.bind(parameter.name, By.PARAMETER, scope.line, at)
        body = node.child_by_field_name("body")
        if body is not None:
            scope.returned.append((self.expr(body), scope.line))
        self.leave(before)
        return self.put("f", place)

    def _yield(self, node: Node) -> int:
        value = self.expr(node.named_children[0]) if node.named_children else UNKNOWN
        scope = self.scopes[self.function_around()]
        many = any(child.type == "from" for child in node.children)
        scope.yielded.append((self.put("i", value) if many else value, node.start_point[0] + 1))
        return UNKNOWN

    def _comprehension(self, node: Node) -> int:
        place = self.open(Sort.BLOCK, "", node)
        before = self.enter(place)
        body = node.child_by_field_name("body")
        for child in node.named_children:
            if child.type == "for_in_clause":
                left, right = child.child_by_field_name("left"), child.child_by_field_name("right")
                if left is not None and right is not None:
                    self.target(left, self.put("i", self.expr(right)))
            elif child.type == "if_clause":
                self.inner(child)
        items: tuple[int, ...] = ()
        if body is not None and body.type == "pair":
            key, value = body.child_by_field_name("key"), body.child_by_field_name("value")
            items = tuple(self.expr(part) for part in (key, value) if part is not None)
        elif body is not None:
            items = (self.expr(body),)
        self.leave(before)
        return self.put("C", _COMPREHENSIONS[node.type], place, items)

    def _display(self, node: Node) -> int:
        items: list[int] = []
        for child in node.named_children:
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                places = [self.expr(part) for part in (key, value) if part is not None]
                if len(items) < ITEMS_MAX * 2 and len(places) == 2:
                    items += places
            elif child.type != "comment":
                place = self.expr(child)
                if child.type not in ("list_splat", "dictionary_splat") and len(items) < ITEMS_MAX * 2:
                    items.append(place)
        return self.put("L", _DISPLAYS[node.type], tuple(items))

    def _literal(self, node: Node) -> int:
        kind = _LITERALS[node.type]
        if node.type in ("string", "concatenated_string"):
            for child in node.named_children:
                if child.type == "interpolation" or child.type == "string":
                    self.expr(child)
            if self.data[node.start_byte : node.start_byte + 1] in b"bB":
                kind = "bytes"
        elif node.named_children:
            for child in node.named_children:
                self.expr(child)
        return self.put("k", kind)

    # Types

    def annotation(self, node: Node) -> int:
        """A declared type; one in quotes is read like one without."""
        calls = len(self.calls)
        place = self._type(node)
        del self.calls[calls:]
        return place

    def _type(self, node: Node) -> int:
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        self.depth += 1
        place = self._type_inside(node)
        self.depth -= 1
        return place

    def _type_inside(self, node: Node) -> int:
        while node.type in ("type", "parenthesized_expression") and len(node.named_children) == 1:
            node = node.named_children[0]
        if node.type == "string":
            words = self.text(node).strip("\"'")
            return self._quoted(words)
        if node.type in ("subscript", "generic_type", "binary_operator", "union_type"):
            return self._typed_parts(node)
        return self.expr(node)

    def _typed_parts(self, node: Node) -> int:
        if node.type in ("binary_operator", "union_type"):
            places = [self._type(child) for child in node.named_children]
            return self.put("|", *places) if len(places) == 2 else UNKNOWN
        first, *rest = node.named_children
        if node.type == "generic_type":
            rest = [child for given in rest for child in given.named_children]
        owner = self._type(first)
        if self.exprs[owner][-1] == "Literal":
            return UNKNOWN
        places = [self._type(child) for child in rest]
        index = places[0] if len(places) == 1 else self.put("L", "tuple", tuple(places))
        return self.put("s", owner, index)

    def _quoted(self, words: str) -> int:
        if _DOTTED.fullmatch(words):
            return self.dotted(words)
        data = words.encode()
        root = parsed(self._parser, data)
        if root is None or root.has_error or not root.named_children or not root.named_children[0].named_children:
            return UNKNOWN
        kept, self.data = self.data, data
        try:
            return self._type(root.named_children[0].named_children[0])
        finally:
            self.data = kept

    def dotted(self, words: str) -> int:
        first, *rest = words.split(".")
        place = self.put("n", first)
        for name in rest:
            place = self.put("a", place, name)
        return place


_EXPRESSIONS: dict[str, Callable[[PythonExpressions, Node], int]] = {
    "identifier": PythonExpressions._name,
    "attribute": PythonExpressions._attribute,
    "call": PythonExpressions._call,
    "subscript": PythonExpressions._subscript,
    "generic_type": PythonExpressions._generic_type,
    "parenthesized_expression": PythonExpressions.inner,
    "type": PythonExpressions.inner,
    "await": PythonExpressions._await,
    "conditional_expression": PythonExpressions._conditional,
    "boolean_operator": PythonExpressions._either,
    "binary_operator": PythonExpressions._binary,
    "union_type": PythonExpressions._union,
    "named_expression": PythonExpressions._named,
    "lambda": PythonExpressions._lambda,
    "yield": PythonExpressions._yield,
    "as_pattern": PythonExpressions.inner,
    "keyword_argument": PythonExpressions.keyword,
    "ellipsis": PythonExpressions._nothing,
    "comment": PythonExpressions._nothing,
    **dict.fromkeys(_COMPREHENSIONS, PythonExpressions._comprehension),
    **dict.fromkeys(_DISPLAYS, PythonExpressions._display),
    **dict.fromkeys(_LITERALS, PythonExpressions._literal),
}
