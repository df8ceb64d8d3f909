"""What waits for the language model is counted from how far each job has come."""

from __future__ import annotations

from recollect.clock import DAY_US
from recollect.config import LiveConfig
from recollect.memory import Memory
from recollect.upkeep.language_model.awaited import STATEMENTS_SEEN, SUMMARIES_WAIT, Awaited, awaited, request

BY_MODEL = {"perceive.statements": "model", "perceive.relations_by_model": True, "perceive.relations": "all"}


def waits(memory: Memory, **settings: object) -> Awaited:
    config = LiveConfig(settings or BY_MODEL).current
    with memory._engine.store.read() as tx:
        return awaited(tx, config, now=DAY_US)


def test_nothing_waits_in_an_empty_store(memory: Memory) -> None:
    assert waits(memory).total == 0


def test_turns_wait_until_a_model_was_asked_about_them(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "I moved to Porto"}, {"role": "assistant", "content": "Nice"}])
    assert waits(memory).turns == 1, "what a machine says is not drawn from"
    assert waits(memory, **{**BY_MODEL, "perceive.assistant_statements": True}).turns == 2
    assert waits(memory, **{"perceive.statements": "heuristic"}).turns == 0
    store = memory._engine.store
    store.write(lambda tx: tx.meta.note(STATEMENTS_SEEN, tx.stretches.newest_row()))
    assert waits(memory).turns == 0


def test_trees_that_rules_worded_wait(memory: Memory) -> None:
    memory._engine.store.write(lambda tx: tx.meta.note(f"{SUMMARIES_WAIT}:1", 1))
    assert waits(memory).summaries == 1
    assert str(waits(memory)) == "1 piece of work waits"
    assert str(Awaited(turns=2)) == "2 pieces of work wait"


def test_what_waits_is_queued_once(memory: Memory) -> None:
    memory.add([{"role": "user", "content": "I moved to Porto"}])
    config, store = LiveConfig(BY_MODEL).current, memory._engine.store
    for _ in range(2):
        store.write(lambda tx: request(tx, config, now=DAY_US))
    with store.read() as tx:
        assert tx.jobs.due(["statements_by_model"], now=2 * DAY_US)
        assert not tx.jobs.failures()
