"""Distil the encoder into the static table: `python -m training.static.train --english FILE --out FILE.npz`.

Starts from WordLlama's table and keeps its tokens. Texts learn to be as near to each other as the encoder has them, in
batches of which a part is about one thing; questions learn to find their turns; sentences in other languages
(`--parallel`) learn the place of their English translation. What was learned is then averaged with the start
(`--share`). `--hold-out` names writers whose stories are measured and never learned from.

docs/adr/0004 says what came of it. The file holds `rows` (int8) and `scales`, one for each row; nothing reads it yet.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding_bag, kl_div, log_softmax, normalize, softmax

from recollect.providers.embedders.minilm import MiniLmEmbedder
from recollect.providers.embedders.wordllama import MODEL, WordLlamaEmbedder, read_table
from training.corpora import lines, translations
from training.measure import Figures, found, ranks
from training.stories import Story, read, split

DATA = Path(__file__).parents[1] / "data"
SCALE = 20.0  # of a cosine before a softmax
_NEVER = -1e4
_CHARS_MAX = 320  # of a text: a table learns little from long ones, and the encoder is slow on them
_DRAWN = 6000  # texts of which the neighbours of a few are looked for
_ANCHORS = 4
_SEASON_TURNS = 16  # wrong turns that a question sees of a season
_WARM_UP = 50  # steps
_BYTE = 127


class Table:
    """Rows that are learned; a text's vector is the sum of its tokens' rows, scaled to length 1."""

    def __init__(self) -> None:
        spec = find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise SystemExit("pip install wordllama")
        halves = read_table(Path(spec.origin).parent / "weights" / f"{MODEL}.safetensors")
        start = torch.from_numpy(halves.take(range(halves.shape[0])))
        self.unit = float(start.norm(dim=1).median()) / 4  # steps of one size suit rows of about this length
        self.start = start / self.unit
        self.rows = self.start.clone().requires_grad_()
        self._ids = WordLlamaEmbedder().token_ids

    def bags(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._ids(text) or [0] for text in texts]

    def embed(self, bags: Sequence[Sequence[int]], rows: Tensor | None = None) -> Tensor:
        ids = torch.tensor([row for bag in bags for row in bag])
        counts = torch.tensor([len(bag) for bag in bags])
        starts = torch.cumsum(counts, 0) - counts
        table, learns = (self.rows, True) if rows is None else (rows, False)
        return normalize(embedding_bag(ids, table, starts, mode="sum", sparse=learns), dim=1)

    def averaged(self, share: float) -> NDArray[np.float32]:
        """The start and what was learned, as one table of the start's length."""
        mixed = (1 - share) * self.start + share * self.rows.detach()
        return np.asarray((mixed * self.unit).numpy(), dtype=np.float32)


class Nearness:
    """Texts are as near to each other as the encoder has them, and a little as the start has them."""

    def __init__(self, table: Table, texts: Sequence[str], wanted: Tensor, options: argparse.Namespace) -> None:
        self.table, self.wanted, self.options = table, wanted, options
        self.bags = table.bags(texts)
        self.rng = np.random.default_rng(options.seed)

    def loss(self) -> Tensor:
        options, rng = self.options, self.rng
        drawn = rng.integers(len(self.bags), size=min(_DRAWN, len(self.bags)))
        close = int(options.batch * options.near) // _ANCHORS
        nearest = torch.topk(self.wanted[drawn] @ self.wanted[drawn[:_ANCHORS]].T, close, dim=0).indices.flatten()
        places = np.unique(np.concatenate([drawn[nearest.numpy()], drawn[: options.batch - close * _ANCHORS]]))
        bags = [self._thinned(self.bags[place]) for place in places]
        made, wanted = self.table.embed(bags), self.wanted[places]
        with torch.no_grad():
            before = self.table.embed(bags, self.table.start)
            target = (1 - options.keep) * wanted @ wanted.T + options.keep * before @ before.T
        itself = torch.eye(len(places), dtype=torch.bool)
        cosines = made @ made.T
        apart = (cosines - target)[~itself].square().mean()
        ours = log_softmax((SCALE * cosines).masked_fill(itself, _NEVER), -1)
        theirs = softmax((SCALE * target).masked_fill(itself, _NEVER), -1)
        return SCALE * apart + kl_div(ours, theirs, reduction="batchmean")

    def _thinned(self, bag: list[int]) -> list[int]:
        """Without some of its tokens: no text hangs on one of them."""
        kept = [row for row, chance in zip(bag, self.rng.random(len(bag)), strict=True) if chance >= self.options.drop]
        return kept or bag


