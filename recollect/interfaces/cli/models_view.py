"""Models drawn for people: those in use, those there are, and what is known about one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.interfaces.cli.cells import BAD, DIM, GOOD, ID, WARN, ruled, text

_TITLES = {"llm": "language model", "embedder": "embedder", "reranker": "reranker"}
_MARKS = {"ready": ("✓", GOOD), "down": ("✗", BAD), "refused": ("✗", BAD), "unknown": ("?", WARN), "none": ("·", DIM)}


def models(data: Mapping[str, Any]) -> RenderableType:
    """The models in use: state, cause and cure, speed, size, and what each is for."""
    table = Table.grid(padding=(0, 2))
    for row in data["models"]:
        mark, style = _MARKS[row["state"]]
        table.add_row(Text(mark, style), text(_TITLES[row["role"]]), _about(row))
    return Group(table, *(text(each, WARN) for each in data["warnings"]))


def _about(row: Mapping[str, Any]) -> Text:
    if row["name"] is None:
        return text(f"none; set one with {row['setting']}", DIM)
    lines = text(row["name"], ID)
    took = "" if row["latency_ms"] is None else f" ({row['latency_ms']:g} ms)"
    lines.append_text(text(f"\n{row['state']}: {row['detail']}{took}"))
    if row["cure"]:
        lines.append_text(text(f"\n→ {row['cure']}", WARN))
    for line in _more(row):
        lines.append_text(text(f"\n{line}", DIM))
    return lines


def _more(row: Mapping[str, Any]) -> Iterator[str]:
    able = row["capabilities"]
    if able is not None:
        can = ", ".join(name for name in ("tools", "vision", "thinking") if able[name]) or "text alone"
        guess = "" if able["known"] else " (a careful guess)"
        yield f"window {able['window_tokens']:,} tokens, {can}{guess}"
    for use in row["used_for"]:
        off = "" if use["on"] else f" (off: {use['setting']})"
        yield f"{', '.join(use['verbs'])}: {use['what']}{off}"
    yield f"set by {row['setting']}, {row['origin']}"


def providers(data: Mapping[str, Any]) -> RenderableType:
    """Every provider, and how to get its library."""
    table = ruled("model", "provider", "installed", "")
    for row in data["providers"]:
        state = Text("✓", GOOD) if row["installed"] else Text("✗", BAD)
        table.add_row(text(_TITLES[row["role"]]), text(row["provider"], ID), state, text(row["install"] or "", DIM))
    return table


def model(data: Mapping[str, Any]) -> RenderableType:
    """What is known about one language model."""
    able = [name for name in ("tools", "vision", "thinking") if data[name]]
    counted = f"counted exactly ({data['tokenizer']})" if data["exact_tokens"] else "estimated"
    rows = [
        ("provider", data["provider"]),
        ("window", f"{data['window_tokens']:,} tokens"),
        ("longest answer", f"{data['output_tokens']:,} tokens"),
        ("can do", ", ".join(able) or "text alone"),
        ("tokens", counted),
    ]
    if data["input_price"] is not None:
        price = f"{data['input_price']:g} in, {data['output_price'] or 0:g} out"
        rows.append(("dollars for a million", price))
    table = ruled("model", data["model"])
    for name, value in rows:
        table.add_row(text(name, DIM), text(value))
    where = f"{data['source']}, {data['matched']}" if data["matched"] else data["source"]
    return Group(table, text(f"from {where}", DIM) if data["known"] else text(f"a careful guess ({where})", WARN))
