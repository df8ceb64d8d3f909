"""Working out what expressions stand for: the part that is the same in every language.

What is asked about a named thing (what a function returns, what a member of a class is) is an *entity*. An entity is
worked out with the entities it needs one level down, and at level 0 nobody can tell. So circles end, nothing depends on
what was asked first, and what was worked out once may be used for every file: an update of a few files gives the same
graph as a build of all.

Every look at a file is noted as a key. The keys of a file's edges, its own and those of all entities they rest on, say
which changes elsewhere can change them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple, Protocol
from zlib import crc32

from recollect.code.facts import Expr, FileFacts, NameBinding, Sort
from recollect.code.resolve.values import NOTHING, Values, union

LEVELS = 9
_CHOICES_DEPTH_MAX = 6
_STEPS = frozenset("acsiuyeINmpqv")  # expressions that begin with another one

Entity = tuple[Any, ...]


class World(Protocol):
    """The files of a project. Must give the same facts until it is told of a change."""

    def facts(self, path: str) -> FileFacts | None:
        """What a file says; None if it is not a file of the project."""

    def defining(self, symbol: str) -> Collection[str]:
        """Files of any language with a definition of this qualified name; some of them may be gone since."""

    def promising(self, name: str) -> Collection[tuple[str, str]]:
        """Interfaces that have a method of this name themselves, as a file and a qualified name."""

    def held(self, symbol: str) -> Collection[tuple[str, str]]:
        """What is defined inside of a qualified name, as a file and a last name."""


class _Worked(NamedTuple):
    """What an entity came to at some level. `height`: how many levels that took; None if there were too few."""

    result: Any
    height: int | None
    soft: bool


class Trail:
    """What was looked at: keys, and entities that have trails of their own."""

    __slots__ = ("entities", "keys")

    def __init__(self) -> None:
        self.keys: set[tuple[str, ...]] = set()
        self.entities: set[Entity] = set()


def key_of(*parts: str) -> int:
    """The number of a thing that was looked at. Two things may share one: then something is resolved once too often."""
    return crc32("\0".join(parts).encode("utf-8", "surrogatepass"))


class Deduction:
    """Entities, levels and trails. `soft` is set when an answer rests on more than what the file itself declares."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.facts: Callable[[str], FileFacts | None] = world.facts
        self.soft = False
        self._kept: dict[Entity, _Worked] = {}
        self._cut: dict[tuple[Entity, int], _Worked] = {}
        self._trails: dict[Entity, Trail] = {}
        self._trail = Trail()
        self._level = LEVELS
        self._height = 0
        self._whole = True
        self._numbers: dict[tuple[str, ...], int] = {}

    def look(self, *parts: str) -> None:
        """Note that something was looked at, whether it was there or not."""
        self._trail.keys.add(parts)

    def entity(self, what: Entity, work: Callable[[], Any], otherwise: Any = NOTHING) -> Any:
        """What an entity is, worked out with those it needs one level further down."""
        self._trail.entities.add(what)
        level = self._level
        kept = self._kept.get(what)
        if kept is not None and kept.height is not None and kept.height <= level:
            self._height = max(self._height, kept.height)
            self.soft = self.soft or kept.soft
            return kept.result
        if level <= 0:
            self._whole = False
            return otherwise
        cut = self._cut.get((what, level))
        if cut is None:
            cut = self._work(what, work, level)
        if cut.height is None:
            self._whole = False
        else:
            self._height = max(self._height, cut.height)
        self.soft = self.soft or cut.soft
        return cut.result

    def from_facts(self, what: Entity, work: Callable[[], Any]) -> Any:
        """Something that rests on facts and on no entity, such as what an import names. It takes no level."""
        self._trail.entities.add(what)
        kept = self._kept.get(what)
        if kept is not None:
            return kept.result
        before = self._trail
        self._trail = self._trails.setdefault(what, Trail())
        try:
            result = work()
        finally:
            self._trail = before
        self._kept[what] = _Worked(result, 0, False)
        return result

    def _work(self, what: Entity, work: Callable[[], Any], level: int) -> _Worked:
        before = (self._trail, self._height, self._whole, self.soft)
        self._trail = self._trails.setdefault(what, Trail())
        self._height, self._whole, self.soft, self._level = 0, True, False, level - 1
        try:
            result = work()
            done = _Worked(result, self._height + 1 if self._whole else None, self.soft)
        finally:
            self._trail, self._height, self._whole, self.soft = before
            self._level = level
        if done.height is None:
            self._cut[what, level] = done
        else:
            self._kept[what] = done
        return done

    def resolving(self) -> Trail:
        """Begin with another file: its trail from now on."""
        self._trail = Trail()
        return self._trail

    def keys_of(self, trail: Trail) -> set[int]:
        """Everything that a trail rests on."""
        looks = set(trail.keys)
        seen: set[Entity] = set()
        front = list(trail.entities)
        while front:
            what = front.pop()
            if what in seen:
                continue
            seen.add(what)
            below = self._trails.get(what)
            if below is not None:
                looks |= below.keys
                front.extend(below.entities - seen)
        return {self._number(parts) for parts in looks}

    def _number(self, parts: tuple[str, ...]) -> int:
        known = self._numbers.get(parts)
        if known is None:
            known = self._numbers[parts] = key_of(*parts)
        return known


