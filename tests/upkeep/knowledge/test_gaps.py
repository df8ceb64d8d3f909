"""What a memory asks about: contradictions, what is stale, what is missing; and when a question is settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from asked_memories import ANA, ask, contradiction, look
from properties.tables import counts, looking_at, open_quick, rows, visible_state
from ticking import Ticking

from recollect.memory import Memory
from recollect.model.scope import Scope


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


def use(memory: Memory, ids: Sequence[str], times: int) -> None:
    with memory._engine.store.read() as tx:
        pks = [tx.records.find_pk(one, None, now=0) for one in ids]
    for _ in range(times):
        memory._engine.access.note(pks)
    memory._engine.access.flush()


# --- what is asked --------------------------------------------------------------------------------------------------


def test_a_contradiction_is_asked_about(mem: Memory, clock: Ticking) -> None:
    one, other = contradiction(mem)
    assert look(mem, clock).counts == {"asked": 1}
    (question,) = ask(mem, clock)
    assert (
        question.text == "I have noted “Ana drinks coffee”, but also “Ana drinks tea only”. Which of them is right now?"
    )
    assert (question.kind.value, question.records, question.scope) == ("contradiction", (one, other), ANA)


def test_looking_at_gaps_asks_nothing(mem: Memory, clock: Ticking) -> None:
    one, other = contradiction(mem)
    look(mem, clock)
    (gap,) = mem.gaps(reach="all")
    assert (gap.records, gap.asked_at) == ((one, other), None)
    assert mem.gaps(reach="all")[0].asked_at is None
    assert mem.gaps(user_id="ben") == []
    assert ask(mem, clock)
    assert mem.gaps(reach="all")[0].asked_at is not None


@pytest.mark.parametrize("how", ["confirm", "delete", "correct", "edge", "archive"])
def test_a_decided_contradiction_answers_itself(mem: Memory, clock: Ticking, how: str) -> None:
    one, other = contradiction(mem)
    look(mem, clock)
    if how == "edge":
        mem.flag(mem.related(one).edges[0].id, reason="both are right")
        mem._engine.store.write(lambda tx: tx.sql.run("UPDATE edge SET retired_at = ?", (clock.now,)))
    else:
        decide: dict[str, Any] = {
            "confirm": lambda: mem.confirm(other),
            "delete": lambda: mem.delete(one),
            "correct": lambda: mem.correct(one, "Ana drank coffee once"),
            "archive": lambda: mem.update(one, tier="archive"),
        }
        decide[how]()
    assert look(mem, clock).counts == {"answered": 1}
    assert ask(mem, clock) == []


def test_a_stale_record_is_asked_about_until_somebody_speaks_of_it(mem: Memory, clock: Ticking) -> None:
    used, unused = mem.add(["Ana works on Atlas", "Ana has a red bike"], user_id="ana", infer=False).ids
    use(mem, [used], 6)
    clock.skip(80)
    assert look(mem, clock).counts == {}
    clock.skip(12)
    assert look(mem, clock).counts == {"asked": 1}
    (question,) = ask(mem, clock)
    assert question.text == "I have a note from 3 months ago: “Ana works on Atlas”. Is this still so?"
    assert unused not in question.records
    mem.confirm(used)
    assert look(mem, clock).counts == {"answered": 1}


def test_the_use_of_a_turn_makes_its_statement_stale(mem: Memory, clock: Ticking) -> None:
    receipt = mem.add([{"role": "user", "name": "Ana", "content": "I live in Galway."}], user_id="ana")
    use(mem, receipt.ids, 6)
    clock.skip(100)
    assert look(mem, clock).counts == {"asked": 1}
    assert ask(mem, clock)[0].records == receipt.statements


def tell(memory: Memory, *said: str, user_id: str = "ana") -> None:
    memory.add([{"role": "user", "name": "Ana", "content": one} for one in said], user_id=user_id, session_id="talk")


def test_what_is_missing_is_asked_for(mem: Memory, clock: Ticking) -> None:
    tell(mem, "I work at Acme as a designer.", "I like green tea.", "I have two cats.")
    assert look(mem, clock).counts == {"asked": 1}
    (question,) = ask(mem, clock)
    assert (question.text, question.entity, question.field) == ("Where does Ana live?", "Ana", "home")
    tell(mem, "I live in Galway.")
    assert look(mem, clock).counts == {"answered": 1}


def test_what_one_wants_to_know_oneself_is_asked_for(path: Path, clock: Ticking) -> None:
    with open_quick(path, clock=clock, config={"upkeep.usually_known": "person: shoe size = wears size"}) as mem:
        tell(mem, "I work as a nurse.", "I live in Lima.", "I like jazz.", "I have a red bike.")
        look(mem, clock)
        (question,) = ask(mem, clock)
        assert (question.text, question.field) == ("May I ask for the shoe size of Ana?", "shoe size")
        tell(mem, "My shoe size is 41.")
        assert look(mem, clock).counts["answered"] == 1


def test_what_was_decided_since_is_not_asked(mem: Memory, clock: Ticking) -> None:
    _, other = contradiction(mem)
    old = mem.add("Ana works on Atlas", user_id="ana", infer=False).id
    use(mem, [old], 6)
    clock.skip(100)
    assert look(mem, clock).counts == {"asked": 2}
    mem.confirm(other)
    mem.confirm(old)
    assert ask(mem, clock) == []


def test_of_what_little_is_known_nobody_is_asked(mem: Memory, clock: Ticking) -> None:
    tell(mem, "I work at Acme as a designer.", "Hello there!", "What is the time?")
    tell(mem, "I like green tea.", "I have two cats.", "I hate rain.", user_id="ben")
    assert look(mem, clock).counts == {}


# --- runs -----------------------------------------------------------------------------------------------------------


def test_looking_twice_asks_once(mem: Memory, clock: Ticking, path: Path) -> None:
    contradiction(mem)
    look(mem, clock)
    state = counts(path)
    report = look(mem, clock)
    assert (report.counts, report.operation) == ({}, None)
    assert counts(path) | {"run": 0} == state | {"run": 0}


def test_only_the_scope_that_is_asked_for(mem: Memory, clock: Ticking) -> None:
    contradiction(mem)
    assert look(mem, clock, scope=Scope(user_id="ben")).counts == {}
    assert look(mem, clock, scope=ANA).counts == {"asked": 1}
    assert look(mem, clock, scope=Scope(user_id="ben")).counts == {}
    assert len(ask(mem, clock)) == 1


def test_undo_takes_questions_back_and_answers_too(mem: Memory, clock: Ticking, path: Path) -> None:
    one, _ = contradiction(mem)
    before = visible_state(path)
    asked = look(mem, clock)
    mem.undo(asked.operation or "")
    assert visible_state(path) == before
    assert ask(mem, clock) == []
    look(mem, clock)
    receipt = mem.delete(one)
    answered = look(mem, clock)
    assert ask(mem, clock) == []
    mem.undo(answered.operation or "")
    mem.undo(receipt)
    assert len(ask(mem, clock)) == 1


def test_an_erased_record_takes_its_questions_along(mem: Memory, clock: Ticking, path: Path) -> None:
    one, _ = contradiction(mem)
    look(mem, clock)
    mem.delete(one, hard=True)
    with looking_at(path) as db:
        assert rows(db, "SELECT * FROM question") == []


def test_questions_hold_no_text(mem: Memory, clock: Ticking, path: Path) -> None:
    contradiction(mem)
    look(mem, clock)
    with looking_at(path) as db:
        (row,) = rows(db, "SELECT * FROM question")
    assert not any("coffee" in str(value) for value in row.values())
