"""Which file a Rust module is in, which module a file is, and which crates it sees: by folders and `Cargo.toml`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.code.facts import By, FileFacts
from recollect.code.resolve.rules import LanguageRules

_ROOT_NAMES = frozenset({"lib.rs", "main.rs", "build.rs"})
_ROOT_FOLDERS = frozenset({"tests", "examples", "benches", "bin"})
_TARGETS = ("bin", "test", "example", "bench")
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")
_PARENTS_MAX = 64  # modules in modules
MANIFEST = "Cargo.toml"


class Crates(LanguageRules):
    """The crates of a project; `Rust` has the rest."""

    def is_file(self, path: str) -> bool:
        self.look("file", path)
        return path in self.paths

    # Packages

    def package_of(self, path: str) -> str | None:
        """The folder of the package that a file is of."""
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            if self.is_file(_in(folder, MANIFEST)) and "package" in self.manifest(folder):
                return folder
        return None

    def manifest(self, folder: str) -> Mapping[str, Any]:
        found = self.settings(_in(folder, MANIFEST))
        return found if isinstance(found, dict) else {}

    def library(self, folder: str) -> str | None:
        """The root of the library that a package has."""
        said = _table(self.manifest(folder), "lib").get("path")
        path = posixpath.normpath(_in(folder, said if isinstance(said, str) else "src/lib.rs"))
        return path if self.is_file(path) else None

    def crate_named(self, path: str, name: str) -> str | None:
        """The root of a crate of the project that a file can name: its package's own, or one it depends on by path."""
        folder = self.package_of(path)
        if folder is None:
            return None
        manifest = self.manifest(folder)
        own = _table(manifest, "lib").get("name") or _table(manifest, "package").get("name")
        if _as_name(own) == name:
            return self.library(folder)
        for key, value in _dependencies(manifest):
            place = self._place_of(folder, key, value)
            if place is None:
                continue
            renamed = isinstance(value, dict) and "package" in value
            said = None if renamed else _table(self.manifest(place), "lib").get("name")
            if _as_name(said or key) == name:
                return self.library(place)
        return None

    def depends_on(self, path: str, name: str) -> bool:
        """Whether a package says that it uses a crate of this name."""
        folder = self.package_of(path)
        return folder is not None and any(_as_name(key) == name for key, _ in _dependencies(self.manifest(folder)))

    def _place_of(self, folder: str, key: str, value: Any) -> str | None:
        """The folder of a dependency, where it is one of the project."""
        if not isinstance(value, dict):
            return None
        if value.get("workspace") is True:
            above = folder
            while True:
                shared = _table(_table(self.manifest(above), "workspace"), "dependencies").get(key)
                if isinstance(shared, dict):
                    folder, value = above, shared
                    break
                if not above:
                    return None
                above = above.rpartition("/")[0]
        said = value.get("path")
        if not isinstance(said, str):
            return None
        place = posixpath.normpath(_in(folder, said))
        return None if place.startswith("..") else "" if place == "." else place

    # Modules

    def is_root(self, path: str) -> bool:
        """Whether a crate begins with a file."""
        folder, _, name = path.rpartition("/")
        package = self.package_of(path)
        if package is None:
            return name in _ROOT_NAMES
        if name in _ROOT_NAMES and folder in (package, _in(package, "src")):
            return True
        if folder.rpartition("/")[2] in _ROOT_FOLDERS:
            above = folder.rpartition("/")[0]
            if above in (package, _in(package, "src")):
                return True
        if name == "main.rs" and folder.rpartition("/")[0].rpartition("/")[2] in _ROOT_FOLDERS:
            return True
        return any(posixpath.normpath(_in(package, said)) == path for said in _said_roots(self.manifest(package)))

    def module_file(self, path: str, said: str) -> str | None:
        """The file of `mod name;` in a file."""
        folder, _, name = path.rpartition("/")
        if said.startswith("="):
            found = posixpath.normpath(_in(folder, said[1:]))
            return found if self.is_file(found) else None
        below = folder if name == "mod.rs" or self.is_root(path) else path.removesuffix(".rs")
        for candidate in (f"{said}.rs", f"{said}/mod.rs"):
            if self.is_file(_in(below, candidate)):
                return _in(below, candidate)
        return None

    def parent_file(self, path: str) -> str | None:
        """The file whose `mod name;` a file is; None for the root of a crate and for what nobody declares."""
        found: str | None = self.entity(("parent", path), lambda: self._parent_file(path), None)
        return found

    def _parent_file(self, path: str) -> str | None:
        if self.is_root(path):
            return None
        folder, _, name = path.rpartition("/")
        own = name.removesuffix(".rs")
        if name == "mod.rs":
            folder, _, own = folder.rpartition("/")
        candidates = [_in(folder, "mod.rs"), f"{folder}.rs", _in(folder, "lib.rs"), _in(folder, "main.rs")]
        for candidate in candidates:
            if candidate == path or not self.is_file(candidate):
                continue
            self.look(candidate, "", own)
            facts = self.facts(candidate)
            if facts is not None and _declares(facts, own):
                return candidate
        return None

    def crate_root(self, path: str) -> str:
        """The file that the crate of a file begins with."""
        found: str = self.entity(("crate", path), lambda: self._crate_root(path), path)
        return found

    def _crate_root(self, path: str) -> str:
        at = path
        for _ in range(_PARENTS_MAX):
            above = self.parent_file(at)
            if above is None:
                break
            at = above
        if not self.is_root(at):  # reached by `#[path]`, or by nobody
            package = self.package_of(path)
            return (self.library(package) if package is not None else None) or at
        return at


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _as_name(said: Any) -> str:
    return str(said or "").replace("-", "_")


def _table(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = of.get(name)
    return found if isinstance(found, dict) else {}


def _dependencies(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    tables = [manifest, *(each for each in _table(manifest, "target").values() if isinstance(each, dict))]
    for table in tables:
        for name in _DEPENDENCIES:
            yield from _table(table, name).items()


def _said_roots(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Paths of targets that a manifest names."""
    lists = [found for name in _TARGETS if isinstance(found := manifest.get(name), list)]
    tables = [each for found in lists for each in found if isinstance(each, dict)]
    said = [*(each.get("path") for each in tables), _table(manifest, "lib").get("path")]
    said.append(_table(manifest, "package").get("build"))
    return (each for each in said if isinstance(each, str))


def _declares(facts: FileFacts, name: str) -> bool:
    """Whether a file has a `mod name;`."""
    bindings = facts.scopes[0].names.get(name, [])
    return any(each.by == By.IMPORT and facts.imports[each.first].level == 1 for each in bindings)
