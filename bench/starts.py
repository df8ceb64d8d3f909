"""Starting: the import, the command line, and the first search in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench import data
from bench.measure import Figure, Stopwatch, percentile
from bench.plan import Plan

GROUP = "starts"

# Programs of their own: anything the benchmark imports would be missing from what they measure.
_IMPORT = """
import time
start = time.perf_counter()
import recollect
print((time.perf_counter() - start) * 1e3)
"""
_FIRST_SEARCH = """
import sys, time
import recollect
start = time.perf_counter()
with recollect.open(sys.argv[1]) as mem:
    opened = time.perf_counter()
    found = mem.search(sys.argv[2], reach="all")
    done = time.perf_counter()
    import json
    print(json.dumps({
        "open_ms": (opened - start) * 1e3, "search_ms": (done - opened) * 1e3, "ms": (done - start) * 1e3,
        "level": found.quality.level, "hits": len(found),
    }))
"""
_HELP = "import sys; sys.argv = ['recollect', '--help']; from recollect.interfaces.cli import main; main()"


def measure_once(folder: Path, plan: Plan) -> list[Figure]:
    """What does not depend on any store. The best of several runs: the disk's cache is not what is measured."""
    start = Starter(folder)
    start.seconds(_HELP)  # compiles what the others find compiled
    empty = min(start.seconds("pass")[0] for _ in range(plan.starts)) * 1e3
    importing = min(float(start.output(_IMPORT)) for _ in range(plan.starts))
    figures = [
        Figure(
            group=GROUP,
            name="import recollect",
            p50_ms=importing,
            note=f"best of {plan.starts}; Python alone starts in {empty:.0f} ms",
        )
    ]
    runs = [start.seconds(_HELP) for _ in range(plan.starts)]
    if any(code for _, code in runs):
        return [*figures, Figure(group=GROUP, name="recollect --help", note="the command line fails", skipped=True)]
    best = min(seconds for seconds, _ in runs) * 1e3
    note = f"best of {plan.starts}, the whole process"
    return [*figures, Figure(group=GROUP, name="recollect --help", p50_ms=best, floor={"p50_ms": empty}, note=note)]


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    start = Starter(folder)
    runs: list[dict[str, Any]] = [
        json.loads(start.output(_FIRST_SEARCH, str(folder / data.STORE_FILE), question))
        for question in data.questions(1 + plan.first_searches, seed=3)
    ][1:]  # the first one compiles
    middle = sorted(runs, key=lambda found: float(found["ms"]))[len(runs) // 2]
    times = [found["ms"] for found in runs]
    return [
        Figure(
            group=GROUP,
            name="open + first search",
            size=size,
            p50_ms=percentile(times, 0.5),
            p99_ms=max(times),
            note=f"{middle['level']}: open {middle['open_ms']:.0f} ms, search {middle['search_ms']:.0f} ms, "
            f"{middle['hits']} hits",
        )
    ]


class Starter:
    """Starts programs that find every module compiled, as an installed package is, whatever the environment says."""

    def __init__(self, folder: Path) -> None:
        compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
        self._environment = os.environ | compiled

    def seconds(self, code: str) -> tuple[float, int]:
        """How long an interpreter takes for this, and its exit code."""
        watch = Stopwatch()
        done = self._run(code, check=False)
        return watch.s, done.returncode

    def output(self, code: str, *arguments: str) -> str:
        return self._run(code, *arguments, check=True).stdout

    def _run(self, code: str, *arguments: str, check: bool) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, env=self._environment, capture_output=True, check=check, text=True, timeout=600)
