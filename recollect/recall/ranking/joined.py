"""What belongs to the best rows so far without answering by itself: one step from what was asked to what is meant.

"Where was the director of Night Boat born?" is answered by two records: one names the director, the other, which may
hold no word of the question but "born", is about her. What joins them are rare words that both hold and the question
does not. A row is the better joined the more it brings of what the first one lacks.

Only for records that stand alone. A turn has its conversation around it, and in a chat rare words join by accident.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.index.base import Pks
from recollect.index.forward import Forward
from recollect.recall.ranking.lexical import Lexical, Question, match

Array = NDArray[Any]

HOLDERS_SHARE_MAX = 0.03  # a word that stands in more of all rows joins too many
HOLDERS_MIN = 6  # … though in a small store even six rows are few
TERMS_MAX = 256  # of the seeds together, the rarest
LENGTH_SHARE = 0.5  # how much length counts against a row: a long one holds some rare word of anything
JOINED_ALONE = 0.3  # what being joined is worth in a row that brings nothing new


def joined(
    forward: Forward, pks: Pks, seeds: Array, first: Array, question: Question, words: Lexical, named: Array
) -> Array:
    """How well each row goes on from a seed, from 0 to 1; `first` are scores so far, `named` as in `lexical`."""
    alone = (forward.before(pks) == 0) & (forward.after(pks) == 0)
    best = float(first[seeds].max(initial=0.0))
    terms = _joining(forward, pks[seeds], question) if alone.any() and best > 0 else seeds[:0]
    if not len(terms):
        return np.zeros(len(pks))
    found, _ = match(forward, pks, terms)
    holds = np.zeros((len(pks), len(terms)))
    holds[found.row, found.term] = 1.0
    size = np.maximum(forward.lengths(pks) / (question.length_mean or forward.length_mean()), 1.0)
    shared = (holds * _rarity(forward, terms, question.rows)) @ holds[seeds].T
    strength = np.minimum(1.0, shared / (1.0 - LENGTH_SHARE + LENGTH_SHARE * size)[:, None])
    value = strength * (JOINED_ALONE + _brings(seeds, question, words, named)) * (first[seeds] / best)
    value[seeds, np.arange(len(seeds))] = 0.0  # no seed goes on from itself
    return np.where(alone, np.minimum(1.0, value.max(axis=1)), 0.0)


def _joining(forward: Forward, seeds: Pks, question: Question) -> Array:
    """The rare words of the seeds that the question does not hold and another row does, the rarest first."""
    terms = np.setdiff1d(forward.words(seeds).term, question.ids)
    holders = forward.holders(terms)
    rare = (holders > 1) & (holders <= max(HOLDERS_MIN, HOLDERS_SHARE_MAX * question.rows))
    order = np.argsort(holders[rare], kind="stable")[:TERMS_MAX]
    return np.asarray(terms[rare][order])


def _rarity(forward: Forward, terms: Array, rows: int) -> Array:
    """1 for a word of one row, 0 for one that stands everywhere."""
    everything = np.log(max(2, rows))
    return np.asarray(np.maximum(0.0, 1.0 - np.log(forward.holders(terms)) / everything))


def _brings(seeds: Array, question: Question, words: Lexical, named: Array) -> Array:
    """The share of the question that each row holds and each seed does not: rows by seeds."""
    holds = named.astype(np.float64)
    holds[words.matches.row, words.matches.term] = 1.0
    lacking = question.worth * (1.0 - holds[seeds])
    return np.asarray(holds @ lacking.T / (question.worth.sum() or 1.0))
