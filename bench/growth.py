"""`python -m bench.growth`: what each verb costs as a store grows, and how fast that grows.

python -m bench.growth                                   1,000, 10,000 and 100,000 records; some ten minutes
python -m bench.growth --size 1000,10000 --only search   two sizes, verbs whose name holds a word
python -m bench.growth --svg docs/images/growth.svg      the plot, too
python -m bench.growth --from figures.json --svg …       draw what was measured before (written with --json)

Records are those of `bench.data`, with a project, ten users, entities and some relations. A figure is the least of
several calls, in milliseconds of processor: of the thread that calls, or, for verbs that write, of the whole process,
since the writer and the indexes have threads of their own. A crowded machine does not change it much. Verbs that
work over the whole store by intent (`maintain`, `export`) are not here.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import recollect
from bench import data
from bench.child import run
from bench.growth_plot import drawn
from bench.inside import wait_until_current
from recollect.errors import StatementEnded
from recollect.memory import Memory

SIZES = (1_000, 10_000, 100_000)
EMBEDDER = "static"
SLOPE_GOAL = 1.2  # of the last step, in powers of the size: n log n is 1.06 to 1.1 there
_PORTION = 1_000
_CALLS, _DEAR_CALLS, _DEAR_MS = 15, 3, 200.0
_RELATED = 200
_WRITES = frozenset({"add", "add 100", "update", "correct", "undo", "delete", "feedback", "relate", "publish", "turn"})

Figures = dict[str, dict[int, float]]  # milliseconds by verb and size


def main() -> int:
    options = _options()
    console = Console()
    figures: Figures = {}
    if options.read is not None:
        kept = json.loads(options.read.read_text(encoding="utf-8"))
        figures = {name: {int(size): ms for size, ms in row.items()} for name, row in kept.items()}
    with tempfile.TemporaryDirectory(prefix="recollect-growth-") as temporary:
        for size in options.size if options.read is None else ():
            folder = (options.folder or Path(temporary)) / str(size)
            if not (folder / data.STORE_FILE).exists():
                folder.mkdir(parents=True, exist_ok=True)
                with console.status(f"{size:,} records: filling"):
                    run("bench.growth:fill", folder=str(folder), size=size)
            with console.status(f"{size:,} records: calling"):
                for name, ms in run("bench.growth:calls", folder=str(folder), only=options.only).items():
                    figures.setdefault(name, {})[size] = ms
            _keep(figures, options)  # what was measured is not lost if a larger store takes too long
    console.print(_table(figures))
    _keep(figures, options)
    return 0


def _keep(figures: Figures, options: argparse.Namespace) -> None:
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if options.svg is not None:
        options.svg.write_text(drawn(figures), encoding="utf-8")


def fill(folder: str, size: int) -> int:
    """In a child: add everything, relate some of it, then wait for the indexes."""
    with recollect.open(Path(folder) / data.STORE_FILE, embedder=EMBEDDER) as mem:
        ids: list[str] = []
        for scope, first, count in data.portions(size, _PORTION):
            ids += mem.add(data.records(first, count), **scope).ids[:20]
        for before, after in pairwise(ids[:_RELATED]):
            mem.relate(before, after, "relates_to")
        wait_until_current(mem)
        mem.settle()
    return size


def calls(folder: str, only: str) -> dict[str, float]:
    """In a child: what each verb costs, in milliseconds."""
    with recollect.open(Path(folder) / data.STORE_FILE, embedder=EMBEDDER) as mem:
        wait_until_current(mem)
        mem.settle()
        return {
            name: _cost(call, time.process_time if name in _WRITES else time.thread_time)
            for name, call in _verbs(mem).items()
            if only in name
        }


def _cost(call: Callable[[int], object], clock: Callable[[], float]) -> float:
    """Milliseconds of processor of a call, the least of several; the first ones warm up."""
    call(0)
    times: list[float] = []
    most = _CALLS
    while len(times) < most:
        begun = clock()
        call(len(times) + 1)
        times.append(1e3 * (clock() - begun))
        most = _DEAR_CALLS if times[0] > _DEAR_MS else _CALLS
    return min(times)


def _verbs(mem: Memory) -> Mapping[str, Callable[[int], object]]:
    """Calls by verb; each is told the number of the call, so that none is answered from what the one before left."""
    questions = data.questions(40, seed=9)
    own = [
        f"{text} Noted {time.time_ns()}." for text in data.texts(0, 60, seed=76)
    ]  # not there, however often it is run
    ids = mem.add(own, project=data.PROJECT).ids
    user = {"user_id": data.user_name(0)}
    agent = {"agent_id": "rex", "project": data.PROJECT}
    names = [entity.name for entity in mem.entities(limit=20)] or ["Ana"]
    mem.subscribe(["growth"], agent_id="bo", project=data.PROJECT, rate=1_000_000)
    return {
        "add": lambda n: mem.add(f"{data.text(n, seed=77)} {time.time_ns()}", project=data.PROJECT),
        "add 100": lambda n: mem.add(data.texts(100 * n, 100, seed=78), project=data.PROJECT),
        "search, everything": lambda n: mem.search(questions[n % 40], reach="all"),
        "search, one user": lambda n: mem.search(questions[n % 40], **user),
        "search, metadata filter": lambda n: mem.search(
            questions[n % 40], filters={"metadata.number": {"gt": 500}}, project=data.PROJECT
        ),
        "search, as of a day": lambda n: mem.search(questions[n % 40], as_of="2025-06-01", project=data.PROJECT),
        "context": lambda n: mem.context(questions[n % 40], project=data.PROJECT),
        "get": lambda n: mem.get(ids[n % 60]),
        "get_all": lambda n: mem.get_all(limit=50, project=data.PROJECT),
        "get_all, metadata filter": lambda n: mem.get_all(
            filters={"metadata.number": {"gt": 500}}, limit=50, project=data.PROJECT
        ),
        "update": lambda n: mem.update(ids[n % 60], importance=0.5 + (n % 40) / 100),
        "correct": lambda n: _correct(mem, ids[20 + n % 20], f"{data.text(n, seed=79)} {time.time_ns()}"),
        "undo": lambda n: mem.undo(
            mem.add(f"{data.text(n, seed=80)} {time.time_ns()}", project=data.PROJECT).operation
        ),
        "delete": lambda n: mem.delete(ids[40 + n % 20]),
        "feedback": lambda n: mem.feedback(ids[n % 20], helpful=True),
        "relate": lambda n: mem.relate(ids[n % 20], ids[(n + 7) % 20], f"growth_{n}"),
        "related": lambda n: mem.related(ids[n % 20]),
        "relations": lambda n: mem.relations(limit=20),
        "history": lambda n: mem.history(ids[n % 20]),
        "operations": lambda n: mem.operations(limit=20),
        "entities": lambda n: mem.entities(limit=20),
        "entity": lambda n: mem.entity(names[n % len(names)]),
        "timeline": lambda n: mem.timeline(names[n % len(names)], project=data.PROJECT),
        "explain": lambda n: mem.explain(ids[n % 20]),
        "review": lambda n: mem.review(limit=20),
        "weak": lambda n: mem.weak(limit=20),
        "stats": lambda n: mem.stats(),
        "health": lambda n: mem.health(),
        "counts": lambda n: mem.counts(),
        "activity": lambda n: mem.activity(),
        "publish": lambda n: mem.publish(ids[n % 20], topics=["growth"], **agent),
        "inbox": lambda n: mem.bus.inbox(agent_id="bo", project=data.PROJECT),
        "promote, dry": lambda n: mem.promote("global", agent_id="rex", dry_run=True),
        "turn": partial(_turn, mem, questions),
    }


def _correct(mem: Memory, id_: str, text: str) -> None:
    with suppress(StatementEnded):  # what resembles it may have taken its place meanwhile
        mem.correct(id_, text, reason="growth")


def _turn(mem: Memory, questions: list[str], n: int) -> None:
    turn = mem.turns.begin(questions[n % 40], session_id="growth", agent_id="rex", project=data.PROJECT)
    mem.turns.end(turn.id, "Noted.")


def slope(row: Mapping[int, float]) -> float | None:
    """By which power of the size a verb's cost grows over its last step."""
    sizes = sorted(row)
    if len(sizes) < 2:
        return None
    small, large = sizes[-2:]
    return math.log(max(row[large], 1e-3) / max(row[small], 1e-3)) / math.log(large / small)


def _table(figures: Figures) -> Table:
    sizes = sorted({size for row in figures.values() for size in row})
    table = Table(title="milliseconds of processor by size of store", title_justify="left")
    table.add_column("verb")
    for size in sizes:
        table.add_column(f"{size:,}", justify="right")
    table.add_column("power", justify="right")
    for name, row in figures.items():
        power = slope(row)
        told = "" if power is None else f"{power:.2f}{' !' if power > SLOPE_GOAL else ''}"
        table.add_row(name, *(f"{row[size]:,.2f}" if size in row else "" for size in sizes), told)
    return table


def _options() -> argparse.Namespace:
    parser: Any = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=lambda text: [int(each) for each in text.split(",")], default=list(SIZES))
    parser.add_argument("--only", default="", help="verbs whose name holds this")
    parser.add_argument("--folder", type=Path, help="where stores are kept; a temporary one otherwise")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path, help="where the plot is written")
    parser.add_argument("--from", dest="read", type=Path, help="draw these figures and measure nothing")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
