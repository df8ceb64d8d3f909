"""What names of C and C++ mean: variables, members of the class around, then what includes bring in, by namespace.

A function that is declared and not defined in what a file takes in is looked for in the whole project. With external
linkage there is one definition in a program, so one definition in the project is that one. Where there are several
(several programs, or systems), those count that take in a header by which the caller knows the function.
"""

from __future__ import annotations

from recollect.code.extract.c_expressions import ROOT
from recollect.code.extract.c_family import MACRO, PURE, USING
from recollect.code.facts import DECLARED, LOCAL, UNKNOWN, By, CodeScope, Expr, FileFacts, Sort
from recollect.code.resolve.c_family.includes import Includes
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.typed import TYPES, Typed
from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

_USED_MAX = 16  # namespaces that are used at one place
_SPACES_DEPTH_MAX = 32


class CNames(Typed, Includes):
    """Names; `CFamily` has members and calls."""

    _symbols: dict[str, dict[str, list[BoundName]]]  # by file and qualified name
    _functions: dict[str, dict[str, list[int]]]  # scopes by file and last name

    def class_members(self, value: Value, name: str) -> list[BoundName]:
        """What a class or one of its bases has under a name."""
        raise NotImplementedError

    # What files have by qualified names

    def symbols_of(self, path: str) -> dict[str, list[BoundName]]:
        """The names of a file and of the namespaces in it."""
        known = self._symbols.get(path)
        if known is None:
            known = self._symbols[path] = {}
            facts = self.facts(path)
            for at, scope in enumerate(facts.scopes if facts is not None else ()):
                assert facts is not None
                if scope.sort == Sort.MODULE:
                    prefix = facts.path_of(at)
                    for name, bindings in scope.names.items():
                        symbol = f"{prefix}.{name}" if prefix else name
                        known.setdefault(symbol, []).extend(BoundName(path, at, name, each) for each in bindings)
        return known

    def visible(self, path: str, symbol: str) -> tuple[BoundName, ...]:
        """What a file sees under a qualified name, in itself and in what it takes in."""
        found: tuple[BoundName, ...] = self.entity(("visible", path, symbol), lambda: self._visible(path, symbol), ())
        return found

    def _visible(self, path: str, symbol: str) -> tuple[BoundName, ...]:
        self.look("visible", symbol)
        return tuple(each for file in self.taken_in(path) for each in self.symbols_of(file).get(symbol, ()))

    # Names at a place

    def local(self, place: Standpoint, name: str) -> list[BoundName]:
        """A variable, parameter or type of the function around, or what a class around has."""
        facts = self.facts(place.path)
        scope, line = place.scope, place.line
        while facts is not None and scope > 0:
            here = facts.scopes[scope]
            if here.sort == Sort.MODULE:
                return []
            if here.sort in TYPES:
                found = self.class_members(("cls", place.path, scope), name)
            else:
                bindings = here.names.get(name, ())
                above = [each for each in bindings if each.line <= line or not line or each.by == By.PARAMETER][-1:]
                found = [BoundName(place.path, scope, name, each) for each in above]
                if not found and here.sort == Sort.FUNCTION:
                    owner = self.owner_of(place.path, scope)
                    found = self.class_members(owner, name) if owner is not None else []
            if found:
                return found
            scope = here.parent
        return []

    def owner_of(self, path: str, scope: int) -> Value | None:
        """The class that a function defined outside of it is a member of."""
        found: Value | None = self.entity(("owner", path, scope), lambda: self._owner_of(path, scope), None)
        return found

    def _owner_of(self, path: str, scope: int) -> Value | None:
        facts = self.facts(path)
        if facts is None or "." not in facts.scopes[scope].name:
            return None
        words = facts.scopes[scope].name.split(".")[:-1]
        found = self.qualified(Standpoint(path, facts.scopes[scope].parent, 0), words)
        return next((each for each in sorted(found, key=str) if each[0] == "cls"), None)

    def bound(self, place: Standpoint, name: str) -> list[BoundName]:
        return self.local(place, name) or list(self.of_spaces(place, name))

    def of_spaces(self, place: Standpoint, name: str) -> tuple[BoundName, ...]:
        """What the namespaces around a place have under a name, the inmost that has it; then what `using` brings."""
        for space in self._spaces(place):
            found = self.visible(place.path, f"{space}.{name}" if space else name)
            if found:
                return found
        for space in self._used(place):
            found = self.visible(place.path, f"{space}.{name}")
            if found:
                return found
        return ()

    def _spaces(self, place: Standpoint) -> list[str]:
        """The namespaces around, inmost first; those of a member defined outside of its class are its class's."""
        facts = self.facts(place.path)
        scope = place.scope
        found: list[str] = []
        while facts is not None and scope > 0 and len(found) < _SPACES_DEPTH_MAX:
            here = facts.scopes[scope]
            if here.sort == Sort.MODULE:
                found.append(facts.path_of(scope))
            elif here.sort == Sort.FUNCTION and "." in here.name:
                owner = self.owner_of(place.path, scope)
                there = self.facts(owner[1]) if owner is not None else None
                space = self._space_of(there, owner[2]) if there is not None and owner is not None else ""
                while space:
                    found.append(space)
                    space = space.rpartition(".")[0]
            scope = here.parent
        return list(dict.fromkeys([*found, ""]))

    def _space_of(self, facts: FileFacts, scope: int) -> str:
        while scope > 0 and facts.scopes[scope].sort != Sort.MODULE:
            scope = facts.scopes[scope].parent
        return facts.path_of(max(scope, 0))

    def _used(self, place: Standpoint) -> list[str]:
        """Namespaces that `using namespace` brings to a file: its own and those of what it takes in."""
        found: list[str] = self.entity(("used", place.path), lambda: self._used_in(place.path), [])
        return found

    def _used_in(self, path: str) -> list[str]:
        found: dict[str, None] = {}
        for file in self.taken_in(path):
            facts = self.facts(file)
            self.look(file, "stars")
            for at in facts.stars if facts is not None else ():
                assert facts is not None
                statement = facts.imports[at]
                if statement.level == USING and len(found) < _USED_MAX:
                    space = self._space_of(facts, statement.scope)
                    while space:
                        found[f"{space}.{statement.module}"] = None
                        space = space.rpartition(".")[0]
                    found[statement.module] = None
        return list(found)

    def name(self, place: Standpoint, name: str) -> Values:
        if name == "this":
            return self.this(place)
        found = self.bound(place, name)
        return self.meant(place.path, found) if found else external(name) if name in ("std", "NULL") else NOTHING

    def meant(self, path: str, found: list[BoundName] | tuple[BoundName, ...]) -> Values:
        """What these bindings stand for, seen from a file; functions by all that they may be."""
        macros = {other: each for each in found if (other := self._macro(each)) is not None}
        if "" in macros:
            return external(MACRO)
        functions = [each for each in found if self._is_function(each)]
        values = self.functions(path, functions) if functions else NOTHING
        if macros:
            return self._renamed(path, macros, values)
        return values | union(self.binding(each) for each in found if not self._is_function(each))

    def _renamed(self, path: str, macros: dict[str, BoundName], functions: Values) -> Values:
        """What a macro calls by another name; where only a condition does so, functions of the name itself too."""
        others = [self._by_other_name(path, other) for other in macros]
        if any(not each.binding.maybe for each in macros.values()):
            return union(others)
        return union((*others, functions)) if functions else external(MACRO)

    def _by_other_name(self, path: str, name: str) -> Values:
        return self.entity(("renamed", path, name), lambda: self.name(Standpoint(path, 0, 0), name))  # type: ignore[no-any-return]

    def _macro(self, found: BoundName) -> str | None:
        """The name that a macro stands for, "" for one that takes arguments; None for what is no macro."""
        facts, binding = self.facts(found.path), found.binding
        if facts is None or found.scope or binding.by != By.VALUE:
            return None
        if facts.exprs[binding.second] == ("k", MACRO):
            return str(facts.exprs[binding.first][1])
        return "" if facts.exprs[binding.first] == ("k", MACRO) else None

    def _is_function(self, found: BoundName) -> bool:
        facts = self.facts(found.path)
        by = found.binding.by
        return by == By.SCOPE and facts is not None and facts.scopes[found.binding.first].sort == Sort.FUNCTION

    def binding(self, found: BoundName) -> Values:
        facts, binding = self.facts(found.path), found.binding
        if facts is None:
            return NOTHING
        if binding.by == By.SCOPE:
            if facts.scopes[binding.first].sort == Sort.MODULE:
                return one("space", facts.path_of(binding.first))
            return one("cls", found.path, binding.first)
        if binding.by == By.IMPORT:
            statement = facts.imports[binding.first]
            words = [*statement.module.split("."), str(binding.second)]
            key = ("using", found.path, found.scope, words[-1], statement.module)
            return self.entity(key, lambda: self._using(found, words))  # type: ignore[no-any-return]
        if binding.by == By.TYPE:
            return self.classes(self.type_bound(found))
        return self.variable(found)

    def _using(self, found: BoundName, words: list[str]) -> Values:
        facts = self.facts(found.path)
        scope = facts.scopes[found.scope].parent if facts is not None and found.scope else 0
        return self.qualified(Standpoint(found.path, scope, 0), words)

    def classes(self, values: Values) -> Values:
        return frozenset(("cls", *each[1:3]) if each[0] == "inst" else each for each in values)

    # Paths

    def qualified(self, place: Standpoint, words: list[str]) -> Values:
        """What `a::b::c` means."""
        found = self.first_word(place, words[0])
        for word in words[1:]:
            found = union(self.inside(place.path, each, word) for each in found)
        return found

    def first_word(self, place: Standpoint, word: str) -> Values:
        """A namespace or a class; variables and functions do not count."""
        if word == ROOT:
            return one("space", "")
        found = [each for each in self.local(place, word) if each.binding.by in (By.TYPE, By.SCOPE)]
        values = self.meant(place.path, [each for each in found if not self._is_function(each)])
        if values:
            return values
        spaces: Values = NOTHING
        for space in [*self._spaces(place), *self._used(place)]:
            symbol = f"{space}.{word}" if space else word
            seen = [each for each in self.visible(place.path, symbol) if not self._is_function(each)]
            spaces = union(self.binding(each) for each in seen if each.binding.by != By.VALUE)
            if spaces:
                return spaces
        return external(word) if word == "std" else NOTHING

    def inside(self, path: str, value: Value, name: str) -> Values:
        """What stands behind `::`."""
        if value[0] == "space":
            symbol = f"{value[1]}.{name}" if value[1] else name
            found = self.visible(path, symbol)
            if not found:
                return self._inside_used(path, value[1], name) or (external(name) if value[1] == "std" else NOTHING)
            return self.meant(path, found)
        if value[0] == "ext":
            return external(f"{value[1]}.{name}")
        if value[0] in ("cls", "inst"):
            return self.meant(path, self.class_members(("cls", *value[1:3]), name))
        return external(name) if value[0] in ("std", "seq", "map") else NOTHING

    def _inside_used(self, path: str, space: str, name: str) -> Values:
        """What a namespace has because it uses another one."""
        for used in self._used(Standpoint(path, 0, 0)):
            if space and used.startswith(f"{space}."):
                found = self.visible(path, f"{used}.{name}")
                if found:
                    return self.meant(path, found)
        return NOTHING

    # Functions

    def functions(self, path: str, found: list[BoundName]) -> Values:
        """The definitions of functions that are declared or defined where these bindings are."""
        defined: dict[Value, None] = {}
        promised: dict[Value, None] = {}
        declared: dict[str, list[str]] = {}
        for each in found:
            facts = self.facts(each.path)
            assert facts is not None
            scope = facts.scopes[each.binding.first]
            self.look(each.path, "signature", facts.path_of(each.binding.first))
            if DECLARED in scope.traits or PURE in scope.traits:
                declared.setdefault(facts.path_of(each.binding.first), []).append(each.path)
            if PURE in scope.traits:
                promised["fn", each.path, each.binding.first] = None
            elif DECLARED not in scope.traits:
                defined["fn", each.path, each.binding.first] = None
        for symbol, by in declared.items():
            defined.update(dict.fromkeys(self.definitions(path, symbol, tuple(dict.fromkeys(by)))))
        return frozenset(defined or promised) or external("declared")

    def definitions(self, path: str, symbol: str, declared_in: tuple[str, ...]) -> tuple[Value, ...]:
        """Where a declared function is defined, for those who know it by these files."""
        key = ("defined", path, symbol, declared_in)
        found: tuple[Value, ...] = self.entity(key, lambda: self._definitions(path, symbol, declared_in), ())
        return found

    def _definitions(self, path: str, symbol: str, declared_in: tuple[str, ...]) -> tuple[Value, ...]:
        found: dict[str, list[Value]] = {}
        for file in self._defining_files(symbol):
            facts = self.facts(file)
            for at in self._scopes_named(file, symbol):
                assert facts is not None
                self.look(file, "signature", facts.path_of(at))
                scope = facts.scopes[at]
                if not {DECLARED, PURE} & set(scope.traits) and (LOCAL not in scope.traits or file == path):
                    found.setdefault(file, []).append(("fn", file, at))
        if len(found) > 1:
            knowing = {file for file in found if set(declared_in) & set(self.taken_in(file))}
            found = {file: values for file, values in found.items() if file in knowing} or found
        return tuple(value for file in sorted(found) for value in found[file])

    def _defining_files(self, symbol: str) -> list[str]:
        """Files that define a function; a member may be named without the namespace that is used there."""
        files = dict.fromkeys(self.defining(symbol))
        words = symbol.split(".")
        for at in range(1, len(words) - 1):
            files.update(dict.fromkeys(self.defining(".".join(words[at:]))))
        return list(files)

    def _scopes_named(self, path: str, symbol: str) -> list[int]:
        """The functions of a file that are a symbol, also where they stand outside of its namespace."""
        facts = self.facts(path)
        found: list[int] = []
        last = symbol.rpartition(".")[2]
        for at, scope in enumerate(facts.scopes if facts is not None else ()):
            assert facts is not None
            if scope.sort != Sort.FUNCTION or scope.name.rpartition(".")[2] != last:
                continue
            own = facts.path_of(at)
            if own == symbol or (
                "." in scope.name and symbol.endswith(f".{own}") and self._is_member(path, at, symbol)
            ):
                found.append(at)
        return found

    def _is_member(self, path: str, scope: int, symbol: str) -> bool:
        owner = self.owner_of(path, scope)
        facts = self.facts(owner[1]) if owner is not None else None
        return facts is not None and owner is not None and facts.path_of(owner[2]) == symbol.rpartition(".")[0]

    # Types

    def type_named(self, place: Standpoint, name: str) -> Values:
        found = [each for each in self.local(place, name) if self._is_type(each)]
        found = found or self._type_of_spaces(place, name)
        return union(self.type_bound(each) for each in found) if found else one("std", name, ())

    def _type_of_spaces(self, place: Standpoint, name: str) -> list[BoundName]:
        for space in [*self._spaces(place), *self._used(place)]:
            symbol = f"{space}.{name}" if space else name
            found = [each for each in self.visible(place.path, symbol) if self._is_type(each)]
            if found:
                return found
        return []

    def _is_type(self, found: BoundName) -> bool:
        facts = self.facts(found.path)
        if found.binding.by == By.SCOPE:
            return facts is not None and facts.scopes[found.binding.first].sort in TYPES
        return found.binding.by in (By.TYPE, By.IMPORT)

    def type_bound(self, found: BoundName) -> Values:
        """Values of a type, by what binds its name."""
        facts, binding = self.facts(found.path), found.binding
        if facts is None:
            return NOTHING
        if binding.by == By.SCOPE:
            is_type = facts.scopes[binding.first].sort in TYPES
            return one("inst", found.path, binding.first, ()) if is_type else NOTHING
        if binding.by == By.TYPE and self._is_variable(facts.scopes[found.scope], binding.first):
            return self.type_variable(found)
        if binding.by == By.TYPE:
            place = Standpoint(found.path, found.scope, 0)
            return self.entity(("alias", *found), lambda: self.declared(place, binding.first))  # type: ignore[no-any-return]
        return self.instances(self.binding(found))

    def _is_variable(self, scope: CodeScope, first: int) -> bool:
        return first == UNKNOWN and scope.sort != Sort.MODULE

    def instances(self, values: Values) -> Values:
        found: set[Value] = set()
        for value in values:
            if value[0] == "cls":
                found.add(("inst", *value[1:3], ()))
            elif value[0] == "ext":
                found.add(("std", value[1].rpartition(".")[2], ()))
            elif value[0] not in ("fn", "meth", "space"):
                found.add(value)
        return frozenset(found)

    def declared(self, place: Standpoint, expr: int) -> Values:
        facts = self.facts(place.path)
        if facts is None or expr == UNKNOWN:
            return NOTHING
        at: Expr = facts.exprs[expr]
        if at[0] == "p":
            words = _words(facts, at)
            before = self.qualified(place, words[:-1])
            return self.instances(union(self._type_inside(place.path, each, words[-1]) for each in before))
        return super().declared(place, expr)

    def _type_inside(self, path: str, value: Value, name: str) -> Values:
        if value[0] == "space":
            symbol = f"{value[1]}.{name}" if value[1] else name
            found = [each for each in self.visible(path, symbol) if self._is_type(each)]
            return union(self.type_bound(each) for each in found)
        if value[0] in ("cls", "inst"):
            members = self.class_members(("cls", *value[1:3]), name)
            return union(self.type_bound(each) for each in members if self._is_type(each))
        return external(f"{value[1]}.{name}") if value[0] == "ext" else NOTHING

    def this(self, place: Standpoint) -> Values:
        """The object that a member function is called on."""
        facts = self.facts(place.path)
        scope = place.scope
        while facts is not None and scope > 0:
            here = facts.scopes[scope]
            if here.sort in TYPES:
                return self._own(place.path, scope)
            if here.sort == Sort.FUNCTION and "." in here.name:
                owner = self.owner_of(place.path, scope)
                return self._own(owner[1], owner[2]) if owner is not None else NOTHING
            scope = here.parent
        return NOTHING

    def _own(self, path: str, scope: int) -> Values:
        args = tuple(frozenset((each,)) for each in self.variables_of(path, scope))
        return one("inst", path, scope, args)


def _words(facts: FileFacts, expr: Expr) -> list[str]:
    """The names of a path."""
    found: list[str] = []
    while expr[0] == "p":
        found.append(expr[2])
        expr = facts.exprs[expr[1]]
    return [str(expr[1]), *reversed(found)]
