"""Real repositories for simulated work: the files there are, and which of them each commit changed.

This repository's own history, and those logs that lie with the data (`coding/history_*.log.gz`).
"""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path
from typing import NamedTuple

from bench.quality import sets
from bench.quality.sets import NoData
from recollect.code.history import FILES_MAX
from recollect.code.pairs import bystander

_HERE = Path(__file__).resolve().parents[2]
_LOG = ("git", "log", "--no-merges", "--name-only", "--format=%x00%H%x01%ct")


class Commit(NamedTuple):
    """What one commit changed, without files that change with everything."""

    at_s: int
    files: tuple[str, ...]


class Repository(NamedTuple):
    """A history, the oldest commit first."""

    name: str
    commits: list[Commit]

    @property
    def files(self) -> list[str]:
        """Every file that was ever changed."""
        return sorted({path for commit in self.commits for path in commit.files})


def repositories() -> list[Repository]:
    """All there are; at least one."""
    found = [Repository("own", commits)] if (commits := _own()) else []
    found += histories() if (sets.place() / "coding").is_dir() else []
    if not found:
        raise NoData("no git history here, and no histories with the data")
    return found


def histories() -> list[Repository]:
    """The histories that lie with the data."""
    folder = sets.place() / "coding"
    logs = sorted(folder.glob("history_*.log.gz"))
    if not logs:
        raise NoData(f"no histories in {folder}")
    return [
        Repository(
            log.name.removeprefix("history_").removesuffix(".log.gz"),
            _commits(gzip.decompress(log.read_bytes()).decode("utf-8", "replace")),
        )
        for log in logs
    ]


def _own() -> list[Commit]:
    try:
        done = subprocess.run(_LOG, cwd=_HERE, capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return _commits(done.stdout.decode("utf-8", "replace"))


def _commits(log: str) -> list[Commit]:
    found = []
    for block in log.split("\0")[1:]:
        head, _, rest = block.partition("\n")
        files = tuple(path for path in dict.fromkeys(rest.split("\n")) if path.strip() and not bystander(path))
        if 0 < len(files) <= FILES_MAX:
            found.append(Commit(int(head.partition("\1")[2]), files))
    return found[::-1]
