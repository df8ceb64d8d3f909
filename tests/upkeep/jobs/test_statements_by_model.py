"""A language model draws statements from turns; where it does not, the rules do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from fake_llm import Answering, broken
from ticking import Ticking

from recollect import Memory
from recollect.ids import new_id
from recollect.ingest.embedding import Embedding
from recollect.ingest.requests import STATEMENTS_JOB, TURNS, request_statements
from recollect.ingest.writer import Restating
from recollect.language.terms import terms_of
from recollect.model.columns import RecordRow
from recollect.perceive.statements.propositions import Proposition
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.jobs import Job
from recollect.store.journal import Op
from recollect.store.rows import content_hash
from recollect.upkeep.jobs.statements_by_model import StatementsByModel
from recollect.upkeep.jobs.worker import JobWorker, ModelAway
from recollect.wiring import open_memory

SAID = "I use Rust at work. Thanks for asking!"
CONFIG = {"perceive.statements": "model"}


def by_model(prompt: str) -> str:
    """States what was said under a mark of its own; nothing about other turns."""
    if "I use Rust" not in prompt:
        return '{"statements": []}'
    said = {"content": "Ana works with Rust", "quote": "I use Rust", "category": "fact", "subject": "Ana"}
    made_up = {"content": "Ana hates vim", "quote": "I hate vim"}
    return json.dumps({"statements": [said, made_up]})


def store_statements(tx: Tx, op: Op, turn_pk: int, stated: Sequence[Proposition]) -> None:
    """What a write path does with statements, as small as it can be: records of their own, derived from the turn."""
    scope_pk = tx.sql.value("SELECT scope_pk FROM record WHERE pk = ?", (turn_pk,))
    rows = [
        RecordRow(
            id=new_id(),
            scope_pk=scope_pk,
            content=each.content,
            content_hash=content_hash(each.content),
            created_at=op.at,
            updated_at=op.at,
            recorded_at=op.at,
            kind="semantic",
            category=each.category,
            confidence=each.confidence,
        )
        for each in stated
    ]
    if rows:
        pks = tx.records.insert(op, rows, [terms_of(row.content) for row in rows])
        tx.edges.insert(op, [edges.pair(pk, turn_pk, "derived_from") for pk in pks])


def opened(say: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, **config: Any) -> tuple[Memory, Answering]:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    llm = Answering(say)
    return open_memory(":memory:", embedder=None, clock=Ticking(), llm=llm, config={**CONFIG, **config}), llm


def restating(memory: Memory) -> Any:
    """How the engine itself stores them: in place of what was drawn from the turn before."""
    engine = memory._engine
    return Restating(Embedding(None, engine.store, None), engine.config)


def draw(
    memory: Memory, llm: Answering, progress: Callable[[float], bool] = lambda share: True, store: Any = None
) -> None:
    engine = memory._engine
    job = Job(pk=0, kind=STATEMENTS_JOB, payload={}, attempts=1)
    StatementsByModel(engine.store, llm, engine.config, engine.clock, store or store_statements).run(job, progress)


def stated(memory: Memory) -> list[tuple[str, float]]:
    with memory._engine.store.read() as tx:
        rows = tx.sql.all(
            "SELECT r.content, r.confidence FROM record r JOIN member m ON m.record_pk = r.pk AND m.role = 'subject' "
            "JOIN edge e ON e.pk = m.edge_pk AND e.label = 'derived_from' AND e.retired_at IS NULL "
            "WHERE r.retired_at IS NULL ORDER BY r.pk"
        )
        return [(row[0], row[1]) for row in rows]


def turn(text: str, role: str = "user", name: str = "Ana") -> dict[str, str]:
    return {"role": role, "content": text, "name": name}


def test_what_the_model_states_is_stored_and_what_it_made_up_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, llm = opened(by_model, monkeypatch)
    with memory:
        memory.add([turn(SAID), turn("Good to hear.", role="assistant", name="Rex")], session_id="s")
        draw(memory, llm)
        assert stated(memory) == [("Ana works with Rust", 0.8)]
        assert len(llm.asked) == 1  # what a machine says is not asked about
        assert "speaker: Ana" in llm.asked[0]


CATS = [f"I have {count} cats" for count in range(2, 6)]
BY_RULES = ["Ana uses Rust at work", *(f"Ana has {count} cats" for count in range(2, 6))]


def test_the_rules_stand_in_for_a_model_that_answers_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, llm = opened(lambda prompt: "I would rather not.", monkeypatch)
    with memory:
        memory.add([turn(SAID), *map(turn, CATS)], session_id="s")
        draw(memory, llm)
        assert [content for content, _ in stated(memory)] == BY_RULES
        assert len(llm.asked) == 3  # then it counts as away
        assert memory.health()["model_failures_today"] == 3
        assert memory.health()["waiting_for_model"] == 0  # it had its say


def test_the_rules_stand_in_for_a_model_that_is_away_and_it_is_asked_later(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, llm = opened(broken, monkeypatch)
    with memory:
        memory.add([turn(SAID), *map(turn, CATS)], session_id="s")
        for _ in range(2):  # nothing is drawn twice
            with pytest.raises(ModelAway):
                draw(memory, llm, store=restating(memory))
            assert [content for content, _ in stated(memory)] == BY_RULES
            assert memory.health()["waiting_for_model"] == 5
        assert len(llm.asked) == 2
        llm.say = by_model
        draw(memory, llm, store=restating(memory))
        assert stated(memory) == [("Ana works with Rust", 0.8)]  # it found nothing to note about cats
        assert memory.health()["waiting_for_model"] == 0


def test_what_the_rules_drew_stays_where_the_model_comes_back_with_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, llm = opened(broken, monkeypatch)
    with memory:
        memory.add(turn(SAID), session_id="s")
        with pytest.raises(ModelAway):
            draw(memory, llm, store=restating(memory))
        before = [record.id for record in memory.get_all(limit=10).records]
        assert len(before) == 2
        llm.say = lambda prompt: "I would rather not."
        draw(memory, llm, store=restating(memory))
        assert [record.id for record in memory.get_all(limit=10).records] == before
        assert memory.health()["waiting_for_model"] == 0


def test_without_a_model_the_rules_draw_and_the_receipt_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    with open_memory(":memory:", embedder=None, clock=Ticking(), config=CONFIG) as memory:
        receipt = memory.add(turn(SAID), session_id="s")
        assert any("none is configured" in each for each in receipt.missing)
        memory.settle()
        assert [content for content, _ in stated(memory)] == BY_RULES[:1]


def test_each_turn_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, llm = opened(by_model, monkeypatch)
    with memory:
        memory.add([turn(SAID), turn("I have a cat")], session_id="s")
        for expected in (1, 2):
            with pytest.raises(InterruptedError):
                draw(memory, llm, lambda share: False)
            assert len(llm.asked) == expected
        draw(memory, llm)
        draw(memory, llm)
        assert len(llm.asked) == 2
        assert len(stated(memory)) == 1


def test_a_crash_while_storing_doubles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, llm = opened(by_model, monkeypatch)

    def crashing(*given: Any) -> None:
        store_statements(*given)
        raise OSError("the power went")

    with memory:
        memory.add(turn(SAID), session_id="s")
        with pytest.raises(OSError, match="power"):
            draw(memory, llm, store=crashing)
        assert stated(memory) == []
        draw(memory, llm)
        assert stated(memory) == [("Ana works with Rust", 0.8)]


def test_undoing_the_turn_takes_its_statements_back(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, llm = opened(by_model, monkeypatch)
    with memory:
        receipt = memory.add(turn(SAID), session_id="s")
        draw(memory, llm)
        back = memory.undo(receipt)
        assert stated(memory) == []
        memory.undo(back)
        assert stated(memory) == [("Ana works with Rust", 0.8)]


def test_a_turn_that_changed_while_the_model_thought_is_left_to_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(prompt: str) -> str:
        if len(llm.asked) == 1:
            memory.update(said, content="I use Rust no longer")
        return by_model(prompt)

    memory, llm = opened(slowly, monkeypatch)
    with memory:
        said = memory.add(turn(SAID), session_id="s").id
        draw(memory, llm)
        assert len(llm.asked) == 2
        assert len(stated(memory)) == 1


def test_a_day_without_budget_is_left_to_the_rules_a_run_without_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [turn("I have a cat"), turn("I have a boat"), turn("I have a bike")]
    memory, llm = opened(by_model, monkeypatch, **{"perceive.model_day_tokens": 0})
    with memory:
        memory.add(turns, session_id="s")
        draw(memory, llm)
        assert llm.asked == []
        assert len(stated(memory)) == 3
    memory, llm = opened(by_model, monkeypatch, **{"perceive.model_run_tokens": 1})
    with memory:
        memory.add(turns, session_id="s")
        draw(memory, llm)
        assert len(llm.asked) == 1
        with memory._engine.store.read() as tx:
            assert tx.jobs.waiting(STATEMENTS_JOB)


def test_only_who_wants_a_model_queues_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, _ = opened(by_model, monkeypatch)
    with memory:
        engine = memory._engine
        wanted = engine.config.current.perceive
        plain = type(wanted)()
        assert not engine.store.write(lambda tx: request_statements(tx, TURNS, plain, now=0))
        assert not engine.store.write(lambda tx: request_statements(tx, ("semantic",), wanted, now=0))
        assert engine.store.write(lambda tx: request_statements(tx, TURNS, wanted, now=0))
