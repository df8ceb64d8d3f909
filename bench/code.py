"""The graph of a project's code: taking it in, an edit, a look for changes, what a change reaches.

Measured on Django's source, which pip downloads once; with `--quick`, or without a network, on this package.
"""

from __future__ import annotations

import random
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import recollect
from bench.child import run
from bench.measure import Figure, Stopwatch, latency
from bench.plan import QUICK, Plan
from bench.quality.code_calls import Package, fetched
from bench.quality.sets import NoData

GROUP = "code"
DJANGO = Package("django", "5.2.19")
EDITS, LOOKS, ASKED = 12, 5, 400


def measure_once(folder: Path, plan: Plan) -> list[Figure]:
    root = folder / "project"
    try:
        source = Path(recollect.__file__).parent if plan is QUICK else fetched(DJANGO)
    except NoData:
        source = Path(recollect.__file__).parent
    shutil.copytree(source, root / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".git").mkdir()
    store = folder / "code.db"
    found = run("bench.code:taken_in", root=str(root), store=str(store))
    found += run("bench.code:asked", store=str(store))
    fresh = [run("bench.code:asked_once", store=str(store)) for _ in range(plan.starts)]
    figures = [Figure(**figure) for figure in found]
    return [*figures, latency(GROUP, "impact, first of a process", fresh, note="from an open store to the answer")]


def taken_in(root: str, store: str) -> list[dict[str, Any]]:
    """In a child: all files once, then edits of one, then looks at all."""
    place = Path(root)
    with recollect.open(store, embedder=None, background=False) as memory:
        spent, report = _cpu_ms(lambda: memory.code.index(place))
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # at its highest
        size = f"{report['files']:,} files, {report['nodes']:,} nodes, {sum(report['edges'].values()):,} edges"
        figures = [Figure(group=GROUP, name="index, all files", p50_ms=spent, rss_mb=rss, note=f"CPU; {size}")]
        edges = [edge for edge in memory.code.edges("calls") if edge.target_path]
        paths = sorted({edge.target_path for edge in edges})
        edited: list[float] = []
        for path in random.Random(5).sample(paths, min(EDITS, len(paths))):
            with open(place / path, "a", encoding="utf-8") as file:
                file.write("\n\ndef added_by_the_bench():\n    return 1\n")
            edited.append(_cpu_ms(lambda path=path: memory.code.index(place / path))[0])
        figures.append(latency(GROUP, "one file edited", edited, note="CPU; a function is added"))
        looks = [_cpu_ms(memory.code.status)[0] for _ in range(LOOKS)]
        figures.append(latency(GROUP, "look for changes", looks, note="CPU; all files, by size and time"))
        kept = memory._engine.store.size_bytes() / 1e6
        figures.append(Figure(group=GROUP, name="size of the store", note=f"{kept:.1f} MB"))
    return [figure.to_dict() for figure in figures]


def asked(store: str) -> list[dict[str, Any]]:
    """In a child: what changes of files and symbols reach, one after the other."""
    with recollect.open(store, embedder=None, background=False, config={"codegraph.check_s": 3600}) as memory:
        edges = [edge for edge in memory.code.edges("calls") if edge.target_path]
        chosen = random.Random(7).sample(edges, min(ASKED, len(edges)))
        times: list[float] = []
        for edge in chosen:
            watch = Stopwatch()
            memory.code.impact(f"{edge.target_path}::{edge.target_symbol}")
            times.append(watch.ms)
        nodes = memory.code.status()["nodes"]
    return [latency(GROUP, "impact, warm", times, note=f"symbols that are called, of {nodes:,} nodes").to_dict()]


def asked_once(store: str) -> float:
    """In a child: milliseconds of the first answer, the graph being read for it."""
    with recollect.open(store, embedder=None, background=False) as memory:
        row = memory._engine.code.projects(lambda _: True)[0]
        with memory._engine.store.read() as tx:
            path = sorted(tx.code.standing(row.pk))[0]
        watch = Stopwatch()
        memory.code.impact(path)
        return watch.ms


def _cpu_ms(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    answer = work()
    return (time.process_time() - began) * 1000, answer
