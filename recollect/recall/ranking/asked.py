"""A question made ready: its telling terms and what they are worth here, its dates, its direction."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from recollect.index.base import Selection
from recollect.index.forward import Forward
from recollect.model.terms import query_terms, terms_of
from recollect.providers.base import Embedder, Vectors
from recollect.recall.question.cues import cues_of
from recollect.recall.ranking.lexical import Question, holders_among, worth_of
from recollect.recall.ranking.rank import Asked

RARE_ROWS = 20.0  # a word that so many rows of a scope should hold is in one of them, as good as certainly
COUNTED_ROWS_MAX = 5_000  # rows of a scope whose words are counted exactly; larger ones take the store's shares
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def question_of(
    forward: Forward, text: str, among: Selection, holds: Callable[[str], bool] = lambda term: True
) -> Question:
    """The question's terms, weighed by how rare they are among the rows it is asked of.

    `holds` says whether any of those rows holds a term: one that only others' rows hold counts as never met, so that
    nobody learns from an answer which words others have stored.
    """
    terms = tuple(query_terms(text))
    ids = forward.term_ids(terms)
    holders = forward.holders(ids).astype(np.float64)
    length_mean = None
    total = forward.count()  # statements drawn from turns say their words again, and are neither here nor there
    if among.count < total:
        if among.count <= COUNTED_ROWS_MAX:
            pks = among.pks()
            holders = holders_among(forward, pks, ids).astype(np.float64)
            length_mean = max(1.0, float(forward.lengths(pks).mean())) if len(pks) else None
        else:
            holders *= among.count / max(1, total)
            for at in np.flatnonzero((holders > 0) & (holders < RARE_ROWS)).tolist():
                if not holds(terms[at]):
                    holders[at] = 0.0
    met = np.where(holders > 0, ids, -1)
    return Question(terms, met, worth_of(holders, among.count), among.count, length_mean)


@lru_cache(maxsize=1 << 13)
def _first_term(word: str) -> str | None:
    return next(iter(terms_of(word)), None)


def asked_of(text: str, question: Question, direction: Vectors | None) -> Asked:
    """The question as ranking takes it."""
    return Asked(text, question, cues_of(text), direction)


def direction_of(text: str, question: Question, embedder: Embedder) -> Vectors:
    """Where the question points. A static model weighs its words by how rare they are here: names would rule it."""
    word_vectors = getattr(embedder, "word_vectors", None)
    if word_vectors is None:
        return np.asarray(embedder.embed([text])[0])
    worth: dict[str | None, float] = dict(zip(question.terms, question.worth.tolist(), strict=True))
    weights = {word: worth[first] for word in _WORD.findall(text) if (first := _first_term(word)) in worth}
    if not weights:
        return np.asarray(embedder.embed([text])[0])
    direction = np.array(list(weights.values()), dtype=np.float32) @ word_vectors(list(weights))
    length = float(np.linalg.norm(direction))
    return np.asarray(direction / length if length else direction, dtype=np.float32)
