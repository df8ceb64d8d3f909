"""A store that was left open is looked through: what can be mended is, what cannot is told until it is sound again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from ticking import Ticking

import recollect
from recollect.memory import Memory
from recollect.upkeep.jobs.soundness import SOUNDNESS_JOB
from recollect.wiring import open_memory

LEFT_OPEN = (
    "import os, sys, recollect\n"
    "memory = recollect.open(sys.argv[1], embedder='fake')\n"
    "for number in range(300):\n"
    "    memory.add(f'Bed {number} has beans and a row of leeks', infer=False)\n"
    "os._exit(0)\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store whose only process ended without closing it."""
    place = tmp_path / "m.db"
    subprocess.run([sys.executable, "-c", LEFT_OPEN, str(place)], check=True, timeout=60)
    return place


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


def looks(memory: Memory) -> int:
    """How many looks wait."""
    with memory._engine.store.read() as tx:
        return int(tx.jobs.waiting(SOUNDNESS_JOB))


def opened(path: Path, clock: Ticking, **config: float) -> Memory:
    named = {key.replace("__", "."): value for key, value in config.items()}
    return open_memory(path, embedder="fake", background=False, clock=clock, config=named)


def warned(memory: Memory) -> list[str]:
    return [warning for warning in memory.health().warnings if "damaged" in warning]


def left_open_again(path: Path) -> None:
    code = (
        "import os, sys, recollect\n"
        "store = recollect.open(sys.argv[1], embedder='fake', config={'store.check_hours': 0})._engine.store\n"
        "store.write(lambda tx: tx.meta.note('of_this_test', os.getpid()))\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=60)


def test_a_store_that_was_closed_is_not_looked_through(tmp_path: Path, clock: Ticking) -> None:
    for _ in range(2):
        with opened(tmp_path / "m.db", clock) as memory:
            memory.add("Beans")
            assert not memory._engine.store.was_left_open
            assert looks(memory) == 0


def test_one_that_was_left_open_is_and_nothing_is_said_of_a_sound_one(path: Path, clock: Ticking) -> None:
    with opened(path, clock) as memory:
        assert memory._engine.store.was_left_open
        assert looks(memory) == 1
        memory.settle()
        assert looks(memory) == 0
        assert warned(memory) == []
        assert len(memory.get_all(limit=500)) == 300


def test_it_is_looked_through_once_a_day(path: Path, clock: Ticking) -> None:
    with opened(path, clock) as memory:
        memory.settle()
    left_open_again(path)
    with opened(path, clock) as memory:
        assert memory._engine.store.was_left_open
        assert looks(memory) == 0
    clock.skip(1.1)
    left_open_again(path)
    with opened(path, clock) as memory:
        assert looks(memory) == 1


def test_it_can_be_switched_off(path: Path, clock: Ticking) -> None:
    with opened(path, clock, store__check_hours=0) as memory:
        assert looks(memory) == 0


def test_a_store_that_somebody_else_has_open_was_not_left(tmp_path: Path, clock: Ticking) -> None:
    with opened(tmp_path / "m.db", clock) as one:
        one.add("Beans")
        with opened(tmp_path / "m.db", clock) as other:
            assert not other._engine.store.was_left_open


def pages_of(path: Path, table: str) -> list[int]:
    """The numbers of the leaves of a table."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        leaves = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno"
        return [row[0] for row in db.execute(leaves, (table,))]
    finally:
        db.close()


def scribble(path: Path, table: str) -> None:
    """Overwrite the last leaf of a table, as a bad disk does, and leave the store as if its process had ended now."""
    with recollect.open(path, embedder="fake", config={"store.check_hours": 0}):
        pass  # the log is in the file now
    (*_, page) = pages_of(path, table)
    with path.open("r+b") as file:
        file.seek((page - 1) * _page_bytes(path))
        file.write(os.urandom(_page_bytes(path)))
    left_open_again(path)


def _page_bytes(path: Path) -> int:
    return int.from_bytes(path.read_bytes()[16:18], "big") or 65_536


def test_a_damaged_text_index_is_built_anew(path: Path, clock: Ticking) -> None:
    scribble(path, "record_text_docsize")
    with opened(path, clock) as memory:
        assert memory._engine.store.faults()
        memory.settle()
        assert memory._engine.store.faults() == []
        assert warned(memory) == []
        assert memory.search("beans leeks")


def test_damaged_rows_are_told_until_the_store_is_sound(path: Path, clock: Ticking) -> None:
    with opened(path, clock) as memory:
        memory.backup()
    scribble(path, "operation")
    with opened(path, clock) as memory:
        memory.settle()
        (warning,) = warned(memory)
        assert warning.startswith("[E1002]")
        assert "recollect restore" in warning
        assert memory.health()["status"] == "attention"
    lost = recollect.restore(path)
    assert lost is not None
    with opened(path, clock) as memory:
        assert warned(memory) == []
