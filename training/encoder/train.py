"""Train the encoder: `python -m training.encoder.train --start FOLDER --out FOLDER --english FILE [--parallel FILE]`.

Two passes over a body that starts from published weights (`--start`, in the form of sentence-transformers):

1. *widen* (`--wide-steps`): sentences in other languages learn the vector of their English translation while English
   keeps its own; a head practises comparing two texts.
2. *learn* (`--steps`): written questions find their turns, the heads learn to read pairs, and both corpora are
   rehearsed, so that nothing of the first pass is lost.

`--hold-out` names writers whose stories are measured and never learned from.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import torch

from training import measure
from training.body import Body, Words, quick
from training.corpora import Translations, chances, lines, new_words, translations, vectors
from training.stories import Story, read, sentences, split
from training.tasks import Answers, Draw, Keep, Languages, Likeness, Relations, Relevance, Task

_WARM_UP = 0.06  # share of the steps
_CLIP = 1.0


def train(
    body: Body,
    tasks: Mapping[str, tuple[float, Task]],
    *,
    steps: int,
    rate: float,
    minutes: float = math.inf,
    log_every: int = 200,
) -> None:
    """Takes `steps` steps of AdamW over the weighted sum of the tasks' losses, fewer where `minutes` end before."""
    device = next(body.parameters()).device
    decayed = [p for p in body.parameters() if p.ndim > 1]
    plain = [p for p in body.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
        lr=rate,
        betas=(0.9, 0.98),
        eps=1e-6,
        fused=device.type == "cuda",
    )
    body.train()
    began = time.monotonic()
    for step in range(steps):
        left = min((steps - step) / steps, 1 - (time.monotonic() - began) / (60 * minutes))
        if left <= 0:
            break
        share = min((step + 1) / max(1, steps * _WARM_UP), left / (1 - _WARM_UP))
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, share)
        losses = {}
        optimiser.zero_grad(set_to_none=True)
        for name, (weight, task) in tasks.items():
            with quick(device):
                loss = task.loss(body)
            (weight * loss).backward()
            losses[name] = loss.detach()
        torch.nn.utils.clip_grad_norm_(body.parameters(), _CLIP)
        optimiser.step()
        if step % log_every == 0 or step == steps - 1:
            told = " ".join(f"{name} {float(loss):.3f}" for name, loss in losses.items())
            print(f"step {step} {told} {time.monotonic() - began:.0f} s", flush=True)


class Corpus:
    """Everything the tasks draw from, as word pieces on the device, with the published weights' vectors."""

    def __init__(self, options: argparse.Namespace, stories: list[Story], device: torch.device) -> None:
        self.device = device
        self.words = Words(options.start)
        english = [s for s in stories if s.language == "en"]
        written = [turn.text for story in english for turn in story.turns]
        written += [part for text in written for part in sentences(text)]
        written += [question.text for story in english for question in story.questions]
        read = lines(options.english)
        if len(read) > options.english_max:
            read = random.Random(options.seed).sample(read, options.english_max)
        self.texts = list(dict.fromkeys([*written, *read]))
        self.translated: Translations | None = None
        if options.parallel:
            self.translated = translations(
                options.parallel, self.texts, options.seed, options.languages, options.translations_max
            )
        published = Body.load(options.start, self.words.sep).to(device)
        self.teacher = vectors(published, self.words.texts(self.texts, device))
        print(f"{len(self.texts)} English texts", flush=True)
        self.body = Body.load(options.start, self.words.sep)
        if options.new_words and self.translated:
            self._widen_vocabulary(options.new_words)
        self.body.to(device)
        self.english = self.words.texts(self.texts, device)
        if self.translated:
            self.others = self.words.texts(self.translated.others, device)
            self.other_english = torch.tensor(self.translated.english, device=device)
            self.chances = chances(self.translated.languages)
            print(f"{len(self.translated.others)} translations", flush=True)

    def _widen_vocabulary(self, count: int) -> None:
        """New words start as the mean of the pieces that they were cut into."""
        assert self.translated
        added = new_words(self.words, self.translated.others, count)
        old = self.words.bare(added)
        table = self.body.bert.embeddings.word_embeddings.weight.detach()
        rows = torch.stack([table[row].mean(0) for row in old])
        self.words.add(added)
        self.body.bert.embeddings.word_embeddings = torch.nn.Embedding.from_pretrained(
            torch.cat([table, rows]), freeze=False, padding_idx=0
        )
        self.body.bert.config.vocab_size = len(table) + len(added)

    def keep(self, draw: Draw, batch: int) -> Keep:
        return Keep(self.english, self.teacher, draw, batch)

    def languages(self, draw: Draw, batch: int) -> Languages:
        return Languages(self.others, self.teacher, self.other_english, self.chances, draw, batch)

    def likeness(self, draw: Draw, batch: int) -> Likeness:
        rows = self.words.bare(self.texts)
        own = list(range(len(rows)))
        if self.translated:
            rows += self.words.bare(self.translated.others)
            own += self.translated.english
        rows = [row[:48] for row in rows]
        return Likeness(rows, self.teacher, torch.tensor(own, device=self.device), self.words, draw, batch)


