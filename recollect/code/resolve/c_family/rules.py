"""What members and calls of C and C++ stand for, and the edges that are made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from recollect.code.extract.c_family import USING
from recollect.code.facts import UNKNOWN, By, Expr, FileFacts, ImportStatement
from recollect.code.resolve.c_family.library import made_by, of_library, pointed_at, typed_by_library
from recollect.code.resolve.c_family.names import CNames
from recollect.code.resolve.engine import BoundName, Standpoint, World
from recollect.code.resolve.rules import ImportedFiles, MovedFiles, Supertype
from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

_BASES_MAX = 64  # of one class, with theirs
_ARROWS_MAX = 4  # pointers that lead to pointers


class CFamily(CNames):
    """The rules of C and C++."""

    def __init__(self, world: World, paths: Collection[str]) -> None:
        super().__init__(world, paths)
        self._symbols = {}
        self._functions = {}

    @classmethod
    def moved(cls, old: Collection[str], new: Collection[str]) -> MovedFiles:
        """An include looks for a name; that another file of the name came or went may change what it finds."""
        return MovedFiles({("named", path.rpartition("/")[2]) for path in set(old) ^ set(new)}, set())

    # What edges are made of

    def imported_files(self, path: str, statement: ImportStatement) -> ImportedFiles:
        if statement.level == USING:
            return ImportedFiles(())
        found = self.included(path, statement)
        if found is not None:
            return ImportedFiles(() if found == path else (found,))
        self.look("named", statement.module.rpartition("/")[2])
        return ImportedFiles((), statement.module if self._by_name.get(statement.module.rpartition("/")[2]) else "")

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """Nothing: what a header takes in is taken in with it."""
        yield from ()

    def supertypes(self, path: str, facts: FileFacts, at: int) -> Iterator[Supertype]:
        scope = facts.scopes[at]
        for expr in scope.bases:
            self.soft = False
            found = self.classes(self.declared(Standpoint(path, scope.parent, scope.line), expr))
            yield Supertype(found, False)

    # Members

    def lineage(self, path: str, scope: int) -> tuple[Value, ...]:
        """A class and the classes above it, nearest first, each as a value of it with what its types are given."""
        found: tuple[Value, ...] = self.entity(("lineage", path, scope), lambda: self._lineage(path, scope), ())
        return found

    def _lineage(self, path: str, scope: int) -> tuple[Value, ...]:
        facts = self.facts(path)
        if facts is None:
            return ()
        self.look(path, "bases", facts.path_of(scope))
        here = facts.scopes[scope]
        found: dict[Value, None] = {("inst", path, scope, ()): None}
        soft = self.soft
        for base in here.bases:
            for value in self.declared(Standpoint(path, scope, here.line), base):
                if value[0] == "inst" and value[1:3] != (path, scope) and len(found) < _BASES_MAX:
                    known = self.settled(value)
                    further = self.lineage(value[1], value[2])[1:]
                    found[value] = None
                    found.update(
                        (each, None) for above in further for each in self.substituted(frozenset((above,)), known)
                    )
        self.soft = soft
        return tuple(found)

    def class_members(self, value: Value, name: str) -> list[BoundName]:
        for at, above in enumerate(self.lineage(value[1], value[2]) or (value,)):
            facts = self.facts(above[1])
            if facts is None:
                continue
            self.look(above[1], facts.path_of(above[2]), name)
            bindings = facts.scopes[above[2]].names.get(name)
            if bindings:
                self.soft = self.soft or at > 0
                return [BoundName(above[1], above[2], name, each) for each in bindings]
        return []

    def attribute(self, value: Value, name: str) -> Values:
        """A member of a value, also of what a pointer of the library leads to."""
        for _ in range(_ARROWS_MAX):
            inner = self._arrow(value)
            if value[0] == "inst":
                found = self.class_members(value, name)
                if found:
                    return self._held_by(value, found)
                if not inner:
                    return NOTHING
            elif not inner or name in ("get", "reset", "release", "lock"):
                if value[0] == "space":
                    return self.inside("", value, name)
                return NOTHING if value[0] in ("var", "fn", "meth") else of_library(value, name)
            if len(inner) != 1:
                return NOTHING
            (value,) = inner
        return NOTHING

    def _held_by(self, owner: Value, found: list[BoundName]) -> Values:
        """Members as their owner has them; those of a base as the base is given types there."""
        above = next((each for each in self.lineage(owner[1], owner[2])[1:] if each[1:3] == found[0][:2]), None)
        for seen in self.substituted(frozenset((above,)), self.settled(owner)) if above is not None else ():
            owner = seen
        functions = [each for each in found if self._is_function(each)]
        if functions:
            return frozenset(
                ("meth", *each[1:3], owner) for each in self.functions(owner[1], functions) if each[0] == "fn"
            ) or external("declared")
        fields = [each for each in found if each.binding.by == By.VALUE]
        return self.substituted(union(self.variable(each) for each in fields), self.settled(owner))

    def _arrow(self, value: Value) -> Values:
        """What `->` of a value leads to: the library's pointers, classes that say so, and plain pointers."""
        if value[0] == "inst":
            found = [each for each in self.class_members(value, "operator->") if self._is_function(each)]
            soft = self.soft
            gives = union(self._result_of(value, each) for each in found)
            self.soft = soft
            return gives
        return pointed_at(value)

    def _result_of(self, owner: Value, found: BoundName) -> Values:
        return self.substituted(self.returned(found.path, found.binding.first, {}), self.settled(owner))

    # Calls

    def fitting(self, values: Values, count: int) -> Values:
        """Of functions of one name, those that take so many arguments; all where none does."""
        functions = [each for each in values if each[0] in ("fn", "meth")]
        fits = [each for each in functions if self._takes(each, count)]
        if not fits or len(fits) == len(functions):
            return values
        return frozenset(each for each in values if each not in functions or each in fits)

    def _takes(self, function: Value, count: int) -> bool:
        facts = self.facts(function[1])
        if facts is None:
            return False
        self.look(function[1], "signature", facts.path_of(function[2]))
        parameters = facts.scopes[function[2]].parameters
        plain = [each for each in parameters if each.sort != "*"]
        least = sum(each.default == UNKNOWN for each in plain)
        if least > count and self._declared_least(function) <= count:
            return len(plain) != len(parameters) or count <= len(plain)
        return least <= count and (len(plain) != len(parameters) or count <= len(plain))

    def _declared_least(self, function: Value) -> int:
        """How many arguments a function takes at least, by its declarations: defaults stand there."""
        facts = self.facts(function[1])
        owner = self.owner_of(function[1], function[2])
        there = self.facts(owner[1]) if owner is not None else None
        if facts is None or owner is None or there is None:
            return len(facts.scopes[function[2]].parameters) if facts is not None else 0
        name = facts.scopes[function[2]].name.rpartition(".")[2]
        wanted = len(facts.scopes[function[2]].parameters)
        least = wanted
        for each in self.class_members(owner, name):
            declared = self.facts(each.path)
            if declared is not None and self._is_function(each):
                scope = declared.scopes[each.binding.first]
                self.look(each.path, "signature", declared.path_of(each.binding.first))
                if len(scope.parameters) == wanted:
                    least = min(least, sum(one_.default == UNKNOWN for one_ in scope.parameters))
        return least

    def constructors(self, made: Value, count: int) -> Values:
        """What making an instance calls: the constructors that take so many arguments, else the type itself."""
        facts = self.facts(made[1])
        if facts is None:
            return NOTHING
        name = facts.scopes[made[2]].name.rpartition(".")[2]
        symbol = facts.path_of(made[2])
        self.look(made[1], symbol, name)
        bindings = facts.scopes[made[2]].names.get(name, ())
        found = [BoundName(made[1], made[2], name, each) for each in bindings]
        functions = [each for each in found if self._is_function(each)]
        if not functions:
            return frozenset((made,))
        known = self.fitting(self.functions(made[1], functions), count)
        return frozenset(("new", each[1], each[2], made) for each in known if each[0] == "fn") or external("declared")

    def called(self, value: Value) -> list[Value]:
        return [("fn", value[1], value[2])] if value[0] == "new" else super().called(value)

    def call(self, place: Standpoint, value: Value, given: tuple[int, ...], depth: int) -> Values:
        kind = value[0]
        if kind == "cls":
            return one("inst", *value[1:3], ())
        if kind == "new":
            return one("inst", *value[3][1:3], ())
        if kind == "call":
            return value[1]  # type: ignore[no-any-return]
        if kind == "ext":
            first = self.values(place, given[0], depth + 1) if given else NOTHING
            return made_by(value[1], first, NOTHING)
        if kind not in ("fn", "meth"):
            return NOTHING
        found = self.returned(value[1], value[2], {})
        if kind == "meth":
            found = self.substituted(found, self.settled(value[3]))
        if given and self.variables_of(value[1], value[2]):
            taken = self.taken(value[1], value[2], [self.values(place, each, depth + 1) for each in given])
            found = self.substituted(found, taken)
        return found

    # Expressions

    def base(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        if expr[0] == "r":
            return self.first_word(place, expr[1])
        if expr[0] == "M":
            return self._named(self.name(place, expr[1]) or self._from_arguments(place, expr, depth), expr[2])
        return super().base(place, expr, depth)

    def _named(self, values: Values, count: str) -> Values:
        """What calling a name calls: functions that fit, constructors of a type, `operator()` of a value."""
        many = int(count)
        found: list[Values] = [self.fitting(frozenset(each for each in values if each[0] in ("fn", "meth")), many)]
        for value in values:
            if value[0] == "cls":
                found.append(self.constructors(value, many))
            elif value[0] == "inst":
                found.append(self.fitting(self.attribute(value, "operator()"), many))
            elif value[0] not in ("fn", "meth", "space"):
                found.append(frozenset((value,)))
        return union(found)

    def _from_arguments(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        """Functions that are found by the namespaces of what they are given."""
        for each in expr[3]:
            for value in self.values(place, each, depth + 1):
                facts = self.facts(value[1]) if value[0] == "inst" else None
                space = self._space_of(facts, value[2]) if facts is not None else ""
                found = self.visible(place.path, f"{space}.{expr[1]}") if space else ()
                if found:
                    self.soft = True
                    return self.meant(place.path, found)
        return NOTHING if self.defining(expr[1]) else external("undeclared")  # of a library, as nobody here has it

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        kind = expr[0]
        if kind == "p":
            return union(self.inside(place.path, each, expr[2]) for each in of)
        if kind == "m":
            found = union(
                self.inside(place.path, each, expr[2])
                if each[0] in ("space", "cls", "ext")
                else self.attribute(each, expr[2])
                for each in of
            )
            return self._named(found, expr[3])
        if kind == "c" and len(expr) > 3 and any(each[0] == "ext" for each in of):
            facts = self.facts(place.path)
            types = facts.exprs[expr[3]][2] if facts is not None else ()
            held = self.declared(place, types[0]) if types else NOTHING
            return union(made_by(each[1], NOTHING, held) for each in of if each[0] == "ext")
        return super().step(place, expr, of, depth)

    def subscripted(self, value: Value) -> Values:
        if value[0] == "inst":
            found = [each for each in self.class_members(value, "operator[]") if self._is_function(each)]
            if found:
                return union(self._result_of(value, each) for each in found)
            return frozenset((value,))
        if value[0] == "std" and pointed_at(value):
            return pointed_at(value)
        return super().subscripted(value)

    def iterated(self, value: Value) -> Values:
        if value[0] == "map":
            return one("tup", (value[1], value[2]))
        if value[0] == "inst":
            begin = self.attribute(value, "begin")
            return union(self.call(Standpoint(value[1], 0, 0), each, (), 0) for each in begin)
        return super().iterated(value)

    def generic_outside(self, value: Value, args: tuple[Values, ...]) -> Value:
        return value

    def _given(self, place: Standpoint, at: Expr) -> Values:
        facts = self.facts(place.path)
        assert facts is not None
        args = tuple(self.declared(place, each) for each in facts.exprs[at[2]][2])
        found: list[Values] = []
        for value in self.declared(place, at[1]):
            if value[0] == "inst":
                found.append(one(*value[:3], args))
            else:
                found.append(typed_by_library(value[1], args) if value[0] == "std" else frozenset((value,)))
        return union(found)
