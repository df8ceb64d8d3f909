"""A move that is killed, cut or raced: nothing acknowledged is lost, both places say what they are, it goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres_server import server

import recollect
from faults.processes import rest, started
from recollect import errors
from recollect.exchange import moving
from recollect.memory import Memory


def opened(place: str, **more: Any) -> Memory:
    return recollect.open(place, embedder="fake", background=False, **more)


def lived(place: str) -> list[str]:
    """A store in which a little of everything happened; the contents that are current."""
    with opened(place) as mem:
        first, *others = mem.add([f"Fact {number} of the harbour" for number in range(40)]).ids
        mem.correct(first, "The harbour is closed")
        mem.relate(others[0], others[1], "supports")
        mem.add([{"role": "user", "content": "I moved to Lisbon.", "name": "Ana"}], session_id="s", user_id="ana")
        mem.delete(others[2], hard=True)
        mem.settle()
    return contents(place)


def contents(place: str) -> list[str]:
    with opened(place) as mem:
        return sorted(record.content for record in mem.get_all(limit=100, reach="all"))


@pytest.fixture(params=["to the server", "to a file"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    file, url = str(tmp_path / "m.db"), server().new(empty=True)
    return (file, url) if request.param == "to the server" else (url, file)


_SLOW = [pytest.param(step, marks=pytest.mark.slow) for step in ("begin", "fill:1", "fill:7", "catch_up", "verified")]
STEPS = ["after_begin", "fill:40", "switch", "finish", *_SLOW]


@pytest.mark.parametrize("step", STEPS)
def test_a_move_that_is_killed_goes_on(places: tuple[str, str], step: str) -> None:
    source, target = places
    wanted = lived(source)
    with started("move_and_die.py", source, target, step) as process:
        assert rest(process) == []  # it died before it was done
    if step == "finish":
        with pytest.raises(errors.StoreMoved, match="was moved to"):
            opened(source)
    else:
        with opened(source) as mem:
            mem.add("Written after the kill")
        wanted = sorted([*wanted, "Written after the kill"])
    if step != "begin":
        with pytest.raises(errors.StoreMoved, match="not all here"):
            opened(target)
    done = recollect.move(source, target)
    assert done.resumed == (step not in ("begin", "fill:1"))
    assert contents(target) == wanted
    with pytest.raises(errors.StoreMoved, match="was moved to"):
        opened(source)
    with opened(target) as mem:
        assert [finding for finding in mem.doctor() if not finding.ok] == []
        mem.undo(mem.add("Added and taken back").operation)


@pytest.mark.parametrize("step", [pytest.param("after_begin", marks=pytest.mark.slow), "fill:12"])
def test_an_unfinished_move_is_taken_back(places: tuple[str, str], step: str) -> None:
    source, target = places
    wanted = lived(source)
    with started("move_and_die.py", source, target, step) as process:
        rest(process)
    assert recollect.move(source, target, cancel=True).did == "taken back"
    assert contents(source) == wanted
    assert contents(target) == []
    with opened(target) as mem:  # as good as new: triggers and references work
        kept = mem.add("Ana lives in Lisbon", metadata={"related_files": ["a.py"]}).ids[0]
        mem.delete(kept, hard=True)
        assert mem.doctor()
    with pytest.raises(errors.UsageError, match="no move"):
        recollect.move(source, cancel=True)


def test_what_is_written_meanwhile_arrives(places: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer in the same store all along: what it was told is kept is in the target, or it was told to go there."""
    source, target = places
    lived(source)
    kept: list[str] = []
    erased: list[str] = []
    ended: list[errors.RecollectError] = []
    begun = threading.Event()

    def write() -> None:
        with opened(source) as mem:
            number = 0
            while not ended:
                try:
                    id_ = mem.add(f"Written meanwhile {number}", metadata={"n": number}).ids[0]
                    kept.append(f"Written meanwhile {number}")
                    if number % 5 == 4:
                        mem.delete(id_, hard=True)
                        erased.append(kept.pop())
                    elif number % 5 == 3:
                        mem.correct(id_, f"Corrected meanwhile {number}")
                        kept[-1] = f"Corrected meanwhile {number}"
                except errors.RecollectError as error:
                    ended.append(error)
                number += 1
                begun.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert begun.wait(20)
        done = recollect.move(source, target)
    finally:
        writer.join(30)
    assert isinstance(ended[0], errors.StoreMoved)
    assert not ended[0].retryable
    assert done.written_meanwhile > 0
    there = contents_of_all(target)
    # The last one may have been kept while its answer was not: what was being corrected or erased is a word of its own.
    assert set(kept[:-1]) <= there
    assert not set(erased) & there


