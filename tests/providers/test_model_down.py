"""A model that goes down and comes back: writes go on, its work waits and is said to, and is done when it is back."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer

import recollect
from recollect.memory import Memory
from recollect.upkeep.jobs.worker import JobWorker

SAID = "I use Rust at work."
BY_RULES, BY_MODEL = "Ana uses Rust at work", "Ana works with Rust"
CONFIG = {"perceive.statements": "model", "embedding.probe_ttl_s": 0, "upkeep.session_idle_s": 60}


def noting(prompt: str) -> str:
    """A model that notes of everything it is shown one and the same thing."""
    note = {"content": BY_MODEL, "quote": "I use Rust", "category": "fact", "subject": "Ana"}
    if "<<<turn" in prompt:
        return json.dumps({"statements": [note] if "I use Rust" in prompt else []})
    return json.dumps({"notes": []})


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(noting) as started:
        yield started


@pytest.fixture
def opened(server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the store; jobs are done when a test settles, not beside it."""
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)

    def again(**config: Any) -> Memory:
        model = f"openai:small@{server.address}/v1"
        return recollect.open(tmp_path / "m.db", embedder="fake", llm=model, config={**CONFIG, **config})

    return again


def turn(text: str = SAID) -> dict[str, str]:
    return {"role": "user", "name": "Ana", "content": text}


def statements(memory: Memory) -> list[str]:
    return sorted(record.content for record in memory.get_all(kinds=["semantic"]).records)


def test_writes_go_on_and_the_work_is_done_when_the_model_is_back(server: ChatServer, opened: Any) -> None:
    server.down()
    with opened() as memory:
        assert memory.add(turn(), session_id="s").missing == ("statements by openai:small are queued",)
        memory.settle()
        assert statements(memory) == [BY_RULES]
        health = memory.health()
        assert (health["model_state"], health["waiting_for_model"], health["status"]) == ("down", 1, "attention")
        assert any("1 piece of work waits for it" in each for each in health.warnings)
        finding = next(each for each in memory.doctor() if each.check == "language model")
        assert (finding.ok, "1 piece of work waits for it" in finding.detail, bool(finding.cure)) == (False, True, True)
    with opened() as memory:  # what waits outlives the process
        memory.settle()
        assert memory.health()["waiting_for_model"] == 1
        server.up()
        memory.settle()
        assert statements(memory) == [BY_MODEL]
        health = memory.health()
        assert (health["model_state"], health["waiting_for_model"]) == ("ready", 0)
        assert all(finding.ok for finding in memory.doctor())


def test_a_receipt_says_that_the_model_is_away_once_it_is_known(server: ChatServer, opened: Any) -> None:
    server.down()
    with opened(**{"embedding.probe_ttl_s": 30}) as memory:
        memory.health()
        (said,) = memory.add(turn(), session_id="s").missing
        assert "cannot be reached" in said
        assert "rules draw them until it is back" in said


def test_no_write_and_no_search_looks_at_the_model(server: ChatServer, opened: Any) -> None:
    with opened(**{"embedding.probe_ttl_s": 30, "expand.hyde": False}) as memory:
        for count in range(5):
            memory.add(turn(f"I have {count} cats"), session_id="s")
            memory.search("cats")
        assert server.asked == []
        for _ in range(5):
            memory.health()
        assert len(server.looks()) == 1


def test_what_is_deleted_while_it_waits_is_not_asked_about(server: ChatServer, opened: Any) -> None:
    server.down()
    with opened() as memory:
        kept = memory.add(turn(), session_id="s").id
        deleted = memory.add(turn("I use Rust for fun, too."), session_id="s").id
        erased = memory.add(turn("I use Rust on a boat."), session_id="s").id
        undone = memory.add(turn("I use Rust at night."), session_id="s")
        memory.settle()
        assert memory.health()["waiting_for_model"] == 4
        memory.delete(deleted)
        memory.delete(erased, hard=True)
        memory.undo(undone)
        assert memory.health()["waiting_for_model"] == 1
        server.up()
        memory.settle()
        asked = [each.body["messages"][-1]["content"] for each in server.posts()]
        assert len(asked) == 1
        assert SAID in asked[0]
        assert statements(memory) == [BY_MODEL]
        assert memory.get(kept) is not None


