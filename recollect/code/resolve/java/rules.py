"""What names and expressions of Java stand for: variables and types by their scopes, what calls and lambdas give."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from recollect.code.facts import ARGUMENT, LAMBDA, UNKNOWN, By, CodeScope, Expr, FileFacts, ImportStatement, Sort
from recollect.code.resolve.engine import BoundName, Standpoint, World
from recollect.code.resolve.java.members import HEAD, FoundMethod, JavaMembers
from recollect.code.resolve.java.packages import tails_of
from recollect.code.resolve.rules import ImportedFiles, MovedFiles, Supertype
from recollect.code.resolve.typed import TYPES
from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

_MANY = frozenset(
    "ArrayDeque ArrayList Collection CopyOnWriteArrayList Deque HashSet Iterable Iterator LinkedHashSet LinkedList "
    "List ListIterator NavigableSet Optional PriorityQueue Queue Set SortedSet Stack Stream TreeSet Vector".split()
)
_MAPS = frozenset("ConcurrentHashMap ConcurrentMap HashMap LinkedHashMap Map NavigableMap SortedMap TreeMap".split())
_GIVE = frozenset({"Callable", "CompletableFuture", "Future", "Supplier", "AtomicReference", "ThreadLocal"})
_ITEMS = frozenset(
    "elementAt element findAny findFirst first firstElement get getFirst getLast last lastElement next orElse "
    "orElseGet orElseThrow peek peekFirst peekLast poll pollFirst pollLast pop remove removeFirst removeLast".split()
)
_SAME = frozenset(
    "descendingIterator distinct filter iterator limit listIterator parallelStream reversed skip sorted stream subList "
    "toList".split()
)


class Java(JavaMembers):
    """The rules of Java."""

    def __init__(self, world: World, paths: Collection[str]) -> None:
        super().__init__(world, paths)
        self.tails = tails_of(paths)

    @classmethod
    def moved(cls, old: Collection[str], new: Collection[str]) -> MovedFiles:
        return MovedFiles({("tail", each) for each in tails_of(old) ^ tails_of(new)}, set())

    # What edges are made of

    def imported_files(self, path: str, statement: ImportStatement) -> ImportedFiles:
        """The file of the class that is named, or that has what is named; of a package those that are used."""
        if statement.names == ("*",):
            found = {each[1] for each in self.qualified(statement.module)}
            return ImportedFiles(found or self._used_of(path, statement.module))
        words = f"{statement.module}.{statement.names[0]}"
        types = self.qualified(words) or self.qualified(statement.module)
        if types:
            return ImportedFiles({each[1] for each in types})
        return ImportedFiles((), words if self.is_ours(statement.module) else "")

    def _used_of(self, path: str, package: str) -> set[str]:
        """The files of a package whose types are used by their name alone."""
        facts = self.facts(path)
        names = sorted({expr[1] for expr in facts.exprs if expr[0] == "n"}) if facts is not None else []
        place = Standpoint(path, 0, 0)
        return {
            value[1] for name in names for value in self.library(package, name) if value in self.type_named(place, name)
        }

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """Java passes nothing on."""
        return iter(())

    def supertypes(self, path: str, facts: FileFacts, at: int) -> Iterator[Supertype]:
        scope = facts.scopes[at]
        for promised, declared in ((False, scope.bases), (True, scope.interfaces)):
            for expr in declared:
                self.soft = False
                found = self.declared(Standpoint(path, at, HEAD), expr)
                yield Supertype(frozenset(("cls", *each[1:3]) for each in found if each[0] == "inst"), promised)

    def called(self, value: Value) -> list[Value]:
        """A method, or the class that is constructed: the only values that are called by `new`."""
        if value[0] == "inst":
            facts = self.facts(value[1])
            is_class = facts is not None and facts.scopes[value[2]].sort == Sort.CLASS
            return [("cls", *value[1:3])] if is_class else []
        return super().called(value) if value[0] in ("fn", "meth") else []

    # Names of types

    def type_named(self, place: Standpoint, name: str) -> Values:
        facts = self.facts(place.path)
        scope, line = place.scope, place.line
        while facts is not None and scope >= 0:
            here = facts.scopes[scope]
            if here.sort in TYPES or scope == 0:
                return self._type_from(place.path, scope, name, head=line == HEAD)
            found = self._local_type(place.path, scope, here, name, line)
            if found:
                return found
            scope = here.parent
        return NOTHING

    def _local_type(self, path: str, scope: int, here: CodeScope, name: str, line: int) -> Values:
        """A type of a function's own, or a variable for one."""
        facts = self.facts(path)
        for binding in here.names.get(name, ()) if facts is not None else ():
            assert facts is not None
            if binding.by == By.TYPE:
                return self.type_variable(BoundName(path, scope, name, binding))
            if binding.by == By.SCOPE and facts.scopes[binding.first].sort in TYPES:
                return one("inst", path, binding.first, ())
        return NOTHING

    def _type_from(self, path: str, scope: int, name: str, *, head: bool) -> Values:
        return self.entity(  # type: ignore[no-any-return]
            ("type", path, scope, name, head), lambda: self._type_seen(path, scope, name, head)
        )

    def _type_seen(self, path: str, scope: int, name: str, head: bool) -> Values:
        """A type as it is seen from inside of another one, or from the top of a file."""
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        self.look(path, facts.path_of(scope), name)
        if scope == 0:
            return self._type_at_top(path, facts, name)
        found = NOTHING
        if not head or any(each.by == By.TYPE for each in here.names.get(name, ())):
            found = self._local_type(path, scope, here, name, 0)
        if not found and here.name == name and here.sort in TYPES:
            found = one("inst", path, scope, ())
        if not found and not head:
            found = self.inherited_type(path, scope, name)
        return found or self.type_named(Standpoint(path, here.parent, 0), name)

    def _type_at_top(self, path: str, facts: FileFacts, name: str) -> Values:
        """By the file itself, what it imports, its package, packages that it imports whole, the language's library."""
        found = self._local_type(path, 0, facts.scopes[0], name, 0)
        self.look(path, "imports")
        for binding in () if found else facts.scopes[0].names.get(name, ()):
            if binding.by == By.IMPORT:
                statement = facts.imports[binding.first]
                types = self.qualified(f"{statement.module}.{name}")
                if not types and self._is_member(statement.module, name):
                    continue
                return types or self._missing(statement.module, name)
        found = found or self.library(facts.scopes[0].name, name)
        self.look(path, "stars")
        for star in facts.stars if not found else ():
            module = facts.imports[star].module
            found = found or self.library(module, name) or self.nested(self.qualified(module), name)
        return found or self.standard("java.lang", name)

    def _is_member(self, module: str, name: str) -> bool:
        """Whether a static import takes a method or a field."""
        return any(each[0] == "inst" and not name[:1].isupper() for each in self.qualified(module))

    def _missing(self, module: str, name: str) -> Values:
        return NOTHING if self.is_ours(module) else external(f"{module}.{name}")

    def type_inside(self, place: Standpoint, of: int, name: str) -> Values:
        """`Outer.Inner`, or a type by its qualified name."""
        facts = self.facts(place.path)
        assert facts is not None
        expr = facts.exprs[of]
        if expr[0] == "t":  # of a value, as in `outer.new Inner()`
            return self._inner(self.values(place, expr[1]), name)
        words = _words_of(facts, of)
        if words and words[:1].islower():
            found = self.qualified(f"{words}.{name}")
            return found or self._missing(words, name)
        return self._inner(self.declared(place, of), name)

    def _inner(self, holders: Values, name: str) -> Values:
        found = self.nested(holders, name)
        if not found:
            found = union(self.inherited_type(each[1], each[2], name) for each in holders if each[0] == "inst")
        return found or union(external(f"{each[1]}.{name}") for each in holders if each[0] == "ext")

    def generic_outside(self, value: Value, args: tuple[Values, ...]) -> Value:
        """What the language's library is known to hold."""
        last = str(value[1]).rpartition(".")[2]
        if last in _MAPS and len(args) == 2:
            return ("map", *args)
        if last in _MANY and len(args) == 1:
            return ("seq", last, args[0])
        return ("call", args[0]) if last in _GIVE and len(args) == 1 else value

    # Names of variables

    def name(self, place: Standpoint, name: str) -> Values:
        if name in ("this", "super"):
            return self._self(place, is_super=name == "super")
        facts = self.facts(place.path)
        scope = place.scope
        while facts is not None and scope > 0:
            here = facts.scopes[scope]
            if here.sort in TYPES:
                found = self.field(("inst", place.path, scope, self._own(place.path, scope)), name)
                if found:
                    return found
            else:
                seen = [each for each in here.names.get(name, ()) if each.by in (By.VALUE, By.PARAMETER)]
                above = [each for each in seen if not place.line or each.line <= place.line]
                if above:
                    return self.variable(BoundName(place.path, scope, name, above[-1]))
            scope = here.parent
        return self._taken_statically(place.path, name) or self._type_or_package(place, name)

    def _own(self, path: str, scope: int) -> tuple[Values, ...]:
        return tuple(frozenset((each,)) for each in self.variables_of(path, scope))

    def _type_or_package(self, place: Standpoint, name: str) -> Values:
        """A name that is no variable is a type, or the first part of a package."""
        found = self.type_named(place, name)
        if any(each[0] in ("inst", "var") for each in found):
            return frozenset(("cls", *each[1:3]) if each[0] == "inst" else each for each in found)
        if name[:1].islower():
            return one("space", name)
        return found

    def _taken_statically(self, path: str, name: str) -> Values:
        """A field that the file takes from a class."""
        return union(self.field(("inst", *each[1:3], ()), name) for each in self._static_holders(path, name))

    def _static_holders(self, path: str, name: str) -> list[Value]:
        """The classes that a file takes static members of this name from."""
        facts = self.facts(path)
        if facts is None:
            return []
        self.look(path, "", name)
        self.look(path, "stars")
        named = [each.first for each in facts.scopes[0].names.get(name, ()) if each.by == By.IMPORT]
        found = [value for place in named for value in self.qualified(facts.imports[place].module)]
        return found or [value for place in facts.stars for value in self.qualified(facts.imports[place].module)]

    def _self(self, place: Standpoint, *, is_super: bool) -> Values:
        """The object whose class is around, or what it inherits from."""
        scope = self._class_around(place.path, place.scope)
        if scope <= 0:
            return NOTHING
        own: Value = ("inst", place.path, scope, self._own(place.path, scope))
        return one("super", place.path, scope, own) if is_super else frozenset((own,))

    def _class_around(self, path: str, scope: int) -> int:
        facts = self.facts(path)
        while facts is not None and scope > 0 and facts.scopes[scope].sort not in TYPES:
            scope = facts.scopes[scope].parent
        return scope

    def parameter(self, path: str, scope: int, at: int) -> Values:
        """A lambda's parameter without a type is what the place that the lambda is meant for gives it."""
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        if LAMBDA not in here.traits or here.parameters[at].type != UNKNOWN:
            return super().parameter(path, scope, at)
        return self.entity(("lambda", path, scope, at), lambda: self._given_to(path, scope, at))  # type: ignore[no-any-return]

    def _given_to(self, path: str, scope: int, at: int) -> Values:
        facts = self.facts(path)
        assert facts is not None
        here = facts.scopes[scope]
        self.soft = True
        place = Standpoint(path, here.parent, here.line)
        argument = next((int(each[len(ARGUMENT) :]) for each in here.traits if each.startswith(ARGUMENT)), -1)
        found: list[Values] = []
        for target in here.interfaces:
            if argument < 0:
                wanted = self.declared(place, target)
            else:
                wanted = self._wanted(place, facts.exprs[target], argument, at)
            found += [self._handed(each, at) for each in wanted]
        return union(found)

    def _handed(self, wanted: Value, at: int) -> Values:
        if wanted[0] == "inst":
            return self.of_lambda(wanted, at)
        return wanted[1][at] if wanted[0] == "tup" and at < len(wanted[1]) else NOTHING

    def _wanted(self, place: Standpoint, callee: Expr, argument: int, at: int) -> Values:
        """The types that a call wants of an argument."""
        if callee[0] == "m":
            owners = self.values(place, callee[1])
            outside = [self._taken_outside(each, callee[2]) for each in owners]
            known = union(outside)
            if known:
                return known
        found: list[Values] = []
        for method in self._called_at(place, callee, lambdas=False):
            if method[0] != "meth":
                continue
            facts = self.facts(method[1])
            parameters = facts.scopes[method[2]].parameters if facts is not None else []
            if parameters and (argument < len(parameters) or parameters[-1].sort == "*"):
                taken = self._taken_by(
                    FoundMethod(method[1], method[2], method[3], False), min(argument, len(parameters) - 1)
                )
                found.append(self.substituted(taken, self._settled_call(place, method, callee[-1], lambdas=False)))
        return self._bounded(union(found))

    def _bounded(self, values: Values) -> Values:
        """Type variables that nothing settles as what they are declared to be at least."""
        return union(self.bound_of(each) if each[0] == "var" else frozenset((each,)) for each in values)

    def _taken_outside(self, owner: Value, name: str) -> Values:
        """What the language's library hands to a lambda that is given to one of its methods."""
        if owner[0] == "seq":
            return one("tup", (owner[2], owner[2]))
        return one("tup", owner[1:] if name != "computeIfAbsent" else (owner[1],)) if owner[0] == "map" else NOTHING

    # Calls

    def base(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        if expr[0] == "M":
            return self._called_at(place, expr)
        return super().base(place, expr, depth)

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        if expr[0] == "m":
            given = self._arguments(place, expr)
            return union(self._called_on(each, expr[2], int(expr[3]), given) for each in of)
        if expr[0] == "c":
            facts = self.facts(place.path)
            assert facts is not None
            arguments = facts.exprs[expr[1]][-1] if facts.exprs[expr[1]][0] in "mM" else ()
            return union(self.call(place, each, arguments, depth) for each in of)
        return super().step(place, expr, of, depth)

    def _called_at(self, place: Standpoint, callee: Expr, *, lambdas: bool = True) -> Values:
        """The methods that a call means, whose lambdas may be looked at or not."""
        given = self._arguments(place, callee, lambdas=lambdas)
        if callee[0] == "m":
            return union(
                self._called_on(each, callee[2], int(callee[3]), given) for each in self.values(place, callee[1])
            )
        return self._called_by_name(place, callee[1], int(callee[2]), given) if callee[0] == "M" else NOTHING

    def _arguments(self, place: Standpoint, callee: Expr, *, lambdas: bool = True) -> tuple[Values, ...]:
        """What a call is given; of lambdas no more than that they are."""
        facts = self.facts(place.path)
        assert facts is not None
        soft = self.soft
        found = tuple(
            one("call", NOTHING) if facts.exprs[each][0] == "f" else self.values(place, each, 1) for each in callee[-1]
        )
        self.soft = soft
        return found

    def _called_by_name(self, place: Standpoint, name: str, count: int, given: tuple[Values, ...]) -> Values:
        """A method of the class around, of one around that, or one that the file takes from a class."""
        if name in ("this()", "super()"):
            return self._constructor(place, name)
        facts = self.facts(place.path)
        scope, outside = self._class_around(place.path, place.scope), False
        while facts is not None and scope > 0:
            own: Value = ("inst", place.path, scope, self._own(place.path, scope))
            if self.methods(place.path, scope, name):
                return self._called_on(own, name, count, given)
            outside = outside or self.has_outside(own, name)
            scope = self._class_around(place.path, facts.scopes[scope].parent)
        holders = self._static_holders(place.path, name)
        found = union(
            self._called_on(("cls", *each[1:3]), name, count, given)
            for each in holders
            if each[0] == "inst" and self.methods(each[1], each[2], name)
        )
        if found:
            return found
        return external(f"inherited.{name}") if outside or self._may_be_taken(place.path, name) else NOTHING

    def _may_be_taken(self, path: str, name: str) -> bool:
        """Whether a static import from outside of the project may give a method."""
        facts = self.facts(path)
        named = facts.scopes[0].names.get(name, ()) if facts is not None else ()
        return any(each.by == By.IMPORT for each in named)

    def _constructor(self, place: Standpoint, name: str) -> Values:
        """The class that `this(…)` or `super(…)` constructs."""
        scope = self._class_around(place.path, place.scope)
        if name == "this()":
            return one("inst", place.path, scope, ())
        facts = self.facts(place.path)
        bases = facts.scopes[scope].bases if facts is not None and scope > 0 else []
        return union(self.declared(Standpoint(place.path, scope, HEAD), each) for each in bases) or external("super()")

    def _called_on(self, owner: Value, name: str, count: int, given: tuple[Values, ...]) -> Values:
        """The methods that a call on a value means."""
        kind = owner[0]
        if kind == "var":
            bounds = self.bound_of(owner)
            if not bounds:
                return external(f"Object.{name}") if name else NOTHING
            return union(self._called_on(each, name, count, given) for each in bounds if each[0] != "var")
        if kind in ("seq", "map", "call", "tup", "lit"):
            return self._of_outside(owner, name)
        if kind == "ext":
            return external(f"{owner[1]}.{name}"[-80:])
        if kind == "super":
            self.soft = True
            above = self._superclasses(owner)
            return union(self._called_on(each, name, count, given) for each in above) or external(f"super.{name}")
        return self._own_method(owner, name, count, given) if kind in ("inst", "cls") else NOTHING

    def _superclasses(self, owner: Value) -> Values:
        """What `super` is: the class that one extends, never an interface."""
        path, scope = owner[1:3]
        facts = self.facts(path)
        bases = facts.scopes[scope].bases if facts is not None else ()
        found = union(self.declared(Standpoint(path, scope, HEAD), each) for each in bases)
        return frozenset(each for each in found if each[0] != "inst" or self.called(each))

    def _own_method(self, owner: Value, name: str, count: int, given: tuple[Values, ...]) -> Values:
        path, scope = owner[1:3]
        found: tuple[FoundMethod, ...] = self.methods(path, scope, name)
        known = self.settled(owner)
        if known:
            found = tuple(
                each._replace(holder=next(iter(self.substituted(frozenset((each.holder,)), known)))) for each in found
            )
        chosen = self.chosen(found, count, given)
        if chosen:
            self.soft = self.soft or any(each.inherited for each in chosen)
            return frozenset(("meth", each.path, each.scope, each.holder) for each in chosen)
        if name in ("values", "valueOf") and self._is_enum(path, scope):
            own = one("inst", path, scope, ())
            return one("call", one("seq", "array", own) if name == "values" else own)
        return external(f"inherited.{name}") if self.has_outside(owner, name) else NOTHING

    def _is_enum(self, path: str, scope: int) -> bool:
        facts = self.facts(path)
        return facts is not None and "enum" in facts.scopes[scope].traits

    def _of_outside(self, owner: Value, name: str) -> Values:
        """Methods of the language's library that give back what was put in."""
        if owner[0] == "seq":
            if name in _ITEMS:
                return one("call", owner[2])
            if name in _SAME or (name == "clone" and owner[1] == "array"):
                return one("call", frozenset((owner,)))
        if owner[0] == "map":
            if name in ("get", "getOrDefault", "put", "remove", "computeIfAbsent", "merge", "putIfAbsent"):
                return one("call", owner[2])
            if name in ("values", "keySet"):
                return one("call", one("seq", "Set", owner[2 if name == "values" else 1]))
            if name == "entrySet":
                return one("call", one("seq", "Set", one("tup", owner[1:])))
        if owner[0] == "tup" and name in ("getKey", "getValue"):
            return one("call", owner[1][name == "getValue"])
        if owner[0] == "call" and name in ("get", "call", "join"):
            return frozenset((owner,))
        return external(f"{owner[0]}.{name}")

    def call(self, place: Standpoint, value: Value, given: tuple[int, ...], depth: int) -> Values:
        kind = value[0]
        if kind == "meth":
            return self.returned(value[1], value[2], self._settled_call(place, value, given))
        if kind == "call":
            return value[1]  # type: ignore[no-any-return]
        return external(f"{value[1]}()"[-80:]) if kind == "ext" else NOTHING

    def _settled_call(
        self, place: Standpoint, method: Value, given: tuple[int, ...], *, lambdas: bool = True
    ) -> dict[Any, Values]:
        """The type variables of a call: by the owner of the method, and by what the call is given."""
        known = dict(self.settled(method[3]))
        if self.variables_of(*method[1:3]):
            soft = self.soft
            values = [self._argument(place, each, lambdas=lambdas) for each in given]
            for key, found in self.taken(method[1], method[2], values).items():
                known.setdefault(key, self._boxed_values(found))
            self.soft = soft
        return known

    def _boxed_values(self, values: Values) -> Values:
        return frozenset(("ext", "java.lang.Number") if each[0] == "lit" else each for each in values)

    def _argument(self, place: Standpoint, expr: int, *, lambdas: bool) -> Values:
        facts = self.facts(place.path)
        assert facts is not None
        at = facts.exprs[expr]
        if at[0] != "f":
            return self.values(place, expr, 1)
        if not lambdas:
            return NOTHING
        given = facts.scopes[at[1]].returned
        return one("call", union(self.values(Standpoint(place.path, at[1], line), value, 1) for value, line in given))

    def matched(self, wanted: Values, given: Values, known: dict[Any, Values], depth: int = 0) -> None:
        """A lambda settles what its interface gives."""
        super().matched(wanted, given, known, depth)
        for want in wanted:
            for value in given:
                if want[0] == "inst" and value[0] == "call" and value[1] and depth == 0:
                    self.matched(self.of_lambda(want, -1), value[1], known, depth + 1)

    # Expressions

    def attribute(self, value: Value, name: str) -> Values:
        kind = value[0]
        if kind in ("inst", "cls", "super"):
            return self._member(value, name)
        if kind == "space":
            found = self.library(value[1], name)
            if found:
                return frozenset(("cls", *each[1:3]) for each in found)
            return one("space", f"{value[1]}.{name}") if name[:1].islower() else self._missing(value[1], name)
        if kind == "var":
            return union(self.attribute(each, name) for each in self.bound_of(value) if each[0] != "var")
        if kind == "seq" and name == "length":
            return one("lit", "int")
        return external(f"{value[1]}.{name}"[-80:]) if kind == "ext" else external(f"{kind}.{name}")

    def _member(self, owner: Value, name: str) -> Values:
        path, scope = owner[1:3]
        if owner[0] == "cls" and name in ("this", "super"):
            own: Value = ("inst", path, scope, self._own(path, scope))
            of_a_class = name == "super" and self.called(own)  # of an interface it means what that one has
            return one("super", path, scope, own) if of_a_class else frozenset((own,))
        found = self.field(owner[3] if owner[0] == "super" else owner, name, behind=owner[0] == "super")
        if found:
            return found
        types = self._inner(one("inst", path, scope, ()), name)
        if types:
            return frozenset(("cls", *each[1:3]) if each[0] == "inst" else each for each in types)
        return external(f"inherited.{name}") if self.has_outside(owner, name) else NOTHING

    def literal(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        if expr == ("k", "String"):
            return self.string()
        if expr[0] == "b":
            return self._operated(place, expr, depth)
        return super().literal(place, expr, depth)

    def _operated(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        """A sum with a text in it is a text; of numbers the wider one counts."""
        sides = [self.values(place, each, depth + 1) for each in expr[2:]]
        if expr[1] == "+" and any(side and side == self.string() for side in sides):
            return self.string()
        kinds = {value[1] if value[0] == "lit" else "" for side in sides for value in side}
        if "" in kinds or not all(sides):
            return NOTHING
        return one("lit", next((each for each in ("double", "float", "long") if each in kinds), "int"))

    def iterated(self, value: Value) -> Values:
        if value[0] != "inst":
            return super().iterated(value)
        for method in self._called_on(value, "iterator", 0, ()):
            if method[0] == "meth":
                found = self.returned(method[1], method[2], self.settled(method[3]))
                return union(self._next(each) for each in found)
        return NOTHING

    def _next(self, iterator: Value) -> Values:
        if iterator[0] != "inst":
            return super().iterated(iterator)
        steps = self._called_on(iterator, "next", 0, ())
        return union(self.returned(m[1], m[2], self.settled(m[3])) for m in steps if m[0] == "meth")


def _words_of(facts: FileFacts, place: int) -> str:
    """The names of `a.b.c`; nothing for any other expression."""
    names: list[str] = []
    expr = facts.exprs[place]
    while expr[0] == "a":
        names.append(expr[2])
        expr = facts.exprs[expr[1]]
    return ".".join(reversed([*names, expr[1]])) if expr[0] == "n" else ""
