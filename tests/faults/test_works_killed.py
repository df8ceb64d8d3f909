"""Each long work, killed at any call to the disk: the store is sound, nothing else is lost, and it is done again.

`make test` takes a few points of each work; the slow test takes `RECOLLECT_KILLS` of each, spread over all of it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from properties.tables import assert_sound
from ticking import Ticking

from faults.long_works import WORKS, WRITTEN_AFTER, contents, opened, prepare
from faults.processes import heard, started, told
from recollect.wiring import open_memory

KILLS = int(os.environ.get("RECOLLECT_KILLS", "60"))
NEVER = 10**9

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("works") / "template"
    folder.mkdir()
    prepare(folder)
    return folder


@pytest.fixture(scope="module")
def worker() -> Iterator[subprocess.Popen[str]]:
    with started("work_and_die.py") as process:
        assert heard(process) == "ready"
        yield process


def ordered(worker: subprocess.Popen[str], folder: Path, work: str, at: int) -> Any:
    told(worker, json.dumps({"folder": str(folder), "work": work, "at": at}))
    return heard(worker)


def died(worker: subprocess.Popen[str], template: Path, folder: Path, work: str, at: int, wanted: Any) -> bool:
    """Killed at a point; then what is left is looked at, and the work is done once more. Whether it was killed."""
    shutil.copytree(template, folder)
    before = contents(folder)
    killed = bool(ordered(worker, folder, work, at)["killed"])
    with opened(folder / "m.db", WORKS[work].embedder, Ticking()) as memory:
        wrong = [each for each in memory.doctor() if not each.ok and each.check not in ("disk", "vectors", "erasures")]
        assert wrong == [], f"{work} killed at {at}"
        assert memory.add(WRITTEN_AFTER, infer=False).ids
    if not WORKS[work].takes_away:
        assert not before - contents(folder), f"{work} killed at {at}"
    again = ordered(worker, folder, work, NEVER)
    assert not again["killed"]
    assert again["points"]
    found = WORKS[work].outcome(folder)
    assert found == wanted, f"{work} killed at {at}"
    with open_memory(folder / "m.db", embedder=None, background=False) as memory:
        assert work == "restore" or [
            record.content for record in memory.get_all(filters={"content": WRITTEN_AFTER}, reach="all")
        ]
    assert_sound(folder / "m.db")
    shutil.rmtree(folder)
    return killed


def killed_at(worker: subprocess.Popen[str], template: Path, tmp_path: Path, work: str, count: int) -> tuple[int, int]:
    """How many points there were, and at how many of them it was killed. Names at random move the last of them."""
    folder = tmp_path / "folder"  # always the same: what is stored of a document says where it lies
    shutil.copytree(template, folder)
    done = ordered(worker, folder, work, NEVER)
    assert not done["killed"]
    points, wanted = done["points"], WORKS[work].outcome(folder)
    shutil.rmtree(folder)
    step = max(1, points // count)
    tries = range(step // 2, points - 1, step)
    kills = sum(died(worker, template, folder, work, at, wanted) for at in tries)
    assert kills >= len(tries) - 1 - len(tries) // 10
    return int(points), kills


@pytest.mark.parametrize("work", WORKS)
def test_a_long_work_that_is_killed_is_done_again(
    worker: subprocess.Popen[str], template: Path, tmp_path: Path, work: str
) -> None:
    points, kills = killed_at(worker, template, tmp_path, work, 3)
    assert points > 20
    assert kills >= 2


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("work", WORKS)
def test_a_long_work_may_be_killed_anywhere(
    worker: subprocess.Popen[str], template: Path, tmp_path: Path, work: str
) -> None:
    points, kills = killed_at(worker, template, tmp_path, work, KILLS)
    print(f"{work}: {points} points, killed at {kills}")
