"""Files that are not what they seem, keys that do not fit, and what is left on the disk."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from properties.tables import (
    assert_indexes_agree,
    assert_sound,
    looking_at,
    open_quick,
    visible_state,
    wait_until,
)

import recollect
from faults.processes import heard, started
from recollect.errors import (
    NotFound,
    RecollectError,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreReadOnly,
    StoreReplaced,
    UsageError,
)
from recollect.interfaces.cli import main
from recollect.memory import Memory
from recollect.store.sqlite import log
from recollect.store.sqlite.store import SqliteStore

pytestmark = pytest.mark.creates_stores
KEY = bytes(range(32))
MARKER = "zqxjmarker"  # its stem, its folded form and itself are one word


def files_with(folder: Path, marker: str = MARKER) -> list[str]:
    """Names of the files in a folder whose bytes hold the marker, in any case."""
    return sorted(p.name for p in folder.iterdir() if p.is_file() and marker.encode() in p.read_bytes().lower())


def refused(path: Path, error: type[RecollectError], **opening: object) -> None:
    """Opening fails with that error and leaves every byte as it was."""
    before = path.read_bytes()
    with pytest.raises(error) as caught:
        recollect.open(path, embedder="fake", **opening)  # type: ignore[arg-type]
    assert str(path) in str(caught.value) or error is StoreError
    assert path.read_bytes() == before
    assert not list(path.parent.glob(f"{path.name}-*"))


# --- what is not a store ------------------------------------------------------------------------------------------


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE migration (version INTEGER)")
    db.execute("INSERT INTO migration VALUES (1)")
    db.commit()
    db.close()
    refused(path, StoreDamaged)


def test_a_text_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes.\n" * 100)
    refused(path, StoreDamaged)
    refused(path, StoreLocked, key=KEY)


def test_a_short_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "short.db"
    path.write_bytes(b"SQLite")
    refused(path, StoreDamaged)


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    path.touch()
    with recollect.open(path, embedder="fake") as memory:
        memory.add("first")
    assert_sound(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="folder"):
        recollect.open(tmp_path, embedder="fake")
    assert list(tmp_path.iterdir()) == []


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecollectError):
        recollect.open(tmp_path / "file" / "m.db", embedder="fake")
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_store_that_is_not_there_is_made_only_where_that_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no store"):
        recollect.open(tmp_path / "a" / "m.db", embedder="fake", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.timeout(60)
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(StoreError, match="not a file"):
        recollect.open(tmp_path / "pipe.db", embedder="fake")
    path = tmp_path / "m.db"
    with open_quick(path, config={"index.flat_max": 0}) as memory:
        kept = memory.add("an ordinary fact").id
    for each in tmp_path.glob("m.db.vectors-*"):
        each.unlink()
    os.mkfifo(tmp_path / "m.db.vectors-1")
    with open_quick(path, config={"index.flat_max": 0}) as memory:
        assert memory.search("ordinary fact").hits[0].id == kept


def test_missing_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "m.db"
    with recollect.open(path, embedder="fake") as memory:
        memory.add("first")
    assert path.is_file()


def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    recollect.open(path, embedder="fake").close()
    path.chmod(stat.S_IRUSR)
    refused(path, StoreReadOnly)
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    recollect.open(path, embedder="fake").close()


NOBODY = 65_534
AS_ROOT = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="takes a user whom files can be closed to")


@AS_ROOT
@pytest.mark.parametrize(
    ("of_file", "of_folder", "own", "why"),
    [
        (0o600, 0o755, False, "closed to this user"),
        (0o644, 0o755, False, "closed to this user"),
        (0o600, 0o600, True, "closed to this user"),
        (0o200, 0o700, True, "closed to this user"),
        (0o000, 0o700, True, r"neither read nor written.*chmod u\+rw"),
    ],
)
def test_what_is_closed_to_this_user_is_said_in_words(
    of_file: int,
    of_folder: int,
    own: bool,
    why: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name) / "store"
        folder.mkdir()
        Path(name).chmod(0o755)
        path = folder / "m.db"
        monkeypatch.setenv("HOME", name)
        with open_quick(path) as memory:
            memory.add("Ana keeps bees", infer=False)
        main(["--db", str(path), "doctor"])  # so that all of it is loaded: this user may read no library
        for each in (folder, *folder.iterdir()) if own else ():
            os.chown(each, NOBODY, NOBODY)
        path.chmod(of_file)
        folder.chmod(of_folder)
        capsys.readouterr()
        os.seteuid(NOBODY)
        try:
            with pytest.raises(StoreReadOnly, match=why):
                recollect.open(path, embedder="fake")
            assert main(["--db", str(path), "search", "bees", "-o", "json"]) == 1
            assert json.loads(capsys.readouterr().out)["code"] == "E1008"
            assert main(["--db", str(path), "doctor"]) == 1
            said = capsys.readouterr()
            assert "E1008" in said.out
            assert "bug" not in said.err
        finally:
            os.seteuid(0)
            folder.chmod(0o755)


@AS_ROOT
def test_a_disk_that_is_mounted_read_only_is_said_in_words(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "none", disk], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        recollect.open(disk / "m.db", embedder="fake").close()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        refused(disk / "m.db", StoreReadOnly)
        with pytest.raises(StoreReadOnly, match="mounted read-only"):
            recollect.open(disk / "m.db", embedder="fake")
        with pytest.raises(StoreReadOnly):
            recollect.open(disk / "other.db", embedder="fake")
    finally:
        subprocess.run(["umount", disk], check=True)


# --- damage -------------------------------------------------------------------------------------------------------


def filled(path: Path, count: int = 200) -> None:
    with open_quick(path) as memory:
        memory.add([f"fact number{number} about tea and Rome" for number in range(count)])


def use(path: Path) -> None:
    with open_quick(path) as memory:
        memory.get_all(limit=1000)
        memory.search("tea")
        assert memory.doctor()[0].ok
        memory.add("more")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_truncated_file_is_damage_not_a_crash(tmp_path: Path, share: float) -> None:
    path = tmp_path / "m.db"
    filled(path)
    os.truncate(path, int(path.stat().st_size * share) // 512 * 512)
    with pytest.raises(StoreDamaged):
        use(path)


def test_damaged_pages_are_damage_not_a_crash(tmp_path: Path) -> None:
    """Wherever the damage is, a caller sees our error or a right answer, never SQLite's own error or a wrong text."""
    source = tmp_path / "sound.db"
    filled(source)
    rng = random.Random(3)
    size = source.stat().st_size
    complaints = 0
    for number in range(12):
        path = tmp_path / f"{number}.db"
        shutil.copy(source, path)
        with path.open("r+b") as file:
            file.seek(rng.randrange(1, size // 8192) * 8192)
            file.write(rng.randbytes(8192))
        try:
            with open_quick(path) as memory:
                for record in memory.get_all(limit=1000):
                    assert record.content.startswith("fact number")
                memory.search("tea", top_k=100)
                memory.add("more")
                complaints += not all(finding.ok for finding in memory.doctor())
        except StoreError:
            complaints += 1
    assert complaints >= 10, "damage went unnoticed"


def test_a_torn_log_loses_nothing_that_was_whole(tmp_path: Path) -> None:
    """A log cut anywhere, as by a power failure: the store opens with a prefix of what was written, all sound."""
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    ids: list[str] = []
    with open_quick(path) as memory:
        for number in range(30):
            ids += memory.add([f"number{number} part{part}" for part in range(3)]).ids
        shutil.copy(path, copy)
        log = Path(f"{path}-wal").read_bytes()
    assert log, "the test needs a log"
    rng = random.Random(5)
    for _ in range(8):
        torn = tmp_path / f"torn{rng.random()}.db"
        shutil.copy(copy, torn)
        data = log[: rng.randrange(len(log))]
        if rng.random() < 0.5 and len(data) > 100:  # garbage instead of an end
            data = data[:-100] + rng.randbytes(100)
        Path(f"{torn}-wal").write_bytes(data)
        with open_quick(torn) as memory:
            there = [record.id for record in memory.get_all(limit=1000)][::-1]
            assert there == ids[: len(there)]
            assert len(there) % 3 == 0, "half a batch"
            memory.add("and on it goes")
            assert_indexes_agree(memory)
        assert_sound(torn)


def test_the_log_alone_is_enough(tmp_path: Path) -> None:
    """A process that never closed: everything is still in the log when the next one comes."""
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    with open_quick(path) as memory:
        memory.add("kept in the log")
        shutil.copy(path, copy)
        shutil.copy(f"{path}-wal", f"{copy}-wal")
        expected = visible_state(path)
    assert visible_state(copy) == expected


# --- keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [KEY, "a passphrase with ümlauts"], ids=["bytes", "passphrase"])
def test_an_encrypted_store_shows_nothing(tmp_path: Path, key: bytes | str) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="fake", key=key) as memory:
        added = memory.add(f"the {MARKER} is secret", metadata={"k": MARKER}, tags=[MARKER], user_id=MARKER)
        memory.update(added.id, content=f"the {MARKER} is still secret")
        memory.search(MARKER, user_id=MARKER)
        assert Path(f"{path}-wal").stat().st_size > 0
        assert files_with(tmp_path) == []
        assert path.read_bytes()[:15] != b"SQLite format 3"
    assert files_with(tmp_path) == []
    assert not list(tmp_path.glob("*.vectors-*")), "a vector file beside an encrypted store tells on it"
    with recollect.open(path, embedder="fake", key=key) as memory:
        assert [hit.content for hit in memory.search("secret", user_id=MARKER)] == [f"the {MARKER} is still secret"]


def test_the_wrong_key_opens_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="fake", key=KEY) as memory:
        memory.add("a secret")
    refused(path, StoreLocked, key=bytes(32))
    refused(path, StoreLocked, key="a passphrase")
    with pytest.raises(StoreError, match="key="):
        recollect.open(path, embedder="fake")
    with recollect.open(path, embedder="fake", key=KEY) as memory:
        assert len(memory.get_all()) == 1


