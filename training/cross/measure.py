"""Measure the reader on writers it did not learn from: `python -m training.cross.measure FOLDER --hold-out w3 w6`.

A question is judged by the best of the turns that are nearest by the encoder (`--encoder`). Prints the AUROC of
answerable against unanswerable questions by their words alone, by the reader, and by the sum of both; what a search
would refuse; and how often it would refuse a question though a turn that answers it was told (`told.jsonl`), which
words alone cannot know.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from recollect.config.reading import RankingSettings
from recollect.recall.ranking.abstain import READ_BELOW, READ_ROWS, UNREAD_MIDDLE, UNREAD_STEEPNESS
from training.body import Body, Words
from training.cross.questions import fitted, odds
from training.cross.readings import shown, told
from training.cross.train import HEAD, TOLD, padded, rows_of
from training.measure import auc, embedded
from training.stories import Story, read, split

_BATCH = 64
_BAR = RankingSettings().abstain_below
_ODDS_MIN = UNREAD_MIDDLE + math.log(_BAR / (1 - _BAR)) / UNREAD_STEEPNESS  # below these a search abstains


def log_odds(body: Body, words: Words, pairs: list[tuple[str, str]]) -> NDArray[np.float64]:
    """What the reader says of questions and passages."""
    rows = rows_of(words, pairs)
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    found = np.zeros(len(rows))
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            ids, mask = padded([rows[place] for place in places])
            found[places] = body.read(HEAD, ids, mask)[:, 0].float().numpy()
    return found


def judged(
    body: Body, words: Words, encoder: Body, stories: list[Story], weights: dict[str, Any]
) -> dict[str, NDArray[Any]]:
    """For each question: odds by words, the reader's best, whether it is answered, and the reader's best once told."""
    answers = {(each.story, each.question): each.text for each in told(TOLD)}
    device = torch.device("cpu")
    rows: dict[str, list[Any]] = {"words": [], "reader": [], "answerable": [], "told": []}
    for story in stories:
        turns = embedded(encoder, words, [turn.text for turn in story.turns], device)
        asked = embedded(encoder, words, [question.text for question in story.questions], device)
        for question, cosines in zip(story.questions, asked @ turns.T, strict=True):
            passages = [shown(story.turns[place]) for place in cosines.argsort()[::-1][:READ_ROWS].tolist()]
            answer = answers.get((story.id, question.text))
            if answer:
                passages.append(f"{story.turns[0].speaker}: {answer}")
            said = log_odds(body, words, [(question.text, passage) for passage in passages])
            rows["words"].append(odds(weights, question.text))
            rows["reader"].append(said[:READ_ROWS].max())
            rows["answerable"].append(bool(question.evidence))
            rows["told"].append(max(said[-1], said[: READ_ROWS - 1].max()) if answer else np.nan)
    return {name: np.array(values) for name, values in rows.items()}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="that `training.cross.train` wrote")
    parser.add_argument("--encoder", type=Path, required=True, help="in the form of sentence-transformers")
    parser.add_argument("--stories", type=Path, default=Path(__file__).parents[1] / "data")
    parser.add_argument("--hold-out", nargs="+", required=True, help="writers that the reader never learned from")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    known, held = split(read(options.stories), options.hold_out)
    asked = [question for story in known for question in story.questions]
    weights = fitted([question.text for question in asked], [bool(question.evidence) for question in asked])
    words = Words(options.folder)
    body, encoder = (Body.load(folder, words.sep).eval() for folder in (options.folder, options.encoder))
    for writer in options.hold_out:
        of = judged(body, words, encoder, [story for story in held if story.writer == writer], weights)
        has, both = of["answerable"], of["words"] + of["reader"]
        refused = (of["words"] < READ_BELOW) & (both < _ODDS_MIN)
        once_told = (of["words"] < READ_BELOW) & (of["words"] + of["told"] < _ODDS_MIN)
        print(f"{writer}: {has.sum()} answerable, {(~has).sum()} not")
        by = {"words": of["words"], "reader": of["reader"], "both": both}
        print("  AUROC:", ", ".join(f"{name} {auc(values, has):.3f}" for name, values in by.items()))
        print(f"  refused {refused[has].mean():.3f}, flagged {refused[~has].mean():.3f}, ", end="")
        print(f"refused though told {once_told[~np.isnan(of['told'])].mean():.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
