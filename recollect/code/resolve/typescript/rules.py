"""What names and expressions of TypeScript stand for, and the edges that follow from them."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.code.facts import UNKNOWN, By, Expr, FileFacts, NameBinding, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.rules import Supertype
from recollect.code.resolve.typescript.customs import GLOBALS, known_call, many_called
from recollect.code.resolve.typescript.functions import NULL, ScriptFunctions
from recollect.code.resolve.typescript.members import TYPES
from recollect.code.resolve.typescript.naming import OfferedName
from recollect.code.resolve.values import NOTHING, Value, Values, external, items_of, one, union

_MANY = ("seq", "map", "aw", "tup")


class TypeScript(ScriptFunctions):
    """The rules of TypeScript, JavaScript and JSX."""

    # What edges are made of

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """What a module passes on of others."""
        for name, bindings in facts.scopes[0].names.items():
            passed = name.startswith("export ")
            if not passed and not (facts.exported and name in facts.exported):
                continue
            binding = bindings[-1]
            if not passed and binding.by != By.IMPORT:
                continue
            word = name.removeprefix("export ")
            self.soft = False
            found: set[Value] = set()
            for each in self.offered(path, word) if word else ():
                if each.found is not None and each.found.path != path and not each.member:
                    found |= self._symbols(each.found)
            if found:
                yield binding.line, frozenset(found)

    def _symbols(self, found: BoundName) -> Values:
        """A definition by the name that binds it."""
        facts = self.facts(found.path)
        if facts is None or found.binding.by != By.SCOPE:
            return NOTHING
        sort = facts.scopes[found.binding.first].sort
        return one("fn" if sort == Sort.FUNCTION else "cls", found.path, found.binding.first)

    def supertypes(self, path: str, facts: FileFacts, at: int) -> Iterator[Supertype]:
        scope = facts.scopes[at]
        for promised, declared in ((False, scope.bases), (True, scope.interfaces)):
            for expr in declared:
                self.soft = False
                if promised or scope.sort == Sort.INTERFACE:
                    values = self.declared(Standpoint(path, at, 0), expr)
                else:
                    values = self.extended(path, scope, at, expr)
                types = frozenset(("cls", *each[1:3]) for each in values if each[0] == "inst" and self._is_named(each))
                yield Supertype(types, promised)

    def _is_named(self, value: Value) -> bool:
        facts = self.facts(value[1])
        return facts is not None and facts.scopes[value[2]].sort in (Sort.CLASS, Sort.INTERFACE)

    def called(self, value: Value) -> list[Value]:
        if value[0] == "inst":
            for name in ("()", "new()"):
                found = [each[:3] for each in self.member(value, name) if each[0] == "fn"]
                if found:
                    return found
            return []
        if value[0] == "var":
            return [called for each in self.bound_of(value[1]) if each[0] != "var" for called in self.called(each)]
        return [("cls", *value[1:3])] if value[0] == "super" else super().called(value)

    # Names

    def name(self, place: Standpoint, name: str) -> Values:
        narrowed = self._checked(place, name)
        if narrowed:
            return narrowed
        if name == "this":
            return self._this(place)
        if name == "super":
            return self._super(place)
        found = self.bound(place, name)
        if found:
            return self.meanings(found)
        return external(name) if name in GLOBALS else NOTHING

    def meanings(self, found: list[BoundName]) -> Values:
        """What bindings of one name give: a declared type settles it, and of overloads the last one stands for all."""
        declared = [each for each in found if each.binding.by == By.VALUE and each.binding.second != UNKNOWN]
        if declared:
            found = declared[:1]
        last: BoundName | None = None
        others: list[BoundName] = []
        for each in found:
            if each.binding.by == By.SCOPE and self._sort(each) == Sort.FUNCTION:
                last = each
            else:
                others.append(each)
        chosen = [*others, last] if last is not None else others
        values = union(self.binding(each) for each in chosen)
        return values - {NULL} if len(values) > 1 else values

    def _sort(self, found: BoundName) -> str:
        facts = self.facts(found.path)
        return facts.scopes[found.binding.first].sort if facts is not None else ""

    def narrowed(self, place: Standpoint, facts: FileFacts, expr: Expr) -> Values | None:
        if expr[0] != "a" or facts.exprs[expr[1]][0] != "n":
            return None
        return self._checked(place, f"{facts.exprs[expr[1]][1]}.{expr[2]}") or None

    def _checked(self, place: Standpoint, words: str) -> Values:
        """What `instanceof` says about a name, or a member of one, in these lines."""
        facts = self.facts(place.path)
        scope = place.scope
        while facts is not None and scope >= 0 and place.line:
            for check in facts.scopes[scope].narrowed:
                if check.name == words and check.first <= place.line <= check.last:
                    where = Standpoint(place.path, scope, 0)
                    found = union(self.constructed(each) for each in self.values(where, check.type))
                    if found:
                        return found
            scope = facts.scopes[scope].parent
        return NOTHING

    def _this(self, place: Standpoint) -> Values:
        """What `this` is: of the class or object around, whose method or field we are in."""
        facts = self.facts(place.path)
        scope = place.scope
        static = False
        while facts is not None and scope > 0:
            here = facts.scopes[scope]
            if "this" in here.names:
                return self.binding(BoundName(place.path, scope, "this", here.names["this"][0]))
            if here.sort == Sort.OBJECT and "namespace" in here.traits:
                return NOTHING
            if here.sort == Sort.OBJECT and here.decorators:
                return self._this_object(place.path, facts, scope)
            if here.sort in TYPES:
                return one("cls" if static else "inst", place.path, scope, *(() if static else ((),)))
            holder = facts.scopes[here.parent]
            inside = holder.sort in TYPES
            if holder.sort == Sort.OBJECT and "arrow" in here.traits and "namespace" not in holder.traits:
                scope = holder.parent  # an arrow has no `this` of its own
                continue
            if "arrow" not in here.traits and not inside:
                return self._this_function(place.path, facts, scope)
            static = "static" in here.traits
            scope = here.parent
        return NOTHING

    def _this_function(self, path: str, facts: FileFacts, scope: int) -> Values:
        """What `this` is in a function that was added to something, or that makes things of its own."""
        here = facts.scopes[scope]
        if "added" in here.traits:
            return one("inst", path, here.parent, ())
        makes = here.sort == Sort.FUNCTION and here.members
        return one("inst", path, scope, ()) if makes else NOTHING

    def _this_object(self, path: str, facts: FileFacts, scope: int) -> Values:
        """What `this` is in an object that somebody takes: what it is taken as."""
        taken = frozenset(each for each in self.expected(path, scope) if each[0] == "inst")
        if taken or facts.exprs[facts.scopes[scope].decorators[0]][0] == "A":
            return taken
        return one("inst", path, scope, ())

    def _super(self, place: Standpoint) -> Values:
        """What the class around extends, seen from here."""
        found: list[Values] = []
        for own in self._this(place):
            facts = self.facts(own[1])
            if facts is None or facts.scopes[own[2]].sort != Sort.CLASS:
                continue
            for path, scope, known in self.above(own[1], own[2])[0][1:2]:
                found.append(one("super", path, scope, known, own[0]))
            if not found and self.above(own[1], own[2])[1]:
                found.append(external("super"))
        return union(found)

    def binding(self, found: BoundName) -> Values:
        """What a binding gives."""
        kind = found.binding.by
        if kind == By.SCOPE:
            sort = self._sort(found)
            if sort == Sort.FUNCTION:
                return one("fn", found.path, found.binding.first, ())
            if sort == Sort.CLASS:
                return one("cls", found.path, found.binding.first)
            return one("inst", found.path, found.binding.first, ()) if sort == Sort.OBJECT else NOTHING
        if kind == By.PARAMETER:
            return self.parameter(found.path, found.scope, found.binding.first)
        return self.entity(("bind", *found[:3], found.binding), lambda: self._assigned(found))  # type: ignore[no-any-return]

    def _assigned(self, found: BoundName) -> Values:
        binding, facts = found.binding, self.facts(found.path)
        if facts is None or binding.by == By.TYPE:
            return NOTHING
        if binding.by == By.IMPORT:
            return self.values_of(self.followed(found.path, facts.imports[binding.first], binding.second))
        place = Standpoint(found.path, found.scope, binding.line)
        if binding.second != UNKNOWN:
            declared = self.declared(place, binding.second)
            if declared:
                return declared
        return self.values(place, binding.first)

    def values_of(self, offered: list[OfferedName]) -> Values:
        """The values of what a module offers."""
        found: list[Values] = []
        bound: dict[str, list[BoundName]] = {}
        for each in offered:
            if each.value is not None:
                found.append(frozenset((each.value,)))
            elif each.found is not None:
                bound.setdefault(each.member, []).append(each.found)
        for member, bindings in bound.items():
            facts = self.facts(bindings[0].path)
            values = self.meanings([each for each in bindings if facts is not None and _is_value(facts, each.binding)])
            found.append(union(self.attribute(each, member) for each in values) if member else values)
        return union(found)

    # Expressions

    def literal(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        kind = expr[0]
        if kind == "k":
            return one("lit", expr[1])
        if kind == "L":
            parts = [self.values(place, each, depth + 1) for each in expr[2]]
            return one("seq", "Array", union(parts)) if len(parts) != 2 else one("tup", tuple(parts))
        if kind == "f":
            return one("fn", place.path, expr[1], ())
        if kind == "O":
            return one("inst", place.path, expr[1], ())
        if kind == "K":
            return one("cls", place.path, expr[1])
        if kind == "t":
            return self.declared(place, expr[1])
        if kind == "R":
            return self._loaded(place, expr)
        return NOTHING

    def _loaded(self, place: Standpoint, expr: Expr) -> Values:
        source = self.modules.find(place.path, expr[2])
        if expr[1] == "import":
            return one("aw", source)
        return union(
            self.values_of(self.offered(each[1], "=")) if each[0] == "mod" else frozenset((each,)) for each in source
        )

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        kind = expr[0]
        if kind == "a":
            return union(self.attribute(each, expr[2]) for each in of)
        if kind == "c":
            return self._called(place, expr, of, depth)
        if kind == "N":
            return self._new(place, expr, of, depth)
        if kind == "s":
            return union(self._item(each) for each in of)
        if kind == "i":
            return union(one("tup", each[1:]) if each[0] == "map" else items_of(frozenset((each,))) for each in of)
        if kind == "u":
            return union(self._part(each, expr[2]) for each in of)
        if kind == "y":
            return union(each[1] if each[0] == "aw" else frozenset((each,)) for each in of)
        return NOTHING

    def _item(self, value: Value) -> Values:
        if value[0] in ("seq", "map"):
            return value[-1]  # type: ignore[no-any-return]
        if value[0] == "tup":
            return union(value[1])
        return self.member(value, "[]") if value[0] == "inst" else external("item") if value[0] == "ext" else NOTHING

    def _part(self, value: Value, at: int) -> Values:
        if value[0] == "tup":
            return value[1][at] if at < len(value[1]) else NOTHING
        return self._item(value)

    def attribute(self, value: Value, name: str) -> Values:
        kind = value[0]
        if kind == "mod":
            return self.values_of(self.offered(value[1], name))
        if kind in ("cls", "inst", "super"):
            return self.member(value, name)
        if kind in _MANY:
            return one("many", value, name)
        if kind == "var":
            return union(self.attribute(each, name) for each in self.bound_of(value[1]) if each[0] != "var")
        if kind == "ext":
            return external(f"{value[1]}.{name}")
        if kind == "lit" or name in ("call", "apply", "bind"):
            return external(f"{kind}.{name}")
        return self.member(("inst", *value[1:3], ()), name) if kind == "fn" else NOTHING

    def _called(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        found: list[Values] = []
        for value in of:
            given: tuple[Values, ...] = ()
            if value[0] in ("fn", "many", "ext", "inst"):
                given = tuple(self.values(place, each, depth + 1) for each in expr[2])
            if value[0] == "fn":
                types = tuple(self.declared(place, each) for each in expr[3])
                found.append(self.result(value, given, types))
            elif value[0] == "inst":
                found += [self.result(each, given) for each in self.member(value, "()") if each[0] == "fn"]
            elif value[0] == "many":
                functions = [union(self.result(f) for f in each if f[0] == "fn") for each in given]
                found.append(many_called(value, functions, given))
            elif value[0] == "ext":
                found.append(known_call(value[1], given))
        return union(found)

    def _new(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        found: list[Values] = []
        types = tuple(self.declared(place, each) for each in expr[3]) if len(expr) > 3 else ()
        for value in of:
            if value[0] == "cls" and not types and len(expr) > 2 and expr[2]:
                types = self.constructor_types(value, tuple(self.values(place, each, depth + 1) for each in expr[2]))
            found.append(self.made(value, types))
        return union(found)


def _is_value(facts: FileFacts, binding: NameBinding) -> bool:
    if binding.by == By.SCOPE:
        return facts.scopes[binding.first].sort != Sort.INTERFACE
    return binding.by != By.TYPE
