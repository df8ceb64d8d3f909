"""What names and expressions of Python stand for: imports, classes and their bases, members, what calls return."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterator

from recollect.code.facts import UNKNOWN, By, CodeScope, Expr, FileFacts, ImportStatement, NameBinding, Sort
from recollect.code.resolve.engine import BoundName, Standpoint, World, holding
from recollect.code.resolve.python.customs import OUTSIDE, Customs
from recollect.code.resolve.python.modules import Modules, folder_of, moved_between
from recollect.code.resolve.rules import ImportedFiles, MovedFiles
from recollect.code.resolve.values import (
    NOTHING,
    SELF,
    Value,
    Values,
    external,
    items_of,
    mentions_variable,
    of_many,
    one,
    union,
)

_BUILTINS = frozenset(dir(builtins))
_CLASS_FIRST = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_OPERATORS = {"+": "__add__", "-": "__sub__", "*": "__mul__", "/": "__truediv__", "//": "__floordiv__"}
_OPERATORS |= {
    "%": "__mod__",
    "@": "__matmul__",
    "&": "__and__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
}
_ENUMS = ("Enum", "Flag", "Choices", "enum.EnumMeta")


class Python(Customs):
    """The rules of Python."""

    def __init__(self, world: World, paths: Collection[str]) -> None:
        super().__init__(world, paths)
        self.modules = Modules(paths, self.look)

    @classmethod
    def moved(cls, old: Collection[str], new: Collection[str]) -> MovedFiles:
        looks, packages = moved_between(Modules(old, _unnoted), Modules(new, _unnoted))
        return MovedFiles(set(looks), {path for path in new if folder_of(path) in packages})

    # What edges are made of

    def imported_files(self, path: str, statement: ImportStatement) -> ImportedFiles:
        """Modules that a statement names, else the one that has what it names."""
        modules = self.modules
        sources = modules.find(path, statement.module, statement.level)
        if not sources:
            return ImportedFiles((), "." * statement.level + statement.module)
        found: set[str] = set()
        for source in sources:
            folder = source[1] if source[0] == "space" else None
            if source[0] == "mod":
                folder = modules.package_of(source[1])
                if not statement.names or "*" in statement.names:
                    found.add(source[1])
            elif source[0] != "space":
                continue
            for name in statement.names:
                inner = modules.child(folder, name) if folder is not None and name != "*" else None
                found.update(each[1] for each in inner or () if each[0] == "mod")
                if not inner and source[0] == "mod":
                    found.add(source[1])
        return ImportedFiles(found)

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """What a package passes on, or a module says that it offers."""
        is_package = self.modules.package_of(path) is not None
        offered = set(facts.exported or ())
        for name in sorted(offered - facts.scopes[0].names.keys()) if facts.stars else ():
            self.soft = False
            yield facts.imports[facts.stars[0]].line, self.name(Standpoint(path, 0, 0), name)
        for name, bindings in facts.scopes[0].names.items():
            binding = bindings[-1]
            if binding.by != By.IMPORT or not binding.second or binding.second == ".":
                continue
            if not (name in offered or (is_package and facts.exported is None and not name.startswith("_"))):
                continue
            self.soft = False
            yield binding.line, self.imported(path, facts.imports[binding.first], binding.second)

    def called(self, value: Value) -> list[Value]:
        if value[0] != "inst":
            return super().called(value)
        return [("fn", *each[1:3]) for each in self.member(value, "__call__") if each[0] in ("fn", "meth")]

    # Names

    def name(self, place: Standpoint, name: str) -> Values:
        narrowed = self._checked(place, name)
        if narrowed:
            return narrowed
        found = self.bound(place, name)
        if found:
            return union(self.binding(each) for each in found)
        starred = self._starred(place.path, name)
        if starred:
            return starred
        return external(f"builtins.{name}") if name in _BUILTINS else NOTHING

    def narrowed(self, place: Standpoint, facts: FileFacts, expr: Expr) -> Values | None:
        if expr[0] != "a" or facts.exprs[expr[1]][0] != "n":
            return None
        return self._checked(place, f"{facts.exprs[expr[1]][1]}.{expr[2]}") or None

    def _checked(self, place: Standpoint, words: str) -> Values:
        """What `isinstance` says about a name, or a member of one, in these lines."""
        facts = self.facts(place.path)
        if facts is None or not place.line:
            return NOTHING
        scope = place.scope
        while scope > 0:
            here = facts.scopes[scope]
            for check in here.narrowed:
                if check.name == words and check.first <= place.line <= check.last:
                    where = Standpoint(place.path, scope, check.first)
                    return self.instances(self.values(where, check.type))
            if here.sort != Sort.BLOCK:
                break
            scope = here.parent
        return NOTHING

    def binding(self, found: BoundName) -> Values:
        """What a binding gives."""
        kind = found.binding.by
        if kind == By.SCOPE:
            return self._defined(found)
        if kind == By.PARAMETER:
            return self.parameter(found.path, found.scope, found.binding.first)
        return self.entity(("bind", *found[:3], found.binding), lambda: self._assigned(found))  # type: ignore[no-any-return]

    def _defined(self, found: BoundName) -> Values:
        facts = self.facts(found.path)
        if facts is None:
            return NOTHING
        place = found.binding.first
        return one("cls" if facts.scopes[place].sort == Sort.CLASS else "fn", found.path, place)

    def _assigned(self, found: BoundName) -> Values:
        binding = found.binding
        facts = self.facts(found.path)
        if facts is None:
            return NOTHING
        if binding.by == By.IMPORT:
            return self.imported(found.path, facts.imports[binding.first], binding.second)
        if found.scope:
            self.look(found.path, "body", facts.path_of(found.scope))
        place = Standpoint(found.path, found.scope, binding.line)
        if binding.by == By.TYPE:
            return self.classes(self.declared(place, binding.first))
        if binding.second != UNKNOWN:
            declared = self.declared(place, binding.second)
            if declared:
                return declared
        return self.values(place, binding.first)

    def imported(self, path: str, statement: ImportStatement, name: str) -> Values:
        """What an import binds: the module, the first package of its name, or something in it."""
        if name == ".":
            return self.modules.find(path, statement.module.partition(".")[0], 0)
        source = self.modules.find(path, statement.module, statement.level)
        if not name:
            return source
        return union(self.from_module(each, name, path) for each in source)

    def from_module(self, module: Value, name: str, asking: str = "") -> Values:
        """What a module has under a name: its own, what it takes from others, or a module inside of it."""
        if module[0] == "ext":
            return external(f"{module[1]}.{name}")
        if module[0] == "space":
            return self.modules.child(module[1], name)
        path = module[1]
        folder = self.modules.package_of(path)
        if folder is not None and asking == path:  # `from . import name` in the package itself
            inner = self.modules.child(folder, name)
            if inner:
                return inner
        found: Values = self.entity(("attr", path, name), lambda: self._module_attribute(path, name))
        if not found and folder is not None:
            found = self.modules.child(folder, name)
        return found

    def _module_attribute(self, path: str, name: str) -> Values:
        self.look(path, "", name)
        facts = self.facts(path)
        bindings = facts.scopes[0].names.get(name) if facts is not None else None
        if bindings:
            return union(self.binding(BoundName(path, 0, name, each)) for each in holding(bindings))
        return self._starred(path, name)

    def _starred(self, path: str, name: str) -> Values:
        """What `from module import *` gives, the last such import first."""
        facts = self.facts(path)
        self.look(path, "stars")
        for place in reversed(facts.stars if facts is not None else []):
            assert facts is not None
            statement = facts.imports[place]
            for module in self.modules.find(path, statement.module, statement.level):
                if module[0] == "mod" and module[1] != path and self._offers(module[1], name):
                    found = self.from_module(module, name, path)
                    if found:
                        return found
        return NOTHING

    def _offers(self, path: str, name: str) -> bool:
        self.look(path, "all")
        facts = self.facts(path)
        if facts is not None and facts.exported is not None:
            return name in facts.exported
        return not name.startswith("_")

    # Classes

    def mro(self, path: str, scope: int) -> tuple[tuple[Value, ...], bool]:
        """A class and its bases in the order in which members are looked for; whether there are others outside."""
        found: tuple[tuple[Value, ...], bool] = self.entity(
            ("mro", path, scope), lambda: self._linearised(path, scope), ((("cls", path, scope),), True)
        )
        return found

    def _linearised(self, path: str, scope: int) -> tuple[tuple[Value, ...], bool]:
        facts = self.facts(path)
        order: list[Value] = [("cls", path, scope)]
        outside = False
        if facts is None:
            return tuple(order), True
        self.look(path, "bases", facts.path_of(scope))
        here = facts.scopes[scope]
        soft = self.soft
        for base in here.bases:
            values = self.values(Standpoint(path, here.parent, here.line), base)
            outside = outside or not values
            for value in values:
                if value[0] != "cls":
                    outside = outside or not self.is_plain_base(value)
                elif value[1:3] != (path, scope):
                    above, beyond = self.mro(value[1], value[2])
                    outside = outside or beyond
                    order = [each for each in order if each not in above] + list(above)
        self.soft = soft
        return tuple(order), outside

    def members(self, path: str, scope: int, name: str, *, after: Value | None = None) -> list[BoundName]:
        """What a class or one of its bases has under a name. `after`: only in what stands behind that class."""
        found: list[BoundName] = self.entity(
            ("member", path, scope, name, after), lambda: self._members(path, scope, name, after), []
        )
        return found

    def _members(self, path: str, scope: int, name: str, after: Value | None) -> list[BoundName]:
        order, outside = self.mro(path, scope)
        if after is not None and after in order:
            order = order[order.index(after) + 1 :]
        for at, (_, base, place) in enumerate(order):
            facts = self.facts(base)
            if facts is None:
                continue
            self.look(base, facts.path_of(place), name)
            here = facts.scopes[place]
            bindings = [BoundName(base, place, name, each) for each in holding(here.names.get(name, []))]
            held = [
                BoundName(base, inner, name, NameBinding(By.VALUE, line, True, value, type_))
                for inner, value, type_, line in here.members.get(name, [])
            ]
            found = _declared_first(bindings, held)
            if found:
                self.soft = self.soft or at > 0 or after is not None
                return found
        return [OUTSIDE] if outside else []

    def member(self, owner: Value, name: str) -> Values:
        """An attribute of a class, an instance or `super()`."""
        path, scope = owner[1], owner[2]
        after = owner[:3] if owner[0] == "super" else None
        if owner[0] == "super":
            owner = owner[3]
            path, scope = owner[1], owner[2]
            after = ("cls", *after[1:]) if after else None
        found = self.members(path, scope, name, after=after)
        return union(self._held(owner, each) for each in found)

    def _held(self, owner: Value, found: BoundName) -> Values:
        if found is OUTSIDE:
            return external(f"inherited.{found.name}")
        facts = self.facts(found.path)
        if facts is None:
            return NOTHING
        if found.binding.by == By.SCOPE:
            inner = facts.scopes[found.binding.first]
            if inner.sort == Sort.FUNCTION:
                return self._method(owner, found.path, found.binding.first, facts)
            return one("cls", found.path, found.binding.first)
        values = self.binding(found)
        if owner[0] == "cls" and found.binding.by == By.VALUE and self._is_enum(found.path, found.scope):
            return one("inst", owner[1], owner[2], ())
        if owner[0] == "inst":  # a function that a class holds under another name
            values = frozenset(("meth", *each[1:3], owner) if each[0] == "fn" else each for each in values)
        return self.substituted(values, owner, {})

    def _method(self, owner: Value, path: str, scope: int, facts: FileFacts) -> Values:
        """A function of a class as its owner sees it."""
        names = self.decorator_names(facts, facts.scopes[scope])
        if any(name.endswith("property") for name in names):
            return self.returned(path, scope, owner, ()) if owner[0] == "inst" else NOTHING
        if any(name in ("setter", "getter", "deleter") for name in names):
            return self._getter(owner, path, scope, facts)
        if "staticmethod" in names:
            return one("fn", path, scope)
        if "classmethod" in names or facts.scopes[scope].name in _CLASS_FIRST:
            return one("meth", path, scope, ("cls", *owner[1:3]))
        return one("meth", path, scope, owner) if owner[0] == "inst" else one("fn", path, scope)

    def _getter(self, owner: Value, path: str, scope: int, facts: FileFacts) -> Values:
        here = facts.scopes[scope]
        for binding in facts.scopes[here.parent].names.get(here.name, []):
            if binding.by == By.SCOPE and binding.first != scope:
                names = self.decorator_names(facts, facts.scopes[binding.first])
                if any(name.endswith("property") for name in names):
                    return self.returned(path, binding.first, owner, ())
        return NOTHING

    def decorator_names(self, facts: FileFacts, scope: CodeScope) -> list[str]:
        """The last names of what a function is decorated with."""
        names: list[str] = []
        for place in scope.decorators:
            expr = facts.exprs[place]
            while expr[0] == "c":
                expr = facts.exprs[expr[1]]
            if expr[0] in ("n", "a"):
                names.append(expr[-1])
        return names

    def _is_enum(self, path: str, scope: int) -> bool:
        order, outside = self.mro(path, scope)
        if not outside:
            return False
        for _, base, place in order:
            facts = self.facts(base)
            for expr in facts.scopes[place].bases if facts is not None else ():
                assert facts is not None
                if str(facts.exprs[expr][-1]).endswith(_ENUMS):
                    return True
        return False

    # Functions

    def parameter(self, path: str, scope: int, at: int) -> Values:
        """What is known of a parameter before anybody calls: self, its declared type, its default."""
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        self.look(path, "body", facts.path_of(scope))
        given = here.parameters[at]
        holder = facts.scopes[here.parent] if here.parent >= 0 else None
        outer = Standpoint(path, here.parent, 0)
        found = self.declared(outer if not here.names.get("T") else Standpoint(path, scope, 0), given.type)
        found = self.bounds(found)
        if not found and at == 0 and holder is not None and holder.sort == Sort.CLASS and not given.sort:
            names = self.decorator_names(facts, here)
            if "staticmethod" in names:
                return NOTHING
            if "classmethod" in names or here.name in _CLASS_FIRST or self._is_metaclass(facts, holder):
                return one("cls", path, here.parent)
            return one("inst", path, here.parent, ())
        if not found and given.default != UNKNOWN:
            found = frozenset(each for each in self.values(outer, given.default) if each != ("lit", "None"))
        if given.sort == "*":
            return one("seq", "list", found)
        return one("map", NOTHING, found) if given.sort else found

    def _is_metaclass(self, facts: FileFacts, holder: CodeScope) -> bool:
        return any(facts.exprs[base] == ("n", "type") for base in holder.bases)

    def returned(self, path: str, scope: int, owner: Value | None, given: tuple[Values, ...]) -> Values:
        """What calling a function gives."""
        found: Values = self.entity(("ret", path, scope), lambda: self._result(path, scope))
        self.soft = True
        return self.substituted(found, owner, self._variables(path, scope, given) if given else {})

    def _result(self, path: str, scope: int) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        self.look(path, "body", facts.path_of(scope))
        found = NOTHING
        if here.type != UNKNOWN:
            found = self.declared(Standpoint(path, here.parent, 0), here.type)
            if not found and facts.exprs[here.type][0] in ("n", "a"):
                found = self.declared(Standpoint(path, scope, 0), here.type)
        elif here.yielded:
            found = one("seq", "generator", union(self._given_back(path, scope, *each) for each in here.yielded))
        else:
            results = union(self._given_back(path, scope, *each) for each in here.returned)
            found = frozenset(each for each in results if each != ("lit", "None"))
        names = self.decorator_names(facts, here)
        if any(name.endswith("contextmanager") for name in names):
            return one("ctx", items_of(found))
        if "async" in here.traits and not here.yielded and not self._is_many(found):
            return one("aw", found)
        return found

    def _is_many(self, values: Values) -> bool:
        return bool(values) and all(each[0] == "seq" and each[1] == "generator" for each in values)

    def _given_back(self, path: str, scope: int, value: int, line: int) -> Values:
        facts = self.facts(path)
        assert facts is not None
        here, expr = facts.scopes[scope], facts.exprs[value]
        holder = facts.scopes[here.parent].sort if here.parent >= 0 else ""
        if holder == Sort.CLASS and here.parameters and expr == ("n", here.parameters[0].name):
            return frozenset((SELF,))
        return self.values(Standpoint(path, scope, line), value)

    def _variables(self, path: str, scope: int, given: tuple[Values, ...]) -> dict[str, Values]:
        """Type variables that the arguments of a call settle."""
        facts = self.facts(path)
        if facts is None:
            return {}
        here = facts.scopes[scope]
        first = 1 if here.parent >= 0 and facts.scopes[here.parent].sort == Sort.CLASS else 0
        found: dict[str, Values] = {}
        for parameter, values in zip(here.parameters[first:], given, strict=False):
            expr = facts.exprs[parameter.type]
            if expr[0] == "n" and values:
                found.setdefault(expr[1], values)
            elif expr[0] == "s" and str(facts.exprs[expr[1]][-1]) in ("type", "Type"):
                inner = facts.exprs[expr[2]]
                if inner[0] == "n":
                    found.setdefault(inner[1], self.instances(values))
        return found

    # Expressions

    def literal(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        kind = expr[0]
        if kind == "k":
            return one("lit", expr[1])
        if kind == "L":
            parts = [self.values(place, each, depth + 1) for each in expr[2]]
            if expr[1] == "tuple":
                return one("tup", tuple(parts))
            if expr[1] == "dict":
                return one("map", union(parts[::2]), union(parts[1::2]))
            return one("seq", expr[1], union(parts))
        if kind == "C":
            inner = Standpoint(place.path, expr[2], place.line)
            parts = [self.values(inner, each, depth + 1) for each in expr[3]]
            if expr[1] == "dict":
                return one("map", union(parts[:1]), union(parts[1:]))
            return one("seq", expr[1], union(parts))
        if kind == "f":
            facts = self.facts(place.path)
            result = facts.scopes[expr[1]].returned if facts is not None else []
            inner = Standpoint(place.path, expr[1], place.line)
            return one("call", union(self.values(inner, value, depth + 1) for value, _ in result))
        if kind == "|":
            return union((self.values(place, expr[1], depth + 1), self.values(place, expr[2], depth + 1)))
        if kind == "b":
            return self._operated(place, expr, depth)
        return NOTHING

    def _operated(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        found: list[Values] = []
        for left in self.values(place, expr[2], depth + 1):
            if left[0] == "inst" and expr[1] in _OPERATORS:
                found.append(self.call(self.attribute(left, _OPERATORS[expr[1]]), ()))
            elif left[0] in ("lit", "seq", "ext"):
                found.append(frozenset((left,)))
        return union(found)

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        kind = expr[0]
        if kind == "a":
            return union(self.attribute(each, expr[2]) for each in of)
        if kind == "c":
            return self._called(place, expr, of, depth)
        if kind == "s":
            return union(self.subscripted(each) for each in of)
        if kind == "i":
            return union(self.iterated(each) for each in of)
        if kind == "u":
            return union(self.part(each, expr[2]) for each in of)
        if kind == "y":
            return union(each[1] if each[0] == "aw" else self.awaited(each) for each in of)
        if kind == "e":
            return union(self.entered(each) for each in of)
        return self.instances(of)

    def attribute(self, value: Value, name: str) -> Values:
        kind = value[0]
        if kind in ("mod", "space"):
            return self.from_module(value, name)
        if kind in ("cls", "inst", "super"):
            return self.member(value, name)
        if kind == "ext":
            return external(f"{value[1]}.{name}")
        if kind == "var":
            return union(self.attribute(each, name) for each in value[2] if each[0] != "var")
        if kind in ("seq", "map"):
            return of_many(value, name)
        return external(f"{kind}.{name}") if kind in ("lit", "tup", "aw", "ctx") else NOTHING

    def _called(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        found: list[Values] = []
        for value in of:
            if value[0] == "ext":
                found.append(self.known_call(place, value[1], expr[2], depth))
            else:
                takes = value[0] in ("fn", "meth") and expr[2] and self._is_generic(value[1], value[2])
                given = tuple(self.values(place, each, depth + 1) for each in expr[2]) if takes else ()
                found.append(self.call(frozenset((value,)), given))
        return union(found)

    def _is_generic(self, path: str, scope: int) -> bool:
        """Whether what a function returns may depend on its arguments' types."""
        facts = self.facts(path)
        if facts is None or facts.scopes[scope].type == UNKNOWN:
            return False
        found: Values = self.entity(("ret", path, scope), lambda: self._result(path, scope))
        return any(mentions_variable(each) for each in found)

    def call(self, values: Values, given: tuple[Values, ...]) -> Values:
        """What calling these gives."""
        found: list[Values] = []
        for value in values:
            kind = value[0]
            if kind == "cls":
                found.append(one("inst", value[1], value[2], ()))
            elif kind == "fn":
                found.append(self.returned(value[1], value[2], None, given))
            elif kind == "meth":
                found.append(self.returned(value[1], value[2], value[3], given))
            elif kind == "inst":
                found.append(self.call(self.member(value, "__call__"), given))
            elif kind == "call":
                found.append(value[1])
            elif kind == "ext":
                found.append(external(f"{value[1]}()"))
        return union(found)

    def super_of(self, place: Standpoint, given: tuple[int, ...]) -> Values:
        """The bases of the class around, seen from its instance."""
        facts = self.facts(place.path)
        scope = place.scope
        if facts is None:
            return NOTHING
        while scope > 0 and not (
            facts.scopes[scope].sort == Sort.FUNCTION and facts.scopes[facts.scopes[scope].parent].sort == Sort.CLASS
        ):
            scope = facts.scopes[scope].parent
        if scope <= 0:
            return NOTHING
        holder = facts.scopes[scope].parent
        owner = self.parameter(place.path, scope, 0) if facts.scopes[scope].parameters else NOTHING
        own = next((each for each in owner if each[0] in ("cls", "inst")), ("inst", place.path, holder, ()))
        return one("super", place.path, holder, own)


def _unnoted(*_: str) -> None:
    """For a look at modules that no edge rests on."""


def _declared_first(bindings: list[BoundName], held: list[BoundName]) -> list[BoundName]:
    """Of what a class body says and what methods assign: definitions, then declared types, then everything."""
    if any(each.binding.by != By.VALUE for each in bindings):
        return bindings[:1] if bindings[0].binding.by == By.SCOPE else bindings
    both = [*bindings, *held]
    declared = [each for each in both if each.binding.second != UNKNOWN]
    return declared[:1] or both