class Standpoint(NamedTuple):
    """Where an expression stands: which names it sees."""

    path: str
    scope: int
    line: int  # what is bound further down in the same function is not seen; 0 sees all


class BoundName(NamedTuple):
    """A binding and the scope that it is in."""

    path: str
    scope: int
    name: str
    binding: NameBinding


class Evaluator(Deduction):
    """Expressions by the rules that languages share; `Python` and others add their own."""

    def values(self, place: Standpoint, expr: int, depth: int = 0) -> Values:
        """What an expression stands for. Chains of attributes and calls are followed without recursion."""
        facts = self.facts(place.path)
        if facts is None or expr == 0 or depth > _CHOICES_DEPTH_MAX:
            return NOTHING
        chain: list[Expr] = []
        at = facts.exprs[expr]
        while at[0] in _STEPS:
            narrowed = self.narrowed(place, facts, at)
            if narrowed is not None:
                break
            chain.append(at)
            at = facts.exprs[at[1]]
        else:
            narrowed = None
        found = narrowed if narrowed is not None else self.base(place, at, depth)
        for step in reversed(chain):
            if not found and step[0] != "c":
                return NOTHING
            found = self.step(place, step, found, depth)
        return found

    def base(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        """An expression that no other one stands in front of."""
        if expr[0] == "n":
            return self.name(place, expr[1])
        if expr[0] == "o":
            return union(self.values(place, each, depth + 1) for each in expr[1])
        return self.literal(place, expr, depth)

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        raise NotImplementedError

    def literal(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        raise NotImplementedError

    def name(self, place: Standpoint, name: str) -> Values:
        raise NotImplementedError

    def narrowed(self, place: Standpoint, facts: FileFacts, expr: Expr) -> Values | None:
        """What a check around the place says about an expression; None where none does."""
        return None

    def bound(self, place: Standpoint, name: str) -> list[BoundName]:
        """What binds a name that is used at a place: in its scope, in those around it. Classes are not seen inside."""
        facts = self.facts(place.path)
        if facts is None:
            return []
        scope, line, first = place.scope, place.line, True
        while scope >= 0:
            here = facts.scopes[scope]
            if first or here.sort not in (Sort.CLASS, Sort.INTERFACE):
                bindings = here.names.get(name)
                if scope == 0 or here.sort == Sort.CLASS or (not first and here.sort == Sort.FUNCTION):
                    self.look(place.path, facts.path_of(scope), name)
                if bindings and bindings[0].by == "g":
                    return self.bound(Standpoint(place.path, 0, 0), name) if scope else []
                if bindings:
                    seen = _before(bindings, line) if line else holding(bindings)
                    return [BoundName(place.path, scope, name, each) for each in seen]
            if here.sort != Sort.BLOCK:
                line = 0 if here.sort == Sort.FUNCTION else line
                first = False
            scope = here.parent
        return []


def holding(bindings: list[NameBinding]) -> list[NameBinding]:
    """What may hold at the end: the last that holds for sure, and what may have come after it."""
    found: list[NameBinding] = []
    for binding in reversed(bindings):
        found.append(binding)
        if not binding.maybe:
            break
    return found


def _before(bindings: list[NameBinding], line: int) -> list[NameBinding]:
    """What may hold at a line."""
    above = [each for each in bindings if each.line < line or (each.line == line and each.by != "v")]
    return holding(above) if above else holding(bindings)
