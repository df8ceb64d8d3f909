"""The job that finds updates: once for each pair, within one scope and speaker, and taken back with its record."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from ticking import Ticking

from recollect import Memory
from recollect.index.columns import Columns
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import JobWorker
from recollect.upkeep.relations import updates
from recollect.upkeep.relations.updates import NAMED_ROWS_MAX, Updates
from recollect.wiring import open_memory

OLD, NEW = "The budget for the offsite is $5,000.", "The budget for the offsite was raised to $6,000."


@pytest.fixture
def mem(monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """No thread of its own: the job runs when the test says so."""
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def look(memory: Memory, stop: bool = False) -> None:
    engine = memory._engine
    job = Job(pk=0, kind="updates", payload={}, attempts=1)
    Updates(engine.store, engine.indexes, engine.clock).run(job, lambda share: not stop)


def pairs(memory: Memory) -> list[tuple[str, str]]:
    """(newer, older) of every live edge."""
    with memory._engine.store.read() as tx:
        return [
            (row[0], row[1])
            for row in tx.sql.all(
                "SELECT a.content, b.content FROM edge e JOIN member x ON x.edge_pk = e.pk AND x.position = 0 "
                "JOIN member y ON y.edge_pk = e.pk AND y.position = 1 JOIN record a ON a.pk = x.record_pk "
                "JOIN record b ON b.pk = y.record_pk WHERE e.label = 'updates' AND e.retired_at IS NULL ORDER BY e.pk"
            )
        ]


def turn(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def test_a_new_value_gets_a_soft_edge_to_the_old_one(mem: Memory) -> None:
    old, new = mem.add(OLD).id, mem.add(NEW).id
    look(mem)
    (edge,) = mem.related(new, labels=["updates"]).edges
    assert (edge.source, edge.target) == (new, old)
    assert edge.auto_extracted
    assert 0.5 < edge.confidence < 1.0
    assert edge.evidence == ("budget, offsit: $5000 → $6000",)
    assert {hit.id for hit in mem.search("offsite budget")} == {old, new}  # nothing is hidden


def test_looking_again_finds_nothing_more(mem: Memory) -> None:
    mem.add([OLD, NEW])
    look(mem)
    look(mem)
    mem._engine.store.write(lambda tx: tx.sql.run("DELETE FROM meta WHERE key = 'updates_seen'"))
    look(mem)
    assert pairs(mem) == [(NEW, OLD)]


def test_an_edge_somebody_withdrew_stays_away(mem: Memory) -> None:
    new = mem.add([OLD, NEW]).ids[1]
    look(mem)
    (edge,) = mem.related(new, labels=["updates"]).edges
    mem.unrelate(edge.id)
    mem._engine.store.write(lambda tx: tx.sql.run("DELETE FROM meta WHERE key = 'updates_seen'"))
    look(mem)
    assert pairs(mem) == []


def test_scopes_are_never_compared(mem: Memory) -> None:
    mem.add(OLD, user_id="ana")
    mem.add(NEW, user_id="ben")
    mem.add(NEW)
    look(mem)
    assert pairs(mem) == []
    mem.add(NEW, user_id="ana")
    look(mem)
    assert pairs(mem) == [(NEW, OLD)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (turn(OLD, name="Ana"), turn(NEW, name="Ben")),
        (turn(OLD), {"role": "assistant", "content": NEW}),
        ({"role": "assistant", "content": OLD}, {"role": "assistant", "content": NEW}),
        (turn(OLD), NEW),
    ],
    ids=["two people", "a machine answers", "a machine throughout", "a turn and a statement"],
)
def test_only_what_one_and_the_same_person_says_is_compared(mem: Memory, first: Any, second: Any) -> None:
    mem.add([first, second], session_id="s")
    look(mem)
    assert pairs(mem) == []


def test_documents_update_nothing(mem: Memory) -> None:
    mem.add(OLD, kind="snippet")
    mem.add(NEW, kind="snippet")
    look(mem)
    assert pairs(mem) == []


def test_the_later_time_is_the_newer_truth_whatever_came_first(mem: Memory) -> None:
    mem.add(turn(NEW), timestamp=datetime(2026, 5, 1, tzinfo=UTC), session_id="now")
    mem.add(turn(OLD), timestamp=datetime(2025, 5, 1, tzinfo=UTC), session_id="imported")
    look(mem)
    assert pairs(mem) == [(NEW, OLD)]


def test_undoing_the_add_takes_the_edge_back_and_redoing_brings_it_again(mem: Memory) -> None:
    mem.add(OLD)
    receipt = mem.add(NEW)
    look(mem)
    assert pairs(mem) == [(NEW, OLD)]
    taken_back = mem.undo(receipt.operation)
    assert pairs(mem) == []
    mem.undo(taken_back.operation)
    assert pairs(mem) == [(NEW, OLD)]


def test_a_run_that_is_stopped_goes_on_where_it_was(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "PORTION", 2)
    mem.add([OLD, "Ana likes tea", "Ben has a boat", NEW, "Ana has a cat"])
    runs = 0
    while True:
        runs += 1
        try:
            look(mem, stop=True)
        except InterruptedError:
            continue
        break
    assert runs == 3
    assert pairs(mem) == [(NEW, OLD)]


def test_a_portion_that_somebody_else_has_kept_is_left_alone(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    mem.add([OLD, NEW])
    keep = Updates._keep

    def late(self: Updates, tx: Any, **given: Any) -> None:
        if given["found"]:
            tx.sql.run("INSERT OR REPLACE INTO meta VALUES ('updates_seen', '99')")
        keep(self, tx, **given)

    monkeypatch.setattr(Updates, "_keep", late)
    look(mem)
    assert pairs(mem) == []


def test_what_was_changed_meanwhile_is_not_related(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = mem.add([OLD, NEW]).ids
    compared = Updates._compared

    def slowly(self: Updates, new: Any, claims: Any) -> Iterator[Any]:
        found = list(compared(self, new, claims))
        if found:
            mem.update(old, content="The budget for the offsite is secret.")
        yield from found

    monkeypatch.setattr(Updates, "_compared", slowly)
    look(mem)
    assert pairs(mem) == []


def test_each_record_is_compared_with_what_was_found_however_many_there_are(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Naming every earlier row for each new one made a bulk import quadratic."""
    texts = [f"The rent of flat {at} is {500 + at} euros a month" for at in range(NAMED_ROWS_MAX + 300)]
    mem.add([{"role": "user", "content": text} for text in texts])
    named: list[int] = []
    select = Columns.select

    def counting(self: Columns, *args: Any, **given: Any) -> Any:
        named.append(len(given["pks"]) if given.get("pks") is not None else 0)
        return select(self, *args, **given)

    monkeypatch.setattr(Columns, "select", counting)
    look(mem)
    assert named
    assert max(named) <= NAMED_ROWS_MAX
