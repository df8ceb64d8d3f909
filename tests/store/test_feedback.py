"""What is kept of questions and of use: enough to recognise them, not to read them, and nothing after erasure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from properties.tables import looking_at, open_quick
from ticking import Ticking

import recollect
from recollect import Memory
from recollect.store.feedback import context_of, hashed
from recollect.wiring import open_memory

QUESTION = "which quixotic zeppelin does Ana fly?"


def test_terms_are_kept_as_sorted_hashes_each_once() -> None:
    one = hashed(["tea", "rome", "tea"])
    assert one.tolist() == sorted(set(one.tolist()))
    assert np.array_equal(one, hashed(["rome", "tea"]))
    assert len(hashed([])) == 0


def test_a_vector_of_nothing_is_not_kept() -> None:
    kept = context_of("tea", "fake", np.zeros(4, dtype=np.float32))
    assert (kept.model, kept.vector) == (None, None)


def test_the_question_is_nowhere_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.feedback(memory.add("Ana flies").id, helpful=False, query=QUESTION)
    everything = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for word in (b"quixotic", b"zeppelin", b"quixot"):
        assert word not in everything
    assert b"Ana flies" in everything


def test_erasure_takes_feedback_sessions_and_reasons_along(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        gone, kept = memory.add("Ana flies").id, memory.add("Ben rows").id
        memory.relate(gone, kept, "validates")
        memory.flag(gone, reason="the zeppelin was sold")
        memory.feedback(gone, helpful=False, query=QUESTION, reason="no zeppelin")
        engine = memory._engine
        with engine.store.read() as tx:
            pk = tx.records.find_pk(gone, now=engine.clock())
        engine.access.note([pk], session="s1")
        engine.access.flush()
        memory.delete(gone, hard=True)
        with looking_at(path) as db:
            assert db.execute("SELECT (SELECT count(*) FROM feedback), (SELECT count(*) FROM recalled)").get == (0, 0)
    assert b"zeppelin" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_store_of_the_first_format_is_brought_up_to_date(tmp_path: Path) -> None:
    """Made by the first step alone, then opened: nothing is lost, and the new verbs work on what is there."""
    import apsw

    from recollect.store.sqlite.migrate import migrate, steps

    path = tmp_path / "m.db"
    db = apsw.Connection(str(path))
    migrate(db, str(path), steps()[:1])
    db.close()
    with recollect.open(path, embedder=None) as memory:
        said = memory.add("Ana uses vim").id
        assert memory.feedback(said, helpful=True, query="editor").records[0].success_count == 1


# --- sessions in which a record came up -----------------------------------------------------------------------------


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


def uses(memory: Memory, record_id: str) -> tuple[int, int]:
    record = memory.get(record_id)
    assert record is not None
    return record.access_count, record.access_sessions


def test_a_session_counts_once_however_often_it_asks(clock: Ticking) -> None:
    with open_memory(":memory:", embedder=None, clock=clock) as memory:
        said = memory.add("Ana uses vim").id
        access = memory._engine.access
        for session in ("a", "a", "b", None, "a"):
            access.note([1], session)
            access.flush()
        access.note([1], "b")
        access.note([1], "c")
        access.flush()
        assert uses(memory, said) == (7, 3)


def test_a_session_that_comes_back_much_later_is_another(clock: Ticking) -> None:
    with open_memory(":memory:", embedder=None, clock=clock) as memory:
        said = memory.add("Ana uses vim").id
        access = memory._engine.access
        for days in (0, 20, 20, 40):  # silent for twenty days is still going on, for forty is not
            clock.skip(days)
            access.note([1], "a")
            access.flush()
        assert uses(memory, said) == (4, 2)


def test_a_record_erased_before_its_use_was_written_is_no_obstacle(clock: Ticking) -> None:
    with open_memory(":memory:", embedder=None, clock=clock) as memory:
        gone, kept = memory.add("gone").id, memory.add("kept").id
        memory._engine.access.note([1, 2], "a")
        memory.delete(gone, hard=True)
        memory._engine.access.flush()
        assert uses(memory, kept) == (1, 1)


# --- signals --------------------------------------------------------------------------------------------------------


def test_signals_come_in_the_order_asked_for_and_are_neutral_for_what_is_gone(clock: Ticking) -> None:
    with open_memory(":memory:", embedder=None, clock=clock) as memory:
        memory.add("plain")
        memory.add("unsure", confidence=0.3, importance=0.9, category="gotcha", timestamp="2026-01-01")
        memory.confirm(memory.add("sure").id)
        with memory._engine.store.read() as tx:
            found = tx.signals.signals(np.array([3, 999, 2, 1]))
            empty = tx.signals.signals([])
        assert found.pks.tolist() == [3, 999, 2, 1]
        assert found.category == ("fact", "", "gotcha", "fact")
        assert found.confidence.tolist() == [1.0, 1.0, 0.3, 1.0]
        assert found.user_verified.tolist() == [True, False, False, False]
        assert found.importance.tolist() == [0.5, 0.5, 0.9, 0.5]
        assert np.isnan(found.half_life_days).all()
        assert found.event_time[2] < found.event_time[3]
        assert all(len(column) == 0 for column in empty)
