"""Searching a warm store, whole and filtered, in turn with the bare parts; and the memory that takes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import recollect
from bench import data, floor
from bench.child import run
from bench.inside import wait_until_current
from bench.measure import Figure, Stopwatch, in_turns, latency, rss_mb
from bench.plan import Plan

GROUP = "reads"
_QUARTER = timedelta(days=90)

# What each sort of search is given beside its question.
SORTS: dict[str, dict[str, Any]] = {
    "everything": {"reach": "all"},
    "one project (90 %)": {"project": data.PROJECT},
    "one user (1 %)": {"user_id": data.user_name(3)},
    "kind and time": {
        "reach": "all",
        "kinds": ["episodic"],
        "after": data.EPOCH + _QUARTER,
        "before": data.EPOCH + 2 * _QUARTER,
    },
    "metadata": {"reach": "all", "filters": {"metadata.team": {"eq": "support"}}},
}


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    warm = run(
        "bench.reads:search", folder=str(folder), size=size, searches=plan.searches, past=plan.searches_of_the_past
    )
    held = run("bench.reads:hold", folder=str(folder), searches=min(200, plan.searches))
    return [
        *(Figure(**figure) for figure in warm),
        Figure(
            group=GROUP,
            name="memory, opened and searched",
            size=size,
            rss_mb=held["rss_mb"],
            note=f"warm {held['warm_s']:.1f} s after opening; {held['cold_rss_mb']:.0f} MB before",
        ),
    ]


def search(folder: str, size: int, searches: int, past: int) -> list[dict[str, Any]]:
    """In a child: every sort of search, each in turn with the floor."""
    bare = floor.BareSearch(Path(folder), size)
    questions = data.questions(searches)
    with recollect.open(Path(folder) / data.STORE_FILE) as mem:
        wait_until_current(mem)
        mem.search(questions[0], reach="all")
        bare.search(questions[0])
        figures = []
        for name, given in (SORTS | {"known_at": {"reach": "all", "known_at": datetime.now(UTC)}}).items():
            asked = questions[:past] if name == "known_at" else questions
            found = [0, 0]

            def ask(question: str, given: dict[str, Any] = given, found: list[int] = found) -> None:
                found[0] += len(mem.search(question, **given))
                found[1] += 1

            times = in_turns({"floor": bare.search, "search": ask}, asked)
            note = f"{found[0] / found[1]:.1f} hits a search"
            figures.append(
                latency(GROUP, f"search, {name}", times["search"], size=size, floor_ms=times["floor"], note=note)
            )
    bare.close()
    return [figure.to_dict() for figure in figures]


def hold(folder: str, searches: int) -> dict[str, float]:
    """In a child that does nothing else: open, become warm, search; how much memory that holds."""
    watch = Stopwatch()
    with recollect.open(Path(folder) / data.STORE_FILE) as mem:
        cold = rss_mb()
        wait_until_current(mem)
        warm_s = watch.s
        for question in data.questions(searches):
            mem.search(question, reach="all")
        return {"rss_mb": rss_mb(), "warm_s": warm_s, "cold_rss_mb": cold}
