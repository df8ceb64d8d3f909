"""Operations and what they replaced: history, spans, the evolution log, the audit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect import Memory
from recollect.errors import UndoRefused
from recollect.limits import SPAN_MAX
from recollect.store.base import Tx


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder=None) as memory:
        yield memory


def rows(mem: Memory, sql: str) -> list[tuple[object, ...]]:
    with mem._engine.store.read() as tx:
        return tx.sql.all(sql)


def test_an_entry_covers_a_run_of_rows_but_never_more_than_a_span(mem: Memory) -> None:
    def work(tx: Tx) -> None:
        op = tx.journal.begin("test", at=1)
        op.inserted("record", 10, 10 + 2 * SPAN_MAX)
        op.changed("record", [1, 2, 3, 7, 8], {"retired_at": None})

    mem._engine.store.write(work)
    assert rows(mem, "SELECT first_pk, last_pk, before FROM journal ORDER BY pk") == [
        (10, 9 + SPAN_MAX, None),
        (10 + SPAN_MAX, 9 + 2 * SPAN_MAX, None),
        (10 + 2 * SPAN_MAX, 10 + 2 * SPAN_MAX, None),
        (1, 3, '{"retired_at":null}'),
        (7, 8, '{"retired_at":null}'),
    ]


def test_an_operation_over_more_rows_than_a_span_is_undone_whole(mem: Memory) -> None:
    added = mem.add([f"record {i}" for i in range(2 * SPAN_MAX + 10)])
    assert len(added.ids) == added.count == 2 * SPAN_MAX + 10
    for record_id in (added.ids[0], added.ids[SPAN_MAX - 1], added.ids[SPAN_MAX], added.ids[-1]):
        assert [entry.operation.id for entry in mem.history(record_id)] == [added.operation]
    mem.update(added.ids[SPAN_MAX + 5], content="changed")
    with pytest.raises(UndoRefused):
        mem.undo(added.operation)
    deleted = mem.delete_all(reach="all")
    assert deleted.count == added.count
    assert mem.undo(deleted.operation).count == added.count
    assert mem.stats()["records"] == added.count
    assert mem.get(added.ids[SPAN_MAX + 5]).content == "changed"


def test_a_large_receipt_lists_every_id_but_not_every_record(mem: Memory) -> None:
    receipt = mem.add([f"record {i}" for i in range(1_500)])
    assert len(set(receipt.ids)) == 1_500
    assert 0 < len(receipt.records) < 1_500
    assert [r.id for r in receipt.records] == list(receipt.ids[: len(receipt.records)])


def test_only_the_columns_that_changed_are_noted(mem: Memory) -> None:
    record_id = mem.add("a", importance=0.5).id
    mem.update(record_id, importance=0.9)
    (image,) = [row[0] for row in rows(mem, "SELECT before FROM journal WHERE before IS NOT NULL")]
    assert '"importance":0.5' in image
    assert "content" not in image


def test_every_move_between_tiers_is_in_the_evolution_log(mem: Memory) -> None:
    record_id = mem.add("a", tier="session").id
    moved = mem.update(record_id, tier="longterm")
    mem.update(record_id, importance=0.9)
    mem.undo(mem.operations()[0].id)
    mem.undo(moved.operation)
    log = rows(mem, "SELECT operation, node_ids, from_tier, to_tier, reasoning FROM evolution_log ORDER BY id")
    assert log == [
        ("update", f'["{record_id}"]', "session", "longterm", None),
        ("undo", f'["{record_id}"]', "longterm", "session", "undo"),
    ]


def test_the_audit_says_who_did_what_when_and_nothing_about_content(mem: Memory) -> None:
    rex = mem.scoped(user_id="ana", actor="rex")
    record_id = rex.add("a very private sentence").id
    rex.delete(record_id, hard=True)
    assert rows(mem, "SELECT caller, verb, count, outcome FROM audit ORDER BY pk") == [
        ("rex", "add", 1, "ok"),
        ("rex", "delete", 1, "ok"),
    ]
    assert "private" not in repr(rows(mem, "SELECT * FROM audit"))


def test_an_erasure_reaches_the_journal_the_log_and_the_reasons(mem: Memory) -> None:
    record_id = mem.add("a very private sentence").id
    mem.update(record_id, content="another private sentence")
    mem.update(record_id, tier="archive")
    mem.correct(record_id, "a third private sentence", reason="private reasons")
    mem.delete(record_id, reason="private too", hard=False)
    (successor,) = [r.id for r in mem.get_all()]
    mem.delete(successor, hard=True)
    mem.delete(record_id, hard=True)
    tables = [row[0] for row in rows(mem, "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE TABLE%'")]
    left = {name: repr(rows(mem, f"SELECT * FROM {name}")) for name in tables}
    assert [name for name, text in left.items() if "private" in text or record_id in text] == []


def test_operations_survive_reopening_and_can_still_be_undone(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "again.db", embedder=None) as first:
        record_id = first.add("a").id
        changed = first.update(record_id, content="b").operation
    with recollect.open(tmp_path / "again.db", embedder=None) as second:
        second.undo(changed)
        assert second.get(record_id).content == "a"
