"""Where a record comes from, in the words that people open files with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def placed(place: Mapping[str, Any] | None) -> str:
    """`src/auth.py:10-40`, a section of a document, or an address; "" for what comes from nowhere in particular."""
    if not place:
        return ""
    lines = place.get("line_range")
    at = str(place.get("file_path") or place.get("url") or "")
    if at and lines:
        at += f":{lines[0]}" if lines[0] == lines[-1] else f":{lines[0]}-{lines[-1]}"
    section = " > ".join(place.get("section_path") or ())
    return f"{at} § {section}" if at and section else at or section
