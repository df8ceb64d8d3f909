"""Fit which questions ask how things are now: `python -m training.questions.train [--write]`.

Reads the written questions of `training/data`, prints the figures of questions whose stories were left out, and with
`--write` puts the weights of all of them beside `recollect/recall/question/present.py`. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from recollect.recall.question import present

DATA = Path(__file__).parents[1] / "data"
NOW = frozenset({"now", "advice"})
HOLDERS_MIN = 3  # questions that must hold a sign before it counts
STRENGTH = 0.5  # the inverse of how strongly weights are held near zero
FOLDS = 5
_DIGITS = 3


def questions() -> tuple[list[str], list[bool], list[str]]:
    """Texts, whether each asks about the present, and the story each belongs to."""
    texts, asks_now, stories = [], [], []
    for file in sorted(DATA.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            story = json.loads(line)
            for question in story["questions"]:
                texts.append(question["q"])
                asks_now.append(question["kind"] in NOW)
                stories.append(story["id"])
    return texts, asks_now, stories


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true", help="keep the weights")
    texts, asks_now, stories = questions()
    held = [set(present.signs_of(text)) for text in texts]
    holders = Counter(sign for signs in held for sign in signs)
    names = sorted(sign for sign, count in holders.items() if count >= HOLDERS_MIN)
    place = {name: at for at, name in enumerate(names)}
    cells = np.array([(row, place[sign]) for row, signs in enumerate(held) for sign in signs if sign in place])
    matrix = csr_matrix((np.ones(len(cells)), (cells[:, 0], cells[:, 1])), shape=(len(texts), len(names)))
    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    left_out = cross_val_predict(model, matrix, asks_now, groups=stories, cv=GroupKFold(FOLDS), method="predict_proba")[
        :, 1
    ]
    right = (left_out >= present.PRESENT_MIN) == np.array(asks_now)
    print(f"{len(texts)} questions, {len(names)} signs; left out by story: ", end="")
    print(f"AUROC {roc_auc_score(asks_now, left_out):.3f}, right {right.mean():.3f}")
    if arguments.parse_args().write:
        model.fit(matrix, asks_now)
        signs = {
            name: round(float(w), _DIGITS) for name, w in zip(names, model.coef_[0], strict=True) if abs(w) >= 0.01
        }
        weights = {"bias": round(float(model.intercept_[0]), _DIGITS), "signs": signs}
        target = Path(present.__file__).with_name(present.WEIGHTS_FILE)
        target.write_text(json.dumps(weights, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
