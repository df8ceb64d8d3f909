"""Fit what questions are after: `python -m training.questions.train [--write]`.

Reads the written questions of `training/data` and of `written.jsonl` beside this file, prints figures of questions that
were left out, by story, and with `--write` puts the weights of all of them beside `recollect/recall/question/aims.py`.
Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from recollect.recall.question import aims
from recollect.recall.question.present import asks_outright

DATA = Path(__file__).parents[1] / "data"
WRITTEN = Path(__file__).with_name("written.jsonl")
AIM_OF = {"now": 0, "advice": 0, "history": 2}  # all other kinds are about the past
HOLDERS_MIN = 2  # questions that must hold a sign before it counts
STRENGTH = 1.0  # the inverse of how strongly weights are held near zero
FOLDS = 5
_DIGITS = 2
_WEIGHT_MIN = 0.05  # a sign that says less about each aim is left out


class Question(NamedTuple):
    text: str
    aim: int  # its place in `Aims`
    story: str
    language: str  # of the story, in whose language most of its questions are


def questions() -> Iterator[Question]:
    """Those of the stories, then those that were written for this alone, each a story of its own."""
    for file in sorted(DATA.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            story = json.loads(line)
            for asked in story["questions"]:
                yield Question(asked["q"], AIM_OF.get(asked["kind"], 1), story["id"], story["language"])
    for at, line in enumerate(WRITTEN.read_text(encoding="utf-8").splitlines()):
        asked = json.loads(line)
        yield Question(asked["q"], AIM_OF.get(asked["kind"], 1), f"{WRITTEN.stem}-{at}", asked["language"])


def report(name: str, every: list[Question], left_out: NDArray[np.float64]) -> None:
    """Of one part: how well questions about the present are told from others, and those about a development found."""
    aim = np.array([question.aim for question in every])
    found = (left_out.argmax(1) == 2) | np.array([asks_outright(question.text) for question in every])
    wanted = aim == 2
    print(
        f"{name}: {len(aim)} questions, present AUROC {roc_auc_score(aim == 0, left_out[:, 0]):.3f}; "
        f"development AUROC {roc_auc_score(wanted, left_out[:, 2]):.3f}, precision {wanted[found].mean():.3f}, "
        f"recall {found[wanted].mean():.3f} of {wanted.sum()}"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true", help="keep the weights")
    every = list(questions())
    aim = np.array([question.aim for question in every])
    held = [set(aims.signs_of(question.text)) for question in every]
    holders = Counter(sign for signs in held for sign in signs)
    names = sorted(sign for sign, count in holders.items() if count >= HOLDERS_MIN)
    place = {name: at for at, name in enumerate(names)}
    cells = np.array([(row, place[sign]) for row, signs in enumerate(held) for sign in signs if sign in place])
    matrix = csr_matrix((np.ones(len(cells)), (cells[:, 0], cells[:, 1])), shape=(len(every), len(names)))
    model = LogisticRegression(C=STRENGTH, max_iter=3000)
    folds = GroupKFold(FOLDS, shuffle=True, random_state=1)
    groups = [question.story for question in every]
    left_out = cross_val_predict(model, matrix, aim, groups=groups, cv=folds, method="predict_proba")
    print(f"{len(names)} signs; left out by story:")
    parts = {
        "stories": [not question.story.startswith(WRITTEN.stem) for question in every],
        "written": [question.story.startswith(WRITTEN.stem) for question in every],
        "German": [question.language == "de" for question in every],
        "Spanish": [question.language == "es" for question in every],
    }
    for name, chosen in parts.items():
        part = [question for question, is_in in zip(every, chosen, strict=True) if is_in]
        report(name, part, left_out[np.array(chosen)])
    if arguments.parse_args().write:
        model.fit(matrix, aim)
        signs = {
            name: [round(float(share), _DIGITS) for share in shares]
            for name, shares in zip(names, model.coef_.T, strict=True)
            if np.abs(shares).max() >= _WEIGHT_MIN
        }
        bias = [round(float(share), _DIGITS) for share in model.intercept_]
        target = Path(aims.__file__).with_name(aims.WEIGHTS_FILE)
        rows = ",\n".join(f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(row)}" for name, row in signs.items())
        target.write_text(f'{{"bias": {json.dumps(bias)}, "signs": {{\n{rows}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
