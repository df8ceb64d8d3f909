"""The static model beside a slow one: kept from the first record on, weighed with it, never in its place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from recollect import Memory
from recollect.errors import ProviderUnavailable
from recollect.providers.base import Vectors
from recollect.upkeep.jobs.worker import JobWorker
from recollect.wiring import open_memory

STATIC = "wordllama:l2_supercat_256"
ALONE = {"embedding.static_beside": False}


class Topics:
    """A slow model that knows two topics, whatever the words: the sea, and everything else."""

    inline = False
    dimensions = 2
    name = "topics:2"

    def __init__(self) -> None:
        self.down = False
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise ProviderUnavailable("the model does not answer")
        self.asked += len(texts)
        at_sea = [any(word in text for word in ("boat", "sail", "harbour")) for text in texts]
        return np.array([[1.0, 0.0] if sea else [0.0, 1.0] for sea in at_sea], dtype=np.float32)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run when the test says so."""
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)


@pytest.fixture
def model() -> Topics:
    return Topics()


def work(memory: Memory) -> int:
    return memory._engine.worker.run_pending()


def spaces(memory: Memory) -> dict[str, tuple[str, int]]:
    return {space["name"]: (space["state"], space["vectors"]) for space in memory.stats()["spaces"]}


def parts(memory: Memory, question: str, record_id: str) -> set[str]:
    return {step.source for step in memory.search(question, explain=True).trace.hits[record_id]}


def test_a_record_is_found_by_meaning_before_the_slow_model_has_read_it(model: Topics) -> None:
    with open_memory(":memory:", embedder=model) as mem:
        receipt = mem.add("Ana bought a puppy")
        assert any("topics:2 is queued" in note and STATIC in note for note in receipt.missing)
        assert spaces(mem) == {STATIC: ("active", 1)}
        assert [hit.id for hit in mem.search("dog")] == [receipt.id]
        assert mem.health()["model_changed"] is None
        assert all(finding.ok for finding in mem.doctor())


def test_when_it_has_both_are_active_and_both_are_weighed(model: Topics) -> None:
    with open_memory(":memory:", embedder=model) as mem:
        boat = mem.add("Ben keeps a boat").id
        mem.add("Ben keeps a goat")
        work(mem)
        assert spaces(mem) == {STATIC: ("active", 2), "topics:2": ("active", 2)}
        assert mem.health()["pending_embeddings"] == 0
        found = mem.search("what does Ben sail?", explain=True)
        assert found[0].id == boat
        assert {step.source for step in found.trace.hits[boat]} >= {"text", "vector", "static"}
        assert found.missing == ()


def test_a_record_the_slow_model_has_not_read_is_not_punished_for_it(model: Topics) -> None:
    with open_memory(":memory:", embedder=model) as mem:
        mem.add("Ana sails a yacht")
        work(mem)
        fresh = mem.add("Ana sails a yacht on the lake").id
        scores = {hit.id: hit.score for hit in mem.search("yacht on the lake")}
        assert max(scores, key=lambda record_id: scores[record_id]) == fresh
        assert parts(mem, "yacht on the lake", fresh) >= {"vector", "static"}


def test_a_revised_record_keeps_a_vector_of_its_new_text(model: Topics) -> None:
    with open_memory(":memory:", embedder=model) as mem:
        record_id = mem.add("Ana lives in Oslo").id
        work(mem)
        mem.update(record_id, content="Ana keeps a puppy")
        assert spaces(mem) == {STATIC: ("active", 1), "topics:2": ("active", 0)}
        assert [hit.id for hit in mem.search("dog")] == [record_id]
        work(mem)
        assert spaces(mem)["topics:2"] == ("active", 1)


def test_a_model_that_does_not_answer_leaves_words_and_the_static_one(model: Topics) -> None:
    with open_memory(":memory:", embedder=model) as mem:
        record_id = mem.add("Ana bought a puppy").id
        work(mem)
        model.down = True
        found = mem.search("dog")
        assert [hit.id for hit in found] == [record_id]
        assert any("topics:2 did not answer" in note and STATIC in note for note in found.missing)
        spoke = parts(mem, "dog", record_id)
        assert "static" in spoke
        assert "vector" not in spoke


