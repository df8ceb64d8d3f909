"""What languages with declared types share: names in blocks, what a declared type says, types that take types.

A value of a type holds what its type was given, in the order of the type's variables. A variable stands for itself
(`("var", (path, scope, name), ())`) until the value that it is asked of settles it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from recollect.code.facts import SHADOWS, UNKNOWN, By, CodeScope, Expr, NameBinding, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.rules import LanguageRules
from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

TYPES = (Sort.CLASS, Sort.INTERFACE)
_HELD_DEPTH_MAX = 4  # of types in types; what lies deeper is not known
Settled = Mapping[Any, Values]  # variables of types, and what they stand for


class Typed(LanguageRules):
    """Names, variables and declared types. A language says what its names of types mean, and what has which members."""

    # What a language adds

    def type_named(self, place: Standpoint, name: str) -> Values:
        """Values of the type that a name means at a place."""
        raise NotImplementedError

    def type_inside(self, place: Standpoint, of: int, name: str) -> Values:
        """Values of the type `of.name`."""
        raise NotImplementedError

    def attribute(self, value: Value, name: str) -> Values:
        raise NotImplementedError

    def call(self, place: Standpoint, value: Value, given: tuple[int, ...], depth: int) -> Values:
        """What calling a value gives."""
        raise NotImplementedError

    def generic_outside(self, value: Value, args: tuple[Values, ...]) -> Value:
        """A type from outside of the project with what it is given."""
        return value

    # Names

    def around(self, place: Standpoint, name: str) -> Iterator[tuple[CodeScope, list[BoundName]]]:
        """The scopes around a place that bind a name, inmost first, with the bindings that are seen there."""
        facts = self.facts(place.path)
        scope = place.scope
        while facts is not None and scope >= 0:
            here = facts.scopes[scope]
            if scope == 0 or here.sort in TYPES:
                self.look(place.path, facts.path_of(scope), name)
            seen = _seen(here, name, place.line)
            if seen:
                yield here, [BoundName(place.path, scope, name, each) for each in seen]
            scope = here.parent

    def bound(self, place: Standpoint, name: str) -> list[BoundName]:
        return next((found for _, found in self.around(place, name)), [])

    def variable(self, found: BoundName) -> Values:
        """What a variable, a field or a parameter holds: by its declared type, else by the value it begins with."""
        if found.binding.by == By.PARAMETER:
            return self.parameter(found.path, found.scope, found.binding.first)
        return self.entity(("bind", *found), lambda: self._held(found))  # type: ignore[no-any-return]

    def _held(self, found: BoundName) -> Values:
        facts = self.facts(found.path)
        if facts is None:
            return NOTHING
        here = facts.scopes[found.scope]
        scope = here.parent if SHADOWS in here.traits else found.scope
        place = Standpoint(found.path, scope, found.binding.line)
        if found.binding.second != UNKNOWN:
            return self.declared(place, found.binding.second)
        return self.values(place, found.binding.first)

    def parameter(self, path: str, scope: int, at: int) -> Values:
        """What is known of a parameter before anybody calls."""
        return self.entity(("parameter", path, scope, at), lambda: self._parameter(path, scope, at))  # type: ignore[no-any-return]

    def _parameter(self, path: str, scope: int, at: int) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        if here.sort == Sort.FUNCTION:
            self.look(path, "signature", facts.path_of(scope))
        given = here.parameters[at]
        found = self.declared(Standpoint(path, scope, here.line), given.type)
        return one("seq", "list", found) if given.sort == "*" else found

    # Types

    def declared(self, place: Standpoint, expr: int) -> Values:
        """Values of a declared type."""
        facts = self.facts(place.path)
        if facts is None or expr == UNKNOWN:
            return NOTHING
        at: Expr = facts.exprs[expr]
        kind = at[0]
        if kind == "n":
            return self.type_named(place, at[1])
        if kind == "a":
            return self.type_inside(place, at[1], at[2])
        if kind == "s":
            return self._given(place, at)
        if kind == "k":
            return one("lit", at[1])
        if kind == "f":  # a type without a name
            return one("inst", place.path, at[1], ())
        if kind == "|":
            return union(self.declared(place, each) for each in at[1:])
        return self._composed(place, at) if kind == "L" else NOTHING

    def _composed(self, place: Standpoint, at: Expr) -> Values:
        """Pointers, arrays, maps, functions, several results."""
        parts = [self.declared(place, each) for each in at[2][:2]] if at[1] != "tuple" else []
        if at[1] == "ptr":
            return parts[0]
        if at[1] == "tuple":
            return one("tup", tuple(self.declared(place, each) for each in at[2]))
        if at[1] == "dict":
            return one("map", *parts)
        return one("call", parts[0]) if at[1] == "call" else one("seq", at[1], parts[0])

    def _given(self, place: Standpoint, at: Expr) -> Values:
        """A type with what it is given in brackets."""
        facts = self.facts(place.path)
        assert facts is not None
        index = facts.exprs[at[2]]
        parts = index[2] if index[:2] == ("L", "tuple") else (at[2],)
        args = tuple(self.declared(place, each) for each in parts)
        found: set[Value] = set()
        for value in self.declared(place, at[1]):
            if value[0] == "inst":
                found.add((*value[:3], args))
            else:
                found.add(self.generic_outside(value, args) if value[0] == "ext" else value)
        return frozenset(found)

    def variables_of(self, path: str, scope: int) -> tuple[Value, ...]:
        """The type variables of a type or a function, in order."""
        facts = self.facts(path)
        if facts is None:
            return ()
        here = facts.scopes[scope]
        if here.sort in TYPES:
            self.look(path, "bases", facts.path_of(scope))
        else:
            self.look(path, "signature", facts.path_of(scope))
        names = (name for name, bindings in here.names.items() if bindings[0].by == By.TYPE)
        return tuple(_variable(path, scope, name) for name in names)

    def type_variable(self, found: BoundName) -> Values:
        return frozenset((_variable(*found[:3]),))

    def bound_of(self, variable: Value) -> Values:
        """What a type variable is declared to be at least."""
        path, scope, name = variable[1]
        return self.entity(("bound", path, scope, name), lambda: self._bound_of(path, scope, name))  # type: ignore[no-any-return]

    def _bound_of(self, path: str, scope: int, name: str) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        self.look(path, facts.path_of(scope), name) if here.sort in TYPES else None
        bindings = here.names.get(name, ())
        return union(self.declared(Standpoint(path, scope, 0), each.first) for each in bindings if each.by == By.TYPE)

    # Functions

    def returned(self, path: str, scope: int, known: Settled) -> Values:
        """What a function is declared to return, with type variables settled."""
        found: Values = self.entity(("ret", path, scope), lambda: self._returned(path, scope))
        self.soft = True
        return self.substituted(found, known)

    def _returned(self, path: str, scope: int) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        self.look(path, "signature", facts.path_of(scope))
        return self.declared(Standpoint(path, scope, 0), facts.scopes[scope].type)

    def taken(self, path: str, scope: int, given: Iterable[Values]) -> Settled:
        """Type variables that the arguments of a call settle."""
        facts = self.facts(path)
        known: dict[Any, Values] = {}
        parameters = facts.scopes[scope].parameters if facts is not None else []
        for at, values in enumerate(given):
            if not parameters or not values:
                continue
            place = min(at, len(parameters) - 1)
            if place < at and parameters[place].sort != "*":
                break
            wanted: Values = self.entity(("takes", path, scope, place), partial(self._taken, path, scope, place))
            self.matched(wanted, values, known)
        return known

    def _taken(self, path: str, scope: int, at: int) -> Values:
        facts = self.facts(path)
        assert facts is not None
        self.look(path, "signature", facts.path_of(scope))
        return self.declared(Standpoint(path, scope, 0), facts.scopes[scope].parameters[at].type)

    def matched(self, wanted: Values, given: Values, known: dict[Any, Values], depth: int = 0) -> None:
        """Settle the variables of a type by a value that is taken for it."""
        if depth > _HELD_DEPTH_MAX:
            return
        for want in wanted:
            if want[0] == "var":
                if not any(each[0] == "lit" and each[1] in ("nil", "null") for each in given):
                    known.setdefault(want[1], given)
                continue
            for value in given:
                if want[0] == "inst" and value[0] == "inst":
                    above = self.seen_as(value, want)
                    for part, held in zip(want[3], above[3] if above is not None else (), strict=False):
                        self.matched(part, held, known, depth + 1)
                elif want[0] == value[0] and want[0] in ("seq", "map", "call"):
                    self.matched(want[-1], value[-1], known, depth + 1)

    def seen_as(self, value: Value, wanted: Value) -> Value | None:
        """A value as a value of a type that its own type extends; None where it does not."""
        return value if value[1:3] == wanted[1:3] else None

    def settled(self, owner: Value | None) -> Settled:
        """The variables of a type, as a value of it has them."""
        if owner is None or owner[0] != "inst" or not owner[3]:
            return {}
        return {var[1]: arg for var, arg in zip(self.variables_of(*owner[1:3]), owner[3], strict=False)}

    def substituted(self, values: Values, known: Settled, depth: int = 0) -> Values:
        """These with type variables as they are settled."""
        if not values or not known:
            return values
        if depth > _HELD_DEPTH_MAX:
            return NOTHING
        found: list[Values] = []
        for value in values:
            if value[0] == "var":
                found.append(known.get(value[1], frozenset((value,))))
            elif value[0] == "inst":
                found.append(one(*value[:3], tuple(self.substituted(each, known, depth + 1) for each in value[3])))
            elif value[0] == "tup":
                found.append(one("tup", tuple(self.substituted(each, known, depth + 1) for each in value[1])))
            elif value[0] in ("seq", "map", "call"):
                parts = (self.substituted(p, known, depth + 1) if isinstance(p, frozenset) else p for p in value[1:])
                found.append(one(value[0], *parts))
            else:
                found.append(frozenset((value,)))
        return union(found)

    # Expressions

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        kind = expr[0]
        if kind == "a":
            return union(self.attribute(each, expr[2]) for each in of)
        if kind == "c":
            return union(self.call(place, each, expr[2], depth) for each in of)
        if kind == "s":
            return union(map(self.subscripted, of))
        if kind == "u":
            return union(self.part(each, expr[2]) for each in of)
        if kind in ("i", "y"):
            return union((self.iterated if kind == "i" else self.awaited)(each) for each in of)
        return NOTHING

    def literal(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        kind = expr[0]
        if kind == "k":
            return one("lit", expr[1])
        if kind == "t":
            return self.declared(place, expr[1])
        if kind == "f":
            facts = self.facts(place.path)
            declared = facts.scopes[expr[1]].type if facts is not None else UNKNOWN
            return one("call", self.declared(Standpoint(place.path, expr[1], place.line), declared))
        if kind == "L":
            return one("seq", expr[1], union(self.values(place, each, depth + 1) for each in expr[2]))
        return NOTHING

    def subscripted(self, value: Value) -> Values:
        if value[0] in ("seq", "map"):
            return value[2]  # type: ignore[no-any-return]
        if value[0] in ("fn", "meth", "cls"):
            return frozenset((value,))
        return external("item") if value[0] in ("ext", "lit") else NOTHING

    def iterated(self, value: Value) -> Values:
        """What a loop over a value gives."""
        if value[0] == "seq":
            return value[2]  # type: ignore[no-any-return]
        return external("item") if value[0] in ("ext", "lit") else NOTHING

    def awaited(self, value: Value) -> Values:
        return NOTHING

    def part(self, value: Value, at: int) -> Values:
        """One of several results, or what stands at a place of a tuple."""
        if value[0] == "tup":
            return value[1][at] if at < len(value[1]) else NOTHING
        return frozenset((value,)) if at == 0 or value[0] == "ext" else one("lit", "bool")


def _seen(here: CodeScope, name: str, line: int) -> list[NameBinding]:
    """What a scope binds to a name, as it is seen from a line: of the variables of a function, the last one above."""
    bindings = here.names.get(name)
    if not bindings:
        return []
    if here.sort not in (Sort.BLOCK, Sort.FUNCTION):
        return bindings
    return [each for each in bindings if each.line <= line][-1:] if line else bindings[-1:]


def _variable(path: str, scope: int, name: str) -> Value:
    return ("var", (path, scope, name), NOTHING)
