"""What a Python file says: definitions, bindings, imports, calls. Of any version: the grammar knows the newest syntax.

A file with errors gives what could be told apart around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from recollect.code.extract.python_expressions import PythonExpressions
from recollect.code.extract.syntax import DEPTH_MAX, parsed
from recollect.code.facts import UNKNOWN, By, FileFacts, FunctionParameter, ImportStatement, Narrowed, Sort
from recollect.structure.languages import parser_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_TYPING_ONLY = re.compile(rb"\bTYPE_CHECKING\b")


class PythonExtractor:
    """Reads Python, stubs included."""

    version = 1

    def __init__(self, language: str = "python") -> None:
        self._language = language
        self._parser: Parser | None = None

    def extract(self, data: bytes) -> FileFacts:
        if self._parser is None:
            self._parser = parser_of(self._language)
        assert self._parser is not None, "the grammar is a dependency"
        root = parsed(self._parser, data)
        reading = _Python(data, self._parser)
        if root is None:
            return reading.unread()
        reading.block(root)
        return reading.facts(broken=root.has_error)


class _Python(PythonExpressions):
    """One file on its way to facts."""

    def __init__(self, data: bytes, parser: Parser) -> None:
        super().__init__(data, parser)
        self._typing = 0  # `if TYPE_CHECKING:` around us

    # Statements

    def block(self, node: Node) -> None:
        for child in node.named_children:
            self._statement(child)

    def _statement(self, node: Node) -> None:
        handle = _STATEMENTS.get(node.type)
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return
        self.depth += 1
        if handle is not None:
            handle(self, node)
        elif self.is_expression(node):
            self.expr(node)
        else:  # clauses, what is raised or deleted, what the grammar does not understand
            self.block(node)
        self.depth -= 1

    def _pass(self, node: Node) -> None:
        """Nothing is bound, nothing is called."""

    def _expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "assignment":
                self._assignment(child)
            elif child.type == "augmented_assignment":
                self._augmented(child)
            else:
                self.expr(child)

    def _assignment(self, node: Node) -> int:
        """`a = b = value`, `a: T = value`; the value's place."""
        left, right, type_ = (node.child_by_field_name(name) for name in ("left", "right", "type"))
        declared = self.annotation(type_) if type_ is not None else UNKNOWN
        if right is None:
            value = UNKNOWN
        elif right.type == "assignment":
            value = self._assignment(right)
        else:
            value = self.expr(right)
            if self.here == 0 and left is not None and self.text(left) == "__all__":
                self._all(right, anew=True)
        if left is not None:
            self.target(left, value, declared)
        return value

    def _augmented(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if right is not None:
            self.expr(right)
            if self.here == 0 and left is not None and self.text(left) == "__all__":
                self._all(right, anew=False)
        if left is not None:
            self.expr(left)

    def _all(self, node: Node, *, anew: bool) -> None:
        names = [] if anew or self.exported is None else self.exported
        if node.type in ("list", "tuple"):
            names += [self.text(child).strip("\"'") for child in node.named_children if child.type == "string"]
            self.exported = names

    def target(self, node: Node, value: int, declared: int = UNKNOWN) -> None:
        """Bind what stands on the left of an assignment."""
        line = node.start_point[0] + 1
        if node.type == "identifier":
            self.bind(self.text(node), By.VALUE, line, value, declared)
        elif node.type in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "as_pattern_target"):
            children = node.named_children
            if node.type == "as_pattern_target" and len(children) == 1:
                self.target(children[0], value, declared)
                return
            for place, child in enumerate(children):
                self.target(child, self.put("u", value, place))
        elif node.type == "list_splat_pattern":
            self.target(node.named_children[0], self.put("L", "list", ()))
        elif node.type == "attribute":
            self.expr(node)
            self._member(node, value, declared)
        else:
            self.expr(node)

    def _member(self, node: Node, value: int, declared: int) -> None:
        """`self.name = value` in a method is a member of its class."""
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
        method = self.function_around()
        while self.scopes[method].sort == Sort.FUNCTION and self.scopes[self.scopes[method].parent].sort != Sort.CLASS:
            method = self.scopes[method].parent
        scope = self.scopes[method]
        if owner is None or name is None or scope.sort != Sort.FUNCTION or not scope.parameters:
            return
        if owner.type == "identifier" and self.text(owner) == scope.parameters[0].name:
            members = self.scopes[scope.parent].members
            members.setdefault(self.text(name), []).append((self.here, value, declared, node.start_point[0] + 1))

    def _decorated(self, node: Node) -> None:
        above = [child for child in node.named_children if child.type == "decorator" and child.named_children]
        decorators = [self.expr(child.named_children[0]) for child in above]
        definition = node.child_by_field_name("definition")
        if definition is None:
            return
        first = node.start_point[0] + 1
        if definition.type == "function_definition":
            self._function(definition, decorators, first)
        else:
            self._class(definition, decorators, first)

    def _function(self, node: Node, decorators: Iterable[int] = (), first: int = 0) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        place = self.open(Sort.FUNCTION, self.text(name), node)
        scope = self.scopes[place]
        scope.decorators = list(decorators)
        if node.children and node.children[0].type == "async":
            scope.traits.append("async")
        types = node.child_by_field_name("return_type")
        given = node.child_by_field_name("parameters")
        if given is not None:
            scope.parameters = self.parameters(given)
        if types is not None:
            scope.type = self.annotation(types)
        self.bind(scope.name, By.SCOPE, scope.line, place)
        before = self.enter(place)
        self._type_parameters(node)
        for at, parameter in enumerate(scope.parameters):
            self.bind(parameter.name, By.PARAMETER, scope.line, at)
        body = node.child_by_field_name("body")
        if body is not None:
            self.block(body)
        self.leave(before)

    def parameters(self, node: Node) -> list[FunctionParameter]:
        """Defaults and types are looked at where the function stands, not inside it."""
        found: list[FunctionParameter] = []
        for child in node.named_children:
            type_, default = child.child_by_field_name("type"), child.child_by_field_name("value")
            named = child.child_by_field_name("name") or child
            if child.type == "typed_parameter":
                named = child.named_children[0]
            sort = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}.get(named.type, "")
            if sort and named.named_children:
                named = named.named_children[0]
            if named.type == "identifier":
                declared = self.annotation(type_) if type_ is not None else UNKNOWN
                value = self.expr(default) if default is not None else UNKNOWN
                found.append(FunctionParameter(self.text(named), declared, value, sort))
        return found

    def _type_parameters(self, node: Node) -> None:
        """`def f[T: Base]`: T stands for Base."""
        given = node.child_by_field_name("type_parameters")
        for child in given.named_children if given is not None else ():
            inner = child.named_children[0] if child.type == "type" and child.named_children else child
            if inner.type == "constrained_type" and len(inner.named_children) == 2:
                name, bound = inner.named_children
                self.bind(self.text(name), By.TYPE, child.start_point[0] + 1, self.annotation(bound))
            elif inner.type == "identifier":
                self.bind(self.text(inner), By.TYPE, child.start_point[0] + 1, UNKNOWN)

    def _class(self, node: Node, decorators: Iterable[int] = (), first: int = 0) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        place = self.open(Sort.CLASS, self.text(name), node)
        scope = self.scopes[place]
        scope.decorators = list(decorators)
        given = node.child_by_field_name("superclasses")
        for child in given.named_children if given is not None else ():
            if child.type == "keyword_argument":
                value = self.keyword(child)
                if self.text(child).startswith("metaclass"):
                    scope.traits.append(f"metaclass:{value}")
            elif child.type != "comment":
                scope.bases.append(self.expr(child))
        self.bind(scope.name, By.SCOPE, scope.line, place)
        before = self.enter(place)
        self._type_parameters(node)
        body = node.child_by_field_name("body")
        if body is not None:
            self.block(body)
        self.leave(before)

    # Imports

    def _import(self, node: Node) -> None:
        line = node.start_point[0] + 1
        for child in node.named_children:
            alias = child.child_by_field_name("alias")
            named = child.child_by_field_name("name") if alias is not None else child
            if named is None or named.type != "dotted_name":
                continue
            module = self.text(named).replace(" ", "")
            if alias is None:  # `import a.b` binds a
                top = module.partition(".")[0]
                self._imported(line, module, 0, ())
                place = len(self.imports) - 1
                self.bind(top, By.IMPORT, line, place, "." if top != module else "")
            else:
                self._imported(line, module, 0, ())
                self.bind(self.text(alias), By.IMPORT, line, len(self.imports) - 1, "")

    def _import_from(self, node: Node) -> None:
        line = node.start_point[0] + 1
        source = node.child_by_field_name("module_name")
        if source is None:
            return
        words = self.text(source).replace(" ", "").replace("\\\n", "")
        module = words.lstrip(".")
        level = len(words) - len(module)
        taken: list[tuple[str, str]] = []
        for child in node.children_by_field_name("name"):
            alias = child.child_by_field_name("alias")
            named = child.child_by_field_name("name") if alias is not None else child
            if named is not None:
                name = self.text(named)
                taken.append((name, self.text(alias) if alias is not None else name))
        star = any(child.type == "wildcard_import" for child in node.named_children)
        names = ("*",) if star else tuple(name for name, _ in taken)
        self._imported(line, module, level, names)
        place = len(self.imports) - 1
        if star:
            self.stars.append(place)
        for name, bound in taken:
            self.bind(bound, By.IMPORT, line, place, name)

    def _imported(self, line: int, module: str, level: int, names: tuple[str, ...]) -> None:
        self.imports.append(ImportStatement(line, module, level, names, self.here, self._typing > 0))

    # Branches

    def _branches(self, node: Node) -> None:
        self.maybe += 1
        for child in node.named_children:
            self._statement(child)
        self.maybe -= 1

    def _if(self, node: Node) -> None:
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("consequence")
        if condition is not None:
            self.expr(condition)
            if body is not None:
                self._narrow(condition, body.start_point[0] + 1, body.end_point[0] + 1)
        typing = condition is not None and _TYPING_ONLY.search(self.data, condition.start_byte, condition.end_byte)
        self.maybe += 1
        self._typing += bool(typing)
        if body is not None:
            self.block(body)
        self._typing -= bool(typing)
        for child in node.children_by_field_name("alternative"):
            if child.type == "elif_clause":
                self._if(child)
            else:
                self.block(child)
        self.maybe -= 1

    def _narrow(self, condition: Node, first: int, last: int) -> None:
        """`if isinstance(name, Type)` says what a name is in the lines below it."""
        while condition.type == "parenthesized_expression" and condition.named_children:
            condition = condition.named_children[0]
        if condition.type == "boolean_operator":
            operator = condition.child_by_field_name("operator")
            if operator is not None and operator.type == "and":
                for name in ("left", "right"):
                    part = condition.child_by_field_name(name)
                    if part is not None:
                        self._narrow(part, first, last)
            return
        function, given = condition.child_by_field_name("function"), condition.child_by_field_name("arguments")
        if condition.type != "call" or function is None or given is None or self.text(function) != "isinstance":
            return
        parts = given.named_children
        if len(parts) == 2 and parts[0].type in ("identifier", "attribute"):
            calls = len(self.calls)
            type_ = self.expr(parts[1])
            del self.calls[calls:]  # looked at once already
            self.scopes[self.here].narrowed.append(Narrowed(self.text(parts[0]), first, last, type_))

    def _assert(self, node: Node) -> None:
        for child in node.named_children:
            self.expr(child)
        if node.named_children:
            scope = self.scopes[self.here]
            self._narrow(node.named_children[0], node.start_point[0] + 2, scope.end)

    def _for(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        self.maybe += 1
        if right is not None and left is not None:
            self.target(left, self.put("i", self.expr(right)))
        for name in ("body", "alternative"):
            child = node.child_by_field_name(name)
            if child is not None:
                self._statement(child)
        self.maybe -= 1

    def _with(self, node: Node) -> None:
        for clause in node.named_children:
            if clause.type != "with_clause":
                continue
            for item in clause.named_children:
                value = item.child_by_field_name("value")
                if value is None:
                    continue
                alias = value.child_by_field_name("alias") if value.type == "as_pattern" else None
                if alias is None:
                    self.expr(value)
                else:
                    self.target(alias, self.put("e", self.expr(value.named_children[0])))
        body = node.child_by_field_name("body")
        if body is not None:
            self.block(body)

    def _except(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "as_pattern":
                alias = child.child_by_field_name("alias")
                caught = self.expr(child.named_children[0])
                if alias is not None:
                    self.target(alias, self.put("I", caught))
            else:
                self._statement(child)

    def _match(self, node: Node) -> None:
        subject = node.child_by_field_name("subject")
        if subject is not None:
            self.expr(subject)
        body = node.child_by_field_name("body")
        for case in body.named_children if body is not None else ():
            self.maybe += 1
            for child in case.named_children:
                if child.type == "case_pattern":
                    self._pattern(child, UNKNOWN)
                else:
                    self._statement(child)
            self.maybe -= 1

    def _pattern(self, node: Node, value: int) -> None:
        """The names that a pattern binds."""
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return
        self.depth += 1
        children = node.named_children
        if node.type == "as_pattern" and len(children) == 2:
            inner = children[0].named_children[0] if children[0].named_children else children[0]
            made = UNKNOWN
            if inner.type == "class_pattern" and inner.named_children:
                made = self.put("I", self.dotted(self.text(inner.named_children[0])))
            self._pattern(children[0], UNKNOWN)
            self.target(children[1], made)
        elif node.type == "dotted_name" and len(children) == 1:
            self.target(children[0], value)
        elif node.type != "class_pattern" or len(children) > 1:
            for child in children[1:] if node.type in ("class_pattern", "keyword_pattern") else children:
                self._pattern(child, UNKNOWN)
        self.depth -= 1

    def _return(self, node: Node) -> None:
        value = self.expr(node.named_children[0]) if node.named_children else self.put("k", "None")
        scope = self.scopes[self.function_around()]
        if scope.sort == Sort.FUNCTION:
            scope.returned.append((value, node.start_point[0] + 1))

    def _outer(self, node: Node) -> None:
        for child in node.named_children:
            self.bind(self.text(child), By.OUTER, 0)

    def _type_alias(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            name = re.match(r"\w+", self.text(left))
            self.bind(name[0] if name else "", By.TYPE, node.start_point[0] + 1, self.annotation(right))


_STATEMENTS: dict[str, Callable[[_Python, Node], None]] = {
    "expression_statement": _Python._expression_statement,
    "function_definition": _Python._function,
    "class_definition": _Python._class,
    "decorated_definition": _Python._decorated,
    "import_statement": _Python._import,
    "import_from_statement": _Python._import_from,
    "if_statement": _Python._if,
    "for_statement": _Python._for,
    "while_statement": _Python._branches,
    "try_statement": _Python._branches,
    "with_statement": _Python._with,
    "return_statement": _Python._return,
    "match_statement": _Python._match,
    "global_statement": _Python._outer,
    "nonlocal_statement": _Python._outer,
    "assert_statement": _Python._assert,
    "type_alias_statement": _Python._type_alias,
    "except_clause": _Python._except,
    "except_group_clause": _Python._except,
    "block": _Python.block,
    "future_import_statement": _Python._pass,
    "comment": _Python._pass,
    "pass_statement": _Python._pass,
}
