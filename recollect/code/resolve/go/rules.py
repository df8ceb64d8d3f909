"""What names and expressions of Go stand for: packages, types with what is promoted into them, what calls return."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from recollect.code.facts import UNKNOWN, By, FileFacts, ImportStatement, Sort
from recollect.code.resolve.engine import BoundName, Standpoint, World
from recollect.code.resolve.go.members import GoMembers
from recollect.code.resolve.go.packages import Packages, folder_of, moved_between
from recollect.code.resolve.rules import ImportedFiles, MovedFiles, Supertype
from recollect.code.resolve.typed import TYPES
from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

_TYPE_NAMES = frozenset(
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint "
    "uint8 uint16 uint32 uint64 uintptr".split()
)
_FUNCTIONS = frozenset(
    "append cap clear close complex copy delete imag len make max min new panic print println real recover".split()
)
_SAME = frozenset({"append", "max", "min"})  # give what they are given first


class Go(GoMembers):
    """The rules of Go."""

    def __init__(self, world: World, paths: Collection[str]) -> None:
        super().__init__(world, paths)
        self.packages = Packages(paths, self.look, self.settings)
        self._used: dict[str, dict[str, set[str]]] = {}

    @classmethod
    def moved(cls, old: Collection[str], new: Collection[str]) -> MovedFiles:
        before, after = (Packages(paths, lambda *_: None, lambda _: None) for paths in (old, new))
        return MovedFiles(moved_between(before, after), set())

    # What edges are made of

    def imported_files(self, path: str, statement: ImportStatement) -> ImportedFiles:
        """The files of a package that define what is used of it; all of them where nothing is used by name."""
        folder, ours = self._imported_folder(path, statement.module)
        if folder is None:
            return ImportedFiles((), statement.module if ours else "")
        used = self._used_names(path, statement)
        found = {each.path for name in used for each in self.package_names(folder, name)}
        return ImportedFiles(found or self._sources(folder))

    def _used_names(self, path: str, statement: ImportStatement) -> Collection[str]:
        """What a file takes from a package by name."""
        facts = self.facts(path)
        if facts is None or "*" in statement.names:
            return ()
        used = self._used.get(path)
        if used is None:
            used = self._used[path] = {}
            for expr in facts.exprs:
                if expr[0] == "a" and facts.exprs[expr[1]][0] == "n":
                    used.setdefault(facts.exprs[expr[1]][1], set()).add(expr[2])
        place = facts.imports.index(statement)
        local = [
            name
            for name, bindings in facts.scopes[0].names.items()
            if any(each.by == By.IMPORT and each.first == place for each in bindings)
        ]
        return sorted({name for each in local for name in used.get(each, ())})

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """What a package offers under a name of its own that is another package's."""
        for name, bindings in facts.scopes[0].names.items():
            for binding in bindings:
                of_a_name = binding.by in (By.TYPE, By.VALUE) and facts.exprs[binding.first][0] == "a"
                if of_a_name and name[:1].isupper():
                    self.soft = False
                    place = Standpoint(path, 0, 0)
                    yield binding.line, self.values(place, binding.first)

    def called(self, value: Value) -> list[Value]:
        """A type that is called converts, and calls nothing."""
        return [] if value[0] == "cls" else super().called(value)

    def supertypes(self, path: str, facts: FileFacts, at: int) -> Iterator[Supertype]:
        """What is embedded, then the interfaces whose methods a type has."""
        scope = facts.scopes[at]
        embedded: set[Value] = set()
        for base in scope.bases:
            self.soft = False
            found = self.classes(self.declared(Standpoint(path, at, 0), base))
            embedded |= found
            yield Supertype(found, False)
        if scope.sort == Sort.CLASS and scope.parent == 0:
            for interface in self.implemented(path, at):
                if interface not in embedded:
                    self.soft = True
                    yield Supertype(frozenset((interface,)), True)

    def classes(self, values: Values) -> Values:
        """The types that these are values of."""
        return frozenset(
            ("cls", *each[1:3]) if each[0] == "inst" else each for each in values if each[0] in ("inst", "ext")
        )

    # Packages

    def _imported_folder(self, path: str, module: str) -> tuple[str | None, bool]:
        found: tuple[str | None, bool] = self.entity(
            ("folder", folder_of(path), module), lambda: self.packages.find(path, module), (None, False)
        )
        return found

    def _sources(self, folder: str) -> list[str]:
        """The files of a package that others can import."""
        return [path for path in self.packages.files(folder) if not path.endswith("_test.go")]

    def package_names(self, folder: str, name: str, package: str = "") -> tuple[BoundName, ...]:
        """What a package binds to a name at its top. `package`: as it is called from inside; "" from outside."""
        found: tuple[BoundName, ...] = self.entity(
            ("package", folder, name, package), lambda: self._package_names(folder, name, package), ()
        )
        return found

    def _package_names(self, folder: str, name: str, package: str) -> tuple[BoundName, ...]:
        paths = [path for path in self.defining(name) if folder_of(path) == folder]
        found = self._bound_at_top(paths, name, package)
        if not found:
            self.look("beside", folder, name)
            found = self._bound_at_top(self.packages.files(folder), name, package)
        return found

    def _bound_at_top(self, paths: Collection[str], name: str, package: str) -> tuple[BoundName, ...]:
        found: list[BoundName] = []
        for path in paths:
            facts = self.facts(path)
            if facts is None or (facts.scopes[0].name != package if package else path.endswith("_test.go")):
                continue
            bindings = facts.scopes[0].names.get(name, ())
            found += [BoundName(path, 0, name, each) for each in bindings if each.by != By.IMPORT]
        return tuple(found)

    # Names

    def name(self, place: Standpoint, name: str) -> Values:
        for scope, found in self.around(place, name):
            is_type = scope.sort in TYPES  # whose fields are not seen by their name alone
            seen = [each for each in found if not is_type or each.binding.by == By.TYPE]
            if seen:
                return union(map(self._meant, seen))
        return union(self._meant(each) for each in self._beyond(place.path, name)) or self._predeclared(place, name)

    def _beyond(self, path: str, name: str) -> tuple[BoundName, ...]:
        """What the other files of the package bind, then what comes by `import . "path"`."""
        facts = self.facts(path)
        if facts is None:
            return ()
        self.look(path, "imports")
        found = self.package_names(folder_of(path), name, facts.scopes[0].name)
        for star in facts.stars if not found else ():
            folder, _ = self._imported_folder(path, facts.imports[star].module)
            if folder is not None and name[:1].isupper():
                found += self.package_names(folder, name)
        return found

    def _predeclared(self, place: Standpoint, name: str) -> Values:
        if name in _TYPE_NAMES or name in _FUNCTIONS:
            return external(f"builtin.{name}")
        return self._package_called(place.path, name)

    def _package_called(self, path: str, name: str) -> Values:
        """A package that is not called what its path says."""
        facts = self.facts(path)
        for statement in facts.imports if facts is not None else ():
            folder, _ = self._imported_folder(path, statement.module)
            sources = self._sources(folder) if folder is not None else []
            first = self.facts(sources[0]) if sources else None
            if first is not None:
                self.look(sources[0], "imports")
                if first.scopes[0].name == name:
                    return one("space", folder)
        return NOTHING

    def _meant(self, found: BoundName) -> Values:
        """What a binding gives as a value."""
        facts, binding = self.facts(found.path), found.binding
        if facts is None:
            return NOTHING
        if binding.by == By.SCOPE:
            is_type = facts.scopes[binding.first].sort in TYPES
            return one("cls" if is_type else "fn", found.path, binding.first)
        if binding.by == By.IMPORT:
            folder, ours = self._imported_folder(found.path, facts.imports[binding.first].module)
            if folder is not None:
                return one("space", folder)
            return NOTHING if ours else external(facts.imports[binding.first].module)
        if binding.by == By.TYPE:
            return self.classes(self._type_meant(found))
        return self.variable(found)

    # Types

    def type_named(self, place: Standpoint, name: str) -> Values:
        for _, found in self.around(place, name):
            types = [each for each in found if self._is_type(each)]
            if types:
                return union(map(self._type_meant, types))
        beyond = [each for each in self._beyond(place.path, name) if self._is_type(each)]
        if beyond:
            return union(map(self._type_meant, beyond))
        return external(f"builtin.{name}") if name in _TYPE_NAMES else NOTHING

    def _is_type(self, found: BoundName) -> bool:
        if found.binding.by == By.SCOPE:
            facts = self.facts(found.path)
            return facts is not None and facts.scopes[found.binding.first].sort in TYPES
        return found.binding.by == By.TYPE

    def _type_meant(self, found: BoundName) -> Values:
        """Values of a type by what binds its name."""
        if found.binding.by == By.SCOPE:
            return one("inst", found.path, found.binding.first, ())
        if found.scope or found.binding.first == UNKNOWN:
            return self.type_variable(found)
        place = Standpoint(found.path, 0, 0)
        return self.entity(("alias", *found), lambda: self.declared(place, found.binding.first))  # type: ignore[no-any-return]

    def type_inside(self, place: Standpoint, of: int, name: str) -> Values:
        """`package.Type`: the package is one that the file imports, whatever a parameter beside it is called."""
        found: list[Values] = []
        for holder in self.values(Standpoint(place.path, 0, 0), of):
            if holder[0] == "space":
                found += [self._type_meant(each) for each in self.package_names(holder[1], name) if self._is_type(each)]
            elif holder[0] == "ext":
                found.append(external(f"{holder[1]}.{name}"))
        return union(found)

    def underlying(self, value: Value) -> Values:
        """What the type of a value is made of, where it is no struct and no interface."""
        path, scope = value[1:3]
        found: Values = self.entity(("under", path, scope), lambda: self._made_of(path, scope))
        return self.substituted(found, self.settled(value))

    def _made_of(self, path: str, scope: int) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        self.look(path, "bases", facts.path_of(scope))
        return self.declared(Standpoint(path, scope, 0), facts.scopes[scope].type)

    # Members

    def attribute(self, value: Value, name: str) -> Values:
        kind = value[0]
        if kind == "space":
            if not name[:1].isupper():
                return NOTHING
            return union(self._meant(each) for each in self.package_names(value[1], name))
        if kind in ("inst", "cls"):
            return self.member(value, name)
        if kind == "var":
            return union(self.attribute(each, name) for each in self.bound_of(value) if each[0] != "var")
        return external(f"{value[1]}.{name}"[-80:]) if kind == "ext" else external(f"{kind}.{name}")

    def member(self, owner: Value, name: str) -> Values:
        found: list[Values] = []
        members, outside = self.members(owner[1], owner[2], name)
        known = self.settled(owner)
        for each in members:
            holder = next(iter(self.substituted(frozenset((each.holder,)), known)))
            if each.field is None:
                bound = ("meth", each.path, each.scope, holder)
                found.append(frozenset((bound if owner[0] == "inst" else ("fn", each.path, each.scope),)))
            else:
                found.append(self.substituted(self.variable(each.field), self.settled(holder)))
        if not members and outside:
            return external(f"promoted.{name}")
        return union(found)

    # Calls

    def call(self, place: Standpoint, value: Value, given: tuple[int, ...], depth: int) -> Values:
        kind = value[0]
        if kind in ("fn", "meth"):
            path, scope = value[1:3]
            known = self._as_received(path, scope, value[3]) if kind == "meth" else {}
            if self.variables_of(path, scope):
                known |= self.taken(path, scope, [self.values(place, each, depth + 1) for each in given])
            return self.returned(path, scope, known)
        if kind == "cls":
            return one("inst", *value[1:3], ())
        if kind == "call":
            return value[1]  # type: ignore[no-any-return]
        if kind == "inst":
            return union(self.call(place, each, given, depth) for each in self.underlying(value) if each[0] == "call")
        if kind == "ext" and value[1].startswith("builtin."):
            return self._predeclared_call(place, value[1].removeprefix("builtin."), given, depth)
        return external(f"{value[1]}()"[-80:]) if kind == "ext" else NOTHING

    def _predeclared_call(self, place: Standpoint, name: str, given: tuple[int, ...], depth: int) -> Values:
        if name in _SAME and given:
            return self.values(place, given[0], depth + 1)
        return external(f"builtin.{name}") if name in _TYPE_NAMES else one("lit", name)

    def _as_received(self, path: str, scope: int, owner: Value) -> dict[Any, Values]:
        """The variables of a type as its method names them: `func (l *List[E])`."""
        found = dict(self.settled(owner))
        if owner[0] == "inst" and owner[3]:
            found.update((var[1], arg) for var, arg in zip(self.variables_of(path, scope), owner[3], strict=False))
        return found

    # Expressions

    def subscripted(self, value: Value) -> Values:
        if value[0] == "inst":
            return union(self.subscripted(each) for each in self.underlying(value) if each[0] != "inst")
        return super().subscripted(value)

    def iterated(self, value: Value) -> Values:
        """A key, or a number, and what belongs to it; of a channel what comes through."""
        if value[0] == "inst":
            return union(self.iterated(each) for each in self.underlying(value) if each[0] != "inst")
        if value[0] == "seq":
            return one("tup", (value[2],) if value[1] == "chan" else (one("lit", "int"), value[2]))
        if value[0] == "map":
            return one("tup", value[1:])
        return super().iterated(value)

    def awaited(self, value: Value) -> Values:
        if value[0] == "inst":
            return union(self.awaited(each) for each in self.underlying(value) if each[0] != "inst")
        return value[2] if value[0] == "seq" else external("item")
