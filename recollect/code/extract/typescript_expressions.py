"""Expressions of TypeScript and JavaScript: what is called, handed over, made; functions without a name in them.

A name that a block declares gets a name of its own (`x#2`), so that a function is one scope, and what stands in a block
shadows nothing outside of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.extract.syntax import DEPTH_MAX, ITEMS_MAX
from recollect.code.extract.typescript_types import TypeScriptTypes
from recollect.code.facts import UNKNOWN, By, CallSite, ImportStatement, Narrowed, Sort

if TYPE_CHECKING:
    from tree_sitter import Node

GIVEN_MAX = 10  # arguments that are looked at
FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_IN_CONTEXT = FUNCTIONS | {"object", "ternary_expression"}  # arguments that may say less than who takes them
_AROUND = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"})
_LITERALS = {
    "string": "string",
    "template_string": "string",
    "number": "number",
    "true": "boolean",
    "false": "boolean",
    "null": "null",
    "undefined": "null",
    "regex": "regexp",
}
_COMPARISONS = frozenset({"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"})


class TypeScriptExpressions(TypeScriptTypes):
    """Reads expressions. Every node is looked at once, since looking at a call notes it."""

    def block(self, node: Node) -> None:
        """Statements inside of something."""
        raise NotImplementedError

    def class_(self, node: Node, name: str = "") -> int:
        """The scope of a class."""
        raise NotImplementedError

    def assigned(self, left: Node, right: Node) -> int:
        """What an assignment gives, after what it binds is bound."""
        raise NotImplementedError

    def expr(self, node: Node) -> int:
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        handle = _EXPRESSIONS.get(node.type)
        self.depth += 1
        if handle is not None:
            place = handle(self, node)
        else:
            for child in node.named_children:
                self.expr(child)
            place = UNKNOWN
        self.depth -= 1
        return place

    def _name(self, node: Node) -> int:
        return self.put("n", self.visible(self.text(node)))

    def _literal(self, node: Node) -> int:
        for child in node.named_children:
            if child.type == "template_substitution":
                self.inner(child)
        return self.put("k", _LITERALS[node.type])

    def _undefined(self, node: Node) -> int:
        return UNKNOWN

    def inner(self, node: Node) -> int:
        """The last of what stands inside: all but the last of `(a, b)` is only done."""
        places = [self.expr(child) for child in node.named_children if child.type != "comment"]
        return places[-1] if places else UNKNOWN

    def first(self, node: Node) -> int:
        places = [self.expr(child) for child in node.named_children[:1]]
        return places[0] if places else UNKNOWN

    def _as(self, node: Node) -> int:
        """`value as Type`; `as const` says nothing."""
        children = node.named_children
        value = self.expr(children[0]) if children else UNKNOWN
        if len(children) < 2:
            return value
        cast = self.type(children[-1])
        return self.put("t", cast) if node.type == "as_expression" else value

    def _asserted(self, node: Node) -> int:
        types = [child for child in node.named_children if child.type == "type_arguments"]
        for child in node.named_children:
            if child.type != "type_arguments":
                self.expr(child)
        given = self.type_arguments(types[0]) if types else ()
        return self.put("t", given[0]) if given else UNKNOWN

    def _member(self, node: Node) -> int:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if owner is None or name is None:
            return UNKNOWN
        return self.put("a", self.expr(owner), self.text(name))

    def _subscript(self, node: Node) -> int:
        of, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        owner = self.expr(of) if of is not None else UNKNOWN
        if index is None:
            return UNKNOWN
        if index.type == "string":
            return self.put("a", owner, self.quoted(index))
        place = self.expr(index)
        if index.type == "number" and self.text(index).isdigit():
            return self.put("u", owner, min(int(self.text(index)[:9]), 99))
        return self.put("s", owner, place)

    def _call(self, node: Node) -> int:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return UNKNOWN
        loaded = self._loaded(node, function, given)
        if loaded:
            return loaded
        callee = self.expr(function)
        self._site(function, callee)
        return self.put("c", callee, self._given(given, callee), self._types_given(node))

    def _new(self, node: Node) -> int:
        function, given = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        if function is None:
            return UNKNOWN
        made = self.put("N", self.expr(function))
        self._site(function, self.exprs[made][1])
        return self.put("N", self.exprs[made][1], self._given(given, made), self._types_given(node))

    def _site(self, function: Node, callee: int) -> None:
        while function.type in ("parenthesized_expression", "non_null_expression") and function.named_children:
            function = function.named_children[0]
        last = function.child_by_field_name("property") if function.type == "member_expression" else None
        at = (last or function).start_point
        self.calls.append(CallSite(self.here, callee, at[0] + 1, at[1]))

    def _types_given(self, node: Node) -> tuple[int, ...]:
        types = node.child_by_field_name("type_arguments")
        return self.type_arguments(types) if types is not None else ()

    def _given(self, given: Node | None, callee: int) -> tuple[int, ...]:
        """Arguments; a function among them knows what it is handed over to, and with what."""
        if given is None or given.type != "arguments":
            if given is not None:
                self.expr(given)
            return ()
        children = [child for child in given.named_children if child.type != "comment"]
        found = [UNKNOWN if each.type in _IN_CONTEXT else self.expr(each) for each in children]
        for objects in (True, False):
            others = tuple(found[:GIVEN_MAX])
            for at, child in enumerate(children):
                if child.type in _IN_CONTEXT and (child.type == "object") == objects:
                    context = self.put("A", callee, str(at), others) if at < GIVEN_MAX else UNKNOWN
                    found[at] = self._in_context(child, context)
        return tuple(found[:GIVEN_MAX])

    def _in_context(self, node: Node, context: int) -> int:
        """An expression that knows who takes what it gives."""
        if self.depth > DEPTH_MAX:
            self.too_deep = True
            return UNKNOWN
        if node.type in FUNCTIONS:
            return self.function(node, context)
        if node.type == "object":
            place = self.object_(node)
            self.scopes[place].decorators = [context] if context else []
            return self.put("O", place)
        if node.type == "ternary_expression":
            return self._choice(node, context)
        return self.expr(node)

    def _loaded(self, node: Node, function: Node, given: Node | None) -> int:
        """`require("x")` and `import("x")`."""
        name = self.text(function) if function.type in ("identifier", "import") else ""
        if name not in ("require", "import") or given is None or self.visible(name) != name:
            return UNKNOWN
        words = given.named_children
        if len(words) < 1 or words[0].type not in ("string", "template_string"):
            return UNKNOWN
        if words[0].type == "template_string" and len(words[0].named_children) != 1:
            return UNKNOWN
        module = self.quoted(words[0])
        self.imported(node, module, ())
        return self.put("R", name, module)

    def imported(self, node: Node, module: str, names: tuple[str, ...], *, typing: bool = False) -> int:
        """The place of a new import statement."""
        scope = self.here
        while self.scopes[scope].sort == Sort.OBJECT and "namespace" not in self.scopes[scope].traits:
            scope = self.scopes[scope].parent
        self.imports.append(ImportStatement(node.start_point[0] + 1, module, 0, names, scope, typing))
        return len(self.imports) - 1

    def _await(self, node: Node) -> int:
        return self.put("y", self.inner(node))

    def _choice(self, node: Node, context: int = UNKNOWN) -> int:
        condition = node.child_by_field_name("condition")
        then, otherwise = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if condition is None or then is None or otherwise is None:
            return UNKNOWN
        self.expr(condition)
        self.narrow(condition, then.start_point[0] + 1, then.end_point[0] + 1)
        self.depth += 1
        both = (self._in_context(then, context), self._in_context(otherwise, context))
        self.depth -= 1
        return self.put("o", both)

    def _binary(self, node: Node) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return UNKNOWN
        sign = operator.type
        first = self.expr(left)
        if sign == "&&":
            self.narrow(left, right.start_point[0] + 1, right.end_point[0] + 1)
        second = self.expr(right)
        if sign in ("||", "??"):
            return self.put("o", (first, second))
        if sign == "&&":
            return second
        return self.put("k", "boolean" if sign in _COMPARISONS else "number") if sign != "+" else UNKNOWN

    def _assignment(self, node: Node) -> int:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return self.assigned(left, right) if left is not None and right is not None else UNKNOWN

    def narrow(self, condition: Node, first: int, last: int, *, holds: bool = True) -> None:
        """`value instanceof Type` says what a value is in the lines where that holds."""
        while condition.type == "parenthesized_expression" and condition.named_children:
            condition = condition.named_children[0]
        if condition.type == "unary_expression":
            operator, argument = condition.child_by_field_name("operator"), condition.child_by_field_name("argument")
            if operator is not None and operator.type == "!" and argument is not None:
                self.narrow(argument, first, last, holds=not holds)
            return
        left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
        operator = condition.child_by_field_name("operator")
        if condition.type != "binary_expression" or left is None or right is None or operator is None:
            return
        if operator.type == ("&&" if holds else "||"):
            self.narrow(left, first, last, holds=holds)
            self.narrow(right, first, last, holds=holds)
        elif operator.type == "instanceof" and holds and left.type in ("identifier", "member_expression", "this"):
            calls = len(self.calls)
            type_ = self.expr(right)
            del self.calls[calls:]  # looked at once already
            name = self.text(left)
            name = self.visible(name) if left.type == "identifier" else name
            self.scopes[self.here].narrowed.append(Narrowed(name, first, last, type_))

    # Functions, objects and arrays

    def function(self, node: Node, context: int = UNKNOWN) -> int:
        """A function without a name."""
        place = self.open(Sort.BLOCK, "", node)
        if context:
            self.scopes[place].decorators = [context]
        self.function_in(place, node)
        return self.put("f", place)

    def function_in(self, place: int, node: Node) -> None:
        """What a function takes, gives and does."""
        scope = self.scopes[place]
        if node.type == "arrow_function":
            scope.traits.append("arrow")
        for child in node.children:
            if child.type in ("async", "static", "get", "set", "*", "abstract"):
                scope.traits.append(child.type)
            elif child.is_named and child.type not in ("accessibility_modifier", "override_modifier", "decorator"):
                break
        body = node.child_by_field_name("body")
        if body is None:
            scope.traits.append("signature")
        before = self.enter(place)
        self.shadowing(node, body)
        self.signature(node)
        if body is None:
            pass
        elif body.type == "statement_block":
            self.block(body)
        else:
            scope.returned.append((self.expr(body), body.start_point[0] + 1))
        self.frames.pop()
        self.leave(before)

    def unwrapped(self, node: Node) -> Node:
        """What stands in brackets, or in front of `as`."""
        while node.type in _AROUND and node.named_children and node.named_children[0].type != "comment":
            node = node.named_children[0]
        return node

    def _object(self, node: Node) -> int:
        return self.put("O", self.object_(node))

    def object_(self, node: Node, name: str = "", parent: int = UNKNOWN) -> int:
        """An object that is written out, with its methods. What it calls is called by what stands around it."""
        place = self.open(Sort.OBJECT, name, node)
        if parent:
            self.scopes[place].parent = parent
        for child in node.named_children:
            if child.type in ("shorthand_property_identifier", "identifier"):
                word = self.text(child)
                self.hold(place, word, child, self.put("n", self.visible(word)))
            elif child.type == "spread_element":
                self.scopes[place].bases.append(self.inner(child))
            elif child.type == "method_definition":
                self.method(child, place)
            elif child.type == "pair":
                self._pair(child, place)
        return place

    def hold(self, place: int, name: str, node: Node, value: int, declared: int = UNKNOWN) -> None:
        """A member of a class or object."""
        self.bind(name, By.VALUE, node.start_point[0] + 1, value, declared, scope=place)

    def _pair(self, node: Node, place: int) -> None:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None or value is None:
            return
        name = self.key(key)
        inside = self.unwrapped(value)
        if inside.type in FUNCTIONS:
            self.named_function(name, inside, node, place)
        elif inside.type == "object":
            self.hold(place, name, node, self.put("O", self.object_(inside, name, place)))
        else:
            self.hold(place, name, node, self.expr(value))

    def key(self, node: Node) -> str:
        """The name of a member."""
        if node.type in ("string", "template_string"):
            return self.quoted(node)
        if node.type == "computed_property_name":
            inside = node.named_children
            if inside and inside[0].type == "string":
                return self.quoted(inside[0])
            self.inner(node)
        return "".join(self.text(node).split())[:80]

    def method(self, node: Node, holder: int) -> int:
        """A method of a class, an interface or an object."""
        name = node.child_by_field_name("name")
        return self.named_function(self.key(name) if name is not None else "()", node, node, holder)

    def named_function(self, name: str, node: Node, whole: Node, holder: int, bound: str = "") -> int:
        """A function that something holds under a name; `whole` is the definition around it."""
        before = (self.here, self.maybe)
        self.here, self.maybe = holder, 0
        place = self.open(Sort.FUNCTION, name, whole)
        self.bind(bound or name, By.SCOPE, self.scopes[place].line, place)
        self.function_in(place, node)
        self.here, self.maybe = before
        return place

    def _array(self, node: Node) -> int:
        items: list[int] = []
        for child in node.named_children:
            spread = child.type == "spread_element"
            place = self.put("i", self.inner(child)) if spread else self.expr(child)
            if len(items) < ITEMS_MAX:
                items.append(place)
        return self.put("L", "array", tuple(items))

    def _class_expression(self, node: Node) -> int:
        return self.put("K", self.class_(node))

    def _yield(self, node: Node) -> int:
        value = self.inner(node)
        scope = self.scopes[self.here]
        many = any(child.type == "*" for child in node.children)
        scope.yielded.append((self.put("i", value) if many else value, node.start_point[0] + 1))
        return UNKNOWN

    def _word(self, node: Node) -> int:
        for child in node.named_children:
            self.expr(child)
        return self.put("k", "string" if node.children and node.children[0].type == "typeof" else "number")

    # What JSX shows is called

    def _element(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        if name is not None and (name.type == "member_expression" or self.text(name)[:1].isupper()):
            self._site(name, self.expr(name))
        for child in node.named_children:
            if child != name and child.type != "type_arguments":
                self.expr(child)
        return UNKNOWN

    def _ending(self, node: Node) -> int:
        return UNKNOWN


_EXPRESSIONS: dict[str, Callable[[TypeScriptExpressions, Node], int]] = {
    "identifier": TypeScriptExpressions._name,
    "this": TypeScriptExpressions._name,
    "super": TypeScriptExpressions._name,
    "shorthand_property_identifier": TypeScriptExpressions._name,
    "member_expression": TypeScriptExpressions._member,
    "nested_identifier": TypeScriptExpressions._member,
    "subscript_expression": TypeScriptExpressions._subscript,
    "call_expression": TypeScriptExpressions._call,
    "new_expression": TypeScriptExpressions._new,
    "as_expression": TypeScriptExpressions._as,
    "satisfies_expression": TypeScriptExpressions._as,
    "type_assertion": TypeScriptExpressions._asserted,
    "parenthesized_expression": TypeScriptExpressions.inner,
    "sequence_expression": TypeScriptExpressions.inner,
    "non_null_expression": TypeScriptExpressions.first,
    "instantiation_expression": TypeScriptExpressions.first,
    "await_expression": TypeScriptExpressions._await,
    "ternary_expression": TypeScriptExpressions._choice,
    "binary_expression": TypeScriptExpressions._binary,
    "unary_expression": TypeScriptExpressions._word,
    "update_expression": TypeScriptExpressions._word,
    "assignment_expression": TypeScriptExpressions._assignment,
    "augmented_assignment_expression": TypeScriptExpressions._assignment,
    "object": TypeScriptExpressions._object,
    "array": TypeScriptExpressions._array,
    "class": TypeScriptExpressions._class_expression,
    "yield_expression": TypeScriptExpressions._yield,
    "jsx_opening_element": TypeScriptExpressions._element,
    "jsx_self_closing_element": TypeScriptExpressions._element,
    "jsx_closing_element": TypeScriptExpressions._ending,
    "comment": TypeScriptExpressions._undefined,
    "property_identifier": TypeScriptExpressions._undefined,
    **dict.fromkeys(FUNCTIONS, TypeScriptExpressions.function),
    **dict.fromkeys(_LITERALS, TypeScriptExpressions._literal),
}
