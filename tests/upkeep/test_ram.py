"""Memory within what is set: what is let go, in which order, and how it comes back."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.config import LiveConfig
from recollect.index.base import Pressure
from recollect.perceive.traits import topics
from recollect.upkeep.ram import RamStep, RamWatch, clear_caches

NAMES = ["a", "b", "c"]


class Machine:
    """A process of which everything is known."""

    def __init__(self, **settings: Any) -> None:
        self.mb, self.now, self.did = 0.0, 0.0, list[str]()
        steps = [RamStep(name, self._note(f"-{name}"), self._note(f"+{name}")) for name in NAMES]
        config = {"ram.budget_mb": 100, **{f"ram.{name}": value for name, value in settings.items()}}
        self.live = LiveConfig(config)
        watched: dict[str, Any] = {"resident": lambda: self.mb, "seconds": lambda: self.now}
        self.watch = RamWatch(steps, self._note("."), self.live, **watched)

    def _note(self, what: str) -> Any:
        return lambda: self.did.append(what)

    def look(self, mb: float, after_s: float = 1.0) -> list[str]:
        self.mb, self.now, before = mb, self.now + after_s, len(self.did)
        self.watch.look()
        return self.did[before:]


def test_one_thing_after_the_other_is_let_go_and_comes_back_last_first() -> None:
    machine = Machine()
    assert machine.look(79) == []
    assert machine.look(80) == ["-a", "."]
    assert machine.watch.level is Pressure.ELEVATED
    assert machine.look(85) == ["-b", "."]
    assert machine.watch.shed == ["a", "b"]
    assert machine.look(75) == []  # between the two shares nothing happens
    assert machine.look(60) == []
    assert machine.look(60, 29) == []
    assert machine.look(60, 2) == ["+b"]
    assert machine.look(75, 100) == []
    assert machine.look(60, 1) == []  # calm begins anew
    assert machine.look(60, 31) == ["+a"]
    assert (machine.watch.shed, machine.watch.level) == ([], Pressure.NORMAL)


def test_near_the_bound_everything_goes_at_once() -> None:
    machine = Machine()
    assert machine.look(96) == ["-a", "-b", "-c", "."]
    assert machine.watch.level is Pressure.CRITICAL
    assert machine.look(97) == ["."]
    assert machine.look(97, 6) == ["-a", "-b", "-c", "."]  # what was read again meanwhile


def test_what_was_taken_back_in_vain_is_taken_back_later() -> None:
    machine = Machine()
    machine.look(80)
    machine.look(60)
    assert machine.look(60, 31) == ["+a"]
    assert machine.look(85) == ["-a", "."]
    machine.look(60)
    assert machine.look(60, 31) == []
    assert machine.look(60, 31) == ["+a"]


def test_without_a_bound_nothing_is_let_go_and_what_was_comes_back() -> None:
    machine = Machine()
    machine.look(96)
    machine.live.change({"ram.budget_mb": 0})
    assert machine.look(500) == ["+c", "+b", "+a"]
    assert machine.look(500) == []


def test_caches_are_cleared_and_singletons_kept() -> None:
    topics.topics_of("the kitchen was painted")
    clear_caches()
    sizes = [each.cache_info().currsize for each in vars(topics).values() if hasattr(each, "cache_info")]
    assert sizes
    assert set(sizes) == {0}


def test_a_store_under_pressure_answers_as_before_and_says_so(tmp_path: Path) -> None:
    config = {"ram.budget_mb": 1, "ram.calm_s": 0, "index.flat_max": 10, "index.backend": "usearch"}
    with recollect.open(tmp_path / "m.db", embedder="fake", config=config | {"index.poll_interval_s": 0.01}) as memory:
        ids = memory.add([f"note number {number}" for number in range(40)], infer=False).ids
        deadline = time.monotonic() + 30
        while len((health := memory.health())["let_go"]) < 6 or "flat/binary/cosine" not in str(health):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert health["pressure"] == "critical"
        assert any("ram.budget_mb allows 1" in each for each in health.warnings)
        assert memory.search("note number 7", top_k=1)[0].id == ids[7]
        memory.update(ids[7], content="another note")
        memory._engine.config.change({"ram.budget_mb": 100_000})
        while (health := memory.health())["let_go"] or "usearch/f16/cosine" not in str(health):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert health["pressure"] == "normal"
        assert memory.search("another note", top_k=1)[0].id == ids[7]


BOUND_SHARE = 0.85  # of what the same load takes without a bound

_LOAD = """
import json, resource, sys, threading, time
import recollect
from recollect.index.resident import resident_mb
from bench import data
budget = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
config = {"ram.budget_mb": budget, "index.poll_interval_s": 0.05}
with recollect.open(sys.argv[1], embedder="static", config=config) as memory:
    for first in range(0, 20_000, 1_000):
        memory.add(data.texts(first, 1_000))
    while memory.health()["index_lag"]:
        time.sleep(0.1)
    done = threading.Event()
    def ask(seed):
        for question in data.questions(10_000, seed=seed):
            if done.is_set(): return
            assert len(memory.search(question, reach="all")) > 0
    crowd = [threading.Thread(target=ask, args=(seed,)) for seed in range(3)]
    for each in crowd: each.start()
    seen = []
    for number in range(100):
        memory.add(data.text(100_000 + number))
        time.sleep(0.05)
        seen.append(resident_mb())
    done.set()
    for each in crowd: each.join()
    print(json.dumps({"most": max(seen[40:]), "let_go": memory.health()["let_go"]}))
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_memory_stays_within_its_bound_under_load(tmp_path: Path) -> None:
    """Three threads search 20,000 records, a fourth adds, and the address space has an end."""
    command = [sys.executable, "-c", _LOAD, str(tmp_path / "m.db")]
    root = Path(__file__).parents[2]

    def run(budget_mb: int) -> dict[str, Any]:
        done = subprocess.run([*command, str(budget_mb)], cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        for each in tmp_path.glob("m.db*"):
            each.unlink()
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    free = run(0)
    budget_mb = int(BOUND_SHARE * free["most"])
    bound = run(budget_mb)
    assert free["let_go"] == []
    assert bound["let_go"] != []
    assert bound["most"] <= budget_mb, f"{free['most']} MB without a bound"
