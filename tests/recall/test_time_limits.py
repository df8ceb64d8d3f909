"""Nothing hangs: a search answers in time with what is there by then, says what is missing, and recovers by itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recollect
from recollect.deadline import Deadline, TimedCalls, within
from recollect.errors import ProviderUnavailable, SearchTimeout
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.recall import gather

LIMIT_S = 0.4
SOON_S = 3.0  # far above the limit, far below what a hanging model takes
CONFIG = {"recall.timeout_s": LIMIT_S, "context.timeout_s": 2 * LIMIT_S, "embedding.static_beside": False}


class Hanging(FakeEmbedder):
    """A model elsewhere that does not answer while it is told not to."""

    inline = False

    def __init__(self) -> None:
        super().__init__()
        self.answers = threading.Event()
        self.answers.set()
        self.asked = 0

    @property
    def name(self) -> str:
        return "hanging:1"

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += 1
        self.answers.wait(60)
        return super().embed(texts)


@pytest.fixture
def model() -> Iterator[Hanging]:
    made = Hanging()
    yield made
    made.answers.set()


@pytest.fixture
def mem(model: Hanging) -> Iterator[recollect.Memory]:
    with recollect.open(":memory:", embedder=model, background=False, config=CONFIG) as memory:
        memory.add("Ana moved from vim to Helix", user_id="ana")
        memory.add("Ben bakes rye bread on Sundays", user_id="ana")
        memory.settle()
        yield memory


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.monotonic()
    found = work()
    return time.monotonic() - began, found


def test_a_model_that_hangs_costs_a_search_its_limit_and_no_more(mem: recollect.Memory, model: Hanging) -> None:
    assert not mem.search("Helix", user_id="ana").missing
    model.answers.clear()
    took, found = timed(lambda: mem.search("Helix editor", user_id="ana"))
    assert took < SOON_S
    assert [hit.content for hit in found][:1] == ["Ana moved from vim to Helix"]
    assert any("hanging:1 did not answer (E3001)" in word for word in found.missing)
    assert found.quality.level == "text_only"


def test_nobody_waits_again_for_one_that_is_overdue(mem: recollect.Memory, model: Hanging) -> None:
    model.answers.clear()
    mem.search("Helix editor", user_id="ana")
    asked = model.asked
    for number in range(5):
        took, found = timed(lambda number=number: mem.search(f"Helix {number}", user_id="ana"))
        assert took < LIMIT_S
        assert found.missing
    assert model.asked == asked, "one call is out, and no other was begun"


def test_a_model_that_answers_again_takes_part_again(mem: recollect.Memory, model: Hanging) -> None:
    model.answers.clear()
    assert mem.search("Helix editor", user_id="ana").missing
    model.answers.set()
    until = time.monotonic() + SOON_S
    while mem.search("which Helix", user_id="ana").missing:
        assert time.monotonic() < until, "it comes back by itself"
        time.sleep(0.01)


def test_a_window_is_made_in_time(mem: recollect.Memory, model: Hanging) -> None:
    model.answers.clear()
    took, window = timed(lambda: mem.context("Which editor does Ana use, Helix?", user_id="ana"))
    assert took < SOON_S
    assert "Helix" in window.text
    assert any("did not answer" in word for word in window.missing), window.missing


def test_a_statement_of_the_database_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other sources found by then is there, and the connection can be used again."""

    def for_ever(look: Any, *_: Any, **__: Any) -> Any:
        return look.tx.sql.value(
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
        )

    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=CONFIG) as memory:
        memory.add("Ana moved from vim to Helix")
        with monkeypatch.context() as patched:
            patched.setattr(gather, "by_relations", for_ever)
            took, found = timed(lambda: memory.search("Helix"))
        assert took < SOON_S
        assert [hit.content for hit in found] == ["Ana moved from vim to Helix"]
        assert any(word.startswith("relations: no time was left") for word in found.missing)
        assert not memory.search("Helix").missing


def test_nothing_by_then_is_an_error_that_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: Any, **__: Any) -> Any:
        raise SearchTimeout("broken off")

    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=CONFIG) as memory:
        memory.add("Ana moved from vim to Helix")
        for source in ("by_words", "by_relations"):
            monkeypatch.setattr(gather, source, late)
        monkeypatch.setattr("recollect.recall.sources.vector.VectorSource.by_meaning", late)
        monkeypatch.setattr("recollect.recall.search.Search.late", True)
        with pytest.raises(SearchTimeout, match=r"recall\.timeout_s"):
            memory.search("Helix")
        window = memory.context("Where does Ana work with Helix?")
        assert any(word.startswith("recall: nothing was found within") for word in window.missing)


class Slow:
    """A reranker and a language model that take longer than anybody waits."""

    name = "slow:1"

    def __init__(self) -> None:
        self.leave = threading.Event()

    def scores(self, question: str, texts: Sequence[str]) -> Any:
        self.leave.wait(60)
        return np.zeros(len(texts))

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        self.leave.wait(60)
        return "Helix"


def test_rerankers_and_language_models_are_waited_for_no_longer(tmp_path: Path) -> None:
    slow = Slow()
    try:
        with recollect.open(
            tmp_path / "m.db", embedder="fake", reranker=slow, llm=slow, background=False, config=CONFIG
        ) as memory:
            memory.add("Ana moved from vim to Helix")
            took, found = timed(lambda: memory.search("Helix", rerank="cross_encoder"))
            assert took < SOON_S
            assert any("cross_encoder: slow:1 did not answer (E3001)" in word for word in found.missing)
            took, found = timed(lambda: memory.search("the colour of bread"))
            assert took < SOON_S
    finally:
        slow.leave.set()


def test_a_memory_closes_though_a_job_waits_for_a_model(tmp_path: Path, model: Hanging) -> None:
    config = {**CONFIG, "store.close_timeout_s": 0.3}
    memory = recollect.open(tmp_path / "m.db", embedder=model, config=config)
    model.answers.clear()
    memory.add("Ana moved from vim to Helix")
    memory._engine.worker.poke()
    until = time.monotonic() + SOON_S
    while not model.asked and time.monotonic() < until:
        time.sleep(0.01)
    assert model.asked
    took, _ = timed(memory.close)
    assert took < SOON_S


# --- deadlines --------------------------------------------------------------------------------------------------------


def test_an_inner_deadline_is_never_later_than_the_outer() -> None:
    with within(0.05) as outer, within(60) as inner:
        assert inner.left_s <= 0.05
        assert outer.left_s <= 0.05
        inner.allow(10)
        assert inner.left_s > 9, "what does not count moves both"


def test_an_error_of_the_call_is_its_own() -> None:
    def fails() -> None:
        raise TimeoutError("of the socket")

    with within(5), pytest.raises(TimeoutError, match="socket"):
        TimedCalls().ask("m", fails)
    assert TimedCalls().ask("m", lambda: 3) == 3, "where nobody waits there is no limit"


def test_so_many_calls_are_out_at_most() -> None:
    leave = threading.Event()
    waiting = TimedCalls(calls_max=2, again_s=0.0)
    began = []

    def hang() -> None:
        began.append(1)
        leave.wait(60)

    try:
        for _ in range(6):
            with within(0.02), pytest.raises(ProviderUnavailable):
                waiting.ask("m", hang)
        assert len(began) == 2
    finally:
        leave.set()
    with within(0.0), pytest.raises(ProviderUnavailable, match="no time"):
        waiting.ask("m", hang)
    assert Deadline(-1).passed
