"""The languages that are read, by family. Files of one family see each other: TypeScript imports JavaScript.

What a family is made of is loaded when its first file is met. To add one: a reader of its files (`extract/`), its rules
(`resolve/`), a row here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from re import fullmatch
from typing import TYPE_CHECKING

from recollect.limits import CODE_FILES_MAX
from recollect.structure.languages import EXTENSIONS

if TYPE_CHECKING:
    from recollect.code.facts import Extractor
    from recollect.code.resolve.rules import LanguageRules


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFamily:
    """Languages with one set of rules. `extractor` and `rules` name a class as `module:Class`."""

    languages: frozenset[str]
    extractor: str
    rules: str
    settings: tuple[tuple[str, str], ...] = ()  # files that say what imports mean: a pattern of names, their format

    def rules_class(self) -> type[LanguageRules]:
        found: type[LanguageRules] = _loaded(self.rules)
        return found

    def of(self, paths: Iterable[str]) -> set[str]:
        """The files of this family, and those that settle what its imports mean."""
        return {path for path in paths if language_of(path) in self.languages or self.format_of(_name(path))}

    def format_of(self, name: str) -> str | None:
        """The format of a settings file of this family; None for any other file."""
        return next((format_ for pattern, format_ in self.settings if fullmatch(pattern, name)), None)


FAMILIES = (
    LanguageFamily(
        languages=frozenset({"python"}),
        extractor="recollect.code.extract.python:PythonExtractor",
        rules="recollect.code.resolve.python.rules:Python",
    ),
    LanguageFamily(
        languages=frozenset({"go"}),
        extractor="recollect.code.extract.go:GoExtractor",
        rules="recollect.code.resolve.go.rules:Go",
        settings=((r"go\.mod", "go.mod"),),
    ),
    LanguageFamily(
        languages=frozenset({"rust"}),
        extractor="recollect.code.extract.rust:RustExtractor",
        rules="recollect.code.resolve.rust.rules:Rust",
        settings=((r"Cargo\.toml", "toml"),),
    ),
    LanguageFamily(
        languages=frozenset({"typescript", "tsx", "javascript"}),
        extractor="recollect.code.extract.typescript:TypeScriptExtractor",
        rules="recollect.code.resolve.typescript.rules:TypeScript",
        settings=((r"package\.json", "package.json"), (r".*[tj]sconfig.*\.json", "jsonc")),
    ),
    LanguageFamily(
        languages=frozenset({"java"}),
        extractor="recollect.code.extract.java:JavaExtractor",
        rules="recollect.code.resolve.java.rules:Java",
    ),
    LanguageFamily(
        languages=frozenset({"c", "cpp"}),
        extractor="recollect.code.extract.c_family:CFamilyExtractor",
        rules="recollect.code.resolve.c_family.rules:CFamily",
        settings=((r"compile_commands\.json", "json"),),
    ),
)
_BY_LANGUAGE = {language: family for family in FAMILIES for language in family.languages}


@lru_cache(maxsize=CODE_FILES_MAX)
def language_of(path: str) -> str | None:
    """The language that a file is read as, or the format of its settings; None if it is not read."""
    name = _name(path)
    language = EXTENSIONS.get("." + name.rpartition(".")[2].lower())
    if language in _BY_LANGUAGE:
        return language
    return next((found for family in FAMILIES if (found := family.format_of(name))), None)


def extractor_of(language: str) -> Extractor:
    """A reader of files in a language."""
    family = _BY_LANGUAGE.get(language)
    made: Extractor = _loaded(family.extractor if family is not None else _SETTINGS_EXTRACTOR)(language)
    return made


def families_of(paths: Collection[str]) -> list[LanguageFamily]:
    """The families that any of these files is of."""
    return [family for family in FAMILIES if family.of(paths)]


_SETTINGS_EXTRACTOR = "recollect.code.extract.settings:SettingsExtractor"


def _name(path: str) -> str:
    return path.rpartition("/")[2]


@cache
def _loaded(name: str) -> type:
    module, _, attribute = name.partition(":")
    found: type = getattr(import_module(module), attribute)
    return found
