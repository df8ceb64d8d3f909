"""Vectors that come later: queued embedding, and moving a store from one model to another."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from recollect import Memory
from recollect.clock import SECOND_US
from recollect.errors import AccessDenied, EmbeddingFailed, ProviderUnavailable, UsageError
from recollect.providers.base import Embedder, Vectors
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.upkeep.jobs.worker import JobWorker
from recollect.wiring import open_memory


class Ticking:
    def __init__(self) -> None:
        self.now = 1_700_000_000 * SECOND_US

    def __call__(self) -> int:
        self.now += 1
        return self.now

    def skip(self, seconds: float) -> None:
        self.now += int(seconds * SECOND_US)


class SlowEmbedder:
    """Too slow for `add`, and down or talking nonsense whenever a test says so."""

    inline = False
    dimensions = 8

    def __init__(self, name: str = "slow:8") -> None:
        self.name = name
        self.down = False
        self.nonsense = False
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise ProviderUnavailable("the model does not answer")
        if self.nonsense:
            raise EmbeddingFailed("the model answered without vectors")
        self.batches.append(len(texts))
        return np.concatenate([FakeEmbedder(dimensions=8).embed([text]) for text in texts])


def embed_jobs(memory: Memory) -> dict[str, int]:
    """How many embed jobs are in which state; other jobs come and go by themselves."""
    with memory._engine.store.read() as tx:
        return dict(tx.sql.all("SELECT state, count(*) FROM job WHERE kind = 'embed' GROUP BY state"))


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread of its own: jobs run when the test says so."""
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)


@pytest.fixture
def slow() -> SlowEmbedder:
    return SlowEmbedder()


@pytest.fixture
def mem(slow: SlowEmbedder, clock: Ticking, patient: None) -> Iterator[Memory]:
    embedder: Embedder = slow
    config: dict[str, object] = {"jobs.backoff_s": 2.0, "jobs.attempts_max": 3, "embedding.batch": 2}
    config["reader.model"] = "none"  # jobs are counted here, and only those that embed
    with open_memory(":memory:", embedder=embedder, clock=clock, config=config) as memory:
        yield memory


def work(memory: Memory) -> int:
    return memory._engine.worker.run_pending()


def spaces(memory: Memory) -> list[tuple[str, str, int]]:
    """All but the static model's, which is kept beside a slow one and is looked at in test_beside.py."""
    kept = memory.stats()["spaces"]
    return [(s["name"], s["state"], s["vectors"]) for s in kept if not s["name"].startswith("wordllama")]


# --- queued embedding -----------------------------------------------------------------------------------------------


def test_a_slow_embedder_is_never_called_inside_add(mem: Memory, slow: SlowEmbedder) -> None:
    receipt = mem.add("Ana lives in Oslo")
    assert slow.batches == []
    assert any("queued" in note for note in receipt.missing)


def test_until_it_is_embedded_a_record_is_found_by_its_words(slow: SlowEmbedder, patient: None) -> None:
    with open_memory(":memory:", embedder=slow, config={"embedding.static_beside": False}) as mem:
        record_id = mem.add("Ana lives in Oslo").id
        assert [hit.id for hit in mem.search("Oslo")] == [record_id]
        assert {step.source for step in mem.search("Oslo", explain=True).trace.hits[record_id]} == {"text", "length"}
        assert work(mem) == 1
        assert {step.source for step in mem.search("Oslo", explain=True).trace.hits[record_id]} >= {"text", "vector"}


def test_many_records_wait_in_one_job_and_are_embedded_in_batches(mem: Memory, slow: SlowEmbedder) -> None:
    for number in range(5):
        mem.add(f"record {number}")
    assert embed_jobs(mem) == {"ready": 1}
    assert mem.health()["pending_embeddings"] == 5
    work(mem)
    assert sum(slow.batches) == 5
    assert len(slow.batches) > 1
    assert spaces(mem) == [("slow:8", "active", 5)]
    assert mem.health()["pending_embeddings"] == 0


