"""Figures, findings and settings, drawn for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.interfaces.cli.cells import BAD, DIM, GOOD, ID, WARN, day, ruled, short_id, text, written
from recollect.model.showable import showable


def report(data: Mapping[str, Any]) -> RenderableType:
    """Named figures, one a line, and what needs a hand."""
    table = Table.grid(padding=(0, 2))
    for name, value in data.items():
        if name in ("warnings", "operation") or value is None:
            continue
        table.add_row(text(name.replace("_", " "), DIM), _figure(value, name))
    parts: list[RenderableType] = [table, *(text(f"! {each}", WARN) for each in data.get("warnings", ()))]
    if data.get("operation"):
        parts.append(text(f"undo with: recollect undo {short_id(data['operation'])}", DIM))
    return Group(*parts)


def findings(data: Mapping[str, Any]) -> RenderableType:
    """What the doctor saw, with cures."""
    table = Table.grid(padding=(0, 2))
    for each in data["findings"]:
        mark = Text("✓", GOOD) if each["ok"] else Text("✗", BAD)
        detail = text(each["detail"])
        if each["cure"]:
            detail.append(f"\n→ {showable(each['cure'])}", WARN)
        table.add_row(mark, text(each["check"]), detail)
    return table


def settings(data: Mapping[str, Any]) -> RenderableType:
    """Settings with their values, origins and ranges."""
    table = ruled("setting", "value", "from", "range")
    for row in data["settings"]:
        changed = row["origin"] != "default"
        unit = f" {row['unit']}" if row["unit"] else ""
        origin = text(row["origin"], WARN if changed else DIM)
        table.add_row(text(row["key"], ID), text(written(row["value"]) + unit), origin, text(row["range"], DIM))
    return Group(table, *(text(each, WARN) for each in data["warnings"]))


def setting(data: Mapping[str, Any]) -> RenderableType:
    """One setting."""
    unit = f" {data['unit']}" if data["unit"] else ""
    about = f"{data['doc']}\nfrom {data['origin']}, default {written(data['default'])}, range {data['range']}"
    return Group(text(written(data["value"]) + unit, "bold"), text(about, DIM))


def setting_changed(data: Mapping[str, Any]) -> RenderableType:
    """What holds now, and where it was written; what wins over the file is named."""
    did = "is now" if data["changed"] else "is already"
    unit = f" {data['unit']}" if data["unit"] else ""
    head = Text.assemble(("✓", GOOD), f" {data['key']} {did} ", text(written(data["value"]) + unit, "bold"))
    parts = [head, text(f"  in {data['path']}", DIM)]
    if data["origin"].startswith("environment"):
        parts.append(text(f"! {data['origin']} wins over the file", WARN))
    return Group(*parts)


def _figure(value: Any, name: str) -> RenderableType:
    if name in ("oldest", "newest"):
        return text(day(value))
    if name.endswith("bytes") and isinstance(value, int):
        return text(f"{value:,}")
    if isinstance(value, Mapping):
        return text(", ".join(f"{name} {written(each)}" for name, each in value.items()) or "none")
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return text("\n".join(", ".join(f"{name} {each}" for name, each in row.items()) for row in value))
    return text(written(value, name), GOOD if value == "ok" else "")
