"""What a Java file says: its package, imports, types with their fields and methods, calls with how many arguments.

Methods and variables live apart: a call names a method ("m", "M"), everything else a variable or a type.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from recollect.code.extract.syntax import ARGUMENTS_MAX, parsed
from recollect.code.extract.typed import COMMENTS, TypedReading
from recollect.code.facts import ARGUMENT, LAMBDA, UNKNOWN, By, FileFacts, FunctionParameter, ImportStatement, Sort
from recollect.structure.languages import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LITERALS = {
    "string_literal": "String",
    "character_literal": "char",
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
    "true": "boolean",
    "false": "boolean",
    "null_literal": "null",
}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_KEPT_TRAITS = frozenset({"static", "abstract", "private", "default"})
_TYPE_SORTS = {
    "class_declaration": Sort.CLASS,
    "enum_declaration": Sort.CLASS,
    "record_declaration": Sort.CLASS,
    "interface_declaration": Sort.INTERFACE,
    "annotation_type_declaration": Sort.INTERFACE,
}


class JavaExtractor:
    """Reads Java, whatever its version: the grammar knows the newest syntax."""

    version = 1

    def __init__(self, language: str = "java") -> None:
        self._language = language
        self._parser: Parser | None = None

    def extract(self, data: bytes) -> FileFacts:
        if self._parser is None:
            self._parser = parser_of(self._language)
        assert self._parser is not None, "the grammar is a dependency"
        root = parsed(self._parser, data)
        reading = _Java(data, self._language)
        if root is None:
            return reading.unread()
        for child in root.named_children:
            reading.read(child)
        return reading.facts(broken=root.has_error)


class _Java(TypedReading):
    """One file on its way to facts."""

    def __init__(self, data: bytes, language: str) -> None:
        super().__init__(data, language)
        self._unnamed: Counter[int] = Counter()  # classes without a name, by the scope that they are in

    # The file

    def _package(self, node: Node) -> int:
        for child in node.named_children:
            if child.type in ("scoped_identifier", "identifier"):
                self.scopes[0].name = self._words(child)
        return UNKNOWN

    def _words(self, node: Node) -> str:
        return "".join(self.text(node).split())

    def _import(self, node: Node) -> int:
        """`import a.b.C`, `import static a.b.C.m`, `import a.b.*`: what stands before the last name is the module."""
        named = next((child for child in node.named_children if child.type.endswith("identifier")), None)
        if named is None:
            return UNKNOWN
        words, line, place = self._words(named), node.start_point[0] + 1, len(self.imports)
        if any(child.type == "asterisk" for child in node.named_children):
            self.imports.append(ImportStatement(line, words, 0, ("*",), 0))
            self.stars.append(place)
        else:
            module, _, name = words.rpartition(".")
            self.imports.append(ImportStatement(line, module, 0, (name,), 0))
            self.bind(name, By.IMPORT, line, place, name)
        return UNKNOWN

    # Types

    def _type_declaration(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return UNKNOWN
        place = self.open(_TYPE_SORTS[node.type], self.text(name), node)
        scope = self.scopes[place]
        scope.traits = [*self._modifiers(node), node.type.partition("_")[0]]
        self.define(scope.name, node, place)
        with self.in_scope(place):
            self._type_parameters(node)
            for child in node.named_children:
                if child.type in ("superclass", "extends_interfaces"):
                    scope.bases += self._types_in(child)
                elif child.type == "super_interfaces":
                    scope.interfaces += self._types_in(child)
            if node.type == "record_declaration":
                self._components(node)
            self._members(node.child_by_field_name("body"))
        return UNKNOWN

    def _modifiers(self, node: Node) -> list[str]:
        """The words in front of a declaration. What stands in annotations calls nothing."""
        found = [child for child in node.named_children if child.type == "modifiers"]
        return [each.type for child in found for each in child.children if each.type in _KEPT_TRAITS]

    def _types_in(self, node: Node) -> list[int]:
        found: list[int] = []
        for child in node.named_children:
            found += self._types_in(child) if child.type == "type_list" else [self.type(child)]
        return [place for place in found if place != UNKNOWN]

    def _type_parameters(self, node: Node) -> None:
        given = node.child_by_field_name("type_parameters")
        for child in given.named_children if given is not None else ():
            name = next((each for each in child.named_children if each.type == "type_identifier"), None)
            bound = next((each for each in child.named_children if each.type == "type_bound"), None)
            if name is not None:
                places = self._types_in(bound) if bound is not None else []
                either = places[0] if len(places) == 1 else self.put("|", *places) if places else UNKNOWN
                self.bind(self.text(name), By.TYPE, name.start_point[0] + 1, either)

    def _components(self, record: Node) -> None:
        """A component of a record is a field, and a method that gives it."""
        for each in self._parameters(record.child_by_field_name("parameters")):
            line = record.start_point[0] + 1
            self.bind(each.name, By.VALUE, line, UNKNOWN, each.type)
            place = self.open(Sort.FUNCTION, each.name, record)
            self.scopes[place].end = line
            self.scopes[place].type = each.type
            self.bind(each.name, By.SCOPE, line, place)

    def _members(self, body: Node | None) -> None:
        for child in body.named_children if body is not None else ():
            self.read(child)

    def _enum_constant(self, node: Node) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        own = self.put("n", self.scopes[self.here].name)
        arguments = self._arguments(node)
        if arguments:
            self.call_at(self.put("t", own), name or node)
        if name is not None:
            self.bind(self.text(name), By.VALUE, node.start_point[0] + 1, UNKNOWN, own)
        if body is not None:
            self._unnamed_class(own, body)
        return UNKNOWN

    def _unnamed_class(self, base: int, body: Node) -> None:
        holder = self.here
        while self.scopes[holder].sort == Sort.BLOCK:
            holder = self.scopes[holder].parent
        self._unnamed[holder] += 1
        place = self.open(Sort.CLASS, f"${self._unnamed[holder]}", body)
        self.scopes[place].bases.append(base)
        with self.in_scope(place):
            self._members(body)

    def _field(self, node: Node) -> int:
        declared = self.type(node.child_by_field_name("type"))
        for child in node.children_by_field_name("declarator"):
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            type_ = self._array(declared, child.child_by_field_name("dimensions"))
            if name is not None:
                self.bind(self.text(name), By.VALUE, name.start_point[0] + 1, UNKNOWN, type_)
            self._meant_for(self.read(value), type_)
        return UNKNOWN

    # Methods

    def _method(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return UNKNOWN
        place = self.open(Sort.FUNCTION, self.text(name), node)
        scope = self.scopes[place]
        scope.traits = self._modifiers(node)
        if node.type in ("constructor_declaration", "compact_constructor_declaration"):
            scope.traits.append("constructor")
        self.define(scope.name, node, place)
        with self.in_scope(place):
            self._type_parameters(node)
            scope.type = self._array(
                self.type(node.child_by_field_name("type")), node.child_by_field_name("dimensions")
            )
            self._take(place, self._parameters(node.child_by_field_name("parameters")))
            self._body(node)
        return UNKNOWN

    def _take(self, place: int, parameters: list[FunctionParameter]) -> None:
        scope = self.scopes[place]
        scope.parameters = parameters
        for at, parameter in enumerate(parameters):
            self.bind(parameter.name, By.PARAMETER, scope.line, at)

    def _body(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        if body is not None and body.type in ("block", "constructor_body"):
            for child in body.named_children:
                self.read(child)
        elif body is not None:
            self.scopes[self.here].returned.append((self.read(body), body.start_point[0] + 1))

    def _parameters(self, given: Node | None) -> list[FunctionParameter]:
        found: list[FunctionParameter] = []
        for child in given.named_children if given is not None else ():
            name, type_ = child.child_by_field_name("name"), child.child_by_field_name("type")
            if child.type == "spread_parameter":
                types = [each for each in child.named_children if each.type in self.types]
                declarator = child.named_children[-1]
                name = declarator.child_by_field_name("name")
                type_ = types[0] if types else None
            if name is not None and child.type in ("formal_parameter", "spread_parameter"):
                declared = self._array(self.type(type_), child.child_by_field_name("dimensions"))
                sort = "*" if child.type == "spread_parameter" else ""
                found.append(FunctionParameter(self.text(name), declared, UNKNOWN, sort))
        return found

    def _lambda(self, node: Node) -> int:
        place = self.open(Sort.BLOCK, "", node)
        given = node.child_by_field_name("parameters")
        if given is not None and given.type == "formal_parameters":
            parameters = self._parameters(given)
        elif given is not None:
            names = given.named_children if given.type == "inferred_parameters" else [given]
            parameters = [FunctionParameter(self.text(each)) for each in names]
        else:
            parameters = []
        self.scopes[place].traits.append(LAMBDA)
        with self.in_scope(place):
            self._take(place, parameters)
            self._body(node)
        return self.put("f", place)

    def _return(self, node: Node) -> int:
        """What a lambda gives decides the types of what it is given to."""
        places = self.read_all(node.named_children)
        holder = self.here
        while self.scopes[holder].sort == Sort.BLOCK and LAMBDA not in self.scopes[holder].traits:
            holder = self.scopes[holder].parent
        if places and self.scopes[holder].sort == Sort.BLOCK:
            self.scopes[holder].returned.append((places[0], node.start_point[0] + 1))
        elif places:
            self._meant_for(places[0], self.scopes[holder].type)
        return UNKNOWN

    def _meant_for(self, place: int, target: int, at: int = -1) -> None:
        """A lambda is of the type of the variable that it is kept in, or of the parameter that it is given for."""
        expr = self.exprs[place]
        if expr[0] == "f" and target != UNKNOWN:
            self.scopes[expr[1]].interfaces = [target]
            self.scopes[expr[1]].traits.append(f"{ARGUMENT}{at}") if at >= 0 else None

    # Types that are named

    def _type_name(self, node: Node) -> int:
        words = self.text(node)
        return UNKNOWN if words == "var" else self.put("n", words)

    def _scoped_type(self, node: Node) -> int:
        places = [child for child in node.named_children if child.type in self.types]
        if len(places) != 2:
            return UNKNOWN
        return self.put("a", self.type(places[0]), self.text(places[1]))

    def _generic_type(self, node: Node) -> int:
        of, *rest = [child for child in node.named_children if child.type not in COMMENTS]
        given = [self.type(each) for child in rest if child.type == "type_arguments" for each in child.named_children]
        return self.generic(self.type(of), given)

    def _array_type(self, node: Node) -> int:
        return self._array(self.type(node.child_by_field_name("element")), node.child_by_field_name("dimensions"))

    def _array(self, of: int, dimensions: Node | None) -> int:
        for _ in range(self.text(dimensions).count("[") if dimensions is not None else 0):
            of = self.put("L", "array", (of,))
        return of

    def _plain_type(self, node: Node) -> int:
        return self.put("k", self.text(node))

    def _last_type(self, node: Node) -> int:
        """The type of a wildcard, or one with annotations in front of it."""
        places = [self.type(child) for child in node.named_children if child.type in self.types]
        return places[-1] if places else UNKNOWN

    def _either_type(self, node: Node) -> int:
        places = [self.type(child) for child in node.named_children if child.type in self.types]
        return places[0] if len(places) == 1 else self.put("|", *places) if places else UNKNOWN

    # Statements

    def _variables(self, node: Node) -> int:
        declared = self.type(node.child_by_field_name("type"))
        for child in node.children_by_field_name("declarator"):
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            type_ = self._array(declared, child.child_by_field_name("dimensions"))
            place = self.read(value)
            self._meant_for(place, type_)
            if name is not None:
                self.declare(self.text(name), name, place, type_)
        return UNKNOWN

    def _for_each(self, node: Node) -> int:
        with self.in_block(node):
            item = self.put("i", self.read(node.child_by_field_name("value")))
            name = node.child_by_field_name("name")
            declared = self._array(self.type(node.child_by_field_name("type")), node.child_by_field_name("dimensions"))
            if name is not None:
                self.declare(self.text(name), name, item, declared)
            self.read(node.child_by_field_name("body"))
        return UNKNOWN

    def _resource(self, node: Node) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            self.read_all(node.named_children)
            return UNKNOWN
        declared = self.type(node.child_by_field_name("type"))
        self.declare(self.text(name), name, self.read(value), declared)
        return UNKNOWN

    def _caught(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        types = [self.type(child) for child in node.named_children if child.type == "catch_type"]
        if name is not None:
            self.declare(self.text(name), name, UNKNOWN, types[0] if types else UNKNOWN)
        return UNKNOWN

    def _instance_of(self, node: Node) -> int:
        """`x instanceof Type name` binds the name for what follows, as far as the block goes."""
        self.read(node.child_by_field_name("left"))
        name, right = node.child_by_field_name("name"), node.child_by_field_name("right")
        if name is not None:
            self.declare(self.text(name), name, UNKNOWN, self.type(right))
        self.read(node.child_by_field_name("pattern"))
        return self.put("k", "boolean")

    def _pattern(self, node: Node) -> int:
        """`Type name` in a pattern."""
        types = [child for child in node.named_children if child.type in self.types]
        names = [child for child in node.named_children if child.type == "identifier"]
        if types and names:
            self.declare(self.text(names[-1]), names[-1], UNKNOWN, self.type(types[0]))
        return UNKNOWN

    def _record_pattern(self, node: Node) -> int:
        for child in node.named_children:
            if child.type == "record_pattern_body":
                self.read_all(child.named_children)
        return UNKNOWN

    # Expressions

    def _name(self, node: Node) -> int:
        return self.put("n", self.text(node))

    def _field_access(self, node: Node) -> int:
        of, name = node.child_by_field_name("object"), node.child_by_field_name("field")
        if of is None or name is None:
            return UNKNOWN
        place = self.read(of)
        if any(child.type == "super" for child in node.named_children) and of.type != "super":
            place = self.put("a", place, "super")
        return self.put("a", place, self.text(name))

    def _call(self, node: Node) -> int:
        of, name = node.child_by_field_name("object"), node.child_by_field_name("name")
        if name is None:
            return UNKNOWN
        owner = UNKNOWN
        if of is not None:
            owner = self.read(of)
            if of.type != "super" and any(child.type == "super" for child in node.named_children):
                owner = self.put("a", owner, "super")  # `Type.super.method()`
        # a call is noted before those in its arguments, as one reads it
        at = len(self.calls)
        arguments = self._arguments(node)
        given = (str(len(arguments)), tuple(arguments[:ARGUMENTS_MAX]))
        words = self.text(name)
        callee = self.put("m", owner, words, *given) if of is not None else self.put("M", words, *given)
        for place, argument in enumerate(arguments):
            self._meant_for(argument, callee, place)
        self.call_at(callee, name)
        self.calls.insert(at, self.calls.pop())
        return self.put("c", callee, ())

    def _arguments(self, node: Node) -> list[int]:
        given = node.child_by_field_name("arguments")
        return self.read_all(given.named_children) if given is not None else []

    def _creation(self, node: Node) -> int:
        """`new Type(…)`, with a body a class without a name; `outer.new Inner()`."""
        type_ = node.child_by_field_name("type")
        outer = node.named_children[0] if node.named_children else None
        declared = self.type(type_)
        if outer is not None and type_ is not None and outer.start_byte < type_.start_byte:
            owner = self.read(outer) if outer.type not in self.types else UNKNOWN
            if owner != UNKNOWN:
                declared = self.put("a", self.put("t", owner), self.text(type_))
        made = self.put("t", declared)
        if type_ is not None:
            self.call_at(made, self._last_name(type_))
        self._arguments(node)
        for child in node.named_children:
            if child.type == "class_body":
                self._unnamed_class(declared, child)
        return made

    def _last_name(self, type_: Node) -> Node:
        while type_.type in ("generic_type", "annotated_type", "scoped_type_identifier"):
            children = [child for child in type_.named_children if child.type in self.types]
            if not children:
                break
            type_ = children[0] if type_.type == "generic_type" else children[-1]
        return type_

    def _constructor_call(self, node: Node) -> int:
        """`this(…)` and `super(…)` at the head of a constructor."""
        word = node.child_by_field_name("constructor")
        self.read(node.child_by_field_name("object"))
        arguments = self._arguments(node)
        if word is not None:
            self.call_at(self.put("M", f"{self.text(word)}()", str(len(arguments)), ()), word)
        return UNKNOWN

    def _array_creation(self, node: Node) -> int:
        place = self.type(node.child_by_field_name("type"))
        for child in node.named_children:
            if child.type == "dimensions":
                place = self._array(place, child)
            elif child.type == "dimensions_expr":
                self.read_all(child.named_children)
                place = self.put("L", "array", (place,))
            elif child.type == "array_initializer":
                self.read(child)
        return self.put("t", place)

    def _cast(self, node: Node) -> int:
        types = [self.type(each) for each in node.children_by_field_name("type")]
        type_ = types[0] if types else UNKNOWN
        self._meant_for(self.read(node.child_by_field_name("value")), type_)
        return self.put("t", type_)

    def _item(self, node: Node) -> int:
        of = self.read(node.child_by_field_name("array"))
        self.read(node.child_by_field_name("index"))
        return self.put("s", of, UNKNOWN)

    def _conditional(self, node: Node) -> int:
        self.read(node.child_by_field_name("condition"))
        return self.put("o", tuple(self.read(node.child_by_field_name(n)) for n in ("consequence", "alternative")))

    def _assignment(self, node: Node) -> int:
        left = self.read(node.child_by_field_name("left"))
        self.read(node.child_by_field_name("right"))
        return left

    def _binary(self, node: Node) -> int:
        """Long chains lean to the left and are followed without recursion."""
        sign = node.child_by_field_name("operator")
        right: list[Node] = []
        at: Node | None = node
        while at is not None and at.type == "binary_expression":
            other = at.child_by_field_name("right")
            if other is not None:
                right.append(other)
            at = at.child_by_field_name("left")
        places = [self.read(at), *self.read_all(reversed(right))]
        if sign is not None and sign.type in _COMPARISONS:
            return self.put("k", "boolean")
        return self.put("b", "+" if sign is not None and sign.type == "+" else "", *places[:2])

    def _unary(self, node: Node) -> int:
        place = self.read(node.child_by_field_name("operand"))
        return self.put("k", "boolean") if node.children and node.children[0].type == "!" else place

    def _class_literal(self, node: Node) -> int:
        return self.put("t", self.put("s", self.put("n", "Class"), self._last_type(node)))

    def _method_reference(self, node: Node) -> int:
        """A method that is handed over is not called here; what stands before it is."""
        self.read_all(child for child in node.named_children if child.type not in self.types)
        return UNKNOWN

    def _literal(self, node: Node) -> int:
        kind = _LITERALS[node.type]
        if kind in ("int", "double"):
            kind = {"L": "long", "F": "float"}.get(
                self.text(node)[-1:].upper() if "x" not in self.text(node) else "", kind
            )
        return self.put("k", kind)

    types: ClassVar = {
        "type_identifier": _type_name,
        "identifier": _type_name,
        "scoped_type_identifier": _scoped_type,
        "scoped_identifier": _scoped_type,
        "generic_type": _generic_type,
        "array_type": _array_type,
        "wildcard": _last_type,
        "annotated_type": _last_type,
        "catch_type": _either_type,
        **dict.fromkeys(("integral_type", "floating_point_type", "boolean_type", "void_type"), _plain_type),
    }
    handlers: ClassVar = {
        "package_declaration": _package,
        "import_declaration": _import,
        "module_declaration": TypedReading.nothing,
        **dict.fromkeys(_TYPE_SORTS, _type_declaration),
        "enum_constant": _enum_constant,
        "field_declaration": _field,
        "constant_declaration": _field,
        **dict.fromkeys(
            (
                "method_declaration",
                "constructor_declaration",
                "compact_constructor_declaration",
                "annotation_type_element_declaration",
            ),
            _method,
        ),
        "lambda_expression": _lambda,
        "local_variable_declaration": _variables,
        "enhanced_for_statement": _for_each,
        "return_statement": _return,
        "resource": _resource,
        "catch_formal_parameter": _caught,
        "instanceof_expression": _instance_of,
        "type_pattern": _pattern,
        "record_pattern": _record_pattern,
        "record_pattern_component": _pattern,
        **dict.fromkeys(
            (
                "block",
                "static_initializer",
                "for_statement",
                "try_with_resources_statement",
                "catch_clause",
                "switch_block",
                "switch_rule",
            ),
            TypedReading.block,
        ),
        "identifier": _name,
        "this": _name,
        "super": _name,
        "field_access": _field_access,
        "method_invocation": _call,
        "object_creation_expression": _creation,
        "explicit_constructor_invocation": _constructor_call,
        "array_creation_expression": _array_creation,
        "cast_expression": _cast,
        "array_access": _item,
        "ternary_expression": _conditional,
        "assignment_expression": _assignment,
        "binary_expression": _binary,
        "unary_expression": _unary,
        "parenthesized_expression": TypedReading.inner,
        "class_literal": _class_literal,
        "method_reference": _method_reference,
        "modifiers": TypedReading.nothing,
        "type_arguments": TypedReading.nothing,
        **dict.fromkeys(_LITERALS, _literal),
        **dict.fromkeys(COMMENTS, TypedReading.nothing),
    }
