"""Which file an import of TypeScript or JavaScript means: relative paths, `paths` of tsconfig, packages of the project.

A file is known by its stem, its path without the ending: `./b.js` may be written for b.ts. What a package offers of
itself is often built (`dist/index.js`) and not there; then the source is meant that it is built from.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from recollect.code.resolve.values import NOTHING, Values, external, one

Look = Callable[..., None]
Settings = Callable[[str], Any]

# In the order in which the compiler looks for them.
ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs")
_LONGEST_FIRST = tuple(sorted(ENDINGS, key=len, reverse=True))
_INSTEAD = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts", ".d.mts"), ".cjs": (".cts", ".d.cts")}
_CONDITIONS = ("source", "types", "import", "module", "node", "browser", "require", "default")
_BUILT = frozenset("dist lib build out output esm cjs es umd types _esm _cjs _types".split())
_CONFIGS = ("tsconfig.json", "jsconfig.json")
_EXTENDS_MAX = 8
_TARGETS_MAX = 24


def stem_of(path: str) -> str:
    """`a/b.d.ts` is a/b."""
    for ending in _LONGEST_FIRST:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def joined(folder: str, words: str) -> str | None:
    """A path from a folder on; None for what lies outside of the project."""
    path = posixpath.normpath(f"{folder}/{words}" if folder else words)
    if path == ".." or path.startswith(("../", "/")):
        return None
    return "" if path == "." else path


def is_package(path: str) -> bool:
    return path == "package.json" or path.endswith("/package.json")


class FilesByStem:
    """The files of the family, and which folders have settings."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.stems: dict[str, list[str]] = {}
        packages: list[str] = []
        for path in paths:
            if path.endswith(ENDINGS):
                self.stems.setdefault(stem_of(path), []).append(path)
            elif is_package(path):
                packages.append(path)
        for found in self.stems.values():
            found.sort(key=_rank)
        self.packages = sorted(packages)


