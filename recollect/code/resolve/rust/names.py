"""What names and paths of Rust mean: modules, imports, items, types, and what a path reaches inside of them."""

from __future__ import annotations

from recollect.code.extract.rust import MODULE_LEVEL
from recollect.code.facts import ADDED, UNKNOWN, By, Expr, FileFacts, ImportStatement, Sort
from recollect.code.resolve.engine import BoundName, Standpoint, holding
from recollect.code.resolve.rust.crates import Crates
from recollect.code.resolve.rust.library import PRELUDE, typed_by_library
from recollect.code.resolve.typed import TYPES, Typed
from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

_PATH_STEPS_MAX = 32
_VARIABLES = (By.VALUE, By.PARAMETER)


class RustNames(Typed, Crates):
    """Names and declared types; `Rust` has members, calls and what edges are made of."""

    def associated(self, value: Value, name: str) -> Values:
        """What a type or trait has under a name: a function, a variant, a constant."""
        raise NotImplementedError

    # Names at a place

    def bound(self, place: Standpoint, name: str, *, items: bool = False) -> list[BoundName]:
        """Names of blocks and functions, type variables of what is around, then those of the module.

        `items`: a type, or what stands before `::`, is never a variable.
        """
        facts = self.facts(place.path)
        scope, line = place.scope, place.line
        beside: list[BoundName] = []
        while facts is not None and scope >= 0:
            here = facts.scopes[scope]
            bindings = here.names.get(name)
            if here.sort in (Sort.MODULE, *TYPES):
                self.look(place.path, facts.path_of(scope), name)
            if bindings and here.sort in TYPES:
                bindings = [each for each in bindings if each.by == By.TYPE or name == "Self"]
            elif bindings and items:
                bindings = [each for each in bindings if each.by not in _VARIABLES]
            elif bindings and here.sort != Sort.MODULE:
                above = [each for each in bindings if each.line < line or not line or each.by != By.VALUE]
                if not above and any(each.line == line for each in bindings):
                    beside = beside or [BoundName(place.path, scope, name, bindings[0])]
                bindings = holding(above) if above else None
            if bindings:
                return [BoundName(place.path, scope, name, each) for each in bindings]
            if here.sort == Sort.MODULE:
                break
            scope = here.parent
        return beside  # all on one line: `let a = b; a.c()`

    def base(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        if expr[0] == "r":
            return self.item(place, expr[1])
        return super().base(place, expr, depth)

    def name(self, place: Standpoint, name: str) -> Values:
        found = self.bound(place, name)
        return union(self.binding(each) for each in found) if found else self.item(place, name)

    def item(self, place: Standpoint, name: str) -> Values:
        """What a name means that is no variable."""
        if name in ("crate", "super", "self"):
            return self._module_word(place, name)
        if name == "Self":
            return self.classes(self._self_type(place))
        found = self.bound(place, name, items=True)
        if found:
            return union(self.binding(each) for each in found)
        facts = self.facts(place.path)
        module = self._module_around(facts, place.scope) if facts is not None else 0
        return self._starred(place.path, place.scope, module, name) or self._crate(place.path, name)

    def _crate(self, path: str, name: str) -> Values:
        """A crate, or what is known in every file."""
        root = self.crate_named(path, name)
        if root is not None:
            return one("mod", root, 0)
        return external(name) if name in PRELUDE or self.depends_on(path, name) else NOTHING

    def _module_word(self, place: Standpoint, word: str) -> Values:
        """`crate`, `self` and `super`."""
        if word == "crate":
            return one("mod", self.crate_root(place.path), 0)
        facts = self.facts(place.path)
        if facts is None:
            return NOTHING
        module = self._module_around(facts, place.scope)
        return one("mod", place.path, module) if word == "self" else self._above(("mod", place.path, module))

    def _above(self, module: Value) -> Values:
        facts = self.facts(module[1])
        if facts is not None and module[2] > 0:
            return one("mod", module[1], self._module_around(facts, facts.scopes[module[2]].parent))
        above = self.parent_file(module[1])
        return NOTHING if above is None else one("mod", above, 0)

    def _module_around(self, facts: FileFacts, scope: int) -> int:
        while scope > 0 and facts.scopes[scope].sort != Sort.MODULE:
            scope = facts.scopes[scope].parent
        return max(scope, 0)

    def binding(self, found: BoundName) -> Values:
        """What a binding gives."""
        facts, binding = self.facts(found.path), found.binding
        if facts is None:
            return NOTHING
        if binding.by == By.SCOPE:
            sort = facts.scopes[binding.first].sort
            return one({Sort.FUNCTION: "fn", Sort.MODULE: "mod"}.get(sort, "cls"), found.path, binding.first)  # type: ignore[call-overload]
        if binding.by == By.IMPORT:
            statement = facts.imports[binding.first]
            return self.entity(  # type: ignore[no-any-return]
                ("import", found.path, found.scope, found.name, binding),
                lambda: self._imported(found.path, statement, str(binding.second)),
            )
        if binding.by == By.TYPE:
            return self.classes(self._type_bound(found))
        return self.variable(found)

    # Imports

    def _imported(self, path: str, statement: ImportStatement, name: str) -> Values:
        if statement.level == MODULE_LEVEL:
            file = self.module_file(path, statement.module)
            return NOTHING if file is None else one("mod", file, 0)
        if not statement.module:
            return self._first_word(path, statement, name)
        return union(self.inside(each, name) for each in self.module_of(path, statement))

    def module_of(self, path: str, statement: ImportStatement) -> Values:
        """The module, or type, that a `use` takes names from."""
        words = statement.module.split("::")
        if len(words) > _PATH_STEPS_MAX:
            return NOTHING
        if words[0] == "":  # `::name` is a crate
            words = words[1:] or [""]
            found = self._crate(path, words[0]) or external(words[0])
        else:
            found = self._first_word(path, statement, words[0])
        for word in words[1:]:
            if word == "super":
                found = union(self._above(each) for each in found if each[0] == "mod")
            elif word != "self":
                found = union(self.inside(each, word) for each in found if each[0] != "fn")
        return found

    def _first_word(self, path: str, statement: ImportStatement, word: str) -> Values:
        place = Standpoint(path, statement.scope, 0)
        if word in ("crate", "self", "super", "Self"):
            return self.item(place, word)
        facts = self.facts(path)
        assert facts is not None
        others = [each for each in self.bound(place, word, items=True) if not self._is_of(facts, each, statement)]
        found = union(self.binding(each) for each in others)
        if found:
            return found
        module = self._module_around(facts, statement.scope)
        return (
            self._crate(path, word) or self._starred(path, statement.scope, module, word, statement) or external(word)
        )

    def _is_of(self, facts: FileFacts, found: BoundName, statement: ImportStatement) -> bool:
        return found.binding.by == By.IMPORT and facts.imports[found.binding.first] == statement

    def _starred(self, path: str, scope: int, module: int, name: str, asking: ImportStatement | None = None) -> Values:
        """What `use module::*` gives, in the blocks around and in the module."""
        facts = self.facts(path)
        self.look(path, "stars")
        for at in facts.stars if facts is not None else ():
            assert facts is not None
            statement = facts.imports[at]
            if statement == asking or not self._is_around(facts, statement.scope, scope, module):
                continue
            found = self._given_by_star(path, at, name)
            if found:
                return found
        return NOTHING

    def _given_by_star(self, path: str, at: int, name: str) -> Values:
        return self.entity(("star", path, at, name), lambda: self._from_star(path, at, name))  # type: ignore[no-any-return]

    def _from_star(self, path: str, at: int, name: str) -> Values:
        facts = self.facts(path)
        assert facts is not None
        sources = self.module_of(path, facts.imports[at])
        return union(
            self.inside(each, name) for each in sources if each[0] in ("mod", "cls") and each[1:3] != (path, 0)
        )

    def _is_around(self, facts: FileFacts, holder: int, scope: int, module: int) -> bool:
        while scope > module:
            if scope == holder:
                return True
            scope = facts.scopes[scope].parent
        return holder == module

    def inside(self, value: Value, name: str) -> Values:
        """What stands behind `::` after a module, a type, or something from outside."""
        if value[0] == "mod":
            if name == "self":
                return frozenset((value,))
            if name == "super":
                return self._above(value)
            return self.entity(("in", *value[1:], name), lambda: self._in_module(value[1], value[2], name))  # type: ignore[no-any-return]
        if value[0] == "ext":
            return external(f"{value[1]}.{name}")
        return self.associated(value, name)

    def _in_module(self, path: str, scope: int, name: str) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        self.look(path, facts.path_of(scope), name)
        bindings = facts.scopes[scope].names.get(name)
        if bindings:
            return union(self.binding(BoundName(path, scope, name, each)) for each in bindings)
        return self._starred(path, scope, scope, name)

    # Types

    def type_named(self, place: Standpoint, name: str) -> Values:
        if name == "Self":
            return self._self_type(place)
        found = self.bound(place, name, items=True)
        if found:
            return union(self._type_bound(each) for each in found)
        return self._made(self.item(place, name)) or typed_by_library(name, ())

    def _made(self, values: Values) -> Values:
        """Instances of these types."""
        found: set[Value] = set()
        for value in values:
            if value[0] == "cls":
                found.add(("inst", *value[1:3], ()))
            elif value[0] == "ext":
                found |= typed_by_library(value[1].rpartition(".")[2], ())
            elif value[0] in ("inst", "var", "std", "seq", "map", "aw", "lit", "tup", "call"):
                found.add(value)
        return frozenset(found)

    def classes(self, values: Values) -> Values:
        """The types of these instances."""
        return frozenset(("cls", *each[1:3]) if each[0] == "inst" else each for each in values)

    def _type_bound(self, found: BoundName) -> Values:
        facts, binding = self.facts(found.path), found.binding
        if facts is None:
            return NOTHING
        if binding.by == By.SCOPE:
            sort = facts.scopes[binding.first].sort
            return one("inst", found.path, binding.first, ()) if sort in TYPES else NOTHING
        if binding.by == By.TYPE:
            scope = facts.scopes[found.scope]
            if scope.sort == Sort.FUNCTION or (scope.sort in TYPES and not self._is_alias(facts, found)):
                return self.type_variable(found)
            place = Standpoint(found.path, found.scope, 0)
            return self.entity(("alias", *found), lambda: self.declared(place, binding.first))  # type: ignore[no-any-return]
        return self._made(self.binding(found)) if binding.by == By.IMPORT else NOTHING

    def _is_alias(self, facts: FileFacts, found: BoundName) -> bool:
        """`type Item = u8;` in an `impl`: told from a type variable by standing further down."""
        scope = facts.scopes[found.scope]
        return ADDED in scope.traits and bool(scope.interfaces) and f"type:{found.name}" in scope.traits

    def _self_type(self, place: Standpoint) -> Values:
        """What `Self` is: the type that an `impl` is about, or the trait around."""
        facts = self.facts(place.path)
        scope = place.scope
        while facts is not None and scope > 0:
            here = facts.scopes[scope]
            if here.sort in TYPES:
                if ADDED in here.traits:
                    return self.self_of(place.path, scope)
                args = tuple(frozenset((each,)) for each in self.variables_of(place.path, scope))
                return one("inst", place.path, scope, args)
            scope = here.parent
        return NOTHING

    def self_of(self, path: str, scope: int) -> Values:
        """The type that an `impl` is about."""
        return self.entity(("self", path, scope), lambda: self._self_of(path, scope))  # type: ignore[no-any-return]

    def _self_of(self, path: str, scope: int) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        self.look(path, "bases", facts.path_of(scope))
        return self.declared(Standpoint(path, scope, 0), facts.scopes[scope].bases[0])

    def declared(self, place: Standpoint, expr: int) -> Values:
        facts = self.facts(place.path)
        if facts is None or expr == UNKNOWN:
            return NOTHING
        at: Expr = facts.exprs[expr]
        if at[0] == "p":
            return self._type_path(place, at)
        return super().declared(place, expr)

    def _type_path(self, place: Standpoint, at: Expr) -> Values:
        """A type in a module, or one that belongs to a type: `Self::Item`."""
        return self._made(union(self.inside(each, at[2]) for each in self.values(place, at[1]) if each[0] != "fn"))

    def _given(self, place: Standpoint, at: Expr) -> Values:
        """A type with what it is given; `type Result<T> = …` is given what the type behind it takes first."""
        facts = self.facts(place.path)
        assert facts is not None
        args = tuple(self.declared(place, each) for each in facts.exprs[at[2]][2])
        found: list[Values] = []
        for value in self.declared(place, at[1]):
            if value[0] == "inst":
                found.append(one(*value[:3], args))
            elif value[0] == "std":
                found.append(typed_by_library(value[1], (*args, *value[2][len(args) :])))
            elif value[0] in ("seq", "aw"):
                found.append(one(*value[:-1], args[0] if args else NOTHING))
            else:
                found.append(frozenset((value,)))
        return union(found)
