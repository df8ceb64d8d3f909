"""The lists of a language, read from its folder when they are first asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FOLDER = Path(__file__).parent
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_BETWEEN_ENTRIES = re.compile(r"[,\n]")


@cache
def words(language: str, name: str) -> frozenset[str]:
    """The entries of `NAME.txt` as a set. A list that does not exist is our own mistake: `FileNotFoundError`."""
    return frozenset(entries(language, name))


@cache
def entries(language: str, name: str) -> tuple[str, ...]:
    """The entries of `NAME.txt` in the order of the file, each once: for lists where an earlier entry goes first."""
    text = _COMMENT.sub("", _text(language, f"{name}.txt"))
    between_blanks = (" ".join(entry.split()) for entry in _BETWEEN_ENTRIES.split(text))
    return tuple(dict.fromkeys(filter(None, between_blanks)))


@cache
def table(language: str, name: str) -> Mapping[str, Any]:
    """The table `NAME.toml`, read-only; arrays in it are tuples."""
    import tomllib  # most lists are sets of words, which need no parser

    frozen: Mapping[str, Any] = _frozen(tomllib.loads(_text(language, f"{name}.toml")))
    return frozen


def _text(language: str, file_name: str) -> str:
    return (FOLDER / language / file_name).read_text(encoding="utf-8")


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(each) for key, each in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