def test_a_key_for_a_plain_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    filled(path, 3)
    refused(path, StoreLocked, key=KEY)
    with open_quick(path) as memory:
        assert len(memory.get_all()) == 3


@pytest.mark.parametrize("key", [b"too short", b"", "", 5, "\ud800", ["x"]], ids=repr)
def test_a_key_that_is_none_is_refused_before_a_file_is_made(tmp_path: Path, key: object) -> None:
    with pytest.raises(UsageError):
        recollect.open(tmp_path / "m.db", embedder="fake", key=key)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_the_key_is_in_no_message(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    recollect.open(path, embedder="fake", key="the passphrase").close()
    with pytest.raises(StoreLocked) as caught:
        recollect.open(path, embedder="fake", key="another passphrase")
    assert "passphrase" not in str(caught.value).replace("a passphrase", "")
    with recollect.open(path, embedder="fake", key="the passphrase") as memory:
        assert "the passphrase" not in repr(memory._engine.store.opening)  # type: ignore[attr-defined]


# --- erasure ------------------------------------------------------------------------------------------------------


def test_a_hard_delete_leaves_no_byte(tmp_path: Path) -> None:
    """Not in the file, its log, its journal, its indexes or the files beside it, while open and when closed."""
    with recollect.open(tmp_path / "m.db", embedder="fake", config={"index.flat_max": 0}) as memory:
        other = memory.add("an ordinary fact").id
        added = memory.add(f"{MARKER} lives here", metadata={"k": MARKER}, tags=[MARKER], source=MARKER)
        updated = memory.update(added.id, content=f"{MARKER} lives there", tags=["x"])
        memory.undo(updated.operation or "")
        memory.undo(memory.operations(limit=1)[0].id)
        flagged = memory.update(added.id, flagged=True)
        memory.undo(flagged.operation or "")
        memory.relate(added.id, other, evidence=f"because {MARKER}")
        memory.delete(added.id, reason=f"{MARKER} again")
        memory.undo(memory.operations(limit=1)[0].id)
        memory.search(MARKER)
        assert files_with(tmp_path) != []
        memory.delete(added.id, hard=True, reason=f"{MARKER} must go")
        assert files_with(tmp_path) == []
        assert [record.id for record in memory.get_all()] == [other]
    assert files_with(tmp_path) == []
    assert_sound(tmp_path / "m.db")


def test_a_hard_delete_of_a_corrected_record_leaves_no_byte(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        wrong = memory.add(f"{MARKER} lives in Oslo")
        right = memory.correct(wrong.id, "she lives in Rome", reason=f"{MARKER} said so")
        memory.undo(right.operation or "")
        memory.undo(memory.operations(limit=1)[0].id)
        memory.delete(wrong.id, hard=True)
        assert files_with(tmp_path) == []
        assert [record.content for record in memory.get_all()] == ["she lives in Rome"]


def test_a_hard_delete_of_a_scope_leaves_no_byte(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        memory.add([f"{MARKER} turn {number}" for number in range(50)], user_id="ana")
        soft = memory.delete_all(user_id="ana")
        memory.undo(soft.operation or "")
        kept = memory.add("bob stays", user_id="bob").id
        assert memory.delete_all(user_id="ana", hard=True).count == 50
        assert files_with(tmp_path) == []
        assert [record.id for record in memory.get_all(reach="all")] == [kept]


def test_a_hard_delete_after_much_moving_about_leaves_no_byte(tmp_path: Path) -> None:
    """Rows that grew and moved between pages: the places they left must be clean as well."""
    rng = random.Random(1)
    with open_quick(tmp_path / "m.db") as memory:
        others = [memory.add(f"filler {n} " + "x " * rng.randint(10, 900)).id for n in range(150)]
        doomed = [memory.add(f"{MARKER} {n} " + f"{MARKER} " * rng.randint(1, 150)).id for n in range(20)]
        others += [memory.add(f"filler {n} " + "x " * rng.randint(10, 900)).id for n in range(150)]
        for one in doomed:
            many = f"{MARKER} " * rng.randint(1, 400)
            memory.update(one, content=many, metadata={"a": f"{MARKER} " * rng.randint(1, 200)})
        for one in rng.sample(others, 100):
            memory.update(one, content="grown " + "y " * rng.randint(10, 3000))
        for one in doomed:
            memory.delete(one, hard=True)
        assert files_with(tmp_path) == []


def test_erasure_in_one_process_reaches_the_files_of_another(tmp_path: Path) -> None:
    """A second process that had the record in its indexes writes no file with it when it closes."""
    path = tmp_path / "m.db"
    config = {"index.flat_max": 0}
    with open_quick(path, config=config) as first, open_quick(path, config=config) as second:
        added = first.add(f"{MARKER} was here")
        first.add("an ordinary fact")
        assert len(second.search(MARKER)) == 2
        first.delete(added.id, hard=True)
        assert {hit.content for hit in second.search(MARKER)} == {"an ordinary fact"}
        assert_indexes_agree(second)
    assert files_with(tmp_path) == []
    assert not list(tmp_path.glob("*.vectors-*"))


# --- an erasure that others stand in the way of ---------------------------------------------------------------------


def test_an_erasure_does_not_lose_against_our_own_thread(tmp_path: Path) -> None:
    """Rewriting the file fills the log, for which the thread that folds it wakes up in the middle of it."""
    path = tmp_path / "m.db"
    with open_quick(path, embedder=None, config={"store.checkpoint_pages": 100}) as memory:
        memory.add([f"fact number{at} " + "about tea and Rome " * 40 for at in range(3000)], infer=False)
        for at in range(8):
            doomed = memory.add(f"{MARKER} {at} was here", infer=False).id
            assert memory.delete(doomed, hard=True).missing == ()
            assert files_with(tmp_path) == []
        assert not memory.health()["erasure_pending"]


def test_an_erasure_that_a_reader_holds_up_is_told_of_and_finished_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_TICK_S", 0.05)
    monkeypatch.setattr(log, "_LOOK_S", 0.1)
    path = tmp_path / "m.db"
    with open_quick(path, config={"store.busy_timeout_s": 0.2}) as memory:
        doomed = memory.add(f"{MARKER} was here").id
        memory.settle()
        with looking_at(path) as other:
            other.execute("BEGIN")
            assert other.execute("SELECT count(*) FROM record").get
            receipt = memory.delete(doomed, hard=True)
            assert any("E1009" in note and "health()" in note for note in receipt.missing)
            assert memory.health()["erasure_pending"]
            assert any("erased" in warning for warning in memory.health().warnings)
            assert not next(each for each in memory.doctor() if each.check == "erasures").ok
            other.execute("ROLLBACK")
        wait_until(lambda: not memory.health()["erasure_pending"], "the erasure to be finished")
        assert files_with(tmp_path) == []


@pytest.mark.parametrize("way", ["close", "doctor"])
def test_an_erasure_of_a_process_that_died_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    path, left = tmp_path / "m.db", tmp_path / "left"
    left.mkdir()

    def dies(self: SqliteStore) -> None:
        for suffix in ("", "-wal"):  # what a killed process leaves
            shutil.copy(f"{path}{suffix}", left / f"m.db{suffix}")

    with open_quick(path) as memory:
        doomed = memory.add(f"{MARKER} was here").id
        with monkeypatch.context() as patched:
            patched.setattr(SqliteStore, "scrub", dies)
            memory.delete(doomed, hard=True)
    assert files_with(left)
    with open_quick(left / "m.db") as memory:
        assert memory.health()["erasure_pending"]
        if way == "doctor":
            assert next(each for each in memory.doctor(fix=True) if each.check == "erasures").ok
            assert files_with(left) == []
    assert files_with(left) == []
    with open_quick(left / "m.db") as memory:
        assert not memory.health()["erasure_pending"]


# --- a file that goes while it is open ------------------------------------------------------------------------------


def refuses_writes(memory: Memory) -> None:
    for call in (lambda: memory.add("into nothing"), lambda: memory.delete_all(reach="all", hard=True)):
        with pytest.raises(StoreReplaced) as caught:
            call()
        assert caught.value.code == "E1013"
    health = memory.health()
    assert health["status"] == "attention"
    assert any("[E1013]" in warning for warning in health.warnings)
    assert not next(each for each in memory.doctor() if each.check == "file").ok


@pytest.mark.parametrize("gone", ["m.db", "m.db-wal", "m.db*"])
def test_a_removed_file_takes_no_writes(tmp_path: Path, gone: str) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.add("kept while it was there")
        for each in tmp_path.glob(gone):
            each.unlink()
        refuses_writes(memory)


def test_a_file_that_was_moved_takes_what_was_stored_along(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        kept = memory.add("kept while it was there").id
        path.rename(tmp_path / "elsewhere.db")
        refuses_writes(memory)
    with open_quick(tmp_path / "elsewhere.db") as moved:
        assert [each.id for each in moved.get_all()] == [kept]
    assert_sound(tmp_path / "elsewhere.db")


@pytest.mark.parametrize("noticed", [True, False])
def test_a_log_is_never_played_into_the_file_that_replaced_its_own(tmp_path: Path, noticed: bool) -> None:
    path, backup = tmp_path / "m.db", tmp_path / "backup.db"
    with open_quick(backup) as memory:
        kept = memory.add("the backup's record").id
    with open_quick(path) as memory:
        memory.add([f"newer {at}" for at in range(50)])
        backup.rename(path)
        if noticed:
            refuses_writes(memory)
    with open_quick(path) as restored:
        assert [each.content for each in restored.get_all()] == ["the backup's record"]
        assert restored.get(kept) is not None
    assert_sound(path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the list of locks is Linux's own")
def test_a_file_whose_place_another_took_is_not_opened_with_its_log(tmp_path: Path) -> None:
    path, backup = tmp_path / "m.db", tmp_path / "backup.db"
    with open_quick(backup) as memory:
        memory.add("the backup's record")
    with started("write_until_killed.py", path, "writer", 1) as other:
        assert heard(other) == "open"
        heard(other)
        other.send_signal(signal.SIGSTOP)  # so that it cannot notice
        backup.rename(path)
        with pytest.raises(StoreReplaced, match="end that process"):
            recollect.open(path, embedder="fake")
        other.send_signal(signal.SIGCONT)
