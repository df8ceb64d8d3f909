"""Fit what words say of a feeling beside their ratings: `python -m training.affect.fit FOLDER [--write]`.

`FOLDER` holds `train.tsv` and `emotions.txt` of GoEmotions (google-research, goemotions/data; CC BY 4.0). The sign of a
feeling is fitted by the points that the ratings come to (`affect_of`) and by the words and pairs of words of a text.
What a word adds is written in points of the ratings, one section each, to `recollect/language/en/affect_learned.txt`.

Words that say who somebody is (`left_out.txt`) and words that are mostly written as names are left out, and those that
change what follows, which `affect_of` knows. The development half of GoEmotions takes no part in it:
`python -m bench.quality --set affect` measures on it. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, vstack
from sklearn.linear_model import LogisticRegression

from bench.quality.feelings import NEGATIVE, POSITIVE
from recollect.language import lists
from recollect.perceive.traits import affect

WRITTEN = lists.FOLDER / "en" / f"{affect.LEARNED}.txt"
LEFT_OUT = Path(__file__).with_name("left_out.txt")
HOLDERS_MIN = 12  # texts that must hold a word or a pair before it counts
WORDS_MAX = 2_000
STRENGTH = 0.02  # the inverse of how strongly weights are held near zero: more of it fits this source, and no other
NEUTRAL_WEIGHT = 0.5  # of a text without feeling, which counts as half of either sign
POINTS_MAX = 6.0  # of the ratings of one text
NAMED_MIN, NAMED_SHARE = 3, 0.6  # times that a word is capitalised within a sentence, and how often of all times
_PLACEHOLDER = re.compile(r"\[[A-Z]+\]")
_INSIDE = re.compile(r"(?<=[a-z,;] )[A-Za-z]+")
_WIDTH = 118
_HEAD = """\
# What words and pairs of words add to how a text feels, in points of the ratings (affect_ratings.txt), beside these.
# Written by `python -m training.affect.fit` from GoEmotions (CC BY 4.0); the heading is what is added.
"""


class Text(NamedTuple):
    """A text as its learned words see it. `sign` is 0 where nothing was felt."""

    grams: frozenset[str]
    points: float  # of its ratings
    share: float  # that each word of a text of its length counts
    sign: int


def texts(folder: Path) -> tuple[list[Text], frozenset[str]]:
    """What was labelled with one sign, or as without feeling; and the words that are mostly written as names."""
    names = (folder / "emotions.txt").read_text(encoding="utf-8").split()
    found: list[Text] = []
    capital, small = Counter[str](), Counter[str]()
    for line in (folder / "train.tsv").read_text(encoding="utf-8").splitlines():
        said, numbers, _ = line.split("\t")
        for word in _INSIDE.findall(said):
            (capital if word[0].isupper() and not word.isupper() else small)[word.lower()] += 1
        emotions = {names[int(number)] for number in numbers.split(",")}
        signs = {1 if each in POSITIVE else -1 if each in NEGATIVE else 0 for each in emotions}
        if len(signs) > 1:
            continue
        said = _PLACEHOLDER.sub("", said)
        words = affect.tokens_of(said)
        points = max(-POINTS_MAX, min(POINTS_MAX, affect.rated_points(said)))
        found.append(Text(frozenset(affect.grams_of(words)), points, affect.damped(len(words)), signs.pop()))
    named = {
        word for word, times in capital.items() if times >= NAMED_MIN and times > NAMED_SHARE * (times + small[word])
    }
    return found, frozenset(named - {"i"})


def fitted(found: list[Text], excluded: frozenset[str]) -> dict[str, float]:
    """Points by word or pair: the weightiest of all, fitted again by themselves."""
    held = Counter(gram for each in found for gram in each.grams)
    grams = sorted(gram for gram, times in held.items() if times >= HOLDERS_MIN and _may_say(gram, excluded))
    weights, _ = _weights(found, grams)
    worth = np.abs(weights) * np.sqrt([held[gram] for gram in grams])
    kept = [grams[at] for at in np.argsort(-worth)[:WORDS_MAX]]
    weights, each_point = _weights(found, kept)
    return {gram: round(float(weight / each_point), 1) for gram, weight in zip(kept, weights, strict=True)}


def _may_say(gram: str, excluded: frozenset[str]) -> bool:
    """A denial says nothing by itself, and may in a pair."""
    return excluded.isdisjoint(gram.split()) and gram not in affect.DENYING


def _weights(found: list[Text], grams: list[str]) -> tuple[NDArray[np.float64], float]:
    """The weight of each gram, and that of a point of the ratings."""
    place = {gram: at for at, gram in enumerate(grams)}
    cells = [(row, place[gram], each.share) for row, each in enumerate(found) for gram in each.grams & place.keys()]
    rows, columns, shares = zip(*cells, strict=True)
    said = csr_matrix((shares, (rows, columns)), shape=(len(found), len(grams)))
    table = hstack([said, csr_matrix([[each.points] for each in found])]).tocsr()
    signs = np.array([each.sign for each in found])
    felt, plain = np.flatnonzero(signs), np.flatnonzero(signs == 0)
    model = LogisticRegression(C=STRENGTH, max_iter=300)
    model.fit(
        vstack([table[felt], table[plain], table[plain]]),
        np.concatenate([signs[felt] > 0, np.ones(len(plain)), np.zeros(len(plain))]),
        sample_weight=np.concatenate([np.ones(len(felt)), np.full(2 * len(plain), NEUTRAL_WEIGHT / 2)]),
    )
    return model.coef_[0, :-1], float(model.coef_[0, -1])


def listed(points: dict[str, float]) -> str:
    """The list as a file: sections from the best to the worst."""
    by_points: dict[float, list[str]] = defaultdict(list)
    for gram, value in points.items():
        if value:
            by_points[value].append(gram)
    parts = [_HEAD]
    for value in sorted(by_points, reverse=True):
        parts.append(f"\n[{value}]\n")
        line = ""
        for gram in sorted(by_points[value]):
            if line and len(line) + len(gram) + 2 > _WIDTH:
                parts.append(f"{line}\n")
                line = ""
            line = f"{line}, {gram}" if line else gram
        parts.append(f"{line}\n")
    return "".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {WRITTEN.name}")
    asked = parser.parse_args()
    found, named = texts(asked.folder)
    told = frozenset(LEFT_OUT.read_text(encoding="utf-8").split("\n", 1)[1].replace(",", " ").split())
    points = fitted(found, named | told | affect.CHANGING)
    print(f"{len(found)} texts, {len(named)} names left out, {sum(map(bool, points.values()))} words and pairs")
    if asked.write:
        WRITTEN.write_text(listed(points), encoding="utf-8")


if __name__ == "__main__":
    main()
