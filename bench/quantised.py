"""`python -m bench.quantised`: what coarser vectors lose, on sentences that people wrote.

Vectors are those of the shipped encoder and of the static model for the turns of LoCoMo, and for sentences of REALTALK
and BEAM (development parts). Kept: of the ten nearest by exact comparison, how many are found. R@10: of the turns that
answer LoCoMo's questions, how many are among the ten nearest of their conversation by vectors alone. Lost: the
difference to exact, in percent of it.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.measure import Stopwatch
from bench.quality import sets
from bench.quality.rankers import shown
from recollect.config.storage import IndexSettings
from recollect.index.base import BackendChoice, VectorIndex
from recollect.index.columns import ColumnRow, Columns
from recollect.index.vector.codes import coding
from recollect.index.vector.registry import BACKENDS, IndexPlace, bytes_per_vector
from recollect.language.packed import packed_sentences
from recollect.providers.registry import make_embedder

MODELS = ("minilm", "static")
ROWS = 30_000
ASKED = 500  # sentences whose neighbours are looked for
_K = 10
_BATCH_TEXTS = 256
_SENTENCE_CHARS = range(15, 300)
Rows = NDArray[np.float32]


class Corpus(NamedTuple):
    texts: list[str]  # turns of LoCoMo first
    talks: list[int]  # whose turn each is, from 1; 0 for what is no turn of LoCoMo
    questions: list[str]
    asked_in: list[int]
    gold: list[frozenset[int]]  # rows that answer each question


def corpus(rows: int) -> Corpus:
    """Turns and sentences, each once, and the questions about the turns."""
    found = Corpus([], [], [], [], [])
    for number, talk in enumerate(sets.load("locomo"), start=1):
        at = {turn.id: len(found.texts) + place for place, turn in enumerate(talk.turns)}
        found.texts.extend(shown(turn) for turn in talk.turns)
        found.talks.extend([number] * len(talk.turns))
        for question in talk.questions:
            gold = frozenset(at[id_] for id_ in question.gold if id_ in at)
            if question.answerable and gold:
                found.questions.append(question.text)
                found.asked_in.append(number)
                found.gold.append(gold)
    others = (talk for name in ("realtalk", "beam100k", "beam500k") for talk in sets.load(name))
    parts = (part.strip() for talk in others for turn in talk.turns for part in packed_sentences(turn.text))
    fresh = dict.fromkeys(part for part in parts if len(part) in _SENTENCE_CHARS)
    found.texts.extend(itertools.islice(fresh, max(0, rows - len(found.texts))))
    found.talks.extend([0] * (len(found.texts) - len(found.talks)))
    return found


def measured(model: str, of: Corpus, folder: Path) -> list[tuple[str, ...]]:
    """A line for each choice: name, bytes in memory, kept, lost, R@10, lost, milliseconds."""
    rows, questions = embedded(model, of.texts), embedded(model, of.questions)
    columns = Columns()
    columns.apply(
        [ColumnRow(pk, talk, "fact", "x", None, 0, None, None, "longterm") for pk, talk in enumerate(of.talks, 1)], []
    )
    everything = columns.select(scope_pks=None, now=0)
    inside = {talk: columns.select(scope_pks=[talk], now=0) for talk in set(of.asked_in)}
    asked = rows[np.random.default_rng(1).choice(len(rows), ASKED, replace=False)]
    near = [set((np.argpartition(-(rows @ query), _K)[:_K] + 1).tolist()) for query in asked]

    def figures(index: VectorIndex) -> tuple[float, float, float]:
        watch = Stopwatch()
        found = [set(index.search(query, limit=_K, among=everything).pks.tolist()) for query in asked]
        took = watch.ms / len(asked)
        kept = sum(len(one & other) for one, other in zip(near, found, strict=True)) / (_K * len(asked))
        recalls = []
        for query, talk, gold in zip(questions, of.asked_in, of.gold, strict=True):
            top = index.search(query, limit=_K, among=inside[talk]).pks.tolist()
            recalls.append(len(gold & {pk - 1 for pk in top}) / len(gold))
        return kept, sum(recalls) / len(recalls), took

    lines: list[tuple[str, ...]] = []
    exact = 0.0
    for choice in _choices():
        body = BACKENDS[choice.backend].make(choice, rows.shape[1], IndexSettings(), IndexPlace(folder, model))
        for start in range(0, len(rows), 4_096):
            block = rows[start : start + 4_096]
            body.apply((np.arange(start + 1, start + len(block) + 1), block), [])
        kept, recall, took = figures(body)
        body.close()
        exact = exact or recall
        size = bytes_per_vector(choice, rows.shape[1])
        lines.append((str(choice), f"{size}", *_percent(kept, recall, exact), f"{took:.2f}"))
    for name in ("pq", "binary"):
        kept, recall = _without_a_closer_look(name, rows, asked, near, questions, of)
        lines.append((f"{name} alone", "", *_percent(kept, recall, exact), ""))
    return lines


def _choices() -> list[BackendChoice]:
    flat = [BackendChoice("flat", precision) for precision in ("f32", "f16", "i8", "pq", "binary")]
    graphs = [BackendChoice("usearch", precision) for precision in ("f16", "i8")]
    return [*flat, *graphs, BackendChoice("faiss", "i8"), BackendChoice("sqlite-vec", "i8")]


def _without_a_closer_look(
    name: str, rows: Rows, asked: Rows, near: list[set[int]], questions: Rows, of: Corpus
) -> tuple[float, float]:
    """What codes find that are never checked."""
    coded = coding(name, rows.shape[1])
    coded.train(rows[np.random.default_rng(2).choice(len(rows), 8_192, replace=False)])
    codes = coded.encode(rows)
    found = [set((np.argsort(coded.distances(query, codes), kind="stable")[:_K] + 1).tolist()) for query in asked]
    kept = sum(len(one & other) for one, other in zip(near, found, strict=True)) / (_K * len(asked))
    talks, recalls = np.array(of.talks), []
    for query, talk, gold in zip(questions, of.asked_in, of.gold, strict=True):
        at = np.flatnonzero(talks == talk)
        top = at[np.argsort(coded.distances(query, codes[:, at]), kind="stable")[:_K]]
        recalls.append(len(gold.intersection(top.tolist())) / len(gold))
    return kept, sum(recalls) / len(recalls)


def _percent(kept: float, recall: float, exact: float) -> tuple[str, ...]:
    return (f"{kept:.4f}", f"{100 * (1 - kept):.2f} %", f"{recall:.4f}", f"{100 * (1 - recall / exact):.2f} %")


def embedded(model: str, texts: list[str]) -> Rows:
    """Vectors of texts by a model that ships."""
    embedder = make_embedder(model)
    assert embedder is not None
    return np.concatenate([embedder.embed(texts[at : at + _BATCH_TEXTS]) for at in range(0, len(texts), _BATCH_TEXTS)])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.quantised", description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--model", choices=MODELS, action="append")
    options = parser.parse_args()
    of = corpus(options.rows)
    for model in options.model or MODELS:
        table = Table(title=f"{model}: {len(of.texts):,} vectors, {len(of.questions)} questions", title_justify="left")
        for heading in ("what", "bytes in memory", "kept", "lost", "R@10", "lost", "ms"):
            table.add_column(heading, justify="left" if heading == "what" else "right")
        with tempfile.TemporaryDirectory(prefix="recollect-quantised-") as folder:
            for line in measured(model, of, Path(folder)):
                table.add_row(*line)
        Console(width=110).print(table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