def test_a_revised_record_loses_its_old_vector_at_once_and_gets_a_new_one_later(mem: Memory) -> None:
    record_id = mem.add("Ana lives in Oslo").id
    work(mem)
    receipt = mem.update(record_id, content="Ana lives in Rome")
    assert any("queued" in note for note in receipt.missing)
    assert spaces(mem) == [("slow:8", "active", 0)]
    work(mem)
    assert spaces(mem) == [("slow:8", "active", 1)]


@pytest.mark.parametrize("verb", ["add", "update", "correct"])
def test_every_write_that_leaves_a_vector_for_later_wakes_the_worker(
    mem: Memory, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    record_id = mem.add("Ana lives in Oslo").id
    work(mem)
    poked: list[bool] = []
    monkeypatch.setattr(JobWorker, "poke", lambda self: poked.append(True))
    {
        "add": lambda: mem.add("x"),
        "update": lambda: mem.update(record_id, content="x"),
        "correct": lambda: mem.correct(record_id, "x"),
    }[verb]()
    assert poked


def test_a_failure_is_tried_again_with_patience_until_the_model_is_back(
    mem: Memory, slow: SlowEmbedder, clock: Ticking
) -> None:
    slow.down = True
    mem.add("tea and bread", infer=False)
    work(mem)
    assert embed_jobs(mem) == {"ready": 1}
    clock.skip(1)
    assert work(mem) == 0  # not due yet
    clock.skip(1.1)
    assert work(mem) == 1  # second attempt, fails too
    slow.down = False
    clock.skip(2)
    assert work(mem) == 0  # the pause has doubled
    clock.skip(2.1)
    assert work(mem) == 1
    assert spaces(mem) == [("slow:8", "active", 1)]


def test_embedding_waits_for_a_model_that_is_away_however_long_that_takes(
    mem: Memory, slow: SlowEmbedder, clock: Ticking
) -> None:
    slow.down = True
    mem.add("Ana lives in Oslo")
    for _ in range(20):
        work(mem)
        clock.skip(3_600)
    assert embed_jobs(mem) == {"ready": 1}
    slow.down = False
    assert work(mem) == 1
    assert spaces(mem) == [("slow:8", "active", 1)]


def test_a_model_that_answers_nonsense_is_given_up_and_doctor_brings_its_job_back(
    mem: Memory, slow: SlowEmbedder, clock: Ticking
) -> None:
    slow.nonsense = True
    mem.add("Ana lives in Oslo")
    for _ in range(5):
        work(mem)
        clock.skip(60)
    assert embed_jobs(mem) == {"failed": 1}
    assert any("failed" in warning for warning in mem.health().warnings)
    slow.nonsense = False
    mem.doctor(fix=True)
    assert embed_jobs(mem).keys() == {"ready"}, "brought back, and a second one for what has no vector"
    work(mem)
    assert embed_jobs(mem).keys() <= {"done"}
    assert spaces(mem) == [("slow:8", "active", 1)]


@pytest.mark.parametrize("again", ["opened", "maintained"])
def test_what_could_not_be_embedded_is_tried_again_when_the_store_is_opened_and_every_night(
    tmp_path: Path, clock: Ticking, patient: None, again: str
) -> None:
    path, slow = tmp_path / "m.db", SlowEmbedder()
    slow.nonsense = True
    with open_memory(path, embedder=slow, clock=clock) as memory:
        memory.add("Ana lives in Oslo")
        for _ in range(8):
            work(memory)
            clock.skip(600)
        assert embed_jobs(memory) == {"failed": 1}
        slow.nonsense = False
        if again == "maintained":
            memory.maintain()
            work(memory)
            assert spaces(memory) == [("slow:8", "active", 1)]
    with open_memory(path, embedder=SlowEmbedder(), clock=clock) as memory:
        work(memory)
        assert spaces(memory) == [("slow:8", "active", 1)]


def test_a_record_deleted_meanwhile_is_not_embedded(mem: Memory, slow: SlowEmbedder) -> None:
    mem.delete(mem.add("Ana lives in Oslo").id)
    work(mem)
    assert slow.batches == []


def test_an_inline_embedder_that_fails_does_not_fail_the_write(patient: None, clock: Ticking) -> None:
    class Moody(SlowEmbedder):
        inline = True

    moody = Moody("moody:8")
    with open_memory(":memory:", embedder=moody, clock=clock) as memory:
        moody.down = True
        receipt = memory.add("Ana lives in Oslo")
        assert any("E3001" in note for note in receipt.missing)
        found = memory.search("Oslo")
        assert [hit.id for hit in found] == [receipt.id]
        moody.down = False
        assert work(memory) == 1
        assert spaces(memory) == [("moody:8", "active", 1)]
        moody.down = True
        assert any("did not answer" in note for note in memory.search("Oslo").missing)


def test_the_worker_s_own_thread_embeds_in_the_background(tmp_path: Path) -> None:
    with open_memory(tmp_path / "m.db", embedder=SlowEmbedder()) as memory:
        memory.add("Ana lives in Oslo")
        deadline = time.monotonic() + 10
        while embed_jobs(memory) != {"done": 1} and time.monotonic() < deadline:
            time.sleep(0.01)
        assert spaces(memory) == [("slow:8", "active", 1)]


def test_a_job_left_by_a_process_that_died_is_picked_up_at_the_next_start(tmp_path: Path, clock: Ticking) -> None:
    path = tmp_path / "m.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JobWorker, "poke", lambda self: None)
        with open_memory(path, embedder=SlowEmbedder(), clock=clock) as memory:
            memory.add("first")
            work(memory)
            memory.add("second")
            memory._engine.store.write(
                lambda tx: tx.sql.run(
                    "UPDATE job SET state = 'running', lease_owner = 'gone', lease_until = 0 WHERE state = 'ready'"
                )
            )
    with open_memory(path, embedder=SlowEmbedder(), clock=clock) as memory:
        deadline = time.monotonic() + 10
        while spaces(memory) != [("slow:8", "active", 2)] and time.monotonic() < deadline:
            time.sleep(0.01)
        assert spaces(memory) == [("slow:8", "active", 2)]


def test_records_stored_without_an_embedder_are_embedded_once_there_is_one_again(
    tmp_path: Path, clock: Ticking, patient: None
) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder="fake", clock=clock) as memory:
        memory.add("with a vector")
    with open_memory(path, embedder=None, clock=clock) as memory:
        memory.add("without")
    with open_memory(path, embedder="fake", clock=clock) as memory:
        work(memory)
        assert spaces(memory) == [("fake:64", "active", 2)]