def contents_of_all(place: str) -> set[str]:
    found, cursor = set[str](), None
    with opened(place) as mem:
        while True:
            page = mem.get_all(limit=100, cursor=cursor, reach="all")
            found |= {record.content for record in page}
            if (cursor := page.cursor) is None:
                return found


def test_rows_that_differ_are_copied_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = str(tmp_path / "m.db"), server().new(empty=True)
    wanted = lived(source)
    really = moving._Move._catch_up

    def spoil(self: moving._Move) -> None:
        really(self)
        self._target.write(lambda tx: tx.sql.run("UPDATE record SET content = 'spoiled' WHERE pk = 1"))
        self._target.write(lambda tx: tx.sql.run("DELETE FROM vector"))

    monkeypatch.setattr(moving._Move, "_catch_up", spoil)
    recollect.move(source, target)
    assert contents(target) == wanted


def test_what_goes_on_differing_is_not_switched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = str(tmp_path / "m.db"), server().new(empty=True)
    wanted = lived(source)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(moving._Move, "_there", lambda self, table: None)
        with pytest.raises(errors.StoreError, match="differs") as caught:
            recollect.move(source, target)
    assert caught.value.code == "E1005"
    assert contents(source) == wanted
    recollect.move(source, target)
    assert contents(target) == wanted


def test_of_two_that_move_the_same_store_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = str(tmp_path / "m.db"), server().new(empty=True)
    wanted = lived(source)
    really = moving._Move._catch_up
    tries: list[str] = []

    def another(self: moving._Move) -> None:
        really(self)
        if not tries:
            tries.append("under way")
            tries.append(recollect.move(source, target).did)

    monkeypatch.setattr(moving._Move, "_catch_up", another)
    with pytest.raises(errors.UsageError, match="another process"):
        recollect.move(source, target)
    assert tries == ["under way", "moved"]
    assert contents(target) == wanted


def test_a_connection_that_is_cut_in_the_middle_of_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = str(tmp_path / "m.db"), server().new(empty=True)
    wanted = lived(source)
    really = moving._Move._fill
    calls: list[int] = []

    def cut(self: moving._Move, work: Any) -> None:
        calls.append(1)
        if len(calls) in (3, 20, 41):
            with psycopg.connect(target, autocommit=True) as db:
                db.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        really(self, work)

    monkeypatch.setattr(moving._Move, "_fill", cut)
    recollect.move(source, target)
    assert contents(target) == wanted


@pytest.fixture
def full_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    really = moving._Move._fill
    calls: list[int] = []

    def full(self: moving._Move, work: Any) -> None:
        calls.append(1)
        if len(calls) == 30:
            really(
                self, lambda tx: tx.sql.run("DO $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$")
            )
        really(self, work)

    monkeypatch.setattr(moving._Move, "_fill", full)
    yield
    monkeypatch.setattr(moving._Move, "_fill", really)


def test_a_server_that_is_full_in_the_middle_of_a_move(tmp_path: Path, full_server: None) -> None:
    source, target = str(tmp_path / "m.db"), server().new(empty=True)
    wanted = lived(source)
    with pytest.raises(errors.DiskFull, match="server's disk"):
        recollect.move(source, target)
    assert contents(source) == wanted
    done = recollect.move(source, target)
    assert done.resumed
    assert contents(target) == wanted
