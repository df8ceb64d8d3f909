"""`python -m bench.protection`: what protection costs, by turns of stores that are open at once.

python -m bench.protection                      plain, scoped, limited and encrypted stores, beside a plain one
python -m bench.protection --against FOLDER     … and a plain one of another checkout of Recollect
python -m bench.protection --only plain,encrypted --rounds 400

Each store is open in a process of its own. Figures are the fastest tenth and quarter of many calls, and their ratio to
the plain store's, which took its calls in the same seconds: a machine that is busy slows all of them, the slowest most.
A search works on its caller's thread, and its time is what that thread computed; an add waits for the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KEY = bytes(range(32))
BLOCK = 10  # calls of one store before the next has its turn
SORTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "plain again": {},  # how far two of the same are apart: what a difference has to exceed
    "scoped": {"scope": {"user_id": "ana"}},
    "own": {"scope": {"user_id": "ana"}, "policy": "own"},
    "limited": {
        "scope": {"user_id": "ana"},
        "config": {
            "security.limit_searches": True,
            "security.searches_per_minute": 1_000_000,
            "security.searches_per_session": 100_000_000,
            "security.limit_writes": True,
            "security.writes_per_minute": 1_000_000,
            "security.writes_per_session": 100_000_000,
        },
    },
    "encrypted": {"key": True},
}
_WORDS = "tea lake bees Helix vim atlas phoenix train June editor garden bread north letter lamp paper".split()

# What a child runs: it needs nothing but the package, so that another checkout can run it too.
CHILD = """
import json, sys, time
import recollect
given = json.loads(sys.argv[1])
key = bytes.fromhex(given["key"]) if given.get("key") else None
memory = recollect.open(given["path"], key=key, embedder="static", config=given["config"])
handle = memory
if given.get("scope"):
    more = {"policy": given["policy"]} if given.get("policy") else {}
    handle = memory.scoped(**given["scope"], **more)
print("ready", flush=True)
for line in sys.stdin:
    verb, texts = json.loads(line)
    took = []
    for text in texts:
        clock = time.perf_counter if verb == "add" else time.thread_time
        began = clock()
        handle.add(text) if verb == "add" else handle.search(text)
        took.append((clock() - began) * 1e3)
    print(json.dumps(took), flush=True)
memory.close()
"""


class Open:
    """One store, open in a process of its own."""

    def __init__(self, folder: Path, name: str, given: dict[str, Any], checkout: str | None = None) -> None:
        told = {
            **given,
            "path": str(folder / f"{name.replace(' ', '-')}.db"),
            "key": KEY.hex() if given.get("key") else "",
        }
        told["config"] = {"upkeep.scheduled": False, **given.get("config", {})}
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **({"PYTHONPATH": checkout} if checkout else {})}
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD, json.dumps(told)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.took: dict[str, list[float]] = {"add": [], "search": []}
        assert self._answer() == "ready"

    def call(self, verb: str, texts: list[str], *, counted: bool = True) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([verb, texts]) + "\n")
        self._process.stdin.flush()
        took = json.loads(self._answer())
        if counted:
            self.took[verb] += took

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate()


def text(chance: random.Random, number: int) -> str:
    return f"Note {number}: " + " ".join(chance.choice(_WORDS) for _ in range(9))


def measured(sorts: list[str], *, records: int, rounds: int, against: str | None) -> dict[str, dict[str, list[float]]]:
    chance = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="recollect-protection-") as folder:
        stores = {name: Open(Path(folder), name, SORTS[name]) for name in sorts}
        if against:
            stores["before"] = Open(Path(folder), "before", {}, against)
        for start in range(0, records, BLOCK):
            texts = [text(chance, start + at) for at in range(BLOCK)]
            for store in stores.values():
                store.call("add", texts, counted=False)
        for store in stores.values():
            store.call("search", ["which editor?"] * 30, counted=False)
        for turn in range(rounds // BLOCK):
            names = list(stores)
            chance.shuffle(names)
            added = [text(chance, records + turn * BLOCK + at) for at in range(BLOCK)]
            asked = [" ".join(chance.sample(_WORDS, 3)) for _ in range(BLOCK)]
            for verb, texts in (("add", added), ("search", asked)):
                for name in names:
                    stores[name].call(verb, texts)
        for store in stores.values():
            store.close()
    return {name: store.took for name, store in stores.items()}


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.protection")
    options.add_argument("--records", type=int, default=400)
    options.add_argument("--rounds", type=int, default=200, help="calls of each sort")
    options.add_argument("--only", default=",".join(SORTS), help="which stores")
    options.add_argument("--against", help="a checkout of Recollect to compare with")
    given = options.parse_args()
    took = measured(given.only.split(","), records=given.records, rounds=given.rounds, against=given.against)
    for verb in ("add", "search"):
        base = statistics.quantiles(took["plain"][verb], n=20)
        print(f"{verb:8}{'fastest tenth':>18}{'':>8}{'fastest quarter':>17}")
        for name, times in took.items():
            marks = statistics.quantiles(times[verb], n=20)
            told = (f"{marks[at]:7.2f} ms {marks[at] / base[at]:6.3f}" for at in (1, 4))
            print(f"  {name:14}{'  '.join(told)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
