"""How seldom a memory asks: two questions in a session, each once a week, never what was dismissed or is not theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_memories import ANA, ask, contradiction, look
from properties.tables import open_quick
from ticking import Ticking

from recollect.errors import NotFound
from recollect.memory import Memory
from recollect.model.scope import Scope
from recollect.upkeep.knowledge.questions import dismiss


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def mem(path: Path, clock: Ticking) -> Iterator[Memory]:
    with open_quick(path, clock=clock) as memory:
        yield memory


def test_two_in_a_session_and_each_once_a_week(mem: Memory, clock: Ticking) -> None:
    for n in range(5):
        contradiction(mem, f"the limit of number {n} is ten", f"the limit of number {n} is twelve")
    look(mem, clock)
    first = ask(mem, clock)
    assert len(first) == 2
    assert ask(mem, clock) == []
    second = ask(mem, clock, "s2")
    assert len(second) == 2
    assert not {q.id for q in first} & {q.id for q in second}
    assert len(ask(mem, clock, "s3")) == 1
    assert ask(mem, clock, "s4") == []
    clock.skip(8)
    assert len(ask(mem, clock, "s5")) == 2


def test_a_limit_of_the_caller_only_narrows(mem: Memory, clock: Ticking) -> None:
    for n in range(4):
        contradiction(mem, f"the limit of number {n} is ten", f"the limit of number {n} is twelve")
    look(mem, clock)
    assert len(ask(mem, clock, limit=1)) == 1
    assert len(ask(mem, clock, limit=50)) == 1
    assert ask(mem, clock, None, limit=0) == []


def test_a_clock_set_back_does_not_silence_it_for_ever(mem: Memory, clock: Ticking) -> None:
    contradiction(mem)
    look(mem, clock)
    clock.skip(4_000)
    assert len(ask(mem, clock)) == 1
    clock.skip(-4_000)
    assert len(ask(mem, clock, "s2")) == 1


def test_what_was_dismissed_is_not_asked_again(mem: Memory, clock: Ticking) -> None:
    contradiction(mem)
    look(mem, clock)
    (question,) = ask(mem, clock)
    store = mem._engine.store
    with pytest.raises(NotFound):
        dismiss(store, question.id, Scope(user_id="ben"), now=clock.now)
    dismiss(store, question.id, ANA, now=clock.now)
    clock.skip(30)
    assert look(mem, clock).counts == {}
    assert ask(mem, clock, "s2") == []


def test_nobody_is_asked_about_what_is_not_theirs(mem: Memory, clock: Ticking) -> None:
    contradiction(mem)
    look(mem, clock)
    assert ask(mem, clock, scope=Scope(user_id="ben")) == []
    assert ask(mem, clock, scope=Scope()) == []
    assert len(ask(mem, clock, scope=Scope(user_id="ana", project="atlas"))) == 1
