"""Every figure of health, and the events about a store as a whole: ready, how it is, a full disk."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect import Memory, errors
from recollect.clock import DAY_US
from recollect.insight.vitals import LOOK_EVERY_S, Vitals

# What the design names, and our name for it.
FIELDS = {
    "episodic_count, semantic_count, procedural_count": "records",
    "edge_count": "edges",
    "pending_embeddings": "pending_embeddings",
    "avg_search_latency_ms": "search_ms_avg",
    "p99_search_latency_ms": "search_ms_p99",
    "write_channel_depth": "write_queue",
    "read_pool_idle": "readers_idle",
    "hnsw_ram_mb": "index_mb",
    "total_engram_ram_mb": "rss_mb",
    "pressure_level": "pressure",
    "hnsw_strategy": "vectors",
    "last_consolidation": "last_consolidation",
    "last_gc": "last_decay",
    "consolidation_backlog": "consolidation_backlog",
    "gc_candidates": "decay_candidates",
    "search_strategy": "level",
    "ollama_available": "model_state",
}


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(clock: Ticking) -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake", clock=clock, config={"upkeep.after_session": False}) as memory:
        yield memory


def test_every_field_of_the_design_is_told(mem: Memory) -> None:
    told = mem.health(full=True)
    assert set(FIELDS.values()) <= told.figures.keys()
    assert told["level"] == "full"


def test_what_waits_and_what_was_done_is_told(mem: Memory, clock: Ticking) -> None:
    turns = [{"role": "user", "name": "Ana", "content": f"I bought {fruit} in town"} for fruit in ("pears", "plums")]
    mem.add(turns, session_id="s1")
    note = mem.add("The ferry leaves at nine").id
    told = mem.health(full=True)
    assert told["records"]["episodic"] >= 2
    assert (told["consolidation_backlog"], told["decay_candidates"], told["last_consolidation"]) == (2, 0, None)
    assert told["index_mb"] >= 0.0
    clock.now += 200 * DAY_US
    assert mem.health(full=True)["decay_candidates"] >= 1
    mem.maintain()
    told = mem.health(full=True)
    assert told["consolidation_backlog"] == 0
    assert told["last_consolidation"] == told["last_decay"] is not None
    assert mem.get(note).tier == "archive"


def test_the_dear_figures_are_for_the_owner_and_only_when_asked_for(mem: Memory) -> None:
    assert "decay_candidates" not in mem.health().figures
    with pytest.raises(errors.RecollectError):
        mem.scoped(user_id="ana").health(full=True)


def test_without_an_embedder_words_answer() -> None:
    with recollect.open(":memory:", embedder=None) as memory:
        assert memory.health()["level"] == "words"


# --- events ----------------------------------------------------------------------------------------------------------


def test_who_begins_to_listen_hears_how_things_stand_and_then_what_happens(mem: Memory) -> None:
    mem.add("tea")
    mem.search("tea")
    listening = mem.events(wait_s=5)
    first = {event["topic"]: event for event in itertools.islice(listening, 2)}
    assert first.keys() == {"ready", "health"}
    assert first["health"]["status"] == "ok"
    note = mem.add("The ferry leaves at nine").id
    changed = next(event for event in listening if event["topic"] == "record")
    assert note in changed["ids"]
    assert "ferry" not in repr(changed)
    again = list(mem.events(since=changed["seq"] - 1, wait_s=0))
    assert note in next(event for event in again if event["topic"] == "record")["ids"]


def test_a_handle_hears_of_nothing_that_it_may_not_see(mem: Memory) -> None:
    listening = mem.scoped(user_id="ana").events(wait_s=0.3)
    mem.add("for Ben alone", user_id="ben")
    own = mem.add("for Ana", user_id="ana").id
    told = [event for event in listening if event["topic"] == "record"]
    assert {id_ for event in told for id_ in event["ids"]} == {own}


def test_events_end_when_nothing_comes_and_refuse_what_is_no_time(mem: Memory) -> None:
    assert all(event["topic"] in ("ready", "health") for event in mem.events(wait_s=0))
    with pytest.raises(errors.UsageError, match="wait_s"):
        mem.events(wait_s="soon")  # type: ignore[arg-type]
    with pytest.raises(errors.UsageError, match="since"):
        mem.events(since=-1)


def vitals_of(mem: Memory, store: Any, seconds: list[float]) -> Vitals:
    engine = mem._engine
    return Vitals(store, lambda: engine.indexes, lambda: engine.figures, engine.config, seconds=lambda: seconds[0])


class Disk:
    """A store whose disk fills."""

    def __init__(self) -> None:
        self.trouble: Exception | None = None
        self.free: int | None = 10**12

    def free_bytes(self) -> int | None:
        return self.free


def test_a_full_disk_is_told_once_each_time(mem: Memory) -> None:
    seconds, disk = [0.0], Disk()
    vitals = vitals_of(mem, disk, seconds)

    def topics(after: int) -> list[str]:
        seconds[0] += LOOK_EVERY_S
        return [event.topic for event in vitals.look(after)]

    topics(0)
    number = vitals.look()[-1].number
    disk.free = 1_000
    assert topics(number) == ["disk-full"]
    assert topics(number) == ["disk-full"]  # the same event, not another
    disk.free = 10**12
    assert "disk-full" not in [event.topic for event in (topics(0), vitals.look())[1]]
    disk.trouble = errors.DiskFull("no space left")
    topics(0)
    told = vitals.look()[-1]
    assert (told.topic, told.data["code"]) == ("disk-full", "E1003")


def test_health_is_told_at_its_period_and_nobody_looks_in_between(mem: Memory) -> None:
    seconds = [0.0]
    vitals = vitals_of(mem, mem._engine.store, seconds)
    count = 0
    for _ in range(60):
        seconds[0] += 10
        count += sum(event.topic == "health" for event in vitals.look(vitals._number))
    assert count == 10  # ten minutes
