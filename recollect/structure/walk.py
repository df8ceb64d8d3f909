"""The files of a folder that are worth reading, in order.

Left out without a word: hidden files and folders, what .gitignore names (also above the folder, up to the repository),
and folders that tools fill (`node_modules`, `build`). Links are not followed, so there are no circles and nothing comes
in from outside; they are reported, as are folders that cannot be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.limits import FOLDER_DEPTH_MAX, FOLDER_FILES_MAX

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

VENDOR_FOLDERS = frozenset(
    "node_modules bower_components __pycache__ site-packages venv virtualenv vendor build dist target out "
    "_build htmlcov coverage".split()
)
GENERATED_FILES = frozenset(
    "package-lock.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock cargo.lock composer.lock gemfile.lock "
    "go.sum".split()
)
_GENERATED_ENDINGS = (".min.js", ".min.css", ".map", ".pyc", ".lock")
_IGNORE_BYTES_MAX = 256 * 1024
_STARS_MAX = 3


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file, or something that looked like one and why it is left out."""

    path: Path
    skipped: str | None = None


def walk(folder: Path, *, recursive: bool = True, entered: list[Path] | None = None) -> Iterator[WalkedFile]:
    """The files below a folder, by name, each folder's own before those of its folders; `entered` is told of these."""
    rules = _Rules.above(folder)
    waiting = [(folder, rules, 0)]
    count = 0
    while waiting:
        here, rules, depth = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            yield WalkedFile(here, f"cannot be read: {error.strerror or type(error).__name__}")
            continue
        if entered is not None:
            entered.append(here)
        rules = rules.within(here)
        below = []
        for entry in entries:
            if entry.name.startswith("."):
                continue
            found = _look_at(entry, rules)
            if found is None:
                if depth < FOLDER_DEPTH_MAX:
                    below.append((Path(entry.path), rules, depth + 1))
                else:
                    yield WalkedFile(Path(entry.path), f"lies more than {FOLDER_DEPTH_MAX} folders deep")
            elif found is not _LEFT_OUT:
                count += 1
                if count > FOLDER_FILES_MAX:
                    yield WalkedFile(folder, f"holds more than {FOLDER_FILES_MAX} files; the rest was left out")
                    return
                yield found
        if recursive:
            waiting.extend(reversed(below))


_LEFT_OUT = WalkedFile(Path())


def _look_at(entry: os.DirEntry[str], rules: _Rules) -> WalkedFile | None:
    """A file, `_LEFT_OUT`, or None for a folder to go into."""
    path = Path(entry.path)
    try:
        if entry.is_symlink():
            return WalkedFile(path, "is a link; links are not followed")
        if entry.is_dir():
            known = entry.name.lower() in VENDOR_FOLDERS or entry.name.endswith(".egg-info")
            known = known or os.path.exists(path / "pyvenv.cfg")
            return _LEFT_OUT if known or rules.ignored(path, folder=True) else None
        if not entry.is_file():
            return WalkedFile(path, "is not a file")
    except OSError as error:
        return WalkedFile(path, f"cannot be read: {error.strerror or type(error).__name__}")
    if rules.ignored(path, folder=False):
        return _LEFT_OUT
    name = entry.name.lower()
    if name in GENERATED_FILES or name.endswith(_GENERATED_ENDINGS):
        return WalkedFile(path, "is written by a tool, not by a person")
    return WalkedFile(path)


def _affordable(rule: str) -> str:
    """A rule with few stars in each part. One with many tries a name in more ways than there is time for; cut off after
    its third star it ignores more than was asked, which is the safe side. An exception of that kind is left out."""
    parts = rule.split("/")
    if all(part.count("*") <= _STARS_MAX for part in parts):
        return rule
    if rule.startswith("!"):
        return ""
    return "/".join(
        "*".join([*part.split("*")[:_STARS_MAX], ""]) if part.count("*") > _STARS_MAX else part for part in parts
    )


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the .gitignore files from the repository down to a folder say; the deepest that has an opinion decides."""

    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    @classmethod
    def above(cls, folder: Path) -> _Rules:
        """The rules of the folders above, if the folder lies in a repository."""
        parents = [folder.absolute(), *folder.absolute().parents]
        root = next((at for at, parent in enumerate(parents) if os.path.exists(parent / ".git")), 0)
        rules = cls()
        for parent in reversed(parents[1 : root + 1]):
            rules = rules.within(parent)
        return rules

    def within(self, folder: Path) -> _Rules:
        """These rules and those of one more folder."""
        if not os.path.isfile(folder / ".gitignore"):  # a pipe would be waited for
            return self
        try:
            with open(folder / ".gitignore", encoding="utf-8", errors="replace") as file:
                lines = file.read(_IGNORE_BYTES_MAX).splitlines()
        except OSError:
            return self
        from pathspec import GitIgnoreSpec

        try:
            spec = GitIgnoreSpec.from_lines(map(_affordable, lines))
        except ValueError:  # a pattern that git would ignore with a warning
            return self
        return _Rules((*self.specs, (f"{folder.absolute()}{os.sep}", spec)))

    def ignored(self, path: Path, *, folder: bool) -> bool:
        name = str(path.absolute()) + ("/" if folder else "")
        for root, spec in reversed(self.specs):
            verdict = spec.check_file(name.removeprefix(root)).include
            if verdict is not None:
                return verdict
        return False
