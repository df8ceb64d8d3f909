"""A store that is moved is the same store: every row of every table, and what is done with it from then on."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from postgres_server import server
from test_congruence import _BEGUN, _STEPS, Step, _lines, _Lived
from whole_life import Life, whole_life

import recollect
from recollect import errors
from recollect.memory import Memory

_UUID, _RANDOM = uuid.uuid4, os.urandom
_OF_THE_PLACE = ("record_text", "sqlite_", "migration", "move_")


def opened(place: object, **more: Any) -> Memory:
    return recollect.open(str(place), embedder="fake", background=False, **more)


def rows_of(path: Path, key: bytes | None = None) -> dict[str, list[Any]]:
    """Every row of every table but what is worked out of them, as an outsider reads the file."""
    db = apsw.Connection(str(path))
    tables = [
        name
        for (name,) in db.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        if not name.startswith(_OF_THE_PLACE)
    ]
    found = {name: sorted(map(repr, db.execute(f"SELECT * FROM {name}"))) for name in tables}
    found["meta"] = [each for each in found["meta"] if "'move:" not in each]
    found["keys"] = sorted(map(repr, db.execute("SELECT * FROM sqlite_sequence WHERE name <> 'move_note'")))
    found["schema"] = sorted(
        map(repr, db.execute("SELECT type, name, sql FROM sqlite_schema WHERE name <> 'move_note'"))
    )
    db.close()
    return found


def moved(source: object, target: object, **more: Any) -> Any:
    with pytest.MonkeyPatch.context() as own:
        own.setattr("uuid.uuid4", _UUID)  # the ids of a life go on as if nothing had been between
        own.setattr("os.urandom", _RANDOM)
        return recollect.move(str(source), str(target), **more)


def test_a_whole_life_is_moved_there_and_back(tmp_path: Path) -> None:
    first, last = tmp_path / "m.db", tmp_path / "back.db"
    with pytest.MonkeyPatch.context() as monkeypatch:
        life = Life(str(first), tmp_path, monkeypatch)
        whole_life(life)
        life.close()
    url = server().new(empty=True)
    there = moved(first, url)
    assert len(there.tables) > 60
    assert there.rows > 2_000
    assert there.tables["record"].rows > 50
    back = moved(url, last)
    assert rows_of(last) == rows_of(first)
    same = {name for name, told in there.tables.items() if back.tables[name] == told}
    assert same == set(there.tables)
    with opened(last) as mem:
        assert [
            finding for finding in mem.doctor() if not finding.ok and finding.check not in ("jobs", "backups")
        ] == []


@settings(max_examples=int(os.environ.get("RECOLLECT_CONGRUENT_LIVES", "2")))
@given(
    before=st.lists(_STEPS, min_size=2, max_size=8),
    after=st.lists(_STEPS, min_size=2, max_size=8),
    to_server=st.booleans(),
)
def test_a_generated_life_goes_on_as_if_it_had_not_been_moved(
    before: list[Step], after: list[Step], to_server: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("life")
    file, other, url = folder / "m.db", folder / "other.db", server().new()
    wanted = _told(str(folder / "stays.db"), None, folder, before, after)
    source, target = (str(file), f"{url}&schema=moved") if to_server else (url, str(other))
    assert _told(source, target, folder, before, after) == wanted


def _told(source: str, target: str | None, folder: Path, before: list[Step], after: list[Step]) -> Any:
    with pytest.MonkeyPatch.context() as monkeypatch:
        life = Life(source, folder, monkeypatch)
        lived = _Lived(life)
        answers = [lived.do(step) for step in (*_BEGUN, *before)]
        life.close()
        if target is not None:
            moved(source, target)
        life.mem = lived.mem = life.opened(target or source)
        try:
            answers += [lived.do(step) for step in after]
            place = folder / "out.jsonl"
            life.mem.export(place, vectors=True, overwrite=True)
            return answers, _lines(place.read_bytes()), _undone(life.mem)
        finally:
            life.close()


def _undone(mem: Memory) -> list[Any]:
    """What is left when everything that can be undone is."""
    for each in mem.operations(limit=50, reach="all"):
        try:
            mem.undo(each.id)
        except errors.RecollectError:
            continue
    return sorted(record.content for record in mem.get_all(limit=100, reach="all"))


def test_between_two_schemas_and_two_files(tmp_path: Path) -> None:
    url = server().new(empty=True)
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea", user_id="ana")
    moved(tmp_path / "a.db", tmp_path / "b.db")
    assert rows_of(tmp_path / "a.db") == rows_of(tmp_path / "b.db")
    moved(tmp_path / "b.db", f"{url}&schema=one")
    moved(f"{url}&schema=one", f"{url}&schema=other")
    with opened(f"{url}&schema=other") as mem:
        assert mem.search("tea", user_id="ana").hits
    with pytest.raises(errors.StoreMoved, match="schema=other"):
        opened(f"{url}&schema=one")


def test_what_has_it_open_keeps_reading_and_is_told_where_to_write(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea")
        moved(tmp_path / "a.db", tmp_path / "b.db")
        assert mem.search("tea").hits
        with pytest.raises(errors.StoreMoved, match=r"b\.db"):
            mem.add("Ben likes coffee")
    with opened(tmp_path / "b.db") as mem:
        mem.add("Ben likes coffee")


def test_a_finished_move_is_taken_back(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea")
    moved(tmp_path / "a.db", tmp_path / "b.db")
    done = recollect.move(tmp_path / "a.db", cancel=True)
    assert "since the move" in done.warnings[0]
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ben likes coffee")
    with pytest.raises(errors.UsageError, match="not empty"):
        moved(tmp_path / "a.db", tmp_path / "b.db")


def test_a_look_changes_neither_place(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea")
    before = rows_of(tmp_path / "a.db")
    url = server().new(empty=True)
    for target in (tmp_path / "b.db", url):
        told = moved(tmp_path / "a.db", target, dry_run=True)
        assert told.did == "would move"
        assert told.tables["record"].rows == 1
    assert rows_of(tmp_path / "a.db") == before
    assert not (tmp_path / "b.db").exists()
    with pytest.raises(errors.NotFound):
        opened(url, create=False)


# --- keys and vaults --------------------------------------------------------------------------------------------------


def test_an_encrypted_store_stays_under_its_key(tmp_path: Path) -> None:
    key = bytes(range(32))
    with opened(tmp_path / "a.db", key=key) as mem:
        mem.add("Ana likes tea")
    with pytest.raises(errors.StoreLocked):
        moved(tmp_path / "a.db", tmp_path / "b.db")
    moved(tmp_path / "a.db", tmp_path / "b.db", key=key)
    assert b"tea" not in (tmp_path / "b.db").read_bytes()
    with opened(tmp_path / "b.db", key=key) as mem:
        assert mem.search("tea").hits
    with pytest.raises(errors.StoreLocked):
        opened(tmp_path / "b.db")


def test_a_vault_moves_with_what_it_seals(tmp_path: Path) -> None:
    passphrase = "correct horse battery staple"
    with opened(tmp_path / "a.db") as mem:
        mem.vault.encrypt(key=passphrase)
        kept = mem.add("Ana's diagnosis is migraine").ids[0]
        mem.update(kept, security="confidential")
        shown = mem.get(kept)
    moved(tmp_path / "a.db", tmp_path / "b.db", key=passphrase)
    with opened(tmp_path / "b.db", key=passphrase) as mem:
        assert mem.get(kept) == shown
        assert mem.audit_verify().to_dict()["ok"]


def test_a_server_takes_nothing_that_is_sealed(tmp_path: Path) -> None:
    key = bytes(range(32))
    with opened(tmp_path / "a.db", key=key) as mem:
        mem.add("Ana likes tea")
    url = server().new(empty=True)
    with pytest.raises(errors.UsageError, match="vault migrate --to plain"):
        moved(tmp_path / "a.db", url, key=key)
    with opened(tmp_path / "a.db", key=key) as mem:
        mem.add("Ben likes coffee")


# --- what is asked for wrongly ----------------------------------------------------------------------------------------


def test_a_target_that_is_used_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea")
    with opened(tmp_path / "b.db") as mem:
        mem.add("Ben likes coffee")
    for dry_run in (True, False):
        with pytest.raises(errors.UsageError, match="not empty") as caught:
            moved(tmp_path / "a.db", tmp_path / "b.db", dry_run=dry_run)
        assert caught.value.code == "E4005"
    with opened(tmp_path / "a.db") as mem:
        mem.add("and milk")


def test_a_target_that_was_only_opened_is_empty(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea")
    url = server().new()
    opened(url).close()
    moved(tmp_path / "a.db", url)
    with opened(url) as mem:
        assert mem.search("tea").hits


@pytest.mark.parametrize(
    ("source", "target", "error", "told"),
    [
        ("a.db", None, errors.UsageError, "say where"),
        ("a.db", "a.db", errors.UsageError, "same place"),
        ("a.db", ":memory:", errors.UsageError, "in memory"),
        ("nowhere.db", "b.db", errors.NotFound, "no store"),
        ("newer.db", "b.db", errors.StoreNewer, "upgrade"),
        ("a.db", "newer.db", errors.StoreNewer, "upgrade"),
        ("a.db", "postgresql://127.0.0.1:1/db", errors.StoreUnavailable, "try again"),
        ("a.db", "no/folder/here/b.db", None, ""),
    ],
)
def test_places_that_cannot_be(
    tmp_path: Path, source: str, target: str | None, error: type[errors.RecollectError] | None, told: str
) -> None:
    for name in ("a.db", "newer.db"):
        with opened(tmp_path / name) as mem:
            mem.add("Ana likes tea")
    db = apsw.Connection(str(tmp_path / "newer.db"))
    db.execute("INSERT INTO migration VALUES (9999, 'future', 0)")
    db.close()
    place = target if target is None or ":" in target else str(tmp_path / target)
    if error is None:  # the folder is made
        assert moved(tmp_path / source, place).did == "moved"
        return
    with pytest.raises(error, match=told):
        recollect.move(str(tmp_path / source), place)
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana still writes here")


def test_two_targets_at_once_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea")
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr("recollect.exchange.moving._Move._catch_up", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            moved(tmp_path / "a.db", tmp_path / "b.db")
    with pytest.raises(errors.UsageError, match=r"being moved to .*b\.db"):
        moved(tmp_path / "a.db", tmp_path / "c.db")
    with pytest.raises(errors.StoreMoved, match=r"not all here: it is being moved from .*a\.db"):
        opened(tmp_path / "b.db")
    moved(tmp_path / "a.db", tmp_path / "b.db")


def test_text_that_a_server_cannot_keep_is_named(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as mem:
        mem.add("Ana likes tea")
        mem._engine.store.write(lambda tx: tx.sql.run("UPDATE record SET source = 'a' || char(0)"))
    with pytest.raises(errors.UsageError, match=r"row \[1\] of table record holds a NUL"):
        moved(tmp_path / "a.db", server().new(empty=True))
    with opened(tmp_path / "a.db") as mem:
        assert mem.search("tea").hits
