"""The default embedder, with its real weights: vectors follow by themselves, and none is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recollect.memory import Memory
from recollect.providers.embedders.minilm import MiniLmEmbedder
from recollect.wiring import open_memory

STATIC = "wordllama:l2_supercat_256"
ENCODER = MiniLmEmbedder().name
TURN = "Ana's tabby is called Miso. He sleeps on the radiator in the kitchen all day."
WAIT_S = 20.0  # on a machine that is busy; on one that is not it takes a third of a second


@pytest.fixture(autouse=True)
def by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_EMBEDDER", raising=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with open_memory(path) as opened:
        yield opened


def spaces(memory: Memory) -> dict[str, tuple[str, int, int]]:
    with memory._engine.store.read() as tx:
        return {space.name: (space.state, *tx.vectors.coverage(space)) for space in tx.vectors.spaces()}


def sentences(memory: Memory, *pks: int) -> list[int]:
    with memory._engine.store.read() as tx:
        space = tx.vectors.find_space(ENCODER)
        assert space is not None
        return tx.vectors.sentences(space, pks).pks.tolist()


def until_encoded(memory: Memory) -> None:
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        state, have, total = spaces(memory).get(ENCODER, ("", 0, 1))
        if state == "active" and have == total:
            return
        time.sleep(0.02)
    raise AssertionError(f"no vector after {WAIT_S} s: {spaces(memory)}")


def test_a_record_is_found_at_once_and_by_the_encoder_a_moment_later(memory: Memory) -> None:
    receipt = memory.add(TURN, user_id="ana", infer=False)
    assert receipt.missing == ()
    assert spaces(memory)[STATIC] == ("active", 1, 1)
    assert [hit.id for hit in memory.search("Where does Miso sleep?", user_id="ana").hits] == [receipt.id]
    until_encoded(memory)
    assert spaces(memory) == {STATIC: ("active", 1, 1), ENCODER: ("active", 1, 1)}
    found = memory.search("Which pet does she own?", user_id="ana", explain=True)
    assert [hit.id for hit in found.hits] == [receipt.id]
    assert found.missing == ()
    assert memory.health().warnings == ()
    assert all(finding.ok for finding in memory.doctor())


def test_records_of_several_sentences_get_a_vector_for_each(memory: Memory) -> None:
    memory.add([TURN, "Bread is in the oven."], user_id="ana", infer=False)
    memory.settle()
    assert sentences(memory, 1, 2) == [1, 1]
    with memory._engine.store.read() as tx:
        space = tx.vectors.find_space(ENCODER)
        assert space is not None
        rows = tx.vectors.sentences(space, [1]).rows
    wanted = MiniLmEmbedder().embed(TURN.replace("Miso. ", "Miso.\n").split("\n"))
    np.testing.assert_allclose(np.einsum("ij,ij->i", rows, wanted), 1.0, atol=0.01)


def test_a_changed_text_gets_sentences_of_its_own_and_undo_brings_the_old_ones_back(memory: Memory) -> None:
    receipt = memory.add(TURN, user_id="ana", infer=False)
    memory.settle()
    changed = memory.update(receipt.id, content="Miso moved out.", user_id="ana")
    memory.settle()
    assert sentences(memory, 1) == []
    memory.undo(changed, user_id="ana")
    memory.settle()
    assert sentences(memory, 1) == [1, 1]
    memory.delete(receipt.id, hard=True, user_id="ana")
    assert sentences(memory, 1) == []


def test_an_export_with_vectors_takes_the_sentences_along(memory: Memory, tmp_path: Path) -> None:
    memory.add(TURN, user_id="ana", infer=False)
    memory.settle()
    memory.export(tmp_path / "out.jsonl", vectors=True)
    with open_memory(tmp_path / "other.db") as other:
        other.import_(tmp_path / "out.jsonl")
        assert sentences(other, 1) == [1, 1]
        assert spaces(other)[ENCODER][1:] == (1, 1)


def test_a_store_of_the_static_model_opens_as_it_is_and_is_encoded_in_the_background(path: Path) -> None:
    with open_memory(path, embedder="static") as mem:
        receipt = mem.add(TURN, user_id="ana", infer=False)
        assert set(spaces(mem)) == {STATIC}
    with open_memory(path) as mem:
        assert [hit.id for hit in mem.search("Where does Miso sleep?", user_id="ana").hits] == [receipt.id]
        until_encoded(mem)
        assert spaces(mem)[STATIC] == ("active", 1, 1)
    with open_memory(path, embedder="static") as mem:
        assert [hit.id for hit in mem.search("Where does Miso sleep?", user_id="ana").hits] == [receipt.id]


_KILLED = """
import os, signal, sys
from recollect.wiring import open_memory
mem = open_memory(sys.argv[1])
mem.add("Ana's tabby is called Miso.", user_id="ana", infer=False)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_vector_that_a_killed_process_owed_is_made_by_the_next(path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(path)], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with open_memory(path) as mem:
        until_encoded(mem)


def test_files_that_cannot_be_loaded_leave_the_static_model_at_work(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(folder: Path) -> None:
        raise OSError("no such library")

    monkeypatch.setattr("recollect.providers.embedders.minilm.load_graph", broken)
    with open_memory(path) as mem:
        receipt = mem.add(TURN, user_id="ana", infer=False)
        mem.settle()
        found = mem.search("Where does Miso sleep?", user_id="ana")
        assert [hit.id for hit in found.hits] == [receipt.id]
        assert any("minilm" in said and STATIC in said for said in found.missing)
        assert any("minilm" in finding.detail for finding in mem.doctor() if not finding.ok)
        assert any("encoder" in warning or "minilm" in warning for warning in mem.health().warnings)


_LIGHT = """
import sys
from recollect.wiring import open_memory
with open_memory(sys.argv[1], embedder="static") as mem:
    mem.add("Ana's tabby is called Miso.", user_id="ana")
    mem.settle()
    mem.search("Which pet does she own?", user_id="ana")
print("onnxruntime" in sys.modules)
"""


def test_the_static_model_alone_loads_nothing_of_the_encoder(path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _LIGHT, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_vector_that_a_short_process_left_is_made_by_a_search_without_background_work(path: Path) -> None:
    with open_memory(path, background=False) as mem:
        receipt = mem.add(TURN, user_id="ana", infer=False)
        mem._engine.worker.close()  # as if the process had ended
        assert ENCODER not in spaces(mem)
    with open_memory(path, background=False) as mem:
        found = mem.search("Which pet does she own?", user_id="ana")
        assert [hit.id for hit in found.hits] == [receipt.id]
        assert spaces(mem)[ENCODER] == ("active", 1, 1)
        assert not mem._engine.backfill.pending()


def test_a_long_backlog_does_not_hold_up_such_a_search(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.work._CATCH_UP_S", 0.0)
    monkeypatch.setattr("recollect.upkeep.jobs.embed.PORTION_TEXTS", 2)
    with open_memory(path, background=False) as mem:
        mem.add([f"note number {number}" for number in range(9)], user_id="ana", infer=False)
        mem._engine.worker.close()
    with open_memory(path, background=False) as mem:
        mem.search("Which pet does she own?", user_id="ana")
        assert spaces(mem)[ENCODER][1] == 2
        assert mem._engine.backfill.pending(), "the rest stays queued"
        mem.settle()
        assert spaces(mem)[ENCODER] == ("active", 9, 9)
