"""Several processes on one file: writers together, and a reader beside a writer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import recollect
from bench import data
from bench.child import Child, gate, together
from bench.floor import BareTable
from bench.inside import wait_until_current
from bench.measure import Figure, Stopwatch, latency, timed
from bench.plan import Plan

GROUP = "processes"


def measure_once(folder: Path, plan: Plan) -> list[Figure]:
    """Writers on a fresh file, beside as many that insert into a bare table."""
    return [_writers(folder, writers, plan.together_s) for writers in plan.writers]


def _writers(folder: Path, writers: int, seconds: float) -> Figure:
    path = folder / f"writers-{writers}.db"
    with recollect.open(path) as mem:
        mem.add("The first record makes the file.")
    ours = together(
        [Child("bench.processes:write_for", path=str(path), number=n, seconds=seconds) for n in range(writers)]
    )
    bare_path = str(folder / f"floor-writers-{writers}.db")
    BareTable(Path(bare_path)).close()  # two that make a file at once shut each other out
    bare = together([Child("bench.floor:write_for", path=bare_path, number=n, seconds=seconds) for n in range(writers)])
    acknowledged = [ms for times in ours for ms in times]
    inserted = [ms for times in bare for ms in times]
    with recollect.open(path) as mem:
        lost = 1 + writers + len(acknowledged) - mem.stats().figures["records"]
    figure = latency(
        GROUP,
        f"add, {writers} processes",
        acknowledged,
        floor_ms=inserted,
        per_s=len(acknowledged) / seconds,
        note=f"{lost} lost of {len(acknowledged):,}; bare {len(inserted) / seconds:,.0f}/s",
    )
    figure.floor["per_s"] = len(inserted) / seconds
    return figure


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    """A warm reader of the loaded store while another process adds to it as fast as it can."""
    path = str(folder / data.STORE_FILE)
    reading, writing = together(
        [
            Child("bench.processes:read_for", path=path, seconds=plan.together_s),
            Child("bench.processes:write_for", path=path, number=99, seconds=plan.together_s, warm=True),
        ]
    )
    adds_per_s = len(writing) / plan.together_s
    note = f"{reading['full']} of {len(reading['times'])} at level full; meanwhile {adds_per_s:,.0f} adds/s"
    return [
        latency(GROUP, "search beside a writer", reading["times"], size=size, note=note),
        latency(GROUP, "add beside a reader", writing, size=size),
    ]


def write_for(path: str, number: int, seconds: float, warm: bool = False) -> list[float]:
    """In a child: milliseconds of each acknowledged add."""
    with recollect.open(path) as mem:
        if warm:
            wait_until_current(mem)
        mem.add(f"The first record of writer {number} loads the embedder.")
        times: list[float] = []
        gate()
        watch = Stopwatch()
        while watch.s < seconds:
            times += timed(mem.add, [data.text(len(times), seed=100 + number)])
        return times


def read_for(path: str, seconds: float) -> dict[str, Any]:
    """In a child: milliseconds of each search, and how many of them used every index."""
    questions = data.questions(500, seed=4)
    with recollect.open(path) as mem:
        wait_until_current(mem)
        mem.search(questions[0], reach="all")
        times: list[float] = []
        levels: list[str] = []
        gate()
        watch = Stopwatch()
        while watch.s < seconds:
            question = questions[len(times) % len(questions)]
            times += timed(lambda text: levels.append(mem.search(text, reach="all").quality.level), [question])
        return {"times": times, "full": levels.count("full")}
