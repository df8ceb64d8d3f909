"""Declared types of Python: what an annotation says about the things it stands for."""

from __future__ import annotations

from recollect.code.facts import UNKNOWN, By, Expr, Sort
from recollect.code.resolve.engine import BoundName, Standpoint, holding
from recollect.code.resolve.python.modules import Modules
from recollect.code.resolve.rules import LanguageRules
from recollect.code.resolve.values import NOTHING, SELF, Value, Values, external, one, union

_SEQUENCES = frozenset(
    "list List set Set frozenset FrozenSet Sequence MutableSequence Iterable Collection Container deque Deque "
    "AbstractSet MutableSet Reversible KeysView ValuesView".split()
)
_GENERATORS = frozenset(
    "Iterator Generator AsyncIterator AsyncIterable AsyncGenerator AsyncIterable Iterable AsyncIterator".split()
)
_MAPPINGS = frozenset(
    "dict Dict Mapping MutableMapping OrderedDict DefaultDict defaultdict Counter ChainMap WeakValueDictionary".split()
)
_WAITED = frozenset("Awaitable Coroutine Future Task".split())
_ENTERED = frozenset(
    "ContextManager AsyncContextManager AbstractContextManager AbstractAsyncContextManager "
    "_GeneratorContextManager".split()
)
_THROUGH = frozenset("Annotated ClassVar Final Required NotRequired ReadOnly InitVar Unpack TypeGuard".split())
_PLAIN_BASES = frozenset("object Generic Protocol ABC".split())


