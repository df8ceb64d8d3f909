"""What a type of Go has: fields and methods, those of what is embedded in it, and the interfaces that it fulfils."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from recollect.code.facts import UNKNOWN, By, FunctionParameter, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.go.packages import folder_of
from recollect.code.resolve.typed import TYPES, Typed
from recollect.code.resolve.values import NOTHING, Value, Values, union

_PROMOTED_DEPTH_MAX = 6  # of types embedded in types
_SAME_TYPES = {"builtin.byte": "uint8", "builtin.rune": "int32", "builtin.any": "interface{}"}
Method = tuple[str, int]  # a file and a scope


class TypeMember(NamedTuple):
    """A field, or a method where there is none, and the type that has it, as it is given there."""

    path: str
    scope: int
    field: BoundName | None
    holder: Value


class GoMembers(Typed):
    """Members by name, and sets of methods. Embedding promotes what is least deep."""

    def members(self, path: str, scope: int, name: str) -> tuple[tuple[TypeMember, ...], bool]:
        """What a type has under a name, itself or by what is embedded in it; whether that may lie outside."""
        found: tuple[tuple[TypeMember, ...], bool] = self.entity(
            ("member", path, scope, name), lambda: self._members(path, scope, name), ((), False)
        )
        return found

    def _members(self, path: str, scope: int, name: str) -> tuple[tuple[TypeMember, ...], bool]:
        own = tuple(frozenset((each,)) for each in self.variables_of(path, scope))
        level: list[Value] = [("inst", path, scope, own)]
        seen: set[tuple[str, int]] = set()
        outside = False
        for depth in range(_PROMOTED_DEPTH_MAX):
            hits = [hit for each in level for hit in self._own_members(each, name)]
            if hits:
                self.soft = self.soft or depth > 0
                return tuple(hits), False
            seen |= {each[1:3] for each in level}
            further = [base for each in level for base in sorted(self.embedded(each), key=repr)]
            outside = outside or any(each[0] == "ext" for each in further)
            level = [each for each in further if each[0] == "inst" and each[1:3] not in seen]
        return (), outside

    def _own_members(self, owner: Value, name: str) -> list[TypeMember]:
        """Fields and methods that a type itself has."""
        path, scope = owner[1:3]
        facts = self.facts(path)
        if facts is None:
            return []
        here, symbol = facts.scopes[scope], facts.path_of(scope)
        self.look(path, symbol, name)
        bindings = [each for each in here.names.get(name, ()) if each.by in (By.SCOPE, By.VALUE)]
        if bindings:
            field = None if bindings[0].by == By.SCOPE else BoundName(path, scope, name, bindings[0])
            return [TypeMember(path, bindings[0].first, field, owner)]
        if here.parent or here.sort not in TYPES:  # declared in a function, or without a name: it has no methods
            return []
        return [
            TypeMember(other, at, None, owner)
            for other in self.defining(f"{symbol}.{name}")
            if folder_of(other) == folder_of(path)
            for at in self._methods_called(other, f"{symbol}.{name}", facts.scopes[0].name)
        ]

    def _methods_called(self, path: str, symbol: str, package: str) -> list[int]:
        facts = self.facts(path)
        if facts is None or facts.scopes[0].name != package:
            return []
        return [at for at, scope in enumerate(facts.scopes) if scope.name == symbol and scope.parent == 0]

    def embedded(self, owner: Value) -> Values:
        """The types that are embedded in a type, as it gives them."""
        path, scope = owner[1:3]
        found: Values = self.entity(("above", path, scope), lambda: self._embedded(path, scope))
        return self.substituted(found, self.settled(owner))

    def _embedded(self, path: str, scope: int) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        self.look(path, "bases", facts.path_of(scope))
        return union(self.declared(Standpoint(path, scope, 0), each) for each in facts.scopes[scope].bases)

    # Interfaces

    def implemented(self, path: str, scope: int) -> list[Value]:
        """The interfaces of the project whose methods a type has, all of them and as they are declared."""
        names = self.method_names(path, scope)
        found: set[Value] = set()
        for promised in sorted({each for name in names for each in self.promising(name)}):
            interface = self._interface(*promised)
            if interface is not None and self._fulfils(path, scope, names, interface):
                found.add(interface)
        return sorted(found)

    def _interface(self, path: str, symbol: str) -> Value | None:
        """An interface by its name, where it is one that types can fulfil: it takes no types and lists none."""
        facts = self.facts(path)
        for at, here in enumerate(facts.scopes if facts is not None else ()):
            if here.sort == Sort.INTERFACE and here.name == symbol and here.parent == 0:
                self.look(path, "bases", symbol)
                fits = "union" not in here.traits and not self.variables_of(path, at)
                return ("cls", path, at) if fits else None
        return None

    def _fulfils(self, path: str, scope: int, names: Collection[str], interface: Value) -> bool:
        other = interface[1]
        promised = self.methods(*interface[1:3])
        if not promised or promised.keys() - names:
            return False
        near = folder_of(other) == folder_of(path)
        if not near and (other.endswith("_test.go") or any(not name[:1].isupper() for name in promised)):
            return False
        for name, method in promised.items():
            members, _ = self.members(path, scope, name)
            if len(members) != 1 or members[0].field is not None:
                return False
            signature = self._signature(*members[0][:2])
            if signature is None or signature != self._signature(*method):
                return False
        return True

    def method_names(self, path: str, scope: int) -> frozenset[str]:
        """The names of what may be called on a type, what is embedded in it included."""
        found: frozenset[str] = self.entity(
            ("methods", path, scope), lambda: self._method_names(path, scope), frozenset()
        )
        return found

    def _method_names(self, path: str, scope: int) -> frozenset[str]:
        facts = self.facts(path)
        if facts is None:
            return frozenset()
        folder = folder_of(path)
        found = {name for other, name in self.held(facts.path_of(scope)) if folder_of(other) == folder}
        for base in self.embedded(("inst", path, scope, ())):
            if base[0] == "inst":
                found |= self.method_names(*base[1:3])
        return frozenset(found)

    def methods(self, path: str, scope: int) -> dict[str, Method]:
        """What an interface promises, by name; nothing where a part of it lies outside."""
        found: dict[str, Method] = self.entity(("promised", path, scope), lambda: self._promised(path, scope), {})
        return found

    def _promised(self, path: str, scope: int) -> dict[str, Method]:
        facts = self.facts(path)
        found: dict[str, Method] = {}
        if facts is None:
            return found
        here = facts.scopes[scope]
        for base in self.embedded(("inst", path, scope, ())):
            above = self.methods(*base[1:3]) if base[0] == "inst" else {}
            if not above:
                return {}
            found |= above
        if len(here.bases) != len(self.embedded(("inst", path, scope, ()))):
            return {}
        for name, bindings in here.names.items():
            if bindings[0].by == By.SCOPE:
                found[name] = (path, bindings[0].first)
        return found

    def _signature(self, path: str, scope: int) -> Any:
        """What a method takes and gives, so that two can be compared; None where a part of it is not known."""
        facts = self.facts(path)
        if facts is None:
            return None
        self.look(path, "signature", facts.path_of(scope))
        here = facts.scopes[scope]
        place = Standpoint(path, scope, 0)
        taken = self._shapes(place, here.parameters)
        given = self._shape(place, here.type) if here.type != UNKNOWN else ()
        return None if taken is None or given is None else (taken, given)

    def _shapes(self, place: Standpoint, parameters: Iterable[FunctionParameter]) -> Any:
        shapes = tuple((self._shape(place, each.type), each.sort) for each in parameters)
        return None if any(shape is None for shape, _ in shapes) else shapes

    def _shape(self, place: Standpoint, expr: int, depth: int = 0) -> Any:
        """A type as it is written, with every name as what it means."""
        facts = self.facts(place.path)
        at = facts.exprs[expr] if facts is not None and depth <= _PROMOTED_DEPTH_MAX else ("?",)
        if at[0] == "k":
            return at[1]
        if at[0] == "L":
            parts = tuple(self._shape(place, each, depth + 1) for each in at[2])
        elif at[0] == "s":
            parts = (self._shape(place, at[1], depth + 1), self._shape(place, at[2], depth + 1))
        else:
            meant = sorted(value[:3] for value in self.declared(place, expr))
            return _SAME_TYPES.get(meant[0][1], meant[0]) if len(meant) == 1 else None
        return None if any(part is None for part in parts) else (at[0], at[1] if at[0] == "L" else "", parts)
