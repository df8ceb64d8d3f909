"""Imports into a store that has a past: what is there stays, what is new comes, and one undo takes it back."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exchange.used_stores import used_store
from hypothesis import given
from hypothesis import strategies as st
from properties.tables import assert_sound, counts, examples, open_quick, visible_state
from ticking import Ticking

from recollect.errors import DiskFull
from recollect.exchange import restore
from recollect.memory import Memory
from recollect.store.base import Tx


def ids_in(mem: Memory) -> set[str]:
    return {record.id for record in mem.get_all(reach="all", limit=1000)}


def test_what_is_new_comes_with_its_id_versions_and_times(tmp_path: Path) -> None:
    clock = Ticking()
    with open_quick(tmp_path / "a.db", clock=clock) as mem:
        first = mem.add("Ana uses vim", user_id="ana", timestamp="2024-03-01").id
        clock.skip(3)
        mem.update(first, content="Ana uses Helix")
        mem.export(tmp_path / "a.jsonl")
        source, then = mem.get(first), mem.history(first)
    with open_quick(tmp_path / "b.db") as other:
        other.add("something else")
        report = other.import_(tmp_path / "a.jsonl")
        assert (report["count"], report["versions"]) == (1, 1)
        assert other.get(first) == source
        assert source is not None
        old = other.search("Ana uses", user_id="ana", known_at=then[0].at)
        assert [hit.content for hit in old] == ["Ana uses vim"]


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    with used_store(tmp_path / "a.db", 5) as mem:
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db", embedder=None) as other:
        other.add("something else")
        other.import_(tmp_path / "a.jsonl")
        before = counts(tmp_path / "b.db"), visible_state(tmp_path / "b.db")
        report = other.import_(tmp_path / "a.jsonl")
        after = counts(tmp_path / "b.db")
        assert (report["count"], report["versions"], report["edges"], report.operation) == (0, 0, 0, None)
        assert visible_state(tmp_path / "b.db") == before[1]
        assert {k: v for k, v in after.items() if k not in ("audit", "job", "change")} == {
            k: v for k, v in before[0].items() if k not in ("audit", "job", "change")
        }
    assert_sound(tmp_path / "b.db")


def test_one_undo_takes_an_import_back(tmp_path: Path) -> None:
    with used_store(tmp_path / "a.db", 6) as mem:
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db", embedder=None) as other:
        other.add("something else")
        before = visible_state(tmp_path / "b.db")
        report = other.import_(tmp_path / "a.jsonl")
        assert report.operation is not None
        assert visible_state(tmp_path / "b.db") != before
        undone = other.undo(report.operation)
        assert visible_state(tmp_path / "b.db") == before
        other.undo(undone.operation or "")
        assert len(visible_state(tmp_path / "b.db")) > len(before)
    assert_sound(tmp_path / "b.db")


def test_a_record_that_says_something_else_here_stays_and_is_told(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem, open_quick(tmp_path / "b.db") as other:
        record = mem.add("Ana uses vim").id
        mem.export(tmp_path / "a.jsonl")
        other.import_(tmp_path / "a.jsonl")
        other.update(record, content="Ana uses Zed")
        report = other.import_(tmp_path / "a.jsonl")
        assert (report["conflicts"], report["conflicting"]) == (1, [record])
        assert any("say something else" in each for each in report.warnings)
        found = other.get(record)
        assert found is not None
        assert found.content == "Ana uses Zed"


def test_an_import_goes_on_where_one_was_cut_off(tmp_path: Path) -> None:
    """Half of an import is half of a store: the same file again brings the rest, and nothing twice."""
    with used_store(tmp_path / "a.db", 7) as mem:
        mem.export(tmp_path / "part.jsonl", user_id="ana")
        mem.export(tmp_path / "all.jsonl")
        wanted = ids_in(mem)
    with open_quick(tmp_path / "b.db", embedder=None) as other:
        other.import_(tmp_path / "part.jsonl")
        other.import_(tmp_path / "all.jsonl")
        assert ids_in(other) == wanted
    assert_sound(tmp_path / "b.db")


def test_everything_lands_in_the_scope_of_a_handle(tmp_path: Path) -> None:
    with used_store(tmp_path / "a.db", 8) as mem:
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db", embedder=None) as other:
        zoe = other.scoped(user_id="zoe")
        zoe.import_(tmp_path / "a.jsonl")
        assert {record.scope.key for record in other.get_all(reach="all", limit=1000)} == {zoe._scope.key}
        assert all(operation.scope.user_id == "zoe" for operation in other.operations(limit=50))
        before = ids_in(other)
        ana = other.scoped(user_id="ana")
        ana.import_(tmp_path / "a.jsonl")
        mine = {record.id for record in ana.get_all(limit=1000)}
        assert len(mine) == len(before), "ids that are taken by somebody else give no sign of it"
        assert not mine & before
        assert ana.import_(tmp_path / "a.jsonl")["count"] == 0


def test_the_owner_may_choose_a_scope(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem, open_quick(tmp_path / "b.db") as other:
        mem.add("Ana uses vim", project="atlas")
        mem.add("Ben uses Emacs", user_id="ben")
        mem.export(tmp_path / "a.jsonl")
        other.import_(tmp_path / "a.jsonl", user_id="ana")
        scopes = {record.content: dict(record.scope.items()) for record in other.get_all(reach="all")}
    assert scopes == {
        "Ana uses vim": {"project": "atlas", "user_id": "ana"},
        "Ben uses Emacs": {"user_id": "ana"},
    }


def test_a_dry_run_tells_and_changes_nothing(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem, open_quick(tmp_path / "b.db") as other:
        kept = mem.add("Ana uses vim").id
        mem.export(tmp_path / "1.jsonl")
        mem.add("Ben uses Emacs")
        mem.export(tmp_path / "2.jsonl")
        before = counts(tmp_path / "b.db")
        assert other.import_(tmp_path / "2.jsonl", dry_run=True).figures["did"] == "would restore"
        assert counts(tmp_path / "b.db") == before
        other.import_(tmp_path / "1.jsonl")
        report = other.import_(tmp_path / "2.jsonl", dry_run=True)
        assert (report["did"], report["count"], report["unchanged"]) == ("would merge", 1, 1)
        assert ids_in(other) == {kept}


def test_statements_know_their_turns_and_repeats_are_noticed(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem, open_quick(tmp_path / "b.db") as other:
        mem.add([{"role": "user", "content": "I work at Acme in Berlin."}], session_id="s1", user_id="ana")
        mem.add("The gateway listens on port 8080", user_id="ana")
        mem.export(tmp_path / "a.jsonl")
        other.add("something else")
        other.import_(tmp_path / "a.jsonl")
        hit = other.search("where does the user work?", user_id="ana").hits[0]
        assert "Acme" in hit.content
        assert hit.session_id == "s1"
        again = other.add("the gateway listens on port 8080", user_id="ana")
        assert again.merged


def test_a_circle_is_left_out_and_told(tmp_path: Path) -> None:
    with open_quick(tmp_path / "a.db") as mem, open_quick(tmp_path / "b.db") as other:
        one, two = mem.add("one thing").id, mem.add("another thing").id
        mem.relate(one, two, "causes")
        mem.export(tmp_path / "a.jsonl")
        lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_bytes().splitlines()]
        other.add("something else")
        other.import_(tmp_path / "a.jsonl")
        edge = next(line for line in lines if line.get("table") == "edge")
        other.unrelate(edge["id"])
        other.relate(two, one, "causes")
        edge["id"] = "11111111-2222-4333-8444-555555555555"
        _write(tmp_path / "c.jsonl", lines)
        report = other.import_(tmp_path / "c.jsonl")
        assert any("lead back" in each for each in report.warnings)
        assert len(other.related(one).edges) == 1
    assert_sound(tmp_path / "b.db")


def _write(path: Path, lines: list[dict[str, object]]) -> None:
    """An export with these lines, its end made anew."""
    from recollect.exchange.lines import LineWriter

    with path.open("wb") as file:
        writer = LineWriter(file)
        lines[0].pop("signed_by")
        for line in lines[:-1]:
            writer.row(line)
        writer.end()


@examples(6)
@given(data=st.data())
def test_an_interruption_anywhere_is_made_good_by_the_same_file(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    with used_store(folder / "a.db", data.draw(st.integers(20, 24))) as mem:
        mem.export(folder / "a.jsonl")
    fails_at = data.draw(st.integers(1, 25))
    with pytest.MonkeyPatch.context() as patch, open_quick(folder / "b.db", embedder=None) as other:
        patch.setattr(restore, "PORTION_ROWS", 7)
        other.add("something else")
        store = other._opened.store
        write, done = store.write, []

        def failing(work: Callable[[Tx], Any]) -> Any:
            done.append(work)
            if len(done) == fails_at:
                raise DiskFull("no space is left")
            return write(work)

        patch.setattr(store, "write", failing)
        with contextlib.suppress(DiskFull):
            other.import_(folder / "a.jsonl")
        patch.setattr(store, "write", write)
        other.import_(folder / "a.jsonl")
        assert len([each for each in other.operations(limit=100) if each.verb == "import"]) == 1
        other.export(folder / "b.jsonl")
    with open_quick(folder / "c.db", embedder=None) as whole:
        whole.add("something else")
        whole.import_(folder / "a.jsonl")
        whole.export(folder / "c.jsonl")
    assert rows_of(folder / "b.jsonl") == rows_of(folder / "c.jsonl")
    assert_sound(folder / "b.db")


def test_a_portion_that_is_tried_twice_is_stored_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that shares a commit with others is run again when that commit fails."""
    with used_store(tmp_path / "a.db", 25) as mem:
        mem.export(tmp_path / "a.jsonl")
    with open_quick(tmp_path / "b.db", embedder=None) as other, open_quick(tmp_path / "c.db", embedder=None) as once:
        store = other._opened.store
        write = store.write

        def twice(work: Callable[[Tx], Any]) -> Any:
            def first(tx: Tx) -> None:
                work(tx)
                raise DiskFull("once")

            with contextlib.suppress(DiskFull):
                write(first)
            return write(work)

        for each in (other, once):
            each.add("something else")
        monkeypatch.setattr(store, "write", twice)
        told = other.import_(tmp_path / "a.jsonl")
        monkeypatch.setattr(store, "write", write)
        assert told.figures == once.import_(tmp_path / "a.jsonl").figures
    assert without_keys(tmp_path / "b.db") == without_keys(tmp_path / "c.db")
    assert_sound(tmp_path / "b.db")


def rows_of(path: Path) -> list[dict[str, Any]]:
    """What an export tells of everything but operations, and but for the one record that each store had of its own."""
    rows = [json.loads(line) for line in path.read_bytes().splitlines()[1:-1]]
    own = ("operation", "journal")
    kept = [row for row in rows if row["table"] not in own and row.get("content") != "something else"]
    return [{name: value for name, value in row.items() if name != "operation_pk"} for row in kept]


def without_keys(path: Path) -> dict[str, dict[str, Any]]:
    """What is visible, as it can be compared between two stores."""
    return {
        id_: {name: value for name, value in row.items() if not name.endswith("_pk") and name != "recorded_at"}
        for id_, row in visible_state(path).items()
        if row.get("content") != "something else"
    }
