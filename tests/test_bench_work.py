"""Simulated work, a slice of it: patterns that were planted are found, and noise teaches next to nothing."""

from __future__ import annotations

from statistics import mean

import pytest

from bench.quality.agents import simulate as worked
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


def test_an_agent_works_through_commits_with_memory_and_without() -> None:
    """A world in which two files always change together, and one breaks a test: memory has something to say."""
    commits = [
        Commit(1_700_000_000 + 3_600 * n, (f"src/part{n % 5}.py", f"tests/test_part{n % 5}.py", f"docs/page{n % 7}.md"))
        for n in range(60)
    ]
    world = Repository("regular", commits)
    helped, alone = (worked(world, 3, memory=memory, sessions=14) for memory in (True, False))
    assert mean(each.discovery for each in helped[7:]) < mean(each.discovery for each in alone[7:])
    assert sum(each.recurrences for each in helped) <= sum(each.recurrences for each in alone)
    assert sum(each.injected for each in helped) > 0 == sum(each.injected for each in alone)
    assert sum(each.apt for each in helped) == sum(each.warned for each in helped)
