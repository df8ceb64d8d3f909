"""The edges that leave one file: what its imports, bases, calls and exports mean, each with how that is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from recollect.code.facts import CallSite, FileFacts, ImportStatement, Sort
from recollect.code.resolve.engine import Standpoint
from recollect.code.resolve.python import Python
from recollect.code.resolve.values import Value, Values
from recollect.model.code import Resolved

CANDIDATES_MAX = 8  # of one call; where there are more, nothing is known


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
    """Resolves files one by one. What comes out depends on the facts alone, not on the order of files."""

    def __init__(self, python: Python) -> None:
        self._python = python
        self._choices = 0

    def of(self, path: str) -> tuple[list[FileEdge], set[int]]:
        """The edges of a file, and the keys of everything that they rest on."""
        python = self._python
        facts = python.facts(path)
        trail = python.resolving()
        self._choices = 0
        if facts is None:
            return [], set()
        found: dict[FileEdge, None] = {}
        for each in (self._imports(path, facts), self._bases(path, facts), self._calls(path, facts)):
            found.update(dict.fromkeys(each))
        found.update(dict.fromkeys(self._exports(path, facts)))
        return list(found), python.keys_of(trail)

    # Imports

    def _imports(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        for statement in facts.imports:
            source = _symbol(facts, statement.scope)
            for target in sorted(self._modules_of(path, statement)):
                yield FileEdge("imports", source, statement.line, target, "", Resolved.EXACT)
            missing = self._missing(path, statement)
            if missing:
                yield FileEdge("imports", source, statement.line, "", missing, Resolved.UNRESOLVED)

    def _modules_of(self, path: str, statement: ImportStatement) -> set[str]:
        """The files that a statement imports: modules that it names, else the one that has what it names."""
        modules = self._python.modules
        found: set[str] = set()
        for source in modules.find(path, statement.module, statement.level):
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
        return found

    def _missing(self, path: str, statement: ImportStatement) -> str:
        """The name of a module that should be in the project and is not."""
        modules = self._python.modules
        if modules.find(path, statement.module, statement.level):
            return ""
        return "." * statement.level + statement.module

    # Classes

    def _bases(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        for at, scope in enumerate(facts.scopes):
            if scope.sort != Sort.CLASS:
                continue
            source = facts.path_of(at)
            for base in scope.bases:
                self._python.soft = False
                values = self._python.values(Standpoint(path, scope.parent, scope.line), base)
                classes = [value for value in values if value[0] == "cls"]
                for link in self._joined("extends", source, scope.line, classes):
                    yield link._replace(kind=self._relation(link))

    def _relation(self, link: FileEdge) -> str:
        """A class implements what is only promised, and extends the rest."""
        facts = self._python.facts(link.path)
        if facts is None:
            return link.kind
        for at, scope in enumerate(facts.scopes):
            if (
                scope.sort == Sort.CLASS
                and scope.name == link.target.rpartition(".")[2]
                and facts.path_of(at) == link.target
            ):
                self._python.look(link.path, "bases", link.target)
                return "implements" if is_promise(facts, at) else "extends"
        return link.kind

    # Calls

    def _calls(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        for call in facts.calls:
            yield from self.call(path, facts, call)

    def call(self, path: str, facts: FileFacts, call: CallSite) -> Iterator[FileEdge]:
        """The edges of one place where something is called."""
        python = self._python
        python.soft = False
        values = python.values(Standpoint(path, call.scope, call.line), call.callee)
        source = _symbol(facts, call.scope)
        targets = self._targets(values)
        if targets:
            yield from self._joined("calls", source, call.line, targets)
        elif not values:
            expr = facts.exprs[call.callee]
            if expr[0] == "a":
                yield FileEdge("calls", source, call.line, "", f".{expr[2]}", Resolved.UNRESOLVED)
            elif expr[0] == "n" and not python.bound(Standpoint(path, call.scope, call.line), expr[1]):
                yield FileEdge("calls", source, call.line, "", expr[1], Resolved.UNRESOLVED)

    def _targets(self, values: Values) -> list[Value]:
        found: list[Value] = []
        for value in values:
            if value[0] in ("fn", "meth"):
                found.append(("fn", value[1], value[2]))
            elif value[0] == "cls":
                found.append(value)
            elif value[0] == "inst":
                methods = self._python.member(value, "__call__")
                found.extend(("fn", *each[1:3]) for each in methods if each[0] in ("fn", "meth"))
        return found

    def _joined(self, kind: str, source: str, line: int, targets: list[Value]) -> Iterator[FileEdge]:
        """One edge to a target that is alone, a set of them to several."""
        python = self._python
        named: dict[tuple[str, str], None] = {}
        for _, path, scope in sorted(targets):
            facts = python.facts(path)
            if facts is not None and facts.scopes[scope].sort != Sort.BLOCK:
                named[path, facts.path_of(scope)] = None
        if len(named) > 1:
            self._choices += 1
            resolved, choice = Resolved.AMBIGUOUS, self._choices
        else:
            resolved, choice = Resolved.INFERRED if python.soft else Resolved.EXACT, 0
        if len(named) <= CANDIDATES_MAX:
            for path, symbol in named:
                yield FileEdge(kind, source, line, path, symbol, resolved, choice)

    # Exports

    def _exports(self, path: str, facts: FileFacts) -> Iterator[FileEdge]:
        """What a package passes on of other files, or a module says that it offers of them."""
        is_package = self._python.modules.package_of(path) is not None
        offered = set(facts.exported or ())
        for name in sorted(offered - facts.scopes[0].names.keys()) if facts.stars else ():
            self._python.soft = False
            values = self._python.name(Standpoint(path, 0, 0), name)
            targets = [value for value in values if value[0] in ("fn", "cls") and value[1] != path]
            yield from self._joined("exports", "", facts.imports[facts.stars[0]].line, targets)
        for name, bindings in facts.scopes[0].names.items():
            binding = bindings[-1]
            if binding.by != "i" or not binding.second or binding.second == ".":
                continue
            if not (name in offered or (is_package and facts.exported is None and not name.startswith("_"))):
                continue
            self._python.soft = False
            values = self._python.imported(path, facts.imports[binding.first], binding.second)
            targets = [value for value in values if value[0] in ("fn", "cls") and value[1] != path]
            yield from self._joined("exports", "", binding.line, targets)


def is_promise(facts: FileFacts, scope: int) -> bool:
    """A protocol: a class that says what others have."""
    for base in facts.scopes[scope].bases:
        expr = facts.exprs[base]
        while expr[0] == "s":
            expr = facts.exprs[expr[1]]
        if expr[-1] == "Protocol":
            return True
    return False


def _symbol(facts: FileFacts, scope: int) -> str:
    return facts.path_of(scope)
