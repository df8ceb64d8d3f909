"""What a measure besides retrieval answers: figures, each beside a baseline and the goal it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.table import Table

from bench.quality.goals import FIGURE_GOALS


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number and what it stands beside; None is "not measured", and `note` says why or of how many."""

    name: str
    value: float | None
    baseline: float | None = None
    note: str = ""


Measure = Callable[[bool], Sequence[Figure]]  # whether baselines are wanted


def goal_of(measure: str, figure: Figure) -> float | None:
    return FIGURE_GOALS.get(measure, {}).get(figure.name)


def is_missed(measure: str, figure: Figure) -> bool:
    """Whether a goal was measured and not met."""
    goal = goal_of(measure, figure)
    return goal is not None and figure.value is not None and figure.value < goal


def table_of(measure: str, baseline: str, figures: Sequence[Figure]) -> Table:
    table = Table(title=measure, title_justify="left")
    table.add_column("figure", no_wrap=True)
    for heading in ("recollect", baseline, "goal"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    table.add_column("of", overflow="fold")
    for each in figures:
        goal = goal_of(measure, each)
        met = "" if goal is None or each.value is None else "missed" if is_missed(measure, each) else "met"
        row = (each.name, _number(each.value), _number(each.baseline), _number(goal), met, each.note)
        table.add_row(*row, style="red" if met == "missed" else None)
    return table


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if value >= 2 else f"{value:.3f}"


def share(right: int, of: int) -> float | None:
    return right / of if of else None
