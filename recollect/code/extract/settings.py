"""Files that are no code and say what imports of code mean: read into plain values, by their format."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from recollect.code.extract.syntax import Reading
from recollect.code.facts import FileFacts

SETTINGS_BYTES_MAX = 1 << 20  # nothing is read of a longer file

_GO_WORDS = re.compile(r"//.*$")


def _go_module(text: str) -> dict[str, Any]:
    """`go.mod`: the module's path, and which paths stand for others."""
    found: dict[str, Any] = {"module": "", "replace": {}}
    block = ""
    for line in text.splitlines():
        words = [word.strip('"`') for word in _GO_WORDS.sub("", line).split()]
        if words[-1:] == ["("]:
            block = words[0]
        elif words == [")"]:
            block = ""
        else:
            words = [block, *words] if block else words
            if words[:1] == ["module"] and len(words) > 1:
                found["module"] = words[1]
            elif words[:1] == ["replace"] and "=>" in words[:-1]:
                found["replace"][words[1]] = words[words.index("=>") + 1]
    return found


_PACKAGE = ("name", "exports", "imports", "main", "module", "types", "typings", "source")
_COMMENTED = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMA_AT_END = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


def _with_comments(text: str) -> Any:
    """JSON with comments, and commas behind the last item."""
    bare = _COMMENTED.sub(lambda found: found[1] or " ", text)
    return json.loads(_COMMA_AT_END.sub(lambda found: found[1] or "", bare))


def _package(text: str) -> Any:
    """What package.json says about imports; versions and scripts change often and say nothing."""
    said = json.loads(text)
    return {word: said[word] for word in _PACKAGE if word in said} if isinstance(said, dict) else {}


# How a text becomes a value of lists, texts and numbers; a reader raises ValueError for what it cannot read.
FORMATS: Mapping[str, Callable[[str], Any]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "go.mod": _go_module,
    "jsonc": _with_comments,
    "package.json": _package,
}


class SettingsExtractor:
    """Reads settings of one format. A file that cannot be read says nothing, and notes why."""

    version = 1

    def __init__(self, language: str) -> None:
        self._format = language

    def extract(self, data: bytes) -> FileFacts:
        facts = Reading(data, self._format).facts(broken=False)
        if len(data) > SETTINGS_BYTES_MAX:
            facts.notes.append("is too long for settings; imports are understood without it")
            return facts
        try:
            facts.settings = FORMATS[self._format](data.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            facts.notes.append("cannot be read; imports are understood without it")
        return facts
