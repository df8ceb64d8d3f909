"""Parts as text: the caller's own words first, then everything that comes from memory between marks, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.model.fence import INTRODUCTION, Shown, fenced

NOTHING_KNOWN = "Memory holds nothing that seems to bear on this: say so, or ask, rather than guess."
UNSURE = "Memory is not sure that any of this answers: say so, or ask, rather than guess."
HEADINGS = {
    "instructions": "What the user wants always, as remembered:",
    "recalled": "Recalled:",
    "working": "In mind now:",
    "today": "Today:",
    "schemas": "Patterns:",
    "questions": "Worth asking when it fits:",
    "overview": "In general:",
    "entities": "Who and what:",
    "facts": "Facts:",
    "temporal": "What happened:",
    "evidence": "Said:",
}


class Section(NamedTuple):
    """Lines that come from memory, under the name of their part."""

    name: str
    lines: Sequence[Shown | str]


def block(sections: Sequence[Section], key: bytes) -> str:
    """All sections between marks, with the sentence that says what they are; nothing for none."""
    several = sum(bool(section.lines) for section in sections) > 1
    lines: list[Shown | str] = []
    for section in sections:
        if section.lines and (several or section.name != "recalled"):
            lines.append(HEADINGS[section.name])
        lines += section.lines
    return f"{INTRODUCTION}\n{fenced(lines, key)}" if lines else ""


def system_text(given: Sequence[str], own: Sequence[str], memories: str, note: str) -> str:
    """The system message: what the caller's messages said, the caller's parts, memories, and an honest word."""
    return "\n\n".join(part for part in (*given, *own, memories, note) if part)


def plain_text(system: str, history: Sequence[tuple[str, str]]) -> str:
    """Everything but the prompt in one text, for models that take one."""
    said = "\n".join(f"{role}: {text}" for role, text in history)
    return "\n\n".join(part for part in (system, said and f"Conversation so far:\n{said}") if part)
