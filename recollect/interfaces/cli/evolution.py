"""How knowledge about a topic came about, drawn as a list of dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.interfaces.cli.cells import DIM, GOOD, ID, WARN, counted, day, missing, short, short_id, text

_MARKS = {
    "beginning": ("●", ID),
    "addition": ("+", ""),
    "correction": ("↻", WARN),
    "reinforcement": ("✓", GOOD),
}
_PEAK = "▲"
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def timeline(data: Mapping[str, Any]) -> RenderableType:
    """Steps, oldest first: when, what sort of change, and what it replaced; then the busiest stretches."""
    if not data["results"]:
        return Group(text(f"nothing is known about {data['topic']}", DIM), *missing(data))
    steps = Table.grid(padding=(0, 2))
    for event in data["results"]:
        mark, style = _MARKS.get(event["transition"], ("·", ""))
        busy = _PEAK if _in_a_peak(event["at"], data["peaks"]) else " "
        steps.add_row(
            day(event["at"]), text(busy, WARN), Text(mark, style), text(event["transition"], DIM), _what(event)
        )
    return Group(steps, *map(_peak, data["peaks"]), *missing(data))


def _what(event: Mapping[str, Any]) -> RenderableType:
    said: list[RenderableType] = [text(event["memory"], "bold")]
    if event["replaced"]:
        said.append(text(f"instead of: {short(event['replaced'])}", DIM))
    after = f" · {later(event['since_s'])}" if event["since_s"] else ""
    said.append(text(f"{short_id(event['id'])}{after}", DIM))
    return Group(*said)


def later(seconds: float) -> str:
    """`3 days later`: whole numbers of the largest unit that fits."""
    for unit, length in _UNITS:
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} later"
    return "at once"


def _in_a_peak(moment: str, peaks: Sequence[Mapping[str, Any]]) -> bool:
    return any(peak["start"] <= moment < peak["end"] for peak in peaks)


def _peak(peak: Mapping[str, Any]) -> Text:
    return text(f"{_PEAK} {counted(peak['events'], 'step')} from {day(peak['start'])} to {day(peak['end'])}", WARN)
