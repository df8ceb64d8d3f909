"""One score for each candidate, from what speaks for it.

    text       how much of the question its passages and the turns around it hold
    vector     how near its vector is to the question's
    static     the same by the static model, where one is kept beside a slower one
    speaker    the question names who said it; or, in a chat with an assistant, a person said it and did not merely ask
    date       it was said on a day, or in a month, the question names
    year       it speaks of a year inside the years the question names
    phrase     words that stand together in the question stand together in it
    feedback   it is near the three best so far
    link       its subject is named in one of them, and not in the question
    shared     it shares rare words with them
    joined     it stands alone, shares rare words with one of them and holds what that one lacks
    given      what other sources say of it: entity, time, graph, place, facets, files
    newness    it was stored after others, and the question is about how things are: a share of all the above

Each part is a share times its weight; the parts add up, and the sum is bent into [0, 1]. One set of weights serves
every kind of store (docs/adr/0010).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.config.reading import Ranking as Settings
from recollect.index.base import Pks
from recollect.index.forward import Forward
from recollect.index.keys import among
from recollect.language.terms import telling, terms_of
from recollect.model.roles import MACHINES, PEOPLE
from recollect.recall.question.cues import MONTHS, Cues, Dates
from recollect.recall.ranking.channels import Channel, nearness_to_seeds
from recollect.recall.ranking.joined import joined, shared, words_held_together
from recollect.recall.ranking.lexical import Lexical, Question, lexical, match

Array = NDArray[Any]

GIVEN = frozenset({"entity", "time", "graph", "place", "facets", "files"})
NOTHING_GIVEN: Mapping[str, Array] = {}
EVENLY: Mapping[str, float] = {"text": 1.0, "vector": 1.0, "graph": 1.0, "temporal": 1.0}  # as no question leans
ONLY_ASKS_TERMS_MAX = 15  # a longer turn that asks also tells something
STEEPNESS = 1.6  # half the question met, by words and meaning together, scores about two thirds


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as ranking sees it; `direction` is its vector, None without one."""

    text: str
    question: Question
    cues: Cues
    direction: Array | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates best first: scores in [0, 1], and for each part what it put in."""

    pks: Pks
    scores: Array
    parts: dict[str, Array]


def part_weights(settings: Settings, lean: Mapping[str, float] = EVENLY) -> dict[str, float]:
    """What each part of a score is worth; `lean` is how far a question turns to words, meaning, relations and time."""
    return {
        "text": lean["text"],
        "vector": settings.dense * lean["vector"],
        "static": settings.static * lean["vector"],
        "speaker": settings.participant,
        "date": settings.date,
        "year": settings.year,
        "phrase": settings.phrase,
        "feedback": settings.feedback,
        "link": settings.link,
        "shared": settings.share,
        "joined": settings.joined,
        "entity": settings.entity,
        "place": settings.place,
        "facets": settings.facets,
        "files": settings.files,
        "stated": settings.stated,
        "time": settings.time * lean["temporal"],
        "graph": settings.graph * lean["graph"],
        "newness": settings.newness,
    }


def rank(
    forward: Forward,
    pks: Pks,
    asked: Asked,
    times_us: Array,
    vectors: Array,
    elsewhere: Array,
    *,
    settings: Settings,
    weights: Mapping[str, float],
    beside: Channel | None = None,
    given: Mapping[str, Array] = NOTHING_GIVEN,
    similarity_min: float,
    present: bool = False,
) -> Ranked:
    """Order candidates, ascending. `vectors` are theirs, mixed with their neighbours', zero rows where there is none.

    `elsewhere` are likenesses found in the spaces of other models, for rows that the question's own does not hold yet.
    `present` says that the question asks how things are.
    """
    if not len(pks):
        return Ranked(pks, np.zeros(0), {})
    own = None if asked.direction is None else Channel(asked.direction, vectors)
    if own is None:  # a model that does not answer leaves the static one in its place, at its full weight
        own, beside = beside, None
    meaning = _meaning(own, beside, elsewhere)
    if not asked.question.terms:  # no word at all: meaning and what other sources say, if there is any
        found = np.any([np.zeros(len(pks)), *meaning.values(), *given.values()], axis=0)
        parts = {"text": np.zeros(len(pks)), **meaning, **given}
        return _ordered(pks[found], {name: part[found] for name, part in parts.items()}, weights, 0.0, asked.question)
    speakers = _Speakers(forward, pks, settings)
    dates = Dates(times_us)
    named = forward.named_with(pks, asked.question.ids).astype(np.float64)
    dated = _dated(dates, asked.question.terms)
    words = lexical(forward, pks, asked.question, named, dated, _answering(forward, pks), settings=settings)
    parts = {"text": words.score} | meaning
    first: Array = np.sum([weights[name] * part for name, part in parts.items()], axis=0)
    seeds = np.argsort(-first, kind="stable")[: settings.seeds]
    parts["speaker"] = speakers.asked_about(asked.text)
    if speakers.with_machine:
        parts["speaker"] *= ~_only_asks(forward, pks)
    if asked.cues.days or asked.cues.months:
        parts["date"] = dates.nearness(asked.cues)
    if asked.cues.years:
        parts["year"] = _speaks_of(forward, pks, asked.cues.years)
    parts["phrase"] = _phrases(words, first, asked.question, settings)
    if meaning:
        channels = [channel for channel in (own, beside) if channel is not None]
        parts["feedback"] = nearness_to_seeds(channels, seeds, first[seeds])
    if speakers.count > settings.participants_max:
        parts["link"] = _linked(forward, pks, seeds, first, asked.question)
    common = words_held_together(forward, pks, seeds, asked.question, words, settings.rare_records_max)
    parts["shared"] = shared(common, seeds, first, settings.rare_records_max)
    parts["joined"] = joined(forward, pks, seeds, first, asked.question, words, named, common)
    parts |= given
    if present and speakers.with_machine:
        whole: Array = np.sum([weights[name] * part for name, part in parts.items()], axis=0)
        parts["newness"] = whole * np.arange(len(pks)) / max(1, len(pks) - 1)
    return _ordered(pks, parts, weights, similarity_min, asked.question)


def _meaning(own: Channel | None, beside: Channel | None, elsewhere: Array) -> dict[str, Array]:
    """What the models say. A row that the slower one has not read yet is taken at the static one's word."""
    parts: dict[str, Array] = {}
    if beside is not None:
        parts["static"] = beside.nearness(elsewhere)
    if own is not None:
        parts["vector"] = own.nearness(parts.get("static", elsewhere))
    return parts


