"""Which class a qualified name of Java means: by the packages that files say they are in, wherever the files lie."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from recollect.code.facts import By, FileFacts, Sort
from recollect.code.resolve.typed import TYPES, Typed
from recollect.code.resolve.values import Value, Values, external

JAVA = ".java"


class JavaPackages(Typed):
    """Types by their qualified names. What a project does not have is external."""

    tails: Collection[str]  # the ends of the folders that hold Java

    def library(self, package: str, name: str) -> Values:
        """The type of a package, as its values; nothing where the project has none."""
        return self.entity(("library", package, name), lambda: self._library(package, name))  # type: ignore[no-any-return]

    def _library(self, package: str, name: str) -> Values:
        found: set[Value] = set()
        for path in self.defining(name):
            facts = self.facts(path)
            if facts is not None and facts.scopes[0].name == package:
                found |= {("inst", path, at, ()) for at in types_called(facts, 0, name)}
        return frozenset(found)

    def qualified(self, words: str) -> Values:
        """The type that a qualified name means, one inside of another too."""
        return self.entity(("qualified", words), lambda: self._qualified(words))  # type: ignore[no-any-return]

    def _qualified(self, words: str) -> Values:
        holder, _, name = words.rpartition(".")
        found = self.library(holder, name)
        if not found and holder:
            found = self.nested(self.qualified(holder), name)
        return found

    def nested(self, holders: Values, name: str) -> Values:
        """A type by its name in others."""
        found: set[Value] = set()
        for holder in holders:
            facts = self.facts(holder[1]) if holder[0] == "inst" else None
            if facts is not None:
                self.look(holder[1], facts.path_of(holder[2]), name)
                found |= {("inst", holder[1], at, ()) for at in types_called(facts, holder[2], name)}
        return frozenset(found)

    def standard(self, package: str, name: str) -> Values:
        """A type of the language's library, which only the library itself has among its files."""
        return self.library(package, name) or external(f"{package}.{name}")

    def string(self) -> Values:
        return self.standard("java.lang", "String")

    def is_ours(self, package: str) -> bool:
        """Whether the project has a folder for a package."""
        tail = package.replace(".", "/")
        self.look("tail", tail)
        return tail in self.tails


def types_called(facts: FileFacts, scope: int, name: str) -> Iterator[int]:
    """The types that a scope itself binds to a name."""
    for binding in facts.scopes[scope].names.get(name, ()):
        if binding.by == By.SCOPE and facts.scopes[binding.first].sort in TYPES:
            yield binding.first


def methods_called(facts: FileFacts, scope: int, name: str) -> Iterator[int]:
    """The methods that a type itself has under a name."""
    for binding in facts.scopes[scope].names.get(name, ()):
        if binding.by == By.SCOPE and facts.scopes[binding.first].sort == Sort.FUNCTION:
            yield binding.first


def tails_of(paths: Collection[str]) -> set[str]:
    """The ends of the folders that hold Java: a package is one of them."""
    folders = {path.rpartition("/")[0] for path in paths if path.endswith(JAVA)}
    found: set[str] = set()
    for folder in folders:
        parts = folder.split("/")
        found.update("/".join(parts[at:]) for at in range(len(parts)))
    return found
