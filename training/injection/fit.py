"""Fits the screen for instructions: weights of words, and a small network over meaning, words and signs.

    pip install scikit-learn scipy
    python -m training.injection.fit PUBLIC [--out recollect/security/screening/injection.npz]

`PUBLIC` is what `gather` wrote. Beside it `data/injection/texts.jsonl` is read, `compose` makes more of the same kinds,
and the stories of `data/` are harmless talk. Printed are figures of texts that were left out, one source at a time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from recollect.language.passages import passages_of
from recollect.providers.embedders.minilm import MiniLmEmbedder
from recollect.security.screening.injection import WEIGHTS, Unit, features, grams, sentences_of
from recollect.security.screening.normalise import normalised
from training.injection import compose

DATA = Path(__file__).resolve().parent.parent / "data"
PASSAGES_MAX = 6  # of one text; a long prompt would outweigh the rest
SENTENCES_MAX = 2
WORDS_MAX = 12_000
SEEN_MIN = 3  # texts that a word stands in
FOLDS = 5
HIDDEN = 24
DOUBT_KEEPS = 0.985  # of the attacks: how many the words alone must find worth a closer look


class Example(NamedTuple):
    text: str
    label: int
    source: str
    weight: float


def examples(public: Path, seed: int) -> list[Example]:
    rng = random.Random(seed)
    written = [json.loads(line) for line in (DATA / "injection" / "texts.jsonl").read_text("utf-8").splitlines()]
    found = [Example(each["text"], each["label"], "written", 3.0) for each in written]
    attacks = [each["text"] for each in written if each["label"]]
    harmless = [each["text"] for each in written if not each["label"]]
    found += [Example(text, 1, "composed", 1.0) for text in compose.attacks(rng, 4000, attacks)]
    found += [Example(text, 0, "composed", 1.0) for text in compose.harmless(rng, 2200, harmless)]
    for line in public.read_text("utf-8").split("\n")[:-1]:
        each = json.loads(line)
        found.append(Example(each["text"], each["label"], each["source"], 1.0))
    found += [Example(text, 0, "stories", 1.0) for text in _stories()]
    found += [Example(text, 0, "documentation", 1.0) for text in _documentation(rng)]
    return found


def _stories() -> list[str]:
    out: list[str] = []
    for path in sorted(DATA.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            story = json.loads(line)
            out += [
                turn if isinstance(turn, str) else turn.get("text") or turn.get("content", "")
                for turn in story["turns"]
            ]
            out += [question["q"] for question in story.get("questions", ())]
    return sorted({text for text in out if len(text) > 15})


def _documentation(rng: random.Random) -> list[str]:
    """Paragraphs of the pages of this repository but those about this screen."""
    out: list[str] = []
    for path in sorted((DATA.parent.parent / "docs").rglob("*.md")):
        if path.name not in ("screening.md", "SECURITY.md"):
            out += [part for part in path.read_text("utf-8").split("\n\n") if 40 < len(part) < 1500]
    return rng.sample(out, min(1200, len(out)))


class Passage(NamedTuple):
    unit: Unit
    label: int
    source: str
    weight: float


def passages(found: list[Example]) -> list[Passage]:
    """Texts in the passages that they are judged by; those of one text share its weight."""
    out: list[Passage] = []
    for each in found:
        text = normalised(each.text).text.lower()
        most = PASSAGES_MAX if each.source != "shared-prompts" else 2  # later ones are about the task, not the reader
        parts = [part for part in passages_of(text) if part.strip()][:most]
        if not each.label:  # an attack is judged by its worst sentence, so sentences of harmless texts are seen too
            parts += [part for part in sentences_of(text) if part not in parts][:SENTENCES_MAX]
        out += [Passage(Unit(part), each.label, each.source, each.weight / len(parts) ** 0.5) for part in parts]
    return out


def word_matrix(texts: list[str], vocabulary: dict[str, int]) -> csr_matrix:
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        found = grams(text)
        known = [vocabulary[gram] for gram in found if gram in vocabulary]
        rows += [row] * len(known)
        columns += known
        values += [max(1, len(found)) ** -0.5] * len(known)
    return csr_matrix((values, (rows, columns)), shape=(len(texts), len(vocabulary)))


def fit_words(x: csr_matrix, y: NDArray[Any], weight: NDArray[Any]) -> LogisticRegression:
    return LogisticRegression(C=8.0, max_iter=100).fit(x, y, sample_weight=weight)


def fit_network(x: NDArray[Any], y: NDArray[Any], weight: NDArray[Any], seed: int) -> MLPClassifier:
    network = MLPClassifier(
        (HIDDEN,),
        alpha=0.3,
        learning_rate_init=2e-3,
        batch_size=128,
        max_iter=10,
        random_state=seed,
        early_stopping=False,
    )
    return network.fit(x, y, sample_weight=weight)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("public", type=Path)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--left-out", action="store_true", help="also fit without each source and measure it")
    parser.add_argument("--vectors", type=Path, help="kept vectors of passages, to fit again without encoding")
    given = parser.parse_args()
    found = passages(examples(given.public, given.seed))
    y = np.array([each.label for each in found])
    weight = np.array([each.weight for each in found])
    weight[y == 1] *= weight[y == 0].sum() / weight[y == 1].sum()
    texts = [each.unit.text for each in found]
    sys.stdout.write(f"{len(found)} passages, {y.sum()} of attacks\n")
    vectors = _vectors(texts, given.vectors)
    counts = Counter(gram for text in texts for gram in grams(text))
    vocabulary = {gram: at for at, (gram, count) in enumerate(counts.most_common(WORDS_MAX * 4)) if count >= SEEN_MIN}
    x = word_matrix(texts, vocabulary)
    rng = np.random.default_rng(given.seed)
    fold = rng.integers(0, FOLDS, len(found))
    by_words = np.zeros(len(found))
    for held in range(FOLDS):  # the network must see words as they look for texts that were never seen
        own = fold == held
        by_words[own] = fit_words(x[~own], y[~own], weight[~own]).decision_function(x[own])
    seen = features(vectors, by_words.tolist(), [each.unit for each in found])
    if given.left_out:
        _left_out(found, seen, y, weight, given.seed)
    words = fit_words(x, y, weight)
    network = fit_network(seen, y, weight, given.seed)
    order = np.argsort(-np.abs(words.coef_[0]))[:WORDS_MAX]
    names = [gram for gram, at in sorted(vocabulary.items(), key=lambda item: item[1])]
    doubt = float(np.quantile(by_words[y == 1], 1.0 - DOUBT_KEEPS))
    passed = (by_words >= doubt)[(y == 0) & np.array([each.source == "stories" for each in found])].mean()
    sys.stdout.write(f"doubt from {doubt:.2f}: {passed:.3f} of the stories' turns are looked at twice\n")
    kept = {
        "words": np.frombuffer("\n".join(names[at] for at in order).encode(), dtype=np.uint8),
        "word_weights": words.coef_[0][order].astype(np.float16),
        "bias": np.float32(words.intercept_[0]),
        "doubt": np.float32(doubt),
        "hidden_weights": network.coefs_[0].astype(np.float16),
        "hidden_bias": network.intercepts_[0].astype(np.float16),
        "last_weights": network.coefs_[1][:, 0].astype(np.float16),
        "last_bias": np.float32(network.intercepts_[1][0]),
    }
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(value).tobytes() for value in kept.values())).hexdigest()[:12]
    np.savez_compressed(given.out, version=np.array(digest), **kept)
    sys.stdout.write(f"wrote {given.out}, {given.out.stat().st_size} bytes, version {digest}\n")


def _vectors(texts: list[str], kept: Path | None) -> NDArray[np.float32]:
    known: dict[str, NDArray[np.float32]] = {}
    if kept is not None and kept.exists():
        with np.load(kept) as file:
            known = dict(zip(json.loads(str(file["texts"])), file["vectors"].astype(np.float32), strict=True))
    new = sorted({text for text in texts if text not in known}, key=len)
    encoder = MiniLmEmbedder()
    for start in range(0, len(new), 64):
        part = new[start : start + 64]
        known |= dict(zip(part, encoder.embed(part), strict=True))
    if kept is not None and new:
        np.savez(
            kept, texts=np.array(json.dumps(list(known))), vectors=np.stack(list(known.values())).astype(np.float16)
        )
    return np.stack([known[text] for text in texts])


def _left_out(found: list[Passage], seen: NDArray[Any], y: NDArray[Any], weight: NDArray[Any], seed: int) -> None:
    """Each source left out in turn: the share of its passages that is taken for an instruction."""
    sources = np.array([each.source for each in found])
    for source in sorted(set(sources)):
        own = sources == source
        if own.all() or not own.any():
            continue
        network = fit_network(seen[~own], y[~own], weight[~own], seed)
        chance = network.predict_proba(seen[own])[:, 1]
        for label in (0, 1):
            if (y[own] == label).any():
                taken = chance[y[own] == label]
                sys.stdout.write(
                    f"  {source:24s} label {label}: {len(taken):5d} passages, from .5 {(taken >= 0.5).mean():.3f}, "
                    f"from .8 {(taken >= 0.8).mean():.3f}\n"
                )


if __name__ == "__main__":
    main()
