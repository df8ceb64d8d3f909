"""`python -m bench.scale`: one machine, many memories. Opening, first answer, searches, memory and disk by size.

python -m bench.scale                                      100,000 and 1,000,000 records; the second takes ten minutes
python -m bench.scale --size 100000 --set index.backend=usearch --json figures.json
python -m bench.scale --folder /tmp/scale                  keep the stores there, and use those that are there

Records are those of `bench.data`, vectors the static model's, so that a million can be made. Processor time is that of
the whole process, or of the thread that searches; other times are by the clock.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import recollect
from bench import data
from bench.child import run
from bench.inside import indexes_of, wait_until_current
from bench.measure import Stopwatch, percentile, timed
from recollect.index.resident import release_free_memory, resident_mb
from recollect.memory import Memory

SIZES = (100_000, 1_000_000)
EMBEDDER = "static"
_PORTION = 1_000
_SEARCHES = 200
_FIRSTS = 3


def main() -> int:
    options = _options()
    console = Console()
    report: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="recollect-scale-") as temporary:
        for size in options.size:
            folder = (options.folder or Path(temporary)) / str(size)
            config = dict(each.split("=", 1) for each in options.set)
            report[str(size)] = figures = {}
            if not (folder / data.STORE_FILE).exists():
                folder.mkdir(parents=True, exist_ok=True)
                with console.status(f"{size:,} records: filling"):
                    figures |= run("bench.scale:fill", folder=str(folder), size=size, config=config)
            with console.status(f"{size:,} records: opening and searching"):
                run("bench.scale:warm", folder=str(folder), config=config)  # a file as is set, for the next start
                firsts = [run("bench.scale:first", folder=str(folder), config=config, seed=n) for n in range(_FIRSTS)]
                figures["open ms"] = min(each["open_ms"] for each in firsts)
                figures["open and first answer ms"] = percentile([each["ms"] for each in firsts], 0.5)
                figures["open and first answer, ms of the caller's processor"] = min(each["cpu_ms"] for each in firsts)
                figures |= run("bench.scale:warm", folder=str(folder), config=config)
            for path in sorted(folder.glob(f"{data.STORE_FILE}*")):
                figures[f"{path.name} MB"] = path.stat().st_size / 1e6
    console.print(_table(report))
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def fill(folder: str, size: int, config: dict[str, str]) -> dict[str, float]:
    """In a child: add everything, then wait for the indexes."""
    begun, acknowledged, took_cpu = Stopwatch(), 0.0, 0.0
    with recollect.open(Path(folder) / data.STORE_FILE, embedder=EMBEDDER, config=config) as mem:
        mem.add("The first record loads the embedder.")
        for scope, first, count in data.portions(size, _PORTION):
            items = data.records(first, count)
            watch, cpu = Stopwatch(), time.process_time()
            mem.add(items, **scope)
            acknowledged += watch.s
            took_cpu += time.process_time() - cpu
        lag = Stopwatch()
        wait_until_current(mem)
        return {
            "acknowledged per s": size / acknowledged,
            "acknowledged per s of processor": size / took_cpu,
            "searchable after the last, s": lag.s,
            "filling, whole s": begun.s,
            "RSS MB, filled": resident_mb() or 0.0,
        }


def first(folder: str, config: dict[str, str], seed: int) -> dict[str, float]:
    """In a child: open, ask one question, and say how long the answer took."""
    question = data.questions(1, seed=100 + seed)[0]
    watch, cpu = Stopwatch(), time.thread_time()
    mem = recollect.open(Path(folder) / data.STORE_FILE, embedder=EMBEDDER, config=config)
    open_ms = watch.ms
    assert len(mem.search(question, reach="all"))
    answered = {"open_ms": open_ms, "ms": watch.ms, "cpu_ms": (time.thread_time() - cpu) * 1e3}
    mem.close()
    return answered


def warm(folder: str, config: dict[str, str]) -> dict[str, float]:
    """In a child: wait until all indexes are warm, then search."""
    with recollect.open(Path(folder) / data.STORE_FILE, embedder=EMBEDDER, config=config) as mem:
        opened = resident_mb() or 0.0
        watch, cpu = Stopwatch(), time.process_time()
        wait_until_current(mem)
        found = {"RSS MB, opened": opened, "warm after s": watch.s, "warm after s of processor": _since(cpu)}
        deadline = time.monotonic() + 600
        indexes = indexes_of(mem)
        while any(index.unsettled() for index in indexes.vectors.values()) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.0)  # and until another back end, if one is set, took over
        release_free_memory()
        found["RSS MB, warm"] = resident_mb() or 0.0
        for name, scope in (("all", {"reach": "all"}), ("one user's", {"user_id": data.user_name(0)})):
            questions = data.questions(_SEARCHES, seed=7)
            for question in questions[:20]:
                mem.search(question, **scope)
            own: list[float] = []
            times = timed(
                lambda question, scope=scope, own=own: own.append(_searched(mem, question, scope)), questions[20:]
            )
            for what, taken in (("ms", times), ("ms of processor", own)):
                found[f"search {name}, p50 {what}"] = percentile(taken, 0.5)
                found[f"search {name}, p95 {what}"] = percentile(taken, 0.95)
        found["RSS MB, searched"] = resident_mb() or 0.0
        indexes.relieve()
        release_free_memory()
        found["RSS MB, file pages given back"] = resident_mb() or 0.0
        return found


def _searched(mem: Memory, question: str, scope: dict[str, str]) -> float:
    """Milliseconds of processor that the caller's thread took, whatever else the machine did."""
    begun = time.thread_time()
    mem.search(question, **scope)
    return 1e3 * (time.thread_time() - begun)


def _since(cpu: float) -> float:
    return time.process_time() - cpu


def _table(report: dict[str, dict[str, Any]]) -> Table:
    table = Table(title="one machine, many memories", title_justify="left")
    table.add_column("what")
    for size in report:
        table.add_column(f"{int(size):,}", justify="right")
    for name in dict.fromkeys(name for figures in report.values() for name in figures):
        table.add_row(name, *(f"{figures[name]:,.1f}" if name in figures else "" for figures in report.values()))
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=lambda text: [int(each) for each in text.split(",")], default=list(SIZES))
    parser.add_argument("--folder", type=Path, help="where stores are kept; a temporary one otherwise")
    parser.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE", help="a setting of the store")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