def widen(corpus: Corpus, options: argparse.Namespace) -> None:
    """The first pass."""
    draw = Draw(options.seed + 1, corpus.device)
    tasks: dict[str, tuple[float, Task]] = {"keep": (1.0, corpus.keep(draw, options.kept or options.batch))}
    if corpus.translated:
        tasks["languages"] = (1.0, corpus.languages(draw, options.batch))
    if options.likeness:
        tasks["likeness"] = (options.likeness, corpus.likeness(draw, options.batch // 2))
    train(corpus.body, tasks, steps=options.wide_steps, rate=options.wide_rate, minutes=options.wide_minutes)


def learn(corpus: Corpus, body: Body, stories: list[Story], options: argparse.Namespace) -> None:
    """The second pass."""
    draw = Draw(options.seed + 2, corpus.device)
    tasks: dict[str, tuple[float, Task]] = {"keep": (options.keep, corpus.keep(draw, options.rehearsed))}
    if corpus.translated:
        tasks["languages"] = (options.keep, corpus.languages(draw, options.rehearsed))
    if options.answers:
        tasks["answers"] = (options.answers, Answers(stories, corpus.words, draw, options.asked))
    if options.relations:
        told = [story for story in stories if story.pairs]
        tasks["relations"] = (options.relations, Relations(told, corpus.words, draw, options.pairs, options.unlisted))
    if options.relevance:
        tasks["relevance"] = (options.relevance, Relevance(stories, corpus.words, draw, options.asked // 2))
    train(body, tasks, steps=options.steps, rate=options.rate, minutes=options.minutes, log_every=100)


def figures(corpus: Corpus, body: Body, held: list[Story]) -> measure.Figures:
    """By cosine alone, on what was held back."""
    body.eval()
    kinds = {
        "stories": [s for s in held if not s.is_season and s.language == "en"],
        "stories, other languages": [s for s in held if not s.is_season and s.language != "en"],
        "seasons": [s for s in held if s.is_season and s.language == "en"],
        "seasons, other languages": [s for s in held if s.is_season and s.language != "en"],
    }
    told: measure.Figures = {}
    for name, part in kinds.items():
        told |= measure.retrieval(body, corpus.words, part, name, corpus.device)
    if corpus.translated:
        told |= measure.across(body, corpus.words, corpus.translated.held, corpus.device)
    return told


def options_of(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", type=Path, required=True, help="published weights")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stories", type=Path, default=Path(__file__).parents[1] / "data")
    parser.add_argument("--english", type=Path, required=True, help="English texts, one a line")
    parser.add_argument("--parallel", type=Path, help="translations; without them English alone is trained")
    parser.add_argument("--languages", nargs="*", default=[], help="of the translations, as `deu`; all without it")
    parser.add_argument("--translations-max", type=int, default=10**9, help="of each language")
    parser.add_argument("--english-max", type=int, default=10**9, help="texts of --english")
    parser.add_argument("--hold-out", nargs="*", default=[], help="writers that are measured only")
    parser.add_argument("--new-words", type=int, default=0, help="words of other languages added to the vocabulary")
    parser.add_argument("--batch", type=int, default=768)
    parser.add_argument("--kept", type=int, default=0, help="English texts in a step of the first pass, if not --batch")
    parser.add_argument(
        "--rehearsed", type=int, default=512, help="texts of either corpus in a step of the second pass"
    )
    parser.add_argument("--asked", type=int, default=48, help="questions in a step of the second pass")
    parser.add_argument("--pairs", type=int, default=96, help="pairs in a step of the second pass")
    parser.add_argument("--wide-steps", type=int, default=4000)
    parser.add_argument("--wide-minutes", type=float, default=math.inf, help="after which the first pass ends")
    parser.add_argument("--wide-rate", type=float, default=2e-4)
    parser.add_argument("--likeness", type=float, default=0.5, help="weight of practice in comparing; 0 leaves it out")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which the second pass ends")
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--keep", type=float, default=1.0, help="weight of rehearsal in the second pass")
    parser.add_argument("--answers", type=float, default=1.0)
    parser.add_argument("--relations", type=float, default=0.0, help="weight of the pair head; 0 leaves it out")
    parser.add_argument("--unlisted", type=float, default=0.3, help="share of unlisted pairs in a batch")
    parser.add_argument("--relevance", type=float, default=0.0, help="weight of the relevance head; 0 leaves it out")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> None:
    options = options_of(arguments)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kept, held = split(read(options.stories), options.hold_out)
    corpus = Corpus(options, kept, device)
    print(json.dumps(figures(corpus, corpus.body, held)), flush=True)
    if options.wide_steps:
        widen(corpus, options)
        print(json.dumps(figures(corpus, corpus.body, held)), flush=True)
    learn(corpus, corpus.body, kept, options)
    print(json.dumps(figures(corpus, corpus.body, held)), flush=True)
    corpus.body.save(options.out, options.start)
    corpus.words.save(options.out)


if __name__ == "__main__":
    main(sys.argv[1:])
