"""Stored texts reach readers in one way: no output escapes or cleans them by itself."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "recollect"
_OWN_WAYS = re.compile(
    r"^\s*(?:from html import|import html\b|from xml\.sax|import xml\.sax|from markupsafe|import bleach|import nh3)"
    r"|import showable\b|import .*\bshowable\b(?!\.)",
    re.MULTILINE,
)
# Readers of HTML, and the module itself with the one beside it that looks for marks in between.
_MAY = {"model/showable.py", "model/fence.py", "structure/webpage.py", "security/screening/normalise.py"}


def test_outputs_take_their_texts_through_one_module() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if _OWN_WAYS.search(path.read_text(encoding="utf-8"))
    }
    assert found <= _MAY, f"use in_html, in_markdown or inert of model/showable.py: {sorted(found - _MAY)}"
