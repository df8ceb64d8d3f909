"""Adding: one at a time, in batches, as turns of a conversation; and how soon the indexes have followed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import recollect
from bench import data, floor
from bench.child import run
from bench.inside import indexed, wait_until_current
from bench.measure import Figure, Stopwatch, in_turns, latency, rss_mb, timed
from bench.plan import Plan
from recollect.memory import Memory

GROUP = "writes"


def load(folder: Path, size: int, plan: Plan) -> list[Figure]:
    """Fill the store that later measurements read; what that took."""
    found = run("bench.writes:fill", folder=str(folder), size=size, portion=plan.portion)
    bare = run("bench.floor:build", folder=str(folder), size=size)
    bulk = run("bench.floor:batch", folder=str(folder), size=min(size, plan.batch_max), portion=plan.portion)
    return [
        Figure(
            group=GROUP,
            name="batch add, with fields",
            size=size,
            per_s=found["per_s"],
            floor={"per_s": bulk["per_s"]},
            note=_bare_note(bulk),
        ),
        Figure(
            group=GROUP,
            name="index catch-up",
            size=size,
            per_s=found["catch_up_per_s"],
            note=f"{found['lag_s']:.1f} s after the last acknowledgement; overall {found['overall_per_s']:,.0f}/s",
        ),
        Figure(group=GROUP, name="memory, loaded", size=size, rss_mb=found["rss_mb"], floor={"rss_mb": bare["rss_mb"]}),
    ]


def measure(folder: Path, size: int, plan: Plan) -> list[Figure]:
    """Single adds to the loaded store, and batches into fresh ones."""
    singles = run("bench.writes:single", folder=str(folder), size=size, adds=plan.adds, threads=plan.threads)
    batch_size = min(size, plan.batch_max)
    bulk = run("bench.floor:batch", folder=str(folder), size=batch_size, portion=plan.portion)
    batches = [
        Figure(
            group=GROUP,
            name=f"batch add, {what}",
            size=batch_size,
            floor={"per_s": bulk["per_s"]},
            note=_bare_note(bulk),
            per_s=run("bench.writes:batch", folder=str(folder), what=what, size=batch_size, portion=plan.portion),
        )
        for what in ("texts", "turns")
    ]
    return [*(Figure(**figure) for figure in singles), *batches]


def _bare_note(bulk: dict[str, float]) -> str:
    return f"bare: embedding {bulk['embedding_per_s']:,.0f}/s, inserting {bulk['inserting_per_s']:,.0f}/s"


def fill(folder: str, size: int, portion: int) -> dict[str, float]:
    """In a child: load everything, then wait for the indexes."""
    with recollect.open(Path(folder) / data.STORE_FILE) as mem:
        mem.add("The first record loads the embedder.")
        acknowledged_s = 0.0
        begin = Stopwatch()
        for scope, first, count in data.portions(size, portion):
            items = data.records(first, count)
            watch = Stopwatch()
            _add(mem, items, **scope)
            acknowledged_s += watch.s
        waiting = size + 1 - indexed(mem)
        lag = Stopwatch()
        wait_until_current(mem)
        lag_s = lag.s
        overall = size / begin.s
        for question in data.questions(50):
            mem.search(question, reach="all")
        return {
            "per_s": size / acknowledged_s,
            "lag_s": lag_s,
            "catch_up_per_s": waiting / lag_s if waiting else size / max(lag_s, 1e-3),
            "overall_per_s": overall,
            "rss_mb": rss_mb(),
        }


def single(folder: str, size: int, adds: int, threads: int) -> list[dict[str, Any]]:
    """In a child: durable adds one by one, in turn with bare inserts; then from several threads at once."""
    table = floor.BareTable(Path(folder) / "floor-single.db")
    texts = data.texts(0, adds, seed=2)
    with recollect.open(Path(folder) / data.STORE_FILE) as mem:
        wait_until_current(mem)
        mem.add("The first one makes the connections.", user_id="single")
        times = in_turns(
            {
                "floor": lambda text: table.insert(floor.rows_of(0, [text], [bytes(2 * floor.DIMENSIONS)])[0]),
                "add": lambda text: mem.add(text, user_id="single", metadata={"team": "core"}),
            },
            texts,
        )
        crowd_ms, crowd_s = _crowd(mem, adds, threads)
    table.close()
    return [
        latency(GROUP, "single add", times["add"], size=size, floor_ms=times["floor"]).to_dict(),
        latency(GROUP, f"single add, {threads} threads", crowd_ms, size=size, per_s=len(crowd_ms) / crowd_s).to_dict(),
    ]


def _crowd(mem: Memory, adds: int, threads: int) -> tuple[list[float], float]:
    """Milliseconds of each add, and seconds of all of them."""
    times: list[float] = []

    def work(number: int) -> None:
        texts = data.texts(0, adds // threads + 1, seed=10 + number)
        times.extend(timed(lambda text: mem.add(text, user_id="crowd"), texts))

    crowd = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    watch = Stopwatch()
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    return times, watch.s


def batch(folder: str, what: str, size: int, portion: int) -> float:
    """In a child: records a second into a fresh store, given in portions."""
    acknowledged_s = 0.0
    with recollect.open(Path(folder) / f"batch-{what}.db") as mem:
        mem.add("The first record loads the embedder.")
        for first in range(0, size, portion):
            count = min(portion, size - first)
            items: list[Any] = data.texts(first, count) if what == "texts" else data.turns(first, count)
            watch = Stopwatch()
            _add(mem, items, **({} if what == "texts" else {"session_id": f"session-{first}"}))
            acknowledged_s += watch.s
    return size / acknowledged_s


def _add(mem: Memory, items: list[Any], **where: Any) -> None:
    receipt = mem.add(items, **where)
    assert len(receipt.ids) == len(items), "not everything was kept"
