"""The edges that leave one file: what its imports, bases, calls and exports mean, each with how that is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from recollect.code.facts import CallSite, FileFacts, Sort
from recollect.code.resolve.engine import Standpoint
from recollect.code.resolve.rules import LanguageRules, is_promise
from recollect.code.resolve.values import Value
from recollect.model.code import Resolved

CANDIDATES_MAX = 8  # of one call; where there are more, nothing is known
_TYPES = (Sort.CLASS, Sort.INTERFACE)


class FileEdge(NamedTuple):
    """One edge as its source's file has it. An unresolved one has no target file, only the name that is meant."""

    kind: str
    source: str  # the symbol it is in, "" for the file itself
    line: int
    path: str
    target: str
    resolved: str
    choice: int = 0  # candidates of one place share a number


class EdgeResolver:
    """Resolves files of one family. What comes out depends on the facts alone, not on the order of files."""

    def __init__(self, rules: LanguageRules) -> None:
        self._rules = rules
        self._choices = 0

    def of(self, path: str) -> tuple[list[FileEdge], set[int]]:
        """The edges of a file, and the keys of everything that they rest on."""
        facts = self._rules.facts(path)
        trail = self._rules.resolving()
        self._choices = 0
        if facts is None:
            return [], set()
        found: dict[FileEdge, None] = {}
        for each in (self._imports(path, facts), self._bases(path, facts), self._calls(path, facts)):
            found.update(dict.fromkeys(each))
        found.update(dict.fromkeys(self._exports(path, facts)))
        return list(found), self._rules.keys_of(trail)

    def _imports(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        for statement in facts.imports:
            source = facts.path_of(statement.scope)
            meant = self._rules.imported_files(path, statement)
            for target in sorted(meant.paths):
                yield FileEdge("imports", source, statement.line, target, "", Resolved.EXACT)
            if meant.missing:
                yield FileEdge("imports", source, statement.line, "", meant.missing, Resolved.UNRESOLVED)

    # Classes

    def _bases(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        for at, scope in enumerate(facts.scopes):
            if scope.sort not in _TYPES:
                continue
            source = facts.path_of(at)
            for above in self._rules.supertypes(path, facts, at):
                types = [value for value in above.values if value[0] == "cls"]
                kind = "implements" if above.promised else "extends"
                for link in self._joined(kind, source, scope.line, types):
                    yield link if above.promised or scope.sort == Sort.INTERFACE else self._judged(link)

    def _judged(self, link: FileEdge) -> FileEdge:
        """A class implements what is only promised, and extends the rest."""
        facts = self._rules.facts(link.path)
        if facts is None:
            return link
        last = link.target.rpartition(".")[2]
        for at, scope in enumerate(facts.scopes):
            if scope.sort in _TYPES and scope.name == last and facts.path_of(at) == link.target:
                self._rules.look(link.path, "bases", link.target)
                return link._replace(kind="implements" if is_promise(facts, at) else "extends")
        return link

    # Calls

    def _calls(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        for call in facts.calls:
            yield from self.call(path, facts, call)

    def call(self, path: str, facts: FileFacts, call: CallSite) -> Iterator[FileEdge]:
        """The edges of one place where something is called."""
        rules = self._rules
        rules.soft = False
        place = Standpoint(path, call.scope, call.line)
        values = rules.values(place, call.callee)
        source = facts.path_of(call.scope)
        targets = [target for value in values for target in rules.called(value)]
        if targets:
            yield from self._joined("calls", source, call.line, targets)
        elif not values:
            expr = facts.exprs[call.callee]
            if expr[0] in ("a", "m", "p"):
                yield FileEdge("calls", source, call.line, "", f".{expr[2]}", Resolved.UNRESOLVED)
            elif expr[0] in ("n", "M") and not rules.bound(place, expr[1]):
                yield FileEdge("calls", source, call.line, "", expr[1], Resolved.UNRESOLVED)

    def _joined(self, kind: str, source: str, line: int, targets: list[Value]) -> Iterator[FileEdge]:
        """One edge to a target that is alone, a set of them to several."""
        rules = self._rules
        named: dict[tuple[str, str], None] = {}
        for _, path, scope in sorted(targets):
            facts = rules.facts(path)
            if facts is not None and facts.scopes[scope].sort != Sort.BLOCK:
                named[path, facts.path_of(scope)] = None
        if len(named) > 1:
            self._choices += 1
            resolved, choice = Resolved.AMBIGUOUS, self._choices
        else:
            resolved, choice = Resolved.INFERRED if rules.soft else Resolved.EXACT, 0
        if len(named) <= CANDIDATES_MAX:
            for path, symbol in named:
                yield FileEdge(kind, source, line, path, symbol, resolved, choice)

    def _exports(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        """What a file passes on of other files."""
        for line, values in self._rules.exported(path, facts):
            targets = [value[:3] for value in values if value[0] in ("fn", "cls") and value[1] != path]
            yield from self._joined("exports", "", line, targets)
