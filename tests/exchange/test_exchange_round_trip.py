"""What goes out comes in again: the same file, the same answers, the same past."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from exchange.used_stores import hand_in_anything, used_store
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import assert_sound, examples, looking_at, open_quick, visible_state

from recollect.limits import FIGURE_STORED_MAX, HALF_LIFE_DAYS_MIN
from recollect.memory import Memory
from recollect.store.tables import BY_NAME, LEFT_OUT, TABLES, WORKED_OUT

_VECTORS = {"vectors"}


def rows_in(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def without_vectors(path: Path) -> dict[str, object]:
    return {id_: {k: v for k, v in row.items() if k not in _VECTORS} for id_, row in visible_state(path).items()}


@examples(5)
@given(seed=st.integers(0, 10_000))
def test_export_import_export_is_the_same_file(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("trip")
    with used_store(folder / "a.db", seed) as mem:
        mem.export(folder / "a.jsonl")
    with open_quick(folder / "b.db", embedder=None) as other:
        assert other.import_(folder / "a.jsonl")["did"] == "restored"
        other.export(folder / "b.jsonl")
    assert (folder / "b.jsonl").read_bytes() == (folder / "a.jsonl").read_bytes()
    assert without_vectors(folder / "b.db") == without_vectors(folder / "a.db")
    assert_sound(folder / "b.db")


@examples(3)
@given(seed=st.integers(0, 10_000))
def test_a_part_of_a_store_makes_the_round_trip_too(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("part")
    with used_store(folder / "a.db", seed) as mem:
        mem.export(folder / "a.jsonl", user_id="ana")
    with open_quick(folder / "b.db", embedder=None) as other:
        other.import_(folder / "a.jsonl")
        other.export(folder / "b.jsonl", user_id="ana")
    assert (folder / "b.jsonl").read_bytes() == (folder / "a.jsonl").read_bytes()
    assert_sound(folder / "b.db")


@examples(12)
@given(data=st.data())
def test_whatever_is_accepted_comes_back(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The door and the import go by the same bounds: nothing that one writer stores spoils the file of all."""
    folder = tmp_path_factory.mktemp("accepted")
    unscreened = {"security.injection_screen": False}  # a backup's texts are screened again: about that are other tests
    with open_quick(folder / "a.db", embedder=None, config=unscreened) as mem:
        hand_in_anything(mem, data)
        mem.settle()
        mem.export(folder / "a.jsonl")
    with open_quick(folder / "b.db", embedder=None, config=unscreened) as other:
        assert other.import_(folder / "a.jsonl")["did"] == "restored"
        other.export(folder / "b.jsonl")
    assert (folder / "b.jsonl").read_bytes() == (folder / "a.jsonl").read_bytes()