class ScriptModules:
    """The files of a project by the names that imports call them."""

    def __init__(self, paths: Iterable[str], look: Look, settings: Settings, from_facts: Callable[..., Any]) -> None:
        self._look = look
        self._settings = settings
        self._from_facts = from_facts
        self._files = FilesByStem(paths)

    def find(self, path: str, module: str) -> Values:
        """The file that an import in a file names; nothing if it should be here and is not."""
        module = module.partition("?")[0]
        if module.startswith((".", "/")):
            if module in (".", "..") or module.endswith("/"):
                module += "/."
            whole = joined(folder_of(path), module) if not module.startswith("/") else None
            found = self.at(whole) if whole is not None else ""
            if found:
                return one("mod", found)
            return external(module) if _is_no_code(module) or module.startswith("/") else NOTHING
        kept: Values = self._from_facts(
            ("import", folder_of(path), module), lambda: self._named(folder_of(path), module)
        )
        return kept

    def at(self, path: str) -> str:
        """The file at a path that may lack its ending, or be a folder."""
        return self._file(path) or self._folder(path)

    def _file(self, path: str) -> str:
        stem = stem_of(path)
        for each in (path, stem) if stem != path else (path,):
            self._look("module", each)
        if stem != path:
            ending = path[len(stem) :]
            there = self._files.stems.get(stem, [])
            for other in (*_INSTEAD.get(ending, ()), ending):
                if stem + other in there:
                    return stem + other
        found = self._files.stems.get(path)
        return found[0] if found else ""

    def _folder(self, path: str) -> str:
        folder = f"{path}/" if path else ""
        said = self._settings(f"{folder}package.json")
        if isinstance(said, dict) and path:
            for target in _main_of(said):
                whole = joined(path, target)
                found = (self._file(whole) or self._file(f"{whole}/index")) if whole is not None else ""
                if found:
                    return found
        return self._file(f"{folder}index")

    # By other names than paths

    def _named(self, folder: str, module: str) -> Values:
        """What a name means in a folder: in `imports`, in `paths`, as a package of the project."""
        if module.startswith("#"):
            found = self._own_import(folder, module)
            return one("mod", found) if found else NOTHING
        found = self._by_paths(folder, module)
        if not found and ":" not in module:
            found = self._in_packages(module)
        return one("mod", found) if found else external(module)

    def _own_import(self, folder: str, module: str) -> str:
        for each in _folders_up(folder):
            said = self._settings(f"{each}/package.json" if each else "package.json")
            if isinstance(said, dict):
                return self._first_target(each, _matched(said.get("imports"), module))
        return ""

    def _by_paths(self, folder: str, module: str) -> str:
        for each in _folders_up(folder):
            for name in _CONFIGS:
                path = f"{each}/{name}" if each else name
                if isinstance(self._settings(path), dict):
                    return self._by_config(path, module)
        return ""

    def _by_config(self, path: str, module: str) -> str:
        base, paths = self._from_facts(("tsconfig", path), lambda: self._config(path, 0))
        if paths is not None:
            below, patterns = paths
            pattern = _best_pattern(patterns, module)
            if pattern is not None:
                rest = _rest(pattern, module)
                targets = patterns[pattern]
                for target in targets[:_TARGETS_MAX] if isinstance(targets, list) else ():
                    if isinstance(target, str):
                        whole = joined(below, target.replace("*", rest))
                        found = self.at(whole) if whole is not None else ""
                        if found:
                            return found
        whole = joined(base, module) if base is not None else None
        return self.at(whole) if whole is not None else ""

    def _config(self, path: str, depth: int) -> tuple[str | None, tuple[str, dict[str, Any]] | None]:
        """`baseUrl` as a folder, and `paths` with the folder they start from; of what it extends, where it has none."""
        said = self._settings(path)
        folder = folder_of(path)
        if not isinstance(said, dict) or depth > _EXTENDS_MAX:
            return None, None
        options = said.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        given = options.get("baseUrl")
        base = joined(folder, given) if isinstance(given, str) else None
        paths = None
        if isinstance(options.get("paths"), dict):
            paths = (base if base is not None else folder, options["paths"])
        for above in self._extended(folder, said):
            if base is None or paths is None:
                their_base, their_paths = self._config(above, depth + 1)
                base = their_base if base is None else base
                paths = their_paths if paths is None else paths
        return base, paths

    def _extended(self, folder: str, said: dict[str, Any]) -> Iterator[str]:
        """The settings that these build on, the last first; without options of their own those they refer to."""
        given = said.get("extends")
        for each in reversed(given if isinstance(given, list) else [given]):
            whole = joined(folder, each) if isinstance(each, str) and each.startswith(".") else None
            if whole:
                yield whole if whole.endswith(".json") else f"{whole}.json"
        parts = said.get("references")
        if "compilerOptions" not in said and isinstance(parts, list):
            for part in parts[:_TARGETS_MAX]:
                target = part.get("path") if isinstance(part, dict) else None
                whole = joined(folder, target) if isinstance(target, str) else None
                if whole:
                    yield whole if whole.endswith(".json") else f"{whole}/tsconfig.json"

    def _in_packages(self, module: str) -> str:
        """A package of this project by its name, and what it offers below that."""
        parts = module.split("/")
        name = "/".join(parts[: 2 if module.startswith("@") else 1])
        rest = module[len(name) + 1 :]
        names: dict[str, list[str]] = self._from_facts(("packages",), self._by_name)
        for path in names.get(name, ()):
            found = self._offered(folder_of(path), self._settings(path), rest)
            if found:
                return found
        return ""

    def _by_name(self) -> dict[str, list[str]]:
        self._look("packages")
        names: dict[str, list[str]] = {}
        for path in self._files.packages:
            said = self._settings(path)
            if isinstance(said, dict) and isinstance(said.get("name"), str):
                names.setdefault(said["name"], []).append(path)
        return names

    def _offered(self, folder: str, said: dict[str, Any], rest: str) -> str:
        offered = said.get("exports")
        if offered is not None:
            entry = f"./{rest}" if rest else "."
            if not isinstance(offered, dict) or not any(key.startswith(".") for key in offered):
                offered = {".": offered}
            found = self._first_target(folder, _matched(offered, entry))
            if found:
                return found
        if rest:
            whole = joined(folder, rest)
            return (self.at(whole) if whole is not None else "") or self._built_from(folder, rest)
        targets = [target for target in _main_of(said) if joined(folder, target) is not None]
        return self._first_target(folder, targets) or self._built_from(folder, "index") or self._folder(folder)

    def _first_target(self, folder: str, targets: Iterable[str]) -> str:
        targets = list(targets)[:_TARGETS_MAX]
        for target in targets:
            whole = joined(folder, target)
            found = self.at(whole) if whole is not None else ""
            if found:
                return found
        return next((found for target in targets if (found := self._built_from(folder, target))), "")

    def _built_from(self, folder: str, target: str) -> str:
        """The source of a file that is built: `dist/esm/a.js` comes from src/a.ts."""
        parts = [part for part in target.split("/") if part not in ("", ".")]
        while len(parts) > 1 and parts[0] in _BUILT:
            parts = parts[1:]
        whole = joined(folder, "/".join(("src", *parts)))
        return self.at(whole) if whole is not None else ""


