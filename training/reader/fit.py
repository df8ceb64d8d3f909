"""Fit the trees of the reader of pairs: `python -m training.reader.fit --talk FILE [--stories FOLDER] [--out FILE]`.

Reads the written stories (`training/data/*.jsonl`) and ordinary talk (`talk.py`), learns what a later turn of a person
does to an earlier turn, and writes `recollect/perceive/reader/pairs.npz`. Every figure that it prints is of what was
not learned from: five folds by story and by life, and each writer left out in turn. Pairs that a writer did not list
are unrelated, and so are all of ordinary talk.

*retired*: of the turns that a later one makes untrue, the share found at a threshold; *wrongly*: of all other turns,
the share taken for untrue, once without those of which a part is; *in talk*: of the pairs of ordinary talk. Needs
lightgbm and scipy, which Recollect itself does not.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
from numpy.typing import NDArray

from recollect.clock import to_us
from recollect.model.pair import LABELS, OVER, PairLabel, SaidText, TextPair
from recollect.perceive.reader.boosted import WEIGHTS
from recollect.perceive.reader.features import NAMES, features_of
from training.reader.talk import days_drawn, talk

FOLDS, SEED = 5, 1
ROUNDS = 120
OPTIONS: dict[str, Any] = {
    "objective": "multiclass",
    "num_class": len(LABELS),
    "learning_rate": 0.1,
    "extra_trees": True,  # cuts drawn at random: on a writer left out, one half more is found at the same precision
    "num_leaves": 12,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "num_threads": 1,
    "seed": SEED,
    "verbose": -1,
}
TALK_LIVES, TALK_WEIGHT = (
    40,
    0.1,
)  # a pair of ordinary talk counts a tenth of a written one; there are eight times as many
_OVER = [LABELS.index(label) for label in OVER]
_DAYS = NAMES.index("days")


class Written(NamedTuple):
    """Every pair of the stories: its features, its label, and where it is from.

    `told`: whether it is learned from. Of a turn that is over, writers list what made it so, and not each later turn
    about the same; such an unlisted pair is neither over nor unrelated. `partly`: a part of the older turn is over.
    """

    rows: NDArray[np.float64]
    labels: NDArray[np.int64]
    stories: NDArray[np.str_]
    older: NDArray[np.int64]
    told: NDArray[np.bool_]
    partly: NDArray[np.bool_]

    @property
    def writers(self) -> NDArray[np.str_]:
        return np.array([story.split("-")[0] for story in self.stories])


def written(folder: Path) -> Written:
    pairs: list[TextPair] = []
    labels: list[int] = []
    stories: list[str] = []
    older: list[int] = []
    known: list[bool] = []
    partly: list[bool] = []
    lines = (line for path in folder.glob("*.jsonl") for line in path.read_text("utf-8").splitlines())
    for story in sorted(
        map(json.loads, lines), key=lambda each: str(each["id"])
    ):  # the same trees however files are cut
        if not story.get("pairs"):
            continue
        told = {(pair[0], pair[1]): (pair[2], pair[3]) for pair in story["pairs"]}
        over_since = _over_since(story["pairs"])
        turns = [_said(turn) for turn in story["turns"]]
        for newer, said in enumerate(turns):
            for place in range(newer if said.role == "user" else 0):
                pairs.append(TextPair(older=turns[place], newer=said))
                label, tag = told.get((place, newer), ("unrelated", ""))
                labels.append(LABELS.index(PairLabel(label)))
                known.append((place, newer) in told or newer <= over_since.get(place, newer))
                partly.append(tag == "partial")
                stories.append(story["id"])
                older.append(place)
    where = (np.array(stories), np.array(older), np.array(known), np.array(partly))
    return Written(features_of(pairs), np.array(labels), *where)


def _over_since(pairs: Sequence[Sequence[Any]]) -> dict[int, int]:
    """The first turn that makes each turn untrue, by places."""
    since: dict[int, int] = {}
    for older, newer, label, _ in pairs:
        if PairLabel(label) in OVER:
            since[older] = min(newer, since.get(older, newer))
    return since


def _said(turn: dict[str, Any]) -> SaidText:
    day = datetime.fromisoformat(turn["date"]).replace(tzinfo=UTC)
    return SaidText(text=turn["text"], speaker=turn["speaker"], role=turn["role"], at=to_us(day))


class Spoken(NamedTuple):
    """Pairs of ordinary talk: their features, and the fold that each is in."""

    rows: NDArray[np.float64]
    folds: NDArray[np.int64]


def spoken(file: Path) -> Spoken:
    found = talk(file, TALK_LIVES, SEED)
    return Spoken(features_of(found.pairs), found.lives % FOLDS)


def learned(known: Written, chosen: NDArray[np.bool_], heard: NDArray[np.float64]) -> lightgbm.Booster:
    """Trees that learned from these written pairs and these of ordinary talk.

    Stories stretch over months and talk does not, which says nothing about either: each written pair is learned from
    twice, once as if it had been told at another pace.
    """
    rows = chosen & known.told
    written, labels = known.rows[rows], known.labels[rows]
    chance = np.random.default_rng(SEED)
    elsewhen = written.copy()
    elsewhen[:, _DAYS] = [np.log1p(int(days_drawn(chance))) for _ in elsewhen]
    unrelated = np.full(len(heard), LABELS.index(PairLabel.UNRELATED))
    weights = np.concatenate([np.full(2 * len(written), 0.5), np.full(len(heard), TALK_WEIGHT)])
    data = lightgbm.Dataset(
        np.concatenate([written, elsewhen, heard]), np.concatenate([labels, labels, unrelated]), weight=weights
    )
    return lightgbm.train(OPTIONS, data, ROUNDS)


def left_out(known: Written, groups: NDArray[Any], heard: Spoken) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sums of the trees for every pair, written and spoken, by trees that did not learn from its group or fold."""
    sums, sums_heard = np.zeros((len(known.labels), len(LABELS))), np.zeros((len(heard.rows), len(LABELS)))
    for number, group in enumerate(np.unique(groups)):
        out, unheard = groups == group, heard.folds == number % FOLDS
        trees = learned(known, ~out, heard.rows[~unheard])
        sums[out] = trees.predict(known.rows[out], raw_score=True)
        sums_heard[unheard] = trees.predict(heard.rows[unheard], raw_score=True)
    return sums, sums_heard