def _ordered(
    pks: Pks, parts: dict[str, Array], weights: Mapping[str, float], similarity_min: float, question: Question
) -> Ranked:
    """Best first. A row that neither shares a word with the question nor comes near its meaning is no answer."""
    alike = np.max([parts[name] for name in ("vector", "static") if name in parts] or [parts["text"]], axis=0)
    evident = (parts["text"] > 0) | (alike >= similarity_min)
    for name in parts.keys() & GIVEN:
        evident |= parts[name] > 0
    if not telling(question.terms):  # nothing but function words: the text index alone can judge them
        evident[:] = True
    if not evident.all():
        pks, parts = pks[evident], {name: part[evident] for name, part in parts.items()}
    weighed = {name: weights[name] * part for name, part in parts.items()}
    total = np.sum(list(weighed.values()), axis=0)
    scores = 1.0 - np.exp(-STEEPNESS * np.maximum(total, 0.0))
    share = scores / np.where(total > 0, total, 1.0)
    order = np.lexsort((-pks, -total))
    return Ranked(pks[order], scores[order], {name: (part * share)[order] for name, part in weighed.items()})


def rescored(ranked: Ranked, scores: Array) -> Ranked:
    """The same order with other scores, the parts in proportion: they still add up."""
    share = scores / np.where(ranked.scores > 0, ranked.scores, 1.0)
    return Ranked(ranked.pks, scores, {name: part * share for name, part in ranked.parts.items()})


class _Speakers:
    """Who said the candidates, and what that tells."""

    def __init__(self, forward: Forward, pks: Pks, settings: Settings) -> None:
        self._settings = settings
        self._codes = forward.spoken_by(pks)
        self._names = {code: name for name, code in forward.speakers_of(self._codes).items()}
        self._terms = {code: frozenset(terms_of(name)) for code, name in self._names.items()}
        self._people = [code for code, name in self._names.items() if name.lower() not in MACHINES]

    @property
    def count(self) -> int:
        """How many speak; more than a conversation has are subjects, not speakers."""
        return len(self._names)

    @property
    def with_machine(self) -> bool:
        """Whether people talk with a machine."""
        return 0 < len(self._people) < len(self._names) <= self._settings.participants_max

    def asked_about(self, text: str) -> Array:
        """1 for rows of a person the question names, or of the people in a chat with a machine."""
        asked = frozenset(terms_of(text))
        turns = np.bincount(self._codes)
        least = self._settings.participant_turns
        meant = [code for code, own in self._terms.items() if own and own <= asked and turns[code] > least]
        heard = self._people if self.with_machine and not set(meant) & set(self._people) else meant
        return among(self._codes, np.array(heard, dtype=np.int64)).astype(np.float64)


