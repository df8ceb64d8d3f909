"""The lists of a language, read from its folder when they are first asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FOLDER = Path(__file__).parent
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_HEADING = re.compile(r"^\[([^\]\n]+)\][ \t]*$", re.MULTILINE)
_BETWEEN_ENTRIES = re.compile(r"[,\n]")


@cache
def words(language: str, name: str) -> frozenset[str]:
    """The entries of `NAME.txt` as a set. A list that does not exist is our own mistake: `FileNotFoundError`."""
    return frozenset(entries(language, name))


@cache
def entries(language: str, name: str) -> tuple[str, ...]:
    """The entries of `NAME.txt` in the order of the file, each once: for lists where an earlier entry goes first."""
    return _entries_of(_HEADING.sub("", _without_comments(language, name)))


@cache
def sections(language: str, name: str) -> Mapping[str, tuple[str, ...]]:
    """The entries of `NAME.txt` by the `[heading]` they stand under, in the order of the file."""
    before, *parts = _HEADING.split(_without_comments(language, name))
    assert not before.strip(), f"{name}.txt begins without a heading"
    return MappingProxyType({heading: _entries_of(text) for heading, text in zip(parts[::2], parts[1::2], strict=True)})


@cache
def sets(language: str, name: str) -> Mapping[str, frozenset[str]]:
    """The same, as sets."""
    return MappingProxyType({heading: frozenset(found) for heading, found in sections(language, name).items()})


def pairs(entries: Iterable[str]) -> dict[str, str]:
    """Entries of the form `key = value` as a mapping."""
    cut = (entry.partition(" = ") for entry in entries)
    return {key: value for key, _, value in cut}


@cache
def table(language: str, name: str) -> Mapping[str, Any]:
    """The table `NAME.toml`, read-only; arrays in it are tuples."""
    import tomllib  # most lists are sets of words, which need no parser

    frozen: Mapping[str, Any] = _frozen(tomllib.loads(_text(language, f"{name}.toml")))
    return frozen


def _without_comments(language: str, name: str) -> str:
    return _COMMENT.sub("", _text(language, f"{name}.txt"))


def _entries_of(text: str) -> tuple[str, ...]:
    between_blanks = (" ".join(entry.split()) for entry in _BETWEEN_ENTRIES.split(text))
    return tuple(dict.fromkeys(filter(None, between_blanks)))


def _text(language: str, file_name: str) -> str:
    return (FOLDER / language / file_name).read_text(encoding="utf-8")


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(each) for key, each in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
