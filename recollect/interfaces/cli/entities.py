"""Entities drawn for people: a list of them, and all about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import DIM, ID, counted, day, ruled, short, text


def entities(data: Mapping[str, Any]) -> RenderableType:
    """The most mentioned first."""
    if not data["results"]:
        return text("nobody and nothing is known here by name", DIM)
    table = ruled("name", "type", "mentions", "last seen", "also called")
    for each in data["results"]:
        others = short(", ".join(each["aliases"]))
        table.add_row(
            text(each["name"], "bold"), each["type"], str(each["mention_count"]), day(each["last_seen"]), text(others)
        )
    return table


def profile(data: Mapping[str, Any]) -> RenderableType:
    """One entity: names, company, and the records that say most and latest."""
    seen = f"{counted(data['mention_count'], 'mention')} from {day(data['first_seen'])} to {day(data['last_seen'])}"
    parts: list[RenderableType] = [
        Text.assemble(text(data["name"], "bold"), f"  {data['type']}  ", (data["id"], ID)),
        text(seen, DIM),
    ]
    if data["summary"]:
        parts.append(text(data["summary"]))
    parts += _line("also called", data["aliases"])
    parts += _line("together with", [f"{each['name']} ({each['count']})" for each in data["together"]])
    parts += _line("similar to", [f"{each['name']} ({each['similarity']:.2f})" for each in data["similar"]])
    told = {row["id"] for row in data["telling"]}
    newer = [row for row in data["newest"] if row["id"] not in told]
    return Group(*parts, *_records("telling", data["telling"]), *_records("newest", newer))


def _line(title: str, names: Sequence[str]) -> list[RenderableType]:
    return [Text.assemble((f"{title}: ", DIM), text(", ".join(names)))] if names else []


def _records(title: str, rows: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    if not rows:
        return []
    table = ruled("when", title)
    for row in rows:
        table.add_row(day(row["event_time"] or row["created_at"]), text(row["content"]))
    return [table]
