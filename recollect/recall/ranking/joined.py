"""What rows have in common with the best so far, the seeds, beyond the words of the question.

`shared` counts the rarest of these words, in any row. `joined` takes one step from what was asked to what is meant:
"Where was the director of Night Boat born?" is answered by two records, one that names the director and one about her,
which may hold no word of the question but "born". A row is the better joined the more it brings of what the seed lacks.
Only records that stand alone are: a turn has its conversation around it, and in a chat rare words join by accident.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.keys import among, each_once
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.lexical import Lexical, WeighedQuestion, standing_in

Array = NDArray[Any]

JOINED_HOLDERS_SHARE_MAX = 0.03  # a word that stands in more of all rows joins too many; in a small store six are few
TERMS_MAX = 256  # of the seeds together, the rarest
LENGTH_SHARE = 0.5  # how much length counts against a row: a long one holds some rare word of anything
JOINED_ALONE = 0.3  # what being joined is worth in a row that brings nothing new


class HeldTogether(NamedTuple):
    """Rare words of the seeds, rarest first, and which rows hold them (rows by words)."""

    holders: Array
    rarity: Array  # 1 for a word of one row, 0 for one that stands everywhere
    holds: Array

    def few(self, holders_max: int) -> HeldTogether:
        """Of these words those that stand in so few records."""
        kept = int(np.searchsorted(self.holders, holders_max, side="right"))
        return HeldTogether(self.holders[:kept], self.rarity[:kept], self.holds[:, :kept])

    def weight(self, seeds: Array) -> Array:
        """How much each row has in common with each seed: rows by seeds."""
        return np.asarray((self.holds * self.rarity) @ self.holds[seeds].T)


def words_held_together(
    ground: Ground, seeds: Array, question: WeighedQuestion, words: Lexical, holders_max: int
) -> HeldTogether:
    """Words of the seeds that stand in some other row, in few altogether, and not in the question."""
    forward = ground.forward
    terms = each_once(forward.words(ground.keys[seeds]).term)
    terms = terms[~among(terms, question.ids)]
    holders = forward.holders(terms)
    rare = (holders > 1) & (holders <= max(holders_max, JOINED_HOLDERS_SHARE_MAX * question.rows))
    order = np.argsort(holders[rare], kind="stable")[:TERMS_MAX]
    terms, holders = terms[rare][order], holders[rare][order]
    holds = np.zeros((len(ground.keys), len(terms)))
    if len(terms):
        found = words.around.of_candidates(standing_in(words.words, terms))
        holds[found.row, found.term] = 1.0
    rarity = np.maximum(0.0, 1.0 - np.log(np.maximum(holders, 1)) / np.log(max(2, question.rows)))
    return HeldTogether(holders, rarity, holds)


def shared(common: HeldTogether, seeds: Array, first: Array, holders_max: int) -> Array:
    """How much of the rarest words each row has in common with the seeds, as a share of the most; `first` scores."""
    out: Array = common.few(holders_max).weight(seeds) @ first[seeds]
    top = float(out.max(initial=0.0))
    return out / top if top > 0 else out


def joined(
    ground: Ground,
    seeds: Array,
    first: Array,
    question: WeighedQuestion,
    words: Lexical,
    named: Array | None,
    common: HeldTogether,
) -> Array:
    """How well each row goes on from a seed, from 0 to 1; `first` are scores so far, `named` as in `lexical`."""
    best = float(first[seeds].max(initial=0.0))
    alone = None if ground.alone else (ground.before == 0) & (ground.after == 0)
    if best <= 0 or not len(common.holders) or not (alone is None or alone.any()):
        return np.zeros(len(first))
    size = np.maximum(ground.lengths / (question.length_mean or ground.forward.length_mean()), 1.0)
    strength = np.minimum(1.0, common.weight(seeds) / (1.0 - LENGTH_SHARE + LENGTH_SHARE * size)[:, None])
    value = strength * (JOINED_ALONE + _brings(seeds, question, words, named)) * (first[seeds] / best)
    value[seeds, np.arange(len(seeds))] = 0.0  # no seed goes on from itself
    best_of_row = np.minimum(1.0, value.max(axis=1))
    return best_of_row if alone is None else np.where(alone, best_of_row, 0.0)


def _brings(seeds: Array, question: WeighedQuestion, words: Lexical, named: Array | None) -> Array:
    """The share of the question that each row holds and each seed does not: rows by seeds."""
    holds = np.zeros((len(words.score), len(question.ids))) if named is None else named.astype(np.float64)
    holds[words.matches.row, words.matches.term] = 1.0
    lacking = question.worth * (1.0 - holds[seeds])
    return np.asarray(holds @ lacking.T / (question.worth.sum() or 1.0))
