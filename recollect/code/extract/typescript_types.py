"""Types of TypeScript: annotations, type parameters, what functions and objects of a type have.

("n", name), ("a", of, name)     a type by its name          ("s", of, arguments)   a generic one with its arguments
("o", choices), ("&", both)      either, and both            ("l", of, name)        `Type["name"]`
("f", scope), ("O", scope)       of a function, an object    ("q", value)           `typeof value`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from recollect.code.extract.syntax import DEPTH_MAX, Reading
from recollect.code.facts import UNKNOWN, By, FunctionParameter, Sort

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = {"void": "null", "never": "null", "null": "null", "undefined": "null"}
_CHOICES_MAX = 12  # of one union; more say nothing
_LEXICAL = frozenset({"lexical_declaration", "class_declaration", "abstract_class_declaration", "enum_declaration"})


class TypeScriptTypes(Reading):
    """Reads types, and keeps what the names of blocks are called."""

    def __init__(self, data: bytes, language: str) -> None:
        super().__init__(data, language)
        self.frames: list[dict[str, str]] = []
        self._blocks: dict[int, int] = {}  # how many blocks with names a scope had so far

    def expr(self, node: Node) -> int:
        raise NotImplementedError

    def method(self, node: Node, holder: int) -> int:
        raise NotImplementedError

    def named_function(self, name: str, node: Node, whole: Node, holder: int, bound: str = "") -> int:
        raise NotImplementedError

    def key(self, node: Node) -> str:
        raise NotImplementedError

    def imported(self, node: Node, module: str, names: tuple[str, ...], *, typing: bool = False) -> int:
        raise NotImplementedError

    def target(self, node: Node, value: int, declared: int = UNKNOWN) -> None:
        """Bind what stands on the left of an assignment."""
        raise NotImplementedError

    def quoted(self, node: Node) -> str:
        return self.text(node)[1:-1]

    # Names of blocks

    def visible(self, name: str) -> str:
        """What a name is called here: blocks around give theirs names of their own."""
        for frame in reversed(self.frames):
            known = frame.get(name)
            if known is not None:
                return known
        return name

    def shadowing(self, node: Node, body: Node | None) -> None:
        """Enter a function: what it declares hides what blocks around it have."""
        frame: dict[str, str] = {}
        if any(self.frames):
            given = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
            for name in (*_names_in(given), *(_declared_in(body) if body is not None else ())):
                frame[self.text(name)] = self.text(name)
        self.frames.append(frame)

    def own_names(self, *nodes: Node | None) -> None:
        """Enter a block: what it declares gets names of its own."""
        frame: dict[str, str] = {}
        for node in nodes:
            for name in _declared_in(node) if node is not None else ():
                if not frame:
                    self._blocks[self.here] = self._blocks.get(self.here, 0) + 1
                word = self.text(name)
                frame[word] = f"{word}#{self._blocks[self.here]}"
        self.frames.append(frame)

    # What functions take and give

    def signature(self, node: Node) -> None:
        """Type parameters, parameters and result of the function whose scope this is."""
        scope = self.scopes[self.here]
        given = node.child_by_field_name("parameters")
        alone = node.child_by_field_name("parameter")  # `x => …`
        children = given.named_children if given is not None else [alone] if alone is not None else []
        for child in children:
            if child.type != "comment":
                self._parameter(child)
        self.type_parameters(node)
        result = node.child_by_field_name("return_type") or node.child_by_field_name("type")
        if result is not None:
            scope.type = self.type(result)

    def _parameter(self, node: Node) -> None:
        scope, line = self.scopes[self.here], node.start_point[0] + 1
        named = node.child_by_field_name("pattern") or node.child_by_field_name("left") or node
        type_ = node.child_by_field_name("type")
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        sort = "?" if node.type == "optional_parameter" or value is not None else ""
        if named.type == "rest_pattern" and named.named_children:
            named, sort = named.named_children[0], "*"
        declared = self.type(type_) if type_ is not None else UNKNOWN
        default = self.expr(value) if value is not None else UNKNOWN
        if named.type == "this":
            self.bind("this", By.VALUE, line, UNKNOWN, declared)
            return
        for child in node.named_children:
            if child.type == "decorator":
                self.expr(child)
        name = self.text(named) if named.type == "identifier" else f"@{len(scope.parameters)}"
        self.bind(name, By.PARAMETER, line, len(scope.parameters))
        scope.parameters.append(FunctionParameter(name, declared, default, sort))
        if named.type != "identifier":
            self.target(named, self.put("n", name))
        if any(child.type in ("accessibility_modifier", "override_modifier", "readonly") for child in node.children):
            members = self.scopes[scope.parent].members
            members.setdefault(name, []).append((self.here, self.put("n", name), declared, line))

    def type_parameters(self, node: Node) -> None:
        """`<T extends Base = Other>` of the scope we are in, behind its other parameters."""
        given = node.child_by_field_name("type_parameters")
        for child in given.named_children if given is not None else ():
            name, bound = child.child_by_field_name("name"), child.child_by_field_name("constraint")
            default = child.child_by_field_name("value")
            if name is None:
                continue
            most = self.type(bound) if bound is not None else UNKNOWN
            least = self.type(default) if default is not None else UNKNOWN
            self.scopes[self.here].parameters.append(FunctionParameter(self.text(name), most, least, "<"))

    # Types

    def type(self, node: Node) -> int:
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        handle = _TYPES.get(node.type)
        if handle is None:
            return UNKNOWN
        self.depth += 1
        place = handle(self, node)
        self.depth -= 1
        return place

    def type_arguments(self, node: Node) -> tuple[int, ...]:
        return tuple(self.type(child) for child in node.named_children if child.type != "comment")

    def _last(self, node: Node) -> int:
        children = [child for child in node.named_children if child.type != "comment"]
        return self.type(children[-1]) if children else UNKNOWN

    def _named(self, node: Node) -> int:
        return self.put("n", self.visible(self.text(node)))

    def _inside(self, node: Node) -> int:
        """`module.Type`."""
        module, name = node.child_by_field_name("module"), node.child_by_field_name("name")
        if module is None or name is None:
            return UNKNOWN
        return self.put("a", self.expr(module), self.text(name))

    def _predefined(self, node: Node) -> int:
        word = self.text(node)
        return UNKNOWN if word in ("any", "unknown", "object") else self.put("k", _PLAIN.get(word, word))

    def _literal(self, node: Node) -> int:
        word = node.named_children[0].type if node.named_children else "null"
        return self.put("k", "null" if word in ("null", "undefined") else word)

    def _text(self, node: Node) -> int:
        return self.put("k", "string")

    def _generic(self, node: Node) -> int:
        name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
        if name is None or given is None:
            return UNKNOWN
        return self.applied(self.type(name), self.type_arguments(given))

    def applied(self, of: int, given: tuple[int, ...]) -> int:
        """A generic type with its arguments."""
        return self.put("s", of, self.put("L", "tuple", given)) if given else of

    def _array(self, node: Node) -> int:
        return self.applied(self.put("n", "Array"), (self._last(node),))

    def _tuple(self, node: Node) -> int:
        return self.put("L", "tuple", self.type_arguments(node))

    def _either(self, node: Node) -> int:
        parts = [self.type(each) for each in _parts(node, "union_type")]
        found = tuple(dict.fromkeys(each for each in parts if self.exprs[each] != ("k", "null")))
        if not found or len(found) > _CHOICES_MAX:
            return UNKNOWN
        return found[0] if len(found) == 1 else self.put("o", found)

    def _both(self, node: Node) -> int:
        found = tuple(self.type(each) for each in _parts(node, "intersection_type"))
        return self.put("&", found[:_CHOICES_MAX])

    def _function(self, node: Node) -> int:
        place = self.open(Sort.BLOCK, "", node)
        self.scopes[place].traits.append("new" if node.type == "constructor_type" else "type")
        before = self.enter(place)
        self.signature(node)
        self.leave(before)
        return self.put("f", place)

    def _object(self, node: Node) -> int:
        place = self.open(Sort.OBJECT, "", node)
        self.scopes[place].traits.append("type")
        self.members_of_type(node, place)
        return self.put("O", place)

    def members_of_type(self, node: Node, place: int) -> None:
        """What an interface or a type of objects has."""
        for child in node.named_children:
            name, type_ = child.child_by_field_name("name"), child.child_by_field_name("type")
            if child.type in ("method_signature", "call_signature"):
                self.method(child, place)
            elif child.type == "construct_signature":
                self.named_function("new()", child, child, place)
            elif child.type == "property_signature" and name is not None:
                function = type_.named_children[0] if type_ is not None and type_.named_children else None
                if function is not None and function.type == "function_type":
                    self.named_function(self.key(name), function, child, place)
                else:
                    before, self.here = self.here, place
                    declared = self.type(type_) if type_ is not None else UNKNOWN
                    self.bind(self.key(name), By.VALUE, child.start_point[0] + 1, UNKNOWN, declared)
                    self.here = before
            elif child.type == "index_signature" and type_ is not None:
                before, self.here = self.here, place
                self.bind("[]", By.VALUE, child.start_point[0] + 1, UNKNOWN, self.type(type_))
                self.here = before

    def _query(self, node: Node) -> int:
        calls = len(self.calls)
        place = self.put("q", self.expr(node.named_children[0])) if node.named_children else UNKNOWN
        del self.calls[calls:]
        return place

    def _lookup(self, node: Node) -> int:
        children = node.named_children
        of = self.type(children[0]) if children else UNKNOWN
        index = children[-1].named_children if len(children) == 2 else []
        if index and index[0].type == "string":
            return self.put("l", of, self.quoted(index[0]))
        return UNKNOWN

    def _conditional(self, node: Node) -> int:
        """One or the other; which one is the compiler's to find out."""
        ends = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        found = [self.type(each) for each in ends if each is not None]
        return self.put("o", tuple(each for each in found if self.exprs[each] != ("k", "null")))

    def _this(self, node: Node) -> int:
        return self.put("n", "this")

    def _predicate(self, node: Node) -> int:
        return self.put("k", "boolean")

    def _imported(self, node: Node) -> int:
        """`import("./module").Type`."""
        calls = len(self.calls)
        place = self.expr(node)
        del self.calls[calls:]
        return place


