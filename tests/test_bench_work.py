"""Simulated work, a slice of it: patterns that were planted are found, and noise teaches next to nothing."""

from __future__ import annotations

from statistics import mean

import pytest

from bench.quality.planted import simulate
from bench.quality.repositories import Commit, Repository

SMALL = Repository("small", [Commit(0, (f"part{folder}/file{n}.py",)) for folder in range(8) for n in range(30)])


@pytest.mark.parametrize("seed", [11, 12])
def test_planted_patterns_are_found_and_little_else(seed: int) -> None:
    run = simulate(SMALL, seed)
    assert run.found >= 0.85 * run.planted > 20
    assert sum(run.right) >= 0.85 * sum(run.kept)


def test_sessions_without_patterns_teach_next_to_nothing() -> None:
    noise = simulate(SMALL, 11, patterns=False)
    assert mean(noise.kept) <= 0.4
