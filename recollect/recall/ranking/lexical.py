"""How well the words of candidates answer a question: BM25 over passages, with the conversation around as context.

A turn often answers with words its neighbours hold ("Yes, last week"). The turn before and after, who speaks and the
date therefore count as weak fields of the turn; a question counts more for the turn that answers it. The score is
divided by what a perfect match would get, so it says how much of the question was met; where little was, meaning
decides.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.config.reading import Ranking as Settings
from recollect.index.base import Pks
from recollect.index.forward import PASSAGES_MAX, Forward, Words
from recollect.index.keys import each_once

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Question:
    """The telling terms of a question with what each is worth here."""

    terms: tuple[str, ...]
    ids: Array  # codes in the forward index, -1 for a word never met
    worth: Array  # inverse document frequency
    rows: int  # rows it is asked of
    length_mean: float | None = None  # telling terms in one of them; None: as in the whole store


@dataclass(frozen=True, slots=True)
class Matches:
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


def match(forward: Forward, pks: Pks, ids: Array) -> tuple[Matches, Words]:
    """Where the given terms stand in these rows, and every word that was looked at."""
    words = forward.words(pks)
    return standing_in(words, ids), words


def standing_in(words: Words, ids: Array) -> Matches:
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
    starts = words.row.searchsorted(row)  # rows come one after the other
    return Matches(row, which[hit].astype(np.int64), hit - starts, words.passage[hit].astype(np.int64))


def holders_among(forward: Forward, pks: Pks, ids: Array) -> Array:
    """In how many of these rows each term stands, in the text or over it as a name."""
    holds = forward.named_with(pks, ids)
    found, _ = match(forward, pks, ids)
    holds[found.row, found.term] = True
    return np.asarray(holds.sum(axis=0))


@dataclass(frozen=True, slots=True)
class Lexical:
    """Scores of rows in [0, 1], and where they match."""

    score: Array
    matches: Matches
    words: Words  # of the rows and of their neighbours
    here: Array  # which of those each row is
    rows: int  # how many those are


def lexical(
    forward: Forward,
    pks: Pks,
    question: Question,
    named: Array,
    dated: Array,
    answering: Array | None = None,
    *,
    settings: Settings,
) -> Lexical:
    """Score rows. `named` and `dated` say which terms stand in each row's speaker and date.

    `answering` says which rows answer the turn before them; None: no row does.
    """
    terms = len(question.ids)
    before, after = forward.before(pks), forward.after(pks)
    every = np.concatenate([pks, before, after])
    rows = each_once(every)
    found, words = match(forward, rows, question.ids)
    counts = np.bincount(found.row * terms + found.term, minlength=len(rows) * terms).reshape(len(rows), terms)
    size = forward.lengths(rows) / (question.length_mean or forward.length_mean())
    density = counts / (1 - settings.length_norm + settings.length_norm * size)[:, None]
    density[rows == 0] = 0.0  # no neighbour there
    here, last, following = rows.searchsorted(every).reshape(3, -1)
    answered = np.zeros(len(pks), dtype=np.bool_) if answering is None else answering
    context = (
        settings.own_field * density[here]
        + np.where(answered, settings.answered_field, settings.neighbour_field)[:, None] * density[last]
        + settings.neighbour_field * density[following]
        + settings.speaker_field * named
        + settings.date_field * dated
    )
    base = _saturated(context, settings) @ question.worth
    best = _best_passage(found, words, here, context, question, settings)
    score = (base + best) / perfect(question, settings)
    return Lexical(score, of_rows(found, here, len(rows)), words, here, len(rows))


def perfect(question: Question, settings: Settings) -> float:
    """What a row would score that is made of nothing but the question."""
    return (settings.saturation + 1.0) * float(question.worth.sum()) or 1.0


def _best_passage(
    found: Matches, words: Words, here: Array, context: Array, question: Question, settings: Settings
) -> Array:
    """What the best passage of each row adds to its context."""
    candidate = np.full(int(here.max(initial=0)) + 1, -1, dtype=np.int64)
    candidate[here] = np.arange(len(here))
    mine = (found.row < len(candidate)) & (candidate[np.minimum(found.row, len(candidate) - 1)] >= 0)
    if not mine.any():
        return np.zeros(len(here))
    key = found.row[mine] * (PASSAGES_MAX + 1) + found.passage[mine]
    keys = each_once(key)
    terms = len(question.ids)
    counts = np.bincount(keys.searchsorted(key) * terms + found.term[mine], minlength=len(keys) * terms).reshape(
        len(keys), terms
    )
    every = words.row * (PASSAGES_MAX + 1) + words.passage  # ascending, as the words come
    bounds = np.concatenate(([0], np.flatnonzero(every[1:] != every[:-1]) + 1, [len(every)]))
    lengths = bounds[1:] - bounds[:-1]
    size = lengths[np.searchsorted(every[bounds[:-1]], keys)] / max(1.0, float(lengths.mean()))
    density = counts / (1 - settings.passage_length_norm + settings.passage_length_norm * size)[:, None]
    row = candidate[keys // (PASSAGES_MAX + 1)]
    gain = (_saturated(density + context[row], settings) - _saturated(context[row], settings)) @ question.worth
    best = np.zeros(len(here))
    np.maximum.at(best, row, gain)
    return best


def of_rows(found: Matches, here: Array, rows: int) -> Matches:
    """The matches inside the candidates themselves, rows counted as candidates."""
    candidate = np.full(rows, -1, dtype=np.int64)
    candidate[here] = np.arange(len(here))
    keep = candidate[found.row] >= 0
    return Matches(candidate[found.row[keep]], found.term[keep], found.place[keep], found.passage[keep])


def _saturated(density: Array, settings: Settings) -> Array:
    result: Array = (settings.saturation + 1.0) * density / (density + settings.saturation)
    return result