def _parts(node: Node, sort: str) -> Iterator[Node]:
    """The parts of a union, which is nested to the left, however many there are."""
    found: list[Node] = []
    front = [node]
    while front:
        each = front.pop()
        if each.type == sort:
            front.extend(child for child in each.named_children if child.type != "comment")
        else:
            found.append(each)
    return reversed(found)


def _names_in(node: Node | None) -> Iterator[Node]:
    """The names that a pattern binds."""
    front = [node] if node is not None else []
    while front:
        each = front.pop()
        if each.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield each
        elif each.type in ("pair_pattern", "assignment_pattern", "object_assignment_pattern"):
            inner = each.child_by_field_name("value" if each.type == "pair_pattern" else "left")
            front += [inner] if inner is not None else []
        elif each.type in ("required_parameter", "optional_parameter"):
            inner = each.child_by_field_name("pattern")
            front += [inner] if inner is not None else []
        elif each.type.endswith("pattern") or each.type == "formal_parameters":
            front.extend(each.named_children)


def _declared_in(node: Node) -> Iterator[Node]:
    """The names that a block, a statement or a pattern declares for itself."""
    if node.type == "identifier" or node.type.endswith("pattern"):
        yield from _names_in(node)
        return
    statements = (
        [node] if node.type in ("lexical_declaration", "switch_case", "switch_default") else node.named_children
    )
    if node.type in ("switch_case", "switch_default"):
        statements = node.children_by_field_name("body")
    for statement in statements:
        if statement.type == "lexical_declaration":
            for child in statement.named_children:
                yield from _names_in(child.child_by_field_name("name"))
        elif statement.type in _LEXICAL or statement.type == "function_declaration":
            name = statement.child_by_field_name("name")
            if name is not None:
                yield name
        elif statement.type in ("switch_case", "switch_default"):
            yield from _declared_in(statement)