def test_it_can_be_left_out(model: Topics) -> None:
    with open_memory(":memory:", embedder=model, config=ALONE) as mem:
        record_id = mem.add("Ana bought a puppy").id
        work(mem)
        assert spaces(mem) == {"topics:2": ("active", 1)}
        assert "static" not in parts(mem, "puppy", record_id)


@pytest.mark.parametrize("embedder", ["wordllama", "fake", None])
def test_a_quick_model_or_none_has_nothing_beside_it(embedder: str | None) -> None:
    with open_memory(":memory:", embedder=embedder) as mem:
        record_id = mem.add("Ana bought a puppy").id
        assert len(spaces(mem)) == (embedder is not None)
        assert not {"static", "vector"} <= parts(mem, "puppy", record_id)


def test_a_store_from_before_gets_its_static_vectors_at_the_next_start(tmp_path: Path, model: Topics) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder=model, config=ALONE) as mem:
        mem.add("Ana bought a puppy")
        work(mem)
    read = model.asked
    with open_memory(path, embedder=model) as mem:
        assert work(mem) == 1
        assert spaces(mem) == {STATIC: ("active", 1), "topics:2": ("active", 1)}
        assert model.asked == read  # only what was missing is made
    with open_memory(path, embedder=model) as mem:
        assert work(mem) == 0


def test_a_store_of_the_static_model_waits_for_reembed_and_keeps_its_vectors(tmp_path: Path, model: Topics) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder="wordllama") as mem:
        mem.add("Ana bought a puppy")
    with open_memory(path, embedder=model) as mem:
        assert work(mem) == 0
        assert model.asked == 0
        assert any("run reembed" in warning for warning in mem.health().warnings)
        assert not all(finding.ok for finding in mem.doctor())
        assert [hit.content for hit in mem.search("dog")] == ["Ana bought a puppy"]
        mem.reembed(wait=True)
        assert spaces(mem) == {STATIC: ("active", 1), "topics:2": ("active", 1)}
        assert all(finding.ok for finding in mem.doctor())


def test_going_back_to_the_static_model_asks_the_other_no_more(tmp_path: Path, model: Topics) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder=model) as mem:
        mem.add("Ana bought a puppy")
        work(mem)
    with open_memory(path, embedder="wordllama") as mem:
        found = mem.search("dog")
        assert [hit.content for hit in found] == ["Ana bought a puppy"]
        assert found.missing == ()  # a space that is still asked would be named: its model cannot be had by name


def test_a_record_brought_back_gets_the_vector_of_a_model_that_came_meanwhile(tmp_path: Path, model: Topics) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder="wordllama") as mem:
        mem.add("Ben keeps a boat")
        gone = mem.delete(mem.add("Ana bought a puppy").id).operation
    with open_memory(path, embedder=model) as mem:
        mem.reembed(wait=True)
        assert spaces(mem)["topics:2"] == ("active", 1)
        assert gone is not None
        mem.undo(gone)
        assert work(mem) == 1
        assert spaces(mem) == {STATIC: ("active", 2), "topics:2": ("active", 2)}


def test_moving_between_slow_models_keeps_the_static_one(tmp_path: Path, model: Topics) -> None:
    path = tmp_path / "m.db"
    with open_memory(path, embedder=model) as mem:
        mem.add("Ana bought a puppy")
        work(mem)
    successor = Topics()
    successor.name = "topics:3"
    with open_memory(path, embedder=successor) as mem:
        mem.reembed(wait=True)
        assert spaces(mem) == {STATIC: ("active", 1), "topics:3": ("active", 1)}


def test_before_the_indexes_are_warm_both_spaces_speak(model: Topics, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_memory(":memory:", embedder=model) as mem:
        boat = mem.add("Ben keeps a boat").id
        mem.add("Ben keeps a goat")
        work(mem)
        monkeypatch.setattr(mem._engine.indexes, "current", lambda: False)
        found = mem.search("what does Ben sail?", explain=True)
        assert found[0].id == boat
        assert {step.source for step in found.trace.hits[boat]} >= {"text", "vector", "static"}
