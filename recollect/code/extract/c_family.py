"""What a file of C or C++ says: includes, functions, types with their members, namespaces, calls.

Nothing is preprocessed. All sides of an `#if` are read; macros that stand where the grammar expects none are left out
before a file is parsed (`prepared`), and every byte keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from recollect.code.extract.c_expressions import EXPRESSIONS, SPECIFIERS, TYPES, CExpressions, Declared
from recollect.code.extract.c_macros import prepared
from recollect.code.extract.syntax import Reading, parsed
from recollect.code.extract.typed import COMMENTS
from recollect.code.facts import DECLARED, LOCAL, UNKNOWN, By, FileFacts, ImportStatement, Sort
from recollect.structure.languages import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

QUOTED, ANGLED, USING = 0, 1, 2  # levels of import statements: `#include "x"`, `#include <x>`, `using`
MACRO = "macro"  # the value of a macro with arguments, the type of one that is another name
PURE = "pure"  # trait of a function that need not be defined: classes below define it
_CPP = re.compile(
    rb"^[ \t]*(?:class\s+\w+|namespace\b|template\s*<|using\s+\w|public\s*:|private\s*:|protected\s*:)|\bstd::|::\w+\(",
    re.MULTILINE,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class CFamilyExtractor:
    """Reads C and C++. A header is taken for C++ if it has words that only C++ has."""

    version = 1

    def __init__(self, language: str = "c") -> None:
        self._language = language
        self._parsers: dict[str, Parser] = {}

    def extract(self, data: bytes) -> FileFacts:
        grammar = "cpp" if self._language == "cpp" or _CPP.search(data) else "c"
        parser = self._parsers.get(grammar)
        if parser is None:
            made = parser_of(grammar)
            assert made is not None, "the grammar is a dependency"
            parser = self._parsers[grammar] = made
        data = prepared(data)
        root = parsed(parser, data)
        if root is None:
            return Reading(data, self._language).unread()
        reading = _CFamily(data, self._language, is_cpp=grammar == "cpp")
        for child in root.named_children:
            reading.read(child)
        return reading.facts(broken=root.has_error)


class _CFamily(CExpressions):
    """One file on its way to facts."""

    def __init__(self, data: bytes, language: str, *, is_cpp: bool) -> None:
        super().__init__(data, language)
        self.is_cpp = is_cpp
        self._local = 0  # namespaces without a name around us
        self._variables: list[str] = []  # what the template in front of the next declaration takes

    # Preprocessor

    def include(self, node: Node) -> int:
        path = node.child_by_field_name("path")
        if path is not None and path.type in ("string_literal", "system_lib_string"):
            level = QUOTED if path.type == "string_literal" else ANGLED
            name = self.text(path).strip('"<>').strip()
            self.imports.append(ImportStatement(node.start_point[0] + 1, name, level, (), 0))
            self.stars.append(len(self.imports) - 1)
        return UNKNOWN

    def macro(self, node: Node) -> int:
        """A macro with arguments is no function; a call of one leads nowhere."""
        name = node.child_by_field_name("name")
        if name is not None:
            self.bind(self.text(name), By.VALUE, node.start_point[0] + 1, self.put("k", MACRO), scope=0)
        return UNKNOWN

    def renaming(self, node: Node) -> int:
        """`#define name other` makes a call of `name` one of `other`."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        other = self.text(value).strip() if value is not None else ""
        if name is not None and _IDENTIFIER.fullmatch(other) and other != self.text(name):
            is_macro = self.put("k", MACRO)
            self.bind(self.text(name), By.VALUE, node.start_point[0] + 1, self.put("n", other), is_macro, scope=0)
        return UNKNOWN

    def conditional_part(self, node: Node) -> int:
        """One side of an `#if`, and those that follow it. What guards a header against itself is no condition."""
        name = node.child_by_field_name("name")
        apart = (node.child_by_field_name("condition"), name)
        inside = [child for child in node.named_children if child not in apart]
        first = inside[0].child_by_field_name("name") if inside and inside[0].type == "preproc_def" else None
        guards = name is not None and first is not None and self.text(first) == self.text(name)
        self.maybe += not guards
        for child in inside:
            self.read(child)
        self.maybe -= not guards
        return UNKNOWN

    # Namespaces and templates

    def namespace(self, node: Node) -> int:
        """A namespace; an inline one is no part of names, and one without a name is the file's own."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        words = self.words(name) if name is not None else []
        if any(child.type == "inline" for child in node.children):
            words = []
        elif name is None:
            self._local += 1
        scope = self.here
        for word in words:
            with self.in_scope(scope):
                inner = self.open(Sort.MODULE, word, node)
                self.bind(word, By.SCOPE, node.start_point[0] + 1, inner)
            scope = inner
        with self.in_scope(scope):
            for child in body.named_children if body is not None else ():
                self.read(child)
        if name is None:
            self._local -= 1
        return UNKNOWN

    def linkage(self, node: Node) -> int:
        body = node.child_by_field_name("body")
        if body is not None and body.type == "declaration_list":
            for child in body.named_children:
                self.read(child)
        else:
            self.read(body)
        return UNKNOWN

    def template(self, node: Node) -> int:
        given = node.child_by_field_name("parameters")
        before = self._variables
        self._variables = list(before)
        for child in given.named_children if given is not None else ():
            name = child.child_by_field_name("name") or (child.named_children[0] if child.named_children else None)
            if child.type.endswith("type_parameter_declaration") and name is not None:
                self._variables.append(self.text(name))
        for child in node.named_children:
            if child.type not in ("template_parameter_list", "requires_clause"):
                self.read(child)
        self._variables = before
        return UNKNOWN

    def _take_variables(self, scope: int) -> None:
        """A function or type has the variables of the templates around it that have bound none yet."""
        for name in self._variables:
            self.bind(name, By.TYPE, self.scopes[scope].line, UNKNOWN, scope=scope)
        self._variables = []

    def using(self, node: Node) -> int:
        """`using namespace a`, `using a::b`."""
        words = self.words(node.named_children[-1]) if node.named_children else []
        if not words:
            return UNKNOWN
        whole = any(child.type == "namespace" for child in node.children)
        line = node.start_point[0] + 1
        module = words if whole else words[:-1]
        name = "*" if whole else words[-1]
        self.imports.append(ImportStatement(line, ".".join(module), USING, (name,), self.here))
        if whole:
            self.stars.append(len(self.imports) - 1)
        else:
            self.bind(name, By.IMPORT, line, len(self.imports) - 1, name)
        return UNKNOWN

    # Types

    def specifier(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        words = self.words(name) if name is not None else []
        if body is None:
            return self.path(words)
        return self.define_type(node, body, ".".join(words))

    def define_type(self, node: Node, body: Node, word: str) -> int:
        """A class, struct, union or enum with what is in it."""
        line = node.start_point[0] + 1
        if node.type == "enum_specifier":
            return self._enum(node, body, word)
        place = self.open(Sort.CLASS, word or f"type at {line}", node)
        self.bind(word.rpartition(".")[2] or f"type at {line}", By.SCOPE, line, place)
        scope = self.scopes[place]
        scope.traits += [LOCAL] if self._local else []
        self._take_variables(place)
        with self.in_scope(place):
            self._bases(node, scope.bases)
            for child in body.named_children:
                self.read(child)
        return self.put("n", word.rpartition(".")[2] or f"type at {line}")

    def _bases(self, node: Node, bases: list[int]) -> None:
        for clause in node.named_children:
            for child in clause.named_children if clause.type == "base_class_clause" else ():
                base = self.type(child)
                if base != UNKNOWN:
                    bases.append(base)

    def _enum(self, node: Node, body: Node, word: str) -> int:
        """Its constants are names of what is around it, unless it is an `enum class`."""
        type_ = self.put("n", word) if word else self.put("k", "int")
        holder = self.here
        if word:
            place = self.open(Sort.CLASS, word, node)
            self.bind(word.rpartition(".")[2], By.SCOPE, node.start_point[0] + 1, place)
            scoped = any(child.type in ("class", "struct") for child in node.children)
            holder = place if scoped else holder
        pending = list(body.named_children)
        while pending:
            child = pending.pop(0)
            if child.type == "enumerator":
                name = child.child_by_field_name("name")
                self.read(child.child_by_field_name("value"))
                if name is not None:
                    self.bind(self.text(name), By.VALUE, child.start_point[0] + 1, UNKNOWN, type_, scope=holder)
            elif child.type.startswith("preproc_"):
                pending[:0] = child.named_children
        return type_

    def type_statement(self, node: Node) -> int:
        """A type that is defined on its own."""
        self.type(node)
        return UNKNOWN

    def typedef(self, node: Node) -> int:
        named = node.child_by_field_name("type")
        found = [self.declared_by(child) for child in node.children_by_field_name("declarator")]
        type_ = self._typed(named, next((each for each in found if each is not None), None))
        for each in found:
            if each is not None:
                word = self.text(each.name)
                declared = self.type_of(type_, each)
                if each.function is not None and not each.pointer:
                    declared = self.put("L", "call", (type_,))
                if self.exprs[declared] != ("n", word):
                    self.bind(word, By.TYPE, each.name.start_point[0] + 1, declared)
        return UNKNOWN

    def _typed(self, named: Node | None, first: Declared | None) -> int:
        """A type; one without a name of its own is called like the first thing that is declared by it."""
        body = named.child_by_field_name("body") if named is not None and self.is_specifier(named) else None
        if named is not None and body is not None and named.child_by_field_name("name") is None and first is not None:
            return self.define_type(named, body, self.text(first.name))
        return self.type(named)

    def alias(self, node: Node) -> int:
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is not None:
            self.bind(self.text(name), By.TYPE, node.start_point[0] + 1, self.type(type_))
        return UNKNOWN

    # Functions and variables

    def function(self, node: Node) -> int:
        declared = self.declared_by(node.child_by_field_name("declarator"))
        body = node.child_by_field_name("body")
        words = self.words(declared.name) if declared is not None else []
        kinds = {child.type for child in node.named_children}
        if declared is None or not words or (declared.function is None and declared.name.type != "operator_cast"):
            self.read(body)
            return UNKNOWN
        if "delete_method_clause" in kinds:
            return UNKNOWN
        place = self._open_function(node, declared, words)
        with self.in_scope(place):
            for child in node.named_children:
                if child.type == "field_initializer_list":
                    self._initializers(child)
            self.read(body)
        return UNKNOWN

    def _open_function(self, node: Node, declared: Declared, words: list[str]) -> int:
        type_ = self.type(node.child_by_field_name("type"))
        place = self.open(Sort.FUNCTION, ".".join(word for word in words if word != "::"), node)
        scope = self.scopes[place]
        self._take_variables(place)
        scope.type = type_
        if declared.function is not None:
            with self.in_scope(place):
                scope.type = type_ or self.trailing_type(declared.function)
            self.parameters(declared.function, place)
        specifiers = {self.text(child) for child in node.named_children if child.type == "storage_class_specifier"}
        in_class = self.scopes[self.here].sort == Sort.CLASS
        if self._local or ("static" in specifiers and not in_class):
            scope.traits.append(LOCAL)
        if in_class and "static" in specifiers:
            scope.traits.append("static")
        self.bind(words[-1] if len(words) == 1 else ".".join(words), By.SCOPE, scope.line, place)
        return place

    def _initializers(self, node: Node) -> None:
        """`: Base(1), member(2)`: bases are made, and members by what they are declared as."""
        for child in node.named_children:
            if child.type != "field_initializer" or not child.named_children:
                continue
            named, *rest = child.named_children
            arguments = [place for given in rest for place in self.arguments(given)]
            words = self.words(named)
            if words:
                self.call_at(self.called_by(words, arguments), self.last_of(named))

    def declaration(self, node: Node) -> int:
        """Variables, fields and functions that are declared; what is in a condition too."""
        named = node.child_by_field_name("type")
        found = [(child, self.declared_by(child)) for child in node.children_by_field_name("declarator")]
        if not found and self.is_specifier(named) and node.type == "field_declaration":
            return self._nameless(named)
        if not found:
            return self.type(named)
        type_ = self._typed(named, next((each for _, each in found if each is not None), None))
        for child, each in found:
            if each is None:
                continue
            if each.function is not None and not each.pointer and self._is_prototype(each):
                self._prototype(node, each)
            elif each.name.type == "structured_binding_declarator":
                self._parts(node, each.name)
            else:
                self._variable(node, child, each, type_)
        return UNKNOWN

    def _nameless(self, named: Node | None) -> int:
        """`union { int a; };`: its fields are those of what is around."""
        assert named is not None
        body = named.child_by_field_name("body")
        if named.child_by_field_name("name") is not None or body is None or named.type == "enum_specifier":
            return self.type(named)
        for child in body.named_children:
            self.read(child)
        return UNKNOWN

    def _is_prototype(self, declared: Declared) -> bool:
        """Not `Type name(value);`, which looks like it within a function."""
        return declared.name.type not in ("structured_binding_declarator",)

    def _prototype(self, node: Node, declared: Declared) -> None:
        words = self.words(declared.name)
        if not words:
            return
        place = self._open_function(node, declared, words)
        value = node.child_by_field_name("default_value")
        is_pure = value is not None and self.text(value) == "0"
        self.scopes[place].traits.append(PURE if is_pure else DECLARED)

    def _variable(self, node: Node, child: Node, declared: Declared, type_: int) -> None:
        words = self.words(declared.name)
        given = child.child_by_field_name("value") if child.type == "init_declarator" else None
        given = given or node.child_by_field_name("value") or node.child_by_field_name("default_value")
        held = self.type_of(type_, declared)
        if given is not None and given.type in ("argument_list", "initializer_list"):
            arguments = self.arguments(given)
            is_made = given.type == "argument_list" or child.type == "init_declarator"
            if (
                arguments
                and is_made
                and not declared.array
                and child.child_by_field_name("declarator") == declared.name
            ):
                self.made(type_, arguments, declared.name)
            value = UNKNOWN
        else:
            value = self.read(given)
        if words:
            self.declare(words[-1], declared.name, value, held)

    def _parts(self, node: Node, names: Node) -> None:
        """`auto [a, b] = …`"""
        value = self.read(node.child_by_field_name("value"))
        for at, child in enumerate(names.named_children):
            self.declare(self.text(child), child, self.put("u", value, at))

    # Statements

    def loop_over(self, node: Node) -> int:
        with self.in_block(node):
            value = self.put("i", self.read(node.child_by_field_name("right")))
            declared = self.declared_by(node.child_by_field_name("declarator"))
            type_ = self.type(node.child_by_field_name("type"))
            if declared is not None and declared.name.type == "structured_binding_declarator":
                for at, child in enumerate(declared.name.named_children):
                    self.declare(self.text(child), child, self.put("u", value, at))
            elif declared is not None:
                self.declare(self.text(declared.name), declared.name, value, type_)
            self.read(node.child_by_field_name("body"))
        return UNKNOWN

    def catch(self, node: Node) -> int:
        given = node.child_by_field_name("parameters")
        with self.in_block(node):
            for child in given.named_children if given is not None else ():
                declared = self.declared_by(child.child_by_field_name("declarator"))
                if child.type == "parameter_declaration" and declared is not None:
                    type_ = self.type(child.child_by_field_name("type"))
                    self.declare(self.text(declared.name), declared.name, UNKNOWN, type_)
            self.read(node.child_by_field_name("body"))
        return UNKNOWN

    def returned(self, node: Node) -> int:
        place = self.through(node)
        scope = self.scopes[self.function_around()]
        if scope.sort == Sort.FUNCTION and scope.type == UNKNOWN:
            scope.returned.append((place, node.start_point[0] + 1))
        return UNKNOWN

    handlers: ClassVar[Mapping[str, Callable[[Any, Node], int]]] = {
        **EXPRESSIONS,
        **dict.fromkeys(COMMENTS, CExpressions.nothing),
        **dict.fromkeys(
            ("preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "preproc_elifdef"), conditional_part
        ),
        **dict.fromkeys(SPECIFIERS, type_statement),
        **dict.fromkeys(
            (
                "preproc_call",
                "preproc_directive",
                "friend_declaration",
                "static_assert_declaration",
                "concept_definition",
                "template_instantiation",
                "attribute_declaration",
                "namespace_alias_definition",
            ),
            CExpressions.nothing,
        ),
        **dict.fromkeys(
            ("compound_statement", "for_statement", "if_statement", "while_statement", "switch_statement"),
            CExpressions.block,
        ),
        "preproc_include": include,
        "preproc_def": renaming,
        "preproc_function_def": macro,
        "namespace_definition": namespace,
        "linkage_specification": linkage,
        "template_declaration": template,
        "using_declaration": using,
        "type_definition": typedef,
        "alias_declaration": alias,
        "function_definition": function,
        "inline_method_definition": function,
        "declaration": declaration,
        "field_declaration": declaration,
        "for_range_loop": loop_over,
        "catch_clause": catch,
        "return_statement": returned,
    }
    types: ClassVar[Mapping[str, Callable[[Any, Node], int]]] = {**TYPES, **dict.fromkeys(SPECIFIERS, specifier)}
