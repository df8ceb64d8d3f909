"""Declared types of TypeScript: what an annotation says about the things it stands for.

    ("inst", path, scope, known)   something of a class, an interface or the type of an object
    ("fn", path, scope, known)     a function
    ("var", parameter)             whatever a type parameter stands for

`known` says what type parameters stand for, and what `this` is: pairs of a parameter and its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.code.facts import UNKNOWN, By, Expr, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.typescript.naming import ScriptNames, TypeParameter
from recollect.code.resolve.values import NOTHING, SELF, Value, Values, external, one, union

Known = tuple[tuple[Any, Values], ...]
_HELD_DEPTH_MAX = 5  # of types in types, as deep as type parameters are filled in

_SEQUENCES = frozenset(
    "Array ReadonlyArray Set ReadonlySet WeakSet Iterable IterableIterator Iterator Generator AsyncIterable "
    "AsyncIterator AsyncIterableIterator AsyncGenerator ArrayLike IteratorObject ArrayIterator SetIterator".split()
)
_MAPPINGS = frozenset("Map ReadonlyMap WeakMap Record".split())
_WAITED = frozenset("Promise PromiseLike".split())
_THROUGH = frozenset(
    "Partial Required Readonly NonNullable NoInfer Pick Omit Extract Exclude Awaited ThisType WeakRef".split()
)


class DeclaredTypes(ScriptNames):
    """How types are read."""

    def attribute(self, value: Value, name: str) -> Values:
        raise NotImplementedError

    def result(self, value: Value, given: tuple[Values, ...] = ()) -> Values:
        """What calling a function gives."""
        raise NotImplementedError

    def constructed(self, value: Value) -> Values:
        """What `new` makes of a value."""
        raise NotImplementedError

    def declared(self, place: Standpoint, expr: int) -> Values:
        """What is of a type; nothing where it says nothing about anything of ours or outside."""
        facts = self.facts(place.path)
        if facts is None or expr == UNKNOWN:
            return NOTHING
        at: Expr = facts.exprs[expr]
        kind = at[0]
        if kind == "n":
            return self._type_name(place, at[1], ())
        if kind == "s":
            return self._generic(place, at)
        if kind in ("o", "&"):
            return union(self.declared(place, each) for each in at[1])
        if kind == "k":
            return one("lit", at[1]) if at[1] != "null" else NOTHING
        if kind == "a":
            return self._inside(place, at, ())
        if kind == "f":
            return one("fn", place.path, at[1], ())
        if kind == "O":
            return one("inst", place.path, at[1], ())
        if kind == "L":
            return one("tup", tuple(self.declared(place, each) for each in at[2]))
        if kind == "q":
            return self.values(place, at[1])
        if kind == "l":
            return union(self.attribute(each, at[2]) for each in self.declared(place, at[1]))
        return self.values(place, expr) if kind == "R" else NOTHING

    def _type_name(self, place: Standpoint, name: str, given: tuple[Values, ...]) -> Values:
        if name == "this":
            return frozenset((SELF,))
        found, parameter = self.bound_type(place, name)
        if parameter is not None:
            return one("var", parameter)
        if found:
            return union(self._type_bound(each, given) for each in found)
        return self._outside(name, given)

    def _inside(self, place: Standpoint, expr: Expr, given: tuple[Values, ...]) -> Values:
        """`module.Type`, `Namespace.Type`, `Enum.Member`."""
        found: list[Values] = []
        for holder in self.values(place, expr[1]):
            if holder[0] == "ext":
                found.append(self._outside(f"{holder[1]}.{expr[2]}", given))
            elif holder[0] == "mod":
                offered = [each.found for each in self.offered(holder[1], expr[2]) if not each.member]
                found += [self._type_bound(each, given) for each in offered if each is not None]
            elif holder[0] == "cls":
                found.append(one("inst", *holder[1:3], ()))
            elif holder[0] == "inst":
                facts = self.facts(holder[1])
                if facts is not None:
                    self.look(holder[1], facts.path_of(holder[2]), expr[2])
                    bindings = facts.scopes[holder[2]].names.get(expr[2], ())
                    bound = [BoundName(holder[1], holder[2], expr[2], each) for each in bindings]
                    found += [self._type_bound(each, given) for each in bound]
        return union(found)

    def _type_bound(self, found: BoundName, given: tuple[Values, ...]) -> Values:
        """What a name that is used as a type means by what binds it."""
        facts, binding = self.facts(found.path), found.binding
        if facts is None:
            return NOTHING
        if binding.by == By.SCOPE:
            here = facts.scopes[binding.first]
            if here.sort not in (Sort.CLASS, Sort.INTERFACE):
                return NOTHING
            return one("inst", found.path, binding.first, self._filled(found.path, binding.first, given))
        if binding.by == By.TYPE:
            inner: Values = self.entity(("type", *found[:3], binding), lambda: self._aliased(found))
            scope = facts.exprs[binding.second]
            if scope[0] != "f":
                return inner
            return self.substituted(inner, dict(self._filled(found.path, scope[1], given)))
        if binding.by == By.IMPORT:
            whole: list[Values] = []
            for each in self.followed(found.path, facts.imports[binding.first], binding.second):
                if each.value is not None and each.value[0] == "ext":
                    whole.append(self._outside(each.value[1], given))
                elif each.found is not None and not each.member:
                    whole.append(self._type_bound(each.found, given))
            return union(whole)
        return NOTHING

    def _aliased(self, found: BoundName) -> Values:
        facts = self.facts(found.path)
        assert facts is not None
        scope = facts.exprs[found.binding.second]
        return self.declared(
            Standpoint(found.path, scope[1] if scope[0] == "f" else found.scope, 0), found.binding.first
        )

    def _filled(self, path: str, scope: int, given: tuple[Values, ...]) -> Known:
        """What the type parameters of a type stand for, by its arguments and by what they are without."""
        facts = self.facts(path)
        if facts is None:
            return ()
        if facts.scopes[scope].sort != Sort.BLOCK:
            self.look(path, "bases", facts.path_of(scope))
        known: dict[Any, Values] = {}
        wanted = [(at, each) for at, each in enumerate(facts.scopes[scope].parameters) if each.sort == "<"]
        for number, (at, parameter) in enumerate(wanted):
            key = TypeParameter(path, scope, at)
            if number < len(given):
                known[key] = given[number]
            elif parameter.default != UNKNOWN:
                known[key] = self.substituted(self.declared(Standpoint(path, scope, 0), parameter.default), known)
        return tuple(known.items())

    def _generic(self, place: Standpoint, expr: Expr) -> Values:
        """A type with arguments."""
        facts = self.facts(place.path)
        assert facts is not None
        of, index = facts.exprs[expr[1]], facts.exprs[expr[2]]
        given = tuple(self.declared(place, each) for each in index[2]) if index[0] == "L" else ()
        if of[0] == "n":
            return self._type_name(place, of[1], given)
        if of[0] == "a":
            return self._inside(place, of, given)
        return self.declared(place, expr[1])

    def _outside(self, name: str, given: tuple[Values, ...]) -> Values:
        """Types that everybody knows."""
        word = name.rpartition(".")[2]
        if word in _SEQUENCES:
            return one("seq", "Array", given[0] if given else NOTHING)
        if word in _MAPPINGS:
            keys, items = given if len(given) == 2 else (NOTHING, NOTHING)
            return one("map", keys, items)
        if word in _WAITED:
            return one("aw", given[0] if given else NOTHING)
        if not given:
            return external(name)
        if word in _THROUGH:
            return given[0]
        if word == "ReturnType":
            return union(self.result(each) for each in given[0] if each[0] == "fn")
        if word == "InstanceType":
            return union(self.constructed(each) for each in given[0])
        return external(name)

    # Type parameters

    def bound_of(self, parameter: TypeParameter) -> Values:
        """What a type parameter has to be."""
        facts = self.facts(parameter.path)
        if facts is None:
            return NOTHING
        bound = facts.scopes[parameter.scope].parameters[parameter.at].type
        place = Standpoint(parameter.path, parameter.scope, 0)
        found: Values = self.entity(("bound", *parameter), lambda: self.declared(place, bound))
        return found

    def substituted(self, values: Values, known: Mapping[Any, Values], depth: int = 0) -> Values:
        """These with `this` and type parameters as they are known."""
        if not known or not values:
            return values
        if depth > _HELD_DEPTH_MAX:
            return NOTHING
        found: list[Values] = []
        for value in values:
            kind = value[0]
            if value == SELF:
                found.append(known.get(SELF, frozenset((SELF,))))
            elif kind == "var":
                found.append(known.get(value[1], frozenset((value,))))
            elif kind in ("seq", "aw"):
                found.append(one(*value[:-1], self.substituted(value[-1], known, depth + 1)))
            elif kind == "map":
                found.append(one("map", *(self.substituted(each, known, depth + 1) for each in value[1:])))
            elif kind == "tup":
                found.append(one("tup", tuple(self.substituted(each, known, depth + 1) for each in value[1])))
            elif kind in ("inst", "fn"):
                found.append(one(*value[:3], self._closed(value, known, depth)))
            else:
                found.append(frozenset((value,)))
        return union(found)

    def _closed(self, value: Value, known: Mapping[Any, Values], depth: int) -> Known:
        """What an object or a function knows of type parameters: its own, and those around it."""
        facts = self.facts(value[1])
        inner = {key: self.substituted(each, known, depth + 1) for key, each in value[3]}
        if facts is None or facts.scopes[value[2]].sort in (Sort.CLASS, Sort.INTERFACE):
            return tuple(inner.items())
        around = set(_around(facts.scopes, value[2]))
        for key, each in known.items():
            if key not in inner and (key == SELF or (key[0] == value[1] and key[1] in around)):
                inner[key] = each
        return tuple(inner.items())

    def unified(self, wanted: Values, given: Values, known: dict[Any, Values], depth: int = 0) -> None:
        """Find what type parameters stand for, where something `given` is `wanted` somewhere."""
        if depth > _HELD_DEPTH_MAX or not given:
            return
        for value in wanted:
            kind = value[0]
            if kind == "var":
                known[value[1]] = union((known.get(value[1], NOTHING), given))
                continue
            alike = [each for each in given if each[0] == kind or (kind, each[0]) == ("seq", "tup")]
            wants = self.result(value) if kind == "fn" and alike else NOTHING
            for each in alike:
                if kind == "inst":
                    self._unified_arguments(value, each, known, depth)
                elif kind == "fn":
                    self.unified(wants, self.result(each) if wants else NOTHING, known, depth + 1)
                elif kind in ("seq", "aw", "map", "tup"):
                    self._unified_parts(value, each, known, depth)

    def _unified_parts(self, wanted: Value, given: Value, known: dict[Any, Values], depth: int) -> None:
        if given[0] == "tup" != wanted[0]:
            given = ("seq", "Array", union(given[1]))
        parts = zip(wanted[1], given[1], strict=False) if wanted[0] == "tup" else [(wanted[-1], given[-1])]
        for want, have in parts:
            self.unified(want, have, known, depth + 1)

    def _unified_arguments(self, wanted: Value, given: Value, known: dict[Any, Values], depth: int) -> None:
        for path, scope, theirs in self.above(given[1], given[2])[0]:
            if (path, scope) == wanted[1:3]:
                have = {key: self.substituted(each, dict(given[3])) for key, each in theirs} | (
                    dict(given[3]) if (path, scope) == given[1:3] else {}
                )
                for key, want in wanted[3]:
                    if key in have:
                        self.unified(want, have[key], known, depth + 1)
                return

    def above(self, path: str, scope: int) -> tuple[list[tuple[str, int, Known]], bool]:
        """A type and what it extends, with what is known of their type parameters; whether there is more outside."""
        raise NotImplementedError


def _around(scopes: Any, scope: int) -> Iterable[int]:
    while scope > 0:
        yield scope
        scope = scopes[scope].parent