@pytest.mark.parametrize("forever", [datetime.max, datetime.max.replace(tzinfo=UTC), "9999-12-31", date.max])
@pytest.mark.parametrize("since", [datetime.min, "0001-01-01", -62_135_596_800])
def test_forever_and_since_ever_are_times_that_come_back(forever: Any, since: Any, tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem:
        one = mem.scoped(user_id="mallory").add("x y", valid_from=since, valid_until=forever).id
        two = mem.add({"role": "user", "content": "said long ago"}, timestamp=since).id
        mem.relate(one, two, valid_from=since, valid_until=forever)
        mem.export(tmp_path / "a.jsonl")
        before = mem.get(one, user_id="mallory")
    with open_quick(tmp_path / "b.db") as other:
        other.import_(tmp_path / "a.jsonl")
        assert other.get(one, user_id="mallory") == before
        assert len(other.related(one, user_id="mallory")) == 1
        assert other.search("x y", user_id="mallory").hits[0].id == one


def test_a_figure_that_was_stored_before_there_was_a_bound_is_taken_at_the_bound(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem:
        one = mem.add("the strongest record there is").id
        mem._opened.store.write(lambda tx: tx.sql.run("UPDATE record SET strength = 1e305, half_life_days = 1e-300"))
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db") as other:
        other.import_(tmp_path / "a.jsonl")
        found = other.get(one)
        assert found is not None
        assert (found.strength, found.half_life_days) == (FIGURE_STORED_MAX, HALF_LIFE_DAYS_MIN)


def test_an_empty_store_makes_the_round_trip(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem, open_quick(tmp_path / "b.db") as other:
        mem.export(tmp_path / "a.jsonl")
        other.import_(tmp_path / "a.jsonl")
        other.export(tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()


def test_vectors_go_along_on_request(tmp_path: Path) -> None:
    with used_store(tmp_path / "a.db", 3) as mem:
        mem.export(tmp_path / "a.jsonl", vectors=True)
    with open_quick(tmp_path / "b.db") as other:
        other.import_(tmp_path / "a.jsonl")
        other.export(tmp_path / "b.jsonl", vectors=True)
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
    assert visible_state(tmp_path / "b.db") == visible_state(tmp_path / "a.db")


def test_what_was_done_can_be_undone_where_it_came_in(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem:
        before = mem.add("The gateway listens on port 8080").id
        change = mem.update(before, content="The gateway listens on port 9090")
        gone = mem.delete(before)
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db") as other:
        other.import_(tmp_path / "a.jsonl")
        assert other.get(before) is None
        other.undo(gone.operation or "")
        other.undo(change.operation or "")
        found = other.get(before)
        assert found is not None
        assert found.content == "The gateway listens on port 8080"
        assert [each.verb for each in other.history(before)] == ["add", "update", "delete", "undo", "undo"]


def test_what_came_in_is_found_by_words_and_by_meaning(tmp_path: Path) -> None:
    with used_store(tmp_path / "a.db", 2) as mem:
        mem.add("Ana keeps bees on the roof", user_id="ana")
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db") as other:
        other.import_(tmp_path / "a.jsonl")
        other.settle()
        assert other.search("who keeps bees?", user_id="ana").hits[0].content == "Ana keeps bees on the roof"
        spaces = other.reembed(wait=True)["spaces"]
        assert all(space["embedded"] == space["records"] for space in spaces)


def test_new_keys_are_none_that_an_undo_may_need(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem:
        mem.add("first")
        last = mem.add("a record that goes").id
        mem.delete(last, hard=True)
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db") as other:
        other.import_(tmp_path / "a.jsonl")
        other.add("second")
        other.export(tmp_path / "b.jsonl")
    keys = [row["pk"] for row in rows_in(tmp_path / "b.jsonl") if row.get("table") == "record"]
    assert keys == [1, 3]


def test_exporting_changes_nothing_and_is_noted(tmp_path: Path) -> None:
    with used_store(tmp_path / "a.db", 4) as mem:
        before = visible_state(tmp_path / "a.db"), mem.stats()["records"]
        first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
        mem.export(first)
        mem.export(second)
        assert (visible_state(tmp_path / "a.db"), mem.stats()["records"]) == before
        with looking_at(tmp_path / "a.db") as db:
            noted = list(db.execute("SELECT event, verb FROM audit WHERE verb = 'export'"))
        assert noted == [("plain_export_requested", "export"), ("export_created", "export")] * 2
    assert first.read_bytes() == second.read_bytes()


def test_a_handle_exports_its_own_and_nothing_of_others(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem:
        mine = mem.add("Ana keeps bees in Porto", user_id="ana").id
        theirs = mem.add("Ben keeps a secret in Porto", user_id="ben").id
        shared = mem.add("Porto is a city")
        mem.relate(mine, theirs, evidence=["both speak of the secret"])
        mem.relate(mine, shared.id)
        mem.scoped(user_id="ana").export(tmp_path / "ana.jsonl")
    text = (tmp_path / "ana.jsonl").read_text()
    rows = rows_in(tmp_path / "ana.jsonl")
    assert "bees" in text
    assert "secret" not in text
    assert "ben" not in text.lower()
    assert theirs not in text
    assert shared.id not in text
    assert [row["id"] for row in rows if row.get("table") == "record"] == [mine]
    assert not [row for row in rows if row.get("table") in ("edge", "operation", "journal")]


def test_every_column_is_exported_or_known_to_be_worked_out(memory: Memory) -> None:
    """Whoever adds a column decides what an export does with it, in recollect/store/tables.py."""
    with memory._opened.store.read() as tx:
        tables = [row[0] for row in tx.sql.all("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        tables = [name for name in tables if not name.startswith(("sqlite_", "record_text_"))]
        assert set(tables) == {*BY_NAME, *LEFT_OUT}
        for table in TABLES:
            columns = {row[0] for row in tx.sql.all("SELECT name FROM pragma_table_info(?)", (table.name,))}
            declared = {*table.columns, *WORKED_OUT.get(table.name, ()), *(["pk"] if table.keyed else [])}
            assert columns == declared, table.name


def test_the_header_tells_what_there_is(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem:
        mem.add("one")
        report = mem.export(tmp_path / "a.jsonl")
    first, *rows, last = rows_in(tmp_path / "a.jsonl")
    assert (first["format"], first["version"], first["complete"]) == ("recollect", 1, True)
    assert first["counts"] == {
        table.name: sum(row["table"] == table.name for row in rows)
        for table in TABLES
        if table.name not in ("space", "vector", "sentence_vectors")
    }
    assert last["lines"] == len(rows) + 1
    assert report["lines"] == len(rows) + 2
    assert report["bytes"] == (tmp_path / "a.jsonl").stat().st_size
