"""How well the words of candidates answer a question: BM25 over passages, with the conversation around as context.

A turn often answers with words its neighbours hold ("Yes, last week"). The turn before and after, who speaks and the
date therefore count as weak fields of the turn; a question counts more for the turn that answers it. The score is
divided by what a perfect match would get, so it says how much of the question was met; where little was, meaning
decides.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.config.reading import RankingSettings
from recollect.index.base import Pks
from recollect.index.forward import PASSAGES_MAX, Forward, RowWords
from recollect.index.keys import each_once
from recollect.recall.question.cues import Cues
from recollect.recall.ranking.ground import Ground

Array = NDArray[Any]

NO_CUES = Cues()


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question as ranking sees it: its telling terms with what each is worth here, its dates, its direction."""

    terms: tuple[str, ...]
    ids: Array  # codes in the forward index, -1 for a word never met
    worth: Array  # inverse document frequency
    rows: int  # rows it is asked of
    length_mean: float | None = None  # telling terms in one of them; None: as in the whole store
    text: str = ""
    cues: Cues = NO_CUES
    direction: Array | None = None  # its vector by the quickest of the store's models, None without one


class Matches(NamedTuple):
    """Which of a question's terms stand where in some rows."""

    row: Array
    term: Array  # which of the question's terms
    place: Array  # position in the row
    passage: Array


class _Lookup(threading.local):
    """Term code to the question's term, -1 elsewhere; one table a thread, wiped after use."""

    table: Array

    def __init__(self) -> None:
        self.table = np.full(1 << 16, -1, dtype=np.int32)


_lookup = _Lookup()


def worth_of(holders: Array, rows: int) -> Array:
    """Rare words say more."""
    return np.log1p((rows - np.minimum(holders, rows) + 0.5) / (np.minimum(holders, rows) + 0.5))


def match(forward: Forward, pks: Pks, ids: Array) -> tuple[Matches, RowWords]:
    """Where the given terms stand in these rows, and every word that was looked at."""
    words = forward.words(pks)
    return standing_in(words, ids), words


def standing_in(words: RowWords, ids: Array) -> Matches:
    """Where the given terms stand among the words of rows."""
    table = _lookup.table
    top = int(max(words.term.max(initial=0), ids.max(initial=0))) + 1
    if top > len(table):
        table = _lookup.table = np.full(max(top, 2 * len(table)), -1, dtype=np.int32)
    known = np.flatnonzero(ids >= 0)
    table[ids[known]] = known
    which = table[words.term]
    table[ids[known]] = -1
    hit = (which >= 0).nonzero()[0]
    row = words.row[hit]
    return Matches(row, which[hit].astype(np.int64), hit - words.first[row], words.passage[hit].astype(np.int64))


def holders_among(forward: Forward, pks: Pks, ids: Array) -> Array:
    """In how many of these rows each term stands, in the text or over it as a name."""
    named = forward.named_by(forward.spoken_by(pks), ids)
    holds = np.zeros((len(pks), len(ids)), dtype=np.bool_) if named is None else named
    found, _ = match(forward, pks, ids)
    holds[found.row, found.term] = True
    return np.asarray(holds.sum(axis=0))


@dataclass(frozen=True, slots=True)
class Lexical:
    """Scores of rows in [0, 1], and where they match."""

    score: Array
    matches: Matches
    words: RowWords  # of the candidates and of their neighbours
    around: Around


def lexical(
    ground: Ground,
    question: WeighedQuestion,
    named: Array | None = None,
    dated: Array | None = None,
    answering: Array | None = None,
    *,
    settings: RankingSettings,
) -> Lexical:
    """Score candidates. `named` and `dated` say which terms stand in each one's speaker and date; None: none does.

    `answering` says which rows answer the turn before them; None: no row does.
    """
    around = _around(ground)
    rows = around.rows
    words = ground.forward.words(rows)
    found = standing_in(words, question.ids)
    terms = len(question.ids)
    counts = np.bincount(found.row * terms + found.term, minlength=len(rows) * terms).reshape(len(rows), terms)
    lengths = ground.lengths if around.here is None else ground.forward.lengths(rows)
    size = lengths / (question.length_mean or ground.forward.length_mean())
    density = counts / (1 - settings.length_norm + settings.length_norm * size)[:, None]
    context = _in_context(density, around, answering, settings)
    if named is not None:
        context += settings.speaker_field * named
    if dated is not None:
        context += settings.date_field * dated
    plain = _saturated(context, settings)
    own = around.of_candidates(found)
    best = _best_passage(own, around, words, context, plain, question, settings)
    return Lexical((plain @ question.worth + best) / perfect(question, settings), own, words, around)


