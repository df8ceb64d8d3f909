"""Real repositories with their contents, for simulated work: tasks from commits, and the tree before each of them.

This repository, and those whose folders `RECOLLECT_EVAL_REPOSITORIES` names, separated as in `PATH`: clones, or bare
ones. Histories are read, nothing in them is run.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from posixpath import dirname
from random import Random
from typing import NamedTuple

from bench.quality.sets import NoData
from recollect.code.history import FILES_MAX
from recollect.code.pairs import bystander

CLONES = "RECOLLECT_EVAL_REPOSITORIES"
NEEDED_MIN, NEEDED_MAX = 2, 6
AREAS = 6  # of a repository, the narrowest in which there is enough to do
ERRORS = 5
_HERE = Path(__file__).resolve().parents[2]
_LOG = (
    "log",
    "--no-merges",
    "--topo-order",
    "--reverse",
    "--no-renames",
    "--name-status",
    "--format=%x00%H%x01%P%x01%s",
)
_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")


class Clone(NamedTuple):
    """A repository whose contents are here."""

    name: str
    git: str  # its folder of git


class Task(NamedTuple):
    """A commit to be made: what is asked, in the words of its first line, and the files that it changes."""

    words: str
    needed: tuple[str, ...]  # files that are there already: a new one need not be found
    before: str  # the commit that it is made on


class Fault(NamedTuple):
    """A test that fails where one file was edited and another was not."""

    words: str
    trigger: str
    cure: str


class Work(NamedTuple):
    """A row of tasks in one area of a repository, and what breaks there."""

    tasks: list[Task]
    faults: list[Fault]


def clones() -> list[Clone]:
    """All there are; at least one."""
    folders = [_HERE, *(Path(each) for each in os.environ.get(CLONES, "").split(os.pathsep) if each)]
    found = []
    for folder in folders:
        try:
            git = _git_in(folder, "rev-parse", "--path-format=absolute", "--git-common-dir").strip()
        except (OSError, subprocess.SubprocessError):
            continue
        name = "own" if folder == _HERE else (folder.parent if folder.name in ("repo", ".git") else folder).name
        found.append(Clone(name.rpartition("+")[2].removesuffix(".git"), git))
    if not found:
        raise NoData(f"no git history here, and no clones in {CLONES}")
    return found


def work_in(clone: Clone, chance: Random, sessions: int) -> Work:
    """What one agent did in one area: commits there in a row, and faults at files that these change often."""
    possible = _tasks(clone)
    possible = possible[len(possible) // 3 :]
    if len(possible) < sessions:
        raise NoData(f"{clone.name} has too few commits")
    times = Counter(area for task in possible for area in {each for path in task.needed for each in _areas(path)})
    busy = sorted(area for area, count in times.items() if count >= sessions)
    area = chance.choice(sorted(busy, key=lambda area: (times[area], area))[:AREAS])
    chosen = [task for task in possible if any(area in _areas(path) for path in task.needed)]
    first = chance.randint(0, len(chosen) - sessions)
    tasks = chosen[first : first + sessions]
    there = set.intersection(*(_files_at(clone, task.before) for task in (tasks[0], tasks[-1])))
    files = sorted({path for task in tasks for path in task.needed} & there)
    often = Counter(path for task in tasks for path in task.needed if path in there).most_common(ERRORS)
    faults = [
        Fault(
            f"CheckError: table {'abcdefgh'[number]} of the build is out of date",
            path,
            chance.choice([other for other in files if other != path]),
        )
        for number, (path, count) in enumerate(often)
        if count > 2
    ]
    return Work(tasks, faults)


def _tasks(clone: Clone) -> list[Task]:
    log = _git_in(Path(clone.git), *_LOG)
    found = []
    for block in log.split("\0")[1:]:
        head, _, rest = block.partition("\n")
        _, parents, words = head.split("\1", 2)
        changed = [line.split("\t", 1) for line in rest.split("\n") if "\t" in line]
        needed = tuple(path for status, path in changed if status == "M" and not bystander(path))
        if parents and len(changed) <= FILES_MAX and NEEDED_MIN <= len(needed) <= NEEDED_MAX:
            found.append(Task(words, needed, parents.split()[0]))
    return found


def _files_at(clone: Clone, commit: str) -> set[str]:
    return set(_git_in(Path(clone.git), "ls-tree", "-r", "-z", "--name-only", commit).split("\0"))


def _areas(path: str) -> list[str]:
    """The folders that a file is in, the nearest first; the whole repository last."""
    found = []
    while path := dirname(path):
        found.append(path)
    return [*found, ""]


class Tree:
    """A work tree of a clone, as it was before one task after the other."""

    def __init__(self, clone: Clone, top: Path) -> None:
        self.top = top
        subprocess.run(
            ("git", *_QUIET, "clone", "-q", "--shared", "--no-checkout", "--no-tags", clone.git, str(top)),
            check=True,
            capture_output=True,
        )
        # Commits that no branch of the clone leads to are found all the same.
        _git_in(top, "config", "gc.auto", "0")

    def at(self, commit: str) -> None:
        _git_in(self.top, "checkout", "-q", "-f", "--detach", commit)
        _git_in(self.top, "clean", "-q", "-f", "-d", "-x")

    def files(self) -> list[str]:
        return [path for path in _git_in(self.top, "ls-files", "-z").split("\0") if path]


def _git_in(folder: Path, *words: str) -> str:
    done = subprocess.run(("git", *_QUIET, *words), cwd=folder, capture_output=True, timeout=120, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")
