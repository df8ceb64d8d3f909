"""Libraries beside each other, drawn: bars for each figure, ours in another colour."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

OURS = "recollect"
_ALL_WORK = "add and what follows, ms of processor"
_COLUMNS, _WIDTH, _ROW, _TOP, _FOOT = 3, 330, 15, 34, 12
_NAMES, _BARS = 112, 150  # pixels of a panel
_STYLE = (
    "text{font:10px sans-serif;fill:#444}.name{font-weight:bold;fill:#111}.bar{fill:#b8bec6}.ours{fill:#1a6fb5}"
    ".later{fill:#dde1e6}.ours.later{fill:#9cc3e3}"
)


class Panel(NamedTuple):
    """What is drawn of all: a figure, and at which sizes; long ranges in powers of ten."""

    title: str
    figure: str
    sizes: tuple[str, ...]
    logarithmic: bool = False


_STOPPED = {"R@10 LoCoMo": "", "installed MB": "", _ALL_WORK: "upkeep, then put off"}  # what makes a figure partial
_BOTH = ("10000", "100000")
PANELS = (
    Panel("R@10 on LoCoMo (more is better)", "R@10 LoCoMo", ("10000",)),
    Panel("search, ms of processor", "search, ms of processor", _BOTH, True),
    Panel(_ALL_WORK, _ALL_WORK, _BOTH, True),
    Panel("memory at the end, MB", "RSS MB", _BOTH),
    Panel("on disk, MB", "disk MB", _BOTH, True),
    Panel("installed, MB", "installed MB", ("10000",), True),
)


def drawn(report: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """The panels as one SVG. Names keep their order."""
    names = list(dict.fromkeys(name for of_size in report.values() for name in of_size))
    tall = _TOP + 2 * _ROW * len(names) + _FOOT
    width, height = _COLUMNS * _WIDTH, math.ceil(len(PANELS) / _COLUMNS) * tall + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>Other libraries beside ours</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for place, panel in enumerate(PANELS):
        x, y = place % _COLUMNS * _WIDTH, place // _COLUMNS * tall
        parts.append(f'<g transform="translate({x} {y})">{_one(panel, names, report)}</g>')
    parts.append(
        f'<text x="10" y="{height - 8}">upper bar: 10,000 texts; lower, pale: 100,000 '
        "(none: not run, or not finished in time); lengths in powers of ten where figures are far apart</text></svg>"
    )
    return "\n".join(parts) + "\n"


def _one(panel: Panel, names: list[str], report: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    found = {
        (name, size): float(figures[panel.figure])
        for size in panel.sizes
        for name, figures in report.get(size, {}).items()
        if figures.get(panel.figure) and _STOPPED.get(panel.figure, "added, then stopped") not in figures
    }
    lines = [f'<text class="name" x="10" y="20">{escape(panel.title)}</text>']
    for row, name in enumerate(names):
        y = _TOP + 2 * _ROW * row
        lines.append(f'<text x="{_NAMES - 6}" y="{y + 12}" text-anchor="end">{escape(name)}</text>')
        for at, size in enumerate(panel.sizes):
            if (value := found.get((name, size))) is None:
                continue
            kind = "bar" + " ours" * name.startswith(OURS) + " later" * (at > 0)
            long = _length(value, list(found.values()), panel.logarithmic)
            top = y + 13 * at
            lines.append(f'<rect class="{kind}" x="{_NAMES}" y="{top}" width="{long:.1f}" height="11"/>')
            lines.append(f'<text x="{_NAMES + long + 4:.1f}" y="{top + 9}">{_short(value)}</text>')
    return "".join(lines)


def _length(value: float, all_: list[float], logarithmic: bool) -> float:
    if not logarithmic:
        return _BARS * value / max(all_)
    low, high = math.floor(math.log10(min(all_))), math.log10(max(all_))
    return _BARS * (math.log10(value) - low) / max(high - low, 1e-9)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
