"""Files that go together, told from the history of a repository and held against the commits that followed.

    python -m bench.quality --set pairs

Commit by commit over the last fifth of a history: what is known before a commit names, for each of its files, those
that go with it. A pair that is said (weight above .6, three common commits) is right if the commit has both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from bench.quality.figures import Figure
from bench.quality.repositories import Repository, histories
from recollect.code.pairs import TOGETHER_MIN, Occasion, paired
from recollect.config.coding import CodeGraphSettings

SAID = 0.6
FIRST = 5
LEARNED = 0.8  # share of a history that is only learned from


def measure(baselines: bool) -> list[Figure]:
    return [figure for repository in histories() for figure in _measured(repository, baselines)]


def _measured(repository: Repository, baselines: bool) -> Iterator[Figure]:
    name, commits = repository
    settings = CodeGraphSettings()
    known: dict[str, list[Occasion]] = defaultdict(list)
    said = right = plain_said = plain_right = hits = asked = 0
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
