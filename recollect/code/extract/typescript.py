"""What a file of TypeScript, JavaScript or JSX says: definitions, bindings, imports and exports, calls.

JavaScript is read by the grammar of TSX, which has all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.extract.syntax import DEPTH_MAX
from recollect.code.extract.typescript_expressions import FUNCTIONS
from recollect.code.extract.typescript_modules import CLASSES, TypeScriptModules
from recollect.code.facts import UNKNOWN, By, FileFacts, Sort
from recollect.structure.languages import parse, parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_LEAVING = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})


class TypeScriptExtractor:
    """Reads one of the languages of the family."""

    version = 1

    def __init__(self, language: str) -> None:
        self._language = language
        self._parser: Parser | None = None

    def extract(self, data: bytes) -> FileFacts:
        if self._parser is None:
            self._parser = parser_of("typescript" if self._language == "typescript" else "tsx")
        assert self._parser is not None, "the grammar is a dependency"
        try:
            data, root, broken = _parsed(self._parser, data)
        except ValueError:  # the parser gave up
            self._parser.reset()
            return _TypeScript(data, self._language).unread()
        reading = _TypeScript(data, self._language)
        reading.block(root)
        return reading.facts(broken=broken)


# What the grammar does not know: `<in out T>`, a type parameter of the name `type`, `export type *`.
_VARIANCE = re.compile(rb"(?<=[<,])(\s*)(in\s+out|in|out)(?=\s+[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))")
_TYPE_NAMED_TYPE = re.compile(rb"\btype(?=\s+extends\b)")
_TYPES_PASSED_ON = re.compile(rb"\b(export\s+)type(?=\s*\*)")
_STARTS = re.compile(rb"(?m)^(?=(?:export|import|function|async|class|abstract|interface|type|enum|const|let|var)\b)")
_PARTS_MAX = 4000


def _parsed(parser: Parser, data: bytes) -> tuple[bytes, Node, bool]:
    """A file as a tree. Where the grammar lags behind the language, and where a file is broken, what can be is mended.

    Everything stays at its place. A definition that makes the whole file unreadable is left out.
    """
    root = parse(parser, data).root_node
    if not root.has_error:
        return data, root, False
    mended = _VARIANCE.sub(lambda found: found[1] + b" " * len(found[2]), data)
    mended = _TYPES_PASSED_ON.sub(rb"\1    ", mended)
    mended = _TYPE_NAMED_TYPE.sub(b"Type", mended)
    if mended != data:
        data, root = mended, parse(parser, mended).root_node
    if root.type != "ERROR":
        return data, root, root.has_error
    parts = _STARTS.split(data)
    if not 1 < len(parts) <= _PARTS_MAX:
        return data, root, True
    whole = b"".join(_blank(part) if parse(parser, part).root_node.has_error else part for part in parts)
    return whole, parse(parser, whole).root_node, True


def _blank(part: bytes) -> bytes:
    return re.sub(rb"[^\n]", b" ", part)


class _TypeScript(TypeScriptModules):
    """One file on its way to facts."""

    # Statements

    def block(self, node: Node) -> None:
        children = node.named_children
        for at, child in enumerate(children):
            self.statement(child)
            if child.type == "if_statement":
                self._afterwards(child, children[at + 1 :])

    def statement(self, node: Node) -> None:
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return
        handle = _STATEMENTS.get(node.type)
        self.depth += 1
        if handle is not None:
            handle(self, node)
        elif node.type.endswith(("_statement", "_clause", "ERROR")):
            self.block(node)
        else:
            self.expr(node)
        self.depth -= 1

    def _pass(self, node: Node) -> None:
        """Nothing is bound, nothing is called."""

    def _block(self, node: Node) -> None:
        """A block: what it declares is seen in it alone."""
        self.own_names(node)
        self.maybe += 1
        self.block(node)
        self.maybe -= 1
        self.frames.pop()

    def _if(self, node: Node) -> None:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        if condition is not None:
            self.expr(condition)
            if body is not None:
                self.narrow(condition, body.start_point[0] + 1, body.end_point[0] + 1)
            if other is not None:
                self.narrow(condition, other.start_point[0] + 1, other.end_point[0] + 1, holds=False)
        self.maybe += 1
        for each in (body, other):
            if each is not None:
                self.statement(each)
        self.maybe -= 1

    def _afterwards(self, node: Node, rest: list[Node]) -> None:
        """`if (!(value instanceof Type)) return;` says what value is from there on."""
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        if condition is None or body is None or not rest or node.child_by_field_name("alternative") is not None:
            return
        last = body.named_children[-1] if body.type == "statement_block" and body.named_children else body
        if last.type in _LEAVING:
            self.narrow(condition, rest[0].start_point[0] + 1, rest[-1].end_point[0] + 1, holds=False)

    def _for(self, node: Node) -> None:
        first = node.child_by_field_name("initializer")
        self.own_names(first)
        self.maybe += 1
        self.block(node)
        self.maybe -= 1
        self.frames.pop()

    def _for_in(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        body, operator = node.child_by_field_name("body"), node.child_by_field_name("operator")
        value = self.expr(right) if right is not None else UNKNOWN
        counted = operator is not None and operator.type == "in"
        item = self.put("k", "string") if counted else self.put("i", value)
        if any(child.type == "await" for child in node.children):
            item = self.put("y", item)
        self._scoped(node, left, item, body)

    def _catch(self, node: Node) -> None:
        self._scoped(node, node.child_by_field_name("parameter"), UNKNOWN, node.child_by_field_name("body"))

    def _scoped(self, node: Node, left: Node | None, item: int, body: Node | None) -> None:
        """A block with a variable of its own in front."""
        kind = node.child_by_field_name("kind")
        self.own_names(left if kind is None or kind.type != "var" else None)
        self.maybe += 1
        if left is not None and left.type in ("identifier", "object_pattern", "array_pattern"):
            self.target(left, item)
        elif left is not None:
            self.expr(left)
        if body is not None:
            self.statement(body)
        self.maybe -= 1
        self.frames.pop()

    def _switch(self, node: Node) -> None:
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if value is not None:
            self.expr(value)
        if body is None:
            return
        self.own_names(body)
        self.maybe += 1
        for case in body.named_children:
            tested = case.child_by_field_name("value")
            if tested is not None:
                self.expr(tested)
            for child in case.children_by_field_name("body"):
                self.statement(child)
        self.maybe -= 1
        self.frames.pop()

    def _labeled(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            self.statement(body)

    def _return(self, node: Node) -> None:
        value = self.inner(node)
        if node.named_children:
            self.scopes[self.here].returned.append((value, node.start_point[0] + 1))

    # Variables

    def _variables(self, node: Node) -> None:
        for child in node.named_children:
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if child.type == "variable_declarator" and name is not None:
                self._variable(child, name, value)

    def _variable(self, node: Node, name: Node, value: Node | None) -> None:
        type_ = node.child_by_field_name("type")
        inside = self.unwrapped(value) if value is not None else None
        promised = _call_signatures(type_) if type_ is not None and name.type == "identifier" else []
        if promised and (inside is None or inside.type not in FUNCTIONS):
            self._callable(node, self.text(name), promised, value)
            return
        declared = self.type(type_) if type_ is not None else UNKNOWN
        if name.type != "identifier" or inside is None or inside.type not in (*FUNCTIONS, "object", "class"):
            place = self.expr(value) if value is not None else UNKNOWN
            self.target(name, place, declared)
            return
        word, line = self.visible(self.text(name)), node.start_point[0] + 1
        if inside.type in FUNCTIONS:
            place = self.named_function(self.text(name), inside, node, self.here, bound=word)
            if declared:
                self.scopes[place].decorators = [self.put("t", declared)]
        elif inside.type == "class":
            place = self.class_(inside, self.text(name))
            self.bind(word, By.SCOPE, line, place)
        else:
            cast = self._cast(value) if value is not None else UNKNOWN
            made = self.object_(inside, self.text(name))
            if declared or cast:
                self.scopes[made].decorators = [self.put("t", declared or cast)]
            self.bind(word, By.VALUE, line, self.put("O", made), declared or cast)
        self.offer(word)

    def _callable(self, node: Node, name: str, promised: list[Node], value: Node | None) -> None:
        """`const name: (…) => Type = …` is a function, however it is made."""
        word = self.visible(name)
        for each in promised:
            self.named_function(name, each, node, self.here, bound=word)
        if value is not None:
            self.expr(value)
        self.offer(word)

    def _cast(self, node: Node) -> int:
        """The type in `{…} as Type`."""
        while node.type == "parenthesized_expression" and node.named_children:
            node = node.named_children[0]
        if node.type == "as_expression" and len(node.named_children) == 2:
            return self.type(node.named_children[1])
        return UNKNOWN

    def target(self, node: Node, value: int, declared: int = UNKNOWN) -> None:
        line = node.start_point[0] + 1
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            name = self.visible(self.text(node))
            self.bind(name, By.VALUE, line, value, declared)
            self.offer(name)
        elif node.type == "object_pattern":
            for child in node.named_children:
                self._part(child, value, declared)
        elif node.type == "array_pattern":
            self._items(node, self._of(value, declared))
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            default = self.expr(right) if right is not None else UNKNOWN
            if left is not None:
                self.target(left, self.put("o", (value, default)) if value else default, declared)
        elif node.type == "rest_pattern":
            if node.named_children:
                self.target(node.named_children[0], value, declared)
        elif node.type != "comment":
            self.expr(node)

    def _items(self, node: Node, value: int) -> None:
        """Parts of `[a, , b]`, some of them left out."""
        at = 0
        for child in node.children:
            if child.type == ",":
                at += 1
            elif child.is_named:
                self.target(child, self.put("u", value, at))

    def _of(self, value: int, declared: int) -> int:
        return self.put("t", declared) if declared else value

    def _part(self, node: Node, value: int, declared: int) -> None:
        """One part of `{ a, b: c, d = 1, ...rest }`."""
        value = self._of(value, declared)
        if node.type == "shorthand_property_identifier_pattern":
            self.target(node, self.put("a", value, self.text(node)))
        elif node.type == "object_assignment_pattern":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            default = self.expr(right) if right is not None else UNKNOWN
            if left is not None:
                self.target(left, self.put("o", (self.put("a", value, self.text(left)), default)))
        elif node.type == "pair_pattern":
            key, inner = node.child_by_field_name("key"), node.child_by_field_name("value")
            if key is not None and inner is not None:
                self.target(inner, self.put("a", value, self.key(key)))
        else:
            self.target(node, value)

    def assigned(self, left: Node, right: Node) -> int:
        words = self.text(left) if left.type == "member_expression" and len(self.text(left)) < 200 else ""
        inside = self.unwrapped(right)
        if words.startswith(("exports.", "module.exports")) and self.visible("exports") == "exports":
            return self.node_export(words.removeprefix("module.").removeprefix("exports").strip("."), inside, right)
        if inside.type in FUNCTIONS and self._added(words, inside, left):
            return UNKNOWN
        value = self.expr(right)
        if words.startswith("this."):
            self._own(words.removeprefix("this."), value, left)
        elif left.type == "identifier":
            name = self.visible(self.text(left))
            if name in self.scopes[self.here].names:
                self.bind(name, By.VALUE, left.start_point[0] + 1, value)
        elif left.type in ("object_pattern", "array_pattern"):
            self.target(left, value)
        else:
            self.expr(left)
        return value

    def _added(self, words: str, node: Node, left: Node) -> bool:
        """`Name.prototype.method = function …` and `name.method = …`: a method of what the name is bound to here."""
        name, _, method = words.replace(".prototype.", ".").partition(".")
        holder = self._holder(name) if method and "." not in method else 0
        if not holder:
            return False
        before, self.here = self.here, holder
        place = self.open(Sort.FUNCTION, method, left)
        scope = self.scopes[place]
        scope.end = node.end_point[0] + 1
        scope.traits.append("added")
        self.function_in(place, node)
        self.here = before
        members = self.scopes[holder].members
        members.setdefault(method, []).append((holder, self.put("f", place), UNKNOWN, scope.line))
        return True

    def _holder(self, name: str) -> int:
        """The class, function or object that a name is bound to, where that is in this file."""
        name, scope = self.visible(name), self.here
        while scope >= 0 and name not in self.scopes[scope].names:
            scope = self.scopes[scope].parent
        if scope < 0:
            return 0
        bound = self.scopes[scope].names[name][0]
        if bound.by == By.SCOPE:
            return bound.first if self.scopes[bound.first].sort in (Sort.CLASS, Sort.FUNCTION) else 0
        expr = self.exprs[bound.first] if bound.by == By.VALUE else ()
        if not expr or expr[0] != "O":
            return 0
        self.scopes[expr[1]].name = self.scopes[expr[1]].name or name
        return int(expr[1])

    def _own(self, name: str, value: int, node: Node) -> None:
        """`this.name = value` in a method, in an arrow in one, or in a function that makes things, is a member."""
        scope = self.here
        while scope > 0 and not (self.scopes[scope].sort == Sort.FUNCTION and "arrow" not in self.scopes[scope].traits):
            if "arrow" not in self.scopes[scope].traits:
                return
            scope = self.scopes[scope].parent
        holder, here = self.scopes[scope].parent, self.scopes[scope]
        held = self.scopes[holder].sort in (Sort.CLASS, Sort.OBJECT) or "added" in here.traits
        if not held and here.sort == Sort.FUNCTION and here.name[:1].isupper():
            holder, held = scope, True
        if scope > 0 and held and "." not in name:
            members = self.scopes[holder].members
            members.setdefault(name, []).append((self.here, value, UNKNOWN, node.start_point[0] + 1))

    # Definitions

    def _definition(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        word = self.visible(self.text(name))
        self.named_function(self.text(name), node, node, self.here, bound=word)
        self.offer(word)

    def _class(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        word = self.visible(self.text(name))
        self.bind(word, By.SCOPE, node.start_point[0] + 1, self.class_(node, self.text(name)))
        self.offer(word)

    def class_(self, node: Node, name: str = "") -> int:
        named = node.child_by_field_name("name")
        own = self.text(named) if named is not None else ""
        place = self.open(Sort.CLASS, name or own or "(class)", node)
        scope = self.scopes[place]
        scope.decorators = [self.first(child) for child in node.named_children if child.type == "decorator"]
        if any(child.type == "abstract" for child in node.children):
            scope.traits.append("abstract")
        for child in node.named_children:
            if child.type == "class_heritage":
                self._heritage(child, place)
        before = self.enter(place)
        self.type_parameters(node)
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            self._of_class(child, place)
        self.leave(before)
        return place

    def _heritage(self, node: Node, place: int) -> None:
        scope = self.scopes[place]
        for clause in node.named_children:
            if clause.type == "implements_clause":
                before, self.here = self.here, place
                scope.interfaces += [self.type(child) for child in clause.named_children if child.type != "comment"]
                self.here = before
            elif clause.type == "extends_clause":
                base = UNKNOWN
                for child in clause.named_children:
                    if child.type == "type_arguments":
                        base = self.applied(base, self.type_arguments(child))
                    elif child.type != "comment":
                        base = self.expr(child)
                scope.bases.append(base)
            elif clause.type != "comment":  # JavaScript has no clause
                scope.bases.append(self.expr(clause))

    def _of_class(self, node: Node, place: int) -> None:
        """A method, a field or a block of a class."""
        if node.type in ("method_definition", "method_signature", "abstract_method_signature"):
            for child in node.named_children:
                if child.type == "decorator":
                    self.first(child)
            self.method(node, place)
        elif node.type in ("public_field_definition", "field_definition"):
            self._field(node, place)
        elif node.type == "index_signature":
            self.members_of_type(node, place)
        elif node.type == "decorator":
            self.first(node)
        elif node.type == "class_static_block":
            self.block(node)

    def _field(self, node: Node, place: int) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        type_ = node.child_by_field_name("type")
        for child in node.named_children:
            if child.type == "decorator":
                self.first(child)
        if name is None:
            return
        word = self.key(name)
        declared = self.type(type_) if type_ is not None else UNKNOWN
        inside = self.unwrapped(value) if value is not None else None
        if inside is not None and inside.type in FUNCTIONS:
            made = self.named_function(word, inside, node, place)
            if declared:
                self.scopes[made].decorators = [self.put("t", declared)]
        else:
            self.hold(place, word, node, self.expr(value) if value is not None else UNKNOWN, declared)

    def _interface(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        place = self._open_type(node, self.text(name))
        before = self.enter(place)
        self.type_parameters(node)
        for child in node.named_children:
            if child.type == "extends_type_clause":
                self.scopes[place].bases += [self.type(each) for each in child.children_by_field_name("type")]
        self.members_of_type(body, place)
        self.leave(before)

    def _open_type(self, node: Node, name: str) -> int:
        place = self.open(Sort.INTERFACE, name, node)
        self.bind(name, By.SCOPE, node.start_point[0] + 1, place)
        self.offer(name)
        return place

    def _alias(self, node: Node) -> None:
        """`type Name = …`; one that has members of its own is like an interface."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        parts = value.named_children if value.type == "intersection_type" else [value]
        objects = [part for part in parts if part.type == "object_type"]
        if objects:
            place = self._open_type(node, self.text(name))
            before = self.enter(place)
            self.type_parameters(node)
            self.scopes[place].bases = [self.type(part) for part in parts if part.type != "object_type"]
            for part in objects:
                self.members_of_type(part, place)
            self.leave(before)
            return
        place = UNKNOWN
        if node.child_by_field_name("type_parameters") is not None:
            place = self.open(Sort.BLOCK, "", node)
            before = self.enter(place)
            self.type_parameters(node)
            type_ = self.type(value)
            self.leave(before)
            place = self.put("f", place)
        else:
            type_ = self.type(value)
        self.bind(self.text(name), By.TYPE, node.start_point[0] + 1, type_, place)
        self.offer(self.text(name))

    def _enum(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return
        place = self.open(Sort.CLASS, self.text(name), node)
        self.scopes[place].traits.append("enum")
        self.bind(self.text(name), By.SCOPE, node.start_point[0] + 1, place)
        self.offer(self.text(name))
        for child in body.named_children if body is not None else ():
            named = child.child_by_field_name("name") or child
            if named.type in ("property_identifier", "string"):
                self.hold(place, self.key(named), child, self.put("k", "number"))

    def _namespace(self, node: Node) -> None:
        """`namespace A.B {}`; `declare module "x" {}` adds to a module that is elsewhere."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        words = self.quoted(name) if name.type == "string" else self.text(name).replace(" ", "")
        before, offered = self.here, self.offering
        for word in [words] if name.type == "string" else words.split("."):
            place = self.open(Sort.OBJECT, word, node)
            self.scopes[place].traits.append("namespace")
            self.bind(word if name.type != "string" else f"module {word}", By.SCOPE, node.start_point[0] + 1, place)
            self.offer(word)
            self.here = place
        self.offering = False
        self.block(body)
        self.here, self.offering = before, offered

    def _ambient(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "statement_block":  # `declare global`
                self.block(child)
            else:
                self.statement(child)


def _call_signatures(annotation: Node) -> list[Node]:
    """What a declared type can be called with, if it can be called and nothing else."""
    inside = annotation.named_children[0] if annotation.named_children else annotation
    if inside.type == "function_type":
        return [inside]
    members = [child for child in inside.named_children if child.type != "comment"]
    only_calls = inside.type == "object_type" and all(each.type == "call_signature" for each in members)
    return members if only_calls else []


_STATEMENTS: dict[str, Callable[[_TypeScript, Node], None]] = {
    "lexical_declaration": _TypeScript._variables,
    "variable_declaration": _TypeScript._variables,
    "function_declaration": _TypeScript._definition,
    "generator_function_declaration": _TypeScript._definition,
    "function_signature": _TypeScript._definition,
    "interface_declaration": _TypeScript._interface,
    "type_alias_declaration": _TypeScript._alias,
    "enum_declaration": _TypeScript._enum,
    "internal_module": _TypeScript._namespace,
    "module": _TypeScript._namespace,
    "ambient_declaration": _TypeScript._ambient,
    "import_statement": _TypeScript.take_in,
    "import_alias": _TypeScript.take_alias,
    "export_statement": _TypeScript.give_out,
    "statement_block": _TypeScript._block,
    "if_statement": _TypeScript._if,
    "for_statement": _TypeScript._for,
    "for_in_statement": _TypeScript._for_in,
    "catch_clause": _TypeScript._catch,
    "switch_statement": _TypeScript._switch,
    "labeled_statement": _TypeScript._labeled,
    "return_statement": _TypeScript._return,
    "break_statement": _TypeScript._pass,
    "continue_statement": _TypeScript._pass,
    "comment": _TypeScript._pass,
    "hash_bang_line": _TypeScript._pass,
    **dict.fromkeys(CLASSES, _TypeScript._class),
}
