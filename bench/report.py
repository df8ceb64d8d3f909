"""The figures as tables for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.goals import verdicts
from bench.measure import Figure
from recollect import __version__

_MEASURES = ("p50_ms", "p95_ms", "p99_ms", "per_s", "rss_mb")


def show(figures: Sequence[Figure], console: Console, *, title: str) -> None:
    """One table: the measures, the floor under the first of them, the goals and whether they are met."""
    table = Table(title=title, title_justify="left", expand=False)
    table.add_column("what", no_wrap=True)
    for heading in ("p50 ms", "p95 ms", "p99 ms", "per s", "RSS MB", "floor"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("goal", no_wrap=True)
    table.add_column("note", overflow="fold")
    for figure in figures:
        goals = "\n".join(f"{_mark(met)} {goal}" for goal, met in verdicts(figure))
        cells = [_number(name, getattr(figure, name)) for name in _MEASURES]
        note = f"skipped: {figure.note}" if figure.skipped else figure.note
        table.add_row(figure.name, *cells, _floor(figure), goals, note)
    console.print(table)


def _mark(met: bool) -> str:
    return "[green]✓[/]" if met else "[red]✗[/]"


def _number(measure: str, value: float | None) -> str:
    if value is None:
        return ""
    if measure == "per_s":
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _floor(figure: Figure) -> str:
    """The first measure that both have; for rates given together with latencies that is the median."""
    for name in _MEASURES:
        if name in figure.floor and getattr(figure, name) is not None:
            return _number(name, figure.floor[name])
    return ""


def as_dict(figures: Sequence[Figure], *, quick: bool) -> dict[str, Any]:
    judged = [(figure, verdicts(figure)) for figure in figures]
    flat = [met for _, found in judged for _, met in found]
    return {
        "version": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
        "quick": quick,
        "goals": {"met": flat.count(True), "missed": flat.count(False)},
        "figures": [
            figure.to_dict() | {"goals": [{"goal": str(goal), "met": met} for goal, met in found]}
            for figure, found in judged
        ],
    }


def write(path: Path, figures: Sequence[Figure], *, quick: bool) -> None:
    path.write_text(json.dumps(as_dict(figures, quick=quick), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
