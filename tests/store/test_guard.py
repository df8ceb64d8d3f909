"""A second copy of SQLite in the same process must not pull the log away from under a store."""

from __future__ import annotations

import gc
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from properties.tables import open_quick

from recollect.memory import Memory
from recollect.store.sqlite.guard import FileGuard

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="locks of an open file are Linux's own")


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def contents(memory: Memory) -> set[str]:
    return {hit.content for hit in memory.search("tea", top_k=100)}


def look(path: Path) -> int:
    """What a program does that reads the file by itself: open, ask, close."""
    db = sqlite3.connect(path)
    try:
        return int(db.execute("SELECT count(*) FROM record WHERE head_pk IS NULL").fetchone()[0])
    finally:
        db.close()
        gc.collect()


def test_the_standard_library_beside_us_leaves_the_log(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        for number in range(5):
            memory.add(f"tea number{number}", infer=False)  # no job that reads beside us
            inode = log_of(path).stat().st_ino
            with memory._engine.indexes.hold():  # who reads the shared memory while it is emptied dies of a bus error
                assert look(path) == number + 1
            assert log_of(path).stat().st_ino == inode, "the log was deleted while in use"
    with open_quick(path) as memory:
        assert len(contents(memory)) == 5


def test_another_process_beside_us_leaves_the_log(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    code = f"import sqlite3; db = sqlite3.connect({str(path)!r}); db.execute('SELECT * FROM scope'); db.close()"
    with open_quick(path) as memory:
        memory.add("tea one", infer=False)
        # Who reads the shared memory while the other process empties it dies of a bus error.
        with memory._engine.indexes.hold():
            look(path)  # drops this process's own locks: only the guard is left
            subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
        assert log_of(path).exists()
        memory.add("tea two", infer=False)
    with open_quick(path) as memory:
        assert contents(memory) == {"tea one", "tea two"}


def test_two_stores_in_one_process(tmp_path: Path) -> None:
    """Closing one takes the process's locks with it, not those of the other's guard."""
    path = tmp_path / "m.db"
    first, second = open_quick(path), open_quick(path)
    first.add("tea one", infer=False)
    second.add("tea two", infer=False)
    first.close()
    second.add("tea three", infer=False)
    assert look(path) == 3
    assert log_of(path).exists()
    second.add("tea four", infer=False)
    with open_quick(path) as third:
        assert len(contents(third)) == len(contents(second)) == 4
    second.close()
    assert not log_of(path).exists(), "the last one folds the log into the file"
    assert look(path) == 4


def test_the_log_is_folded_in_on_close(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.add("tea")
        assert log_of(path).stat().st_size > 0
    assert not log_of(path).exists()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    def held() -> int:
        return sum(link.is_symlink() and str(path) in str(link.readlink()) for link in Path("/proc/self/fd").iterdir())

    with open_quick(path):
        pass
    assert held() == 0
    guard = FileGuard(str(path))
    assert held() == 1
    guard.release()
    guard.close()
    guard.close()
    assert held() == 0


def test_a_guard_does_not_keep_others_from_writing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_quick(path) as memory:
        memory.add("tea")
    guard = FileGuard(str(path))
    try:
        with open_quick(path) as memory:
            memory.add("rome tea")
            assert len(contents(memory)) == 2
    finally:
        guard.release()
        guard.close()
