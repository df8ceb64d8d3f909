"""Fit which questions what was told answers: `python -m training.cross.questions [--write] [--hold-out W …]`.

Reads the written questions of `training/data`, prints how well their words alone tell the answerable from the others
for each writer left out, and with `--write` puts the weights beside `recollect/recall/question/detail.py`. Needs
scikit-learn.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from recollect.recall.question import detail
from recollect.recall.question.aims import signs_of
from training.measure import auc
from training.stories import read

DATA = Path(__file__).parents[1] / "data"
HOLDERS_MIN = 3  # questions that must hold a sign before it counts
STRENGTH = 0.3  # the inverse of how strongly weights are held near zero
_DIGITS = 3
_LEAST = 0.01  # a weight below this is left out


def fitted(texts: Sequence[str], answerable: Sequence[bool]) -> dict[str, Any]:
    """Bias and weights of the signs, as `detail.json` holds them."""
    held = [set(signs_of(text)) for text in texts]
    holders = Counter(sign for signs in held for sign in signs)
    names = sorted(sign for sign, count in holders.items() if count >= HOLDERS_MIN)
    place = {name: at for at, name in enumerate(names)}
    matrix = np.zeros((len(texts), len(names)), dtype=np.float32)
    for row, signs in enumerate(held):
        matrix[row, [place[sign] for sign in signs if sign in place]] = 1.0
    model = LogisticRegression(C=STRENGTH, max_iter=3000).fit(matrix, answerable)
    weights = zip(names, model.coef_[0].tolist(), strict=True)
    return {
        "bias": round(float(model.intercept_[0]), _DIGITS),
        "signs": {name: round(weight, _DIGITS) for name, weight in weights if abs(weight) >= _LEAST},
    }


def odds(weights: dict[str, Any], text: str) -> float:
    return float(weights["bias"] + sum(weights["signs"].get(sign, 0.0) for sign in set(signs_of(text))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, nargs="?", const=Path(detail.__file__).with_name(detail.WEIGHTS_FILE))
    parser.add_argument("--hold-out", nargs="*", default=[], help="writers that the weights are not fitted on")
    options = parser.parse_args()
    asked = [(story.writer, q.text, bool(q.evidence)) for story in read(DATA) for q in story.questions]
    for writer in sorted({name for name, _, _ in asked}):
        others = [(text, has) for name, text, has in asked if name != writer]
        ours = [(text, has) for name, text, has in asked if name == writer]
        weights = fitted([text for text, _ in others], [has for _, has in others])
        said = np.array([odds(weights, text) for text, _ in ours])
        print(f"{writer} left out: {auc(said, np.array([has for _, has in ours])):.3f} of {len(ours)}")
    if options.write:
        kept = [(text, has) for name, text, has in asked if name not in options.hold_out]
        weights = fitted([text for text, _ in kept], [has for _, has in kept])
        options.write.write_text(json.dumps(weights, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
