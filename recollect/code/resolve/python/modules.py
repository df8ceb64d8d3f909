"""Which file a Python import means: by the folders of the project, as the interpreter would look for it.

A folder is a root if it holds a package, or if it is the project itself; the folder of a script is one for the script
alone. A file is known by its path from each folder above it that can be a root.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import PurePosixPath

from recollect.code.resolve.values import NOTHING, Values, external, one

Look = Callable[..., None]
_ENDINGS = (".py", ".pyi", ".pyw")


def stem_of(path: str) -> str:
    """`a/b/__init__.py` is a/b, `a/b.py` too."""
    for ending in _ENDINGS:
        if path.endswith(ending):
            path = path[: -len(ending)]
            break
    return path.removesuffix("/__init__") if path.endswith("/__init__") else path


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


class Modules:
    """The Python files of a project by the names that imports call them."""

    def __init__(self, paths: Iterable[str], look: Look) -> None:
        self._look = look
        self._files = {path for path in paths if path.endswith(_ENDINGS)}
        self.stems: dict[str, str] = {}
        for path in sorted(self._files, key=lambda path: (not path.endswith(".pyi"), path), reverse=False):
            self.stems[stem_of(path)] = path  # a source after its stub, which it replaces
        self.folders: set[str] = set()
        for path in self._files:
            folder = folder_of(path)
            while folder and folder not in self.folders:
                self.folders.add(folder)
                folder = folder_of(folder)
        self.packages = {folder_of(path) for path in self._files if path.endswith(("/__init__.py", "/__init__.pyi"))}
        self._roots = {folder_of(folder) for folder in self.packages} - self.packages | {""}
        self.tops = self._top_names()

    def _top_names(self) -> dict[str, list[str]]:
        """Roots by the first names that can be imported from them."""
        tops: dict[str, list[str]] = {}
        for stem in sorted(self.stems.keys() | self.folders):
            folder, _, name = stem.rpartition("/")
            if folder in self._roots:
                tops.setdefault(name, []).append(folder)
        return tops

    def find(self, path: str, module: str, level: int) -> Values:
        """The module that an import in a file names; nothing if it should be here and is not."""
        if level:
            folder = folder_of(path)
            for _ in range(level - 1):
                if not folder:
                    return NOTHING
                folder = folder_of(folder)
            return self._at(f"{folder}/{module.replace('.', '/')}".strip("/") if module else folder, whole=not module)
        return self._absolute(path, module)

    def child(self, folder: str, name: str) -> Values:
        """A module of a package."""
        return self._at(f"{folder}/{name}" if folder else name)

    def package_of(self, path: str) -> str | None:
        """The folder whose package a file is; None for one that is no package."""
        return folder_of(path) if path.endswith(("__init__.py", "__init__.pyi")) else None

    def is_ours(self, path: str, module: str) -> bool:
        """Whether an import names something that this project has, as far as its first name goes."""
        return bool(self._roots_for(path, module.partition(".")[0]))

    def _at(self, stem: str, *, whole: bool = False) -> Values:
        self._look("module", stem)
        found = self.stems.get(stem)
        if found is not None:
            return one("mod", found)
        if stem in self.folders or (whole and not stem):
            return one("space", stem)
        return NOTHING

    def _absolute(self, path: str, module: str) -> Values:
        first = module.partition(".")[0]
        rest = module.replace(".", "/")
        roots = self._roots_for(path, first)
        for root in roots:
            found = self._at(f"{root}/{rest}" if root else rest)
            if found:
                return found
        return NOTHING if roots else external(module)

    def _roots_for(self, path: str, first: str) -> list[str]:
        """Where a first name may be found from a file, nearest first."""
        self._look("top", first)
        roots = self.tops.get(first, [])
        own = folder_of(path)
        beside = f"{own}/{first}" if own else first
        if own not in self.packages and own not in roots:  # a script sees what lies beside it
            self._look("module", beside)
            if beside in self.stems:
                roots = [own, *roots]
        if first in sys.stdlib_module_names:
            roots = [root for root in roots if self._shadows(path, root, first)]
        if len(roots) < 2:
            return list(roots)
        return sorted(roots, key=lambda root: _distance(own, root))

    def _shadows(self, path: str, root: str, first: str) -> bool:
        """A package of ours with the name of one of the standard library is meant only from inside of itself."""
        top = f"{root}/{first}" if root else first
        return path.startswith(f"{top}/") and top in self.packages


@lru_cache(maxsize=65536)
def _distance(folder: str, root: str) -> tuple[int, str]:
    """How far a root is from a folder: steps up and down between them."""
    here, there = PurePosixPath(folder).parts, PurePosixPath(root).parts
    shared = 0
    for left, right in zip(here, there, strict=False):
        if left != right:
            break
        shared += 1
    return len(here) + len(there) - 2 * shared, root


def moved_between(old: Modules, new: Modules) -> tuple[set[tuple[str, str]], set[str]]:
    """What imports may have looked for that is found elsewhere now, and folders that have become packages or ceased."""
    stems = {stem for stem in old.stems.keys() | new.stems.keys() if old.stems.get(stem) != new.stems.get(stem)}
    names = {name for name in old.tops.keys() | new.tops.keys() if old.tops.get(name) != new.tops.get(name)}
    packages = old.packages ^ new.packages
    names |= {folder.rpartition("/")[2] for folder in packages}
    found = {("module", stem) for stem in stems | (old.folders ^ new.folders)}
    return found | {("top", name) for name in names}, packages
