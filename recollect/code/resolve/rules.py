"""What a language has to answer so that edges can be made of a file: the part of its rules that `links` asks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from recollect.code.facts import FileFacts, ImportStatement, Sort
from recollect.code.resolve.engine import Evaluator, Standpoint, World
from recollect.code.resolve.values import Value, Values


class ImportedFiles(NamedTuple):
    """The files that an import means; else the name of what should be in the project and is not."""

    paths: Collection[str]
    missing: str = ""


class Supertype(NamedTuple):
    """What a type is declared to extend, or, where that is `promised`, to implement."""

    values: Values
    promised: bool


class MovedFiles(NamedTuple):
    """After files came or went: what imports may have looked for that is elsewhere now, and files to resolve anyway."""

    looks: set[tuple[str, ...]]
    paths: set[str]


class LanguageRules(Evaluator):
    """The rules of one family of languages, over the files of a project that are of it.

    Everything that is looked at in another file, in the list of files or in settings must be noted (`look`): an update
    resolves only what looked at something that changed.
    """

    def __init__(self, world: World, paths: Collection[str]) -> None:
        super().__init__(world)
        self.paths = frozenset(paths)

    def defining(self, symbol: str) -> list[str]:
        """The files of the family that define a qualified name."""
        self.look("defines", symbol)
        return sorted(self.paths.intersection(self.world.defining(symbol)))

    def promising(self, name: str) -> list[tuple[str, str]]:
        """The interfaces of the family that have a method of this name themselves, as a file and a qualified name."""
        self.look("promise", name)
        return sorted(each for each in self.world.promising(name) if each[0] in self.paths)

    def held(self, symbol: str) -> list[tuple[str, str]]:
        """What the family defines inside of a qualified name, as a file and a last name."""
        self.look("held", symbol)
        return sorted(each for each in self.world.held(symbol) if each[0] in self.paths)

    @classmethod
    def moved(cls, old: Collection[str], new: Collection[str]) -> MovedFiles:
        """What files of the family that came or went may change for imports of files that stayed."""
        raise NotImplementedError

    def imported_files(self, path: str, statement: ImportStatement) -> ImportedFiles:
        """The files that an import statement means."""
        raise NotImplementedError

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """What a file passes on of other files, with the line."""
        raise NotImplementedError

    def supertypes(self, path: str, facts: FileFacts, at: int) -> Iterator[Supertype]:
        """What a class or interface is declared to extend or implement."""
        scope = facts.scopes[at]
        place = Standpoint(path, scope.parent, scope.line)
        for promised, declared in ((False, scope.bases), (True, scope.interfaces)):
            for expr in declared:
                self.soft = False
                yield Supertype(self.values(place, expr), promised)

    def called(self, value: Value) -> list[Value]:
        """The functions and classes that a call of a value calls."""
        if value[0] in ("fn", "meth"):
            return [("fn", value[1], value[2])]
        return [value[:3]] if value[0] == "cls" else []

    def settings(self, path: str) -> Any:
        """What a settings file of the project says; None where there is none."""
        self.look("settings", path)
        facts = self.facts(path) if path in self.paths else None  # what is gone may still be known
        return None if facts is None else facts.settings


def is_promise(facts: FileFacts, scope: int) -> bool:
    """Whether a type only says what others have: an interface, a trait, a protocol."""
    if facts.scopes[scope].sort == Sort.INTERFACE:
        return True
    for base in facts.scopes[scope].bases if facts.language == "python" else ():
        expr = facts.exprs[base]
        while expr[0] == "s":
            expr = facts.exprs[expr[1]]
        if expr[-1] == "Protocol":
            return True
    return False
