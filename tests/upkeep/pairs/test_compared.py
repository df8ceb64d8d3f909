"""New texts are read against earlier ones: what is over ends, what is doubtful is noted, and the rest is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from reading_by_table import ReaderByTable, Told
from ticking import Ticking

from recollect import Memory
from recollect.model.pair import PairLabel
from recollect.store.jobs import Job
from recollect.upkeep.jobs.worker import JobWorker
from recollect.upkeep.pairs.compared import ComparePairs
from recollect.wiring import open_memory

JANUARY = datetime(2025, 1, 7, 12, tzinfo=UTC)
WARD = "Third night shift in a row on the cardiology ward, and the coffee is cold again"
NEONATAL = "Six weeks since I swapped grown-ups with heart failure for preemies, and my back hates the incubators"
EDITOR, OTHER_EDITOR = "I use vim for everything.", "Every plugin I had is ported, Helix starts in no time."
CHANGED = Told("cardiology", "preemies", PairLabel.REPLACES, 0.95)


@pytest.fixture
def mem(monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """No thread of its own: the job runs when the test says so."""
    monkeypatch.setattr(JobWorker, "poke", lambda self: None)
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as memory:
        yield memory


def said(memory: Memory, text: str, *, days: int, role: str = "user", **scope: Any) -> str:
    turn = {"role": role, "content": text, "timestamp": JANUARY + timedelta(days=days)}
    if role == "user":
        turn["name"] = "Ingrid"
    return memory.add([turn], session_id=f"day {days}", **(scope or {"user_id": "ingrid"})).id


def compare(memory: Memory, reader: ReaderByTable, *, stop: bool = False) -> None:
    engine = memory._engine
    job = Job(pk=0, kind="pairs", payload={}, attempts=1)
    ComparePairs(engine.store, engine.indexes, reader, engine.config, engine.clock).run(job, lambda share: not stop)


def edges(memory: Memory) -> list[tuple[str, str, str]]:
    """(newer, label, older) of every live edge that says which of two holds."""
    with memory._engine.store.read() as tx:
        rows = tx.sql.all(
            "SELECT a.content, e.label, b.content FROM edge e JOIN member x ON x.edge_pk = e.pk AND x.position = 0 "
            "JOIN member y ON y.edge_pk = e.pk AND y.position = 1 JOIN record a ON a.pk = x.record_pk "
            "JOIN record b ON b.pk = y.record_pk WHERE e.retired_at IS NULL "
            "AND e.label IN ('supersedes', 'may_replace', 'updates') ORDER BY e.pk"
        )
    return [(row[0], row[1], row[2]) for row in rows]


def statements(memory: Memory) -> dict[str, bool]:
    """What was drawn from turns, and whether it still holds."""
    with memory._engine.store.read() as tx:
        rows = tx.sql.all(
            "SELECT content, valid_until IS NULL FROM record WHERE turn_pk IS NOT NULL AND head_pk IS NULL "
            "AND retired_at IS NULL"
        )
    return {row[0]: bool(row[1]) for row in rows}


def test_a_turn_without_statements_is_replaced_by_the_turn_that_presupposes_the_change(mem: Memory) -> None:
    said(mem, WARD, days=0)
    said(mem, "What do you give a colleague who retires and owns everything?", days=20)
    said(mem, NEONATAL, days=86)
    compare(mem, ReaderByTable(CHANGED))
    assert edges(mem) == [(NEONATAL, "supersedes", WARD)]


def test_a_statement_ends_when_the_later_text_was_said(mem: Memory) -> None:
    said(mem, EDITOR, days=0)
    assert list(statements(mem).values()) == [True]
    new = said(mem, OTHER_EDITOR, days=30)
    compare(mem, ReaderByTable(Told("vim", "Helix", PairLabel.REPLACES, 0.93)))
    (content,) = [text for text, holds in statements(mem).items() if not holds]
    assert "vim" in content
    then = mem.search("vim", user_id="ingrid", as_of=JANUARY + timedelta(days=3))
    assert any("vim" in hit.content for hit in then)
    explained = next(hit for hit in mem.search("which editor, vim?", user_id="ingrid") if hit.content == EDITOR)
    assert explained.replaced_by == (new,)


def test_of_a_turn_that_says_two_things_only_the_changed_one_ends(mem: Memory) -> None:
    said(mem, "I use vim for everything. I live in Bergen.", days=0)
    assert len(statements(mem)) == 2
    said(mem, OTHER_EDITOR, days=30)
    compare(mem, ReaderByTable(Told("vim", "Helix", PairLabel.REPLACES, 0.93)))
    held = statements(mem)
    assert [holds for text, holds in held.items() if "vim" in text] == [False]
    assert [holds for text, holds in held.items() if "Bergen" in text] == [True]
    assert "updates" in {label for _, label, _ in edges(mem)}, "the turn still says where Ingrid lives"


@pytest.mark.parametrize("label", [PairLabel.ADDS, PairLabel.RESTATES, PairLabel.UNRELATED])
def test_what_adds_restates_or_is_about_something_else_ends_nothing(mem: Memory, label: PairLabel) -> None:
    said(mem, WARD, days=0)
    said(mem, NEONATAL, days=86)
    compare(mem, ReaderByTable(Told("cardiology", "preemies", label, 0.99)))
    assert edges(mem) == []


def test_what_is_probable_and_not_sure_is_noted_as_a_doubt(mem: Memory) -> None:
    old, new = said(mem, WARD, days=0), said(mem, NEONATAL, days=86)
    settings = mem._engine.config.current.reader
    unsure = (settings.doubt_min + settings.over_min) / 2
    compare(mem, ReaderByTable(Told("cardiology", "preemies", PairLabel.REPLACES, unsure)))
    assert set(edges(mem)) == {(NEONATAL, "may_replace", WARD), (NEONATAL, "updates", WARD)}
    hit = next(hit for hit in mem.search("cardiology ward", user_id="ingrid") if hit.id == old)
    assert hit.current
    assert [doubt.id for doubt in hit.may_have_changed] == [new]


def test_what_more_probably_than_not_is_current_comes_first_and_nothing_ends(mem: Memory) -> None:
    old = said(mem, WARD, days=0)
    new = said(mem, NEONATAL, days=86)
    settings = mem._engine.config.current.reader
    likely = (settings.first_min + settings.doubt_min) / 2
    compare(mem, ReaderByTable(Told("cardiology", "preemies", PairLabel.REPLACES, likely)))
    assert {label for _, label, _ in edges(mem)} == {"updates"}
    found = mem.search("cardiology or preemies?", user_id="ingrid")
    order = [hit.id for hit in found]
    assert order.index(new) < order.index(old)
    assert [hit.may_have_changed for hit in found if hit.id == old] == [()], "too little for a word to people"
    assert mem.search("cardiology ward", user_id="ingrid")[0].id == old  # what does not answer is not put first


def test_the_day_on_which_a_text_was_said_decides_which_is_the_newer(mem: Memory) -> None:
    """An import brings old conversations after new ones."""
    said(mem, NEONATAL, days=86)
    said(mem, WARD, days=0)
    reader = ReaderByTable(CHANGED)
    compare(mem, reader)
    assert edges(mem) == [(NEONATAL, "supersedes", WARD)]
    assert [pair.days for pair in reader.pairs] == [86]


def test_each_pair_is_read_once_and_a_run_that_stops_is_gone_on_with(mem: Memory) -> None:
    for day in range(40):
        said(mem, f"Walked {day} kilometres along the river Vosso", days=day)
    reader = ReaderByTable()
    with pytest.raises(InterruptedError):
        compare(mem, reader, stop=True)
    compare(mem, reader)
    compare(mem, reader)
    read = [(pair.older.text, pair.newer.text) for pair in reader.pairs]
    assert len(read) == len(set(read))
    compared = mem._engine.config.current.reader.compared
    assert len(read) <= 40 * compared
    assert {newer for _, newer in read} == {f"Walked {day} kilometres along the river Vosso" for day in range(1, 40)}


def test_texts_of_another_scope_and_what_machines_say_end_nothing(mem: Memory) -> None:
    said(mem, WARD, days=0)
    said(mem, NEONATAL, days=86, user_id="marit")
    said(mem, f"So: {NEONATAL}", days=87, role="assistant")
    compare(mem, ReaderByTable(CHANGED))
    assert edges(mem) == []


def test_deleting_the_later_text_lifts_the_end(mem: Memory) -> None:
    said(mem, EDITOR, days=0)
    new = said(mem, OTHER_EDITOR, days=30)
    compare(mem, ReaderByTable(Told("vim", "Helix", PairLabel.REPLACES, 0.93)))
    assert not all(statements(mem).values())
    mem.delete(new)
    assert all(holds for text, holds in statements(mem).items() if "vim" in text)


def test_what_was_said_again_after_the_change_holds(mem: Memory) -> None:
    said(mem, EDITOR, days=0)
    said(mem, EDITOR, days=60)
    said(mem, OTHER_EDITOR, days=30)
    compare(mem, ReaderByTable(Told("vim", "Helix", PairLabel.REPLACES, 0.93)))
    assert all(statements(mem).values())


def test_without_a_reader_nothing_is_queued() -> None:
    with open_memory(":memory:", embedder="fake", config={"reader.model": "none"}) as memory:
        memory.add(EDITOR)
        with memory._engine.store.read() as tx:
            assert not tx.jobs.waiting("pairs")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The chair costs 15 dollars.", "The lamp now costs 20 dollars."),
        ("Nadia's rent is 700 euros.", "My rent is 800 euros now."),
        ("My rent is 700 euros.", "My old rent was 800 euros."),
        ("My old rent was 700 euros.", "My rent is 800 euros now."),
    ],
)
def test_what_speaks_of_another_thing_or_of_the_past_ends_nothing_however_alike_it_reads(
    mem: Memory, older: str, newer: str
) -> None:
    said(mem, older, days=0)
    said(mem, newer, days=30)
    assert len(statements(mem)) == 2
    compare(
        mem,
        ReaderByTable(Told("15 dollars", "20", PairLabel.REPLACES, 0.95), Told("700", "800", PairLabel.REPLACES, 0.95)),
    )
    assert set(statements(mem).values()) == {True}
    assert edges(mem) == []


@pytest.mark.parametrize(
    ("older", "newer", "label"),
    [
        ("Ticket 3381 waits for 700", "Ticket 3397 waits for 800", None),
        ("PR #712 holds up 700 builds", "PR #715 holds up 800 builds", None),
        ("Zimmer 12 kostet 700 Euro", "Zimmer 13 kostet 800 Euro", None),
        ("3B pays 700 since May", "4B pays 800 since May", None),
        ("Room 12 costs 700 euros", "Room 12 costs 800 euros", "supersedes"),
        ("The heating bill of flat 3 is 700", "The heating bill of flat 3 is 800", "supersedes"),
    ],
)
def test_notes_that_begin_with_two_numbered_things_are_about_two(
    mem: Memory, older: str, newer: str, label: str | None
) -> None:
    for day, text in enumerate((older, newer)):
        mem.add(text, user_id="ingrid", infer=False, timestamp=JANUARY + timedelta(days=day))
    compare(mem, ReaderByTable(Told("700", "800", PairLabel.REPLACES, 0.95)))
    assert edges(mem) == ([] if label is None else [(newer, label, older)])


def test_what_the_newer_text_says_itself_holds(mem: Memory) -> None:
    said(mem, "I live in Bergen.", days=0)
    said(mem, "Actually, I live in Bergen. Helix is quick.", days=30)
    compare(mem, ReaderByTable(Told("Bergen", "Actually", PairLabel.REPLACES, 0.95)))
    assert [holds for text, holds in statements(mem).items() if "Bergen" in text] == [True]


def test_what_speaks_of_the_same_thing_in_other_words_ends_it(mem: Memory) -> None:
    said(mem, "The rent for the flat is 700 euros.", days=0)
    said(mem, "My rent is 800 euros now.", days=30)
    compare(mem, ReaderByTable(Told("700", "800", PairLabel.REPLACES, 0.95)))
    assert [holds for text, holds in statements(mem).items() if "700" in text] == [False]


def test_a_run_that_has_more_to_do_is_due_again_at_once(mem: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the clock stands: `settle` does everything there is to do."""
    monkeypatch.setattr("recollect.upkeep.pairs.compared.PORTION", 1)
    monkeypatch.setattr("recollect.upkeep.pairs.compared.PORTIONS", 1)
    for day in range(4):
        said(mem, f"Walked {day} kilometres along the river Vosso", days=day)
    mem._engine.store.write(lambda tx: tx.sql.run("DELETE FROM job"))  # as if a worker had taken them
    compare(mem, ReaderByTable())
    with mem._engine.store.read() as tx:
        assert tx.jobs.due(["pairs"], now=mem._engine.clock())


def test_notes_that_are_stored_one_after_the_other_all_hold() -> None:
    """As a program loads what it had: plain lines, one call each. Hardly any of them replaces another."""
    pages = sorted((Path(__file__).parents[3] / "docs").glob("*.md"))
    read = (line for page in pages for line in page.read_text("utf-8").splitlines() if line[:1].isalpha())
    lines = list(dict.fromkeys(read))[:250]
    with open_memory(":memory:", embedder="static", clock=Ticking(), background=False) as memory:
        for place, line in enumerate(lines):
            who = ("", f"{JANUARY.date()} Ingrid: ", "Ingrid: ")[place % 3]
            memory.add(who + line, user_id="ingrid", infer=False)
        memory.settle()
        assert len(memory.get_all(user_id="ingrid", limit=500)) > len(lines) * 0.98
        assert len([label for _, label, _ in edges(memory) if label != "updates"]) < len(lines) * 0.02
        assert len(edges(memory)) < len(lines) * 0.15, "what comes first is less than what holds"
