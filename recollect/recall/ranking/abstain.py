"""Is the answer here at all? What speaks against it, each with a reason that can be read.

    near      words and meaning come no closer than a question about something else would, in a store of this size; the
              rarer its words are that no record holds, the closer they have to come
    name      the question names what no record ever did
    person    it names one of the people talking, and what matches was said by, or about, another person
    year      no record near it speaks of the years it names
    unsaid    the best records are about its topic, and do not say what it asks of that topic
    unread    it asks for what people often leave unsaid (a price, a surname), and a model reads it in none of the best

Each is a factor between 0 and 1, and their product the share of such questions that have an answer. All but the first
only lower it: a question can be near and still be about the wrong person. A factor that has nothing to look at is 1.
Reasons name words of the question and people who speak, never what a record says.

The reader takes some milliseconds a record, so it reads only where it can change something: for a question of a kind
that is often not answered, and where nothing seems near. There it may also find that a record answers after all. It
learned from what one person tells an assistant, and says nothing of talk among people (docs/adr/0033).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.config.reading import RankingSettings
from recollect.index.base import Pks
from recollect.index.forward import Forward
from recollect.language.terms import telling, terms_of
from recollect.language.words import SPOKEN
from recollect.model.result import NOTHING_STORED
from recollect.model.roles import MACHINES, PEOPLE
from recollect.recall.question.detail import answered_odds
from recollect.recall.ranking.ground import Ground
from recollect.recall.ranking.lexical import WeighedQuestion, match, worth_of
from recollect.recall.ranking.rank import STEEPNESS, Ranked, terms_of_name
from recollect.recall.ranking.wanted import asks_advice, is_topical, wanted_of

Array = NDArray[Any]
Texts = Callable[[Pks], Sequence[str]]
Reads = Callable[[str, Sequence[str]], Array | None]  # log-odds that each text answers a question; None if unread
Rarity = Callable[[Sequence[str]], Array | None]  # of words, in the language at large; None where no model knows

# What a question about something else reaches: the best of many rows is better. It grows up to some ten rows, then from
# some seventy on, where there is more than one topic. A word that no record holds raises what is asked for by how rare
# it is in the language at large: "tungsten" says that the question is about something else, "called" says nothing.
# Fitted on chats, stories and articles of 1 to 2,000 rows, on their own questions and on those of another of them
# (docs/quality.md).
BACKGROUND_FEW, BACKGROUND_FEW_PER_LOG, BACKGROUND_FEW_MAX = 0.065, 0.045, 0.17
BACKGROUND_MANY, BACKGROUND_MANY_PER_LOG, BACKGROUND_ROWS_MAX = -0.38, 0.13, 1_000
STRANGE_SHARE, STRANGE_MAX = 0.45, 3.0  # of a long question some words are always new
RARITY_UNKNOWN = 0.45  # of a word, where no model says how rare it is
NEAR_STEEPNESS = 6.0
WORDS_BACKGROUND, WORDS_PER_LOG, WORDS_STEEPNESS = 0.04, 0.03, 3.0  # the same without vectors, which know less
# By a sentence model: of the questions of eight written lives 97 in 100 have a turn at .27 or nearer, the middle one at
# .45; of those asked of another life a third have none at .27.
ENCODED_MIDDLE, ENCODED_STEEPNESS = 0.3, 40.0
# Parts that a row earns by what the question says. "What happened yesterday?" asks for a time and nothing else; in a
# longer question something always happened at that time.
# What each is worth was fitted together with the background.
_EARNED = (("text", 1.0), ("phrase", 0.15), ("date", 0.15), ("year", 0.15), ("speaker", 0.2), ("entity", 0.2))
EVIDENCE = dict((*_EARNED, ("place", 0.2), ("files", 0.15), ("time", 0.1)))
LIKENESS = 0.3
TIME_ALONE_TERMS = 3

PEOPLE_MAX = 4  # in a larger crowd another person always matches
PERSON_ROWS, PERSON_BEST = 200, 5
PERSON_MARGIN, PERSON_SLOPE, MEANING_SHARE = -0.05, 20.0, 0.25
YEAR_ROWS, YEARS_AROUND = 10, 2
TOPIC_ROWS, TOPIC_SHARE = 3, 0.8
TELLING_STORE_WORDS = 10_000  # from about here a store has said enough for its silence to tell
SPEAKERS_LOOKED_AT = 20
# Log-odds by the words of a question (recall/question/detail.py) below which it is read for; those together with the
# reader's at which half of such questions are taken for unanswered; and how fast that share falls. Chosen on writers
# whose questions neither had learned from (docs/adr/0033).
READ_BELOW, UNREAD_MIDDLE, UNREAD_STEEPNESS, READ_ROWS = 1.0, -1.2, 6.0, 3
READ_TERMS = 2  # "what did we decide?" names nothing that a record could fail to tell
FOUND_STEEPNESS = 2.0  # of the reader's log-odds, where nothing else is near
NOBODY = 0  # the code of a row without a speaker
WORDS_IN_REASON, CHARS_OF_A_WORD = 3, 40
DOUBTED = 0.7  # a factor below this is worth a word
# Of the bar: a preference bears on a request for advice with hardly a word in common, and whatever words are new in it.
ADVICE_SHARE = 1 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """`share` of such questions have an answer here; `reasons` say what speaks against it, the weightiest first."""

    share: float
    abstained: bool
    reasons: tuple[str, ...] = ()


class _Doubt(NamedTuple):
    """What one signal leaves of the share, and why."""

    factor: float
    reasons: tuple[str, ...] = ()


_NO_DOUBT = _Doubt(1.0)
_NOTHING_NEAR = "nothing near in words or meaning"


def answerability(
    ground: Ground,
    asked: WeighedQuestion,
    ranked: Ranked,
    *,
    settings: RankingSettings,
    texts: Texts | None = None,
    time_said: str = "",
    nothing: str = NOTHING_STORED,
    rarity: Rarity = lambda words: None,
    reads: Reads | None = None,
) -> Answerability:
    """Judge from what was ranked.

    `texts` reads at most twice `PERSON_BEST` rows, and is called only when the question names one of few people.
    `time_said` is how the question names the time it asks about, if it does: "last week". `nothing` is what there is to
    say where no row may be looked at. `rarity` is asked only about words that no record holds. `reads` reads the first
    `READ_ROWS`, with `texts`, for some questions.
    """
    if not len(ranked.pks):
        why = _NOTHING_NEAR if asked.rows else nothing
        return Answerability(share=0.0, abstained=True, reasons=(why,))
    seen = _seen(ground, asked, ranked, time_said)
    advice = asks_advice(asked.text)
    bar = settings.abstain_below * (ADVICE_SHARE if advice else 1.0)
    near = _near(seen, 0.0 if advice else _strangeness(seen, rarity))
    usually = answered_odds(asked.text)
    often_unsaid = usually < READ_BELOW and len(telling(asked.terms)) >= READ_TERMS and not advice
    read = _read(seen, texts, reads) if settings.doubt_unread and (often_unsaid or near.factor < bar) else None
    unread = _NO_DOUBT
    if read is not None:
        near = max(near, _Doubt(_sigmoid(FOUND_STEEPNESS * read)))
        unread = _unread(usually + read, settings.doubt_unread) if often_unsaid else _NO_DOUBT
    doubts = (
        near,
        _name(seen, settings.doubt_name),
        _person(seen, settings.doubt_person, texts),
        _year(seen, settings.doubt_year),
        _unsaid(seen, settings.doubt_unsaid),
        unread,
    )
    share = math.prod(doubt.factor for doubt in doubts)
    weightiest_first = sorted(doubts, key=lambda doubt: doubt.factor)
    reasons = dict.fromkeys(reason for doubt in weightiest_first for reason in doubt.reasons)
    abstained = share < bar
    return Answerability(
        share=share, abstained=abstained, reasons=tuple(reasons) or ((_NOTHING_NEAR,) if abstained else ())
    )


def bent(scores: Array, share: float) -> Array:
    """Scores that mean the same in every question: near rows of a doubtful question stay low. The order stays.

    The first is the share of such questions times the root of its score, which was found to be about how often the
    answer is among the first ten; the others are in proportion to it.
    """
    best = float(scores.max(initial=0.0))
    return np.asarray(share * scores / np.sqrt(best)) if best > 0 else scores


# --- what the signals look at ----------------------------------------------------------------------------------------


class _Seen(NamedTuple):
    ground: Ground
    asked: WeighedQuestion
    pks: Pks
    words: float  # the most that a candidate earned by what the question says
    said: float  # … likeness left aside
    likeness: Array | None  # cosines, by the static model where there is one; None without vectors
    encoded: float | None  # the best cosine by a sentence model, where one reads beside the static model
    speakers: Array  # codes, one a candidate
    people: dict[str, int]  # who talks, where it is people and few of them
    meant: list[int]  # … and who of them the question names
    names: frozenset[str]  # terms of the names of who said the best candidates
    held: Array  # which of the question's terms the first candidates hold
    time_terms: frozenset[str]  # terms by which the question names a time: no record need hold them
    never_met: list[int]  # places of the question's telling terms that no row it is asked of holds
    new_words: list[str]  # … as the question spells them
    in_time: float | None  # how near that time the nearest candidate lies, where nothing else is asked


def _seen(
    ground: Ground,
    asked: WeighedQuestion,
    ranked: Ranked,
    time_said: str,
) -> _Seen:
    forward, weights = ground.forward, ranked.weights
    total = -np.log1p(-np.minimum(ranked.scores, 1.0 - 1e-9)) / STEEPNESS
    unbent = total / np.where(ranked.scores > 0, ranked.scores, 1.0)
    evidence = EVIDENCE.keys() if len(asked.terms) <= TIME_ALONE_TERMS else EVIDENCE.keys() - {"time"}
    shares = {name: part * unbent / weights[name] for name, part in ranked.parts.items() if weights.get(name)}
    likeness = shares.get("static", shares.get("vector"))
    speakers = forward.spoken_by(ranked.pks)
    every = forward.speakers_of(speakers)
    nearest = forward.speakers_of(speakers[:SPEAKERS_LOOKED_AT]) if every else every
    with_machine = {name.lower() for name in nearest} <= _ROLES or any(name.lower() in MACHINES for name in every)
    everybody = {} if with_machine else every
    people = everybody if len(everybody) <= PEOPLE_MAX else {}
    words = set(terms_of(asked.text)) if people else set()
    meant = [code for name, code in people.items() if terms_of_name(name) and terms_of_name(name) <= words]
    if with_machine:
        shares.pop("speaker", None)
    rows = PERSON_ROWS if meant and len(meant) < len(people) else TOPIC_ROWS
    said = np.zeros(1)
    for name in shares.keys() & evidence:
        said = said + EVIDENCE[name] * shares[name]  # whatever the intent weighs
    earned = said if likeness is None else said + LIKENESS * likeness
    encoded = shares.get("vector") if "static" in shares else None
    names = frozenset(term for name in nearest for term in terms_of_name(name))
    time_terms = frozenset(terms_of(time_said))
    never_met = _never_met(asked, names | time_terms)
    asks_more = set(telling(asked.terms)) - time_terms - _of_anything() - names
    alone = time_terms and not asks_more and "time" in shares.keys() & evidence
    return _Seen(
        ground=ground,
        asked=asked,
        pks=ranked.pks,
        words=float(np.max(earned)),
        said=float(np.max(said)),
        likeness=likeness,
        encoded=None if encoded is None else float(encoded.max(initial=0.0)),
        speakers=speakers,
        people=people,
        meant=meant,
        names=names,
        held=_held(forward, ranked.pks[:rows], asked.ids),
        time_terms=time_terms,
        never_met=never_met,
        new_words=_spelled(asked, never_met) if never_met else [],
        in_time=float(shares["time"].max()) if alone else None,
    )


_ROLES = PEOPLE | MACHINES


@lru_cache(maxsize=1)
def _of_anything() -> frozenset[str]:
    """Terms that ask for whatever there was: "what happened", "what did we work on"."""
    return frozenset(terms_of("happen happened do done work talk discuss thing event news"))


def _held(forward: Forward, pks: Pks, ids: Array) -> Array:
    """Which of the terms, all different, each row holds."""
    held = np.zeros((len(pks), len(ids)), dtype=np.bool_)
    found, _ = match(forward, pks, ids)
    held[found.row, found.term] = True
    return held


def _never_met(question: WeighedQuestion, beside: frozenset[str]) -> list[int]:
    """Places of the telling terms that no row holds, `beside` those that none need hold."""
    absent = (question.worth >= worth_of(np.zeros(1), question.rows)).nonzero()[0].tolist()
    if not absent:
        return []
    silent = set(question.terms).difference(telling(question.terms))  # of function words the index holds none
    return [place for place in absent if question.terms[place] not in silent | beside]


def _spelled(asked: WeighedQuestion, places: Sequence[int]) -> list[str]:
    """Terms as the question spells them."""
    spelled = {term: word for word in SPOKEN.findall(asked.text) for term in terms_of(word)}
    terms = asked.terms
    return [spelled.get(terms[place], terms[place]) for place in places]


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{_clipped(word)}'" for word in list(dict.fromkeys(words))[:WORDS_IN_REASON])


def _clipped(word: str) -> str:
    return word if len(word) <= CHARS_OF_A_WORD else word[: CHARS_OF_A_WORD - 1] + "…"


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, x))))


# --- the signals -----------------------------------------------------------------------------------------------------


def _strangeness(seen: _Seen, rarity: Rarity) -> float:
    """How much the words that no record holds say that the question is about something else."""
    if not seen.asked.terms:  # nothing but signs: no record could hold it
        return STRANGE_MAX
    if not seen.new_words or seen.likeness is None:
        return 0.0
    known = rarity(seen.new_words)
    return min(STRANGE_MAX, RARITY_UNKNOWN * len(seen.new_words) if known is None else float(known.sum()))


def _near(seen: _Seen, strangeness: float) -> _Doubt:
    if seen.in_time is not None:
        return _Doubt(seen.in_time, () if seen.in_time >= DOUBTED else ("nothing is known of that time",))
    rows = math.log(max(1, min(seen.asked.rows, BACKGROUND_ROWS_MAX)))
    if seen.likeness is None or seen.encoded is not None:
        times = seen.said / (WORDS_BACKGROUND + WORDS_PER_LOG * rows)
        factor = _sigmoid(WORDS_STEEPNESS * (times - 1.0))
        if seen.encoded is not None:
            factor = max(factor, _sigmoid(ENCODED_STEEPNESS * (seen.encoded - ENCODED_MIDDLE)))
    else:
        few = min(BACKGROUND_FEW_MAX, BACKGROUND_FEW + BACKGROUND_FEW_PER_LOG * rows)
        background = max(few, BACKGROUND_MANY + BACKGROUND_MANY_PER_LOG * rows)
        wanted = background * (1.0 + STRANGE_SHARE * strangeness)
        times = (seen.words + float(seen.likeness.max())) / wanted
        factor = _sigmoid(NEAR_STEEPNESS * (times - 1.0))
    if factor >= DOUBTED:
        return _Doubt(factor)
    return _Doubt(factor, (*_never_mentioned(seen), _NOTHING_NEAR))


def _name(seen: _Seen, weight: float) -> _Doubt:
    """Names are capitalised words after the first."""
    places = {term: place for place, term in enumerate(seen.asked.terms)}
    capitalised = [word for word in SPOKEN.findall(seen.asked.text)[1:] if word[0].isupper()]
    named = {places[term] for word in capitalised for term in terms_of(word) if term in places}
    unknown = named.intersection(seen.never_met)
    if not unknown:
        return _NO_DOUBT
    return _Doubt(1.0 - weight * len(unknown) / len(named), _never_mentioned(seen))


def _never_mentioned(seen: _Seen) -> tuple[str, ...]:
    return (f"never mentioned: {_quoted(seen.new_words)}",) if seen.new_words else ()


def _person(seen: _Seen, weight: float, texts: Texts | None) -> _Doubt:
    """Compare how well the turns of who is named match with how well everybody else's do.

    A statement without a speaker counts for the person it names; one that names no person takes no side.
    """
    worth = _worth_beside(seen.asked, seen.names)
    if not seen.meant or len(seen.meant) == len(seen.people) or not worth.any():
        return _NO_DOUBT
    fit = seen.held @ worth / worth.sum()
    if seen.likeness is not None:
        fit += MEANING_SHARE * seen.likeness[: len(fit)]
    speakers = seen.speakers[: len(fit)]
    theirs = (speakers[:, None] == seen.meant).any(axis=1)
    not_theirs = ~theirs
    statements = speakers == NOBODY
    if statements.any():
        theirs |= statements & _naming(seen, len(fit), seen.meant)
        not_theirs &= ~theirs & (~statements | _naming(seen, len(fit), list(seen.people.values())))
    own, others = (_best(fit, side) for side in (theirs, not_theirs))
    if texts is not None:
        best = np.concatenate([own, others])
        fit[best] *= [_of_oneself(text) for text in texts(seen.pks[best])]
    margin = float(fit[own].sum() - fit[others].sum()) / PERSON_BEST
    factor = 1.0 - weight * _sigmoid(PERSON_SLOPE * (PERSON_MARGIN - margin))
    if factor >= DOUBTED or not len(others):
        return _Doubt(factor)
    name_of = {code: name for name, code in seen.people.items()}
    named = " and ".join(name_of[code] for code in seen.meant)
    other = name_of.get(int(speakers[others[np.argmax(fit[others])]]))
    said = f"was said by {other}" if other is not None else "names another"
    return _Doubt(factor, (f"about somebody else: {named} is named, but what matches {said}",))


def _naming(seen: _Seen, rows: int, people: Sequence[int]) -> Array:
    """Which of the first rows name one of these people."""
    out = np.zeros(rows, dtype=np.bool_)
    for name in (name for name, code in seen.people.items() if code in people):
        terms = seen.ground.forward.term_ids(sorted(terms_of_name(name)))
        if len(terms):
            out |= _held(seen.ground.forward, seen.pks[:rows], terms).all(axis=1)
    return out


def _worth_beside(question: WeighedQuestion, names: frozenset[str]) -> Array:
    """What the terms are worth beside names, which stand in the question in any case."""
    return question.worth * [term not in names for term in question.terms]


def _best(fit: Array, side: Array) -> Array:
    rows = np.flatnonzero(side)
    return rows[np.argsort(-fit[rows], kind="stable")[:PERSON_BEST]]


def _of_oneself(text: str) -> float:
    """How much of a turn is about who says it: "my trip" is, "how was your trip?" is about the other."""
    words = _PLAIN_WORD.findall(text.lower())
    own, other = sum(map(_OWN.__contains__, words)), sum(map(_OTHER.__contains__, words))
    return (0.4 + 0.6 * (own + 0.5) / (own + other + 1.0)) * (0.7 if text.rstrip().endswith("?") else 1.0)


_PLAIN_WORD = re.compile(r"[a-z]+")
_OWN = frozenset({"i", "my", "me", "mine", "we", "our", "us", "myself"})
_OTHER = frozenset({"you", "your", "yours", "yourself"})


def _year(seen: _Seen, weight: float) -> _Doubt:
    """The first and the last year of the question, both in one row; a year or two off counts for less."""
    if not seen.asked.cues.years:
        return _NO_DOUBT
    pks = seen.pks[:YEAR_ROWS]
    ends = np.array(sorted({min(seen.asked.cues.years), max(seen.asked.cues.years)}))
    years = np.arange(-YEARS_AROUND, YEARS_AROUND + 1) + ends[:, None]
    spoken_of = _speaks_of(seen.ground.forward, pks, years)
    met = (spoken_of * np.exp(-np.abs(years - ends[:, None]))).max(axis=2)
    times_us = seen.ground.times_us[seen.ground.keys.searchsorted(pks)]
    dated = times_us.astype("datetime64[us]").astype("datetime64[Y]").astype(np.int64) + 1970
    met = np.maximum(met, dated[:, None] == ends)
    factor = 1.0 - weight * (1.0 - float(met.mean(axis=1).max()))
    if factor >= DOUBTED:
        return _Doubt(factor)
    unmet = ends[met.max(axis=0) < 1.0].tolist()
    which = " or ".join(map(str, unmet)) or " and ".join(map(str, ends.tolist())) + " together"
    return _Doubt(factor, (f"no record speaks of {which}",))


def _speaks_of(forward: Forward, pks: Pks, years: Array) -> Array:
    """Whether each row names each year of a table."""
    distinct, where = np.unique(years, return_inverse=True)
    held = _held(forward, pks, forward.term_ids([str(year) for year in distinct.tolist()]))
    return held[:, where.reshape(years.shape)]


def _unsaid(seen: _Seen, weight: float) -> _Doubt:
    """The best records may be about the topic and still not say what is wanted of it."""
    wanted = wanted_of(seen.asked.text, seen.asked.terms, seen.names)
    if not wanted:
        return _NO_DOUBT
    worth = seen.asked.worth * [is_topical(term, seen.names) for term in seen.asked.terms]
    worth[wanted] = 0.0
    if not worth.any():
        return _NO_DOUBT
    held = seen.held[:TOPIC_ROWS]
    topic = held @ worth / worth.sum()
    missing = ~held[topic >= TOPIC_SHARE * topic.max()][:, wanted].any(axis=0)
    words = seen.asked.rows * seen.ground.forward.length_mean()
    factor = 1.0 - weight * float(topic.max() * missing.mean()) * words / (words + TELLING_STORE_WORDS)
    if factor >= DOUBTED:
        return _Doubt(factor)
    places = [place for place, out in zip(wanted, missing.tolist(), strict=True) if out]
    return _Doubt(factor, (f"what matches says nothing of {_quoted(_spelled(seen.asked, places))}",))


def _read(seen: _Seen, texts: Texts | None, reads: Reads | None) -> float | None:
    """The best log-odds among the first rows, each shown with who says it; None where nothing is read."""
    if texts is None or reads is None or len(seen.people) > 1:
        return None
    speakers = seen.speakers[:READ_ROWS]
    name_of = {code: name for name, code in seen.ground.forward.speakers_of(speakers).items()}
    said = zip(speakers.tolist(), texts(seen.pks[:READ_ROWS]), strict=True)
    read = reads(seen.asked.text, [f"{name_of[code]}: {text}" if code in name_of else text for code, text in said])
    return None if read is None else float(read.max())


def _unread(odds: float, weight: float) -> _Doubt:
    factor = 1.0 - weight * _sigmoid(UNREAD_STEEPNESS * (UNREAD_MIDDLE - odds))
    return _Doubt(factor) if factor >= DOUBTED else _Doubt(factor, ("what is near does not say what is asked",))
