"""All parts together: a team works on one memory for days, upkeep runs each night, and what is promised holds then."""

from __future__ import annotations

from pathlib import Path

import pytest
from joint.promised import assert_kept
from joint.team import Team, a_day, a_night, somebody_is_forgotten, the_team_begins


def live(folder: Path, *, days: int, forgotten_on: int, nights_twice: int, seed: int = 1) -> Team:
    """So many days and nights; what is promised is looked at after each."""
    team = Team(folder=folder, seed=seed)
    try:
        the_team_begins(team)
        for day in range(days):
            team.day = day
            a_day(team)
            if day == forgotten_on:
                somebody_is_forgotten(team)
            a_night(
                team, twice=day % nights_twice == 1 and day % 3 != 2
            )  # a turn that was left is an operation of its own
            assert_kept(team)
    finally:
        team.mem.close()
    return team


def test_a_few_days_of_a_team_keep_every_promise(tmp_path: Path) -> None:
    live(tmp_path, days=4, forgotten_on=2, nights_twice=3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_a_month_of_a_team_keeps_every_promise(tmp_path: Path, seed: int) -> None:
    live(tmp_path, days=30, forgotten_on=15, nights_twice=5, seed=seed)
