"""What a type of Java has, with what it inherits; and which of several methods of a name is called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from recollect.code.facts import By, CodeScope, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.java.packages import JavaPackages, methods_called
from recollect.code.resolve.values import NOTHING, VALUES_MAX, Value, Values

HEAD = -1  # the line of what stands in the head of a type: of the type, only its variables are seen
_OBJECT = frozenset("clone equals finalize getClass hashCode notify notifyAll toString wait".split())
_OWN = frozenset({"constructor", "private"})  # traits of what is not inherited
_WIDER = ("byte", "short", "int", "long", "float", "double")
_BOXES = {"int": "Integer", "char": "Character"}


class FoundMethod(NamedTuple):
    """A method, and the type that has it as its heir gives it."""

    path: str
    scope: int
    holder: Value
    inherited: bool


class JavaMembers(JavaPackages):
    """Lines of descent, fields, methods and overloads."""

    # Descent

    def lineage(self, path: str, scope: int) -> tuple[tuple[Value, ...], bool]:
        """A type and all that it inherits from, nearest first, and whether there is more outside of the project."""
        found: tuple[tuple[Value, ...], bool] = self.entity(
            ("lineage", path, scope), lambda: self._lineage(path, scope), ((("inst", path, scope, ()),), True)
        )
        return found

    def _lineage(self, path: str, scope: int) -> tuple[tuple[Value, ...], bool]:
        own = tuple(frozenset((each,)) for each in self.variables_of(path, scope))
        order: dict[tuple[str, int], Value] = {(path, scope): ("inst", path, scope, own)}
        outside = False
        for above in self.above(path, scope):
            outside = outside or not above
            for value in sorted(above, key=repr):
                if value[0] != "inst":
                    outside = outside or value[0] != "ext" or value[1] not in _PLAIN
                    continue
                further, beyond = self.lineage(*value[1:3])
                outside = outside or beyond
                known = self.settled(value)
                for each in further:
                    order.setdefault(each[1:3], next(iter(self.substituted(frozenset((each,)), known))))
        return tuple(order.values()), outside

    def above(self, path: str, scope: int) -> list[Values]:
        """What a type is declared to extend and to implement, and what every type of its sort extends."""
        facts = self.facts(path)
        if facts is None:
            return []
        self.look(path, "bases", facts.path_of(scope))
        here, place = facts.scopes[scope], Standpoint(path, scope, HEAD)
        found = [self.declared(place, each) for each in (*here.bases, *here.interfaces)]
        if "enum" in here.traits:
            found.insert(0, self.standard("java.lang", "Enum"))
        elif "record" in here.traits:
            found.insert(0, self.standard("java.lang", "Record"))
        elif not here.bases and here.name != "Object":
            found.append(self.standard("java.lang", "Object"))
        return found

    def seen_as(self, value: Value, wanted: Value) -> Value | None:
        lines, _ = self.lineage(*value[1:3])
        above = next((each for each in lines if each[1:3] == wanted[1:3]), None)
        return None if above is None else next(iter(self.substituted(frozenset((above,)), self.settled(value))))

    # Fields and types

    def field(self, owner: Value, name: str, *, behind: bool = False) -> Values:
        """What a field holds, as its owner has it. `behind`: only those that are inherited."""
        path, scope = owner[1:3]
        found: tuple[BoundName, Value] | None = self.entity(
            ("field", path, scope, name, behind), lambda: self._field(path, scope, name, behind), None
        )
        if found is None:
            return NOTHING
        holder = next(iter(self.substituted(frozenset((found[1],)), self.settled(owner))))
        return self.substituted(self.variable(found[0]), self.settled(holder))

    def _field(self, path: str, scope: int, name: str, behind: bool) -> tuple[BoundName, Value] | None:
        for holder in self.lineage(path, scope)[0][behind:]:
            facts = self.facts(holder[1])
            if facts is None:
                continue
            self.look(holder[1], facts.path_of(holder[2]), name)
            for binding in facts.scopes[holder[2]].names.get(name, ()):
                if binding.by == By.VALUE:
                    return BoundName(holder[1], holder[2], name, binding), holder
        return None

    def inherited_type(self, path: str, scope: int, name: str) -> Values:
        """A type inside of one that a type inherits from."""
        for holder in self.lineage(path, scope)[0][1:]:
            found = self.nested(frozenset((holder,)), name)
            if found:
                return found
        return NOTHING

    def has_outside(self, owner: Value, name: str) -> bool:
        """Whether a member that the project does not define may be inherited from outside."""
        return name in _OBJECT or self.lineage(*owner[1:3])[1]

    # Methods

    def methods(self, path: str, scope: int, name: str) -> tuple[FoundMethod, ...]:
        """All methods of a name that a type has itself or inherits, nearest first."""
        found: tuple[FoundMethod, ...] = self.entity(
            ("methods", path, scope, name), lambda: self._methods(path, scope, name), ()
        )
        return found

    def _methods(self, path: str, scope: int, name: str) -> tuple[FoundMethod, ...]:
        found: list[FoundMethod] = []
        for holder in self.lineage(path, scope)[0]:
            facts = self.facts(holder[1])
            if facts is not None:
                self.look(holder[1], facts.path_of(holder[2]), name)
                inherited = holder[1:3] != (path, scope)
                found += [
                    FoundMethod(holder[1], at, holder, inherited)
                    for at in methods_called(facts, holder[2], name)
                    if not (inherited and _OWN & set(facts.scopes[at].traits))
                ]
        return tuple(found)

    def chosen(self, found: Iterable[FoundMethod], count: int, given: tuple[Values, ...]) -> list[FoundMethod]:
        """The methods that a call with these arguments may mean; more than one where types would have to decide."""
        fitting = [each for each in found if self._takes(each, count)]
        fixed = [each for each in fitting if not self._is_variadic(each)]
        plain = self._without_overridden(fixed) or self._without_overridden(fitting)
        if len(plain) < 2 or not given:
            return plain
        ranks = [(self._rank(each, given), each) for each in plain]
        best = max((rank for rank, _ in ranks if rank is not None), default=None)
        best_fitting = [each for rank, each in ranks if rank is not None and rank == best]
        return (best_fitting or plain)[:VALUES_MAX]

    def scope_of(self, method: FoundMethod) -> CodeScope:
        facts = self.facts(method.path)
        assert facts is not None
        self.look(method.path, "signature", facts.path_of(method.scope))
        return facts.scopes[method.scope]

    def _takes(self, method: FoundMethod, count: int) -> bool:
        many = len(self.scope_of(method).parameters)
        return many == count or (self._is_variadic(method) and count >= many - 1)

    def _is_variadic(self, method: FoundMethod) -> bool:
        parameters = self.scope_of(method).parameters
        return bool(parameters) and parameters[-1].sort == "*"

    def _without_overridden(self, found: list[FoundMethod]) -> list[FoundMethod]:
        kept: list[FoundMethod] = []
        for each in found:
            if not any(self._overrides(other, each) for other in kept if other.holder[1:3] != each.holder[1:3]):
                kept.append(each)
        return kept

    def _overrides(self, nearer: FoundMethod, further: FoundMethod) -> bool:
        """Whether a method takes the same as one further up, whose open type variables stand for anything."""
        mine, theirs = self.scope_of(nearer).parameters, self.scope_of(further).parameters
        return len(mine) == len(theirs) and all(
            self._same(self._taken_by(nearer, at), self._taken_by(further, at)) for at in range(len(mine))
        )

    def _taken_by(self, method: FoundMethod, at: int) -> Values:
        """The type of a parameter, as the holder of the method has it."""
        found: Values = self.entity(
            ("takes", method.path, method.scope, at), lambda: self._taken(method.path, method.scope, at)
        )
        return self.substituted(found, self.settled(method.holder))

    def _same(self, mine: Values, theirs: Values) -> bool:
        if mine == theirs:
            return True
        if any(each[0] == "var" for each in theirs):
            return not any(each[0] == "lit" for each in mine)
        return {each[:3] for each in mine} == {each[:3] for each in theirs} and all(
            each[0] == "inst" for each in mine | theirs
        )

    # Overloads

    def _rank(self, method: FoundMethod, given: tuple[Values, ...]) -> int | None:
        """How well arguments fit a method; None where one cannot be meant for it."""
        parameters = self.scope_of(method).parameters
        total = 0
        for at, values in enumerate(given):
            place = min(at, len(parameters) - 1)
            wanted = self._taken_by(method, place)
            if values and wanted and parameters[place].sort != "*":
                rank = max((self._fit(want, value) for want in wanted for value in values), default=0)
                if rank < 0:
                    return None
                total += rank
        return total

    def _fit(self, wanted: Value, value: Value) -> int:
        """From 3, the same type, to 0, nobody can tell; -1 where a value is surely none of the type."""
        if wanted[0] == "var" or value[0] == "var" or value == ("lit", "null"):
            return 0 if wanted[0] != "lit" else -1
        if wanted[0] == "lit" and value[0] == "lit":
            return _widened(wanted[1], value[1])
        if wanted[0] == "inst" and value[0] == "inst":
            if wanted[1:3] == value[1:3]:
                return 3
            lines, _ = self.lineage(*value[1:3])
            if any(each[1:3] == wanted[1:3] for each in lines):
                return 0 if self._is_object(wanted) else 2
            return -1  # what lies outside of the project extends nothing of the project
        if wanted[0] == value[0] == "seq":
            return self._fit_items(wanted[2], value[2])
        if "lit" in (wanted[0], value[0]):
            return self._boxed(wanted, value)
        if wanted[0] == "ext" and value[0] == "ext" and wanted[1] == value[1]:
            return 3
        if value[0] == "seq" and wanted[0] == "inst":
            return 0 if self._is_object(wanted) else -1
        return 0

    def _fit_items(self, wanted: Values, items: Values) -> int:
        """Arrays of numbers fit where arrays of the very same are wanted."""
        ranks = [self._fit(want, item) for want in wanted for item in items]
        best = max(ranks, default=0)
        numbers = any(each[0] == "lit" for each in (*wanted, *items))
        return -1 if numbers and ranks and best < 3 else best

    def _boxed(self, wanted: Value, value: Value) -> int:
        primitive, other = (wanted, value) if wanted[0] == "lit" else (value, wanted)
        if other[0] == "call" or (other[0] == "seq" and other[1] == "array"):
            return -1
        name = self._name_of(other)
        if name is None or self._is_object(other):
            return 0
        box = _BOXES.get(primitive[1], primitive[1].capitalize())
        return 1 if name == box else 0 if name in ("Number", "Comparable", "Serializable") else -1

    def _name_of(self, value: Value) -> str | None:
        if value[0] == "ext":
            return str(value[1]).rpartition(".")[2]
        facts = self.facts(value[1]) if value[0] == "inst" else None
        return None if facts is None else facts.scopes[value[2]].name

    def _is_object(self, value: Value) -> bool:
        return self._name_of(value) == "Object"

    # Functions as values

    def single_method(self, interface: Value) -> FoundMethod | None:
        """The one method that a lambda for this interface is."""
        path, scope = interface[1:3]
        return self.entity(("single", path, scope), lambda: self._single_method(path, scope), None)  # type: ignore[no-any-return]

    def _single_method(self, path: str, scope: int) -> FoundMethod | None:
        found: dict[str, FoundMethod] = {}
        for holder in self.lineage(path, scope)[0]:
            facts = self.facts(holder[1])
            if facts is None or facts.scopes[holder[2]].sort != Sort.INTERFACE:
                continue
            self.look(holder[1], "bases", facts.path_of(holder[2]))
            self.look("held", facts.path_of(holder[2]))
            for name in facts.scopes[holder[2]].names:
                for at in methods_called(facts, holder[2], name):
                    if not {"static", "default", "private"} & set(facts.scopes[at].traits) and name not in _OBJECT:
                        found.setdefault(name, FoundMethod(holder[1], at, holder, False))
        return next(iter(found.values())) if len(found) == 1 else None

    def of_lambda(self, interface: Value, at: int) -> Values:
        """What a lambda for this interface is given at a place; at -1 what it gives."""
        method = self.single_method(interface)
        if method is None:
            return NOTHING
        facts = self.facts(method.path)
        assert facts is not None
        here = facts.scopes[method.scope]
        if at >= len(here.parameters):
            return NOTHING
        if at < 0:
            self.look(method.path, "signature", facts.path_of(method.scope))
            found = self.declared(Standpoint(method.path, method.scope, 0), here.type)
        else:
            found = self._taken_by(method, at)
        return self.substituted(self.substituted(found, self.settled(method.holder)), self.settled(interface))


_PLAIN = frozenset({"java.lang.Object", "java.lang.Record"})


def _widened(wanted: str, given: str) -> int:
    """How well a number fits where another is wanted."""
    if wanted == given:
        return 3
    if given == "char" and wanted in _WIDER[2:]:
        return 1
    if wanted in _WIDER and given in _WIDER:
        return 2 if _WIDER.index(given) < _WIDER.index(wanted) else -1
    return -1
