"""Who may look at the files of a store, and what their sizes and times tell."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from security.vaults import filled

import recollect

KEY = bytes(range(32))
STEP = 524_288


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def generous_umask() -> None:
    os.umask(0o022)


def test_a_folder_made_for_a_store_is_its_owners_and_left_out_by_scanners(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "store"
    with filled(folder / "m.db") as memory:
        memory.vault.encrypt(KEY)
        assert mode(folder) == 0o700
        names = {each.name for each in folder.iterdir()}
        assert {".gitignore", ".nomedia", ".noindex"} <= names
        assert (folder / ".gitignore").read_text() == "*\n"
        assert {mode(each) for each in folder.iterdir()} == {0o600}
    assert mode(tmp_path / "deep") == 0o755


def test_a_folder_that_was_there_is_left_as_it_is(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    project.chmod(0o755)
    filled(project / "m.db").close()
    assert mode(project) == 0o755
    assert [each.name for each in project.iterdir()] == ["m.db"]


def test_the_default_folder_is_ours_whoever_made_it(tmp_path: Path) -> None:
    folder = tmp_path / ".recollect"
    folder.mkdir()
    folder.chmod(0o755)
    filled(folder / "m.db").close()
    assert mode(folder) == 0o700
    assert (folder / ".gitignore").exists()


def test_the_size_of_a_padded_store_grows_in_steps(tmp_path: Path) -> None:
    path, sizes = tmp_path / "m.db", {}
    config = {"security.pad": True}
    with recollect.open(path, key=KEY, embedder="fake", config=config) as memory:
        memory._opened.store.checkpoint()
        for number in range(1, 101):
            memory.add(f"Ana saw heron number {number} over the lake", user_id="ana")
            if number in (1, 10, 50, 100):
                memory._opened.store.checkpoint()
                sizes[number] = path.stat().st_size
        memory.delete(memory.add("to be erased").id, hard=True)  # rewrites the file
        memory._opened.store.checkpoint()
        assert path.stat().st_size % STEP == 0
        assert all(finding.ok for finding in memory.doctor() if finding.check == "database")
    assert all(size % STEP == 0 for size in sizes.values())
    assert sizes[1] == sizes[10]
    assert path.stat().st_size % STEP == 0


def test_without_the_switch_sizes_are_as_they_come(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", key=KEY, embedder="fake") as memory:
        memory.add("Ana saw a heron")
    assert (tmp_path / "m.db").stat().st_size % STEP != 0


def test_padding_holds_through_a_change_of_key(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path, config={"security.pad": True}) as memory:
        assert path.stat().st_size % STEP != 0, "a plain store is not padded"
        memory.vault.encrypt(KEY)
        memory.add("Ana saw a heron")
        memory.vault.rotate(bytes(32))
    assert path.stat().st_size % STEP == 0
    with recollect.open(path, key=bytes(32), embedder="fake", config={"security.pad": True}) as again:
        assert len(again.get_all(reach="all")) == 9


def test_file_times_tell_the_day_only(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with filled(path, config={"security.coarse_times": True}):
        pass
    assert path.stat().st_mtime % 86_400 == 0
    filled(tmp_path / "other.db").close()
    assert (tmp_path / "other.db").stat().st_mtime % 86_400 != 0


def test_the_log_of_an_encrypted_store_is_emptied_after_a_pause(tmp_path: Path) -> None:
    path, log = tmp_path / "m.db", tmp_path / "m.db-wal"
    with recollect.open(path, key=KEY, embedder="fake", config={"security.idle_checkpoint_s": 0.2}) as memory:
        for round_ in range(2):
            memory.add(f"the quetzalcoatlus flew over the lake {round_}")
            assert log.stat().st_size > 0
            assert emptied(log), "after the second write, too"
        assert len(memory.get_all()) == 2


def emptied(log: Path) -> bool:
    until = time.monotonic() + 15
    while log.stat().st_size and time.monotonic() < until:
        time.sleep(0.05)
    return log.stat().st_size == 0


@pytest.mark.parametrize("options", [{"config": {"security.idle_checkpoint_s": 0.2}}, {"key": KEY}])
def test_the_log_of_a_plain_store_or_a_busy_one_is_left(tmp_path: Path, options: dict[str, Any]) -> None:
    with recollect.open(tmp_path / "m.db", embedder="fake", **options) as memory:
        memory.add("the quetzalcoatlus flew over the lake")
        time.sleep(1.6)
        assert (tmp_path / "m.db-wal").stat().st_size > 0


def test_nothing_is_left_of_log_and_shared_memory_when_a_store_is_closed(tmp_path: Path) -> None:
    for name, key in (("plain.db", None), ("encrypted.db", KEY)):
        filled(tmp_path / name, key=key).close()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["encrypted.db", "plain.db"]
    assert {mode(each) for each in tmp_path.iterdir()} == {0o600}


def test_files_get_the_attribute_hidden_where_the_system_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On macOS as it is; elsewhere it is seen that nothing else is touched."""
    path = tmp_path / "m.db"
    if not hasattr(os, "chflags"):
        given: dict[str, int] = {}
        monkeypatch.setattr(os, "chflags", lambda file, flags: given.update({Path(file).name: flags}), raising=False)
        monkeypatch.setattr(os, "stat", with_flags(os.stat))
    with recollect.open(path, embedder="fake", config={"security.hide_files": True}):
        if hasattr(path.stat(), "st_flags") and sys.platform == "darwin":
            assert path.stat().st_flags & stat.UF_HIDDEN
        else:
            assert given["m.db"] & stat.UF_HIDDEN
            assert set(given) <= {"m.db", "m.db-wal", "m.db-shm", "m.db.vault"}
            given.clear()
    with recollect.open(path, embedder="fake"):
        assert sys.platform == "darwin" or not given, "only where it is asked for"


def with_flags(real: Any) -> Any:
    class Flagged:
        def __init__(self, found: os.stat_result) -> None:
            self._found = found
            self.st_flags = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(self._found, name)

    return lambda path, *more, **options: Flagged(real(path, *more, **options))


def test_a_decoy_stands_at_the_default_path_and_deceives_nobody_who_looks_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the experiment does, and what it is worth: a listing of the other folder tells the two apart."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RECOLLECT_DB", raising=False)
    decoy, real = tmp_path / ".recollect" / "memory.db", tmp_path / "elsewhere" / "m.db"
    with filled(real, config={"security.decoy": True}) as memory:
        assert not decoy.exists(), "a plain store has nothing to lead away from"
        memory.vault.encrypt(KEY)
    with recollect.open(real, key=KEY, embedder="fake", config={"security.decoy": True}):
        pass
    with sqlite3.connect(decoy) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("app_config",)]
    db.close()
    assert mode(decoy) == 0o600
    before = decoy.read_bytes()
    assert b"quetzalcoatlus" not in before
    with recollect.open(real, key=KEY, embedder="fake", config={"security.decoy": True}):
        assert decoy.read_bytes() == before, "one that is there is left alone"
    with pytest.raises(recollect.errors.StoreDamaged):
        recollect.open(decoy)
    assert (real.parent / "m.db.vault").exists()
    assert real.stat().st_size > 50 * decoy.stat().st_size, "and so does the size"
