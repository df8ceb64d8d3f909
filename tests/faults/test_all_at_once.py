"""Many at one store, and many stores in one process: nothing is lost, and nothing is left open."""

from __future__ import annotations

import gc
import os
import random
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from properties.tables import assert_indexes_agree, assert_sound, open_quick
from ticking import Ticking

from bench.reliability.soak import soak
from recollect.clock import DAY_US
from recollect.memory import Memory

STORES, MANY_STORES = 60, 200
SOAK_S = 4.0


@pytest.mark.timeout(120)
def test_everything_at_once_loses_nothing(tmp_path: Path) -> None:
    """Readers, writers, consolidation, another model, copies and exports: in threads, a process and an event loop."""
    soaked = soak(tmp_path / "m.db", SOAK_S, pace_s=0.02)
    assert soaked.lost == []
    assert soaked.wrong == []
    assert soaked.kept > 10
    assert {"consolidate", "reembed", "backup", "export", "search", "add"} <= soaked.done.keys()
    assert_sound(tmp_path / "m.db")


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.timeout(120)
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open files here")
@pytest.mark.parametrize("count", [STORES, pytest.param(MANY_STORES, marks=pytest.mark.slow)])
def test_many_stores_are_open_in_one_process(tmp_path: Path, count: int) -> None:
    """Each keeps its own apart, and closing gives back every file and thread."""
    gc.collect()
    files, threads = descriptors(), threading.active_count()
    with ExitStack() as stack:
        stores = [stack.enter_context(open_quick(tmp_path / f"{number}.db")) for number in range(count)]
        for number, store in enumerate(stores):
            store.add(f"The key of house {number} is under stone {number}", infer=False)
        for number in range(0, count, 9):
            found = stores[number].search("which stone?").hits
            assert [hit.content for hit in found] == [f"The key of house {number} is under stone {number}"]
        assert descriptors() - files < 10 * count
    gc.collect()
    assert descriptors() == files
    assert threading.active_count() == threads


# --- clocks that jump ---------------------------------------------------------------------------------------------


class Jumping(Ticking):
    """Set back and forth by hours and days, between any two looks, as a machine's clock may be."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    def __call__(self) -> int:
        if self._chance.random() < 0.02:
            self.now += self._chance.choice((-1, 1)) * self._chance.choice((DAY_US // 24, DAY_US, 30 * DAY_US))
        return super().__call__()


@pytest.mark.parametrize("seed", range(3))
def test_a_clock_that_jumps_loses_nothing(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "m.db"
    with open_quick(path, clock=Jumping(chance), config={"upkeep.scheduled": False}) as memory:
        kept = lived(memory, chance)
        memory.settle()
        assert_kept(memory, kept)
        assert_indexes_agree(memory)
    assert_sound(path)
    with open_quick(path, clock=Ticking()) as memory:  # which is somewhere else again
        assert_kept(memory, kept)
        assert [each for each in memory.doctor() if not each.ok and each.check != "disk"] == []


def assert_kept(memory: Memory, kept: dict[str, str]) -> None:
    """All of it is there, and beside it only what was corrected at a time that the clock says is still to come."""
    found = {record.id: record for record in memory.get_all(reach="all", limit=1_000)}
    assert {id_: record.content for id_, record in found.items() if id_ in kept} == kept
    assert [record for id_, record in found.items() if id_ not in kept and record.valid_until is None] == []


def lived(memory: Memory, chance: random.Random) -> dict[str, str]:
    """What must be there at the end, by id."""
    kept: dict[str, str] = {}
    correcting: set[str] = set()  # which are not deleted: what they ended would hold again
    for number in range(150):
        text, does = f"note k{number} about tides", chance.random()
        if not kept or does < 0.5:
            kept[memory.add(text, infer=False).id] = text
            continue
        id_ = chance.choice(list(kept))
        if does < 0.65:
            memory.update(id_, content=text)
            kept[id_] = text
        elif does < 0.75:
            (new,) = set(memory.correct(id_, text).ids) - {id_}
            del kept[id_]
            kept[new] = text
            correcting.add(new)
        elif does < 0.9 and id_ not in correcting:
            done = memory.delete(id_)
            if chance.random() < 0.5:
                memory.undo(done.operation or "")
            else:
                del kept[id_]
        else:
            memory.consolidate() if chance.random() < 0.2 else memory.search(f"k{number}")
    return kept
