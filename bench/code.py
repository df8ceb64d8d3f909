"""The graph of a project's code: taking it in, an edit, a look for changes, what a change reaches.

Measured on Django, which pip downloads once; with `--quick`, or without a network, on this package. Each figure
stands beside what the bare parts take for it: the parser, `stat`, the import of numpy. Times are of CPU, so that what
else a machine does counts little.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import recollect
from bench.child import run
from bench.measure import Figure, latency
from bench.plan import QUICK, Plan
from bench.quality.code_calls import Package, fetched
from bench.quality.sets import NoData
from bench.starts import Starter

GROUP = "code"
DJANGO = Package("django", "5.2.19")
EDITS, LOOKS, ASKED = 12, 5, 400
MANY = 500_000  # nodes of a graph that is possible
SYMBOLS_A_FILE, CALLS_A_SYMBOL = 50, 3

# A program of its own: anything the benchmark imports would be missing from what it measures.
_ASKED_ONCE = """
import sys, time
began = time.process_time()
import recollect
with recollect.open(sys.argv[1], embedder=None, background=False) as memory:
    memory.code.impact(sys.argv[2])
    print((time.process_time() - began) * 1e3)
"""
_NUMPY = """
import time
began = time.process_time()
import numpy
print((time.process_time() - began) * 1e3)
"""


def measure_once(folder: Path, plan: Plan) -> list[Figure]:
    root = folder / "project"
    try:
        source = Path(recollect.__file__).parent if plan is QUICK else fetched(DJANGO)
    except NoData:
        source = Path(recollect.__file__).parent
    shutil.copytree(source, root / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".git").mkdir()
    store = folder / "code.db"
    figures = [Figure(**figure) for figure in run("bench.code:taken_in", root=str(root), store=str(store))]
    figures += [Figure(**figure) for figure in run("bench.code:asked", store=str(store))]
    start = Starter(folder)
    path = run("bench.code:some_file", store=str(store))
    start.output(_ASKED_ONCE, str(store), path)  # compiles what the others find compiled
    fresh = [float(start.output(_ASKED_ONCE, str(store), path)) for _ in range(plan.starts)]
    floor = [float(start.output(_NUMPY)) for _ in range(plan.starts)]
    note = "CPU after the interpreter's start: import, open, read the graph, answer; floor: import numpy"
    figures.append(latency(GROUP, "impact, fresh process", fresh, floor_ms=floor, note=note))
    if plan is not QUICK:
        figures += [Figure(**figure) for figure in run("bench.code:at_scale")]
    return figures


def taken_in(root: str, store: str) -> list[dict[str, Any]]:
    """In a child: all files once, then edits of one, then looks at all."""
    place = Path(root)
    with recollect.open(store, embedder=None, background=False) as memory:
        spent, report = _cpu_ms(lambda: memory.code.index(place))
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # at its highest
        paths = sorted({edge.target_path for edge in memory.code.edges("calls") if edge.target_path})
        files = [place / path for path in sorted(_files_of(memory))]
        parsed, bare = _cpu_ms(lambda: _parsed(files))
        size = f"{report['files']:,} files, {report['nodes']:,} nodes, {sum(report['edges'].values()):,} edges"
        note = f"CPU; {size}; floor: {bare} files read and parsed"
        figures = [
            Figure(group=GROUP, name="index, all files", p50_ms=spent, rss_mb=rss, floor={"p50_ms": parsed}, note=note)
        ]
        edited: list[float] = []
        floor: list[float] = []
        for path in random.Random(5).sample(paths, min(EDITS, len(paths))):
            with open(place / path, "a", encoding="utf-8") as file:
                file.write("\n\ndef added_by_the_bench():\n    return 1\n")
            edited.append(_cpu_ms(lambda path=path: memory.code.index(place / path))[0])
            floor.append(_cpu_ms(lambda path=path: _parsed([place / path]))[0])
        note = "CPU; a function is added; floor: the file read and parsed"
        figures.append(latency(GROUP, "one file edited", edited, floor_ms=floor, note=note))
        looks = [_cpu_ms(memory.code.status)[0] for _ in range(LOOKS)]
        stats = [_cpu_ms(lambda: [os.stat(file) for file in files])[0] for _ in range(LOOKS)]
        note = "CPU; all files, by size and time; floor: stat of each"
        figures.append(latency(GROUP, "look for changes", looks, floor_ms=stats, note=note))
        kept = memory._engine.store.size_bytes() / 1e6
        figures.append(Figure(group=GROUP, name="size of the store", note=f"{kept:.1f} MB"))
    return [figure.to_dict() for figure in figures]


def asked(store: str) -> list[dict[str, Any]]:
    """In a child: what changes of files and symbols reach, one after the other; floor: the same walk and no more."""
    with recollect.open(store, embedder=None, background=False, config={"codegraph.check_s": 3600}) as memory:
        edges = [edge for edge in memory.code.edges("calls") if edge.target_path]
        chosen = random.Random(7).sample(edges, min(ASKED, len(edges)))
        names = [f"{edge.target_path}::{edge.target_symbol}" for edge in chosen]
        questions = memory._engine.code.asked(None, lambda _: True, lambda _: memory._walk({}, None, None)).questions
        memory.code.impact(names[0])
        times = [_cpu_ms(lambda name=name: memory.code.impact(name))[0] for name in names]
        floor = [
            _cpu_ms(lambda name=name: questions._reaching(questions.meant(name), 3, back=True))[0] for name in names
        ]
        nodes = memory.code.status()["nodes"]
    note = f"CPU; symbols that are called, of {nodes:,} nodes; floor: the walk alone"
    return [latency(GROUP, "impact, warm", times, floor_ms=floor, note=note).to_dict()]


def some_file(store: str) -> str:
    """In a child: the path of a file that others use."""
    with recollect.open(store, embedder=None, background=False, config={"codegraph.check_s": 3600}) as memory:
        return max(_files_of(memory), key=lambda path: memory._engine.code.reach(None, path, lambda _: True)["direct"])


def at_scale() -> list[dict[str, Any]]:
    """In a child: a graph of very many nodes, made up as rows of the store, read and asked."""
    import numpy as np
    import orjson

    from recollect.code.graph import CodeGraph
    from recollect.code.packed import EDGE
    from recollect.code.questions import CodeQuestions, Wanted
    from recollect.config.coding import CodeGraphSettings

    dice = np.random.default_rng(3)
    files = MANY // SYMBOLS_A_FILE
    rows: list[tuple[int, str, bytes, bytes, bytes, bytes]] = []
    keys = np.arange(MANY, dtype="<u8") * 7919 + 1  # the keys of real nodes are hashes, as large and as scattered
    popular = (dice.pareto(1.2, MANY * CALLS_A_SYMBOL) * 40).astype(np.int64) % MANY
    for at in range(files):
        own = keys[at * SYMBOLS_A_FILE : (at + 1) * SYMBOLS_A_FILE]
        symbols = [["", "file", 1, 500], *([f"f{at}_{n}", "function", n, n] for n in range(1, SYMBOLS_A_FILE))]
        edges = np.zeros(SYMBOLS_A_FILE * CALLS_A_SYMBOL, dtype=EDGE)
        edges["source"] = np.repeat(np.arange(SYMBOLS_A_FILE), CALLS_A_SYMBOL)
        edges["target"] = keys[popular[at * len(edges) : (at + 1) * len(edges)]]
        edges["kind"] = 1
        row = (at + 1, f"p{at % 97}/m{at}.py", orjson.dumps(symbols), own.tobytes(), edges.tobytes(), b"[]")
        rows.append(row)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    read, graph = _cpu_ms(lambda: CodeGraph(rows))
    questions = CodeQuestions(graph, Path("/nowhere"), CodeGraphSettings())
    wanted = Wanted(50)
    first, _ = _cpu_ms(lambda: questions.impact(graph.label(SYMBOLS_A_FILE + 1), wanted, depth=3))
    names = [graph.label(int(node)) for node in dice.choice(popular, 200) if graph.symbol(int(node))]
    times = [_cpu_ms(lambda name=name: questions.impact(name, wanted, depth=3))[0] for name in names]
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
    size = f"{MANY:,} nodes, {graph.edge_count:,} edges"
    note = f"CPU; {size}, made up; read in {read:,.0f} ms, first answer {first:,.0f} ms"
    figure = latency(GROUP, "impact, very many nodes", times, note=note).to_dict()
    return [figure | {"rss_mb": rss}]


def _files_of(memory: recollect.Memory) -> Sequence[str]:
    row = memory._engine.code.projects(lambda _: True)[0]
    with memory._engine.store.read() as tx:
        return [path for path, each in tx.code.standing(row.pk).items() if each.refused is None]


def _parsed(files: Sequence[Path]) -> int:
    """How many files the bare parser has read."""
    from recollect.structure.languages import parser_of

    parser = parser_of("python")
    assert parser is not None
    count = 0
    for file in files:
        if file.suffix == ".py":
            parser.parse(file.read_bytes())
            count += 1
    return count


def _cpu_ms(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    answer = work()
    return (time.process_time() - began) * 1000, answer
