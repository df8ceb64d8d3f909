"""Forgetting: what goes into the archive, what stays, how all of it comes back, and that nothing grows for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import examples, looking_at, open_quick, rows, visible_state
from ticking import Ticking
from upkeep.counting_steps import runner_of

from recollect.memory import Memory
from recollect.model.run import RunReport
from recollect.model.scope import Scope
from recollect.upkeep.forgetting import decay
from recollect.upkeep.forgetting.decay import DecayStep
from recollect.upkeep.runs.run import Run
from recollect.verbs import by_name, run


class Crash(BaseException):
    """What a process that dies leaves behind, without the process."""


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


def forget(memory: Memory, clock: Ticking, **more: Any) -> RunReport:
    return runner_of(memory, clock).run("decay", [DecayStep()], **more)


def tier(memory: Memory, record_id: str) -> str | None:
    found = memory.get(record_id)
    return None if found is None else found.tier.value


def test_what_nobody_uses_goes_into_the_archive(mem: Memory, clock: Ticking, path: Path) -> None:
    note = mem.add("The gateway listens on port 8080", infer=False).id
    clock.skip(89)
    assert forget(mem, clock).counts == {}
    clock.skip(2)
    report = forget(mem, clock)
    assert report.counts == {"archived": 1}
    assert report.items[0].id == note
    assert "faded to 0.048" in report.items[0].reason
    assert tier(mem, note) == "archive"
    assert not mem.search("gateway port")
    assert [hit.id for hit in mem.search("gateway port", tiers=["archive"])] == [note]
    with looking_at(path) as db:
        (logged,) = rows(db, "SELECT * FROM evolution_log")
    assert (logged["from_tier"], logged["to_tier"]) == ("longterm", "archive")
    assert "not used for 91 days" in logged["reasoning"]


def test_forgetting_twice_forgets_nothing_more(mem: Memory, clock: Ticking, path: Path) -> None:
    mem.add([f"note {n} of the gateway" for n in range(5)], infer=False)
    clock.skip(100)
    assert forget(mem, clock).counts == {"archived": 5}
    state = visible_state(path)
    report = forget(mem, clock)
    assert (report.counts, report.operation) == ({}, None)
    assert visible_state(path) == state


@pytest.mark.parametrize(
    "kept",
    [
        {"importance": 0.9},
        {"decay_rate": 0.0},
        {"user_verified": True},
        {"source": "user_explicit"},
        {"valid_until": "2026-05-20"},
        {"kind": "entity"},
    ],
)
def test_what_stays(mem: Memory, clock: Ticking, kept: dict[str, Any]) -> None:
    stays = mem.add("The gateway listens on port 8080", infer=False).id
    mem.update(stays, **kept)
    goes = mem.add("The cache lives in memory", infer=False).id
    clock.skip(1_000)
    forget(mem, clock)
    assert (tier(mem, stays), tier(mem, goes)) == ("longterm", "archive")


def test_a_confirmed_record_stays_and_a_flagged_one_fades(mem: Memory, clock: Ticking) -> None:
    confirmed, flagged = mem.add(["Ana likes tea", "Ana likes coffee"], infer=False).ids
    for record_id in (confirmed, flagged):
        mem.confirm(record_id)
    mem.flag(flagged, reason="she does not")
    clock.skip(200)
    forget(mem, clock)
    assert (tier(mem, confirmed), tier(mem, flagged)) == ("longterm", "archive")


def test_work_state_goes_within_a_month(mem: Memory, clock: Ticking) -> None:
    work = mem.add("Halfway through the parser", category="work_state", infer=False).id
    fact = mem.add("The parser is written by hand", infer=False).id
    clock.skip(31)
    forget(mem, clock)
    assert (tier(mem, work), tier(mem, fact)) == ("archive", "longterm")


def test_use_keeps(mem: Memory, clock: Ticking) -> None:
    used = mem.add("The gateway listens on port 8080", infer=False).id
    unused = mem.add("Lunch was late on that day", infer=False).id
    clock.skip(60)
    assert [hit.id for hit in mem.search("gateway port", top_k=1)] == [used]
    mem._engine.access.flush()
    clock.skip(60)
    forget(mem, clock)
    assert (tier(mem, used), tier(mem, unused)) == ("longterm", "archive")


def test_saying_it_again_keeps(mem: Memory, clock: Ticking) -> None:
    said = mem.add("Ana prefers green tea to coffee").id
    clock.skip(60)
    assert mem.add("Ana prefers green tea to coffee").merged == (said,)
    clock.skip(60)
    forget(mem, clock)
    assert tier(mem, said) == "longterm"


# --- turns and their statements -------------------------------------------------------------------------------------


def talk(memory: Memory, text: str, **more: Any) -> tuple[str, str]:
    """A turn and the one statement drawn from it."""
    receipt = memory.add([{"role": "user", "name": "Ana", "content": text}], session_id="s1", **more)
    (statement,) = receipt.statements
    return receipt.id, statement


def test_a_turn_and_its_statement_go_together(mem: Memory, clock: Ticking) -> None:
    turn, statement = talk(mem, "I live in Galway.")
    clock.skip(100)
    report = forget(mem, clock)
    assert [item.id for item in report.items] == [statement, turn]


def test_a_statement_keeps_the_turn_it_answers_through(mem: Memory, clock: Ticking) -> None:
    turn, statement = talk(mem, "I live in Galway.")
    mem.confirm(statement)
    clock.skip(400)
    forget(mem, clock)
    assert (tier(mem, turn), tier(mem, statement)) == ("longterm", "longterm")


def test_the_use_of_a_turn_is_the_use_of_its_statement(mem: Memory, clock: Ticking) -> None:
    turn, statement = talk(mem, "I live in Galway.")
    clock.skip(60)
    assert [hit.id for hit in mem.search("where does Ana live?", top_k=1)] == [turn]
    mem._engine.access.flush()
    clock.skip(60)
    forget(mem, clock)
    assert (tier(mem, turn), tier(mem, statement)) == ("longterm", "longterm")


def test_a_pattern_stays_with_its_instances(mem: Memory, clock: Ticking) -> None:
    pattern, instance = mem.add(["Ana deploys on fridays", "Ana deployed this friday"], infer=False).ids
    mem.relate(instance, pattern, "instance_of")
    mem.confirm(instance)
    clock.skip(200)
    forget(mem, clock)
    assert tier(mem, pattern) == "longterm"
    mem.delete(instance)
    forget(mem, clock)
    assert tier(mem, pattern) == "archive"


def test_pieces_of_documents_stay(mem: Memory, clock: Ticking, tmp_path: Path) -> None:
    (tmp_path / "runbook.md").write_text("# Runbook\n\n" + "Restart the worker when the queue is stuck. " * 5)
    mem.ingest(tmp_path / "runbook.md")
    clock.skip(1_000)
    assert forget(mem, clock).counts == {}
    assert mem.search("restart the worker")


# --- coming back ----------------------------------------------------------------------------------------------------


def test_update_brings_back_and_it_is_fresh(mem: Memory, clock: Ticking) -> None:
    note = mem.add("The gateway listens on port 8080", infer=False).id
    clock.skip(100)
    forget(mem, clock)
    mem.update(note, tier="longterm")
    clock.skip(80)
    forget(mem, clock)
    assert tier(mem, note) == "longterm"
    clock.skip(20)
    forget(mem, clock)
    assert tier(mem, note) == "archive"


def test_undo_brings_back_exactly_and_the_next_night_leaves_it(mem: Memory, clock: Ticking, path: Path) -> None:
    mem.add([f"note {n} of the gateway" for n in range(7)], infer=False)
    talk(mem, "I live in Galway.")
    before = visible_state(path)
    clock.skip(100)
    report = forget(mem, clock)
    assert report.counts == {"archived": 9}
    mem.undo(report.operation or "")
    assert visible_state(path) == before
    clock.skip(1)
    assert forget(mem, clock).counts == {}  # whoever took it back does not want it tomorrow
    clock.skip(100)
    assert forget(mem, clock).counts == {"archived": 9}


def test_a_dry_run_says_the_same_and_does_nothing(mem: Memory, clock: Ticking, path: Path) -> None:
    mem.add([f"note {n} of the gateway" for n in range(decay.PORTION + 5)], infer=False)
    talk(mem, "I live in Galway.")
    before = visible_state(path)
    clock.skip(100)
    told = forget(mem, clock, dry_run=True)
    assert visible_state(path) == before
    assert forget(mem, clock).counts == told.counts == {"archived": decay.PORTION + 7}


# --- out of the archive ---------------------------------------------------------------------------------------------


def test_after_ninety_days_it_is_softly_deleted(mem: Memory, clock: Ticking, path: Path) -> None:
    note = mem.add("The gateway listens on port 8080", infer=False).id
    clock.skip(100)
    forget(mem, clock)
    clock.skip(89)
    assert forget(mem, clock).counts == {}
    before = visible_state(path)
    clock.skip(2)
    report = forget(mem, clock)
    assert report.counts == {"retired": 1}
    assert mem.get(note) is None
    mem.undo(report.operation or "")
    assert visible_state(path) == before


def test_what_somebody_archived_is_not_collected(mem: Memory, clock: Ticking) -> None:
    put_away = mem.add("The old price list", tier="archive", infer=False).id
    clock.skip(1_000)
    assert forget(mem, clock).counts == {}
    assert tier(mem, put_away) == "archive"


def test_reading_an_archived_record_keeps_it_a_while(mem: Memory, clock: Ticking) -> None:
    note = mem.add("The gateway listens on port 8080", infer=False).id
    clock.skip(100)
    forget(mem, clock)
    clock.skip(60)
    assert mem.search("gateway port", tiers=["archive"])
    mem._engine.access.flush()
    clock.skip(60)
    forget(mem, clock)
    assert mem.get(note) is not None


def test_sources_of_what_is_believed_are_never_collected(mem: Memory, clock: Ticking) -> None:
    source, statement = mem.add(["Ana said tea, please", "Ana drinks tea"], infer=False).ids
    mem.relate(statement, source, "derived_from")
    mem.confirm(statement)
    clock.skip(100)
    forget(mem, clock)
    assert tier(mem, source) == "archive"
    clock.skip(400)
    forget(mem, clock)
    assert tier(mem, source) == "archive"
    mem.delete(statement)
    assert forget(mem, clock).counts == {"retired": 1}


def test_a_chain_of_sources_goes_from_its_end(mem: Memory, clock: Ticking) -> None:
    first, second, third = mem.add(["one thing", "another thing", "a third thing"], infer=False).ids
    mem.relate(second, first, "derived_from")
    mem.relate(third, second, "derived_from")
    clock.skip(100)
    assert forget(mem, clock).counts == {"archived": 3}
    mem.update(third, tier="longterm")
    mem.confirm(third)
    clock.skip(100)
    assert forget(mem, clock).counts == {}  # the confirmed one rests on both


# --- faults ---------------------------------------------------------------------------------------------------------


def test_a_crash_between_portions(mem: Memory, clock: Ticking, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decay, "PORTION", 4)
    mem.add([f"note {n} of the gateway" for n in range(10)], infer=False)
    before = visible_state(path)
    clock.skip(100)
    portions = []
    portion = Run.portion

    def dying(self: Run, work: Any) -> Any:
        if len(portions) == 2:
            raise Crash
        portions.append(1)
        return portion(self, work)

    monkeypatch.setattr(Run, "portion", dying)
    with pytest.raises(Crash):
        forget(mem, clock)
    monkeypatch.setattr(Run, "portion", portion)
    left = "UPDATE run SET state = 'running', finished_at = NULL, lease_until = ?"  # as a process that was killed does
    mem._engine.store.write(lambda tx: tx.sql.run(left, (clock.now - 1,)))
    report = forget(mem, clock)
    assert report.counts == {"archived": 10}
    mem.undo(report.operation or "")
    assert visible_state(path) == before


def test_what_is_used_while_the_run_goes_on_stays(mem: Memory, clock: Ticking, monkeypatch: pytest.MonkeyPatch) -> None:
    used, unused = mem.add(["the gateway listens", "the cache lives in memory"], infer=False).ids
    clock.skip(100)
    portion = Run.portion

    def meanwhile(self: Run, work: Any) -> Any:
        mem._engine.store.write(
            lambda tx: tx.sql.run("UPDATE record SET last_access = ? WHERE id = ?", (clock.now, used))
        )
        return portion(self, work)

    monkeypatch.setattr(Run, "portion", meanwhile)
    forget(mem, clock)
    assert (tier(mem, used), tier(mem, unused)) == ("longterm", "archive")


def test_a_clock_that_jumps_loses_nothing(mem: Memory, clock: Ticking, path: Path) -> None:
    note = mem.add("The gateway listens on port 8080", infer=False).id
    before = visible_state(path)
    clock.skip(-400)
    assert forget(mem, clock).counts == {}
    clock.skip(4_000)
    report = forget(mem, clock)
    assert report.counts == {"archived": 1}  # not collected at the same time, however far it jumped
    clock.skip(-3_600)
    assert forget(mem, clock).counts == {}
    assert tier(mem, note) == "archive"
    mem.undo(report.operation or "")
    assert visible_state(path) == before
    assert forget(mem, clock).counts == {}


def test_only_the_scope_that_is_asked_for(mem: Memory, clock: Ticking) -> None:
    anas = mem.add("the gateway listens", user_id="ana", infer=False).id
    bens = mem.add("the gateway listens", user_id="ben", infer=False).id
    clock.skip(100)
    assert forget(mem, clock, scope=Scope(user_id="ana")).counts == {"archived": 1}
    assert (tier(mem, anas), tier(mem, bens)) == ("archive", "longterm")
    clock.skip(100)
    assert forget(mem, clock, scope=Scope(user_id="ben")).counts == {"archived": 1}
    assert (tier(mem, anas), tier(mem, bens)) == ("archive", "archive")


# --- over time ------------------------------------------------------------------------------------------------------


SORTS = st.sampled_from(["plain", "important", "confirmed", "explicit", "felt"])


@examples(10)
@given(given_records=st.lists(st.tuples(SORTS, st.floats(0, 80)), max_size=12))
def test_protected_records_are_never_archived(
    given_records: list[tuple[str, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    clock = Ticking()
    fields: dict[str, dict[str, Any]] = {
        "plain": {},
        "important": {"importance": 0.95},
        "confirmed": {"user_verified": True},
        "explicit": {"source": "user_taught"},
        "felt": {},
    }
    with open_quick(tmp_path_factory.mktemp("kept") / "m.db", clock=clock, embedder=None) as memory:
        protected = []
        for at, (sort, pause) in enumerate(given_records):
            record_id = memory.add(f"note number {at}", infer=False).id
            if fields[sort]:
                memory.update(record_id, **fields[sort])
            if sort == "felt":
                sql = "UPDATE record SET arousal = 0.5, valence = -0.5, intensity = 1.0 WHERE id = ?"
                memory._engine.store.write(lambda tx, one=record_id, sql=sql: tx.sql.run(sql, (one,)))
            if sort != "plain":
                protected.append(record_id)
            clock.skip(pause)
            forget(memory, clock)
        clock.skip(500)
        forget(memory, clock)
        assert {tier(memory, record_id) for record_id in protected} <= {"longterm"}
        assert {record.id for record in memory.get_all(limit=1000)} == set(protected)


NUTS = "Ana is allergic to nuts"


def tool(name: str, tools: str) -> Callable[[Memory], Any]:
    return lambda memory: run(name, {"content": NUTS}, memory=memory, tools=tools)


ASKED: dict[str, Callable[[Memory], Any]] = {
    "remember": lambda memory: memory.remember(NUTS),
    "remember, a message": lambda memory: memory.remember({"role": "user", "content": NUTS}, session_id="s"),
    "add, to keep": lambda memory: memory.add(NUTS, keep=True),
    "add, then remember": lambda memory: [memory.add(NUTS), memory.remember(NUTS)],
    "by the name of the verb": lambda memory: by_name.run(memory, "remember", {"content": NUTS}),
    "add_memory": tool("add_memory", "default"),
    "memory_store": tool("memory_store", "engram"),
    "remember_this": tool("remember_this", "coding"),
    "an instruction": lambda memory: memory.add(NUTS, category="instruction"),
    "a constraint": lambda memory: memory.add(NUTS, category="constraint"),
    "confirmed": lambda memory: memory.confirm(memory.add(NUTS).id),
    "by the user": lambda memory: memory.add(NUTS, source="user"),
}


@pytest.mark.parametrize("curve", ["engram", "assistant"])
@pytest.mark.parametrize("way", ASKED)
def test_what_was_asked_to_be_remembered_stays_whatever_its_age(way: str, curve: str) -> None:
    clock = Ticking()
    with open_quick(":memory:", clock=clock, config={"decay.curve": curve}) as memory:
        ASKED[way](memory)
        passing = memory.add("The build of today is number 8080", confidence=0.3).id
        for _ in range(3):
            clock.skip(400)
            memory.maintain()
        assert NUTS in [hit.content for hit in memory.search("what is Ana allergic to?")]
        assert {record.tier.value for record in memory.get_all() if record.content == NUTS} == {"longterm"}
        assert tier(memory, passing) != "longterm"


def test_what_was_archived_before_somebody_asked_for_it_is_not_collected(mem: Memory, clock: Ticking) -> None:
    note = mem.add("Deploy on Fridays only").id
    clock.skip(120)
    forget(mem, clock)
    assert tier(mem, note) == "archive"
    mem.update(note, category="instruction")
    clock.skip(2000)
    forget(mem, clock)
    assert tier(mem, note) == "archive"


def _keys(memory: Memory, ids: Sequence[str]) -> list[int]:
    with memory._engine.store.read() as tx:
        return [tx.records.find_pk(one, None, now=0) for one in ids]


def test_the_store_stops_growing(mem: Memory, clock: Ticking, path: Path) -> None:
    """A year of ten notes a day, a tenth of them used once: what is searched and what can be had back levels off."""
    searched, held = [], []
    for day in range(360):
        ids = mem.add([f"day {day} note {n} of the gateway" for n in range(10)], infer=False).ids
        mem._engine.access.note(_keys(mem, ids[:1]))
        mem._engine.access.flush()
        clock.skip(1)
        if day % 10 == 9:
            forget(mem, clock)
            with looking_at(path) as db:
                live = "SELECT count(*) FROM record WHERE head_pk IS NULL AND retired_at IS NULL"
                searched.append(db.execute(f"{live} AND tier = 'longterm'").get)
                held.append(db.execute(live).get)
    assert max(searched[12:]) <= 1_000
    assert max(held[24:]) <= 2_000
    assert searched[-1] == searched[-10]
    assert held[-1] == held[-5]