# --- another model --------------------------------------------------------------------------------------------------


@pytest.fixture
def old_store(tmp_path: Path, patient: None) -> Path:
    path = tmp_path / "m.db"
    with open_memory(path, embedder="fake:32") as memory:
        memory.add([f"old record {i}" for i in range(7)])
    return path


def test_a_changed_embedder_is_noticed(old_store: Path) -> None:
    with open_memory(old_store, embedder="fake:64") as memory:
        finding = next(f for f in memory.doctor() if f.check == "vectors")
        assert not finding.ok
        assert "fake:32" in finding.detail
        assert "fake:64" in finding.detail
        assert "reembed" in finding.cure


def test_while_it_moves_both_spaces_are_searched_each_with_its_own_model(old_store: Path) -> None:
    with open_memory(old_store, embedder="fake:64") as memory:
        memory.add("new record")
        assert spaces(memory) == [("fake:32", "active", 7), ("fake:64", "building", 1)]
        found = memory.search("record", top_k=20, explain=True)
        assert len(found) == 8
        for steps in found.trace.hits.values():  # old and new alike are near the question, each by its own model
            assert {step.source for step in steps} >= {"text", "static"}
        assert found.missing == ()
        assert memory.health()["pending_embeddings"] == 7


def test_reembed_fills_the_new_space_makes_it_active_and_drops_the_old(old_store: Path) -> None:
    with open_memory(old_store, embedder="fake:64") as memory:
        report = memory.reembed(wait=True)
        assert [(s["name"], s["state"], s["embedded"], s["records"]) for s in report["spaces"]] == [
            ("fake:64", "active", 7, 7)
        ]
        found = memory.search("record 3", explain=True)
        assert {step.source for steps in found.trace.hits.values() for step in steps} >= {"text", "static"}
        assert found[0].content == "old record 3"
        assert all(f.ok for f in memory.doctor())
    with open_memory(old_store, embedder="fake:64") as memory:
        assert spaces(memory) == [("fake:64", "active", 7)]
        assert memory.search("record 3")[0].content == "old record 3"


