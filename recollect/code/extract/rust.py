"""What a Rust file says: modules, items, imports, calls.

Macros are not expanded. Items that a macro is given (`cfg_rt! { fn f() {} }`) count where they read as items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from recollect.code.extract.rust_expressions import RustExpressions
from recollect.code.extract.syntax import DEPTH_MAX, Reading, parsed
from recollect.code.facts import ADDED, UNKNOWN, By, FileFacts, ImportStatement, Sort
from recollect.structure.languages import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MODULE_LEVEL = 1  # of an import statement that is a `mod name;`
_PATH_ATTRIBUTE = re.compile(r"#\[\s*path\s*=\s*\"([^\"]+)\"\s*\]")
_DERIVED = re.compile(r"\bderive\(([^)]{0,2000})\)")
_ODD_NAME = re.compile(r"[^\w<>,\[\]&()]+")
_NAME_CHARS_MAX = 40


class RustExtractor:
    """Reads Rust."""

    version = 1

    def __init__(self, language: str = "rust") -> None:
        self._language = language
        self._parser: Parser | None = None

    def extract(self, data: bytes) -> FileFacts:
        if self._parser is None:
            self._parser = parser_of(self._language)
        assert self._parser is not None, "the grammar is a dependency"
        root = parsed(self._parser, data)
        if root is None:
            return Reading(data, self._language).unread()
        reading = _Rust(data, self._parser)
        reading.items(root)
        return reading.facts(broken=root.has_error)


class _Rust(RustExpressions):
    """One file on its way to facts."""

    def items(self, node: Node) -> None:
        attributes: list[str] = []
        for child in node.named_children:
            if child.type == "attribute_item":
                attributes.append(self.text(child))
            elif child.type not in ("line_comment", "block_comment"):
                if not self.statement(child, attributes):
                    self.expr(child)
                attributes = []

    def statement(self, node: Node, attributes: Iterable[str] = ()) -> bool:
        handle = _ITEMS.get(node.type)
        if node.type == "expression_statement" and node.named_children:
            inner = node.named_children[0]
            return inner.type == "macro_invocation" and self._item_macro(inner)
        if node.type == "macro_invocation":
            return self._item_macro(node)
        if handle is None:
            return False
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return True
        self.depth += 1
        words = " ".join(attributes)
        conditional = "cfg(" in words
        self.maybe += conditional
        handle(self, node, words)
        self.maybe -= conditional
        self.depth -= 1
        return True

    # Modules and imports

    def _module(self, node: Node, attributes: str) -> None:
        name, body = self.field(node, "name"), self.field(node, "body")
        if name is None:
            return
        word, line = self.text(name), node.start_point[0] + 1
        if body is None:
            given = _PATH_ATTRIBUTE.search(attributes)
            inside = self.path_here()
            module = f"={given[1]}" if given else "/".join([*inside, word])
            self.imports.append(ImportStatement(line, module, MODULE_LEVEL, (), self.here))
            self.bind(word, By.IMPORT, line, len(self.imports) - 1, "")
            return
        place = self.open(Sort.MODULE, word, node)
        self.bind(word, By.SCOPE, line, place)
        before = self.enter(place)
        self.items(body)
        self.leave(before)

    def path_here(self) -> list[str]:
        """The names of the modules around us within the file."""
        names: list[str] = []
        scope = self.here
        while scope > 0:
            if self.scopes[scope].sort == Sort.MODULE:
                names.append(self.scopes[scope].name)
            scope = self.scopes[scope].parent
        return names[::-1]

    def _use(self, node: Node, attributes: str) -> None:
        argument = self.field(node, "argument")
        public = any(child.type == "visibility_modifier" for child in node.named_children)
        if argument is not None:
            self._used(argument, [], public, 0)

    def _used(self, node: Node, before: list[str], public: bool, depth: int) -> None:
        """One branch of a tree of names that are taken."""
        if depth > DEPTH_MAX:
            self.too_deep = True
            return
        if node.type == "scoped_use_list":
            path, inner = self.field(node, "path"), self.field(node, "list")
            before = [*before, *self._words(path)]
            for child in inner.named_children if inner is not None else ():
                self._used(child, before, public, depth + 1)
        elif node.type == "use_list":
            for child in node.named_children:
                self._used(child, before, public, depth + 1)
        elif node.type == "use_wildcard":
            words = self._words(node.named_children[0]) if node.named_children else []
            self._take([*before, *words], "*", "", node, public)
        elif node.type == "use_as_clause":
            path, alias = self.field(node, "path"), self.field(node, "alias")
            if path is not None and alias is not None:
                *words, last = [*before, *self._words(path)]
                self._take(words, last, self.text(alias), node, public)
        elif node.type not in ("line_comment", "block_comment"):
            *words, last = [*before, *self._words(node)] or [""]
            self._take(words, last, "", node, public)

    def _words(self, node: Node | None) -> list[str]:
        return [word.strip().removeprefix("r#") for word in self.text(node).split("::")] if node is not None else []

    def _take(self, words: list[str], name: str, alias: str, node: Node, public: bool) -> None:
        line = node.start_point[0] + 1
        if name == "self":
            *words, name = words or [""]
        module = "::".join(words)
        self.imports.append(ImportStatement(line, module, 0, (name,), self.here, exported=public))
        place = len(self.imports) - 1
        if name == "*":
            self.stars.append(place)
        elif name and alias != "_":
            self.bind(alias or name, By.IMPORT, line, place, name)
        elif name:  # `use Trait as _`: its methods may be called, its name is not bound
            self.bind(f"_{name}", By.IMPORT, line, place, name)

    def _extern_crate(self, node: Node, attributes: str) -> None:
        name, alias = self.field(node, "name"), self.field(node, "alias")
        if name is not None:
            bound = alias if alias is not None else name
            line = node.start_point[0] + 1
            self.imports.append(ImportStatement(line, "", 0, (self.text(name),), self.here))
            self.bind(self.text(bound), By.IMPORT, line, len(self.imports) - 1, self.text(name))

    # Types

    def _type_item(self, node: Node, attributes: str) -> None:
        name, type_ = self.field(node, "name"), self.field(node, "type")
        if name is not None:
            held = self.type(type_) if type_ is not None else UNKNOWN
            self.bind(self.text(name), By.TYPE, node.start_point[0] + 1, held)
            if self.scopes[self.here].sort == Sort.CLASS:
                self.scopes[self.here].traits.append(f"type:{self.text(name)}")

    def _struct_item(self, node: Node, attributes: str) -> None:
        """A struct, enum or union with its fields and variants as names."""
        name, body = self.field(node, "name"), self.field(node, "body")
        if name is None:
            return
        place = self.open(Sort.CLASS, self.text(name), node)
        scope = self.scopes[place]
        derived = " ".join(_DERIVED.findall(attributes))
        scope.traits += [f"derive:{word.strip().rpartition('::')[2]}" for word in derived.split(",") if word.strip()]
        self.bind(scope.name, By.SCOPE, scope.line, place)
        before = self.enter(place)
        self.bind("Self", By.SCOPE, scope.line, place)
        self._generics(node)
        if body is not None:
            self._fields(body, "")
        self.leave(before)

    def _fields(self, body: Node, prefix: str) -> None:
        """Fields by their names, those of a tuple by their places; those of a variant behind its name."""
        if body.type == "ordered_field_declaration_list":
            for at, child in enumerate(body.children_by_field_name("type")):
                self.bind(f"{prefix}{at}", By.VALUE, child.start_point[0] + 1, UNKNOWN, self.type(child))
            return
        for child in body.named_children:
            name, type_ = self.field(child, "name"), self.field(child, "type")
            if child.type == "enum_variant" and name is not None:
                self.bind(self.text(name), By.VALUE, child.start_point[0] + 1, UNKNOWN, UNKNOWN)
                inner = self.field(child, "body")
                if inner is not None:
                    self._fields(inner, f"{self.text(name)}.")
            elif child.type == "field_declaration" and name is not None and type_ is not None:
                self.bind(f"{prefix}{self.text(name)}", By.VALUE, child.start_point[0] + 1, UNKNOWN, self.type(type_))

    def _generics(self, node: Node) -> None:
        """Type parameters with what bounds them, in the angle brackets or behind `where`."""
        bounds: dict[str, list[int]] = {}
        given = self.field(node, "type_parameters")
        for child in given.named_children if given is not None else ():
            name, bound = self.field(child, "name"), self.field(child, "bounds")
            if child.type == "type_parameter" and name is not None:
                bounds[self.text(name)] = [self.type(bound)] if bound is not None else []
        for clause in node.named_children:
            for child in clause.named_children if clause.type == "where_clause" else ():
                name, bound = self.field(child, "left"), self.field(child, "bounds")
                if name is not None and bound is not None and self.text(name) in bounds:
                    bounds[self.text(name)].append(self.type(bound))
        for word, places in bounds.items():
            known = [place for place in places if place != UNKNOWN]
            while len(known) > 1:
                known[:2] = [self.put("|", known[0], known[1])]
            self.bind(word, By.TYPE, node.start_point[0] + 1, known[0] if known else UNKNOWN)

    def _trait(self, node: Node, attributes: str) -> None:
        name, body, above = (self.field(node, each) for each in ("name", "body", "bounds"))
        if name is None:
            return
        place = self.open(Sort.INTERFACE, self.text(name), node)
        scope = self.scopes[place]
        self.bind(scope.name, By.SCOPE, scope.line, place)
        before = self.enter(place)
        self._generics(node)
        for child in above.named_children if above is not None else ():
            base = self.type(child)
            if base != UNKNOWN:
                scope.bases.append(base)
        if body is not None:
            self.items(body)
        self.leave(before)

    def _associated_type(self, node: Node, attributes: str) -> None:
        name, bound = self.field(node, "name"), self.field(node, "bounds")
        if name is not None:
            held = self.type(bound) if bound is not None else UNKNOWN
            self.bind(self.text(name), By.TYPE, node.start_point[0] + 1, held)

    def _added(self, node: Node, attributes: str) -> None:
        """What is added to a type: a scope of the type's name, its first base the type, its interface the trait."""
        type_, trait, body = (self.field(node, each) for each in ("type", "trait", "body"))
        if type_ is None:
            return
        base = type_
        while base.type in ("reference_type", "generic_type", "pointer_type") and self.field(base, "type") is not None:
            base = self.field(base, "type") or base
        word = _ODD_NAME.sub("", self.text(base).rpartition("::")[2])[:_NAME_CHARS_MAX]
        place = self.open(Sort.CLASS, word or "impl", node)
        scope = self.scopes[place]
        scope.traits.append(ADDED)
        before = self.enter(place)
        self._generics(node)
        scope.bases.append(self.type(type_))
        if trait is not None:
            scope.interfaces.append(self.type(trait))
        if body is not None:
            self.items(body)
        self.leave(before)

    # Functions and values

    def _function(self, node: Node, attributes: str) -> None:
        name, given, type_, body = (self.field(node, each) for each in ("name", "parameters", "return_type", "body"))
        if name is None:
            return
        place = self.open(Sort.FUNCTION, self.text(name).removeprefix("r#"), node)
        scope = self.scopes[place]
        words = next((self.text(child) for child in node.children if child.type == "function_modifiers"), "")
        scope.traits += [word for word in ("async",) if word in words.split()]
        self.bind(scope.name, By.SCOPE, scope.line, place)
        before = self.enter(place)
        self._generics(node)
        if given is not None:
            self.parameters(given, place)
        if not scope.parameters or scope.parameters[0].name != "self":
            scope.traits.append("static")
        scope.type = self.type(type_) if type_ is not None else self.put("k", "()")
        if body is not None:
            self.block(body)
        self.leave(before)

    def _constant(self, node: Node, attributes: str) -> None:
        name, type_, value = (self.field(node, each) for each in ("name", "type", "value"))
        place = self.expr(value)
        if name is not None:
            declared = self.type(type_) if type_ is not None else UNKNOWN
            self.bind(self.text(name), By.VALUE, node.start_point[0] + 1, place, declared)

    def _foreign(self, node: Node, attributes: str) -> None:
        """`extern "C" { fn f(); }`: names of functions that are elsewhere."""
        body = self.field(node, "body")
        for child in body.named_children if body is not None else ():
            name = self.field(child, "name")
            if child.type == "function_signature_item" and name is not None:
                self.bind(self.text(name), By.VALUE, child.start_point[0] + 1, self.put("k", "extern"))

    def _macro_definition(self, node: Node, attributes: str) -> None:
        """Nothing: what a macro makes is not known before it is used."""

    # Macros that are given items

    def _item_macro(self, node: Node) -> bool:
        """Read what a macro in braces is given, if it is nothing but items; they may or may not be there."""
        given = node.named_children[-1] if node.named_children else None
        if given is None or given.type != "token_tree" or self.data[given.start_byte : given.start_byte + 1] != b"{":
            return False
        if self.data[given.start_byte + 1 : given.end_byte - 1].isspace() or given.end_byte - given.start_byte < 3:
            return True
        root = self.parsed_again(given.start_byte + 1, given.end_byte - 1, given)
        if root is None or root.has_error:
            return False
        if not all(child.type in _ITEMS or child.type in _BESIDE for child in root.named_children):
            return False
        self.macros += 1
        self.maybe += 1
        self.items(root)
        self.maybe -= 1
        self.macros -= 1
        return True


_BESIDE = frozenset({"attribute_item", "inner_attribute_item", "line_comment", "block_comment", "macro_invocation"})
_BESIDE |= {"expression_statement", "empty_statement"}
_ITEMS: dict[str, Callable[[_Rust, Node, str], None]] = {
    "mod_item": _Rust._module,
    "use_declaration": _Rust._use,
    "extern_crate_declaration": _Rust._extern_crate,
    "struct_item": _Rust._struct_item,
    "enum_item": _Rust._struct_item,
    "union_item": _Rust._struct_item,
    "type_item": _Rust._type_item,
    "trait_item": _Rust._trait,
    "associated_type": _Rust._associated_type,
    "impl_item": _Rust._added,
    "function_item": _Rust._function,
    "function_signature_item": _Rust._function,
    "const_item": _Rust._constant,
    "static_item": _Rust._constant,
    "foreign_mod_item": _Rust._foreign,
    "macro_definition": _Rust._macro_definition,
}