class TableAnswers:
    """A question finds the turn that answers it, among the turns of the stories in the batch."""

    def __init__(self, table: Table, stories: Sequence[Story], batch: int, seed: int) -> None:
        self.table, self.batch, self.rng = table, batch, np.random.default_rng(seed)
        self.turns: list[list[int]] = []
        self.asked: list[tuple[list[int], list[int], set[int], list[int]]] = []
        for story in stories:
            start = len(self.turns)
            self.turns += table.bags([turn.text for turn in story.turns])
            for question in story.answerable():
                right = [start + place for place in sorted(question.evidence)]
                unsure = {start + place for place in question.outdated} - set(right)
                others = [p for p in range(start, len(self.turns)) if p not in unsure and p not in right]
                self.asked.append((table.bags([question.text])[0], right, unsure, others))

    def loss(self) -> Tensor:
        chosen = [self.asked[place] for place in self.rng.integers(len(self.asked), size=self.batch)]
        pool: dict[int, int] = {}
        for _, right, _, others in chosen:
            few = self.rng.permutation(others)[:_SEASON_TURNS].tolist()
            for place in (*right, *few):
                pool.setdefault(place, len(pool))
        is_right = torch.zeros(len(chosen), len(pool), dtype=torch.bool)
        is_unsure = torch.zeros_like(is_right)
        for row, (_, right, unsure, _) in enumerate(chosen):
            is_right[row, [pool[place] for place in right]] = True
            is_unsure[row, [pool[place] for place in unsure if place in pool]] = True
        asked = self.table.embed([question for question, _, _, _ in chosen])
        scores = SCALE * asked @ self.table.embed([self.turns[place] for place in pool]).T
        scores = scores.masked_fill(is_unsure, _NEVER)
        return (scores.logsumexp(-1) - scores.masked_fill(~is_right, _NEVER).logsumexp(-1)).mean()


def learn(table: Table, nearness: Nearness, answers: TableAnswers, options: argparse.Namespace) -> None:
    optimizer = torch.optim.SparseAdam([table.rows], lr=options.rate)
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1.0, (step + 1) / _WARM_UP) * max(0.05, 1 - step / options.steps)
        near, answered = nearness.loss(), answers.loss()
        optimizer.zero_grad()
        (near + options.answers * answered).backward()
        optimizer.step()
        if (step + 1) % 100 == 0:
            print(json.dumps({"step": step + 1, "near": near.item(), "answers": answered.item()}), flush=True)


def figures(table: Table, rows: NDArray[np.float32], stories: Sequence[Story]) -> Figures:
    """Questions against all turns of their story, cosine alone."""
    places = []
    for story in stories:
        turns = table.embed(table.bags([turn.text for turn in story.turns]), torch.from_numpy(rows))
        for question in story.answerable():
            asked = table.embed(table.bags([question.text]), torch.from_numpy(rows))
            places.append(ranks((asked @ turns.T).numpy(), [sorted(question.evidence)])[0])
    return found(np.array(places), "held out") if places else {}


def texts_of(options: argparse.Namespace) -> tuple[list[str], list[int]]:
    """What is learned from, and for each text the place of the one whose vector it shall have."""
    texts = [text for path in options.english for text in lines(path) if len(text) <= _CHARS_MAX]
    own = list(range(len(texts)))
    if options.parallel:
        found_pairs = translations(options.parallel, texts, options.seed)  # adds its English sentences to the texts
        own = [*range(len(texts)), *found_pairs.english]
        texts = [*texts, *found_pairs.others]
    return texts, own


def rounded(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Whole numbers and a scale for each row."""
    scales = (np.abs(rows).max(axis=1, keepdims=True) / _BYTE).astype(np.float16)
    steps = np.rint(rows / np.where(scales == 0, 1, scales).astype(np.float32))
    return steps.clip(-_BYTE, _BYTE).astype(np.int8), scales[:, 0]


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--english", type=Path, nargs="+", required=True, help="one text a line")
    parser.add_argument("--parallel", type=Path, help="translations, as training.corpora reads them")
    parser.add_argument("--teacher", default="", help="a folder that training/encoder/export.py wrote")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--hold-out", nargs="*", default=[])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=384)
    parser.add_argument("--rate", type=float, default=0.007)
    parser.add_argument("--near", type=float, default=0.5, help="share of a batch that is about few things")
    parser.add_argument("--keep", type=float, default=0.3, help="how much the start has to say beside the encoder")
    parser.add_argument("--drop", type=float, default=0.1, help="share of tokens that a text goes without")
    parser.add_argument("--answers", type=float, default=0.3, help="weight of questions and their turns")
    parser.add_argument("--share", type=float, default=0.6, help="of what was learned, in the average with the start")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    options = options_of(arguments)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    kept, held = split(read(DATA), options.hold_out)
    texts, own = texts_of(options)
    taught = max(own) + 1  # those behind are translations, and have the vector of their English sentence
    wanted = torch.from_numpy(MiniLmEmbedder(options.teacher).embed(texts[:taught]))[own]
    table = Table()
    print(json.dumps({"texts": len(texts)} | figures(table, table.averaged(0.0), held)), flush=True)
    learn(table, Nearness(table, texts, wanted, options), TableAnswers(table, kept, 48, options.seed), options)
    for share in (1.0, options.share):
        print(json.dumps({"share": share} | figures(table, table.averaged(share), held)), flush=True)
    rows, scales = rounded(table.averaged(options.share))
    np.savez(options.out, rows=rows, scales=scales)


if __name__ == "__main__":
    main(sys.argv[1:])
