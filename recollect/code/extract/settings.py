"""Files that are no code and say what imports of code mean: read into plain values, by their format."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from recollect.code.extract.syntax import Reading
from recollect.code.facts import FileFacts

SETTINGS_BYTES_MAX = 1 << 20  # nothing is read of a longer file

# How a text becomes a value of lists, texts and numbers; a reader raises ValueError for what it cannot read.
FORMATS: Mapping[str, Callable[[str], Any]] = {"json": json.loads, "toml": tomllib.loads}


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
