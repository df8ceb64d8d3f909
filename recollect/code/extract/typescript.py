"""What a file of TypeScript, JavaScript or JSX says: definitions, bindings, imports and exports, calls.

What a module offers under another name than its own stands among its names as `export NAME`; `export =` is what
`module.exports` and `export =` set. JavaScript is read by the grammar of TSX, which has all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.extract.syntax import DEPTH_MAX
from recollect.code.extract.typescript_expressions import FUNCTIONS, TypeScriptExpressions
from recollect.code.facts import UNKNOWN, By, FileFacts, Sort
from recollect.structure.languages import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_CLASSES = frozenset({"class_declaration", "abstract_class_declaration"})
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
        reading = _TypeScript(data, self._language)
        try:
            root = self._parser.parse(data).root_node
        except ValueError:  # the parser gave up
            facts = reading.facts(broken=True)
            facts.notes.append("takes too long to read; nothing of it is known")
            self._parser.reset()
            return facts
        reading.block(root)
        return reading.facts(broken=root.has_error)


class _TypeScript(TypeScriptExpressions):
    """One file on its way to facts."""

    def __init__(self, data: bytes, language: str) -> None:
        super().__init__(data, language)
        self.exported = []
        self._offered = False  # whether what is read next is exported

    # Statements

    def block(self, node: Node) -> None:
        children = node.named_children
        for at, child in enumerate(children):
            self._statement(child)
            if child.type == "if_statement":
                self._afterwards(child, children[at + 1 :])

    def _statement(self, node: Node) -> None:
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

    def _inside(self, node: Node) -> None:
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
                self._statement(each)
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
        if operator is not None and operator.type == "in":
            item = self.put("k", "string")
        else:
            item = self.put("i", value)
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
            self._statement(body)
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
                self._statement(child)
        self.maybe -= 1
        self.frames.pop()

    def _labeled(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            self._statement(body)

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
        declared = self.type(type_) if type_ is not None else UNKNOWN
        inside = self.unwrapped(value) if value is not None else None
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
            place = self.put("O", self.object_(inside, self.text(name)))
            self.bind(word, By.VALUE, line, place, declared or cast)
        self._offer(word)

    def _cast(self, node: Node) -> int:
        """The type in `{…} as Type`."""
        while node.type == "parenthesized_expression" and node.named_children:
            node = node.named_children[0]
        if node.type == "as_expression" and len(node.named_children) == 2:
            return self.type(node.named_children[1])
        return UNKNOWN

    def _offer(self, name: str) -> None:
        if self._offered and self.here == 0 and self.exported is not None:
            self.exported.append(name)

    def target(self, node: Node, value: int, declared: int = UNKNOWN) -> None:
        line = node.start_point[0] + 1
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            name = self.visible(self.text(node))
            self.bind(name, By.VALUE, line, value, declared)
            self._offer(name)
        elif node.type == "object_pattern":
            for child in node.named_children:
                self._part(child, value, declared)
        elif node.type == "array_pattern":
            for at, child in enumerate(each for each in node.children if each.is_named):
                self.target(child, self.put("u", self._of(value, declared), at))
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
            return self._common_export(words.removeprefix("module.").removeprefix("exports").strip("."), inside, right)
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

    def _common_export(self, name: str, inside: Node, right: Node) -> int:
        """`module.exports = …`, `exports.name = …`."""
        if inside.type in FUNCTIONS and "." not in name:
            named = inside.child_by_field_name("name")
            own = name or (self.text(named) if named is not None else "exports")
            self.named_function(own, inside, inside, 0, bound=f"export {name or '='}")
            return UNKNOWN
        value = self.expr(right)
        if "." not in name:
            self.bind(f"export {name or '='}", By.VALUE, right.start_point[0] + 1, value, scope=0)
        return value

    def _own(self, name: str, value: int, node: Node) -> None:
        """`this.name = value` in a method, or an arrow in one, is a member of its class."""
        scope = self.here
        while scope > 0 and not (self.scopes[scope].sort == Sort.FUNCTION and "arrow" not in self.scopes[scope].traits):
            if "arrow" not in self.scopes[scope].traits:
                return
            scope = self.scopes[scope].parent
        holder = self.scopes[scope].parent
        if scope > 0 and self.scopes[holder].sort in (Sort.CLASS, Sort.OBJECT) and "." not in name:
            members = self.scopes[holder].members
            members.setdefault(name, []).append((self.here, value, UNKNOWN, node.start_point[0] + 1))

    # Definitions

    def _function(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        word = self.visible(self.text(name))
        self.named_function(self.text(name), node, node, self.here, bound=word)
        self._offer(word)

    def _class(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        word = self.visible(self.text(name))
        self.bind(word, By.SCOPE, node.start_point[0] + 1, self.class_(node, self.text(name)))
        self._offer(word)

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
        self._offer(name)
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
        self._offer(self.text(name))

    def _enum(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return
        place = self.open(Sort.CLASS, self.text(name), node)
        self.scopes[place].traits.append("enum")
        self.bind(self.text(name), By.SCOPE, node.start_point[0] + 1, place)
        self._offer(self.text(name))
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
        before, offered = self.here, self._offered
        for word in [words] if name.type == "string" else words.split("."):
            place = self.open(Sort.OBJECT, word, node)
            self.scopes[place].traits.append("namespace")
            self.bind(word if name.type != "string" else f"module {word}", By.SCOPE, node.start_point[0] + 1, place)
            self._offer(word)
            self.here = place
        self._offered = False
        self.block(body)
        self.here, self._offered = before, offered

    def _ambient(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "statement_block":  # `declare global`
                self.block(child)
            else:
                self._statement(child)

    # Imports and exports

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        typing = any(child.type in ("type", "typeof") for child in node.children)
        clauses = [child for child in node.named_children if child.type in ("import_clause", "import_require_clause")]
        if source is None and clauses:
            source = clauses[0].child_by_field_name("source")
        if source is None:
            return
        taken: list[tuple[str, str]] = []  # the name there, the name here
        for clause in clauses:
            for child in clause.named_children:
                if child.type == "identifier":
                    taken.append(("=" if clause.type == "import_require_clause" else "default", self.text(child)))
                elif child.type == "namespace_import":
                    taken.append(("", self.text(child.named_children[-1])))
                elif child.type == "named_imports":
                    taken += self._specifiers(child)
        place = self.imported(node, self.quoted(source), tuple(name for name, _ in taken), typing=typing)
        for name, here in taken:
            self.bind(here, By.IMPORT, node.start_point[0] + 1, place, name)
            if self._offered:
                self._offer(here)

    def _specifiers(self, node: Node) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for child in node.named_children:
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is not None:
                words = self.key(name)
                found.append((words, self.key(alias) if alias is not None else words))
        return found

    def _import_alias(self, node: Node) -> None:
        """`import Name = Other.Inner`."""
        names = node.named_children
        if len(names) == 2:
            self.bind(self.text(names[0]), By.VALUE, node.start_point[0] + 1, self.expr(names[1]))
            self._offer(self.text(names[0]))

    def _export(self, node: Node) -> None:
        source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        words = {child.type for child in node.children}
        for child in node.named_children:
            if child.type == "decorator":
                self.first(child)
        if source is not None:
            self._passed_on(node, self.quoted(source), words)
        elif declaration is not None and "default" not in words:
            before, self._offered = self._offered, True
            self._statement(declaration)
            self._offered = before
        elif declaration is not None or value is not None:
            self._export_default(declaration or value, node)  # type: ignore[arg-type]
        else:
            self._export_names(node, words)

    def _export_names(self, node: Node, words: set[str]) -> None:
        line = node.start_point[0] + 1
        for child in node.named_children:
            if child.type == "export_clause":
                for name, offered in self._specifiers(child):
                    self.bind(f"export {offered}", By.VALUE, line, self.put("n", self.visible(name)), scope=self.here)
            elif "=" in words and child.type != "comment":
                self.bind("export =", By.VALUE, line, self.expr(child))

    def _export_default(self, node: Node, whole: Node) -> None:
        line = whole.start_point[0] + 1
        inside, name = self.unwrapped(node), node.child_by_field_name("name")
        if inside.type in FUNCTIONS or (inside.type == "function_declaration" and name is None):
            self.named_function("default", inside, whole, self.here, bound="export default")
        elif node.type in _CLASSES or node.type == "class":
            place = self.class_(node, "" if name is not None else "default")
            self.bind(self.scopes[place].name, By.SCOPE, line, place)
            self.bind("export default", By.SCOPE, line, place)
        elif name is not None and node.type in _STATEMENTS:
            self._statement(node)
            self.bind("export default", By.VALUE, line, self.put("n", self.text(name)))
        elif inside.type == "object":
            self.bind("export default", By.VALUE, line, self.put("O", self.object_(inside, "default")))
        else:
            self.bind("export default", By.VALUE, line, self.expr(node))

    def _passed_on(self, node: Node, module: str, words: set[str]) -> None:
        """`export … from "module"`."""
        line = node.start_point[0] + 1
        taken: list[tuple[str, str]] = []
        for child in node.named_children:
            if child.type == "export_clause":
                taken += self._specifiers(child)
            elif child.type == "namespace_export" and child.named_children:
                taken.append(("", self.key(child.named_children[-1])))
        star = "*" in words
        place = self.imported(
            node, module, ("*",) if star else tuple(name for name, _ in taken), typing="type" in words
        )
        self.imports[place] = self.imports[place]._replace(exported=True)
        if star:
            self.stars.append(place)
        for name, offered in taken:
            self.bind(f"export {offered}", By.IMPORT, line, place, name)


_STATEMENTS: dict[str, Callable[[_TypeScript, Node], None]] = {
    "lexical_declaration": _TypeScript._variables,
    "variable_declaration": _TypeScript._variables,
    "function_declaration": _TypeScript._function,
    "generator_function_declaration": _TypeScript._function,
    "function_signature": _TypeScript._function,
    "interface_declaration": _TypeScript._interface,
    "type_alias_declaration": _TypeScript._alias,
    "enum_declaration": _TypeScript._enum,
    "internal_module": _TypeScript._namespace,
    "module": _TypeScript._namespace,
    "ambient_declaration": _TypeScript._ambient,
    "import_statement": _TypeScript._import,
    "import_alias": _TypeScript._import_alias,
    "export_statement": _TypeScript._export,
    "statement_block": _TypeScript._inside,
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
    **dict.fromkeys(_CLASSES, _TypeScript._class),
}
