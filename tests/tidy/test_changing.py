"""docs/CHANGING.md leads to files that exist, and no change on it touches more than five."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "CHANGING.md"
CHANGES, FILES_MAX = 12, 5
_CHANGE = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^- `([^`]+)`", re.MULTILINE)


def changes() -> dict[str, list[str]]:
    """The files of each change, by its heading."""
    return {heading: _FILE.findall(text) for heading, text in _CHANGE.findall(PAGE.read_text(encoding="utf-8"))}


def test_every_change_leads_to_few_files() -> None:
    wrong = [f"{name}: {len(files)} files" for name, files in changes().items() if not 0 < len(files) <= FILES_MAX]
    assert not wrong, "\n".join(wrong)
    assert len(changes()) == CHANGES


def test_files_of_every_change_exist() -> None:
    lost = [f"{name}: {file}" for name, files in changes().items() for file in files if not (ROOT / file).is_file()]
    assert not lost, "\n".join(lost)


def test_a_change_names_a_file_once() -> None:
    twice = [name for name, files in changes().items() if len(set(files)) != len(files)]
    assert not twice, twice
