"""What members and calls of Rust stand for, and the edges that are made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from recollect.code.extract.rust import MODULE_LEVEL
from recollect.code.facts import ADDED, UNKNOWN, By, Expr, FileFacts, ImportStatement, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.rules import ImportedFiles, MovedFiles, Supertype
from recollect.code.resolve.rust.library import contained, inner_of, made_by, of_library
from recollect.code.resolve.rust.names import RustNames
from recollect.code.resolve.typed import Settled
from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

_INSIDE_MAX = 6  # wrappers in wrappers, and what they lead to
_DERIVED = {
    "clone": "Clone",
    "default": "Default",
    "fmt": "Debug",
    "eq": "PartialEq",
    "ne": "PartialEq",
    "cmp": "Ord",
    "partial_cmp": "PartialOrd",
    "hash": "Hash",
}
_GIVES_SELF = frozenset({"clone", "to_owned", "by_ref", "borrow", "borrow_mut", "into_iter", "as_ref", "as_mut"})


class Rust(RustNames):
    """The rules of Rust."""

    @classmethod
    def moved(cls, old: Collection[str], new: Collection[str]) -> MovedFiles:
        return MovedFiles({("file", path) for path in set(old) ^ set(new)}, set())

    # What edges are made of

    def imported_files(self, path: str, statement: ImportStatement) -> ImportedFiles:
        """The file of a `mod name;`; of a `use`, the module that names are taken from, or the one that is named."""
        if statement.level == MODULE_LEVEL:
            file = self.module_file(path, statement.module)
            return ImportedFiles((), statement.module) if file is None else ImportedFiles((file,))
        (name,) = statement.names
        if not statement.module:
            sources = frozenset(each for each in self._first_word(path, statement, name) if each[0] == "mod")
            return ImportedFiles({each[1] for each in sources} - {path})
        sources = self.module_of(path, statement)
        found = {each[1] for each in sources if each[0] in ("mod", "cls")}
        named = union(self.inside(each, name) for each in sources if each[0] == "mod" and name != "*")
        inner = {each[1] for each in named if each[0] == "mod"}
        first = statement.module.partition("::")[0]
        missing = "" if sources or first not in ("crate", "super", "self") else f"{statement.module}::{name}"
        return ImportedFiles((inner or found) - {path}, missing)

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """What `pub use` passes on."""
        for at, scope in enumerate(facts.scopes):
            if scope.sort != Sort.MODULE:
                continue
            for name, bindings in scope.names.items():
                for binding in bindings:
                    if binding.by == By.IMPORT and facts.imports[binding.first].exported:
                        self.soft = False
                        yield binding.line, self.binding(BoundName(path, at, name, binding))

    def supertypes(self, path: str, facts: FileFacts, at: int) -> Iterator[Supertype]:
        """An `impl` of a trait implements it; a trait extends those above it."""
        scope = facts.scopes[at]
        promised = ADDED in scope.traits
        for expr in scope.interfaces if promised else scope.bases:
            self.soft = False
            yield Supertype(self.classes(self.declared(Standpoint(path, at, 0), expr)), promised)

    # Members

    def impls(self, path: str, scope: int) -> tuple[tuple[str, int], ...]:
        """Where members are added to a type of ours, or traits implemented for it: files and scopes."""
        found: tuple[tuple[str, int], ...] = self.entity(("impls", path, scope), lambda: self._impls(path, scope), ())
        return found

    def _impls(self, path: str, scope: int) -> tuple[tuple[str, int], ...]:
        facts = self.facts(path)
        if facts is None:
            return ()
        symbol, last = facts.path_of(scope), facts.scopes[scope].name
        files = dict.fromkeys([*self.defining(symbol), *(self.defining(last) if last != symbol else ())])
        found: list[tuple[str, int]] = []
        soft = self.soft
        for file in files:
            there = self.facts(file)
            self.look(file, "bases", symbol)
            for at, each in enumerate(there.scopes if there is not None else ()):
                if each.name != last or ADDED not in each.traits:
                    continue
                if any(value[:3] == ("inst", path, scope) for value in self.self_of(file, at)):
                    found.append((file, at))
        self.soft = soft
        return tuple(found)

    def added(self, path: str, scope: int, name: str) -> list[BoundName]:
        """What the `impl`s of a type have under a name; those of no trait first."""
        found: list[BoundName] = self.entity(("added", path, scope, name), lambda: self._added(path, scope, name), [])
        return found

    def _added(self, path: str, scope: int, name: str) -> list[BoundName]:
        own: list[BoundName] = []
        of_traits: list[BoundName] = []
        for file, at in self.impls(path, scope):
            facts = self.facts(file)
            assert facts is not None
            self.look(file, facts.path_of(at), name)
            here = facts.scopes[at]
            into = of_traits if here.interfaces else own
            into += [BoundName(file, at, name, each) for each in here.names.get(name, ())]
        return own or of_traits

    def traits(self, path: str, scope: int) -> tuple[Value, ...]:
        """The traits of ours that a type implements, or that a trait is above."""
        found: tuple[Value, ...] = self.entity(("traits", path, scope), lambda: self._traits(path, scope), ())
        return found

    def _traits(self, path: str, scope: int) -> tuple[Value, ...]:
        facts = self.facts(path)
        if facts is None:
            return ()
        found: dict[Value, None] = {}
        soft = self.soft
        if facts.scopes[scope].sort == Sort.INTERFACE:
            self.look(path, "bases", facts.path_of(scope))
            above = [(path, scope, expr) for expr in facts.scopes[scope].bases]
        else:
            above = []
            for file, at in self.impls(path, scope):
                there = self.facts(file)
                above += [(file, at, expr) for expr in there.scopes[at].interfaces] if there is not None else []
        for file, at, expr in above:
            for value in self.declared(Standpoint(file, at, 0), expr):
                if value[0] == "inst" and value[1:3] != (path, scope):
                    found[value] = None
        self.soft = soft
        return tuple(found)

    def promised(self, path: str, scope: int, name: str, depth: int = 0) -> list[tuple[BoundName, Value]]:
        """What a trait, or one above it, has under a name."""
        facts = self.facts(path)
        if facts is None or depth > _INSIDE_MAX:
            return []
        self.look(path, facts.path_of(scope), name)
        bindings = facts.scopes[scope].names.get(name)
        if bindings and facts.scopes[scope].sort == Sort.INTERFACE:
            return [(BoundName(path, scope, name, each), ("inst", path, scope, ())) for each in bindings]
        found: list[tuple[BoundName, Value]] = []
        for trait in self.traits(path, scope):
            found = found or self.promised(trait[1], trait[2], name, depth + 1)
        return found

    def members(self, value: Value, name: str) -> list[BoundName]:
        """What a type of ours has under a name besides fields: its own first, then what its traits give."""
        path, scope = value[1], value[2]
        found = self.added(path, scope, name)
        if found:
            return found
        facts = self.facts(path)
        inherited = self.promised(path, scope, name)
        if inherited and facts is not None and facts.scopes[scope].sort != Sort.INTERFACE:
            self.soft = True
        return [each for each, _ in inherited]

    def associated(self, value: Value, name: str) -> Values:
        if value[0] == "var":
            bounds = self.bound_of(value)
            return union(self.associated(each, name) for each in self.classes(bounds)) if bounds else NOTHING
        if value[0] not in ("cls", "inst"):
            return external(f"{value[1]}.{name}") if value[0] == "std" else external(f"{value[0]}.{name}")
        facts = self.facts(value[1])
        if facts is None:
            return NOTHING
        self.look(value[1], facts.path_of(value[2]), name)
        scope = facts.scopes[value[2]]
        if scope.sort == Sort.CLASS and any(each.by == By.VALUE for each in scope.names.get(name, ())):
            return one("variant", *value[1:3], name)
        owner = value if value[0] == "inst" else ("inst", *value[1:3], ())
        found = union(self._member(owner, each) for each in self.members(value, name))
        return found or self._derived(owner, name, scope.traits)

    def _derived(self, owner: Value, name: str, traits: Collection[str]) -> Values:
        """What every type that says so has from the library."""
        if f"derive:{_DERIVED.get(name)}" in traits:
            return one("call", frozenset((owner,)) if name in ("clone", "default") else external(name))
        return NOTHING

    def _member(self, owner: Value, found: BoundName) -> Values:
        facts = self.facts(found.path)
        if facts is None:
            return NOTHING
        if found.binding.by == By.SCOPE and facts.scopes[found.binding.first].sort == Sort.FUNCTION:
            return one("meth", found.path, found.binding.first, owner)
        if found.binding.by == By.TYPE:
            held = self.declared(Standpoint(found.path, found.scope, 0), found.binding.first)
            return self.substituted(held, self._known(found.path, found.scope, owner))
        return self.binding(found)

    def attribute(self, value: Value, name: str) -> Values:
        """A field, also of what a wrapper holds."""
        for _ in range(_INSIDE_MAX):
            if value[0] == "inst":
                found = self.field(value, name)
                if found:
                    return found
                inner = self._pointed_at(value)
            else:
                inner = self.bound_of(value) if value[0] == "var" else contained(value)
            if value[0] == "tup" and name.isdigit():
                return self.part(value, int(name))
            if len(inner) != 1:
                break
            (value,) = inner
        return external(name) if value[0] in ("ext", "std", "lit") else NOTHING

    def field(self, owner: Value, name: str) -> Values:
        """What a field of a type of ours holds."""
        facts = self.facts(owner[1])
        if facts is None:
            return NOTHING
        self.look(owner[1], facts.path_of(owner[2]), name)
        bindings = facts.scopes[owner[2]].names.get(name, ())
        found = union(
            self.variable(BoundName(owner[1], owner[2], name, each)) for each in bindings if each.by == By.VALUE
        )
        return self.substituted(found, self.settled(owner))

    def _pointed_at(self, value: Value) -> Values:
        """What `impl Deref` says that a value leads to."""
        found = [each for each in self.added(value[1], value[2], "Target") if each.binding.by == By.TYPE]
        return union(self._member(value, each) for each in found)

    def method(self, place: Standpoint, value: Value, name: str) -> Values:
        """What is called by `value.name(…)`."""
        for _ in range(_INSIDE_MAX):
            if value[0] == "inst":
                found = union(self._member(value, each) for each in self.members(value, name))
                found = found or self._extended(place, name)
                inner = NOTHING if found else self._pointed_at(value)
                if not found and not inner:
                    facts = self.facts(value[1])
                    traits = facts.scopes[value[2]].traits if facts is not None else ()
                    known = one("call", frozenset((value,))) if name in _GIVES_SELF or name == "project" else NOTHING
                    return self._derived(value, name, traits) or known
            elif value[0] == "var":
                bounds = self.bound_of(value)
                return union(self.method(place, each, name) for each in bounds if each != value)
            elif value[0] == "call" and name in ("clone", "as_ref", "as_mut"):
                return one("call", frozenset((value,)))
            else:
                known_here = of_library(value, name)
                if known_here is not None:
                    return known_here
                found, inner = NOTHING, contained(value)
            if found or len(inner) != 1:
                return found
            (value,) = inner
        return NOTHING

    def _extended(self, place: Standpoint, name: str) -> Values:
        """A method of a trait that is taken in here and that every type of some kind has (`impl<T: …> Trait for T`)."""
        facts = self.facts(place.path)
        if facts is None:
            return NOTHING
        module = self._module_around(facts, place.scope)
        for word, bindings in facts.scopes[module].names.items():
            taken = [each for each in bindings if each.by in (By.IMPORT, By.SCOPE)]
            own = next((str(each.second) for each in taken if each.by == By.IMPORT), word)
            if not taken or not own[:1].isupper() or not self.defining(f"{own}.{name}"):
                continue
            for each in taken:
                for trait in self.binding(BoundName(place.path, module, word, each)):
                    if trait[0] == "cls" and self._is_for_all(trait):
                        self.soft = True
                        promised = self.promised(trait[1], trait[2], name)
                        return union(self._member(owner, member) for member, owner in promised)
        return NOTHING

    def _is_for_all(self, trait: Value) -> bool:
        """Whether a trait is implemented for a type variable, in its own file."""
        facts = self.facts(trait[1])
        if facts is None or facts.scopes[trait[2]].sort != Sort.INTERFACE:
            return False
        name = facts.scopes[trait[2]].name
        for at, scope in enumerate(facts.scopes):
            if ADDED not in scope.traits or not scope.interfaces:
                continue
            promised, about = facts.exprs[scope.interfaces[0]], facts.exprs[scope.bases[0]]
            while promised[0] == "s":
                promised = facts.exprs[promised[1]]
            if promised[-1] == name and about[0] == "n" and about[1] in scope.names:
                self.look(trait[1], "bases", facts.path_of(at))
                return True
        return False

    # Calls

    def _known(self, path: str, scope: int, owner: Value | None) -> Settled:
        """What the variables of an `impl` or a trait stand for, seen from a value."""
        facts = self.facts(path)
        known: dict[object, Values] = {}
        if facts is None or owner is None:
            return known
        if ADDED in facts.scopes[scope].traits:
            self.matched(self.self_of(path, scope), frozenset((owner,)), known)
            return known
        return self.settled(owner)

    def call(self, place: Standpoint, value: Value, given: tuple[int, ...], depth: int) -> Values:
        kind = value[0]
        if kind in ("cls", "variant"):
            return one("inst", *value[1:3], ())
        if kind == "call":
            return value[1]  # type: ignore[no-any-return]
        if kind == "ext":
            first = self.values(place, given[0], depth + 1) if given else NOTHING
            return made_by(value[1], first)
        if kind not in ("fn", "meth"):
            return NOTHING
        path, scope = value[1], value[2]
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        known: dict[object, Values] = {}
        holder = facts.scopes[scope].parent
        if kind == "meth":
            known.update(self._known(path, holder, value[3]))
        if given and self.variables_of(path, scope):
            values = [self.values(place, each, depth + 1) for each in given]
            if kind == "meth" and "static" not in facts.scopes[scope].traits:
                values = [NOTHING, *values]
            known.update(self.taken(path, scope, values))
        found = self.returned(path, scope, known)
        if kind == "meth" and facts.scopes[holder].sort == Sort.INTERFACE:
            found = frozenset(value[3] if each[:3] == ("inst", path, holder) else each for each in found)
        return found

    def _returned(self, path: str, scope: int) -> Values:
        facts = self.facts(path)
        found = super()._returned(path, scope)
        return one("aw", found) if facts is not None and "async" in facts.scopes[scope].traits else found

    def called(self, value: Value) -> list[Value]:
        return [] if value[0] == "variant" else super().called(value)

    # Expressions

    def base(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        if expr[0] == "w":
            line = int(expr[3]) if expr[3] else place.line
            return self.values(Standpoint(place.path, int(expr[1]), line), expr[2], depth + 1)
        return super().base(place, expr, depth)

    def literal(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        kind = expr[0]
        if kind == "L" and expr[1] == "tuple":
            return one("tup", tuple(self.values(place, each, depth + 1) for each in expr[2]))
        if kind == "f":
            facts = self.facts(place.path)
            scope = facts.scopes[expr[1]] if facts is not None else None
            if scope is not None and scope.type == UNKNOWN:
                inner = Standpoint(place.path, expr[1], place.line)
                return one("call", union(self.values(inner, value, depth + 1) for value, _ in scope.returned))
        if kind == "b":
            left = self.values(place, expr[2], depth + 1)
            return frozenset(each for each in left if each[0] in ("lit", "ext"))
        return super().literal(place, expr, depth)

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        kind = expr[0]
        if kind == "p":
            return union(self.inside(each, expr[2]) for each in of if each[0] != "fn")
        if kind == "m":
            return union(self.method(place, each, expr[2]) for each in of)
        if kind == "q":
            return union(map(inner_of, of))
        if kind == "v":
            return union(self._part_of(each, expr[2]) for each in of)
        if kind == "I":
            return self._made(of)
        if kind == "c" and of and any(each[0] in ("mod", "meth", "fn", "cls") for each in of):
            of = frozenset(each for each in of if each[0] != "mod")
        return super().step(place, expr, of, depth)

    def _part_of(self, made: Value, name: str) -> Values:
        """What is held by something that is taken apart by the name of its type or variant."""
        if made[0] == "variant":
            return self.field(("inst", *made[1:3], ()), f"{made[3]}.{name}")
        return self.field(("inst", *made[1:3], ()), name) if made[0] == "cls" else NOTHING

    def awaited(self, value: Value) -> Values:
        if value[0] == "aw":
            return value[1]  # type: ignore[no-any-return]
        if value[0] == "inst":
            return self.associated(value, "Output")
        inner = contained(value)
        return union(self.awaited(each) for each in inner) if inner else external("awaited")

    def part(self, value: Value, at: int) -> Values:
        if value[0] == "std" and value[1] == "Result" and len(value[2]) > at:
            return value[2][at]  # type: ignore[no-any-return]
        if value[0] == "seq":
            return value[2]  # type: ignore[no-any-return]
        return super().part(value, at) if value[0] in ("tup", "ext") else NOTHING

    def iterated(self, value: Value) -> Values:
        if value[0] == "map":
            return one("tup", (value[1], value[2]))
        if value[0] == "inst":
            return self.associated(value, "Item")
        return super().iterated(value) if value[0] != "std" else external("item")