_TYPES: dict[str, Callable[[TypeScriptTypes, Node], int]] = {
    "type_annotation": TypeScriptTypes._last,
    "constraint": TypeScriptTypes._last,
    "default_type": TypeScriptTypes._last,
    "parenthesized_type": TypeScriptTypes._last,
    "readonly_type": TypeScriptTypes._last,
    "optional_type": TypeScriptTypes._last,
    "rest_type": TypeScriptTypes._last,
    "omitting_type_annotation": TypeScriptTypes._last,
    "opting_type_annotation": TypeScriptTypes._last,
    "required_parameter": TypeScriptTypes._last,
    "optional_parameter": TypeScriptTypes._last,
    "type_identifier": TypeScriptTypes._named,
    "identifier": TypeScriptTypes._named,
    "nested_type_identifier": TypeScriptTypes._inside,
    "predefined_type": TypeScriptTypes._predefined,
    "literal_type": TypeScriptTypes._literal,
    "template_literal_type": TypeScriptTypes._text,
    "index_type_query": TypeScriptTypes._text,
    "generic_type": TypeScriptTypes._generic,
    "array_type": TypeScriptTypes._array,
    "tuple_type": TypeScriptTypes._tuple,
    "union_type": TypeScriptTypes._either,
    "intersection_type": TypeScriptTypes._both,
    "function_type": TypeScriptTypes._function,
    "constructor_type": TypeScriptTypes._function,
    "object_type": TypeScriptTypes._object,
    "type_query": TypeScriptTypes._query,
    "lookup_type": TypeScriptTypes._lookup,
    "conditional_type": TypeScriptTypes._conditional,
    "this_type": TypeScriptTypes._this,
    "this": TypeScriptTypes._this,
    "type_predicate_annotation": TypeScriptTypes._predicate,
    "asserts_annotation": TypeScriptTypes._predicate,
    "member_expression": TypeScriptTypes._imported,
    "call_expression": TypeScriptTypes._imported,
}
