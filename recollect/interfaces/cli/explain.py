"""How an answer came about, drawn: how the question was read, what found each hit, what it was worth, what moved it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from recollect.interfaces.cli.cells import DIM, GOOD, bar, day, text

NOTHING: Mapping[str, Any] = {}
_WORTH_SHOWN = 0.0005  # what would be drawn as 0.000 is left out
_SOURCES = {"text": "words", "vector": "meaning", "graph": "relations", "temporal": "time"}


def question(plan: Mapping[str, Any]) -> list[RenderableType]:
    """How the question was read; nothing where it was empty and there was nothing to read."""
    if not plan:
        return []
    asks = "" if plan["asks"] == "general" else f", asks {plan['asks']}"
    said = [f"read as {plan['kind']}{asks} (certainty {plan['certainty']:.2f})"]
    said += ["complex"] if plan["complex"] else []
    said += [f"“{plan['when']}” is {_windows(plan['windows'])}"] if plan["windows"] else []
    leans = [f"{_SOURCES.get(name, name)} ×{lean:.2g}" for name, lean in plan["lean"].items() if abs(lean - 1) > 0.005]
    said += ["leans on " + ", ".join(leans)] if leans else []
    return [text(" · ".join(said), DIM)]


def story(trace: Mapping[str, Any], hit_id: str) -> list[RenderableType]:
    """What found one hit, what spoke for it, over which relations it came, and how each step moved it."""
    facts = Table.grid(padding=(0, 2))
    found_by = trace["found_by"].get(hit_id)
    if found_by:
        facts.add_row(text("found by", DIM), text(" · ".join(f"{name} #{place}" for name, place in found_by.items())))
    parts = [step for step in trace["hits"].get(hit_id, ()) if step["contribution"] >= _WORTH_SHOWN]
    if parts:
        facts.add_row(text("worth", DIM), _parts(parts, _most(trace)))
    moves = trace["moves"].get(hit_id)
    if moves:
        facts.add_row(text("rank", DIM), text(moved(moves)))
    if hit_id in trace["via"]:
        facts.add_row(text("came", DIM), text(trace["via"][hit_id]))
    return [facts] if facts.row_count else []


def moved(moves: Sequence[Mapping[str, Any]]) -> str:
    """`4 → 2 by belief (kind +0.020) → 1 by current`: the places of a hit; a step that changed nothing is left out."""
    first, *later = moves
    said = str(first["rank"]) if first["step"] == "rank" else f"{first['rank']} by {first['step']}"
    rank = first["rank"]
    for move in later:
        by = ", ".join(f"{name} {what:+.3f}" for name, what in move["by"].items() if abs(what) >= _WORTH_SHOWN)
        if by or move["rank"] != rank:
            said += f" → {move['rank']} by {move['step']}" if move["rank"] != rank else f", {move['step']}"
            said += f" ({by})" if by else ""
        rank = move["rank"]
    return said


def quality(figures: Mapping[str, Any], notes: Sequence[str]) -> list[RenderableType]:
    """What the search cost and how good it thinks its answer is."""
    stages = " · ".join(f"{name} {spent:.1f}" for name, spent in figures["stages_ms"].items() if spent >= 0.05)
    judged = (
        f"order by {figures['strategy']} · relevancy {figures['relevancy']:.2f} · nDCG {figures['ndcg']:.2f} · "
        f"answerable {figures['answerable']:.2f}"
    )
    lines = [judged, *([f"ms: {stages}"] if stages else []), *notes]
    return [text(line, DIM) for line in lines]


def _most(trace: Mapping[str, Any]) -> float:
    """The greatest part of any hit: bars of all hits are shares of it, so that they can be compared."""
    return max(float(step["contribution"]) for steps in trace["hits"].values() for step in steps)


def _parts(parts: Sequence[Mapping[str, Any]], most: float) -> Table:
    """What each part put in, the most first; bars are shares of `most`."""
    drawn = Table.grid(padding=(0, 1))
    ordered = sorted(parts, key=lambda step: -float(step["contribution"]))
    for step in ordered:
        worth = step["contribution"]
        drawn.add_row(text(step["source"]), f"{worth:.3f}", text(bar(worth / most), GOOD), text(_place(step), DIM))
    return drawn


def _place(step: Mapping[str, Any]) -> str:
    return "best of all" if step["rank"] == 1 else f"#{step['rank']}"


def _windows(windows: Sequence[Sequence[str | None]]) -> str:
    return " or ".join(_window(start, end) for start, end in windows)


def _window(start: str | None, end: str | None) -> str:
    if start is None:
        return f"before {day(end)}"
    return f"{day(start)} to {day(end)}" if end is not None else f"from {day(start)} on"