def probabilities(sums: NDArray[np.float64], scale: float, shifts: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(sums * scale + shifts)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def calibrated(
    sums: NDArray[np.float64], labels: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The scale and shifts under which the labels of what was not learned from are likeliest."""
    from scipy.optimize import minimize

    def loss(x: NDArray[np.float64]) -> float:
        found = probabilities(sums, x[0], x[1:])
        return float(-np.average(np.log(found[np.arange(len(labels)), labels] + 1e-12), weights=weights))

    best = minimize(loss, np.array([1.0, *np.zeros(len(LABELS))]), method="L-BFGS-B", options={"maxiter": 60}).x
    return float(best[0]), np.asarray(best[1:] - best[1:].mean())


def report(
    name: str, known: Written, over: NDArray[np.float64], heard: NDArray[np.float64], thresholds: Sequence[float]
) -> None:
    truth = np.isin(known.labels, _OVER)
    most: dict[tuple[str, int], float] = defaultdict(float)
    untrue: dict[tuple[str, int], bool] = defaultdict(bool)
    in_part: dict[tuple[str, int], bool] = defaultdict(bool)
    for at, key in enumerate(zip(known.stories, known.older.tolist(), strict=True)):
        most[key] = max(most[key], over[at])
        untrue[key] |= bool(truth[at])
        in_part[key] |= bool(known.partly[at])
    found = np.array(list(most.values()))
    gone = np.array([untrue[key] for key in most])
    whole = ~gone & ~np.array([in_part[key] for key in most])
    print(
        f"{name}: {len(set(known.stories))} stories, {len(truth)} pairs, {truth.sum()} over, AUC {auc(over, truth):.3f}"
    )
    for threshold in thresholds:
        taken = over >= threshold
        right = truth[taken].mean() if taken.any() else float("nan")
        print(
            f"  {threshold:.2f}: retired {(found[gone] >= threshold).mean():.3f} of {gone.sum()}, wrongly "
            f"{(found[~gone] >= threshold).mean():.4f} of {(~gone).sum()}, {(found[whole] >= threshold).mean():.4f} of "
            f"the {whole.sum()} that hold whole; of {taken.sum()} pairs {right:.2f} are over; in talk "
            f"{(heard >= threshold).mean():.5f} of {len(heard)}"
        )


def auc(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    order = np.argsort(np.argsort(scores)) + 1
    positive, negative = truth.sum(), (~truth).sum()
    return float((order[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def packed(model: lightgbm.Booster) -> dict[str, NDArray[Any]]:
    """The trees as arrays; a node without children leads to itself, so that every tree takes as many steps."""
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    nodes = [_nodes(tree) for tree in trees]
    size = max(len(each) for each in nodes)
    out: dict[str, NDArray[Any]] = {
        "feature": np.zeros((len(nodes), size), dtype=np.int64),
        "threshold": np.zeros((len(nodes), size)),
        "below": np.tile(np.arange(size), (len(nodes), 1)),
        "above": np.tile(np.arange(size), (len(nodes), 1)),
        "value": np.zeros((len(nodes), size)),
    }
    for number, each in enumerate(nodes):
        for place, (feature, threshold, below, above, value) in enumerate(each):
            out["feature"][number, place], out["threshold"][number, place] = feature, threshold
            out["below"][number, place], out["above"][number, place] = below, above
            out["value"][number, place] = value
    return out | {"depth": np.array(max(_depth(tree) for tree in trees))}


def _nodes(tree: dict[str, Any]) -> list[tuple[int, float, int, int, float]]:
    found: list[tuple[int, float, int, int, float]] = []

    def add(node: dict[str, Any]) -> int:
        place = len(found)
        found.append((0, 0.0, place, place, float(node.get("leaf_value", 0.0))))
        if "split_feature" in node:
            below, above = add(node["left_child"]), add(node["right_child"])
            found[place] = (int(node["split_feature"]), float(node["threshold"]), below, above, 0.0)
        return place

    add(tree)
    return found


def _depth(node: dict[str, Any]) -> int:
    return 1 + max(_depth(node["left_child"]), _depth(node["right_child"])) if "split_feature" in node else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--talk", type=Path, required=True, help="dataset.json of chitchat_dataset")
    parser.add_argument("--stories", type=Path, default=Path(__file__).parents[1] / "data")
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    arguments = parser.parse_args()
    known, heard = written(arguments.stories), spoken(arguments.talk)
    names = np.unique(known.stories)
    fold_of = dict(zip(names, np.random.default_rng(SEED).integers(0, FOLDS, len(names)), strict=True))
    sums, sums_heard = left_out(known, np.array([fold_of[story] for story in known.stories]), heard)
    scale, shifts = calibrated(
        np.concatenate([sums[known.told], sums_heard]),
        np.concatenate([known.labels[known.told], np.full(len(sums_heard), LABELS.index(PairLabel.UNRELATED))]),
        np.concatenate([np.ones(known.told.sum()), np.full(len(sums_heard), TALK_WEIGHT)]),
    )

    def over(found: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(probabilities(found, scale, shifts)[:, _OVER].sum(axis=1))

    thresholds = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)
    report("five folds", known, over(sums), over(sums_heard), thresholds)
    apart, apart_heard = left_out(known, known.writers, heard)
    report("each writer left out", known, over(apart), over(apart_heard), thresholds)
    kept: dict[str, Any] = packed(learned(known, known.told, heard.rows))
    np.savez_compressed(arguments.out, **kept, scale=np.array(scale), shifts=shifts, names=np.array(NAMES))
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
