"""Everything at once on one store, for as long as you like: does it lose, leak or slow down?

python -m bench.reliability.soak --minutes 10

Eight readers and four writers, some in threads, some awaited in one event loop, some in a process of their own. Beside
them, without end: consolidation, a new model and back, copies by the database's own backup, exports. Each writer
reads back what it was told is kept, and at the end all of it is compared. Memory, open files and latencies are noted
in ten portions of the time; the exit status says whether something was lost, went wrong, or grew.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped,unused-ignore]

from bench.child import Child, gate
from bench.measure import percentile
from bench.reliability.people import Reader, Tally, Writer, awaited, until
from recollect.memory import Memory
from recollect.wiring import open_memory

PORTIONS = 10
MODELS = ("fake:64", "fake:32")
CONFIG = {"upkeep.scheduled": False, "store.busy_timeout_s": 30.0}
PEOPLE = ["una", "udo", "uma", "ute"]
BESIDE = PEOPLE[3]  # who writes from a process of its own
GROWTH_MAX = 0.15  # of resident memory, from the second quarter of the time to the last
PAUSE_S = {"consolidate": 5.0, "reembed": 11.0, "backup": 7.0, "export": 9.0}


@dataclass
class Portion:
    """One tenth of the time."""

    rss_mb: float
    files: int
    threads: int
    search_p50_ms: float = 0.0
    search_p99_ms: float = 0.0
    add_p50_ms: float = 0.0
    add_p99_ms: float = 0.0


@dataclass
class Soaked:
    """What came of it."""

    minutes: float
    calls: int = 0
    writes: int = 0
    kept: int = 0
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    tried_again: dict[str, int] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    portions: list[Portion] = field(default_factory=list)

    def grew(self) -> list[str]:
        """What was more at the end than after the first quarter."""
        if len(self.portions) < PORTIONS:
            return []
        early, late = self.portions[2:4], self.portions[-2:]
        told = []
        for name, most in (("rss_mb", GROWTH_MAX), ("files", 0.2), ("threads", 0.2)):
            was, is_ = (min(getattr(each, name) for each in part) for part in (early, late))
            if is_ > was * (1 + most):
                told.append(f"{name} grew from {was:g} to {is_:g}")
        return told


def soak(path: Path, seconds: float, *, pace_s: float = 0.0) -> Soaked:
    """Everything at once for so long. `pace_s`: how long each of them rests after a call."""
    soaked, tally = Soaked(minutes=round(seconds / 60, 2)), Tally()
    with open_memory(path, embedder=MODELS[0], config=CONFIG) as memory:
        writers = [Writer(memory, name, tally, random.Random(name)) for name in PEOPLE[:3]]
        readers = [Reader(memory, PEOPLE, tally, random.Random(number)) for number in range(6)]
        child = Child("bench.reliability.soak:beside", path=str(path), seconds=seconds, pace_s=pace_s)
        try:
            child.ready()
            child.go()
            began = time.monotonic()
            deadline = began + seconds
            work = [partial(until, deadline, each.step, rest_s=pace_s) for each in (*writers[:2], *readers[:4])]
            work.append(lambda: asyncio.run(awaited(memory, writers[2], readers[4:], deadline, pace_s)))
            work += [partial(_kept_up, *each, deadline, tally) for each in _keeping(memory, path)]
            _watched(soaked, [threading.Thread(target=_noted, args=(each, tally)) for each in work], seconds)
            there = child.result()
        finally:
            child.stop()
        writers.append(Writer(memory, BESIDE, tally, random.Random(0), kept=there["kept"], written=there["written"]))
        tally.wrong += there["wrong"]
        tally.errors.update(there["errors"])
        _compared(soaked, memory, writers, tally)
    _latencies(soaked, tally, began, seconds)
    soaked.calls = sum(map(len, tally.times.values())) + there["calls"]
    return soaked


def beside(path: str, seconds: float, pace_s: float) -> dict[str, Any]:
    """In a process of its own: a writer and two readers of the same file."""
    tally = Tally()
    with open_memory(path, embedder=MODELS[0], config=CONFIG) as memory:
        writer = Writer(memory, BESIDE, tally, random.Random(BESIDE))
        readers = [Reader(memory, PEOPLE, tally, random.Random(90 + number)) for number in range(2)]
        gate()
        deadline = time.monotonic() + seconds
        threads = [
            threading.Thread(target=_noted, args=(partial(until, deadline, each.step, rest_s=pace_s), tally))
            for each in (writer, *readers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    calls = sum(map(len, tally.times.values()))
    return {
        "kept": writer.kept,
        "written": writer.written,
        "wrong": tally.wrong,
        "errors": dict(tally.errors),
        "calls": calls,
    }


# --- what goes on beside people ---------------------------------------------------------------------------------


def _keeping(memory: Memory, path: Path) -> list[tuple[str, Callable[[], Any]]]:
    copy, export = path.with_name("copy.db"), path.with_name("export.jsonl")
    return [
        ("consolidate", memory.consolidate),
        ("reembed", lambda: _reembed(path)),
        ("backup", lambda: _copied(memory, copy)),
        ("export", lambda: _exported(memory, export)),
    ]


def _reembed(path: Path) -> None:
    """Somebody opens the store with another model and has everything embedded anew; then the first one again."""
    for model in reversed(MODELS):
        with open_memory(path, embedder=model, config=CONFIG, background=False) as other:
            other.reembed(wait=True)


def _copied(memory: Memory, copy: Path) -> None:
    """A backup while others write: whole, and a store that opens."""
    shutil.copy(memory.backup().path, copy)
    with open_memory(copy, embedder=MODELS[0], config=CONFIG, background=False) as opened:
        spared = ("disk", "vectors", "erasures")  # one that was under way is finished by whoever opens the copy
        bad = [each.check for each in opened.doctor() if not each.ok and each.check not in spared]
        assert not bad, f"a copy is not sound: {bad}"
    for each in copy.parent.glob(f"{copy.name}*"):  # it is a file, and a folder of its own backups
        each.unlink()


def _exported(memory: Memory, path: Path) -> None:
    """An export while others write, taken in by another store; in a file, as the history of hours is not small."""
    memory.export(path, overwrite=True)
    other = path.with_name("other.db")
    with open_memory(other, embedder=None, config=CONFIG, background=False) as fresh:
        fresh.import_(path)
    for each in other.parent.glob(f"{other.name}*"):
        each.unlink()


def _kept_up(name: str, does: Callable[[], Any], deadline: float, tally: Tally) -> None:
    """Again and again, with a pause in between; the last one before the end is finished."""
    while (now := time.monotonic()) < deadline:
        tally.timed(name, does)
        time.sleep(max(0.0, min(PAUSE_S[name], deadline - now)))


def _noted(work: Callable[[], Any], tally: Tally) -> None:
    """What ends a thread is told at the end, not on the terminal."""
    try:
        work()
    except BaseException as error:
        tally.wrong.append(f"a thread ended: {type(error).__name__}: {error}"[:400])


# --- what is looked at ------------------------------------------------------------------------------------------


def _watched(soaked: Soaked, threads: list[threading.Thread], seconds: float) -> None:
    """Let them work, and note what the process takes at the end of each portion."""
    process = psutil.Process()
    for thread in threads:
        thread.start()
    for _ in range(PORTIONS):
        time.sleep(seconds / PORTIONS)
        rss = process.memory_info().rss
        soaked.portions.append(Portion(rss / 1e6, process.num_fds(), threading.active_count()))
    for thread in threads:
        thread.join()


def _compared(soaked: Soaked, memory: Memory, writers: list[Writer], tally: Tally) -> None:
    """Every record of every writer, and the store as doctor sees it once nothing is left to do."""
    memory.reembed(wait=True)
    memory.settle()
    soaked.lost = [told for writer in writers for told in writer.lost()]
    soaked.kept = sum(len(writer.kept) for writer in writers)
    soaked.writes = sum(writer.written for writer in writers)
    bad = [f"doctor: {each.check}: {each.detail}" for each in memory.doctor() if not each.ok and each.check != "disk"]
    soaked.wrong = [*tally.wrong, *bad]
    soaked.tried_again = dict(tally.errors)
    soaked.done = {verb: len(times) for verb, times in sorted(tally.times.items())}


def _latencies(soaked: Soaked, tally: Tally, began: float, seconds: float) -> None:
    length = seconds / PORTIONS
    for number, portion in enumerate(soaked.portions):
        for verb in ("search", "add"):
            took = [1e3 * s for at, s in tally.times.get(verb, ()) if number <= (at - began) / length < number + 1]
            if took:
                setattr(portion, f"{verb}_p50_ms", round(percentile(took, 0.5), 2))
                setattr(portion, f"{verb}_p99_ms", round(percentile(took, 0.99), 2))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.reliability.soak", description="everything at once")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--pace-ms", type=float, default=20.0, help="how long each rests after a call")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-soak-") as folder:
        soaked = soak(Path(folder) / "m.db", options.minutes * 60, pace_s=options.pace_ms / 1e3)
    told = asdict(soaked) | {"grew": soaked.grew()}
    if options.json is not None:
        options.json.write_text(json.dumps(told, indent=1), encoding="utf-8")
    for portion in soaked.portions:
        print(" ".join(f"{name} {value:g}" for name, value in asdict(portion).items()))
    print(f"{soaked.minutes:g} minutes, {soaked.calls} calls, {soaked.writes} writes: {soaked.done}")
    print(f"kept {soaked.kept}, lost {len(soaked.lost)}, wrong {len(soaked.wrong)}, tried again {soaked.tried_again}")
    for line in [*soaked.lost[:20], *soaked.wrong[:20], *soaked.grew()]:
        print(f"  {line}")
    return 1 if soaked.lost or soaked.wrong or soaked.grew() else 0


if __name__ == "__main__":
    sys.exit(main())