def test_undoing_the_turn_takes_back_what_rules_and_model_drew(server: ChatServer, opened: Any) -> None:
    server.down()
    with opened() as memory:
        receipt = memory.add(turn(), session_id="s")
        memory.settle()
        server.up()
        memory.settle()
        assert statements(memory) == [BY_MODEL]
        back = memory.undo(receipt)
        assert statements(memory) == []
        memory.undo(back)
        assert statements(memory) == [BY_MODEL]


def test_a_statement_that_somebody_confirmed_meanwhile_stays(server: ChatServer, opened: Any) -> None:
    server.down()
    with opened() as memory:
        memory.add(turn(), session_id="s")
        memory.settle()
        memory.confirm(memory.get_all(kinds=["semantic"]).records[0].id)
        server.up()
        memory.settle()
        assert statements(memory) == sorted([BY_RULES, BY_MODEL])


def test_a_changed_turn_waits_once(server: ChatServer, opened: Any) -> None:
    server.down()
    with opened() as memory:
        said = memory.add(turn("I use vim at work."), session_id="s").id
        memory.settle()
        memory.update(said, content=SAID)
        memory.settle()
        assert memory.health()["waiting_for_model"] == 1
        server.up()
        memory.settle()
        assert statements(memory) == [BY_MODEL]
        assert memory.health()["waiting_for_model"] == 0


def test_a_session_that_the_model_could_not_be_asked_about_waits_for_the_next_run(
    server: ChatServer, opened: Any
) -> None:
    with opened(**{"perceive.statements": "heuristic"}) as memory:
        memory.add(turn(), session_id="s")
        server.down()
        report = memory.consolidate(session_id="s")
        assert any("wait for it" in each for each in report.problems)
        assert memory.health()["waiting_for_model"] == 1
        assert statements(memory) == [BY_RULES]
        server.up()
        memory.consolidate(session_id="s")
        assert memory.health()["waiting_for_model"] == 0
        assert len(server.posts()) == 1
        memory.consolidate(session_id="s")
        assert len(server.posts()) == 1


def test_summaries_are_worded_anew_when_the_model_is_back(server: ChatServer, opened: Any) -> None:
    server.say = lambda prompt: "Mia lives in Oslo." if "<<<notes" in prompt else '{"notes": []}'
    with opened(**{"perceive.statements": "heuristic", "upkeep.causal_pairs_max": 0}) as memory:
        memory.add([turn(f"Mia lives in Oslo, and Mia has {count} cats.") for count in range(3)])
        server.down()
        memory.maintain()
        waiting = memory.health()["waiting_for_model"]
        assert waiting >= 2  # the tree of the scope, and Mia
        server.up()
        memory.maintain()
        assert memory.health()["waiting_for_model"] == 0
        mia = memory.entity("Mia")
        assert mia.entity.summary == "Mia lives in Oslo."


def test_what_is_imported_waits_for_the_model_of_its_new_store(server: ChatServer, opened: Any, tmp_path: Path) -> None:
    server.down()
    with opened() as memory:
        memory.add(turn(), session_id="s")
        memory.settle()
        memory.export(tmp_path / "all.jsonl")
        assert memory.health()["waiting_for_model"] == 1
    server.up()
    model = f"openai:small@{server.address}/v1"
    with recollect.open(tmp_path / "other.db", embedder="fake", llm=model, config=CONFIG) as other:
        other.import_(tmp_path / "all.jsonl")
        assert statements(other) == [BY_RULES]  # what the rules drew came along
        assert other.health()["waiting_for_model"] == 1
        other.maintain()
        assert statements(other) == [BY_MODEL]
        assert other.health()["waiting_for_model"] == 0


def test_closing_does_not_wait_for_a_model_that_thinks(server: ChatServer, tmp_path: Path) -> None:
    thinking, done = threading.Event(), threading.Event()

    def slowly(prompt: str) -> str:
        thinking.set()
        done.wait(30)
        return noting(prompt)

    server.say = slowly
    model, config = f"openai:small@{server.address}/v1", {**CONFIG, "store.close_timeout_s": 0.1}
    memory = recollect.open(tmp_path / "m.db", embedder="fake", llm=model, config=config)
    memory.add(turn(), session_id="s")
    assert thinking.wait(20)
    began = time.monotonic()
    memory.close()
    took = time.monotonic() - began
    done.set()
    assert took < 10  # the model would have had thirty seconds
    with recollect.open(tmp_path / "m.db", embedder="fake", llm=model, config=config) as again:
        assert again.health()["waiting_for_model"] == 1
