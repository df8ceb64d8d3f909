"""The modules of the package as tidy checks read them: each file once, as text and as a syntax tree."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Module:
    """One file of `recollect/`; `name` is its path from the root."""

    name: str
    text: str
    tree: ast.Module


@cache
def modules() -> tuple[Module, ...]:
    found = []
    for path in sorted((ROOT / "recollect").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(ROOT).as_posix(), text, ast.parse(text)))
    return tuple(found)


def report(offenders: list[str], advice: str) -> str:
    """What a failed check says: every offender on a line of its own, and what to do about them."""
    return "\n  ".join([f"{advice} ({len(offenders)}):", *offenders])
