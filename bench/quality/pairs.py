"""Files that go together, told from the history of a repository and held against the commits that followed.

    python -m bench.quality --set pairs

Commit by commit over the last fifth of a history: what is known before a commit names, for each of its files, those
that go with it. A pair that is said (weight above .6, three common commits) is right if the commit has both.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.quality import sets
from bench.quality.figures import Figure
from bench.quality.sets import NoData
from recollect.code.history import FILES_MAX
from recollect.code.pairs import TOGETHER_MIN, Occasion, bystander, paired
from recollect.config.coding import CodeGraphSettings

SAID = 0.6
FIRST = 5
LEARNED = 0.8  # share of a history that is only learned from


def measure(baselines: bool) -> list[Figure]:
    folder = sets.place() / "coding"
    logs = sorted(folder.glob("history_*.log.gz"))
    if not logs:
        raise NoData(f"no histories in {folder}")
    figures: list[Figure] = []
    for log in logs:
        figures += _measured(log, baselines)
    return figures


def _measured(log: Path, baselines: bool) -> Iterator[Figure]:
    name = log.name.removeprefix("history_").removesuffix(".log.gz")
    settings = CodeGraphSettings()
    known: dict[str, list[Occasion]] = defaultdict(list)
    said = right = plain_said = plain_right = hits = asked = 0
    commits = _commits(log)
    for number, (at_s, files) in enumerate(commits):
        for path in files if number >= LEARNED * len(commits) else ():
            pairs = paired(
                known[path],
                now_s=at_s,
                half_life_days=settings.pair_half_life_days,
                surety=settings.pair_surety,
            )
            asked += 1
            hits += any(pair.path in files for pair in pairs[:FIRST])
            often = [pair for pair in pairs if pair.together >= TOGETHER_MIN]
            told = [pair.path in files for pair in often if pair.weight > SAID]
            shares = [pair.path in files for pair in often if pair.together > SAID * len(known[path])]
            said, right = said + len(told), right + sum(told)
            plain_said, plain_right = plain_said + len(shares), plain_right + sum(shares)
        for path in files:
            beside = tuple((other, None) for other in files if other != path)
            known[path].append(Occasion(at_s=at_s, beside=beside))
    plain = plain_right / plain_said if baselines and plain_said else None
    yield Figure(name=f"pairs right, {name}", value=right / said if said else None, baseline=plain, note=f"{said} said")
    yield Figure(name=f"one of five right, {name}", value=hits / asked if asked else None, note=f"{asked} files")


def _commits(log: Path) -> list[tuple[int, list[str]]]:
    """Time and files of each commit, the oldest first."""
    found = []
    for block in gzip.decompress(log.read_bytes()).decode("utf-8", "replace").split("\0")[1:]:
        head, _, rest = block.partition("\n")
        files = [path for path in dict.fromkeys(rest.split("\n")) if path.strip() and not bystander(path)]
        if 0 < len(files) <= FILES_MAX:
            found.append((int(head.partition("\1")[2]), files))
    return found[::-1]
