"""What vectors give away, and what a secret rotation leaves of that.

Somebody has the encoder and texts of their own, and got hold of vectors of other people's texts. Two inverters, made
from the texts they have, name the words of the others: a linear map from vectors to words, and the words of the nearest
texts. They are tried on plain vectors, then on vectors as an untrusted back end gets them, turned and in 8 bits.
Then with help: the main directions of both sets of vectors lined up, and so many vectors whose texts are known.

    python -m bench.quality.inversion

Words are content words that occur in the texts at hand at least three times; of a text with m of them, m are named.
Known texts are REALTALK's, the others are LoCoMo's: no person and no conversation is in both.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import recollect
from bench.quality import sets
from recollect.config.guarding import SecuritySettings
from recollect.facade.handle import engine_of
from recollect.index.vector.flat import FlatVectors
from recollect.language.terms import query_terms
from recollect.security.projection import Projections, quantised
from recollect.security.untrusted import UntrustedVectors

Vectors = NDArray[np.float32]
_RIDGE = 1.0
_WORD_COUNT_MIN = 3
_FREQUENT = 50  # words left out: they are guessed without any vector
_RECALL_AT = 10
_PAIRS = (16, 64, 256, 512)


class Inverter:
    """Names the words of a text by its vector, having seen texts and vectors of others."""

    def __init__(self, texts: Sequence[str], vectors: Vectors) -> None:
        self._words = [set(query_terms(text)) for text in texts]
        counts = Counter(word for words in self._words for word in words)
        known = [word for word, count in counts.most_common()[_FREQUENT:] if count >= _WORD_COUNT_MIN]
        self.vocabulary = {word: at for at, word in enumerate(known)}
        held = np.zeros((len(texts), len(known)), dtype=np.float32)
        for row, words in enumerate(self._words):
            held[row, [self.vocabulary[word] for word in words if word in self.vocabulary]] = 1.0
        self._mean, self._often = vectors.mean(axis=0), held.mean(axis=0)
        centred = vectors - self._mean
        square = centred.T @ centred + _RIDGE * np.eye(vectors.shape[1], dtype=np.float32)
        self._weights = np.linalg.solve(square, centred.T @ (held - self._often))
        self._known, self._held = vectors, held

    def linear(self, texts: Sequence[str], vectors: Vectors) -> float:
        """The share of words recovered by the linear map."""
        return self._recovered(texts, (vectors - self._mean) @ self._weights + self._often)

    def nearest(self, texts: Sequence[str], vectors: Vectors) -> float:
        """The share recovered by the words of the nearest texts, the nearer the more they count."""
        near = np.maximum(vectors @ self._known.T, 0.0) ** 8
        return self._recovered(texts, near @ self._held)

    def blind(self, texts: Sequence[str]) -> float:
        """The share recovered without vectors: by the most frequent words."""
        return self._recovered(texts, np.tile(self._often, (len(texts), 1)))

    def _recovered(self, texts: Sequence[str], scores: NDArray[Any]) -> float:
        right = total = 0
        for text, row in zip(texts, scores, strict=True):
            words = [self.vocabulary[word] for word in set(query_terms(text)) if word in self.vocabulary]
            if words:
                named = np.argpartition(-row, len(words))[: len(words)]
                right += len(set(words) & set(named.tolist()))
                total += len(words)
        return right / max(1, total)


def lined_up(seen: Vectors, known: Vectors) -> Vectors:
    """Seen vectors turned so that their main directions are those of known ones: what needs no text at all."""
    mine, theirs = _axes(known), _axes(seen)
    turned = (seen - seen.mean(axis=0)) @ theirs @ mine.T + known.mean(axis=0)
    return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True), dtype=np.float32)


def _axes(vectors: Vectors) -> Vectors:
    """Main directions, the widest first, each towards its longer tail."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1]
    return np.asarray(axes * np.sign(((centred @ axes) ** 3).sum(axis=0)), dtype=np.float32)


