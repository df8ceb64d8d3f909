"""What `recollect init` found, would change or changed, drawn for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import BAD, DIM, GOOD, ID, WARN, text

_SAID = {
    "add": ("+", "would be added", "added"),
    "change": ("~", "would be changed", "changed"),
    "remove": ("-", "would be removed", "removed"),
    "same": ("✓", "is there already", "is there already"),
    "absent": ("·", "is not there", "is not there"),
    "refused": ("✗", "left alone", "left alone"),
}
_COLOURS = {"+": GOOD, "-": BAD, "@": ID}


def setup(data: Mapping[str, Any]) -> RenderableType:
    """One paragraph a client, with the lines that differ."""
    if not data["clients"]:
        return Group(
            text(f"None of these was found: {', '.join(data['looked_for'])}.", WARN),
            text("Name one with --client, or paste this into the client of your choice:", DIM),
            _pasted(data["command"]),
        )
    parts = [part for each in data["clients"] for part in _client(each, data["dry_run"])]
    waits = any(each["diff"] and not each["written"] for each in data["clients"])
    if data["dry_run"] and waits:
        parts += [Text(), text("Nothing was written. The same with --write does it, and keeps the old files.", DIM)]
    return Group(*parts)


def _client(each: Mapping[str, Any], dry_run: bool) -> list[RenderableType]:
    mark, would, did = _SAID[each["did"]]
    style = BAD if each["did"] == "refused" else GOOD
    whose = f"{each['title']}, rules" if each["what"] == "rules" else each["title"]
    head = Text.assemble((mark, style), f" {whose}: ", would if dry_run else did, "  ", text(each["path"], DIM))
    parts: list[RenderableType] = [head]
    if each["problem"]:
        parts.append(text(f"  {each['problem']}; correct it and run this again", WARN))
    if each["written"]:
        kept = f"the old file is {each['backup']}; " if each["backup"] else ""
        parts.append(text(f"  {kept}{each['next']}", DIM))
        return parts
    return [*parts, *(text(f"  {line}", _COLOURS.get(line[:1], "")) for line in each["diff"][2:])]


def _pasted(command: list[str]) -> Text:
    entry = {"mcpServers": {"recollect": {"command": command[0], "args": command[1:]}}}
    return text(json.dumps(entry, indent=2, ensure_ascii=False))
