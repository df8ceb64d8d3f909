"""How records fade, with a clock that is moved: what replay and feeling hold up, and that a store stops growing.

    python -m bench.quality.fading

Everything goes through the engine: records are added and searched for as users do it, and runs of upkeep do the rest.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.quality.figures import Figure
from recollect.clock import DAY_US
from recollect.memory import Memory
from recollect.model.scope import Scope
from recollect.upkeep.forgetting.decay import DecayStep
from recollect.upkeep.forgetting.replay import ReplayStep
from recollect.upkeep.forgetting.strength import fading
from recollect.upkeep.runs.activity import Activity
from recollect.upkeep.runs.run import UpkeepStep
from recollect.upkeep.runs.runner import Runner
from recollect.wiring import open_memory

DAYS = 90
RECORDS = 100  # of each sort that is compared
TURNS_A_DAY, GROWING_DAYS = 40, 270
MANY = 100_000
FELT = 0.45  # just below what never fades
_START = 20_000 * DAY_US
_PEOPLE = ("Ana", "Ben", "Carla", "Dana", "Eva", "Finn", "Gwen")
_SAID = (
    "I met {who} at the station on platform {n}.",
    "I use tool number {n} for the reports of {who}.",
    "I paid {n} euros for the gift of {who}.",
    "{who} and I reviewed change {n} of the gateway.",
    "My ticket {n} about the cache of {who} is open.",
    "I read chapter {n} of the book that {who} lent me.",
)


class Moved:
    """A clock that is moved, and ticks when it is looked at."""

    def __init__(self) -> None:
        self.now = _START

    def __call__(self) -> int:
        self.now += 1
        return self.now

    def skip(self, days: float) -> None:
        self.now += int(days * DAY_US)


class Lived(NamedTuple):
    """How a group of records fared: the mean share of its strength it had lost by day 90, and its mean life in days."""

    lost: float
    days: float


@contextmanager
def opened(embedder: str | None = "fake") -> Iterator[tuple[Memory, Moved]]:
    clock = Moved()
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(
            Path(folder) / "m.db", embedder=embedder, clock=clock, config={"store.durable": False}
        )  # what is measured is what happens, not the disk
        try:
            yield memory, clock
        finally:
            memory.close()


def measure(baselines: bool) -> list[Figure]:
    replayed, left_alone = _replay()
    felt, neutral = _feeling()
    kept = f"{RECORDS} records each, used three times; without replay {left_alone.days:.0f} days"
    return [
        Figure(name="replayed: less lost in 90 days", value=1 - replayed.lost / left_alone.lost, note=kept),
        Figure(
            name="replayed: slower until archived",
            value=1 - left_alone.days / replayed.days,
            note=f"{replayed.days:.0f} days",
        ),
        Figure(
            name="felt: longer until archived",
            value=felt.days / neutral.days - 1,
            note=f"arousal {FELT:g}: {felt.days:.0f} days, neutral {neutral.days:.0f}; from 0.5 on never",
        ),
        *_growth(),
        *_speed(),
    ]


# --- who lives how long ---------------------------------------------------------------------------------------------


def _replay() -> tuple[Lived, Lived]:
    """The same records in two scopes; in one of them replay goes over them every night. Without an embedder, so that
    nothing but going over them makes the difference."""
    with opened(embedder=None) as (memory, clock):
        scopes = Scope(user_id="ana"), Scope(user_id="ben")
        groups = [_added(memory, scope) for scope in scopes]
        for pks in groups:
            for _ in range(3):
                memory._engine.access.note(pks)
        memory._engine.access.flush()
        step = ReplayStep(memory._engine.indexes, memory._engine.embedder)
        lived = _lives(memory, clock, groups, nightly=[(scopes[0], step)])
    return lived[0], lived[1]


def _feeling() -> tuple[Lived, Lived]:
    with opened(embedder=None) as (memory, clock):
        felt, neutral = _added(memory, Scope(user_id="ana")), _added(memory, Scope(user_id="ben"))
        gain = memory.config.affect.strength_gain
        memory._engine.store.write(
            lambda tx: tx.sql.run(
                "UPDATE record SET arousal = ?, strength = ? WHERE pk IN KEYS(?)",
                (FELT, 1.0 + gain * FELT, tx.sql.keys(felt)),
            )
        )
        lived = _lives(memory, clock, [felt, neutral], nightly=[])
    return lived[0], lived[1]


def _added(memory: Memory, scope: Scope) -> list[int]:
    said = [f"note {n} about subject {n * 7 % 31} and thing {n * 11 % 17}" for n in range(RECORDS)]
    ids = memory.add(said, infer=False, **dict(scope.items())).ids
    with memory._engine.store.read() as tx:
        return [tx.records.find_pk(one, None, now=0) for one in ids]


def _lives(
    memory: Memory, clock: Moved, groups: Sequence[Sequence[int]], *, nightly: Sequence[tuple[Scope, UpkeepStep]]
) -> list[Lived]:
    """Night after night until all of them are archived."""
    engine = memory._engine
    runner = Runner(engine.store, engine.config, clock, Activity())
    ends: dict[int, int] = {}
    lost: list[float] = []
    for day in range(1, 2_000):
        clock.skip(1)
        for scope, step in nightly:
            runner.run("replay", [step], scope=scope)
        runner.run("decay", [DecayStep()])
        with engine.store.read() as tx:
            if day == DAYS:
                states = [fading(tx.imprints.of(group), clock.now, memory.config) for group in groups]
                lost = [float((1 - state.strength / state.full).mean()) for state in states]
            archived = tx.sql.all("SELECT pk FROM record WHERE tier = 'archive' AND head_pk IS NULL")
        ends |= {pk: day for (pk,) in archived if pk not in ends}
        if len(ends) == sum(map(len, groups)):
            break
    return [Lived(lost[at], float(np.mean([ends[pk] for pk in group]))) for at, group in enumerate(groups)]


# --- how far a store grows, and how long forgetting takes -----------------------------------------------------------


def _growth() -> list[Figure]:
    """Turns of every day, one in ten of which somebody asks for, and a run every week."""
    lots = random.Random(7)
    sizes: dict[int, int] = {}
    with opened() as (memory, clock):
        engine = memory._engine
        runner = Runner(engine.store, engine.config, clock, Activity())
        for day in range(1, GROWING_DAYS + 1):
            turns = [_turn(lots, day * TURNS_A_DAY + n) for n in range(TURNS_A_DAY)]
            memory.add(turns, session_id=f"day {day}", user_id="ana")
            for turn in turns[:: TURNS_A_DAY // 4]:
                memory.search(turn["content"], user_id="ana", session_id=f"day {day}", top_k=1)
            engine.access.flush()
            clock.skip(1)
            if day % 7 == 0:
                runner.run("decay", [DecayStep()])
            if day % 90 == 0:
                runner.run("decay", [DecayStep()])
                with engine.store.read() as tx:
                    sizes[day] = int(tx.sql.value(_SEARCHED))
    last, before = sizes[GROWING_DAYS], sizes[GROWING_DAYS - 90]
    told = ", ".join(f"{count} on day {day}" for day, count in sizes.items())
    return [
        Figure(
            name="growth in the third quarter",
            value=last / before - 1,
            note=f"records searched: {told}; {TURNS_A_DAY * GROWING_DAYS} turns in all",
        )
    ]


_SEARCHED = "SELECT count(*) FROM record WHERE head_pk IS NULL AND retired_at IS NULL AND tier = 'longterm'"


def _turn(lots: random.Random, number: int) -> dict[str, str]:
    return {"role": "user", "name": "Ana", "content": lots.choice(_SAID).format(who=lots.choice(_PEOPLE), n=number)}


def _speed() -> list[Figure]:
    with opened(embedder=None) as (memory, clock):
        engine = memory._engine
        for start in range(0, MANY, 5_000):
            memory.add([f"note {n} about subject {n % 977}" for n in range(start, start + 5_000)], infer=False)
        runner = Runner(engine.store, engine.config, clock, Activity())
        started = time.perf_counter()
        runner.run("decay", [DecayStep()])
        looked = time.perf_counter() - started
        clock.skip(100)
        used = "UPDATE record SET access_count = 1, last_access = ? WHERE pk % 100 <> 0"
        engine.store.write(lambda tx: tx.sql.run(used, (clock.now,)))
        started = time.perf_counter()
        archived = runner.run("decay", [DecayStep()]).counts["archived"]
        moved = time.perf_counter() - started
    return [
        Figure(name="s to look at 100,000 records", value=looked, note="nothing has faded"),
        Figure(name="s to archive one in a hundred", value=moved, note=f"{archived} of them"),
    ]


if __name__ == "__main__":
    for figure in measure(baselines=True):
        print(f"{figure.name:34} {figure.value:8.3f}  {figure.note}")
