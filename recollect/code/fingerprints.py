"""What other files can see of a file, part by part: which parts are different after an edit.

The keys are those that the resolver notes when it looks at a part (`Deduction.look`). Lines do not count, so a function
that only moved is the same, except where a name is bound more than once and the order decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from recollect.code.facts import By, CodeScope, FileFacts, NameBinding, Sort
from recollect.code.resolve.engine import key_of

Marks = dict[int, int]


def changed_keys(path: str, old: FileFacts | None, new: FileFacts | None) -> set[int]:
    """The keys of all parts of a file that are new, gone or different."""
    before = marks_of(path, old) if old is not None else {}
    after = marks_of(path, new) if new is not None else {}
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def marks_of(path: str, facts: FileFacts) -> Marks:
    """One number for each part that can be looked at from elsewhere."""
    return _Describer(path, facts).marks()


class _Describer:
    def __init__(self, path: str, facts: FileFacts) -> None:
        self._path = path
        self._facts = facts
        self._described: dict[int, str] = {}
        self._exported = frozenset(facts.exported or ())
        self._repeated = {name for name, bound in facts.scopes[0].names.items() if len(bound) > 1}

    def marks(self) -> Marks:
        parts: dict[int, list[str]] = {}
        for key, words in self._parts():
            parts.setdefault(key, []).append(words)
        return {key: crc32("\1".join(words).encode("utf-8", "surrogatepass")) for key, words in parts.items()}

    def _parts(self) -> Iterator[tuple[int, str]]:
        facts, path = self._facts, self._path
        yield key_of(path, "all"), repr(facts.exported)
        stars = [(facts.imports[place].module, facts.imports[place].level) for place in facts.stars]
        yield key_of(path, "stars"), repr(stars)
        yield key_of(path, "imports"), f"{facts.scopes[0].name}:{[each.module for each in facts.imports]}"
        if facts.settings is not None:
            yield key_of("settings", path), repr(facts.settings)
        for at, scope in enumerate(facts.scopes):
            if scope.sort == Sort.BLOCK:
                continue
            symbol = facts.path_of(at)
            if at and scope.sort != Sort.OBJECT:
                yield key_of("defines", symbol), f"{facts.scopes[0].name}:{scope.sort}{scope.traits}"
                yield from self._held(scope, symbol)
            for name, bindings in scope.names.items():
                offered = "+" if not at and name in self._exported else ""
                described = offered + self._bindings(at, scope, bindings)
                yield key_of(path, symbol, name), described
                if scope.sort == Sort.MODULE and facts.language in _TAKEN_WHOLE:
                    yield key_of("visible", f"{symbol}.{name}" if symbol else name), described
                if not at:
                    yield key_of("beside", path.rpartition("/")[0], name), f"{scope.name}:{described}"
            if scope.sort in (Sort.CLASS, Sort.INTERFACE, Sort.OBJECT):
                declared = self._many((*scope.bases, *scope.interfaces, scope.type), at=scope.line)
                variables = [name for name, bindings in scope.names.items() if bindings[0].by == By.TYPE]
                yield key_of(path, "bases", symbol), f"{declared}{scope.traits}{variables}{self._parameters(scope)}"
            elif scope.sort == Sort.FUNCTION:
                if scope.members:
                    yield key_of(path, "bases", symbol), repr(sorted(scope.members))
                yield key_of(path, "body", symbol), self._body(scope)
                yield key_of(path, "signature", symbol), self._signature(scope)
            for name, members in scope.members.items():
                held = [(facts.path_of(m[0]), self._expr(m[1]), self._expr(m[2])) for m in members]
                yield key_of(path, symbol, name), repr(held)

    def _held(self, scope: CodeScope, symbol: str) -> Iterator[tuple[int, str]]:
        """That a symbol is there, inside of another one."""
        facts = self._facts
        holder, _, name = symbol.rpartition(".")
        yield key_of("held", holder), f"{facts.scopes[0].name}:{name}"
        if facts.scopes[scope.parent].sort == Sort.INTERFACE:
            yield key_of("promise", name), f"{holder}:{sorted(facts.scopes[scope.parent].names)}"

    def _bindings(self, at: int, scope: CodeScope, bindings: list[NameBinding]) -> str:
        lines = len(bindings) > 1
        return ";".join(self._binding(scope, each, lines=lines) for each in bindings)

    def _binding(self, scope: CodeScope, binding: NameBinding, *, lines: bool) -> str:
        facts = self._facts
        words = [binding.by, str(binding.maybe)]
        if lines:
            words.append(str(binding.line))
        if binding.by == By.SCOPE:
            inner = facts.scopes[binding.first]
            words += [inner.sort, inner.name, self._many(inner.decorators), repr(inner.traits)]
        elif binding.by == By.IMPORT:
            statement = facts.imports[binding.first]
            words.append(repr((statement.module, statement.level, binding.second)))
        elif binding.by == By.PARAMETER:
            words.append(self._parameters(scope)[binding.first])
        else:
            words += [self._many((binding.first,), at=binding.line), self._many((binding.second,), at=binding.line)]
        return ",".join(words)

    def _parameters(self, scope: CodeScope) -> list[str]:
        return [f"{p.name}:{self._expr(p.type)}={self._expr(p.default)}{p.sort}" for p in scope.parameters]

    def _signature(self, scope: CodeScope) -> str:
        """What a function takes and gives, and what it is a method of."""
        variables = [(name, self._expr(b[0].first)) for name, b in scope.names.items() if b[0].by == By.TYPE]
        declared = self._many((scope.type, *scope.bases))
        return f"{self._parameters(scope)}{declared}{variables}{scope.traits}"

    def _body(self, scope: CodeScope) -> str:
        """All that decides what a function returns; lines are counted from its own."""
        first = scope.line
        names = [
            (name, [(each.line - first, self._binding(scope, each, lines=False)) for each in bindings])
            for name, bindings in scope.names.items()
        ]
        results = [(self._expr(value), line - first) for value, line in (*scope.returned, *scope.yielded)]
        checks = [(n.name, n.first - first, n.last - first, self._expr(n.type)) for n in scope.narrowed]
        shape = (len(scope.yielded), scope.traits, self._many(scope.decorators, at=scope.line))
        return repr((self._parameters(scope), self._expr(scope.type), names, results, checks, shape))

    def _many(self, places: Any, at: int = 0) -> str:
        """Expressions; with the line they stand at, if the order of what they name matters."""
        words = ",".join(self._expr(place) for place in places)
        if at and self._repeated and any(self._mentions(place) for place in places):
            words += f"@{at}"
        return words

    def _mentions(self, place: int, depth: int = 0) -> bool:
        """Whether an expression names something that the module binds more than once."""
        expr = self._facts.exprs[place]
        if expr[0] in ("n", "r"):
            return expr[1] in self._repeated
        if depth > _DEPTH_MAX:
            return True
        inner = [part for part in expr[1:] if isinstance(part, int)]
        inner += [each for part in expr[1:] if isinstance(part, tuple) for each in part]
        if expr[0] in ("f", "C", "O", "K"):
            return True
        return any(self._mentions(part, depth + 1) for part in inner if isinstance(part, int))

    def _expr(self, place: int, depth: int = 0) -> str:
        known = self._described.get(place)
        if known is not None:
            return known
        if depth > _DEPTH_MAX:
            return f"?{place}"  # so deep that its place in the list has to do
        expr = self._facts.exprs[place]
        kind = expr[0]
        if kind in ("n", "k", "r"):
            words = f"{kind}:{expr[1]}"
        elif kind in ("f", "O"):
            words = f"{kind}{self._block(expr[1], depth)}"
        elif kind == "K":
            words = f"K{self._facts.path_of(expr[1])}"
        elif kind == "C":
            words = f"C{expr[1]}{self._block(expr[2], depth)}{self._inner(expr[3], depth)}"
        elif kind in ("u", "a"):  # the second part is a place or a name
            words = f"{kind}{expr[2]}{self._inner(expr[1:2], depth)}"
        else:
            parts = [part if isinstance(part, tuple) else (part,) for part in expr[1:]]
            inner = [each for part in parts for each in part]
            words = f"{kind}{[each for each in inner if isinstance(each, str)]}"
            words += self._inner([each for each in inner if isinstance(each, int)], depth)
        if len(words) > _WORDS_MAX:
            words = f"#{crc32(words.encode('utf-8', 'surrogatepass'))}"
        self._described[place] = words
        return words

    def _inner(self, places: Any, depth: int) -> str:
        return f"({','.join(self._expr(place, depth + 1) for place in places)})"

    def _block(self, scope: int, depth: int) -> str:
        """What a function without a name binds, takes and gives; what an object has."""
        here, deeper = self._facts.scopes[scope], depth + 1
        names = [(name, [self._bound(each, deeper) for each in bound]) for name, bound in here.names.items()]
        given = [self._expr(value, deeper) for value, _ in (*here.returned, *here.yielded)]
        taken = [(p.name, p.sort, self._inner((p.type, p.default), depth)) for p in here.parameters]
        checks = [(n.name, n.first - here.line, n.last - here.line, self._expr(n.type, deeper)) for n in here.narrowed]
        around = self._inner((here.type, *here.bases, *here.decorators), depth)
        return repr((names, taken, given, checks, around, here.traits))

    def _bound(self, binding: NameBinding, depth: int) -> tuple[str, ...]:
        """What a name in a block stands for."""
        if binding.by == By.SCOPE:
            inner = self._facts.scopes[binding.first]
            return binding.by, inner.sort, inner.name, repr(inner.traits), self._inner(inner.decorators, depth)
        if binding.by in (By.VALUE, By.TYPE):
            return binding.by, self._expr(binding.first, depth), self._expr(binding.second, depth)
        return binding.by, str(binding.first)


_TAKEN_WHOLE = frozenset({"c", "cpp"})  # languages whose files take in others with all that is in them
_DEPTH_MAX = 60
_WORDS_MAX = 200
