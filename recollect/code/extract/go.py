"""What a Go file says: its package, imports, types with their fields and methods, functions, calls.

A method is named after the type of its receiver (`Engine.Run`), wherever in the package that type is. The type of the
receiver stands as the base of the method's scope.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, ClassVar

from recollect.code.extract.syntax import ARGUMENTS_MAX, parsed
from recollect.code.extract.typed import COMMENTS, TypedReading
from recollect.code.facts import UNKNOWN, By, FileFacts, FunctionParameter, ImportStatement, Sort
from recollect.structure.languages import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LITERALS = {
    "interpreted_string_literal": "string",
    "raw_string_literal": "string",
    "int_literal": "int",
    "float_literal": "float64",
    "imaginary_literal": "complex128",
    "rune_literal": "rune",
    "true": "bool",
    "false": "bool",
    "nil": "nil",
}
_TYPE_CHARS_MAX = 200
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})


class GoExtractor:
    """Reads Go. All files are taken, whatever their build tags say."""

    version = 1

    def __init__(self, language: str = "go") -> None:
        self._language = language
        self._parser: Parser | None = None

    def extract(self, data: bytes) -> FileFacts:
        if self._parser is None:
            self._parser = parser_of(self._language)
        assert self._parser is not None, "the grammar is a dependency"
        root = parsed(self._parser, data)
        reading = _Go(data, self._language)
        if root is None:
            return reading.unread()
        for child in root.named_children:
            reading.read(child)
        return reading.facts(broken=root.has_error)


class _Go(TypedReading):
    """One file on its way to facts."""

    # The file

    def _package(self, node: Node) -> int:
        for child in node.named_children:
            if child.type == "package_identifier":
                self.scopes[0].name = self.text(child)
        return UNKNOWN

    def _import(self, node: Node) -> int:
        """`import name "path"`; without a name it is the last part of the path, as a rule."""
        path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        if path is None:
            return UNKNOWN
        module = self.text(path).strip('"`')
        line = node.start_point[0] + 1
        place = len(self.imports)
        star = name is not None and name.type == "dot"
        self.imports.append(ImportStatement(line, module, 0, ("*",) if star else (), 0))
        if star:
            self.stars.append(place)
        elif name is None:
            self.bind(package_name(module), By.IMPORT, line, place, "")
        elif name.type == "package_identifier":
            self.bind(self.text(name), By.IMPORT, line, place, "=")
        return UNKNOWN

    # Functions

    def _function(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return UNKNOWN
        receiver = node.child_by_field_name("receiver")
        words = self.text(name)
        if receiver is None:
            place = self.open(Sort.FUNCTION, words, node)
            if words not in ("init", "_"):
                self.define(words, node, place)
        else:
            place = self.open(Sort.FUNCTION, f"{self._receiver_name(receiver)}.{words}", node)
        with self.in_scope(place):
            self._type_parameters(node)
            if receiver is not None:
                self._receiver(receiver, place)
            self._signature(node, place)
            self._body(node)
        return UNKNOWN

    def _body(self, node: Node) -> None:
        """What a function does, in the scope that its parameters are in."""
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            self.read(child)

    def _receiver_name(self, receiver: Node) -> str:
        found = next((child.child_by_field_name("type") for child in receiver.named_children), None)
        while found is not None and found.type in ("pointer_type", "parenthesized_type", "generic_type"):
            found = found.named_children[0] if found.named_children else None
        return self.text(found) if found is not None else "_"

    def _receiver(self, receiver: Node, place: int) -> None:
        """Its type is the base of the method; what that is given in brackets are names of the method's own."""
        for child in receiver.named_children[:1]:
            type_, name = child.child_by_field_name("type"), child.child_by_field_name("name")
            inner = type_
            while inner is not None and inner.type in ("pointer_type", "parenthesized_type"):
                inner = inner.named_children[0] if inner.named_children else None
            arguments = inner.child_by_field_name("type_arguments") if inner is not None else None
            for each in arguments.named_children if arguments is not None else ():
                self.bind(self.text(each), By.TYPE, each.start_point[0] + 1)
            declared = self.type(type_)
            self.scopes[place].bases.append(declared)
            if name is not None:
                self.declare(self.text(name), name, UNKNOWN, declared)

    def _type_parameters(self, node: Node) -> None:
        given = node.child_by_field_name("type_parameters")
        for child in given.named_children if given is not None else ():
            bound = self.type(child.child_by_field_name("type"))
            for name in child.children_by_field_name("name"):
                self.bind(self.text(name), By.TYPE, name.start_point[0] + 1, bound)

    def _signature(self, node: Node, place: int) -> None:
        scope = self.scopes[place]
        scope.parameters = self._parameters(node.child_by_field_name("parameters"))
        for at, parameter in enumerate(scope.parameters):
            if parameter.name not in ("", "_"):
                self.bind(parameter.name, By.PARAMETER, scope.line, at)
        result = node.child_by_field_name("result")
        scope.type = self._result(result)
        for child in result.named_children if result is not None and result.type == "parameter_list" else ():
            type_ = self.type(child.child_by_field_name("type"))
            for name in child.children_by_field_name("name"):
                self.declare(self.text(name), name, UNKNOWN, type_)

    def _parameters(self, given: Node | None) -> list[FunctionParameter]:
        found: list[FunctionParameter] = []
        for child in given.named_children if given is not None else ():
            if child.type in COMMENTS:
                continue
            type_ = self.type(child.child_by_field_name("type"))
            sort = "*" if child.type == "variadic_parameter_declaration" else ""
            names = [self.text(name) for name in child.children_by_field_name("name")]
            found += [FunctionParameter(name, type_, UNKNOWN, sort) for name in names or [""]]
        return found

    def _result(self, node: Node | None) -> int:
        if node is None or node.type != "parameter_list":
            return self.type(node)
        types = [each.type for each in self._parameters(node)]
        return types[0] if len(types) == 1 else self.put("L", "tuple", tuple(types))

    def _closure(self, node: Node) -> int:
        place = self.open(Sort.BLOCK, "", node)
        with self.in_scope(place):
            self._signature(node, place)
            self._body(node)
        return self.put("f", place)

    # Types

    def _type_spec(self, node: Node) -> int:
        name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or of is None:
            return UNKNOWN
        words = self.text(name)
        place = self.open(Sort.INTERFACE if of.type == "interface_type" else Sort.CLASS, words, node)
        self.define(words, node, place)
        with self.in_scope(place):
            self._type_parameters(node)
            if of.type == "struct_type":
                self._fields(of)
            elif of.type == "interface_type":
                self._promises(of)
            else:
                self.scopes[place].type = self.type(of)
        return UNKNOWN

    def _alias(self, node: Node) -> int:
        """`type A = B` is another name for B."""
        name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is not None:
            self.bind(self.text(name), By.TYPE, node.start_point[0] + 1, self.type(of))
        return UNKNOWN

    def _fields(self, struct: Node) -> None:
        """Fields of the scope we are in; what is embedded is a field too, and a base."""
        for given in struct.named_children:
            for child in given.named_children:
                type_ = child.child_by_field_name("type")
                if child.type != "field_declaration" or type_ is None:
                    continue
                declared = self.type(type_)
                names = child.children_by_field_name("name")
                for name in names:
                    self.bind(self.text(name), By.VALUE, name.start_point[0] + 1, UNKNOWN, declared)
                if not names:
                    self.scopes[self.here].bases.append(declared)
                    self.bind(self._last_name(type_), By.VALUE, child.start_point[0] + 1, UNKNOWN, declared)

    def _last_name(self, node: Node) -> str:
        """`*pkg.Name[T]` is embedded as Name."""
        while node.type in ("generic_type", "pointer_type", "qualified_type", "parenthesized_type"):
            inner = node.child_by_field_name("name") or node.child_by_field_name("type")
            inner = inner or (node.named_children[0] if node.named_children else None)
            if inner is None:
                break
            node = inner
        return self.text(node)

    def _promises(self, interface: Node) -> None:
        """Methods of an interface, and interfaces that are embedded in it. Unions of types say nothing."""
        for child in interface.named_children:
            name = child.child_by_field_name("name")
            if child.type == "method_elem" and name is not None:
                place = self.open(Sort.FUNCTION, self.text(name), child)
                self.define(self.text(name), child, place)
                with self.in_scope(place):
                    self._signature(child, place)
            elif child.type == "type_elem" and len(child.named_children) == 1:
                base = self.type(child.named_children[0])
                if base != UNKNOWN:
                    self.scopes[self.here].bases.append(base)
            elif child.type == "type_elem":
                self.scopes[self.here].traits.append("union")

    def _type_name(self, node: Node) -> int:
        return self.put("n", self.text(node))

    def _qualified(self, node: Node) -> int:
        package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
        if package is None or name is None:
            return UNKNOWN
        return self.put("a", self.put("n", self.text(package)), self.text(name))

    def _generic_type(self, node: Node) -> int:
        arguments = node.child_by_field_name("type_arguments")
        given = [self.type(child) for child in arguments.named_children] if arguments is not None else []
        return self.generic(self.type(node.child_by_field_name("type")), given)

    def _first_type(self, node: Node) -> int:
        """The one type inside; of `~int | string` nothing is known."""
        places = [self.type(child) for child in node.named_children if child.type not in COMMENTS]
        return places[0] if len(places) == 1 else UNKNOWN

    def _pointer(self, node: Node) -> int:
        return self.put("L", "ptr", (self._first_type(node),))

    def _slice_type(self, node: Node) -> int:
        length = node.child_by_field_name("length")
        sort = "list" if node.type == "slice_type" else f"array{self.text(length) if length is not None else ''}"
        return self.put("L", sort, (self.type(node.child_by_field_name("element")),))

    def _channel_type(self, node: Node) -> int:
        return self.put("L", "chan", (self.type(node.child_by_field_name("value")),))

    def _map_type(self, node: Node) -> int:
        key, value = (self.type(node.child_by_field_name(name)) for name in ("key", "value"))
        return self.put("L", "dict", (key, value))

    def _function_type(self, node: Node) -> int:
        taken = tuple(each.type for each in self._parameters(node.child_by_field_name("parameters")))
        return self.put("L", "call", (self._result(node.child_by_field_name("result")), *taken))

    def _anonymous_interface(self, node: Node) -> int:
        """An interface without a name is told by its text."""
        return self.put("k", "".join(self.text(node).split())[:_TYPE_CHARS_MAX])

    def _anonymous_struct(self, node: Node) -> int:
        place = self.open(Sort.BLOCK, "", node)
        with self.in_scope(place):
            self._fields(node)
        return self.put("f", place)

    # Statements

    def _variables(self, node: Node) -> int:
        """`var a, b T = x, y`, of a package or of a block."""
        values, type_ = node.child_by_field_name("value"), self.type(node.child_by_field_name("type"))
        names = node.children_by_field_name("name")
        places = self.read_all(values.named_children) if values is not None else []
        if self.here:
            self.shadow([self.text(each) for each in names], values)
        self._declared(names, places, type_)
        return UNKNOWN

    def _declared(self, names: list[Node], places: list[int], type_: int = UNKNOWN, known: Container[str] = ()) -> None:
        """Names on the left; those that are known already stay what they are."""
        for at, name in enumerate(names):
            if name.type != "identifier" or self.text(name) == "_" or self.text(name) in known:
                continue
            if len(places) == 1 < len(names):
                value = self.put("u", places[0], at)
            else:
                value = places[at] if at < len(places) else UNKNOWN
            self.declare(self.text(name), name, value, type_)

    def _short(self, node: Node) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return UNKNOWN
        places = self.read_all(right.named_children)
        known = frozenset(() if self.is_unopened else self.scopes[self.here].names)
        new = [self.text(each) for each in left.named_children if self.text(each) not in known]
        self.shadow(new, right)
        self._declared(left.named_children, places, known=known)
        return UNKNOWN

    def _range(self, node: Node) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        item = self.put("i", self.read(right))
        if left is None:
            return UNKNOWN
        if any(child.type == ":=" for child in node.children):
            self.shadow([self.text(each) for each in left.named_children], right)
            parts = [self.put("u", item, at) for at in range(len(left.named_children))]
            self._declared(left.named_children, parts)
        else:
            self.read_all(left.named_children)
        return UNKNOWN

    def _receive(self, node: Node) -> int:
        """`v, ok := <-ch` of a select."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.read(right)
        if left is not None and any(child.type == ":=" for child in node.children):
            self.shadow([self.text(each) for each in left.named_children], right)
            self._declared(left.named_children, [value])
        elif left is not None:
            self.read_all(left.named_children)
        return UNKNOWN

    def _type_switch(self, node: Node) -> int:
        """In a case of one type the name is of that type, elsewhere it is what it was."""
        with self.in_block(node):
            self.read(node.child_by_field_name("initializer"))
            value_node, alias = node.child_by_field_name("value"), node.child_by_field_name("alias")
            value = self.read(value_node)
            name = alias.named_children[0] if alias is not None and alias.named_children else None
            for case in node.named_children:
                if case.type not in ("type_case", "default_case"):
                    continue
                types = [self.type(each) for each in case.children_by_field_name("type")]
                with self.in_block(case):
                    if name is not None:
                        self.shadow([self.text(name)], value_node)
                        self.declare(self.text(name), case, value, types[0] if len(types) == 1 else UNKNOWN)
                    for child in case.named_children:
                        if child.type not in COMMENTS and child not in case.children_by_field_name("type"):
                            self.read(child)
        return UNKNOWN

    # Expressions

    def _name(self, node: Node) -> int:
        return self.put("n", self.text(node))

    def _selector(self, node: Node) -> int:
        of, name = node.child_by_field_name("operand"), node.child_by_field_name("field")
        if of is None or name is None:
            return UNKNOWN
        return self.put("a", self.read(of), self.text(name))

    def _call(self, node: Node) -> int:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return UNKNOWN
        children = [child for child in given.named_children if child.type not in COMMENTS] if given is not None else []
        word = self.text(function) if function.type == "identifier" else ""
        if word in ("new", "make") and children:
            type_ = self.type_like(children[0])
            self.read_all(children[1:])
            return self.put("t", type_)
        callee = self.read(function)
        self.call_at(callee, self._called_name(function))
        places = self.read_all(children)
        return self.put("c", callee, tuple(places[:ARGUMENTS_MAX]))

    def _called_name(self, function: Node) -> Node:
        while function.type in ("parenthesized_expression", "index_expression", "type_instantiation_expression"):
            if not function.named_children:
                break
            function = function.named_children[0]
        return function.child_by_field_name("field") or function

    def type_like(self, node: Node) -> int:
        """A type that stands where a value could."""
        if node.type in self.types:
            return self.type(node)
        return self.read(node)

    def _conversion(self, node: Node) -> int:
        """`[]byte(x)`; a generic function that is given its types and called looks the same."""
        type_, value = node.child_by_field_name("type"), node.child_by_field_name("operand")
        place = self.type(type_)
        if type_ is not None and type_.type == "generic_type":
            name = type_.child_by_field_name("type")
            self.call_at(place, (name.child_by_field_name("name") or name) if name is not None else type_)
            return self.put("c", place, (self.read(value),))
        self.read(value)
        return self.put("t", place)

    def _assertion(self, node: Node) -> int:
        self.read(node.child_by_field_name("operand"))
        return self.put("t", self.type(node.child_by_field_name("type")))

    def _index(self, node: Node) -> int:
        of, index = node.child_by_field_name("operand"), node.child_by_field_name("index")
        return self.put("s", self.read(of), self.read(index))

    def _instantiation(self, node: Node) -> int:
        """`f[int, string]`: the function with what it is given."""
        first, *rest = node.named_children
        return self.generic(self.read(first), [self.type(each) for each in rest])

    def _slice(self, node: Node) -> int:
        places = self.read_all(node.named_children)
        return places[0] if places else UNKNOWN

    def _unary(self, node: Node) -> int:
        operator, place = node.children[0].type, self.read(node.child_by_field_name("operand"))
        if operator == "<-":
            return self.put("y", place)
        return place if operator in ("&", "*", "+", "-", "^") else self.put("k", "bool")

    def _binary(self, node: Node) -> int:
        """Long chains lean to the left and are followed without recursion."""
        right: list[Node] = []
        at: Node | None = node
        sign = node.child_by_field_name("operator")
        while at is not None and at.type == "binary_expression":
            other = at.child_by_field_name("right")
            if other is not None:
                right.append(other)
            at = at.child_by_field_name("left")
        place = self.read(at)
        self.read_all(reversed(right))
        return self.put("k", "bool") if sign is not None and sign.type in _COMPARISONS else place

    def _composite(self, node: Node) -> int:
        type_ = node.child_by_field_name("type")
        place = self.type(type_)
        self.read(node.child_by_field_name("body"))
        return self.put("t", place)

    def _element(self, node: Node) -> int:
        """The value of `key: value`; a key that is a name is a field, or a constant."""
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is not None and not (key.named_children and key.named_children[0].type == "identifier"):
            self.read(key)
        return self.read(value)

    def _literal(self, node: Node) -> int:
        return self.put("k", _LITERALS[node.type])

    types: ClassVar = {
        "type_identifier": _type_name,
        "identifier": _type_name,
        "qualified_type": _qualified,
        "generic_type": _generic_type,
        "pointer_type": _pointer,
        "slice_type": _slice_type,
        "array_type": _slice_type,
        "implicit_length_array_type": _slice_type,
        "map_type": _map_type,
        "channel_type": _channel_type,
        "function_type": _function_type,
        "struct_type": _anonymous_struct,
        "interface_type": _anonymous_interface,
        "type_elem": _first_type,
        "type_constraint": _first_type,
        "parenthesized_type": _first_type,
    }
    handlers: ClassVar = {
        "package_clause": _package,
        "import_spec": _import,
        "function_declaration": _function,
        "method_declaration": _function,
        "type_spec": _type_spec,
        "type_alias": _alias,
        "var_spec": _variables,
        "const_spec": _variables,
        "short_var_declaration": _short,
        "range_clause": _range,
        "receive_statement": _receive,
        "type_switch_statement": _type_switch,
        **dict.fromkeys(
            (
                "block",
                "if_statement",
                "for_statement",
                "expression_switch_statement",
                "expression_case",
                "default_case",
                "communication_case",
            ),
            TypedReading.block,
        ),
        "identifier": _name,
        "selector_expression": _selector,
        "call_expression": _call,
        "type_conversion_expression": _conversion,
        "type_assertion_expression": _assertion,
        "index_expression": _index,
        "type_instantiation_expression": _instantiation,
        "slice_expression": _slice,
        "unary_expression": _unary,
        "binary_expression": _binary,
        "parenthesized_expression": TypedReading.inner,
        "func_literal": _closure,
        "composite_literal": _composite,
        "keyed_element": _element,
        "literal_element": TypedReading.inner,
        **dict.fromkeys(_LITERALS, _literal),
        **dict.fromkeys(COMMENTS, TypedReading.nothing),
    }


def package_name(path: str) -> str:
    """What a package is called whose path an import names, as a rule: the last part that is no version."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit():
        parts.pop()
    last = parts[-1] if parts else path
    head, dot, version = last.rpartition(".")
    if dot and version[:1] == "v" and version[1:].isdigit():
        last = head
    return last
