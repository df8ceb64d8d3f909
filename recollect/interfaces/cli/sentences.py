"""What came of work on many records, in a sentence; figures that say nothing are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from recollect.interfaces.cli.cells import DIM, GOOD, WARN, counted, short_id, text

_SKIPPED_SHOWN = 10


def imported(data: Mapping[str, Any]) -> RenderableType:
    """`✓ 30 records imported from mem0; 2 were here already`."""
    said = _mark(data, f"{counted(data['count'], 'record')} {'would be ' if data['dry_run'] else ''}imported")
    said.append(f" from {data['format']}" if data["format"] != "jsonl" else "")
    more = [
        f"{data[name]:,} {words}"
        for name, words in (
            ("unchanged", "were here already"),
            ("merged", "say what others said"),
            ("versions", "earlier versions"),
            ("conflicts", "differ from what is here and were left alone"),
            ("skipped_count", "skipped"),
        )
        if data.get(name)
    ]
    said.append("".join(f"; {each}" for each in more))
    parts: list[RenderableType] = [said]
    beside = ", ".join(counted(data[name], one) for name, one in _BESIDE if data.get(name))
    parts += [text(f"  with {beside}", DIM)] if beside else []
    parts += [text(f"  skipped {_reason(each)}", WARN) for each in data.get("skipped", ())[:_SKIPPED_SHOWN]]
    return Group(*parts, *_rest(data))


def exported(data: Mapping[str, Any]) -> RenderableType:
    """`✓ 11 records written to out.jsonl (21 kB)`."""
    sealed = ", sealed" if data.get("encrypted") else ""
    where = "stdout" if data["path"] == "-" else data["path"]
    said = _mark(data, f"{counted(data['count'], 'record')} written to {where} ({_size(data['bytes'])}{sealed})")
    if not data.get("complete", True):
        said.append("; not all of the store", DIM)
    return Group(said, *_rest(data))


def settled(data: Mapping[str, Any]) -> RenderableType:
    """How much was waiting."""
    if not data["jobs"]:
        return Group(text("nothing was waiting to be done", DIM), *_rest(data))
    return Group(_mark(data, f"{counted(data['jobs'], 'job')} done; nothing waits any more"), *_rest(data))


def erased(data: Mapping[str, Any]) -> RenderableType:
    """What of a person is gone for good."""
    gone = ", ".join(counted(data[name], one) for name, one in _GONE if data.get(name)) or "nothing"
    return Group(_mark(data, f"{gone} {'would be ' if data['dry_run'] else ''}erased for good"), *_rest(data))


_BESIDE = (("sessions", "session"), ("edges", "relation"), ("entities", "name"))
_GONE = (
    ("count", "record"),
    ("versions", "earlier version"),
    ("sessions", "session"),
    ("entities", "name"),
    ("operations", "operation"),
)


def _mark(data: Mapping[str, Any], said: str) -> Text:
    mark = ("·", DIM) if data.get("dry_run") else ("✓", GOOD)
    return Text.assemble(mark, " ", text(said))


def _rest(data: Mapping[str, Any]) -> list[RenderableType]:
    parts: list[RenderableType] = [text(f"! {each}", WARN) for each in data.get("warnings", ())]
    if data.get("operation") and not data.get("dry_run"):
        parts.append(text(f"  undo with: recollect undo {short_id(data['operation'])}", DIM))
    return parts


def _reason(each: Any) -> str:
    return f"item {each['index']}: {each['reason']}" if isinstance(each, Mapping) and "reason" in each else str(each)


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
