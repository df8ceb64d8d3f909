"""A whole night's work, killed after every few portions: the next process does the rest, and nothing twice."""

from __future__ import annotations

import shutil
import signal
from collections import Counter
from pathlib import Path

import pytest
from properties.tables import assert_sound, looking_at, open_quick, visible_state
from ticking import Ticking
from upkeep.upkeep_talks import settled, talk

from faults.processes import heard, rest, started

CONFIG = {"upkeep.after_session": False}
STEPS_BY_CHANCE = ("similar_to",)  # what replay links depends on what it picks


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A store full of talk, and the time it is there."""
    path = tmp_path_factory.mktemp("talk") / "m.db"
    clock = Ticking()
    with open_quick(path, clock=clock, config=CONFIG) as memory:
        talk(memory, clock, user_id="ana")
        talk(memory, clock, sessions=4, seed=2)
        clock.skip(1)
        settled(memory)
    return path, clock.now


def contents(path: Path) -> Counter[tuple[str, str, str]]:
    """What is believed, in words."""
    with looking_at(path) as db:
        return Counter(
            db.execute("SELECT kind, category, content FROM record WHERE retired_at IS NULL AND head_pk IS NULL")
        )


def labels(path: Path) -> Counter[str]:
    with looking_at(path) as db:
        found = Counter(dict(db.execute("SELECT label, count(*) FROM edge WHERE retired_at IS NULL GROUP BY label")))
    return Counter({label: count for label, count in found.items() if label not in STEPS_BY_CHANCE})


def killed_after(portions: int, path: Path, now: int) -> bool:
    """Whether the process was killed before it was done."""
    with started("maintain_and_die.py", path, portions, now) as process:
        said = heard(process)
        assert rest(process) == []
        code = process.wait()
    assert code == (-signal.SIGKILL if said is None else 0)
    return said is None


@pytest.mark.timeout(300)
def test_a_night_that_was_killed_again_and_again_ends_as_one_that_was_not(
    talked: tuple[Path, int], tmp_path: Path
) -> None:
    source, now = talked
    whole, torn = tmp_path / "whole.db", tmp_path / "torn.db"
    for path in (whole, torn):
        shutil.copy(source, path)
    before = visible_state(torn)
    assert not killed_after(10**6, whole, now)
    deaths = 0
    while killed_after(3 + deaths, torn, now + deaths):
        deaths += 1
        assert deaths < 40
    assert deaths >= 3
    assert contents(torn) == contents(whole)
    assert labels(torn) == labels(whole)
    assert_sound(torn)
    with open_quick(torn, config=CONFIG) as memory:
        report = memory.maintain(status=True)
        assert report.state == "done"
        assert report.history == (), "one run, whoever went on with it"
        assert "went on" in report.problems[0]
        memory.undo(report)
    assert visible_state(torn) == before
