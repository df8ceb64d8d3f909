"""Edits of a project as people and git make them, one at random each time, in any language that has a row here."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Grammar:
    """What edits need to know of a language. Texts hold {name}, {new}, {stem} and {folder} to be filled in."""

    suffixes: tuple[str, ...]
    definition: re.Pattern[str]  # what stands before a name, and the name
    base: re.Pattern[str]  # a class and, behind its first group, what it extends
    returns: re.Pattern[str]  # a declared type of a result, between two groups that stay
    call: str  # a new function {new} that calls {name}
    takes_all: str  # a file that takes in everything of its neighbour {stem}
    takes_module: str  # the line by which a file at the root takes in {stem} of the folder {folder}
    package: str  # the file that stands for its folder
    breaks: tuple[str, ...]


GRAMMARS = {
    "python": Grammar(
        suffixes=(".py",),
        definition=re.compile(r"\b(def|class) ([A-Za-z]\w*)"),
        base=re.compile(r"(class \w+)\([^)]+\)(?=:)"),
        returns=re.compile(r"(\)) -> [^:\n]+(:\n)"),
        call="\n\ndef {new}():\n    return {name}()\n",
        takes_all="from .{stem} import *\n",
        takes_module="from {folder}.{stem} import *\nfrom {folder} import {stem}\n",
        package="__init__.py",
        breaks=("(", "'''", "\n  def", ":", "\0"),
    ),
    "go": Grammar(
        suffixes=(".go", ".mod"),
        definition=re.compile(r"\b(func(?:\s\([^)\n]*\))?|type) ([A-Za-z]\w*)"),
        base=re.compile(r"(type \w+ (?:struct|interface) \{\n)\t\*?[\w.]+\n"),
        returns=re.compile(r"(\)) [*\w.\[\]]+( \{\n)"),
        call="\n\nfunc {new}() {{\n\t{name}()\n}}\n",
        takes_all='package records\n\nimport . "example.org/shop/{stem}"\n\nfunc Opened() {{ New().Close() }}\n',
        takes_module='package uses\n\nimport . "example.org/shop/{folder}"\nimport {stem} "./{folder}"\n',
        package="doc.go",
        breaks=("(", "`", "\nfunc", "{", "\0", "type X struct {"),
    ),
    "c": Grammar(
        suffixes=(".h", ".c"),
        definition=re.compile(r"\b(int|void|struct) ([A-Za-z]\w*)"),
        base=re.compile(r"(#include) \S+"),
        returns=re.compile(r"(\n)static (\w)"),
        call="\n\nvoid {new}(void) {{\n\t{name}();\n}}\n",
        takes_all='#include "{stem}.h"\n#include "{stem}.c"\n',
        takes_module='#include "{folder}/{stem}.h"\n#include <{stem}.h>\n',
        package="index.h",
        breaks=("(", '"', "\nint f(", "{", "/*", "\0", "\n#if A\n", "\n#endif\n", "\n#define shop_open shop_close\n"),
    ),
    "cpp": Grammar(
        suffixes=(".hpp", ".cpp"),
        definition=re.compile(r"\b(void|int|class|struct|namespace) ([A-Za-z]\w*)"),
        base=re.compile(r"(class \w+) : [^{]+(?=\{)"),
        returns=re.compile(r"(\n\s*)(?:virtual|Part\*) ([\w])"),
        call="\n\nvoid {new}() {{\n  {name}();\n}}\n",
        takes_all='#include "{stem}.hpp"\nusing namespace shop;\n',
        takes_module='#include "{folder}/{stem}.hpp"\n#include <{stem}.cpp>\nusing namespace shop::deeper;\n',
        package="index.hpp",
        breaks=("(", '"', "\nint f(", "{", "/*", "\0", "\n#if A\n", "\ntemplate <class T>\n", "\n}\n"),
    ),
    "rust": Grammar(
        suffixes=(".rs",),
        definition=re.compile(r"\b(fn|struct|enum|trait) ([A-Za-z]\w*)"),
        base=re.compile(r"(impl(?:<[^>{]*>)?) [\w:<>, ]+ for(?= \w)"),
        returns=re.compile(r"(\)) -> [^{};\n]+( \{\n)"),
        call="\n\nfn {new}() {{\n    {name}();\n}}\n",
        takes_all="use super::{stem}::*;\n",
        takes_module="mod {folder};\nuse {folder}::{stem}::*;\n",
        package="mod.rs",
        breaks=("(", '"', "\n  fn", "{", "/*", "\0"),
    ),
    "typescript": Grammar(
        suffixes=(".ts", ".tsx", ".js", ".json"),
        definition=re.compile(r"\b(function|class|interface|const|type) ([A-Za-z]\w*)"),
        base=re.compile(r"((?:class|interface) \w+(?:<[^>\n]*>)?) (?:extends|implements) [\w.<>]+"),
        returns=re.compile(r"(\)): [^{};=\n]+( \{\n)"),
        call="\n\nexport function {new}() {{\n  return {name}();\n}}\n",
        takes_all='export * from "./{stem}";\n',
        takes_module='import * as {stem}s from "./{folder}/{stem}.js";\nexport * from "./{folder}";\n',
        package="index.ts",
        breaks=("(", "`", "\n}", "{", "\0", "class X {", "/*", "=> {"),
    ),
    "java": Grammar(
        suffixes=(".java",),
        definition=re.compile(r"\b(class|interface|enum|record|void|int|Base|Record|T|E) ([A-Za-z]\w*)(?=[\s({<])"),
        base=re.compile(r"(class \w+(?:<[^{]*>)?) extends \w+(?:<[^{]*?>)?"),
        returns=re.compile(r"(public )\w+( \w+\()"),
        call="\n\nclass {new} {{\n\tvoid call() {{ new {name}(); {name}(); }}\n}}\n",
        takes_all="package org.shop;\n\nimport org.shop.{stem}.*;\n\nclass Records extends {stem} {{}}\n",
        takes_module="import {folder}.{stem};\nimport static {folder}.{stem}.*;\n",
        package="package-info.java",
        breaks=("(", "/*", "\nclass", "{", "\0", "<", '"'),
    ),
}
WITHIN_FILES = "rename rename_used drop lines add_call swap_base annotate broken restore"
OF_FILES = "delete add_file move swap new_package into_package move_folder empty"
OF_BRANCHES = "keep_branch switch_branch"
ALL_KINDS = f"{WITHIN_FILES} {WITHIN_FILES} {OF_FILES} {OF_BRANCHES}"  # files come and go less often than they change


class Editor:
    """Makes edits to the files of one language below a folder."""

    def __init__(self, root: Path, seed: int, kinds: str = ALL_KINDS, language: str = "python") -> None:
        self.root = root
        self.grammar = GRAMMARS[language]
        self.random = random.Random(seed)
        self.kinds = kinds.split()
        self.originals = self._snapshot()
        self.branches = [self.originals]
        self.used: list[tuple[Path, str]] = []  # definitions that other files call or extend

    def edit(self) -> str:
        """Make one edit; what it was, for whoever has to find out why a graph differs."""
        kind = self.random.choice(self.kinds)
        paths = self.files()
        if not paths:
            kind = "switch_branch"
        path = self.random.choice(paths or sorted(self.originals))
        told = getattr(self, f"_{kind}")(path)
        return f"{kind} {path.relative_to(self.root)} {told or ''}".strip()

    def files(self) -> list[Path]:
        found = (path for path in self.root.rglob("*") if path.suffix in self.grammar.suffixes)
        return sorted(path for path in found if path.is_file() and ".git" not in path.parts)

    # --- within a file ------------------------------------------------------------------------------------------

    def _rename(self, path: Path) -> str:
        return self._renamed(path, self._name_in(path))

    def _rename_used(self, path: Path) -> str:
        """What others look at gets another name, or its own again."""
        if not self.used:
            return self._rename(path)
        place, name = self.random.choice(self.used)
        if not place.exists():
            return "gone"
        new = f"{name}_renamed" if self.random.random() < 0.7 else name
        definition = re.compile(rf"{self._before_name()}{name}(?:_renamed)?\b")
        place.write_text(definition.sub(rf"\1 {new}", _text(place)), encoding="utf-8")
        return f"{place.relative_to(self.root)} {name} {new}"

    def _renamed(self, path: Path, name: str) -> str:
        text = re.sub(rf"{self._before_name()}{name}\b", rf"\1 {name}_renamed", _text(path), count=1)
        path.write_text(text, encoding="utf-8")
        return name

    def _before_name(self) -> str:
        return self.grammar.definition.pattern.partition(" ")[0] + " "

    def _name_in(self, path: Path) -> str:
        names = [name for _, name in self.grammar.definition.findall(_text(path)) if not name.startswith("__")]
        return self.random.choice(names or ["nobody"])

    def _drop(self, path: Path) -> str:
        lines = _text(path).splitlines(keepends=True)
        at, many = self.random.randrange(len(lines) + 1), self.random.randrange(1, 6)
        path.write_text("".join(lines[:at] + lines[at + many :]), encoding="utf-8")
        return f"{at} {many}"

    def _lines(self, path: Path) -> None:
        path.write_text("\n" * self.random.randrange(1, 4) + _text(path), encoding="utf-8")

    def _add_call(self, path: Path) -> str:
        name = self._name_in(path)
        added = self.grammar.call.format(new=f"added_{self.random.randrange(99)}", name=name)
        path.write_text(_text(path) + added, encoding="utf-8")
        return name

    def _swap_base(self, path: Path) -> None:
        path.write_text(self.grammar.base.sub(r"\1", _text(path), count=1), encoding="utf-8")

    def _annotate(self, path: Path) -> None:
        """One declared type of a result less."""
        text = _text(path)
        if places := list(self.grammar.returns.finditer(text)):
            place = self.random.choice(places)
            path.write_text(f"{text[: place.start()]}{''.join(place.groups())}{text[place.end() :]}", encoding="utf-8")

    def _broken(self, path: Path) -> str:
        text, junk = _text(path), self.random.choice(self.grammar.breaks)
        at = self.random.randrange(len(text) + 1)
        path.write_text(text[:at] + junk + text[at:], encoding="utf-8")
        return f"{junk!r} at {at}"

    def _restore(self, path: Path) -> str:
        """A file as it was in the beginning; one that is gone as likely as one that is there."""
        place = self.random.choice(sorted(self.originals))
        _write(place, self.originals[place])
        return str(place.relative_to(self.root))

    # --- files and folders --------------------------------------------------------------------------------------

    def _delete(self, path: Path) -> None:
        path.unlink()

    def _empty(self, path: Path) -> None:
        path.write_text("", encoding="utf-8")

    def _add_file(self, path: Path) -> str:
        name = self.random.choice(["extra", "records", "base", "open"]) + self.grammar.suffixes[0]
        _write(path.parent / name, self.grammar.takes_all.format(stem=path.stem).encode())
        return name

    def _move(self, path: Path) -> str:
        """To another folder, or under another name, or in the place of another file."""
        folder = self.random.choice([each.parent for each in self.files()])
        name = path.name if self.random.random() < 0.5 else f"{path.stem}_moved{path.suffix}"
        path.replace(folder / name)
        return str((folder / name).relative_to(self.root))

    def _swap(self, path: Path) -> str:
        """Two files change places, with their times."""
        other = self.random.choice(self.files())
        between = path.with_suffix(".swapped")
        path.rename(between)
        other.rename(path) if other != path else None
        between.rename(other)
        return str(other.relative_to(self.root))

    def _new_package(self, path: Path) -> str:
        """A folder with a copy of a file in it, taken in by a file at the root."""
        folder = f"package_{self.random.randrange(20)}"
        _write(self.root / folder / path.name, path.read_bytes())
        if self.random.random() < 0.7:
            _write(self.root / folder / self.grammar.package, self.grammar.takes_all.format(stem=path.stem).encode())
        user = self.root / f"uses_{folder}{self.grammar.suffixes[0]}"
        _write(user, self.grammar.takes_module.format(folder=folder, stem=path.stem).encode() + path.read_bytes())
        return folder

    def _into_package(self, path: Path) -> None:
        """A file becomes the folder of its name, or the other way round."""
        if path.name == self.grammar.package and path.parent != self.root:
            taken = path.parent.with_suffix(path.suffix)
            if not taken.exists():
                path.rename(taken)
            return
        folder = path.with_suffix("")
        if not folder.exists():
            folder.mkdir()
            path.rename(folder / self.grammar.package)

    def _move_folder(self, path: Path) -> str:
        if path.parent == self.root:
            return "is the root"
        folder = path.parent
        moved = folder.with_name(
            f"{folder.name.removesuffix('_moved')}{'' if folder.name.endswith('_moved') else '_moved'}"
        )
        if moved.exists():
            return "taken"
        folder.rename(moved)
        return str(moved.relative_to(self.root))

    # --- branches -----------------------------------------------------------------------------------------------

    def _keep_branch(self, _: Path) -> None:
        """As it is now it can be switched to later."""
        self.branches = [self.originals, *self.branches[1:][-3:], self._snapshot()]

    def _switch_branch(self, _: Path) -> str:
        """All files as they were on another branch; what is the same there stays untouched, as git leaves it."""
        number = self.random.randrange(len(self.branches))
        wanted = self.branches[number]
        for path in set(self.files()) - set(wanted):
            path.unlink()
        for path, data in wanted.items():
            if path.is_dir():
                shutil.rmtree(path)
            if not path.exists() or path.read_bytes() != data:
                _write(path, data)
        for folder in sorted((each for each in self.root.rglob("*") if each.is_dir()), reverse=True):
            if ".git" not in folder.parts and not any(folder.iterdir()):
                folder.rmdir()
        return str(number)

    def _snapshot(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.files()}


def used_by_others(root: Path, edges: Iterable[object]) -> list[tuple[Path, str]]:
    """Definitions that the edges of a graph lead to from other files."""
    found = set()
    for edge in edges:
        target, symbol = edge.target_path, edge.target_symbol  # type: ignore[attr-defined]
        if symbol and target not in ("", edge.source_path):  # type: ignore[attr-defined]
            found.add((root / target, symbol.rpartition(".")[2]))
    return sorted(found)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
