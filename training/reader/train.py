"""Train the reader of pairs: `python -m training.reader.train --start FOLDER --out FOLDER`.

The reader says what a newer text does to an older one: *replaces, ends, corrects, adds, restates, unrelated*. It starts
from an encoder (`--start`, in the form of sentence-transformers), which may already hold a practised head.

Every figure is of stories that were not learned from: five folds by story, and the writers named by `--hold-out`, who
are left out of the folds altogether. The temperature that makes the probabilities honest is fitted on the folds. The
weights that are saved learned from all stories but those of the writers held out.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from training import measure
from training.body import Body, Words
from training.encoder.train import train
from training.stories import LABELS, Story, folds, read, split
from training.tasks import Draw, Relations

FOLDS = 5
CALIBRATION = "reader.json"
_TEMPERATURES = np.geomspace(0.3, 5.0, 60)


def learned(start: Body, words: Words, stories: Sequence[Story], options: argparse.Namespace) -> Body:
    """A copy of the body that has learned from the stories."""
    device = next(start.parameters()).device
    body = copy.deepcopy(start)
    draw = Draw(options.seed, device)
    steps = round(
        options.epochs * sum(len(story.pairs) for story in stories) / (options.pairs * (1 - options.unlisted))
    )
    relations = Relations(stories, words, draw, options.pairs, options.unlisted)
    train(body, {"relations": (1.0, relations)}, steps=steps, rate=options.rate, log_every=1000)
    return body


def together(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def temperature_of(logits: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """The divisor of the logits under which the labels are likeliest."""
    rows = np.arange(len(labels))
    losses = [-np.log(measure.softmax(logits / t)[rows, labels] + 1e-12).mean() for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])


def report(said: dict[str, NDArray[Any]], temperature: float) -> dict[str, measure.Figures]:
    """Figures of everything, and of each language."""
    probabilities = measure.softmax(said["logits"] / temperature)
    told = {"all": measure.reading(probabilities, said["labels"], said["listed"])}
    for language in sorted(set(said["language"])):
        of = said["language"] == language
        told[language] = measure.reading(probabilities[of], said["labels"][of], said["listed"][of])
    return told


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", type=Path, required=True, help="encoder to start from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stories", type=Path, default=Path(__file__).parents[1] / "data")
    parser.add_argument("--hold-out", nargs="*", default=[], help="writers that are measured only")
    parser.add_argument("--epochs", type=float, default=6)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--pairs", type=int, default=96, help="pairs in a step")
    parser.add_argument("--unlisted", type=float, default=0.3, help="share of unlisted pairs in a step")
    parser.add_argument("--folds", type=int, default=FOLDS, help="0 leaves the folds out")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    options = options_of(arguments)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    words = Words(options.start)
    start = Body.load(options.start, words.sep).to(device)
    told = [story for story in read(options.stories) if story.pairs]
    kept, held = split(told, options.hold_out)
    card: dict[str, Any] = {"labels": LABELS, "temperature": 1.0, "figures": {}}
    options.out.mkdir(parents=True, exist_ok=True)
    if options.folds:
        parts = []
        for known, unknown in folds(kept, options.folds, options.seed):
            parts.append(measure.pair_logits(learned(start, words, known, options), words, unknown, device))
        said = together(parts)
        card["temperature"] = temperature_of(said["logits"], said["labels"])
        card["figures"]["folds"] = report(said, card["temperature"])
        np.savez_compressed(options.out / "folds.npz", **said)
    body = learned(start, words, kept, options)
    if held:
        said = measure.pair_logits(body, words, held, device)
        card["figures"]["held out"] = report(said, card["temperature"])
        np.savez_compressed(options.out / "held.npz", **said)
    body.save(options.out, options.start)
    words.save(options.out)
    (options.out / CALIBRATION).write_text(json.dumps(card, indent=2), "utf-8")
    print(json.dumps(card["figures"]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
