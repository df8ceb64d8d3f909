"""Train the reader of questions: `python -m training.cross.train --start FOLDER --out FOLDER [--articles FILE]`.

The reader sees `[CLS] question [SEP] passage [SEP]` and says how likely it is that the passage answers the question. It
starts from a sentence encoder (`--start`); the word pieces and the lowest layers stay as they are. Each pass takes all
stories and a share of the articles, because a chat is what the reader is for.

`--hold-out` names writers whose stories are never learned from; `training.cross.measure` measures on them.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from training.body import Body, Words
from training.cross.readings import Reading, of_articles, of_stories, of_told, told
from training.stories import read, split

HEAD = "relevance"
TOLD = Path(__file__).with_name("told.jsonl")
QUESTION_MAX, PASSAGE_MAX = 32, 64  # word pieces
_DRAWN = 16  # batches that are sorted by length together
_WARM_UP = 0.06  # share of the steps
_HEAD_FASTER = 6.0  # the head starts from nothing
_LOG_EVERY = 50


def rows_of(words: Words, pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
    """`[CLS] question [SEP] passage [SEP]` as word pieces, both sides cut."""
    questions, passages = words.bare([q for q, _ in pairs]), words.bare([p for _, p in pairs])
    return [
        [words.cls, *question[:QUESTION_MAX], words.sep, *passage[:PASSAGE_MAX], words.sep]
        for question, passage in zip(questions, passages, strict=True)
    ]


def padded(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(map(len, rows))
    ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
    return ids, ids != 0


def batches(rows: Sequence[Sequence[int]], size: int, rng: random.Random) -> Iterator[list[int]]:
    """All places once, in batches of like lengths."""
    order = list(range(len(rows)))
    rng.shuffle(order)
    for start in range(0, len(order), _DRAWN * size):
        drawn = sorted(order[start : start + _DRAWN * size], key=lambda place: len(rows[place]))
        several = [drawn[at : at + size] for at in range(0, len(drawn), size)]
        rng.shuffle(several)
        yield from several


def freeze(body: Body, layers: int) -> None:
    for parameter in body.bert.embeddings.parameters():
        parameter.requires_grad_(False)
    for layer in body.bert.encoder.layer[:layers]:
        for parameter in layer.parameters():
            parameter.requires_grad_(False)


def learn(body: Body, words: Words, stages: Sequence[list[Reading]], options: argparse.Namespace) -> None:
    """One pass over each stage after another, under one falling rate."""
    rng = random.Random(options.seed)
    plan = []
    for readings in stages:
        rows = rows_of(words, [(each.question, each.passage) for each in readings])
        wanted = torch.tensor([float(each.answers) for each in readings])
        plan += [
            (padded([rows[place] for place in places]), wanted[places]) for places in batches(rows, options.batch, rng)
        ]
    head = list(body.heads[HEAD].parameters())
    rest = [parameter for parameter in body.bert.parameters() if parameter.requires_grad]
    rates = [options.rate, options.rate * _HEAD_FASTER]
    optimiser = torch.optim.AdamW([{"params": rest}, {"params": head}], lr=options.rate, weight_decay=0.01)
    body.train()
    began, lost = time.monotonic(), 0.0
    for step, ((ids, mask), wanted) in enumerate(plan):
        share = min((step + 1) / max(1, len(plan) * _WARM_UP), (len(plan) - step) / (len(plan) * (1 - _WARM_UP)), 1.0)
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * share
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16):
            said = body.read(HEAD, ids, mask)[:, 0]
        loss = binary_cross_entropy_with_logits(said, wanted)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*rest, *head], 1.0)
        optimiser.step()
        lost += float(loss.detach())
        if (step + 1) % _LOG_EVERY == 0:
            print(
                f"step {step + 1} of {len(plan)}: {lost / _LOG_EVERY:.4f}, {time.monotonic() - began:.0f} s", flush=True
            )
            lost = 0.0


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", type=Path, required=True, help="encoder to start from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--articles", type=Path, help="a file in the form of SQuAD 2.0")
    parser.add_argument("--stories", type=Path, default=Path(__file__).parents[1] / "data")
    parser.add_argument("--hold-out", nargs="*", default=[], help="writers that are never learned from")
    parser.add_argument("--frozen", type=int, default=3, help="layers that stay as they are")
    parser.add_argument("--passes", type=int, default=2, help="over the stories")
    parser.add_argument("--article-share", type=float, default=0.15, help="articles for each reading of a story")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    options = options_of(arguments)
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    words = Words(options.start)
    body = Body.load(options.start, words.sep)
    freeze(body, options.frozen)
    kept, _ = split(read(options.stories), options.hold_out)
    stories = of_stories(kept, body, words, options.seed) + of_told(told(TOLD), kept, options.seed)
    articles = of_articles(options.articles, options.seed) if options.articles else []
    print(f"{len(articles)} readings of articles, {len(stories)} of stories", flush=True)
    rng = random.Random(options.seed)
    count = min(len(articles), round(len(stories) * options.article_share))
    learn(body, words, [[*stories, *rng.sample(articles, count)] for _ in range(options.passes)], options)
    options.out.mkdir(parents=True, exist_ok=True)
    body.save(options.out, options.start)


if __name__ == "__main__":
    main(sys.argv[1:])
