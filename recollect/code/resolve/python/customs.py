"""What the language itself does with values of Python: loops, `with`, `await`, subscripts, calls of the library."""

from __future__ import annotations

from recollect.code.facts import By, NameBinding
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.python.typing import Typing
from recollect.code.resolve.values import NOTHING, Value, Values, external, items_of, one, union

_SAME = frozenset({"copy", "deepcopy", "replace", "cast", "assert_type", "partial", "wraps", "update_wrapper"})
_MANY = {"list": "list", "tuple": "list", "set": "set", "frozenset": "set", "sorted": "list", "iter": "generator"}
_MANY |= {"reversed": "generator", "filter": "generator", "deque": "list", "chain": "generator", "islice": "generator"}

# Stands for a member that a base from outside of the project may have.
OUTSIDE = BoundName("", 0, "", NameBinding(By.VALUE, 0, False))


class Customs(Typing):
    """What methods with underscores promise, and what a few functions of the library pass through."""

    def call(self, values: Values, given: tuple[Values, ...]) -> Values:
        raise NotImplementedError

    def member(self, owner: Value, name: str) -> Values:
        raise NotImplementedError

    def members(self, path: str, scope: int, name: str, *, after: Value | None = None) -> list[BoundName]:
        raise NotImplementedError

    def super_of(self, place: Standpoint, given: tuple[int, ...]) -> Values:
        raise NotImplementedError

    def known_call(self, place: Standpoint, name: str, given: tuple[int, ...], depth: int) -> Values:
        """Calls of the library whose result says something about ours."""
        last = name.rpartition(".")[2]
        if name == "builtins.super":
            return self.super_of(place, given)
        if not given or last in ("str", "int", "bool", "float", "bytes", "len"):
            return external(f"{name}()")
        if last == "cast":
            return self.declared(place, given[0])
        first = self.values(place, given[0], depth + 1)
        if name == "builtins.type":
            return self.classes(first)
        if last in _SAME:
            return first
        if last in _MANY:
            return one("seq", _MANY[last], union(self.iterated(each) for each in first))
        if last in ("next", "anext", "min", "max"):
            return union(self.iterated(each) for each in first)
        if last == "enumerate":
            return one("seq", "list", one("tup", (one("lit", "int"), union(self.iterated(each) for each in first))))
        if last == "zip":
            parts = [first, *(self.values(place, each, depth + 1) for each in given[1:])]
            return one("seq", "list", one("tup", tuple(union(map(self.iterated, part)) for part in parts)))
        return external(f"{name}()")

    def subscripted(self, value: Value) -> Values:
        kind = value[0]
        if kind == "map":
            return value[2]  # type: ignore[no-any-return]
        if kind in ("seq", "tup"):
            return items_of(frozenset((value,)))
        if kind == "inst":
            return self.call(self.member(value, "__getitem__"), ())
        return external("item") if kind in ("ext", "lit") else frozenset((value,)) if kind == "cls" else NOTHING

    def iterated(self, value: Value) -> Values:
        """What a loop over a value gives."""
        if value[0] != "inst":
            return items_of(frozenset((value,)))
        for name, inner in (("__iter__", "__next__"), ("__aiter__", "__anext__")):
            found = self.call(self.member(value, name), ())
            if found:
                steps = [
                    self.call(self.member(each, inner), ()) if each[0] == "inst" else items_of(frozenset((each,)))
                    for each in found
                ]
                given = union(steps)
                return items_of(given) if given and all(each[0] == "aw" for each in given) else given
        return self.call(self.member(value, "__getitem__"), ())

    def part(self, value: Value, at: int) -> Values:
        if value[0] == "tup":
            return value[1][at] if at < len(value[1]) else NOTHING
        return self.iterated(value)

    def awaited(self, value: Value) -> Values:
        if value[0] == "inst":
            found = self.call(self.member(value, "__await__"), ())
            return items_of(found) or frozenset((value,))
        return frozenset((value,))

    def entered(self, value: Value) -> Values:
        if value[0] == "ctx":
            return value[1]  # type: ignore[no-any-return]
        if value[0] != "inst":
            return external("entered") if value[0] == "ext" else NOTHING
        for name in ("__enter__", "__aenter__"):
            found = self.members(value[1], value[2], name)
            if found and found[0] is not OUTSIDE:
                given = self.call(self.member(value, name), ())
                return union(each[1] if each[0] == "aw" else frozenset((each,)) for each in given)
        return frozenset((value,))
