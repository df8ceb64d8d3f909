"""Pruning what the relations job found: guesses fade, what somebody confirmed stays, and one undo brings all back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from properties.tables import visible_state
from ticking import Ticking

from recollect import Memory
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import JobWorker
from recollect.upkeep.relations.relations_by_rules import RelationsByRules
from recollect.wiring import open_memory

SAID = [
    "Ana drinks coffee at work",
    "Ana does not drink coffee at work",
    "The cache of the gateway is enabled",
    "The cache of the gateway is disabled",
]


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def mem(path: Path, clock: Ticking, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """Two contradictions, found by the job and not by anybody."""
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    with open_memory(path, embedder="fake", clock=clock) as memory:
        memory.add(SAID)
        engine = memory._engine
        job = Job(pk=0, kind="relations", payload={}, attempts=1)
        RelationsByRules(engine.store, engine.indexes, engine.config, engine.clock).run(job, lambda share: True)
        yield memory


def confidences(memory: Memory) -> dict[str, float]:
    """How sure the live edges are, by the evidence they rest on."""
    with memory._engine.store.read() as tx:
        rows = tx.sql.all("SELECT id, confidence FROM edge WHERE retired_at IS NULL ORDER BY pk")
    return {row[0]: round(row[1], 6) for row in rows}


def test_guesses_fade_week_by_week_and_go(mem: Memory, clock: Ticking) -> None:
    assert list(confidences(mem).values()) == [0.7, 0.7]
    clock.skip(7 * 4)
    report = mem.prune()
    assert (report["decayed"], report["retired"]) == (2, 0)
    assert set(confidences(mem).values()) == {round(0.7 * 0.95**4, 6)}
    clock.skip(7 * 13)  # 0.7 * 0.95 ** 17 = 0.293
    assert mem.prune()["retired"] == 2
    assert confidences(mem) == {}


def test_upkeep_prunes_unless_it_is_told_not_to(mem: Memory, clock: Ticking) -> None:
    guesses = confidences(mem).keys()
    clock.skip(365)
    mem._run("maintain", {}, dry_run=False, settings={"graph.prune_nightly": False})
    assert 0.7 in {confidences(mem).get(guess) for guess in guesses}
    mem.maintain()
    assert 0.7 not in {confidences(mem).get(guess) for guess in guesses}


def test_what_somebody_confirmed_stays(mem: Memory, clock: Ticking) -> None:
    confirmed = next(iter(confidences(mem)))
    mem.confirm(confirmed)
    clock.skip(365)
    assert mem.prune()["retired"] == 1
    assert confidences(mem) == {confirmed: 1.0}


def test_what_was_pruned_is_not_found_again(mem: Memory, clock: Ticking) -> None:
    clock.skip(365)
    mem.prune()
    engine = mem._engine
    engine.store.write(lambda tx: tx.sql.run("DELETE FROM meta WHERE key = 'relations_seen'"))
    job = Job(pk=0, kind="relations", payload={}, attempts=1)
    RelationsByRules(engine.store, engine.indexes, engine.config, engine.clock).run(job, lambda share: True)
    assert confidences(mem) == {}


@pytest.mark.parametrize("weeks", [3, 52])
def test_one_undo_brings_everything_back(mem: Memory, clock: Ticking, path: Path, weeks: int) -> None:
    before = visible_state(path)
    clock.skip(7 * weeks)
    told = mem.prune(dry_run=True)
    assert visible_state(path) == before
    done = mem.prune()
    assert (done["decayed"], done["retired"]) == (told["decayed"], told["retired"])
    assert visible_state(path) != before
    mem.undo(done.operation or "")
    assert visible_state(path) == before
