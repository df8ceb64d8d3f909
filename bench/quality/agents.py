"""How much memory spares a simulated agent: a policy over real histories, with and without memory.

    python -m bench.quality --set agents

A session is a commit, in the order of the history. The agent works in the tree as it was before, is asked in the words
of the commit's first line, and needs the files that the commit changed. It does not know which these are; it knows a
needed file when it has seen its text, and edits it at once. A search finds four files, the right one eight times of
ten; the agent reads three. Some files break a test until another file is edited too. What an agent read long ago it
has lost and reads again before it edits.

With memory, what hooks say reaches the agent as text (`POST /v1/hooks`): it knows the files whose text it is told, and
looks at those that change with one it is about to edit. It asks the tools of the set `coding`: a map for the words of
the task first, what the first file affects that it needs, and before it runs the tests what is known to fail. Each of
these questions counts as a call, and so does each file it reads in vain. Without memory the same agent has neither.
Nobody reviews what was inferred. Texts are real, so the graph of code and the history are.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

import recollect
from bench.quality.clones import Clone, Tree, clones, work_in
from bench.quality.figures import Figure
from bench.quality.planted import EMBEDDER, Clock
from bench.quality.policy import Agent, Tally
from recollect.clock import SECOND_US

SEEDS = range(200, 203)
SESSIONS = 36
LATER = 15  # sessions, after which memory is held to know something
_BETWEEN_US = 6 * 3600 * SECOND_US


def measure(baselines: bool) -> list[Figure]:
    figures: list[Figure] = []
    for clone in clones():
        runs = [(simulate(clone, seed, memory=True), simulate(clone, seed, memory=False)) for seed in SEEDS]
        figures += figures_of(clone.name, [run for run, _ in runs], [run for _, run in runs])
    return figures


def figures_of(name: str, with_memory: Sequence[list[Tally]], without: Sequence[list[Tally]]) -> Iterator[Figure]:
    for after, sessions in (("at first", (0, 5)), ("after 15", (LATER, 25)), ("after 30", (30, SESSIONS))):
        yield _beside(f"discovery calls {after}, {name}", with_memory, without, sessions, _discovery)
    yield _beside(f"rereads, {name}", with_memory, without, (LATER, SESSIONS), _rereads)
    for by, sessions in ((20, (LATER, 25)), (30, (25, SESSIONS))):
        yield _beside(f"known errors again by {by}, {name}", with_memory, without, sessions, _recurrences)
    told = [(sum(each.apt for each in run), sum(each.warned for each in run)) for run in with_memory]
    shares = [apt / warned for apt, warned in told if warned]
    note = f"{sum(warned for _, warned in told)} warnings; {_spread(shares)}" if shares else "none was told"
    yield Figure(name=f"warnings that are apt, {name}", value=mean(shares) if shares else None, note=note)
    spared = [_looked(other) - _looked(run) for run, other in zip(with_memory, without, strict=True)]
    injected = [mean(each.injected for each in run[LATER:]) for run in with_memory]
    net = [less - said for less, said in zip(spared, injected, strict=True)]
    note = f"{_spread(net)}; {mean(spared):+.0f} looked at less, {mean(injected):.0f} said"
    yield Figure(name=f"net tokens saved a session, {name}", value=mean(net), note=note)


def _beside(name: str, ours: Any, theirs: Any, sessions: tuple[int, int], figure: Any) -> Figure:
    values = [figure(run[slice(*sessions)]) for run in ours]
    others = [figure(run[slice(*sessions)]) for run in theirs]
    return Figure(name=name, value=mean(values), baseline=mean(others), note=_spread(values))


def _discovery(run: Sequence[Tally]) -> float:
    return mean(each.discovery for each in run)


def _rereads(run: Sequence[Tally]) -> float:
    return sum(each.rereads for each in run) / max(1, sum(each.reads for each in run))


def _looked(run: Sequence[Tally]) -> float:
    return mean(each.looked for each in run[LATER:])


def _recurrences(run: Sequence[Tally]) -> float:
    return mean(each.recurrences for each in run)


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.2f} … {max(values):.2f}, s {pstdev(values):.2f} over {len(values)} seeds" if values else ""


def simulate(clone: Clone, seed: int, *, memory: bool, sessions: int = SESSIONS) -> list[Tally]:
    """One row of tasks, worked through with or without memory."""
    work = work_in(clone, random.Random(f"{clone.name} {seed}"), sessions)
    chance = random.Random(f"{clone.name} {seed} agent")
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(clone, Path(folder, "work"))
        with recollect.open(
            Path(folder, "m.db"),
            embedder=EMBEDDER,
            clock=clock,
            background=False,
            config={"observe.inject": memory, "codegraph.check_s": 3_600},
        ) as store:
            known: set[str] = set()
            tallies = []
            for number, task in enumerate(work.tasks):
                clock.now += _BETWEEN_US
                tree.at(task.before)
                if memory:
                    store.code.index(tree.top, name="work")
                agent = Agent(store, clock, tree, work.faults, f"s{number}", chance, memory=memory)
                tallies.append(agent.work(task, known))
        return tallies