class Typing(LanguageRules):
    """How annotations are read; `Python` has the rest."""

    modules: Modules

    def binding(self, found: BoundName) -> Values:
        raise NotImplementedError

    def attribute(self, value: Value, name: str) -> Values:
        raise NotImplementedError

    def declared(self, place: Standpoint, expr: int) -> Values:
        """Instances of what a type says; nothing where it says nothing about anything of ours or outside."""
        facts = self.facts(place.path)
        if facts is None or expr == UNKNOWN:
            return NOTHING
        at: Expr = facts.exprs[expr]
        kind = at[0]
        if kind == "n":
            return self._type_name(place, at[1])
        if kind == "a":
            return union(self._type_of(each, at[2]) for each in self.values(place, at[1]))
        if kind == "|":
            return union((self.declared(place, at[1]), self.declared(place, at[2])))
        if kind == "s":
            return self._generic(place, at)
        if kind == "c":  # NewType("Name", type), and what else makes a type
            return self.declared(place, at[2][1]) if len(at[2]) == 2 else NOTHING
        if kind == "L":
            return NOTHING
        return NOTHING

    def _type_name(self, place: Standpoint, name: str) -> Values:
        found = self.bound(place, name)
        if not found:
            values = self.name(place, name)
            return self.instances(values) or _outside(name)
        return union(self._type_bound(each) for each in found)

    def _type_bound(self, found: BoundName) -> Values:
        """What a name that is used as a type means by what binds it."""
        facts = self.facts(found.path)
        binding = found.binding
        if facts is None:
            return NOTHING
        if binding.by == By.SCOPE:
            is_class = facts.scopes[binding.first].sort == Sort.CLASS
            return one("inst", found.path, binding.first, ()) if is_class else NOTHING
        return self.entity(("type", *found[:3], binding), lambda: self._type_bound_further(found))  # type: ignore[no-any-return]

    def _type_bound_further(self, found: BoundName) -> Values:
        facts, binding = self.facts(found.path), found.binding
        assert facts is not None
        place = Standpoint(found.path, found.scope, binding.line)
        if binding.by == By.TYPE:
            inner = self.declared(place, binding.first)
            scope = facts.scopes[found.scope]
            own = scope.sort in (Sort.FUNCTION, Sort.CLASS)
            return one("var", found.name, inner) if own else inner
        if binding.by == By.IMPORT:
            statement = facts.imports[binding.first]
            if binding.second in ("", "."):
                return NOTHING
            source = self.modules.find(found.path, statement.module, statement.level)
            return union(self._type_of(each, binding.second, found.path) for each in source)
        if binding.by == By.VALUE:
            value = facts.exprs[binding.first]
            if value[0] == "T":
                return one("var", found.name, self.declared(place, value[1]))
            if binding.second != UNKNOWN and str(facts.exprs[binding.second][-1]) != "TypeAlias":
                return self.instances(self.declared(place, binding.second))
            return self.declared(place, binding.first)
        if binding.by == By.PARAMETER:
            return self.instances(self.binding(found))
        return NOTHING

    def _type_of(self, holder: Value, name: str, asking: str = "") -> Values:
        """A type by its name in a module or class."""
        if holder[0] == "ext":
            return _outside(f"{holder[1]}.{name}")
        if holder[0] == "mod":
            self.look(holder[1], "", name)
            facts = self.facts(holder[1])
            bindings = facts.scopes[0].names.get(name) if facts is not None else None
            if bindings and holder[1] != asking:
                return union(self._type_bound(BoundName(holder[1], 0, name, each)) for each in holding(bindings))
        return self.instances(union((self.attribute(holder, name),)))

    def _generic(self, place: Standpoint, expr: Expr) -> Values:
        facts = self.facts(place.path)
        assert facts is not None
        index = facts.exprs[expr[2]]
        parts = list(index[2]) if index[0] == "L" and index[1] == "tuple" else [expr[2]]
        of = self.declared(place, expr[1])
        word = str(facts.exprs[expr[1]][-1])
        if any(each[0] == "inst" for each in of):
            args = tuple(self.declared(place, each) for each in parts)
            return frozenset((*each[:3], args) if each[0] == "inst" else each for each in of)
        if any(each[0] == "ext" for each in of):
            word = next(each[1] for each in of if each[0] == "ext").rpartition(".")[2]
        elif of and not any(each[0] == "var" for each in of):
            return of
        return self._known_generic(place, word, parts) if parts else NOTHING

    def _known_generic(self, place: Standpoint, word: str, parts: list[int]) -> Values:
        """`list[X]`, `Optional[X]` and the others that everybody knows."""
        if word in ("Optional", "Union"):
            return union(self.declared(place, each) for each in parts)
        if word in _THROUGH:
            return self.declared(place, parts[0])
        if word in ("type", "Type"):
            return self.classes(self.declared(place, parts[0]))
        if word in ("tuple", "Tuple"):
            many = [self.declared(place, each) for each in parts]
            facts = self.facts(place.path)
            if len(parts) == 2 and facts is not None and parts[1] == UNKNOWN:
                return one("seq", "list", many[0])
            return one("tup", tuple(many))
        if word == "Callable":
            return one("call", self.declared(place, parts[-1])) if len(parts) == 2 else external(word)
        if word in _WAITED:
            return one("aw", self.declared(place, parts[-1]))
        if word in _ENTERED:
            return one("ctx", self.declared(place, parts[0]))
        if word in _GENERATORS:
            return one("seq", "generator", self.declared(place, parts[0]))
        if word in _SEQUENCES:
            return one("seq", "list", self.declared(place, parts[0]))
        if word in _MAPPINGS and len(parts) == 2:
            return one("map", self.declared(place, parts[0]), self.declared(place, parts[1]))
        return external(word)

    def is_plain_base(self, value: Value) -> bool:
        """A base from outside that has no members worth looking for."""
        return value[0] == "ext" and value[1].rpartition(".")[2].partition("(")[0] in _PLAIN_BASES

    def instances(self, values: Values) -> Values:
        """What these classes make."""
        found: set[Value] = set()
        for value in values:
            if value[0] == "cls":
                found.add(("inst", value[1], value[2], ()))
            elif value[0] in ("ext", "var", "inst"):
                found.add(value)
            elif value[0] == "tup":
                for part in value[1]:
                    found |= self.instances(part)
            elif value[0] == "meth":
                continue
        return frozenset(found)

    def classes(self, values: Values) -> Values:
        """What these are instances of."""
        return frozenset(
            ("cls", each[1], each[2]) if each[0] == "inst" else each for each in values if each[0] in ("inst", "ext")
        )

    def bounds(self, values: Values) -> Values:
        """Type variables as what they are bound by."""
        if not any(each[0] == "var" for each in values):
            return values
        return union(each[2] if each[0] == "var" else frozenset((each,)) for each in values)

    def substituted(self, values: Values, owner: Value | None, known: dict[str, Values]) -> Values:
        """These with `self` and type variables as a call settles them."""
        if not values:
            return values
        found: list[Values] = []
        for value in values:
            if value == SELF:
                found.append(frozenset((owner,)) if owner is not None else NOTHING)
            elif value[0] == "var":
                settled = known.get(value[1]) or self._settled(owner, value[1]) or self.bounds(value[2])
                found.append(settled)
            elif value[0] in ("seq", "aw", "ctx", "call") and value[-1]:
                found.append(one(*value[:-1], self.substituted(value[-1], owner, known)))
            elif value[0] == "map":
                found.append(one("map", value[1], self.substituted(value[2], owner, known)))
            else:
                found.append(frozenset((value,)))
        return union(found)

    def _settled(self, owner: Value | None, name: str) -> Values:
        """A type variable of a class by how its instance was declared."""
        if owner is None or owner[0] != "inst" or len(owner) < 4 or not owner[3]:
            return NOTHING
        facts = self.facts(owner[1])
        if facts is None:
            return NOTHING
        for base in facts.scopes[owner[2]].bases:
            expr = facts.exprs[base]
            if expr[0] == "s":
                index = facts.exprs[expr[2]]
                parts = list(index[2]) if index[0] == "L" else [expr[2]]
                for at, part in enumerate(parts):
                    if facts.exprs[part] == ("n", name) and at < len(owner[3]):
                        return owner[3][at]  # type: ignore[no-any-return]
        return NOTHING


def _outside(name: str) -> Values:
    last = name.rpartition(".")[2]
    if last == "Self":
        return frozenset((SELF,))
    return external(name)
