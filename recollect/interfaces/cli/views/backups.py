"""Backups and what became of a restore, for people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from recollect.interfaces.cli.views.cells import DIM, line, ruled, text
from recollect.model.backup import BackupKind

_DAYS_FROM_HOURS = 48


def backup(data: Mapping[str, Any]) -> RenderableType:
    """A backup that was just made."""
    size = data["size_bytes"] / 2**20
    return Group(line(f"backed up and read back: {data['name']}, {size:.1f} MB"), text(data["path"], DIM))


def backups(data: Mapping[str, Any]) -> RenderableType:
    """All backups, the newest first."""
    found = data["results"]
    if not found:
        return text("there is no backup; `recollect backup` makes one", DIM)
    table = ruled("backup", "made for", "age", "MB", "")
    for each in found:
        size, faults = f"{each['size_bytes'] / 2**20:.1f}", "; ".join(each["faults"])
        table.add_row(each["name"], each["kind"], _age(each["age_hours"]), size, faults or "sound")
    return Group(table, text(str(Path(found[0]["path"]).parent), DIM))


def _age(hours: float) -> str:
    return f"{hours:.1f} h" if hours < _DAYS_FROM_HOURS else f"{hours / 24:.0f} days"


def lost_words(data: Mapping[str, Any]) -> str:
    """What a backup in the place of the store does not have."""
    lost, name = data["lost"], data["backup"]
    if "header" in data["did"]:
        return f"the store is sound and lacks only the header of its key, which {name} has; nothing is lost"
    if lost is None:
        return f"the store cannot be read; {name} takes its place, and what was done after {data['moment']} is lost"
    if not lost["operations"]:
        return f"{name} takes the place of the store, and nothing is lost"
    verbs = ", ".join(f"{count} {verb}" for verb, count in lost["verbs"].items())
    return (
        f"{name} takes the place of the store without {lost['operations']} operations ({verbs}), "
        f"done from {lost['first_at']} to {lost['last_at']}"
    )


def restore(data: Mapping[str, Any]) -> RenderableType:
    """What became of a restore."""
    parts: list[RenderableType] = [line(f"{data['did']}: {data['place']}, as of {data['moment']}")]
    if data["backup"] is not None:
        parts.append(text(lost_words(data), DIM))
    if data["undone"]:
        parts.append(text(f"{data['undone']} operations after that moment are undone", DIM))
    parts += [text(f"not undone: {each}", DIM) for each in data["kept_back"]]
    if data["set_aside"] is not None:
        before = Path(data["set_aside"])
        parts.append(text(f"what was there before is in {before}", DIM))
        if before.name.startswith(f"{BackupKind.RESTORE}-"):
            parts.append(text(f"`recollect restore {before.stem}` takes all of this back", DIM))
    return Group(*parts)


def salvaged_words(data: Mapping[str, Any]) -> str:
    """What of a damaged store could be read."""
    lost = ", ".join(f"{count} of {table}" for table, count in data["lost"].items())
    told = f"at most so many rows are lost: {lost}" if lost else "no row is lost"
    return f"{data['kept'].get('record', 0)} records and {data['kept'].get('edge', 0)} relations can be read; {told}"


def rescue(data: Mapping[str, Any]) -> RenderableType:
    """What became of a rescue."""
    parts: list[RenderableType] = [line(f"{data['did']}: {data['place']}"), text(salvaged_words(data), DIM)]
    if data["set_aside"] is not None:
        parts.append(text(f"what was there before is in {data['set_aside']}", DIM))
    return Group(*parts)