def _only_asks(forward: Forward, pks: Pks) -> Array:
    """Which turns ask in few words: what they hold is wanted, not known."""
    return np.asarray(forward.asks(pks) & (forward.lengths(pks) <= ONLY_ASKS_TERMS_MAX))


def _answering(forward: Forward, pks: Pks) -> Array:
    """Which rows answer a question: the turn before asks, by another person. Machines repeat what they were asked."""
    before = forward.before(pks)
    if not before.any():
        return np.zeros(len(pks), dtype=np.bool_)
    speakers, askers = forward.spoken_by(pks), forward.spoken_by(before)
    asked: Array = forward.asks(before) & (before > 0) & (speakers != askers) & (speakers > 0) & (askers > 0)
    if not asked.any():
        return asked
    names = forward.speakers_of(np.concatenate([speakers[asked], askers[asked]]))
    roles = [code for name, code in names.items() if name.lower() in PEOPLE | MACHINES]
    chatting = np.array(roles, dtype=np.int64)
    return np.asarray(asked & ~among(speakers, chatting) & ~among(askers, chatting))


def _dated(dates: Dates, terms: tuple[str, ...]) -> Array:
    """Which of the terms name the year, the month or the day of each row's date."""
    named = np.zeros((len(dates.days), len(terms)))
    for at, term in enumerate(terms):
        number = _ORDINAL.sub("", term) if term[:1].isdecimal() else ""
        if term.isdecimal() and len(term) == 4:
            named[:, at] = dates.years == int(term)
        elif number.isdecimal() and len(number) <= 2:
            named[:, at] = dates.day_of_month == int(number)
        elif term in _MONTH_OF_TERM:
            named[:, at] = dates.months == _MONTH_OF_TERM[term]
    return named


_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_MONTH_OF_TERM = {terms_of(month)[0]: number for number, month in enumerate(MONTHS, start=1)}


def _speaks_of(forward: Forward, pks: Pks, years: tuple[int, ...]) -> Array:
    """1 for rows that name a year between the first and the last year of the question."""
    span = [str(year) for year in range(min(years), max(years) + 1)]
    found, _ = match(forward, pks, forward.term_ids(span))
    out = np.zeros(len(pks))
    out[found.row] = 1.0
    return out


def _phrases(words: Lexical, first: Array, question: Question, settings: Settings) -> Array:
    """The share of the question's neighbouring words that stand close together, for the best rows so far."""
    out = np.zeros(len(first))
    pairs = len(question.terms) - 1
    if pairs < 1 or not len(words.matches.row):
        return out
    best = np.zeros(len(first), dtype=np.bool_)
    best[np.argsort(-first, kind="stable")[: settings.phrase_candidates]] = True
    looked_at = best[words.matches.row]
    row, term, place = (column[looked_at] for column in (words.matches.row, words.matches.term, words.matches.place))
    close = np.zeros((len(first), pairs), dtype=np.bool_)
    gap = settings.phrase_gap_words
    for step in range(1, gap + 1):  # matches come by row and place: no more of them can lie between two
        one, other = slice(None, -step), slice(step, None)
        near = (row[one] == row[other]) & (place[other] - place[one] <= gap)
        near &= np.abs(term[one] - term[other]) == 1
        close[row[one][near], np.minimum(term[one], term[other])[near]] = True
    return np.asarray(close.sum(axis=1) / pairs)


def _linked(forward: Forward, pks: Pks, seeds: Array, first: Array, question: Question) -> Array:
    """How good the seed is that names each row's subject; what the question itself names is no news."""
    known = forward.names_in(question.terms)
    codes = forward.spoken_by(pks)
    out = np.zeros(len(pks))
    best = float(first[seeds[0]]) if len(seeds) else 0.0
    for seed in seeds[::-1].tolist():
        news = forward.named_in(int(pks[seed])) - known
        if news and best > 0:
            out[among(codes, np.array(list(news))) & (np.arange(len(pks)) != seed)] = first[seed] / best
    return out