def test_a_migration_interrupted_goes_on_where_it_stopped(old_store: Path, clock: Ticking) -> None:
    slow = SlowEmbedder()
    config = {"embedding.batch": 2}
    with open_memory(old_store, embedder=slow, config=config, clock=clock) as memory:
        memory.reembed()
        embed = slow.embed

        def closing(texts: Sequence[str]) -> Vectors:
            found = embed(texts)
            memory._engine.worker._ended.set()
            return found

        slow.embed = closing  # type: ignore[method-assign]
        work(memory)
        assert spaces(memory) == [("fake:32", "active", 7), ("slow:8", "building", 2)]
    again = SlowEmbedder()
    with open_memory(old_store, embedder=again, config=config, clock=clock) as memory:
        work(memory)
        assert spaces(memory) == [("slow:8", "active", 7)]
        assert sum(again.batches) == 5


def test_a_space_whose_model_cannot_be_had_is_named_and_its_records_are_found_by_words(
    tmp_path: Path, patient: None
) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder=SlowEmbedder("gone:8")) as memory:
        memory.add("Ana lives in Oslo")
        work(memory)
    with open_memory(path, embedder="fake") as memory:
        found = memory.search("Oslo")
        assert [hit.content for hit in found] == ["Ana lives in Oslo"]
        assert any("gone:8 is not available" in note for note in found.missing)


def test_a_model_that_changed_its_length_never_mixes_its_vectors(tmp_path: Path, patient: None) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder=SlowEmbedder()) as memory:
        memory.add("Ana lives in Oslo")
        work(memory)
    longer = SlowEmbedder()
    longer.dimensions = 16  # type: ignore[misc]
    longer.embed = FakeEmbedder(dimensions=16).embed  # type: ignore[method-assign]
    with open_memory(path, embedder=longer) as memory:
        memory.add("Ben lives in Rome")
        work(memory)
        assert spaces(memory) == [("slow:8", "active", 1)]
        with memory._engine.store.read() as tx:
            assert tx.sql.all("SELECT error FROM job WHERE error IS NOT NULL") == [("E3003",)]
        found = memory.search("Rome")
        assert found[0].content == "Ben lives in Rome"
        assert any("another name" in note for note in found.missing)


def test_reembed_needs_an_embedder_and_the_owner(mem: Memory) -> None:
    with pytest.raises(AccessDenied):
        mem.scoped(user_id="ana").reembed()
    with open_memory(":memory:", embedder=None) as memory, pytest.raises(UsageError, match="embedder="):
        memory.reembed()


def test_reembedding_what_is_complete_changes_nothing(old_store: Path) -> None:
    with open_memory(old_store, embedder="fake:32") as memory:
        before = memory.operations(limit=100)
        memory.reembed(wait=True)
        assert spaces(memory) == [("fake:32", "active", 7)]
        assert memory.operations(limit=100) == before
