"""Backups: whole, checked, under the store's key, kept in number, and gone with what is erased."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from postgres_server import pg_dump, server
from ticking import Ticking

import recollect
from recollect import Memory
from recollect.errors import AccessDenied, DiskFull, StoreBusy, StoreDamaged, UsageError
from recollect.model.backup import BackupKind
from recollect.model.result import Finding
from recollect.store.backup_folder import BackupFolder
from recollect.store.sqlite import copying

PASSPHRASE = "a long passphrase of six words"
CONFIG = {"security.coarse_times": False}


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def mem(tmp_path: Path, clock: Ticking) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False) as opened:
        yield opened


def folder(tmp_path: Path) -> list[str]:
    place = tmp_path / "m.db.backups"
    return sorted(name for name in os.listdir(place) if "." in name[1:]) if place.exists() else []


def test_a_backup_is_a_whole_store(mem: Memory, tmp_path: Path) -> None:
    mem.add("Ana moved from vim to Helix", user_id="ana")
    made = mem.backup()
    mem.add("Ben likes tea")
    assert made.verified
    assert made.kind == "manual"
    assert oct(os.stat(made.path).st_mode & 0o777) == "0o600"
    assert oct(os.stat(Path(made.path).parent).st_mode & 0o777) == "0o700"
    assert folder(tmp_path) == [made.name], "one file, with no log beside it"
    with recollect.open(made.path, embedder="fake", background=False) as copy:
        assert [each.content for each in copy.get_all(user_id="ana")] == ["Ana moved from vim to Helix"]
        assert copy.search("which editor?", user_id="ana").hits


def test_backups_are_listed_with_age_and_checked_again(mem: Memory, clock: Ticking) -> None:
    mem.add("Ana moved from vim to Helix")
    first = mem.backup()
    clock.skip(2)
    second = mem.backup()
    listed = mem.backups(verify=True)
    assert [each.name for each in listed] == [second.name, first.name]
    assert [each.age_hours for each in listed] == [0.0, 48.0]
    assert all(each.verified for each in listed)
    with open(first.path, "r+b") as file:
        file.seek(8192 * 5)
        file.write(b"\xff" * 8192 * 10)
    damaged = mem.backups(verify=True)[1]
    assert (damaged.name, damaged.verified) == (first.name, False)
    assert damaged.faults


def test_of_each_kind_the_newest_are_kept(mem: Memory, clock: Ticking) -> None:
    mem.add("Ana moved from vim to Helix")
    for _ in range(5):
        clock.skip(1)
        mem.backup()
    mem._engine.backups.make(BackupKind.AUTO)
    kinds = [each.kind.value for each in mem.backups()]
    assert kinds == ["auto", "manual", "manual", "manual"]


def test_a_copy_is_one_moment_though_the_store_is_written(mem: Memory) -> None:
    """Half of a pair of records is never in it, and it does not begin again at every write."""
    stop = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        while not stop.is_set():
            mem.add([{"role": "user", "content": f"tick {written}"}, {"role": "user", "content": f"tock {written}"}])
            written += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = [mem.backup() for _ in range(3)]
    finally:
        stop.set()
        writer.join()
    for each in made:
        with sqlite3.connect(each.path) as db:
            kinds = db.execute(
                "SELECT substr(content, 1, 4), count(*) FROM record WHERE content GLOB 't?ck *' GROUP BY 1"
            )
            counts = dict(kinds.fetchall())
        db.close()
        assert counts.get("tick", 0) == counts.get("tock", 0)
    assert written > 0


@pytest.mark.parametrize("key", ["a passphrase of its own", b"k" * 32], ids=["passphrase", "raw"])
def test_a_backup_of_an_encrypted_store_is_encrypted_alike(tmp_path: Path, key: str | bytes) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, key=key, embedder="fake", background=False) as mem:
        mem.add("Ana moved from vim to Helix")
        made = mem.backup()
        assert mem.backups(verify=True)[0].verified
    assert b"Helix" not in Path(made.path).read_bytes()
    with pytest.raises(recollect.errors.StoreLocked):
        recollect.open(made.path, embedder="fake")
    with recollect.open(made.path, key=key, embedder="fake", background=False) as copy:
        assert copy.get_all()[0].content == "Ana moved from vim to Helix"


def test_a_change_of_key_leaves_no_backup_under_the_old_one(mem: Memory, tmp_path: Path) -> None:
    mem.add("Ana moved from vim to Helix")
    plain = Path(mem.backup().path)
    mem.vault.encrypt(PASSPHRASE)
    assert not plain.exists()
    (left,) = mem.backups(verify=True)
    assert left.verified
    assert b"Helix" not in Path(left.path).read_bytes()
    assert f"{left.name}.vault" in folder(tmp_path), "it opens by itself"
    with recollect.open(left.path, key=PASSPHRASE, embedder="fake", background=False) as copy:
        assert len(copy.get_all()) == 1


def test_an_erasure_takes_the_backups_with_it(mem: Memory, tmp_path: Path) -> None:
    """What is erased for good is in no file afterwards; the next look makes a backup without it."""
    kept = mem.add("Ben likes tea", user_id="ben")
    gone = mem.add("Ana lives at Rua Nova 7", user_id="ana")
    before = mem.backup()
    mem.delete(gone.id, hard=True)
    assert folder(tmp_path) == []
    assert not Path(before.path).exists()
    backups = mem._engine.backups
    backups.look()
    backups._thread.wait()
    (made,) = mem.backups(verify=True)
    assert b"Rua Nova" not in Path(made.path).read_bytes()
    mem.erase_user("ben")
    assert folder(tmp_path) == []
    assert kept.id


def test_what_is_erased_while_a_copy_is_made_is_not_left_in_one(mem: Memory, monkeypatch: Any) -> None:
    id_ = mem.add("Ana lives at Rua Nova 7").id
    mem.add("Ben likes tea")
    whole = mem._engine.store.back_up

    def slowly(target: Path, going_on: Any) -> None:
        whole(target, going_on)
        mem._engine.store.write(lambda tx: tx.erasure.erase(tx.journal.begin("delete", at=1), [1]))

    monkeypatch.setattr(mem._engine.store, "back_up", slowly)
    with pytest.raises(StoreBusy, match="erased"):
        mem.backup()
    assert mem.backups() == []
    assert id_


def test_a_backup_is_due_once_a_day_and_only_if_something_was_done(mem: Memory, clock: Ticking) -> None:
    backups = mem._engine.backups
    assert not backups.due(), "there is nothing in it"
    mem.add("Ana moved from vim to Helix")
    assert backups.due()
    backups.make_due()
    assert not backups.due()
    clock.skip(3)
    assert not backups.due(), "nothing was done since"
    mem.add("Ben likes tea")
    assert backups.due()
    backups.make_due()
    assert [each.kind.value for each in mem.backups()] == ["auto", "auto"]


def test_none_is_made_where_none_is_wanted(tmp_path: Path) -> None:
    config = {"backups.interval_hours": 0}
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=config) as mem:
        mem.add("Ana moved from vim to Helix")
        assert not mem._engine.backups.due()


def test_an_import_begins_with_a_backup(mem: Memory, tmp_path: Path, clock: Ticking) -> None:
    mem.add("Ana moved from vim to Helix")
    mem.export(tmp_path / "out.jsonl", plain=True)
    mem.import_(tmp_path / "out.jsonl", dry_run=True)
    assert mem.backups() == []
    mem.import_(tmp_path / "out.jsonl")
    mem.import_(tmp_path / "out.jsonl")
    assert [each.kind.value for each in mem.backups()] == ["import"], "one that is a moment old will do"
    clock.skip(1)
    mem.import_(tmp_path / "out.jsonl")
    assert len(mem.backups()) == 2


def test_an_import_into_an_empty_store_needs_none(mem: Memory, tmp_path: Path) -> None:
    with recollect.open(tmp_path / "other.db", embedder="fake", background=False) as other:
        other.add("Ana moved from vim to Helix")
        other.export(tmp_path / "out.jsonl", plain=True)
    mem.import_(tmp_path / "out.jsonl")
    assert mem.backups() == []


def test_a_disk_without_room_is_said_and_nothing_is_left(mem: Memory, tmp_path: Path, monkeypatch: Any) -> None:
    mem.add("Ana moved from vim to Helix")
    mem.export(tmp_path / "out.jsonl", plain=True)
    monkeypatch.setattr("recollect.store.backup_folder.ROOM_LEFT_BYTES", 1 << 60)
    with pytest.raises(DiskFull, match=r"backups\.folder"):
        mem.backup()
    assert mem.backups() == []
    assert any("no backup was made" in word for word in mem.import_(tmp_path / "out.jsonl").warnings)
    mem._engine.backups.make_due()
    assert any("no backup could be made: [E1003]" in word for word in mem.health().warnings)
    monkeypatch.undo()
    mem.backup()
    assert not any("no backup" in word for word in mem.health().warnings), "it passes by itself"


def test_health_tells_how_old_the_newest_is(mem: Memory, clock: Ticking) -> None:
    assert mem.health()["backups"] == 0
    mem.add("Ana moved from vim to Helix")
    made = mem.backup()
    clock.skip(8)
    health = mem.health()
    assert (health["backups"], health["backup"]) == (1, made.made_at.isoformat())
    assert health["backup_age_hours"] == 8 * 24
    assert not any("backup" in word for word in health.warnings), "nothing was done since"
    mem.add("Ben likes tea")
    assert any("8 days old" in word for word in mem.health().warnings)


def test_health_and_the_doctor_tell_that_there_is_none(mem: Memory, clock: Ticking) -> None:
    def told() -> list[str]:
        return [word for word in mem.health().warnings if "no backup" in word]

    mem.add("Ana moved from vim to Helix")
    clock.skip(6)
    assert not told()
    assert of_doctor(mem).ok
    clock.skip(2)
    assert "8 days" in told()[0]
    finding = of_doctor(mem)
    assert (finding.ok, finding.code) == (False, "D18")
    assert "recollect backup" in finding.cure
    mem.backup()
    assert not told()
    assert of_doctor(mem).ok


def of_doctor(mem: Memory) -> Finding:
    (finding,) = (each for each in mem.doctor() if each.check == "backups")
    return finding


def short_life(place: Path, clock: Ticking, text: str = "", **config: Any) -> list[str]:
    """A program that opens, perhaps writes, and closes at once; the backups there are then."""
    with recollect.open(place, embedder="fake", clock=clock, background=False, config=config) as mem:
        if text:
            mem.add(text)
        else:
            mem.get_all()
    return folder(place.parent)


def test_closing_makes_the_one_that_is_due(tmp_path: Path, clock: Ticking) -> None:
    place = tmp_path / "m.db"
    assert short_life(place, clock, "Ana moved from vim to Helix") == [], "the store is younger than the interval"
    clock.skip(2)
    assert short_life(place, clock) == [], "it was only read"
    (first,) = short_life(place, clock, "Ben likes tea")
    assert first.startswith("auto-")
    with recollect.open(tmp_path / "m.db.backups" / first, embedder="fake", background=False) as copy:
        assert len(copy.get_all()) == 2
    clock.skip(0.5)
    assert short_life(place, clock, "Cleo has a cat") == [first]
    clock.skip(0.6)
    assert len(short_life(place, clock, "Dan sails")) == 2


def test_closing_makes_none_where_it_must_not(tmp_path: Path, clock: Ticking, monkeypatch: Any) -> None:
    place = tmp_path / "m.db"
    short_life(place, clock, "Ana moved from vim to Helix")
    clock.skip(2)
    assert short_life(place, clock, "Ben likes tea", **{"backups.interval_hours": 0}) == []
    mem = recollect.open(place, embedder="fake", clock=clock, background=False)
    mem.add("Cleo has a cat")
    mem.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert folder(tmp_path) == [], "something went wrong: nothing is done that can wait"
    with monkeypatch.context() as patch:
        patch.setattr("recollect.upkeep.backups._CLOSING_BYTES_MAX", 1)
        assert short_life(place, clock, "Dan sails") == [], "it would take too long"
    with monkeypatch.context() as patch:
        patch.setattr("recollect.store.sqlite.copying._PORTION_PAGES", 1)
        patch.setattr("recollect.store.sqlite.copying._copy", slowly(copying._copy))
        begun = time.monotonic()
        assert short_life(place, clock, "Eve runs", **{"store.close_timeout_s": 0.2}) == [], "it was broken off"
        assert time.monotonic() - begun < 5
    assert len(short_life(place, clock, "Fay paints")) == 1


def slowly(copy: Any) -> Any:
    def slow(source: Any, db: Any, going_on: Any) -> None:
        def asked() -> bool:
            time.sleep(0.05)
            return bool(going_on())

        copy(source, db, asked)

    return slow


def test_nothing_is_looked_at_when_none_is_due(tmp_path: Path, clock: Ticking, monkeypatch: Any) -> None:
    place = tmp_path / "m.db"
    short_life(place, clock, "Ana moved from vim to Helix")
    clock.skip(2)
    made = short_life(place, clock, "Ben likes tea")
    clock.skip(0.1)
    monkeypatch.setattr("recollect.store.sqlite.store.newest_of", None)
    monkeypatch.setattr("recollect.store.sqlite.store.sound_copy", None)
    monkeypatch.setattr("recollect.store.journal.Journal.oldest_at", None)
    assert short_life(place, clock, "Cleo has a cat") == made


def test_a_copy_that_is_not_sound_gets_no_name(mem: Memory, tmp_path: Path, monkeypatch: Any) -> None:
    mem.add("Ana moved from vim to Helix")
    monkeypatch.setattr(copying, "copy_online", lambda source, target, *more: target.write_bytes(b"x" * 8192))
    with pytest.raises(StoreDamaged, match="not sound"):
        mem.backup()
    assert folder(tmp_path) == []


def test_what_a_killed_process_left_is_tidied(mem: Memory, tmp_path: Path) -> None:
    mem.add("Ana moved from vim to Helix")
    mem.backup()
    left = tmp_path / "m.db.backups" / ".making-auto-20260101T000000Z.db"
    left.write_bytes(b"half")
    assert len(mem.backups()) == 1
    mem.backup()
    assert not left.exists()


def test_two_do_not_make_one_at_once(mem: Memory, tmp_path: Path, monkeypatch: Any) -> None:
    mem.add("Ana moved from vim to Helix")
    monkeypatch.setattr("recollect.upkeep.backups._TURN_S", 0.1)
    with BackupFolder(tmp_path / "m.db.backups", keep=3).alone(), pytest.raises(StoreBusy, match="just now"):
        mem.backup()


def test_only_the_owner_has_to_do_with_backups(mem: Memory) -> None:
    for verb in ("backup", "backups"):
        with pytest.raises(AccessDenied):
            getattr(mem.scoped(user_id="ana"), verb)()


def test_a_store_in_memory_has_none() -> None:
    with recollect.open(":memory:", embedder="fake") as mem:
        mem.add("Ana moved from vim to Helix")
        assert mem.backups() == []
        with pytest.raises(UsageError, match="export"):
            mem.backup()


def test_times_of_day_are_in_no_name_where_they_are_nobodys_business(tmp_path: Path, clock: Ticking) -> None:
    config = {"security.coarse_times": True}
    with recollect.open(tmp_path / "m.db", embedder="fake", clock=clock, background=False, config=config) as mem:
        mem.add("Ana moved from vim to Helix")
        assert mem.backup().name == "manual-20260513T000000Z.db"
        assert mem.backup().name == "manual-20260513T000000Z-2.db"


def test_the_folder_can_be_elsewhere(tmp_path: Path) -> None:
    config = {"backups.folder": str(tmp_path / "elsewhere")}
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False, config=config) as mem:
        mem.add("Ana moved from vim to Helix")
        assert Path(mem.backup().path).parent == tmp_path / "elsewhere" / "m.db"


def test_a_store_in_postgresql_is_backed_up_by_pg_dump(tmp_path: Path) -> None:
    url = server().new()
    config = {"backups.folder": str(tmp_path), "store.pg_dump": pg_dump()}
    with recollect.open(url, embedder="fake", background=False, config=config) as mem:
        mem.add("Ana moved from vim to Helix")
        made = mem.backup()
        assert made.name.endswith(".dump")
        assert mem.backups(verify=True)[0].verified
        Path(made.path).write_bytes(Path(made.path).read_bytes()[:2000])
        assert not mem.backups(verify=True)[0].verified
    with recollect.open(url, embedder="fake", config={**config, "store.pg_dump": "no-such-program"}) as mem:
        with pytest.raises(UsageError, match="no-such-program"):
            mem.backup()
        assert not mem._engine.backups.due(), "whoever runs the server backs it up"
