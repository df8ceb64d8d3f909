"""Which folder a Go import means: by the `go.mod` files of the project, or by the folders of an old-fashioned GOPATH.

The modules of a project see each other, as they do in a workspace (`go.work`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection
from typing import Any

MODULE_FILE = "go.mod"
_STANDARD = "std"  # the module of Go's own library, whose packages have no prefix


class Packages:
    """The folders of a project that hold Go files."""

    def __init__(self, paths: Collection[str], look: Callable[..., None], settings: Callable[[str], Any]) -> None:
        self._look = look
        self._settings = settings
        self._files: dict[str, list[str]] = {}
        for path in sorted(paths):
            if path.endswith(".go"):
                self._files.setdefault(folder_of(path), []).append(path)
        self.modules = sorted(path for path in paths if path.rpartition("/")[2] == MODULE_FILE)
        self._tails: dict[str, list[str]] = {}
        for folder in self._files:
            self._tails.setdefault(folder.rpartition("/")[2], []).append(folder)

    def files(self, folder: str) -> list[str]:
        """The Go files that lie in a folder itself."""
        self._look("folder", folder)
        return self._files.get(folder, [])

    def folders(self) -> dict[str, list[str]]:
        return self._files

    def find(self, path: str, package: str) -> tuple[str | None, bool]:
        """The folder that an import in a file means, and whether the package ought to be in the project."""
        self._look("modules")
        own = self._own_module(path)
        if own is not None:
            replaced = self._replaced(own, package)
            if replaced is not None:
                return self._existing(replaced), True
        holders = self._holders(package)
        if own in holders:
            holders = [own]
        if len(holders) == 1:
            return self._existing(self._inside(holders[0], package)), not self._is_standard(holders[0])
        return self._below_source(package), False

    def _own_module(self, path: str) -> str | None:
        """The nearest `go.mod` above a file."""
        above = [each for each in self.modules if f"{path}/".startswith(_prefix(folder_of(each)))]
        return max(above, key=len, default=None)

    def _replaced(self, module: str, package: str) -> str | None:
        """The folder that `replace` puts in the place of a path."""
        rules = (self._settings(module) or {}).get("replace", {})
        for old, new in sorted(rules.items(), key=lambda rule: -len(rule[0])):
            if new.startswith((".", "/")) and f"{package}/".startswith(f"{old}/"):
                folder = posixpath.normpath(posixpath.join(folder_of(module), new, package[len(old) + 1 :]))
                return None if folder.startswith("..") else folder.removeprefix(".")
        return None

    def _holders(self, package: str) -> list[str]:
        """The modules whose path a package's begins with; of several the longest, and all that share it."""
        found: dict[str, list[str]] = {}
        for module in self.modules:
            name = (self._settings(module) or {}).get("module") or ""
            if name == _STANDARD:
                found.setdefault("", []).append(module)
            elif name and f"{package}/".startswith(f"{name}/"):
                found.setdefault(name, []).append(module)
        return found[max(found, key=len)] if found else []

    def _inside(self, module: str, package: str) -> str:
        name = "" if self._is_standard(module) else self._settings(module)["module"]
        rest = package[len(name) :].lstrip("/")
        return posixpath.join(folder_of(module), rest).rstrip("/")

    def _is_standard(self, module: str) -> bool:
        return bool((self._settings(module) or {}).get("module") == _STANDARD)

    def _existing(self, folder: str) -> str | None:
        self._look("folder", folder)
        return folder if folder in self._files else None

    def _below_source(self, package: str) -> str | None:
        """`src/example.org/name` of a GOPATH."""
        self._look("tail", package.rpartition("/")[2])
        for folder in self._tails.get(package.rpartition("/")[2], ()):
            if f"/{folder}".endswith(f"/src/{package}"):
                return folder
        return None


def moved_between(old: Packages, new: Packages) -> set[tuple[str, ...]]:
    """What imports may have looked for that is elsewhere now, and folders that hold other files."""
    before, after = old.folders(), new.folders()
    folders = {each for each in before.keys() | after.keys() if before.get(each) != after.get(each)}
    found: set[tuple[str, ...]] = {("folder", each) for each in folders}
    found |= {("tail", each.rpartition("/")[2]) for each in before.keys() ^ after.keys()}
    return found | ({("modules",)} if old.modules != new.modules else set())


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _prefix(folder: str) -> str:
    return f"{folder}/" if folder else ""
