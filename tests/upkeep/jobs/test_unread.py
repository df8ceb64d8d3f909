"""What was stored without being read is read in the background."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.model.record import Record
from recollect.wiring import open_memory

STATEMENTS = ["semantic", "opinion", "procedural"]
MAY_3 = "2026-05-03T10:00:00Z"


def say(mem: Memory, text: str, **more: Any) -> Any:
    turn = {"role": "user", "name": "Ana", "content": text, "timestamp": MAY_3} | more.pop("turn", {})
    return mem.add([turn], **{"session_id": "s1", **more})


def stated(mem: Memory, **more: Any) -> list[Record]:
    return sorted(mem.get_all(kinds=STATEMENTS, **more), key=lambda record: record.content)


def contents(mem: Memory, **more: Any) -> list[str]:
    return [record.content for record in stated(mem, **more)]


def work(mem: Memory) -> None:
    mem._engine.worker.run_pending()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs run when the test says so."""
    monkeypatch.setattr("recollect.upkeep.jobs.worker.JobWorker.poke", lambda self: None)


def test_a_bulk_load_is_read_in_the_background(patient: None) -> None:
    clock = Ticking()
    with open_memory(":memory:", embedder="fake", clock=clock) as mem:
        turns = [{"role": "user", "name": "Ana", "content": f"I own {n} red bicycles."} for n in range(600)]
        receipt = mem.add(turns, session_id="s1")
        assert (len(receipt.ids), receipt.statements) == (600, ())
        clock.skip(5)
        work(mem)
        assert len(stated(mem, limit=1000)) == 600
        assert all(record.perceived for record in mem.get_all(limit=1000))
        work(mem)
        assert len(stated(mem, limit=1000)) == 600
        mem.undo(receipt.operation)
        assert len(mem.get_all()) == 0


def test_what_is_unwanted_is_not_read_later_either(patient: None) -> None:
    clock = Ticking()
    with open_memory(":memory:", embedder="fake", clock=clock) as mem:
        say(mem, "I use Rust.", infer=False)
        mem.add([{"role": "user", "name": "Ben", "content": f"I own {n} cats."} for n in range(500)])
        clock.skip(5)
        work(mem)
        assert "Ana uses Rust" not in contents(mem, limit=1000)
        assert len(stated(mem, limit=1000)) == 500


def test_a_document_is_read_in_the_background(tmp_path: Path, patient: None) -> None:
    clock = Ticking()
    with open_memory(tmp_path / "m.db", embedder="fake", clock=clock) as mem:
        mem.ingest("# Deploying\n\nTo deploy the service, run `make deploy` with Docker and wait for Ana Ruiz.\n")
        clock.skip(5)
        work(mem)
        assert mem.get_all(filters={"metadata.technologies": {"contains": "Docker"}})
        assert mem.entity("Ana Ruiz") is not None
        assert all(record.facets for record in mem.get_all(kinds=["snippet"]))