def solved(seen: Vectors, plain: Vectors) -> Vectors:
    """The rotation that fits pairs of seen and plain vectors best (Procrustes)."""
    left, _, right = np.linalg.svd(seen.T @ plain)
    return np.asarray(left @ right, dtype=np.float32)


class Inversion(NamedTuple):
    """One line: what the inverter had, and the share of words it recovered by each way."""

    had: str
    linear: float
    nearest: float


def inversions(
    known: Sequence[str], hidden: Sequence[str], embed: Callable[[Sequence[str]], Vectors]
) -> list[Inversion]:
    """How many words come back, with what at hand."""
    mine, plain = embed(known), embed(hidden)
    inverter, turning = Inverter(known, mine), Projections(bytes(range(32)))
    seen = quantised(turning.project(plain))
    blind = inverter.blind(hidden)
    half = len(hidden) // 2
    rest, out = list(hidden[half:]), [Inversion("no vectors", blind, blind)]
    for had, vectors in _views(plain, seen, mine, half):
        out.append(Inversion(had, inverter.linear(rest, vectors), inverter.nearest(rest, vectors)))
    return out


def _views(plain: Vectors, seen: Vectors, mine: Vectors, half: int) -> Iterator[tuple[str, Vectors]]:
    yield "plain vectors", plain[half:]
    yield "plain vectors in 8 bits", quantised(plain[half:])
    yield "turned vectors in 8 bits", seen[half:]
    yield "… lined up by main directions", lined_up(seen, mine)[half:]
    for pairs in _PAIRS:
        if pairs <= half:
            yield f"… with the texts of {pairs}", seen[half:] @ solved(seen[:pairs], plain[:pairs])


def recalls(talks: Sequence[sets.Conversation], embed: Callable[[Sequence[str]], Vectors]) -> tuple[float, float]:
    """Recall at 10 of the turns that answer: by an index of our own, and by one that is not trusted."""
    found = [0.0, 0.0]
    asked = 0
    for talk in talks:
        rows, pks = embed([turn.text for turn in talk.turns]), np.arange(1, len(talk.turns) + 1)
        own = FlatVectors(rows.shape[1])
        settings = SecuritySettings(plugin_searches_per_minute=1_000_000)
        theirs = UntrustedVectors(FlatVectors(rows.shape[1]), Projections(bytes(range(32))), lambda: settings)  # noqa: B023
        questions = [question for question in talk.questions if question.gold]
        for index in (own, theirs):
            index.apply((pks, rows), ())
        everything = _All(pks)
        for question, vector in zip(questions, embed([each.text for each in questions]), strict=True):
            asked += 1
            for at, index in enumerate((own, theirs)):
                best = index.search(vector, limit=_RECALL_AT, among=everything).pks - 1
                hit = {talk.turns[row].id for row in best} & question.gold
                found[at] += len(hit) / len(question.gold)
    return found[0] / asked, found[1] / asked


class _All:
    scope_pks = None

    def __init__(self, pks: NDArray[np.int64]) -> None:
        self._pks = pks
        self.count = self.total = len(pks)

    def allows(self, pks: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.ones(len(pks), dtype=np.bool_)

    def pks(self) -> NDArray[np.int64]:
        return self._pks


def main() -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with recollect.open(":memory:") as memory:
        embedder = engine_of(memory).embedder
        assert embedder is not None

        def embed(texts: Sequence[str]) -> Vectors:
            rows = np.asarray(embedder.embed(list(texts)), dtype=np.float32)
            return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), dtype=np.float32)

        known = [turn.text for talk in sets.load("realtalk") for turn in talk.turns]
        talks = sets.load("locomo")
        hidden = [turn.text for talk in talks for turn in talk.turns]
        print(f"{embedder.name}: {len(known)} known texts, {len(hidden)} others")
        for line in inversions(known, hidden, embed):
            print(f"{line.had:34} linear {line.linear:6.1%}   nearest {line.nearest:6.1%}")
        plain, turned = recalls(talks, embed)
        print(f"recall at {_RECALL_AT}: {plain:.4f} plain, {turned:.4f} turned in 8 bits: {turned / plain - 1:+.2%}")


if __name__ == "__main__":
    main()
