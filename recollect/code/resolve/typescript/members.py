"""Classes, interfaces and objects of TypeScript: what they extend, what they have, what `new` makes of them."""

from __future__ import annotations

from typing import Any

from recollect.code.facts import By, CodeScope, NameBinding, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.typescript.customs import made_outside
from recollect.code.resolve.typescript.typing import DeclaredTypes, Known
from recollect.code.resolve.values import NOTHING, SELF, Value, Values, external, one, union

# Stands for a member that something outside of the project may have.
OUTSIDE = BoundName("", 0, "", NameBinding(By.VALUE, 0, False))
_SIGNATURES = ("()", "new()", "[]")
TYPES = (Sort.CLASS, Sort.INTERFACE, Sort.OBJECT)


class ScriptMembers(DeclaredTypes):
    """What things have."""

    def meanings(self, found: list[BoundName]) -> Values:
        """What bindings of one name give."""
        raise NotImplementedError

    def above(self, path: str, scope: int) -> tuple[list[tuple[str, int, Known]], bool]:
        found: tuple[list[tuple[str, int, Known]], bool] = self.entity(
            ("above", path, scope), lambda: self._above(path, scope), ([(path, scope, ())], True)
        )
        return found

    def _above(self, path: str, scope: int) -> tuple[list[tuple[str, int, Known]], bool]:
        facts = self.facts(path)
        order: list[tuple[str, int, Known]] = [(path, scope, ())]
        outside = False
        if facts is None:
            return order, True
        self.look(path, "bases", facts.path_of(scope))
        here = facts.scopes[scope]
        soft = self.soft
        for expr in here.bases:
            values = self.extended(path, here, scope, expr)
            outside = outside or not values
            for value in values:
                if value[0] == "inst" and value[1:3] != (path, scope):
                    theirs, beyond = self.above(value[1], value[2])
                    outside = outside or beyond
                    known = dict(value[3])
                    seen = {each[:2] for each in order}
                    for their_path, their_scope, their_known in theirs:
                        if (their_path, their_scope) not in seen:
                            own = self._composed(their_known, known) if their_known else value[3]
                            own = value[3] if (their_path, their_scope) == value[1:3] else own
                            order.append((their_path, their_scope, own))
                else:
                    outside = True
        self.soft = soft
        return order, outside

    def _composed(self, inner: Known, outer: dict[Any, Values]) -> Known:
        return tuple((key, self.substituted(each, outer)) for key, each in inner)

    def extended(self, path: str, here: CodeScope, scope: int, expr: int) -> Values:
        """Something of what a class, an interface or an object extends."""
        if here.sort == Sort.INTERFACE or "type" in here.traits:
            return self.declared(Standpoint(path, scope, 0), expr)
        facts = self.facts(path)
        assert facts is not None
        place = Standpoint(path, here.parent, here.line)
        at = facts.exprs[expr]
        if here.sort == Sort.OBJECT:  # what is spread out in it
            return self.values(place, expr)
        given: tuple[Values, ...] = ()
        if at[0] == "s" and facts.exprs[at[2]][0] == "L":
            given = tuple(self.declared(Standpoint(path, scope, 0), each) for each in facts.exprs[at[2]][2])
            expr = at[1]
        return union(self.made(each, given) for each in self.values(place, expr))

    def made(self, value: Value, types: tuple[Values, ...]) -> Values:
        """What `new` makes of a value, whose type parameters are settled as far as they are given."""
        kind = value[0]
        if kind in ("cls", "super"):
            return one(
                "inst", value[1], value[2], self._filled(value[1], value[2], types) if kind == "cls" else value[3]
            )
        if kind == "inst":
            return union(self.result(each) for each in self.member(value, "new()") if each[0] == "fn")
        if kind == "fn":
            facts = self.facts(value[1])
            here = facts.scopes[value[2]] if facts is not None else None
            if facts is None or here is None or here.sort == Sort.BLOCK:
                return self.result(value) if here is not None and "new" in here.traits else NOTHING
            self.look(value[1], "bases", facts.path_of(value[2]))
            return one("inst", *value[1:3], ()) if here.members else NOTHING
        if kind == "var":
            return union(self.made(each, types) for each in self.bound_of(value[1]) if each[0] != "var")
        return made_outside(value[1], types, ()) if kind == "ext" else NOTHING

    def constructed(self, value: Value) -> Values:
        return self.made(value, ())

    def _members(self, path: str, scope: int, name: str) -> tuple[list[BoundName], Known]:
        """What a class, an interface, an object or what they extend has under a name."""
        order, outside = self.above(path, scope)
        merged = self._merged(path, scope)
        for at, (base, place, known) in enumerate((*order, *((path, each, ()) for each in merged))):
            facts = self.facts(base)
            if facts is None:
                continue
            self.look(base, facts.path_of(place), name)
            here = facts.scopes[place]
            own = here.names.get(name, ()) if here.sort != Sort.FUNCTION else ()
            bindings = [BoundName(base, place, name, each) for each in own]
            if not any(each.binding.by == By.SCOPE for each in bindings):  # `this.go = this.go.bind(this)` says no more
                bindings += [
                    BoundName(base, inner, name, NameBinding(By.VALUE, line, True, value, type_))
                    for inner, value, type_, line in here.members.get(name, ())
                ]
            if bindings:
                self.soft = self.soft or at > 0
                return bindings, known
        return ([OUTSIDE] if outside else []), ()

    def _merged(self, path: str, scope: int) -> list[int]:
        """Other declarations of one interface, in the same file."""
        facts = self.facts(path)
        if facts is None or facts.scopes[scope].sort == Sort.OBJECT:
            return []
        here = facts.scopes[scope]
        bindings = facts.scopes[here.parent].names.get(here.name, ())
        return [
            each.first
            for each in bindings
            if each.by == By.SCOPE and each.first != scope and facts.scopes[each.first].sort in TYPES
        ]

    def member(self, owner: Value, name: str) -> Values:
        """An attribute of a class, of something of a class, or of `super`."""
        found, theirs = self.entity(
            ("member", owner[1], owner[2], name), lambda: self._members(owner[1], owner[2], name), ([], ())
        )
        if found in ([], [OUTSIDE]) and name not in _SIGNATURES:
            spread = self._spread(owner, name)
            if spread:
                return spread
        if not found and name not in _SIGNATURES:
            return union(each[-1] if each[0] == "seq" else one(*each) for each in self.member(owner, "[]"))
        if found == [OUTSIDE]:
            return external(f"inherited.{name}")
        known: dict[Any, Values] = {}
        if owner[0] in ("inst", "super"):
            known = dict(owner[3])
            if theirs:
                known |= dict(self._composed(theirs, known))
        known[SELF] = frozenset((owner,)) if owner[0] == "inst" else one("inst", owner[1], owner[2], ())
        values = self.meanings(found)
        getters = [each for each in values if each[0] == "fn" and self._has_trait(each, "get")]
        if getters:
            values = union(self.result((*each[:3], tuple(known.items()))) for each in getters)
        return self._belonging(values, known)

    def _spread(self, owner: Value, name: str) -> Values:
        """What an object has of a module that is spread out in it."""
        facts = self.facts(owner[1])
        here = facts.scopes[owner[2]] if facts is not None else None
        if here is None or here.sort != Sort.OBJECT:
            return NOTHING
        values = [value for expr in here.bases for value in self.extended(owner[1], here, owner[2], expr)]
        return union(self.attribute(value, name) for value in values if value[0] == "mod")

    def _belonging(self, values: Values, known: dict[Any, Values]) -> Values:
        """ScriptMembers as their owner has them: methods know what `this` is."""
        found: list[Values] = []
        for value in values:
            if value[0] == "fn" and not value[3]:
                found.append(one(*value[:3], tuple(known.items())))
            else:
                found.append(self.substituted(frozenset((value,)), known))
        return union(found)

    def _has_trait(self, value: Value, trait: str) -> bool:
        facts = self.facts(value[1])
        return facts is not None and trait in facts.scopes[value[2]].traits
