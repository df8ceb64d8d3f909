"""Simulated work, a slice of it: patterns that were planted are found, and noise teaches next to nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from statistics import mean

import pytest

from bench.quality.agents import simulate as worked
from bench.quality.clones import Clone
from bench.quality.planted import simulate
from bench.quality.repositories import Commit, Repository

PARTS = ("queue", "parser", "ledger", "mailer", "cache")
SMALL = Repository("small", [Commit(0, (f"part{folder}/file{n}.py",)) for folder in range(8) for n in range(30)])


@pytest.mark.parametrize("seed", [11, 12])
def test_planted_patterns_are_found_and_little_else(seed: int) -> None:
    run = simulate(SMALL, seed)
    assert run.found >= 0.85 * run.planted > 20
    assert sum(run.right) >= 0.85 * sum(run.kept)


def test_sessions_without_patterns_teach_next_to_nothing() -> None:
    noise = simulate(SMALL, 11, patterns=False)
    assert mean(noise.kept) <= 0.4


def committed(folder: Path, commits: int) -> Clone:
    """A history in which a module, its test and its page always change together."""
    subprocess.run(("git", "init", "-q", "-b", "main", str(folder)), check=True)
    stream = []
    for number in range(commits):
        part = PARTS[number % len(PARTS)]
        words = f"the {part} goes on"
        at = 1_700_000_000 + 3_600 * number
        stream.append(
            f"commit refs/heads/main\ncommitter Kim <kim@example.org> {at} +0000\ndata {len(words)}\n{words}\n"
        )
        for path in (f"src/{part}.py", f"tests/test_{part}.py", f"docs/{part}.md"):
            text = f"def {part}_{number}(): ...\n"
            stream.append(f"M 644 inline {path}\ndata {len(text)}\n{text}\n")
    subprocess.run(("git", "-C", str(folder), "fast-import", "--quiet"), input="".join(stream), text=True, check=True)
    return Clone("regular", str(folder / ".git"))


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_an_agent_works_through_commits_with_memory_and_without(tmp_path: Path) -> None:
    """A world in which the same files always change together, and one breaks a test: memory has something to say."""
    clone = committed(tmp_path, 80)
    helped, alone = (worked(clone, 3, memory=memory, sessions=14) for memory in (True, False))
    assert mean(each.discovery for each in helped[7:]) < mean(each.discovery for each in alone[7:])
    assert sum(each.recurrences for each in helped) <= sum(each.recurrences for each in alone)
    assert sum(each.injected for each in helped) > 0 == sum(each.injected for each in alone)
    assert sum(each.apt for each in helped) >= 0.8 * sum(each.warned for each in helped)