def moved_between(old: Iterable[str], new: Iterable[str]) -> set[tuple[str, ...]]:
    """What imports may have looked for that is found elsewhere now."""
    before, after = FilesByStem(old), FilesByStem(new)
    stems = before.stems.keys() | after.stems.keys()
    moved = [stem for stem in stems if before.stems.get(stem) != after.stems.get(stem)]
    found: set[tuple[str, ...]] = {("module", stem) for stem in moved}
    if before.packages != after.packages:
        found.add(("packages",))
    return found


def _rank(path: str) -> tuple[int, str]:
    ending = path[len(stem_of(path)) :]
    return ENDINGS.index(ending), path


def _folders_up(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder_of(folder)
    yield ""


def _is_no_code(module: str) -> bool:
    """`./style.css`, `./data.json`: files that are there and say nothing about code."""
    last = module.rpartition("/")[2]
    ending = last[last.rfind(".") :] if "." in last else ""
    return 1 < len(ending) <= _ENDING_CHARS_MAX and ending[1:].isalnum() and ending in _OTHER_FILES


_ENDING_CHARS_MAX = 12
_OTHER_FILES = frozenset(
    ".json .css .scss .sass .less .styl .svg .png .jpg .jpeg .gif .webp .avif .ico .woff .woff2 .ttf .eot .otf .wasm "
    ".html .md .mdx .txt .yaml .yml .toml .graphql .gql .vue .svelte .astro .node .glsl .vert .frag .mp3 .mp4 "
    ".webm .wav .csv .xml .pdf .json5 .proto .sql .hbs .ejs .pug".split()
)


def _main_of(said: dict[str, Any]) -> list[str]:
    given = [said.get(word) for word in ("source", "types", "typings", "module", "main")]
    return [each for each in given if isinstance(each, str)]


def _matched(offered: Any, entry: str) -> list[str]:
    """The files that `exports` or `imports` give for an entry, sources and types first."""
    if not isinstance(offered, dict):
        return []
    pattern = _best_pattern(offered, entry)
    if pattern is None:
        return []
    rest = _rest(pattern, entry)
    return [target.replace("*", rest) for target in _leaves(offered[pattern], 0)]


def _leaves(target: Any, depth: int) -> list[str]:
    """All files of nested conditions; conditions of one's own name sources, so they come first."""
    if isinstance(target, str):
        return [target]
    if depth > _EXTENDS_MAX:
        return []
    if isinstance(target, list):
        return [leaf for each in target[:_TARGETS_MAX] for leaf in _leaves(each, depth + 1)]
    if not isinstance(target, dict):
        return []
    order = sorted(target, key=lambda word: _CONDITIONS.index(word) if word in _CONDITIONS else -1)
    return [leaf for word in order[:_TARGETS_MAX] for leaf in _leaves(target[word], depth + 1)]


def _best_pattern(patterns: dict[str, Any], module: str) -> str | None:
    """The pattern that fits a name: the name itself, else the longest start in front of `*`."""
    if module in patterns:
        return module
    best: str | None = None
    for pattern in patterns:
        before, star, after = pattern.partition("*")
        fits = star and module.startswith(before) and module.endswith(after) and len(module) >= len(before + after)
        if fits and (best is None or len(before) > len(best.partition("*")[0])):
            best = pattern
    return best


def _rest(pattern: str, module: str) -> str:
    before, star, after = pattern.partition("*")
    return module[len(before) : len(module) - len(after)] if star else ""
