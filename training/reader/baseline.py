"""What the reader must beat: `python -m training.reader.baseline --encoder FOLDER`.

Gradient boosting over likeness, words, numbers, speakers and the gap between two turns, and over the product and the
difference of their vectors; five folds by story, as the reader itself is measured.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import torch
from numpy.typing import NDArray

from training import measure
from training.body import Body, Words
from training.stories import LABELS, Pair, Story, folds, read, split

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TREES = {"objective": "multiclass", "num_class": len(LABELS), "learning_rate": 0.05, "num_leaves": 15}
_TREES |= {"min_data_in_leaf": 30, "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1, "verbose": -1}
_ROUNDS = 200


def likeness(story: Story, pair: Pair, vectors: NDArray[np.float32]) -> list[float]:
    """What can be counted about two turns."""
    older, newer = story.turns[pair.older], story.turns[pair.newer]
    left, right = (set(_WORD.findall(turn.text.lower())) for turn in (older, newer))
    numbers_left, numbers_right = (set(_NUMBER.findall(turn.text)) for turn in (older, newer))
    shared = left & right
    return [
        float(vectors[pair.older] @ vectors[pair.newer]),
        len(shared) / (len(left | right) or 1),
        float(sum(len(word) > 4 for word in shared)),
        float(len(numbers_left)),
        float(len(numbers_right)),
        float(len(numbers_left & numbers_right)),
        float(older.speaker == newer.speaker),
        float(older.role == "user"),
        float(newer.role == "user"),
        float(np.log1p((newer.day - older.day).days)),
        float(len(older.text)),
        float(len(newer.text)),
        float("?" in older.text),
        float("?" in newer.text),
        float(pair.newer - pair.older),
    ]


def table(
    stories: Sequence[Story], vectors: dict[str, NDArray[np.float32]], with_vectors: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    rows, labels, listed = [], [], []
    for story in stories:
        made = vectors[story.id]
        for pair in (*story.pairs, *story.unlisted()):
            row = likeness(story, pair, made)
            if with_vectors:
                a, b = made[pair.older], made[pair.newer]
                row += [*(a * b), *(b - a)]
            rows.append(row)
            labels.append(LABELS.index(pair.label))
            listed.append(pair.tag != "unlisted")
    return np.array(rows), np.array(labels), np.array(listed)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--stories", type=Path, default=Path(__file__).parents[1] / "data")
    parser.add_argument("--hold-out", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    words = Words(options.encoder)
    body = Body.load(options.encoder, words.sep).to(device)
    told = [story for story in read(options.stories) if story.pairs and not story.is_season]
    flat = measure.embedded(body, words, [turn.text for story in told for turn in story.turns], device)
    cuts = np.cumsum([len(story.turns) for story in told])[:-1]
    vectors = dict(zip((story.id for story in told), np.split(flat, cuts), strict=True))
    kept, held = split(told, options.hold_out)
    for with_vectors in (False, True):
        runs: list[tuple[str, list[tuple[list[Story], list[Story]]]]] = [("folds", [*folds(kept, 5, options.seed)])]
        if held:
            runs.append(("held out", [(kept, held)]))
        for name, splits in runs:
            made: list[tuple[Any, ...]] = []
            for known, unknown in splits:
                rows, labels, _ = table(known, vectors, with_vectors)
                model = lightgbm.train(_TREES | {"seed": options.seed}, lightgbm.Dataset(rows, labels), _ROUNDS)
                rows, labels, listed = table(unknown, vectors, with_vectors)
                made.append((model.predict(rows), labels, listed))
            told_of = measure.reading(*(np.concatenate(part) for part in zip(*made, strict=True)))
            print(json.dumps({"vectors": with_vectors, "on": name} | told_of), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
