"""Small projects written to disk, and what the graph says about them."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from recollect import Memory


def write(root: Path, files: dict[str, str]) -> Path:
    """A project of these files, with a repository of its own."""
    (root / ".git").mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(dedent(text), encoding="utf-8")
    return root


def edges(memory: Memory, kind: str, *, sure: bool = True) -> set[tuple[str, str]]:
    """Edges of a kind as `path::symbol` pairs; without `sure` those that are not certain."""
    found = set()
    for edge in memory.code.edges(kind):
        if (edge.resolved in ("exact", "inferred")) == sure:
            source = f"{edge.source_path}::{edge.source_symbol}"
            found.add((source, f"{edge.target_path}::{edge.target_symbol}"))
    return found


def everything(memory: Memory) -> list[tuple[object, ...]]:
    """All edges, to compare two graphs."""
    return sorted(
        (e.kind, e.source_path, e.source_symbol, e.target_path, e.target_symbol, e.line, str(e.resolved))
        for e in memory.code.edges()
    )
