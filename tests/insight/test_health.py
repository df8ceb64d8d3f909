"""Figures about a store: what it holds and how it is doing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory
from recollect.index import follow
from recollect.upkeep.jobs.worker import JobWorker


@pytest.fixture
def mem() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake") as memory:
        yield memory


def test_a_new_store_is_well(mem: Memory) -> None:
    health = mem.health()
    assert (health["status"], health["level"], health.warnings) == ("ok", "full", ())
    assert (health["indexes_warm"], health["pending_embeddings"], health["searches"]) == (True, 0, 0)
    assert (health["search_ms_avg"], health["search_ms_p99"]) == (None, None)
    assert health["encrypted"] is False
    assert health.to_dict().keys() >= {"status", "level", "warnings", "write_queue", "jobs", "index_lag"}


def test_who_only_watches_keeps_no_background_work_waiting(mem: Memory) -> None:
    mem.add("tea")
    time.sleep(0.05)
    mem.health()
    mem.stats()
    assert mem._opened.activity.idle_s >= 0.05
    mem.search("tea")
    assert mem._opened.activity.idle_s < 0.05


def test_searches_are_timed(mem: Memory) -> None:
    mem.add("tea")
    for _ in range(5):
        mem.search("tea")
    health = mem.health()
    assert health["searches"] == 5
    assert health["search_ms_avg"] > 0
    assert health["search_ms_p99"] > 0


def test_the_lag_of_the_indexes_is_told_and_a_search_makes_it_good(mem: Memory) -> None:
    mem.search("nothing")
    mem.add("tea")
    mem.search("tea")
    assert mem.health()["index_lag"] == 0


def test_a_store_whose_indexes_are_cold_says_that_it_warms_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        memory.add("tea")
    monkeypatch.setattr(follow, "_WARM_DELAY_S", 3600)
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        assert (memory.health()["level"], memory.health()["indexes_warm"]) == ("warming", False)


def test_an_encrypted_store_says_so(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", key=bytes(32), embedder=None) as memory:
        assert memory.health()["encrypted"] is True


def test_what_needs_a_hand_is_a_warning(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    mem.add("tea")
    store = mem._engine.store
    store.write(
        lambda tx: tx.sql.run(
            "INSERT INTO job (kind, payload, state, run_after, created_at) VALUES ('k', '{}', 'failed', 0, 0)"
        )
    )
    store.write(lambda tx: tx.sql.run("DELETE FROM vector"))
    health = mem.health()
    assert health["status"] == "attention"
    assert health["pending_embeddings"] == 1
    assert any("1 background jobs failed" in warning for warning in health.warnings)
    assert any("until then they are found by words" in warning for warning in health.warnings)


def test_a_setting_out_of_range_is_a_warning() -> None:
    with recollect.open(":memory:", embedder=None, config={"recall.rrf_k": 1_000_000}) as memory:
        assert memory.health()["status"] == "attention"
        assert any("rrf_k" in warning for warning in memory.health().warnings)


def test_stats_of_the_whole_store(mem: Memory) -> None:
    assert mem.stats()["records"] == 0
    assert (mem.stats()["oldest"], mem.stats()["newest"]) == (None, None)
    a, b = mem.add([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], session_id="s").ids
    lonely = mem.add("lonely", user_id="ana").id
    mem.relate(a, b, "supports")
    mem.update(lonely, content="still lonely")
    stats = mem.stats()
    assert (stats["records"], stats["edges"], stats["edges_by_label"]) == (3, 2, {"follows": 1, "supports": 1})
    assert (stats["orphans"], stats["sessions"], stats["past_versions"], stats["retired"]) == (1, 1, 1, 0)
    assert stats["by_category"] == {"turn": 2, "fact": 1}
    assert stats["spaces"] == [{"name": "fake:64", "dimensions": 64, "state": "active", "vectors": 3}]
    assert stats["size_bytes"] > 0
    assert stats["oldest"] <= stats["newest"]


def test_stats_of_a_scope_count_what_it_sees_and_nothing_else(mem: Memory) -> None:
    mem.add("global")
    mem.add(["one", "two"], user_id="ana")
    mem.add("atlas", user_id="ana", project="atlas")
    assert mem.stats(user_id="ana").figures == {
        "records": 3,
        "by_kind": {"semantic": 3},
        "by_category": {"fact": 3},
        "by_tier": {"longterm": 3},
    }
    assert mem.scoped(user_id="nobody").stats()["records"] == 1
