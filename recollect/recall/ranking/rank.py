"""One score for each candidate, from what speaks for it.

    text       how much of the question its passages and the turns around it hold
    vector     how near its vector is to the question's, by a sentence model
    static     the same by the static model, alone or beside a sentence model
    speaker    the question names who said it; or, in a chat with an assistant, a person said it and did not merely ask
    date       it was said on a day, or in a month, the question names
    year       it speaks of a year inside the years the question names
    phrase     words that stand together in the question stand together in it
    feedback   it is near the three best so far
    link       its subject is named in one of them, and not in the question
    shared     it shares rare words with them
    joined     it stands alone, shares rare words with one of them and holds what that one lacks
    given      what other sources say of it: entity, time, graph, place, facets, files
    length     it is on the question and has something to tell: a turn of few words rarely answers
    later      it is alike something older that meets the question too, which asks how things are
    overtaken  something newer is alike and meets the question too: counts against it

Each part is a share times its weight; the parts add up, and the sum is bent into [0, 1]. One set of weights serves
every kind of store (docs/adr/0010).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.config.reading import RankingSettings
from recollect.errors import UsageError, nearest, shown
from recollect.index.base import Mask, Pks
from recollect.index.keys import among
from recollect.language.terms import telling, terms_of
from recollect.limits import WEIGHT_FACTOR_MAX
from recollect.model.roles import MACHINES, PEOPLE
from recollect.recall.question.cues import MONTHS, Dates
from recollect.recall.ranking.channels import ModelView, nearness_to_seeds
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.joined import joined, shared, words_held_together
from recollect.recall.ranking.later import succession
from recollect.recall.ranking.lexical import Lexical, WeighedQuestion, lexical, match

Array = NDArray[Any]

GIVEN = frozenset({"entity", "time", "graph", "place", "facets", "files"})
ONLY_ASKS_TERMS_MAX = 15  # a longer turn that asks also tells something
EVENLY: Mapping[str, float] = {"text": 1.0, "vector": 1.0, "graph": 1.0, "temporal": 1.0}  # as no question leans
AS_SET: Mapping[str, float] = {}  # no factors
# What parts are worth of their weight where no sentence model reads: found with static vectors alone, on the same sets.
WITHOUT_ENCODER: Mapping[str, float] = {
    "text": 1.05,
    "static": 0.86,
    "speaker": 0.45,
    "date": 0.3,
    "phrase": 1.5,
    "feedback": 0.43,
    "shared": 0.5,
    "joined": 0.86,
    "stated": 0.6,
    "time": 0.2,
    "length": 0.0,
    "later": 0.38,
    "overtaken": 0.38,
}
ORDERED_FROM = 2.0  # times the best match so far: where nothing answers, nothing is the later word on it
LENGTH_TERMS = 30  # telling terms from which more are no more to tell
MEANING_SHARE = 0.5  # of likeness beside words met, in how far a row is on the question
STEEPNESS = 1.6  # half the question met, by words and meaning together, scores about two thirds


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates best first: scores in [0, 1], for each part what it put in, and what a whole one would have."""

    pks: Pks
    scores: Array
    parts: Mapping[str, Array]
    weights: Mapping[str, float] = field(default_factory=dict)

    def rescored(self, scores: Array) -> Ranked:
        """The same order with other scores, the parts in proportion: they still add up."""
        share = scores / np.where(self.scores > 0, self.scores, 1.0)
        parts = _by_name(self.parts, np.array(list(self.parts.values())) * share)
        return Ranked(self.pks, scores, parts, self.weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateEvidence:
    """What was found out about the candidates besides their words, one entry for each.

    `own` and `beside` are how a sentence model and the static one see them; a store may have either or both.
    `elsewhere` are likenesses found in the spaces of other models, for rows that the question's own does not hold yet.
    `given` is what sources say of them, as shares.
    """

    own: ModelView | None = None
    beside: ModelView | None = None
    elsewhere: Array
    given: Mapping[str, Array] = field(default_factory=dict)


def part_weights(
    settings: RankingSettings, lean: Mapping[str, float] = EVENLY, factors: Mapping[str, float] = AS_SET
) -> dict[str, float]:
    """What each part of a score is worth; `lean` is how far a question turns to words, meaning, relations and time, and
    `factors` what its caller makes of single parts."""
    weights = {
        "text": settings.words * lean["text"],
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
        "length": settings.length,
        "later": settings.later,
        "overtaken": settings.overtaken,
    }
    return {part: weight * factors.get(part, 1.0) for part, weight in weights.items()}


def checked_factors(given: Any) -> dict[str, float]:
    """What a caller makes of parts of the score: a factor for each that is named, 0 to leave it out."""
    if not isinstance(given, Mapping):
        raise UsageError(f"weights must be an object such as {{'time': 2}}, not {shown(given, 40)}")
    known = part_weights(RankingSettings())
    for part in given:
        if part not in known:
            raise UsageError(f"there is no part {shown(part, 40)} of a score{nearest(str(part), known)}")
    for part, factor in given.items():
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 <= factor <= WEIGHT_FACTOR_MAX:
            raise UsageError(
                f"weights.{part} must be a factor from 0 to {WEIGHT_FACTOR_MAX:g}, not {shown(factor, 40)}"
            )
    return {part: float(factor) for part, factor in given.items()}


def rank(
    ground: Ground,
    asked: WeighedQuestion,
    evidence: CandidateEvidence,
    *,
    settings: RankingSettings,
    weights: Mapping[str, float],
    similarity_min: float,
    present: float = 0.0,
) -> Ranked:
    """Order the candidates. `present` is the probability that the question asks how things are."""
    count = len(ground.keys)
    if not count:
        return Ranked(ground.keys, np.zeros(0), {})
    own, beside, given = evidence.own, evidence.beside, evidence.given
    meaning = _meaning(own, beside, evidence.elsewhere)
    if not asked.terms:  # no word at all: meaning and what other sources say, if there is any
        found = np.any([np.zeros(count), *meaning.values(), *given.values()], axis=0)
        parts = {"text": np.zeros(count), **meaning, **given}
        return _ordered(ground.keys[found], {name: part[found] for name, part in parts.items()}, weights, 0.0, asked)
    forward = ground.forward
    speakers = _Speakers(ground, settings)
    named = forward.named_by(ground.speakers, asked.ids)
    words = lexical(ground, asked, named, _dated(ground.times_us, asked.terms), _answering(ground), settings=settings)
    parts = {"text": words.score} | meaning
    weights = _without_encoder(weights) if own is None else _believed(weights, words, settings)
    first = _sum(parts, weights)
    best_first = np.argsort(-first, kind="stable")
    seeds = best_first[: settings.seeds]
    parts["speaker"] = speakers.asked_about(asked.text)
    if speakers.with_machine:
        parts["speaker"] *= ~_only_asks(ground)
    if asked.cues.days or asked.cues.months:
        parts["date"] = Dates(ground.times_us).nearness(asked.cues)
    if asked.cues.years:
        parts["year"] = _speaks_of(ground, asked.cues.years)
    parts["phrase"] = _phrases(words, best_first[: settings.phrase_candidates], asked, settings.phrase_gap_words)
    if meaning:
        channels = [channel for channel in (own, beside) if channel is not None]
        parts["feedback"] = nearness_to_seeds(channels, seeds, first[seeds])
    if speakers.count > settings.participants_max:
        parts["link"] = _linked(ground, seeds, first, asked)
    common = words_held_together(ground, seeds, asked, words, settings.rare_records_max)
    parts["shared"] = shared(common, seeds, first, settings.rare_records_max)
    parts["joined"] = joined(ground, seeds, first, asked, words, named, common)
    parts |= given
    parts["length"] = np.minimum(ground.lengths / LENGTH_TERMS, 1.0) * _on_the_question(words, meaning)
    if present and meaning and speakers.people:
        view, near = (own, meaning["vector"]) if own is not None else (beside, meaning["static"])
        assert view is not None
        stands = succession(view.by_themselves, near, ground.times_us, speakers.heard)
        at_stake = present * min(1.0, ORDERED_FROM * float(first.max()))
        parts["later"], parts["overtaken"] = at_stake * stands.later, -at_stake * stands.earlier
    return _ordered(ground.keys, parts, weights, similarity_min, asked)


def _sum(parts: Mapping[str, Array], weights: Mapping[str, float]) -> Array:
    total: Array = np.zeros(1)
    for name, part in parts.items():
        total = total + weights[name] * part
    return total


def _without_encoder(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights where no sentence model reads: the likeness of word vectors cannot decide where words do not."""
    return {name: weight * WITHOUT_ENCODER.get(name, 1.0) for name, weight in weights.items()}


def _believed(weights: Mapping[str, float], lexical: Lexical, settings: RankingSettings) -> dict[str, float]:
    """Weights for a question whose words the best row meets so far: words count where they are met, else meaning."""
    met = float(lexical.score.max(initial=0.0))
    words = 1.0 - settings.words_trusted * (1.0 - met)
    meaning = 1.0 - settings.meaning_trusted * met
    return {**weights, "text": weights["text"] * words, "vector": weights["vector"] * meaning}


def _on_the_question(words: Lexical, meaning: Mapping[str, Array]) -> Array:
    """How far rows are on the question at all: what is not gains nothing by being long."""
    near = meaning.get("vector", meaning.get("static"))
    return words.score if near is None else words.score + MEANING_SHARE * near


def _meaning(own: ModelView | None, beside: ModelView | None, elsewhere: Array) -> dict[str, Array]:
    """What the models say. A row that the slower one has not read yet is taken at the static one's word."""
    parts: dict[str, Array] = {}
    if beside is not None:
        parts["static"] = beside.nearness(elsewhere)
    if own is not None:
        parts["vector"] = own.nearness(parts.get("static", elsewhere))
    return parts


def _ordered(
    pks: Pks, parts: dict[str, Array], weights: Mapping[str, float], similarity_min: float, question: WeighedQuestion
) -> Ranked:
    """Best first. A row that neither shares a word with the question nor comes near its meaning is no answer."""
    alike = [parts[name] for name in ("vector", "static") if name in parts] or [parts["text"]]
    evident = (parts["text"] > 0) | (alike[0] >= similarity_min)
    for part in alike[1:]:
        evident |= part >= similarity_min
    for name in parts.keys() & GIVEN:
        evident |= parts[name] > 0
    if not telling(question.terms):  # nothing but function words: the text index alone can judge them
        evident[:] = True
    values = np.array(list(parts.values()))
    if not evident.all():
        pks, values = pks[evident], values[:, evident]
    values *= np.array([weights[name] for name in parts])[:, None]
    total = values.sum(axis=0)
    scores = 1.0 - np.exp(-STEEPNESS * np.maximum(total, 0.0))
    values *= scores / np.where(total > 0, total, 1.0)
    order = np.lexsort((-pks, -total))
    return Ranked(pks[order], scores[order], _by_name(parts, values[:, order]), weights)


def _by_name(names: Iterable[str], values: Array) -> dict[str, Array]:
    return dict(zip(names, values, strict=False))


class _Speakers:
    """Who said the candidates, and what that tells."""

    def __init__(self, ground: Ground, settings: RankingSettings) -> None:
        self._settings = settings
        self._codes = ground.speakers
        self._names = {code: name for name, code in ground.forward.speakers_of(self._codes).items()}
        self._people = [code for code, name in self._names.items() if name.lower() not in MACHINES]

    @property
    def count(self) -> int:
        """How many speak; more than a conversation has are subjects, not speakers."""
        return len(self._names)

    @property
    def people(self) -> bool:
        """Whether any person speaks."""
        return bool(self._people)

    @property
    def with_machine(self) -> bool:
        """Whether people talk with a machine."""
        return 0 < len(self._people) < len(self._names) <= self._settings.participants_max

    @property
    def heard(self) -> Mask:
        """Which rows were said by a person: of statements without a speaker a newer one need not be about the same."""
        return among(self._codes, np.array(self._people, dtype=np.int64))

    def asked_about(self, text: str) -> Array:
        """1 for rows of a person the question names, or of the people in a chat with a machine."""
        if not self._names:
            return np.zeros(len(self._codes))
        asked = frozenset(terms_of(text))
        turns = np.bincount(self._codes)
        meant = [
            code
            for code, name in self._names.items()
            if (own := terms_of_name(name)) and own <= asked and turns[code] > self._settings.participant_turns
        ]
        heard = self._people if self.with_machine and not set(meant) & set(self._people) else meant
        return among(self._codes, np.array(heard, dtype=np.int64)).astype(np.float64)


@lru_cache(maxsize=1 << 12)
def terms_of_name(name: str) -> frozenset[str]:
    return frozenset(terms_of(name))


def _only_asks(ground: Ground) -> Array:
    """Which turns ask in few words: what they hold is wanted, not known."""
    return np.asarray(ground.forward.asks(ground.keys) & (ground.lengths <= ONLY_ASKS_TERMS_MAX))


def _answering(ground: Ground) -> Array | None:
    """Which rows answer a question: the turn before asks, by another person. Machines repeat what they were asked."""
    forward, before = ground.forward, ground.before
    if ground.alone or not before.any():
        return None
    speakers, askers = ground.speakers, forward.spoken_by(before)
    asked: Array = forward.asks(before) & (before > 0) & (speakers != askers) & (speakers > 0) & (askers > 0)
    if not asked.any():
        return asked
    names = forward.speakers_of(np.concatenate([speakers[asked], askers[asked]]))
    roles = [code for name, code in names.items() if name.lower() in PEOPLE | MACHINES]
    chatting = np.array(roles, dtype=np.int64)
    return np.asarray(asked & ~among(speakers, chatting) & ~among(askers, chatting))


def _dated(times_us: Array, terms: tuple[str, ...]) -> Array | None:
    """Which of the terms name the year, the month or the day of each row's date; None: no term could."""
    if not any(term[:1].isdecimal() or term in _MONTH_OF_TERM for term in terms):
        return None
    dates = Dates(times_us)
    named = np.zeros((len(times_us), len(terms)))
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


def _speaks_of(ground: Ground, years: tuple[int, ...]) -> Array:
    """1 for rows that name a year between the first and the last year of the question."""
    span = [str(year) for year in range(min(years), max(years) + 1)]
    found, _ = match(ground.forward, ground.keys, ground.forward.term_ids(span))
    out = np.zeros(len(ground.keys))
    out[found.row] = 1.0
    return out


def _phrases(words: Lexical, best_rows: Array, question: WeighedQuestion, gap: int) -> Array:
    """The share of the question's neighbouring words that stand close together, for the best rows so far."""
    count = len(words.score)
    pairs = len(question.terms) - 1
    if pairs < 1 or not len(words.matches.row):
        return np.zeros(count)
    best = np.zeros(count, dtype=np.bool_)
    best[best_rows] = True
    looked_at = best[words.matches.row].nonzero()[0]
    row, term, place = (column[looked_at] for column in (words.matches.row, words.matches.term, words.matches.place))
    close = np.zeros((count, pairs), dtype=np.bool_)
    for step in range(1, gap + 1):  # matches come by row and place: no more of them can lie between two
        one, other = slice(None, -step), slice(step, None)
        near = (row[one] == row[other]) & (place[other] - place[one] <= gap)
        near &= np.abs(term[one] - term[other]) == 1
        close[row[one][near], np.minimum(term[one], term[other])[near]] = True
    return np.asarray(close.sum(axis=1) / pairs)


def _linked(ground: Ground, seeds: Array, first: Array, question: WeighedQuestion) -> Array:
    """How good the seed is that names each row's subject; what the question itself names is no news."""
    forward, codes = ground.forward, ground.speakers
    known = forward.names_in(question.terms)
    out = np.zeros(len(first))
    best = float(first[seeds[0]]) if len(seeds) else 0.0
    for seed in seeds[::-1].tolist():
        news = forward.named_in(int(ground.keys[seed])) - known
        if news and best > 0:
            out[among(codes, np.array(list(news))) & (np.arange(len(first)) != seed)] = first[seed] / best
    return out
