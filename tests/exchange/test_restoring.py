"""A store brought back: to a backup, to a moment, after damage; and what is lost is said exactly."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ticking import Ticking

import recollect
from recollect import Memory
from recollect.errors import NotFound, StoreBusy, StoreDamaged, StoreLocked, StoreReadOnly, UsageError
from recollect.wiring import open_memory

PASSPHRASE = "a long passphrase of six words"


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def opened(place: Path, clock: Ticking, **more: Any) -> Memory:
    """Without backups that nobody asked for."""
    config = {"backups.interval_hours": 0} | more.pop("config", {})
    return recollect.open(place, embedder="fake", clock=clock, background=False, config=config, **more)


def contents(place: Path, clock: Ticking, **more: Any) -> list[str]:
    with opened(place, clock, **more) as mem:
        return sorted(each.content for each in mem.get_all())


def damage(place: Path) -> None:
    with place.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 8192 * 30)


def lived(place: Path, clock: Ticking) -> tuple[str, datetime]:
    """A backup of a day ago, and a moment of half a day ago; a record before, between and after them."""
    with opened(place, clock) as mem:
        mem.add("one")
        name = mem.backup().name
        clock.skip(0.5)
        two = mem.add("two")
        moment = clock.skip(0.01)
        clock.skip(0.5)
        mem.add("three")
        mem.update(two.id, content="two, said again")
    return name, moment


def test_a_backup_takes_the_place_of_the_store(place: Path, clock: Ticking) -> None:
    name, _ = lived(place, clock)
    told = recollect.restore(place, name, dry_run=True, clock=clock)
    assert told.did == "would restore"
    assert contents(place, clock) == ["one", "three", "two, said again"], "nothing was changed"
    done = recollect.restore(place, name, clock=clock)
    assert done.lost is not None
    assert dict(done.lost.verbs) == {"add": 2, "update": 1}
    assert contents(place, clock) == ["one"]
    assert done.set_aside is not None
    assert contents(Path(done.set_aside), clock) == ["one", "three", "two, said again"]


def test_a_moment_is_reached_in_the_store_itself(place: Path, clock: Ticking) -> None:
    _, moment = lived(place, clock)
    done = recollect.restore(place, at=moment, clock=clock)
    assert (done.did, done.undone, done.backup) == ("undone", 2, None)
    assert contents(place, clock) == ["one", "two"]
    assert recollect.restore(place, at=moment, clock=clock).undone == 0
    assert contents(place, clock) == ["one", "two"], "what was undone does not come back"


def test_a_moment_is_reached_by_the_first_backup_after_it(place: Path, clock: Ticking) -> None:
    _, moment = lived(place, clock)
    with opened(place, clock) as mem:
        later = mem.backup().name
        clock.skip(1)
        mem.add("four")
    damage(place)
    done = recollect.restore(place, at=moment, clock=clock)
    assert done.backup == later
    assert done.moment == moment
    assert contents(place, clock) == ["one", "two"]


def test_what_was_erased_does_not_come_back_and_is_told(place: Path, clock: Ticking) -> None:
    with opened(place, clock) as mem:
        mem.add("one")
        gone = mem.add("two")
        moment = clock.skip(0.1)
        mem.delete(gone.id, hard=True)
        mem.add("three")
    done = recollect.restore(place, at=moment, clock=clock)
    assert contents(place, clock) == ["one"]
    assert done.undone == 1
    assert any("erased" in each for each in done.kept_back)


def test_a_damaged_file_is_set_aside_whole(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    damage(place)
    with pytest.raises(StoreDamaged, match="recollect restore"):
        opened(place, clock)
    bytes_before = place.read_bytes()
    done = recollect.restore(place, clock=clock)
    assert done.lost is None, "nobody can tell"
    assert done.set_aside is not None
    assert Path(done.set_aside).read_bytes()[8192:] == bytes_before[8192:], "beside the header, which counts openings"
    assert contents(place, clock) == ["one"]


def test_a_file_that_is_gone_comes_back(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    place.unlink()
    done = recollect.restore(place, clock=clock)
    assert done.set_aside is None
    assert contents(place, clock) == ["one"]


@pytest.mark.parametrize("how", ["gone", "empty", "without a table"])
def test_a_store_that_was_lost_is_not_begun_anew(place: Path, clock: Ticking, how: str) -> None:
    lived(place, clock)
    place.unlink()
    if how == "empty":
        place.touch()
    elif how == "without a table":
        with closing(sqlite3.connect(place)) as db:
            db.execute("PRAGMA journal_mode = wal")
    before = place.read_bytes() if place.exists() else None
    folder = place.with_name("m.db.backups")
    for create in (True, False):
        with pytest.raises(StoreDamaged, match="recollect restore") as refused:
            open_memory(place, embedder="fake", clock=clock, background=False, create=create)
        assert str(folder) in refused.value.message, "what to move away to begin anew"
    assert before == (place.read_bytes() if place.exists() else None)
    assert recollect.restore(place, dry_run=True, clock=clock).did == "would restore"
    done = recollect.restore(place, clock=clock)
    assert (done.set_aside is None) == (how == "gone")
    assert contents(place, clock) == ["one"]


def test_the_log_of_an_emptied_store_is_kept(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    os.truncate(place, 0)
    log = Path(f"{place}-wal")
    log.write_bytes(b"what was written last")
    with pytest.raises(StoreDamaged):
        opened(place, clock)
    assert log.exists()
    aside = recollect.restore(place, clock=clock).set_aside
    assert Path(f"{aside}-wal").read_bytes() == b"what was written last"


def test_a_store_that_was_lost_is_begun_anew_when_its_backups_are_moved_away(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    os.truncate(place, 0)
    folder = place.with_name("m.db.backups")
    with pytest.raises(StoreDamaged):
        opened(place, clock, config={"backups.before_changes": False})
    folder.rename(place.with_name("elsewhere"))
    assert contents(place, clock) == []
    elsewhere = {"backups.folder": str(place.with_name("other"))}
    with opened(place, clock, config=elsewhere) as mem:
        mem.add("one")
        mem.backup()
    os.truncate(place, 0)
    with pytest.raises(StoreDamaged, match="other"):
        opened(place, clock, config=elsewhere)


def test_the_database_of_another_program_is_never_replaced(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    place.unlink()
    with closing(sqlite3.connect(place)) as db:
        db.execute("CREATE TABLE theirs (a)")
    before = place.read_bytes()
    for dry_run in (True, False):
        with pytest.raises(StoreDamaged, match=r"another program.*move it away"):
            recollect.restore(place, dry_run=dry_run, clock=clock)
    assert place.read_bytes() == before
    place.rename(place.with_name("theirs.db"))
    recollect.restore(place, clock=clock)
    assert contents(place, clock) == ["one"]


def test_a_store_whose_own_mark_is_damaged_is_none_of_another_program(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    with closing(sqlite3.connect(place)) as db:
        db.execute("PRAGMA application_id = 7")
    assert recollect.restore(place, clock=clock).set_aside is not None
    assert contents(place, clock) == ["one"]


def test_a_store_that_is_read_only_is_left_alone(place: Path, clock: Ticking) -> None:
    name, moment = lived(place, clock)
    place.chmod(0o444)
    before = sorted(os.listdir(place.parent))
    for given in ({}, {"backup": name}, {"at": moment}):
        for dry_run in (True, False):
            with pytest.raises(StoreReadOnly, match="writable"):
                recollect.restore(place, dry_run=dry_run, clock=clock, **given)
    assert sorted(os.listdir(place.parent)) == before


def test_the_newest_sound_backup_is_taken(place: Path, clock: Ticking) -> None:
    name, _ = lived(place, clock)
    with opened(place, clock) as mem:
        newest = Path(mem.backup().path)
    damage(newest)
    damage(place)
    assert recollect.restore(place, dry_run=True, clock=clock).backup == name
    with pytest.raises(StoreDamaged, match="not sound"):
        recollect.restore(place, newest.name, clock=clock)
    damage(newest.with_name(name))
    with pytest.raises(StoreDamaged, match="no backup of"):
        recollect.restore(place, clock=clock)


def test_restoring_twice_does_not_bring_the_bad_state_back(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    clock.skip(0.1)
    aside = recollect.restore(place, clock=clock).set_aside
    assert aside is not None
    with opened(place, clock) as mem:
        standing = mem.health().figures
        assert standing["backup_age_hours"] > 24, "what was set aside is no backup of what is there now"
    clock.skip(0.1)
    again = recollect.restore(place, clock=clock)
    assert (again.backup or "").startswith("manual-")
    assert contents(place, clock) == ["one"]
    recollect.restore(place, Path(aside).name, clock=clock)
    assert contents(place, clock) == ["one", "three", "two, said again"], "by its name it comes back"


def test_what_was_set_aside_is_named_where_there_is_no_other(place: Path, clock: Ticking) -> None:
    name, _ = lived(place, clock)
    aside = recollect.restore(place, name, clock=clock).set_aside
    place.with_name("m.db.backups").joinpath(name).unlink()
    with pytest.raises(NotFound, match=Path(aside or "").name):
        recollect.restore(place, clock=clock)


def test_nobody_else_may_have_it_open(place: Path, clock: Ticking) -> None:
    name, _ = lived(place, clock)
    with opened(place, clock) as mem:
        with pytest.raises(StoreBusy):
            recollect.restore(place, name, clock=clock)
        mem.add("five")
    assert "five" in contents(place, clock)


def test_an_encrypted_store_comes_back_with_its_key(place: Path, clock: Ticking) -> None:
    with opened(place, clock) as mem:
        mem.add("one")
        mem.vault.encrypt(PASSPHRASE)
        mem.backup()
        mem.add("two")
    os.unlink(place)
    os.unlink(f"{place}.vault")
    recollect.restore(place, key=PASSPHRASE, clock=clock)
    assert contents(place, clock, key=PASSPHRASE) == ["one"]
    assert b"one" not in place.read_bytes()


@pytest.mark.parametrize("how", ["damaged", "gone"])
def test_a_header_is_put_back_alone(place: Path, clock: Ticking, how: str) -> None:
    with opened(place, clock) as mem:
        mem.add("one")
        mem.vault.encrypt(PASSPHRASE)
        mem.backup()
        mem.add("two")
    header = Path(f"{place}.vault")
    header.write_bytes(b"{}" * 40) if how == "damaged" else header.unlink()
    told = recollect.restore(place, key=PASSPHRASE, dry_run=True, clock=clock)
    assert told.did == "would put the header back"
    done = recollect.restore(place, key=PASSPHRASE, clock=clock)
    assert done.did == "header put back"
    assert done.lost is not None
    assert done.lost.operations == 0
    assert contents(place, clock, key=PASSPHRASE) == ["one", "two"]
    if how == "damaged":
        assert Path(done.set_aside or "").read_bytes() == b"{}" * 40


def test_a_damaged_header_does_not_keep_a_backup_from_opening(place: Path, clock: Ticking) -> None:
    with opened(place, clock) as mem:
        mem.add("one")
        mem.vault.encrypt(PASSPHRASE)
        name = mem.backup().name
        mem.add("two")
    Path(f"{place}.vault").write_bytes(b"{}" * 40)
    assert recollect.restore(place, name, key=PASSPHRASE, clock=clock).did == "restored"
    assert contents(place, clock, key=PASSPHRASE) == ["one"]
    Path(f"{place}.vault").write_bytes(b"{}" * 40)
    damage(place)
    recollect.restore(place, key=PASSPHRASE, clock=clock)
    assert contents(place, clock, key=PASSPHRASE) == ["one"]


def test_a_key_that_is_away_is_said(place: Path, clock: Ticking) -> None:
    raw = bytes(range(32))
    plain = place.with_name("raw.db")
    with opened(plain, clock, key=raw) as mem:
        mem.add("one")
        mem.backup()
    file = place.with_name("key")
    with opened(place, clock) as mem:
        mem.add("one")
        mem.vault.encrypt(keep=f"file:{file}")
        name = mem.backup().name
    file.rename(place.with_name("away"))
    for given in ({}, {"backup": name}):
        with pytest.raises(StoreLocked, match="key"):
            recollect.restore(place, dry_run=True, clock=clock, **given)
    for key in (None, bytes(32)):
        with pytest.raises(StoreLocked, match="key"):
            recollect.restore(plain, key=key, dry_run=True, clock=clock)


def test_a_time_to_come_is_refused(place: Path, clock: Ticking) -> None:
    lived(place, clock)
    for dry_run in (True, False):
        with pytest.raises(UsageError, match="to come"):
            recollect.restore(place, at=clock.skip(0) + timedelta(days=1), dry_run=dry_run, clock=clock)


def test_a_restore_to_a_moment_is_taken_back_by_its_name(place: Path, clock: Ticking) -> None:
    _, moment = lived(place, clock)
    done = recollect.restore(place, at=moment, clock=clock)
    assert contents(place, clock) == ["one", "two"]
    recollect.restore(place, Path(done.set_aside or "").stem, clock=clock)
    assert contents(place, clock) == ["one", "three", "two, said again"]


def test_searches_after_a_restore_find_what_is_there(place: Path, clock: Ticking) -> None:
    """No file of an index of the later store is believed."""
    config = {"index.flat_max": 0}
    with recollect.open(place, embedder="fake", clock=clock, config=config) as mem:
        mem.add("Ana moved from vim to Helix")
        name = mem.backup().name
        for number in range(40):
            mem.add(f"a line about bread {number}")
        mem.settle()
        mem.search("bread")
    assert recollect.restore(place, name, clock=clock).did == "restored"
    with recollect.open(place, embedder="fake", clock=clock, config=config) as mem:
        mem.add("Ben bakes bread")
        mem.settle()
        assert {hit.content for hit in mem.search("bread", top_k=10).hits} <= {
            "Ben bakes bread",
            "Ana moved from vim to Helix",
        }


def test_the_audit_tells_that_it_was_restored(place: Path, clock: Ticking) -> None:
    name, _ = lived(place, clock)
    recollect.restore(place, name, clock=clock)
    with opened(place, clock) as mem:
        assert [each.event for each in mem.audit(event="backup_restored")] == ["backup_restored"]
        assert mem.audit_verify().ok


def test_what_cannot_be_restored_is_said(place: Path, clock: Ticking) -> None:
    with pytest.raises(UsageError, match="in memory"):
        recollect.restore(":memory:")
    with pytest.raises(UsageError, match="pg_restore"):
        recollect.restore("postgresql://localhost/x")
    with opened(place, clock) as mem:
        mem.add("one")
    with pytest.raises(NotFound, match="no backup"):
        recollect.restore(place, clock=clock)
    with pytest.raises(NotFound, match="recollect backups"):
        recollect.restore(place, "manual-20200101T000000Z.db", clock=clock)
