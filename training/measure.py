"""How well the body finds, by cosine alone, and how well its heads read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.body import Body, Words
from training.corpora import vectors
from training.stories import LABELS, OVER, Story, framed

Figures = dict[str, float]
FALSE_MAX = 0.01  # of the pairs whose older text still holds, the share that may be taken for over
_OVER = [place for place, label in enumerate(LABELS) if label in OVER]


def ranks(cosines: NDArray[np.float32], right: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """The place, from 0, of the first right candidate for each question."""
    best = np.array([row[list(places)].max() for row, places in zip(cosines, right, strict=True)])
    return (cosines > best[:, None]).sum(1)


def found(places: NDArray[np.int64], name: str, depths: Sequence[int] = (1, 3)) -> Figures:
    figures = {f"{name} in {depth}": float((places < depth).mean()) for depth in depths}
    return figures | {f"{name} mrr": float((1 / (1 + places)).mean())}


def embedded(body: Body, words: Words, texts: Sequence[str], device: torch.device) -> NDArray[np.float32]:
    made: Tensor = vectors(body, words.texts(texts, device, pieces_max=256), batch=512)
    return made.float().cpu().numpy()


def retrieval(body: Body, words: Words, stories: Sequence[Story], name: str, device: torch.device) -> Figures:
    """Questions against all turns of their story."""
    asked = [(story, question) for story in stories for question in story.answerable()]
    if not asked:
        return {}
    turns = embedded(body, words, [turn.text for story in stories for turn in story.turns], device)
    questions = embedded(body, words, [question.text for _, question in asked], device)
    starts = dict(zip((s.id for s in stories), np.cumsum([0, *(len(s.turns) for s in stories)]), strict=False))
    places = [
        ranks((vector @ turns[starts[s.id] :][: len(s.turns)].T)[None], [sorted(q.evidence)])[0]
        for (s, q), vector in zip(asked, questions, strict=True)
    ]
    return found(np.array(places), name)


def across(body: Body, words: Words, held: Mapping[str, Sequence[tuple[str, str]]], device: torch.device) -> Figures:
    """Held-back translations: the share whose other side is the nearest of all, both ways."""
    figures: Figures = {}
    for language, pairs in held.items():
        if not pairs:
            continue
        english = embedded(body, words, [a for a, _ in pairs], device)
        other = embedded(body, words, [b for _, b in pairs], device)
        cosines, itself = other @ english.T, np.arange(len(pairs))
        figures[f"{language} to english"] = float((cosines.argmax(1) == itself).mean())
        figures[f"english to {language}"] = float((cosines.argmax(0) == itself).mean())
    return figures


def auc(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    order = np.argsort(np.argsort(scores)) + 1
    positive, negative = truth.sum(), (~truth).sum()
    return float((order[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True))


def over(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely it is that the older text no longer holds."""
    return np.asarray(probabilities[:, _OVER].sum(1))


def calibration_error(scores: NDArray[np.float64], truth: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error over bins of equal width."""
    which = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = [
        (which == b).mean() * abs(scores[which == b].mean() - truth[which == b].mean())
        for b in range(bins)
        if (which == b).any()
    ]
    return float(sum(gaps))


def reading(probabilities: NDArray[np.float64], labels: NDArray[np.int64], listed: NDArray[np.bool_]) -> Figures:
    """Figures of the reader of pairs; thresholds are set on listed pairs, which are the hard ones."""
    scores, truth = over(probabilities), np.isin(labels, _OVER)
    hard, hard_truth = scores[listed], truth[listed]
    still = np.sort(hard[~hard_truth])[::-1]
    threshold = float(still[min(int(FALSE_MAX * len(still)), len(still) - 1)])
    taken = scores > threshold
    return {
        "auc listed": auc(hard, hard_truth),
        "auc all": auc(scores, truth),
        "threshold": threshold,
        "recall": float(taken[truth].mean()),
        "precision listed": float(hard_truth[hard > threshold].mean()) if (hard > threshold).any() else 0.0,
        "precision all": float(truth[taken].mean()) if taken.any() else 0.0,
        "brier": float(((scores - truth) ** 2).mean()),
        "ece": calibration_error(scores, truth),
        "accuracy of six, listed": float((probabilities.argmax(1) == labels)[listed].mean()),
        "pairs": float(len(labels)),
    }


def pair_logits(body: Body, words: Words, stories: Sequence[Story], device: torch.device) -> dict[str, Any]:
    """What the pair head says of every pair of the stories, listed or not."""
    pairs = [(s, p) for s in stories if not s.is_season for p in (*s.pairs, *s.unlisted())]
    pieces = words.pairs([framed(s.turns[p.older], s.turns[p.newer]) for s, p in pairs], device)
    return {
        "logits": read(body, pieces, "pair"),
        "labels": np.array([LABELS.index(p.label) for _, p in pairs]),
        "listed": np.array([p.tag != "unlisted" for _, p in pairs]),
        "language": np.array([s.language for s, _ in pairs]),
        "tag": np.array([p.tag for _, p in pairs]),
        "story": np.array([s.id for s, _ in pairs]),
        "older": np.array([p.older for _, p in pairs]),
        "newer": np.array([p.newer for _, p in pairs]),
    }


def read(body: Body, pieces: Any, head: str, batch: int = 512) -> NDArray[np.float64]:
    device = pieces.device
    was_training = body.training
    body.eval()
    made = []
    with torch.inference_mode(), torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        for start in range(0, len(pieces), batch):
            places = torch.arange(start, min(start + batch, len(pieces)))
            made.append(body.read(head, *pieces.batch(places)).float().cpu())
    body.train(was_training)
    return torch.cat(made).double().numpy()


def reranked(body: Body, words: Words, stories: Sequence[Story], name: str, device: torch.device) -> Figures:
    """Questions against all turns of their story, by the relevance head, alone and added to the cosine."""
    asked = [(story, question) for story in stories for question in story.answerable()]
    turns = embedded(body, words, [turn.text for story in stories for turn in story.turns], device)
    questions = embedded(body, words, [question.text for _, question in asked], device)
    starts = dict(zip((s.id for s in stories), np.cumsum([0, *(len(s.turns) for s in stories)]), strict=False))
    pieces = words.pairs([(q.text, turn.text) for s, q in asked for turn in s.turns], device)
    said = read(body, pieces, "relevance")[:, 0]
    figures: Figures = {}
    for weight in (0.0, 10.0, 20.0, 40.0):
        start, places = 0, []
        for (s, q), vector in zip(asked, questions, strict=True):
            cosines = vector @ turns[starts[s.id] :][: len(s.turns)].T
            scores = said[start : start + len(s.turns)]
            top = np.argsort(-cosines)[:30]
            mixed = np.full(len(s.turns), -1e3)
            mixed[top] = scores[top] + weight * cosines[top]
            places.append(ranks(mixed[None].astype(np.float32), [sorted(q.evidence)])[0])
            start += len(s.turns)
        figures |= found(np.array(places), f"{name} reranked, cosine×{weight:g}")
    return figures
