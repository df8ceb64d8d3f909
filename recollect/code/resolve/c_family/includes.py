"""Which file an `#include` means, and which files a file takes in with all its includes."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Collection, Iterator
from typing import Any

from recollect.code.extract.c_family import ANGLED, USING
from recollect.code.facts import ImportStatement
from recollect.code.resolve.engine import World
from recollect.code.resolve.rules import LanguageRules

COMMANDS = "compile_commands.json"
_TAKEN_IN_MAX = 3000  # files of one file
_FOLDER_WORDS = ("-I", "-isystem", "-iquote", "/I")
# Headers of the languages' libraries: a file of that name somewhere in the project is another one.
_LIBRARY = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype unistd fcntl poll "
    "dirent pthread semaphore strings termios netdb dlfcn syslog grp pwd sched malloc memory alloca".split()
)


class Includes(LanguageRules):
    """The includes of a project; `CFamily` has the rest."""

    def __init__(self, world: World, paths: Collection[str]) -> None:
        super().__init__(world, paths)
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def included(self, path: str, statement: ImportStatement) -> str | None:
        """The file that an include means; None for one from outside and where two could be meant."""
        key = ("include", path.rpartition("/")[0], statement.module, statement.level)
        found: str | None = self.entity(key, lambda: self._included(path, statement.module, statement.level), None)
        return found

    def _included(self, path: str, name: str, level: int) -> str | None:
        folder, last = path.rpartition("/")[0], name.rpartition("/")[2]
        self.look("named", last)
        known = self._by_name.get(last, [])
        if not known:
            return None
        if level != ANGLED:
            beside = posixpath.normpath(f"{folder}/{name}" if folder else name)
            if beside in self.paths:
                return beside
        for place in self._said_folders():
            said = posixpath.normpath(f"{place}/{name}" if place else name)
            if said in self.paths:
                return said
        inside = posixpath.normpath(name)
        if level == ANGLED and inside.removesuffix(".h") in _LIBRARY:
            return None
        return _nearest(folder, [each for each in known if each == inside or each.endswith(f"/{inside}")], inside)

    def _said_folders(self) -> tuple[str, ...]:
        """Folders of includes that `compile_commands.json` names."""
        found: tuple[str, ...] = self.entity(("include folders",), lambda: tuple(self._read_commands()), ())
        return found

    def _read_commands(self) -> Iterator[str]:
        self.look("named", COMMANDS)
        seen: set[str] = set()
        for path in self._by_name.get(COMMANDS, ()):
            said = self.settings(path)
            for entry in said if isinstance(said, list) else ():
                for place in _folders_of(entry):
                    inside = self._in_project(place)
                    if inside is not None and inside not in seen:
                        seen.add(inside)
                        yield inside

    def _in_project(self, place: str) -> str | None:
        """A folder as the project names it: the longest end of its path that files of the project are in."""
        parts = [part for part in posixpath.normpath(place).split("/") if part]
        folders = self._folders()
        for at in range(len(parts)):
            inside = "/".join(parts[at:])
            if inside in folders:
                return inside
        return None

    def _folders(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.paths:
            parts = path.split("/")[:-1]
            found.update("/".join(parts[:at]) for at in range(1, len(parts) + 1))
        return frozenset(found)

    def taken_in(self, path: str) -> tuple[str, ...]:
        """A file and all that its includes, and theirs, bring in; nearest first."""
        found: tuple[str, ...] = self.entity(("taken in", path), lambda: self._taken_in(path), (path,))
        return found

    def _taken_in(self, path: str) -> tuple[str, ...]:
        found = {path: None}
        front = [path]
        while front and len(found) < _TAKEN_IN_MAX:
            further: list[str] = []
            for each in front:
                self.look(each, "stars")
                facts = self.facts(each)
                for at in facts.stars if facts is not None else ():
                    assert facts is not None
                    statement = facts.imports[at]
                    target = self.included(each, statement) if statement.level != USING else None
                    if target is not None and target not in found:
                        found[target] = None
                        further.append(target)
            front = further
        return tuple(found)


def _folders_of(entry: Any) -> Iterator[str]:
    """Folders of includes in one command."""
    if not isinstance(entry, dict):
        return
    words = entry.get("arguments")
    if not isinstance(words, list):
        try:
            words = shlex.split(str(entry.get("command") or ""))
        except ValueError:
            return
    base = str(entry.get("directory") or "")
    for at, word in enumerate(map(str, words)):
        for flag in _FOLDER_WORDS:
            if word.startswith(flag):
                place = word[len(flag) :] or (str(words[at + 1]) if at + 1 < len(words) else "")
                if place:
                    yield posixpath.join(base, place)
                break


def _nearest(folder: str, candidates: list[str], name: str) -> str | None:
    """Of files that an include may mean, the one whose folder of includes is nearest; None where two are."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    here = folder.split("/") if folder else []
    ranked: list[tuple[int, str]] = []
    for candidate in candidates:
        there = [part for part in candidate[: -len(name)].split("/") if part]
        shared = 0
        while shared < min(len(here), len(there)) and here[shared] == there[shared]:
            shared += 1
        ranked.append((len(here) + len(there) - 2 * shared, candidate))
    ranked.sort()
    return ranked[0][1] if ranked[0][0] < ranked[1][0] else None
