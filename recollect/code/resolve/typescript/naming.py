"""What a name means at a place of TypeScript, as a value or as a type: through imports to where it is bound."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from recollect.code.facts import By, FileFacts, ImportStatement, NameBinding, Sort
from recollect.code.resolve.engine import BoundName, Standpoint, World
from recollect.code.resolve.rules import ImportedFiles, LanguageRules, MovedFiles
from recollect.code.resolve.typescript.modules import ENDINGS, ScriptModules, moved_between
from recollect.code.resolve.values import Value

_HOPS_MAX = 4000  # modules that are looked at for one name
_OPEN = (Sort.MODULE, Sort.FUNCTION, Sort.BLOCK)  # what their scopes declare is seen inside of them


class OfferedName(NamedTuple):
    """What a module has under a name: a binding, or a member of what that binds; or a module, or something outside."""

    found: BoundName | None
    member: str = ""
    value: Value | None = None


class TypeParameter(NamedTuple):
    """A type parameter of a class, an interface, an alias or a function."""

    path: str
    scope: int
    at: int


class ScriptNames(LanguageRules):
    """Names, and the modules they come from."""

    def __init__(self, world: World, paths: Collection[str]) -> None:
        super().__init__(world, paths)
        self.modules = ScriptModules(paths, self.look, self.settings, self.from_facts)

    @classmethod
    def moved(cls, old: Collection[str], new: Collection[str]) -> MovedFiles:
        return MovedFiles(moved_between(old, new), set())

    def imported_files(self, path: str, statement: ImportStatement) -> ImportedFiles:
        source = self.modules.find(path, statement.module)
        if not source:
            return ImportedFiles((), statement.module)
        return ImportedFiles([value[1] for value in source if value[0] == "mod" and value[1] != path])

    # In a file

    def bound(self, place: Standpoint, name: str) -> list[BoundName]:
        """What binds a name that is used as a value."""
        return self._seen(place, name, as_type=False)[0]

    def bound_type(self, place: Standpoint, name: str) -> tuple[list[BoundName], TypeParameter | None]:
        """What binds a name that is used as a type."""
        return self._seen(place, name, as_type=True)

    def _seen(self, place: Standpoint, name: str, *, as_type: bool) -> tuple[list[BoundName], TypeParameter | None]:
        facts = self.facts(place.path)
        scope = place.scope
        while facts is not None and scope >= 0:
            here = facts.scopes[scope]
            if as_type and here.sort != Sort.MODULE:
                at = self._type_parameter(place.path, facts, scope, name)
                if at is not None:
                    return [], TypeParameter(place.path, scope, at)
            if here.sort in _OPEN or "namespace" in here.traits:
                if here.sort != Sort.BLOCK:
                    self.look(place.path, facts.path_of(scope), name)
                bindings = here.names.get(name, ())
                found = [each for each in bindings if _means(facts, each, as_type=as_type)]
                if found:
                    return [BoundName(place.path, scope, name, each) for each in found], None
            scope = here.parent
        return [], None

    def _type_parameter(self, path: str, facts: FileFacts, scope: int, name: str) -> int | None:
        here = facts.scopes[scope]
        if here.sort != Sort.BLOCK:
            self.look(path, "signature" if here.sort == Sort.FUNCTION else "bases", facts.path_of(scope))
        for at, parameter in enumerate(here.parameters):
            if parameter.sort == "<" and parameter.name == name:
                return at
        return None

    # In other files

    def followed(self, path: str, statement: ImportStatement, name: str) -> list[OfferedName]:
        """What an import binds."""
        found: list[OfferedName] = []
        for source in self.modules.find(path, statement.module):
            if source[0] == "ext":
                found.append(OfferedName(None, "", ("ext", f"{source[1]}.{name or '*'}")))
            elif not name:
                found.append(OfferedName(None, "", source))
            else:
                found += self.offered(source[1], name)
        return found

    def offered(self, path: str, name: str) -> list[OfferedName]:
        """What a module offers under a name; `=` for what stands for all of it."""
        found: list[OfferedName] = self.from_facts(("offered", path, name), lambda: self._offered(path, name, set()))
        return found

    def _offered(self, path: str, name: str, seen: set[tuple[str, str]]) -> list[OfferedName]:
        facts = self.facts(path)
        if (path, name) in seen or len(seen) > _HOPS_MAX or facts is None:
            return []
        seen.add((path, name))
        found = [each for bound in self._own(path, facts, name) for each in self._through(bound, seen)]
        if found or name == "=":
            return found or [OfferedName(None, "", ("mod", path))]
        self.look(path, "stars")
        for place in facts.stars if name != "default" else ():
            for source in self.modules.find(path, facts.imports[place].module):
                if source[0] == "mod":
                    found = self._offered(source[1], name, seen)
                if found:
                    return found
        return self._of_node(path, facts, name, seen)

    def _own(self, path: str, facts: FileFacts, name: str) -> Iterator[BoundName]:
        """What a module binds for others under a name."""
        names = facts.scopes[0].names
        self.look(path, "", f"export {name}")
        bindings = names.get(f"export {name}")
        if bindings:
            for each in bindings:
                yield from self._renamed(path, facts, f"export {name}", each)
            return
        self.look(path, "", name)
        if name in names and facts.exported and name in facts.exported:
            yield from (BoundName(path, 0, name, each) for each in names[name])

    def _renamed(self, path: str, facts: FileFacts, name: str, binding: NameBinding) -> Iterator[BoundName]:
        """`export { a as b }` leads to what a is here."""
        expr = facts.exprs[binding.first] if binding.by == By.VALUE else ()
        if expr and expr[0] == "n":
            self.look(path, "", expr[1])
            for each in facts.scopes[0].names.get(expr[1], ()):
                yield BoundName(path, 0, expr[1], each)
        else:
            yield BoundName(path, 0, name, binding)

    def _through(self, bound: BoundName, seen: set[tuple[str, str]]) -> list[OfferedName]:
        """An imported name leads on to where it comes from."""
        facts = self.facts(bound.path)
        if bound.binding.by != By.IMPORT or facts is None:
            return [OfferedName(bound)]
        found: list[OfferedName] = []
        name = bound.binding.second
        for source in self.modules.find(bound.path, facts.imports[bound.binding.first].module):
            if source[0] == "mod" and name:
                found += self._offered(source[1], name, seen)
            else:
                outside = ("ext", f"{source[1]}.{name or '*'}") if source[0] == "ext" else source
                found.append(OfferedName(None, "", outside))
        return found

    def _of_node(self, path: str, facts: FileFacts, name: str, seen: set[tuple[str, str]]) -> list[OfferedName]:
        """What `module.exports = …` has under a name; all of it, where the default is asked for."""
        self.look(path, "", "export =")
        found: list[OfferedName] = []
        for binding in facts.scopes[0].names.get("export =", ()):
            for bound in self._renamed(path, facts, "export =", binding):
                through = self._through(bound, seen)
                found += through if name == "default" else [each._replace(member=name) for each in through]
        return found


def _means(facts: FileFacts, binding: NameBinding, *, as_type: bool) -> bool:
    """Whether something that is bound can be what is asked for."""
    if binding.by == By.IMPORT:
        return True
    if binding.by != By.SCOPE:
        return (binding.by == By.TYPE) == as_type
    sort = facts.scopes[binding.first].sort
    return sort == Sort.CLASS or (sort == Sort.INTERFACE) == as_type


def is_code(path: str) -> bool:
    return path.endswith(ENDINGS)
