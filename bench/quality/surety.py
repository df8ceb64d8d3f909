"""Fit the weights by which statements are kept or dropped (`recollect.perceive.statements.surety`).

`python -m bench.quality.surety judged.jsonl` reads one judged statement a line: `text` of the turn, `speaker`,
`content` of the statement, `right` (1, 0, or .5 where one may argue) and `group`, the conversation it is from. It
prints the weights, and what would be kept and how much of that is right when each conversation is judged by the
others. Statements are drawn without regard to the weights that are there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from zlib import crc32

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.language.spoken import each_sentence
from recollect.perceive.grammar.references import Antecedents
from recollect.perceive.statements import propositions, surety
from recollect.perceive.statements.propositions import WORDS_MIN, Proposition
from recollect.perceive.statements.voice import speaker_of

FOLDS = 8
PULL = 2.0  # towards zero, so that a sign seen twice does not decide
STEPS = 40
SHARES = (0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 1.0)

Numbers = NDArray[np.float64]


class Judged(NamedTuple):
    """One statement that somebody judged, as numbers."""

    signs: list[float]
    right: float
    group: str
    weight: float


def with_signs(text: str, speaker: str) -> Iterator[tuple[Proposition, dict[str, float]]]:
    """Every statement of a turn, kept or not, with its signs."""
    last: dict[str, float] = {}

    def keep(clause: Any, manner: Any, category: str, *, is_state: Callable[[], bool]) -> bool:
        last.update(surety.signs_of(clause, manner, category, is_state=is_state))
        return True

    with patch.object(propositions, "is_sure", keep):
        antecedents = Antecedents()
        for sentence in each_sentence(text):
            last.clear()
            for found in propositions._in_sentence(sentence, speaker_of(speaker, "user"), antecedents, WORDS_MIN):
                if last:
                    yield found, dict(last)


def judged_in(lines: Iterator[bytes]) -> Iterator[Judged]:
    """The judged statements that the rules still draw."""
    for line in lines:
        given = orjson.loads(line)
        found = next((s for p, s in with_signs(given["text"], given["speaker"]) if p.content == given["content"]), None)
        if found is not None:
            yield Judged(list(found.values()), given["right"], given["group"], given.get("weight", 1.0))


def fitted(signs: Numbers, right: Numbers, weight: Numbers) -> Numbers:
    """The weights of a logistic regression."""
    weights = np.zeros(signs.shape[1])
    pull = PULL * np.eye(signs.shape[1])
    pull[0, 0] = 0.01
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (weight * (likely - right)) + pull @ weights
        bend = (signs * (weight * likely * (1 - likely))[:, None]).T @ signs + pull
        weights -= np.linalg.solve(bend, slope)
    return weights


def by_others(signs: Numbers, right: Numbers, groups: list[str], weight: Numbers) -> Numbers:
    """The sum of each statement, by weights that were fitted without its conversation."""
    fold = np.array([crc32(group.encode()) % FOLDS for group in groups])
    out = np.zeros(len(right))
    for at in range(FOLDS):
        other = fold != at
        if not other.all():
            out[~other] = signs[~other] @ fitted(signs[other], right[other], weight[other])
    return out


def main(path: str) -> None:
    """Print weights and what they keep."""
    judged = list(judged_in(iter(Path(path).read_bytes().splitlines())))
    names = list(next(with_signs("I have a dog.", "Ana"))[1])
    signs = np.array([each.signs for each in judged])
    right = np.array([each.right for each in judged])
    weight = np.array([each.weight for each in judged])
    for name, value in zip(names, fitted(signs, right, weight), strict=True):
        print(f'    "{name}": {value:.2f},')
    counted = weight == 1.0
    sums, right = by_others(signs, right, [each.group for each in judged], weight)[counted], right[counted]
    order = np.argsort(-sums)
    for share in SHARES:
        kept = order[: max(1, int(share * len(order)))]
        print(
            f"kept {share:.2f} from {sums[kept[-1]]:.2f} on: not wrong {np.mean(right[kept] > 0):.3f}, "
            f"right beyond doubt {np.mean(right[kept] == 1):.3f}"
        )


if __name__ == "__main__":
    main(sys.argv[1])
