"""Expressions, types and declarators of C and C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.code.extract.syntax import ARGUMENTS_MAX, DEPTH_MAX, ITEMS_MAX
from recollect.code.extract.typed import COMMENTS, TypedReading
from recollect.code.facts import UNKNOWN, By, FunctionParameter, Sort

if TYPE_CHECKING:
    from tree_sitter import Node

ROOT = "::"  # the name of the namespace that holds all others
_NAMES = frozenset("identifier field_identifier type_identifier namespace_identifier statement_identifier this".split())
SPECIFIERS = frozenset("struct_specifier class_specifier union_specifier enum_specifier".split())
_CASTS = frozenset("static_cast dynamic_cast const_cast reinterpret_cast".split())
_POINTERS = frozenset({"pointer_declarator", "reference_declarator", "pointer_type_declarator"})


class Declared(NamedTuple):
    """What a declarator declares: its name, and whether that is a function, a pointer to one, or an array."""

    name: Node
    function: Node | None
    pointer: bool
    array: bool


class CExpressions(TypedReading):
    """Reads expressions and types. Pointers and references are what they lead to."""

    is_cpp: bool

    # Names

    def words(self, node: Node | None) -> list[str]:
        """The parts of a qualified name, without what templates are given."""
        found: list[str] = []
        while node is not None and len(found) < DEPTH_MAX:
            if node.type == "qualified_identifier":
                scope = node.child_by_field_name("scope")
                found.append(ROOT if scope is None else (self.words(scope) or [""])[-1])
                node = node.child_by_field_name("name")
            elif node.type in ("template_type", "template_function", "template_method"):
                node = node.child_by_field_name("name")
            elif node.type in ("dependent_name", "dependent_type"):
                node = node.named_children[-1] if node.named_children else None
            elif node.type == "nested_namespace_specifier":
                return [*found, *(word for child in node.named_children for word in self.words(child))]
            elif node.type in _NAMES:
                return [*found, self.text(node)]
            elif node.type in ("destructor_name", "operator_name", "operator_cast"):
                name = self.text(node) if node.type != "operator_cast" else "operator"
                return [*found, "".join(name.split())]
            else:
                return found
        return found

    def path(self, words: list[str]) -> int:
        """A name, or one in a namespace or class."""
        if not words:
            return UNKNOWN
        if len(words) == 1:
            return self.put("n", words[0])
        place = self.put("r", words[0])
        for word in words[1:]:
            place = self.put("p", place, word)
        return place

    def last_of(self, node: Node) -> Node:
        """Where the last part of a qualified name stands."""
        while node.type in ("qualified_identifier", "template_function", "template_method", "dependent_name"):
            inner = node.child_by_field_name("name") or (node.named_children[-1] if node.named_children else None)
            if inner is None:
                break
            node = inner
        return node

    # Types

    def named_type(self, node: Node) -> int:
        return self.path(self.words(node))

    def template_type(self, node: Node) -> int:
        return self._with_arguments(self.path(self.words(node)), node.child_by_field_name("arguments"))

    def qualified_type(self, node: Node) -> int:
        """`ns::Type<Args>`: the last part may be given something."""
        last = node
        while last.type == "qualified_identifier":
            inner = last.child_by_field_name("name")
            if inner is None:
                return UNKNOWN
            last = inner
        given = last.child_by_field_name("arguments") if last.type == "template_type" else None
        return self._with_arguments(self.path(self.words(node)), given)

    def _with_arguments(self, of: int, given: Node | None) -> int:
        types = [self.type(child) for child in given.named_children[:ITEMS_MAX]] if given is not None else []
        return self.put("s", of, self.put("L", "tuple", tuple(types))) if types and of != UNKNOWN else of

    def type_descriptor(self, node: Node) -> int:
        return self.type(node.child_by_field_name("type"))

    def plain_type(self, node: Node) -> int:
        return self.put("k", " ".join(self.text(node).split()))

    def inner_type(self, node: Node) -> int:
        """`typename T::type`"""
        return self.type(node.named_children[-1]) if node.named_children else UNKNOWN

    # Declarators

    def declared_by(self, node: Node | None) -> Declared | None:
        function: Node | None = None
        pointer = array = False
        for _ in range(DEPTH_MAX):
            if node is None:
                return None
            if node.type == "function_declarator":
                function, pointer = node, False
            elif node.type in _POINTERS:
                pointer = pointer or function is not None
            elif node.type == "array_declarator":
                array = True
            elif node.type not in ("init_declarator", "parenthesized_declarator", "attributed_declarator"):
                return Declared(node, function, pointer, array)
            inner = node.child_by_field_name("declarator")
            if inner is None:
                inner = next((child for child in node.named_children if child.type not in _BESIDE_NAME), None)
            node = inner
        return None

    def type_of(self, type_: int, declared: Declared) -> int:
        """The type of a variable: its specifier, with what the declarator adds to it."""
        if declared.function is not None and declared.pointer:
            return self.put("L", "call", (type_,))
        if declared.array and type_ != UNKNOWN:
            return self.put("L", "list", (type_,))
        return type_

    def parameters(self, node: Node, scope: int) -> None:
        """What a function takes, bound in its scope; defaults are looked at from where the function stands."""
        given = node.child_by_field_name("parameters")
        here = self.scopes[scope]
        for child in given.children if given is not None else ():
            if child.type == "..." or child.type == "variadic_parameter":
                here.parameters.append(FunctionParameter("", sort="*"))
                continue
            if not child.is_named or child.type in COMMENTS:
                continue
            declared = self.declared_by(child.child_by_field_name("declarator"))
            type_ = self.type(child.child_by_field_name("type"))
            if declared is None and self.exprs[type_] == ("k", "void"):
                continue
            value = child.child_by_field_name("default_value")
            default = (self.read(value) or self.put("k", "default")) if value is not None else UNKNOWN
            sort = "*" if child.type == "variadic_parameter_declaration" else ""
            is_name = declared is not None and declared.name.type == "identifier"
            name = self.text(declared.name) if declared is not None and is_name else ""
            type_ = self.type_of(type_, declared) if declared is not None else type_
            if name:
                self.bind(name, By.PARAMETER, here.line, len(here.parameters), scope=scope)
            here.parameters.append(FunctionParameter(name, type_, default, sort))

    # Expressions

    def name(self, node: Node) -> int:
        return self.put("n", self.text(node))

    def qualified(self, node: Node) -> int:
        return self.path(self.words(node))

    def through(self, node: Node) -> int:
        """`(x)`, `*x`, `&x`, `x++`: what matters of them is x."""
        places = self.read_all(node.named_children)
        return places[0] if places else UNKNOWN

    def last(self, node: Node) -> int:
        places = self.read_all(node.named_children)
        return places[-1] if places else UNKNOWN

    def field(self, node: Node) -> int:
        of = self.read(node.child_by_field_name("argument"))
        words = self.words(node.child_by_field_name("field"))
        return self.put("a", of, words[-1]) if words else UNKNOWN

    def subscript(self, node: Node) -> int:
        of = self.read(node.child_by_field_name("argument"))
        indices = node.child_by_field_name("indices") or node.child_by_field_name("index")
        return self.put("s", of, self.read(indices))

    def literal(self, node: Node) -> int:
        return self.put("k", _LITERALS[node.type])

    def binary(self, node: Node) -> int:
        for child in node.named_children:
            self.read(child)
        return UNKNOWN

    def assignment(self, node: Node) -> int:
        self.read(node.child_by_field_name("right"))
        return self.read(node.child_by_field_name("left"))

    def conditional(self, node: Node) -> int:
        self.read(node.child_by_field_name("condition"))
        both = [self.read(node.child_by_field_name(name)) for name in ("consequence", "alternative")]
        known = tuple(place for place in both if place != UNKNOWN)
        return self.put("o", known) if known else UNKNOWN

    def cast(self, node: Node) -> int:
        self.read(node.child_by_field_name("value"))
        return self.put("t", self.type(node.child_by_field_name("type")))

    def arguments(self, node: Node | None) -> list[int]:
        return self.read_all(node.named_children) if node is not None else []

    def call(self, node: Node) -> int:
        function = node.child_by_field_name("function")
        if function is None:
            return UNKNOWN
        given = node.child_by_field_name("arguments")
        if function.type == "primitive_type":  # int(x)
            self.arguments(given)
            return self.plain_type(function)
        if function.type in ("template_function", "qualified_identifier"):
            words = self.words(function)
            types = self._template_arguments(function)
            if words[-1:] and words[-1] in _CASTS:
                self.arguments(given)
                return self.put("t", types[0]) if types else UNKNOWN
        else:
            words, types = ([self.text(function)] if function.type == "identifier" else []), ()
        of = self.read(function.child_by_field_name("argument")) if function.type == "field_expression" else UNKNOWN
        other = self.read(function) if not words and function.type != "field_expression" else UNKNOWN
        arguments = self.arguments(given)
        some = tuple(arguments[:ARGUMENTS_MAX])
        if function.type == "field_expression":
            field = function.child_by_field_name("field")
            words = self.words(field)
            if field is None or not words:
                return UNKNOWN
            callee = self.put("m", of, words[-1], str(len(arguments)), some)
            self.call_at(callee, self.last_of(field))
        elif words:
            callee = self.called_by(words, arguments)
            self.call_at(callee, self.last_of(function))
        else:
            callee = other
            self.call_at(callee, function)
        return self.put("c", callee, some, self.put("L", "tuple", types)) if types else self.put("c", callee, some)

    def called_by(self, words: list[str], arguments: list[int]) -> int:
        """A function or type by its name, told apart from others of that name by how many arguments it is given."""
        some, count = tuple(arguments[:ARGUMENTS_MAX]), str(len(arguments))
        if len(words) == 1:
            return self.put("M", words[0], count, some)
        of = self.put("r", words[0]) if len(words) == 2 else self.path(words[:-1])
        return self.put("m", of, words[-1], count, some)

    def made(self, type_: int, arguments: list[int], node: Node) -> int:
        """A constructor that is called by declaring something, or by `new`."""
        expr = self.exprs[type_]
        while expr[0] == "s":
            expr = self.exprs[expr[1]]
        if expr[0] not in ("n", "p") or not self.is_cpp:
            return UNKNOWN
        some, count = tuple(arguments[:ARGUMENTS_MAX]), str(len(arguments))
        named = ("M", expr[1]) if expr[0] == "n" else ("m", expr[1], expr[2])
        callee = self.put(*named, count, some)
        self.call_at(callee, node)
        return callee

    def _template_arguments(self, node: Node) -> tuple[int, ...]:
        while node.type == "qualified_identifier":
            inner = node.child_by_field_name("name")
            if inner is None:
                return ()
            node = inner
        given = node.child_by_field_name("arguments") if node.type == "template_function" else None
        return tuple(self.type(child) for child in given.named_children[:ITEMS_MAX]) if given is not None else ()

    def new(self, node: Node) -> int:
        named = node.child_by_field_name("type")
        type_ = self.type(named)
        given = node.child_by_field_name("arguments")
        arguments = self.arguments(given)
        if named is not None and not any(child.type == "new_declarator" for child in node.named_children):
            self.made(type_, arguments, self.last_of(named))
        return self.put("t", type_)

    def compound_literal(self, node: Node) -> int:
        """`Type{1, 2}`, `(struct S){.a = 1}`"""
        named = node.child_by_field_name("type")
        type_ = self.type(named)
        values = node.child_by_field_name("value")
        arguments = self.arguments(values)
        if named is not None and named.type != "type_descriptor":
            self.made(type_, arguments, self.last_of(named))
        return self.put("t", type_)

    def initializers(self, node: Node) -> int:
        self.read_all(node.named_children)
        return UNKNOWN

    def designated(self, node: Node) -> int:
        self.read(node.child_by_field_name("value"))
        return UNKNOWN

    def function_value(self, node: Node) -> int:
        """A lambda."""
        place = self.open(Sort.BLOCK, "", node)
        declarator = node.child_by_field_name("declarator")
        if declarator is not None:
            self.parameters(declarator, place)
            self.scopes[place].type = self.trailing_type(declarator)
        captures = node.child_by_field_name("captures")
        for child in captures.named_children if captures is not None else ():
            self.read(child)
        with self.in_scope(place):
            self.read(node.child_by_field_name("body"))
        return self.put("f", place)

    def trailing_type(self, declarator: Node) -> int:
        for child in declarator.named_children:
            if child.type == "trailing_return_type" and child.named_children:
                return self.type(child.named_children[0])
        return UNKNOWN

    def is_specifier(self, node: Node | None) -> bool:
        return node is not None and node.type in SPECIFIERS


_BESIDE_NAME = COMMENTS | {"type_qualifier", "ms_call_modifier", "ms_pointer_modifier", "attribute_specifier"}
_BESIDE_NAME |= {"attribute_declaration", "ms_based_modifier", "call_modifier"}
_LITERALS = {
    "number_literal": "int",
    "string_literal": "char",
    "concatenated_string": "char",
    "raw_string_literal": "char",
    "char_literal": "char",
    "true": "bool",
    "false": "bool",
    "null": "null",
    "sizeof_expression": "size_t",
    "alignof_expression": "size_t",
    "offsetof_expression": "size_t",
}
EXPRESSIONS = {
    "identifier": CExpressions.name,
    "this": CExpressions.name,
    "qualified_identifier": CExpressions.qualified,
    "template_function": CExpressions.qualified,
    "field_expression": CExpressions.field,
    "subscript_expression": CExpressions.subscript,
    "call_expression": CExpressions.call,
    "new_expression": CExpressions.new,
    "compound_literal_expression": CExpressions.compound_literal,
    "cast_expression": CExpressions.cast,
    "conditional_expression": CExpressions.conditional,
    "assignment_expression": CExpressions.assignment,
    "binary_expression": CExpressions.binary,
    "unary_expression": CExpressions.binary,
    "comma_expression": CExpressions.last,
    "parenthesized_expression": CExpressions.through,
    "pointer_expression": CExpressions.through,
    "update_expression": CExpressions.through,
    "co_await_expression": CExpressions.through,
    "initializer_list": CExpressions.initializers,
    "initializer_pair": CExpressions.designated,
    "lambda_expression": CExpressions.function_value,
    **dict.fromkeys(set(_LITERALS) - {"sizeof_expression"}, CExpressions.literal),
}
TYPES = {
    "type_identifier": CExpressions.named_type,
    "identifier": CExpressions.named_type,
    "namespace_identifier": CExpressions.named_type,
    "qualified_identifier": CExpressions.qualified_type,
    "template_type": CExpressions.template_type,
    "type_descriptor": CExpressions.type_descriptor,
    "primitive_type": CExpressions.plain_type,
    "sized_type_specifier": CExpressions.plain_type,
    "dependent_type": CExpressions.inner_type,
}
