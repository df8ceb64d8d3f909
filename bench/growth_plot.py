"""What verbs cost by size of store, drawn: a small plot for each verb, both axes in powers of ten."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

_COLUMNS, _WIDTH, _HEIGHT = 6, 150, 112
_LEFT, _TOP, _PLOT_WIDTH, _PLOT_HEIGHT = 30, 24, 108, 66
_LOW, _HIGH = -2, 4  # powers of ten of milliseconds
_STYLE = (
    "text{font:10px sans-serif;fill:#444}.name{font-weight:bold;fill:#111}.grid{stroke:#ddd}.linear{stroke:#bbb;"
    "stroke-dasharray:3 3}.cost{fill:none;stroke:#1a6fb5;stroke-width:2}.dot{fill:#1a6fb5}"
)


def drawn(figures: Mapping[str, Mapping[int, float]]) -> str:
    """The plots as one SVG, in the order of the figures."""
    rows = math.ceil(len(figures) / _COLUMNS)
    width, height = _COLUMNS * _WIDTH, rows * _HEIGHT + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>What each verb costs as a store grows</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for place, (name, row) in enumerate(figures.items()):
        x, y = place % _COLUMNS * _WIDTH, place // _COLUMNS * _HEIGHT
        parts.append(f'<g transform="translate({x} {y})">{_one(name, row)}</g>')
    parts.append(
        f'<text x="{_LEFT}" y="{height - 6}">milliseconds of processor (up) by records (across); '
        "dashed: as fast as the store</text></svg>"
    )
    return "\n".join(parts) + "\n"


def _one(name: str, row: Mapping[int, float]) -> str:
    sizes = sorted(row)
    low, high = math.log10(sizes[0]), math.log10(sizes[-1])

    def across(size: float) -> float:
        return _LEFT + _PLOT_WIDTH * (math.log10(size) - low) / max(high - low, 1e-9)

    def up(ms: float) -> float:
        power = min(max(math.log10(max(ms, 1e-9)), _LOW), _HIGH)
        return _TOP + _PLOT_HEIGHT * (_HIGH - power) / (_HIGH - _LOW)

    lines = [f'<text class="name" x="{_LEFT}" y="16">{escape(name)}</text>']
    for power in range(_LOW, _HIGH + 1, 2):
        y = up(10.0**power)
        lines.append(f'<line class="grid" x1="{_LEFT}" x2="{_LEFT + _PLOT_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{_LEFT - 4}" y="{y + 3:.1f}" text-anchor="end">{10.0**power:g}</text>')
    lines += [
        f'<text x="{across(size):.1f}" y="{_TOP + _PLOT_HEIGHT + 12}" text-anchor="middle">{_short(size)}</text>'
        for size in sizes
    ]
    first = row[sizes[0]]
    linear = [(across(size), up(first * size / sizes[0])) for size in sizes]
    cost = [(across(size), up(row[size])) for size in sizes]
    lines.append(f'<polyline class="linear" fill="none" points="{_points(linear)}"/>')
    lines.append(f'<polyline class="cost" points="{_points(cost)}"/>')
    lines += [f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in cost]
    return "".join(lines)


def _points(places: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _short(size: int) -> str:
    return f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size // 1_000}K" if size >= 1_000 else str(size)
