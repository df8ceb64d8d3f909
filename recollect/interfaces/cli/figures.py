"""Figures, findings and settings, drawn for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
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


WIDE = 100  # columns from which a setting fits into one row of a table


class SettingsList:
    """Settings with their values, where these come from and what each does: a table, or lines where that is narrow."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._table() if options.max_width >= WIDE else Group(*map(self._lines, self._rows))

    def _table(self) -> RenderableType:
        table = ruled("setting", "value", "from", "what it does")
        table.columns[0].no_wrap = True
        table.columns[1].max_width = 26
        for row in self._rows:
            table.add_row(text(row["key"], ID), text(_with_unit(row)), _origin(row), text(row["doc"], DIM))
        return table

    def _lines(self, row: Mapping[str, Any]) -> RenderableType:
        head = Text.assemble(text(row["key"], ID), " = ", text(_with_unit(row)))
        if row["origin"] != "default":
            head.append_text(Text.assemble(" (", _origin(row), ")"))
        return Group(head, Padding(text(row["doc"], DIM), (0, 0, 0, 2)))


def settings(data: Mapping[str, Any]) -> RenderableType:
    """Settings with their values, where these come from and what each does."""
    warned = [text(f"! {each}", WARN) for each in data["warnings"]]
    shown = SettingsList(data["settings"]) if data["settings"] else text("every setting has its default", DIM)
    return Group(shown, *warned)


def setting(data: Mapping[str, Any]) -> RenderableType:
    """One setting, with everything that is known about it."""
    facts = {
        "from": data["origin"],
        "default": written(data["default"]),
        "range": data["range"],
        "takes effect": "at once" if data["live"] else "when the memory is opened again",
    }
    table = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        table.add_row(text(name, DIM), text(value))
    head = Text.assemble(text(data["key"], ID), " = ", text(_with_unit(data), "bold"))
    return Group(head, text(data["doc"]), table, *(text(f"! {each}", WARN) for each in data.get("warnings", ())))


def _with_unit(row: Mapping[str, Any]) -> str:
    unit = f" {row['unit']}" if row["unit"] and row["value"] is not None else ""
    return written(row["value"]) + unit


def _origin(row: Mapping[str, Any]) -> Text:
    """Where a value comes from, in a word; which file or variable it is, one setting by itself tells."""
    return text(row["origin"].partition(" ")[0], DIM if row["origin"] == "default" else WARN)


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
