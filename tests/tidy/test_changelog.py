"""Version, changelog and what people read agree."""

from __future__ import annotations

import re
from pathlib import Path

import recollect

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_version_is_the_head_of_the_changelog() -> None:
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", CHANGELOG, re.MULTILINE)
    assert released, "CHANGELOG.md has no version"
    assert released[0] == recollect.__version__


def test_sections_are_those_of_keep_a_changelog() -> None:
    sections = set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
