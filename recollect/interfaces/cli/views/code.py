"""Answers about code, drawn for people: files and lines first, as editors and terminals like to follow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.views.cells import DIM, WARN, text

_SURE = ("exact", "inferred")


def answer(data: Mapping[str, Any]) -> RenderableType:
    """What was found, one to a line; then where the rest lies, and what may be wrong."""
    parts: list[RenderableType] = [text(f"{data['asked']}: {data['summary']}", "bold")]
    parts += [_line(item) for item in data["items"]]
    if data["possible"]:
        parts += [text("possible:", DIM), *(_line(item) for item in data["possible"])]
    if data["modules"]:
        parts.append(text("and more in:", DIM))
        parts += [
            text(f"  {each['path']}/  {each['files']} files, {each['symbols']} symbols") for each in data["modules"]
        ]
    if data["next"] is not None:
        parts.append(text(f"go on with --start {data['next']}", DIM))
    return Group(*parts, *_warnings(data))


def project_map(data: Mapping[str, Any]) -> RenderableType:
    """The text of a map."""
    return Group(text(data["text"]), *_warnings(data))


def _line(item: Mapping[str, Any]) -> Text:
    place = f"{item['path']}:{item.get('at') or item['line']}" if item["path"] else f"line {item['line']}"
    drawn = Text.assemble("  " * (item.get("depth", 0) or 1), text(place))
    if item["symbol"]:
        drawn.append_text(text(f"  {item['symbol']}", "bold"))
    said = [word for word in (item.get("note"), "" if item["resolved"] in _SURE else item["resolved"]) if word]
    if said:
        drawn.append_text(text(f"  {', '.join(said)}", DIM))
    return drawn


def _warnings(data: Mapping[str, Any]) -> Sequence[RenderableType]:
    out: list[RenderableType] = [text(note, DIM) for note in data.get("notes", ())]
    if data["stale"]:
        out.append(text(f"not taken in as they are now: {', '.join(data['stale'])}", WARN))
    return out