def perfect(question: WeighedQuestion, settings: RankingSettings) -> float:
    """What a row would score that is made of nothing but the question."""
    return (settings.saturation + 1.0) * float(question.worth.sum()) or 1.0


class Around(NamedTuple):
    """Candidates and the turns beside them, each row once; where the candidates and their neighbours are among them.

    Where no candidate has a turn beside it, the rows are the candidates, and `here` is None.
    """

    rows: Pks
    candidates: int
    here: Array | None = None
    last: Array | None = None
    following: Array | None = None

    def of_candidates(self, found: Matches) -> Matches:
        """The matches inside the candidates themselves, rows counted as candidates."""
        if self.here is None:
            return found
        candidate = np.full(len(self.rows), -1, dtype=np.int64)
        candidate[self.here] = np.arange(self.candidates)
        row = candidate[found.row]
        keep = (row >= 0).nonzero()[0]
        return Matches(row[keep], found.term[keep], found.place[keep], found.passage[keep])


def _around(ground: Ground) -> Around:
    if ground.alone:
        return Around(ground.keys, len(ground.keys))
    every = np.concatenate([ground.keys, ground.before, ground.after])
    rows = each_once(every)
    here, last, following = rows.searchsorted(every).reshape(3, -1)
    return Around(rows, len(ground.keys), here, last, following)


def _in_context(density: Array, around: Around, answering: Array | None, settings: RankingSettings) -> Array:
    """How densely the question's terms stand in each candidate and, less heard, in the turns beside it."""
    if around.here is None or around.last is None or around.following is None:
        return np.asarray(settings.own_field * density)
    if len(around.rows) and around.rows[0] == 0:
        density[0] = 0.0  # no neighbour there
    beside = settings.neighbour_field
    heard = beside if answering is None else np.where(answering, settings.answered_field, beside)[:, None]
    return np.asarray(
        settings.own_field * density[around.here] + heard * density[around.last] + beside * density[around.following]
    )


def _best_passage(
    own: Matches,
    around: Around,
    words: RowWords,
    context: Array,
    plain: Array,
    question: WeighedQuestion,
    settings: RankingSettings,
) -> Array:
    """What the best passage of each candidate adds to its context; `plain` is what the context alone is worth."""
    best = np.zeros(around.candidates)
    if not len(own.row):
        return best
    key = own.row * (PASSAGES_MAX + 1) + own.passage
    keys = each_once(key)
    terms = len(question.ids)
    counts = np.bincount(keys.searchsorted(key) * terms + own.term, minlength=len(keys) * terms).reshape(-1, terms)
    every = words.row * (PASSAGES_MAX + 1) + words.passage  # ascending, as the words come
    starts = np.concatenate(([0], (every[1:] != every[:-1]).nonzero()[0] + 1))
    row = keys // (PASSAGES_MAX + 1)
    there = keys if around.here is None else around.here[row] * (PASSAGES_MAX + 1) + keys % (PASSAGES_MAX + 1)
    place = every[starts].searchsorted(there)
    lengths = np.append(starts[1:], len(every))[place] - starts[place]
    size = lengths / max(1.0, len(every) / len(starts))
    density = counts / (1 - settings.passage_length_norm + settings.passage_length_norm * size)[:, None]
    gain = (_saturated(density + context[row], settings) - plain[row]) @ question.worth
    np.maximum.at(best, row, gain)
    return best


def _saturated(density: Array, settings: RankingSettings) -> Array:
    result: Array = (settings.saturation + 1.0) * density / (density + settings.saturation)
    return result
