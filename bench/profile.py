"""Where the time of one search and of one add goes: `python -m bench.profile [--size N]`.

Functions on the way are wrapped in a clock that knows who called whom on its thread, so that each line is a
function's own time, without what the clocked functions below it took. The engine's own stages are shown beside.
A function that was renamed since is reported as not found; the rest still adds up.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import recollect
from bench import data
from bench.inside import wait_until_current
from bench.measure import percentile, timed
from recollect.memory import Memory

_CLOCK_CALLS = 20_000  # to learn what the clock itself costs

SEARCH_POINTS = (
    "recollect.index.follow:Indexes.current",
    "recollect.store.sqlite.store:SqliteStore.change_seq",
    "recollect.recall.question.plan:Planner.plan",
    "recollect.recall.sources.vector:VectorSource.ahead",
    "recollect.recall.pipeline:select_in",
    "recollect.store.scopes:Scopes.visible",
    "recollect.recall.gather:Gatherer.gather",
    "recollect.index.text.tantivy:TantivyText.search",
    "recollect.store.vectors:Vectors.spaces",
    "recollect.providers.embedders.wordllama:WordLlamaEmbedder.embed",
    "recollect.index.vector.flat:FlatVectors.search",
    "recollect.index.vector.hnsw:HnswVectors.search",
    "recollect.recall.pipeline:warm_ground",
    "recollect.recall.pipeline:rank",
    "recollect.recall.pipeline:answerability",
    "recollect.recall.finish:Finisher.finish",
    "recollect.recall.answer:load_hits",
    "recollect.recall.access:AccessLog.note",
)
ADD_POINTS = (
    "recollect.ingest.pipeline:draft",
    "recollect.ingest.material:understand",
    "recollect.ingest.embedding:Embedding.prepare",
    "recollect.ingest.material:terms_of",
    "recollect.store.sqlite.store:SqliteStore.write",
    "recollect.store.sqlite.writer:Writer._transaction",
    "recollect.store.sqlite.writer:Writer._begin",
    "recollect.store.sqlite.writer:Writer._attempt",
    "recollect.store.scopes:Scopes.ensure",
    "recollect.store.journal:Journal.begin",
    "recollect.ingest.recognition:Recognition.repeats",
    "recollect.store.records:Records.insert",
    "recollect.store.sqlite.fts:TextSearch.put",
    "recollect.store.journal:Op.inserted",
    "recollect.store.changes:Changes.announce",
    "recollect.store.vectors:Vectors.put",
    "recollect.ingest.writer:MaterialWriter._note_names",
    "recollect.ingest.writer:MaterialWriter.store_statements",
    "recollect.store.edges:Edges.insert_chain",
    "recollect.store.journal:Op.finish",
)


class Clocks:
    """Own time and calls by point, summed over threads."""

    def __init__(self) -> None:
        self.own_s: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self.missing: list[str] = []
        self._threads = threading.local()

    def install(self, points: tuple[str, ...]) -> None:
        for point in points:
            module, _, path = point.partition(":")
            *holders, name = path.split(".")
            try:
                owner: Any = import_module(module)
                for holder in holders:
                    owner = getattr(owner, holder)
                setattr(owner, name, self.clocked(path, getattr(owner, name)))
            except (ImportError, AttributeError):
                self.missing.append(point)

    def clocked(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            below: list[float] = self._threads.__dict__.setdefault("below", [0.0])
            below.append(0.0)
            start = time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                took = time.perf_counter() - start
                self.own_s[name] += took - below.pop()
                self.calls[name] += 1
                below[-1] += took

        return wrapper

    def clear(self) -> None:
        self.own_s.clear()
        self.calls.clear()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=5_000, help="records in the store")
    parser.add_argument("--calls", type=int, default=300, help="searches and adds to average over")
    options = parser.parse_args()
    console = Console()
    with (
        tempfile.TemporaryDirectory(prefix="recollect-profile-") as folder,
        recollect.open(Path(folder) / data.STORE_FILE) as mem,
    ):
        with console.status("loading"):
            for scope, first, count in data.portions(options.size, 1_000):
                mem.scoped(**scope).add(data.records(first, count))
            wait_until_current(mem)
        _profile(mem, options.size, options.calls, console)


def _profile(mem: Memory, size: int, count: int, console: Console) -> None:
    questions, texts = data.questions(count), data.texts(0, count, seed=5)

    def search(question: str) -> Any:
        return mem.search(question, reach="all")

    def add(text: str) -> Any:
        return mem.add(text, user_id="profile", metadata={"team": "core"})

    timed(search, questions[:50])
    timed(add, texts[:50])
    wait_until_current(mem)
    plain_search = percentile(timed(search, questions), 0.5)
    stages = _stages([search(question).quality.stages_ms for question in questions])
    plain_add = percentile(timed(add, texts), 0.5)
    wait_until_current(mem)

    clocks = Clocks()
    clocks.install(tuple(dict.fromkeys((*SEARCH_POINTS, *ADD_POINTS))))
    works = (("search", search, questions, plain_search), ("single add", add, texts, plain_add))
    for title, call, items, median in works:
        heading = f"one {title} of {size:,} records: {median:.3f} ms without clocks"
        _show(heading, *_clocked(clocks, call, items), console)
        if title == "search":
            console.print("stages: " + ", ".join(f"{name} {ms:.3f} ms" for name, ms in stages.items()))
    if clocks.missing:
        console.print(f"not found, renamed perhaps: {', '.join(clocks.missing)}")


def _stages(found: list[dict[str, float]]) -> dict[str, float]:
    return {name: percentile([stages[name] for stages in found if name in stages], 0.5) for name in found[0]}


def _clocked(
    clocks: Clocks, call: Callable[[str], Any], items: list[str]
) -> tuple[dict[str, float], dict[str, float], float]:
    """Median own microseconds by point, mean calls by point, and the median of the whole, with clocks."""
    own: defaultdict[str, list[float]] = defaultdict(list)
    calls: Counter[str] = Counter()
    took: list[float] = []
    for item in items:
        clocks.clear()
        took += timed(call, [item])
        calls.update(clocks.calls)
        for name, seconds in list(clocks.own_s.items()):
            own[name].append(seconds * 1e6)
    often = {name: found for name, found in own.items() if len(found) > len(items) // 2}
    medians = {name: percentile(found, 0.5) for name, found in often.items()}
    return medians, {name: calls[name] / len(items) for name in medians}, percentile(took, 0.5) * 1e3


def _show(title: str, own_us: dict[str, float], calls: dict[str, float], wall_us: float, console: Console) -> None:
    """Most first. `SqliteStore.write` waits while the writer's thread works, so sums may exceed the wall."""
    table = Table(title=title, title_justify="left", min_width=60)
    table.add_column("function")
    for heading in ("own µs", "calls"):
        table.add_column(heading, justify="right")
    for name, us in sorted(own_us.items(), key=lambda item: -item[1]):
        table.add_row(name, f"{us:.1f}", f"{calls[name]:.1f}")
    table.add_row("wall, with clocks", f"{wall_us:.1f}", "")
    table.add_row("cost of one clock", f"{_clock_cost_us():.1f}", "")
    console.print(table)


def _clock_cost_us() -> float:
    empty = Clocks().clocked("empty", lambda: None)
    start = time.perf_counter()
    for _ in range(_CLOCK_CALLS):
        empty()
    return (time.perf_counter() - start) / _CLOCK_CALLS * 1e6


if __name__ == "__main__":
    main()
