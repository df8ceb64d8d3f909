"""A model is asked within what it may cost: for a run, and for a day that all processes share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_llm import Answering, broken
from properties.tables import open_quick
from ticking import Ticking

from recollect.clock import DAY_US, SECOND_US
from recollect.memory import Memory
from recollect.upkeep.language_model.asking import (
    FAILURES_IN_A_ROW_MAX,
    NEXT_RUN_S,
    BudgetedModel,
    Ledger,
    OutOfTokens,
    later,
    ledger,
)


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def opened(tmp_path: Path, clock: Ticking) -> Iterator[Any]:
    memories: list[Memory] = []

    def make(**config: Any) -> Memory:
        named = {f"perceive.{name}": value for name, value in config.items()}
        memories.append(open_quick(tmp_path / "m.db", clock=clock, embedder=None, config=named))
        return memories[-1]

    yield make
    for memory in memories:
        memory.close()


def asking(memory: Memory, llm: Answering) -> BudgetedModel:
    engine = memory._engine
    return BudgetedModel(llm, engine.store, engine.config, engine.clock)


def spent(memory: Memory) -> Ledger:
    with memory._engine.store.read() as tx:
        return ledger(tx, memory._engine.clock())


def test_what_is_asked_and_answered_is_written_down(opened: Any) -> None:
    memory = opened()
    assert asking(memory, Answering(lambda prompt: "four words of it")).complete("p", instructions="i", max_tokens=9)
    noted = spent(memory)
    assert (noted.asked, noted.failed) == (1, 0)
    assert noted.tokens > 2


def test_a_run_that_spent_its_share_goes_on_later(opened: Any) -> None:
    memory = opened(model_run_tokens=1_000)
    model = asking(memory, Answering(lambda prompt: "yes"))
    assert model.complete("p" * 400, instructions="", max_tokens=2_000) == "yes", "the first question is always put"
    with pytest.raises(OutOfTokens) as refused:
        model.complete("p", instructions="", max_tokens=2_000)
    assert (refused.value.today, refused.value.wait_s) == (False, NEXT_RUN_S)


def test_a_day_that_is_spent_is_spent_for_every_run(opened: Any, clock: Ticking) -> None:
    memory = opened(model_day_tokens=1_000)
    llm = Answering(lambda prompt: "word " * 900)
    asking(memory, llm).complete("p", instructions="", max_tokens=50)
    with pytest.raises(OutOfTokens) as refused:
        asking(memory, llm).complete("p", instructions="", max_tokens=500)
    assert refused.value.today
    clock.now += int(refused.value.wait_s * SECOND_US)
    assert spent(memory).tokens == 0, "the next day begins with nothing spent"
    assert asking(memory, llm).complete("p", instructions="", max_tokens=500)


def test_a_job_that_ran_out_of_tokens_comes_again(opened: Any, clock: Ticking) -> None:
    memory = opened()
    store = memory._engine.store
    for _ in range(2):
        store.write(lambda tx: later(tx, "kind", clock.now, OutOfTokens(60.0, today=False)))
    with store.read() as tx:
        assert not tx.jobs.due(["kind"], now=clock.now)
        assert tx.jobs.due(["kind"], now=clock.now + DAY_US)
        assert tx.jobs.counts() == {"ready": 1}


def test_a_model_that_keeps_failing_is_away(opened: Any) -> None:
    memory = opened()
    model = asking(memory, Answering(broken))
    for _ in range(FAILURES_IN_A_ROW_MAX):
        assert not model.away
        assert model.complete("p", instructions="", max_tokens=9) is None
        assert model.unavailable
    assert model.away
    assert (spent(memory).failed, spent(memory).tokens) == (FAILURES_IN_A_ROW_MAX, 0)


def test_nonsense_counts_as_failure_until_an_answer_makes_sense(opened: Any) -> None:
    model = asking(opened(), Answering(lambda prompt: "?"))
    for _ in range(FAILURES_IN_A_ROW_MAX - 1):
        model.complete("p", instructions="", max_tokens=9)
        model.understood(False)
    model.understood(True)
    model.understood(False)
    assert not model.away
