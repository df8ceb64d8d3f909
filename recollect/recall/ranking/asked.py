"""A question made ready: its telling terms and what they are worth here, its dates, its direction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from recollect.index.base import Selection
from recollect.index.forward import Forward
from recollect.index.keys import each_once
from recollect.language.terms import query_terms, terms_of
from recollect.language.words import SPOKEN
from recollect.model.query import Criteria
from recollect.model.roles import PEOPLE
from recollect.model.scope import Scope
from recollect.providers.base import Embedder, Vectors
from recollect.recall.question.cues import cues_of
from recollect.recall.ranking.lexical import WeighedQuestion, holders_among, worth_of
from recollect.recall.ranking.wanted import is_light
from recollect.store.base import Tx
from recollect.store.textual import TextIndexDamaged

OWN_NAME_SHARE = 0.25  # where records only name whom they are about; not nothing: others may be spoken of beside them
LIGHT_SHARE = 0.6  # "which editor does she use": a record need not say "use" to answer, and many others do
RARE_ROWS = 20.0  # a word that so many rows of a scope should hold is in one of them, as good as certainly
COUNTED_ROWS_MAX = 5_000  # rows of a scope whose words are counted exactly; larger ones take the store's shares


def question_of(
    forward: Forward,
    text: str,
    among: Selection,
    holds: Callable[[str], bool] = lambda term: True,
    own: Collection[str] = (),
) -> WeighedQuestion:
    """The question's terms, weighed by how rare they are among the rows it is asked of.

    `holds` says whether any of those rows holds a term: one that only others' rows hold counts as never met, so that
    no answer tells which words others have stored. `own` are terms of the name of the person whose memory it is.
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
    worth = worth_of(holders, among.count) * shares_of(terms, own if _nobody_is_called(forward, own, among) else ())
    return WeighedQuestion(terms, met, worth, among.count, length_mean, text, cues_of(text))


def cold_question(tx: Tx, text: str, criteria: Criteria, *, now: int, counted: bool = False) -> WeighedQuestion:
    """A question weighed by the text index on disk, which counts earlier versions too.

    `counted`: in a small scope words are counted among its rows alone, as they are in memory.

    A word that stands in none of the rows that are asked counts as met nowhere: an answer must not tell that others
    have used it.
    """
    terms = tuple(query_terms(text))
    nowhere = np.full(len(terms), -1, dtype=np.int64)
    try:
        held, rows = _counted_cold(tx, terms, criteria, now=now, counted=counted)
    except TextIndexDamaged:  # `by_words` says so
        held, rows = {}, max(1, tx.candidates.last_pk())
    holders = np.array([held.get(term, 0) for term in terms], dtype=np.float64)
    return WeighedQuestion(terms, nowhere, worth_of(holders, rows), rows, None, text, cues_of(text))


def _counted_cold(
    tx: Tx, terms: Sequence[str], criteria: Criteria, *, now: int, counted: bool
) -> tuple[Mapping[str, int], int]:
    """In how many rows each term stands that stands in any that are asked, and how many rows were counted."""
    within = tx.text.holders_within(terms, criteria, now=now, rows_max=COUNTED_ROWS_MAX) if counted else None
    if within is not None:
        return within.holders, within.rows
    counts = tx.text.holders(terms)
    unseen = tx.text.unseen(counts, criteria, now=now)
    return {term: count for term, count in counts.items() if term not in unseen}, max(1, tx.candidates.last_pk())


def in_terms_of(question: WeighedQuestion, forward: Forward) -> WeighedQuestion:
    """The same question with the codes its terms have in an index."""
    return replace(question, ids=forward.term_ids(question.terms))


def own_terms(scope: Scope) -> frozenset[str]:
    """Terms of the name of whose memory it is; "the user" is what statements call them."""
    return frozenset(terms_of(f"{scope.user_id} user")) if scope.user_id else frozenset()


def shares_of(terms: Sequence[str], own: Collection[str]) -> Vectors:
    """What is left of each term's worth: less for words that say how to answer, and for the name of whom all is about.

    "Where does Ana live?", asked of what Ana said, is "Where do I live?": a record is no better for naming her.
    """
    mine = np.array([term in own for term in terms], dtype=np.bool_)
    light = np.array([is_light(term) for term in terms], dtype=np.bool_)
    share = np.where(light & ~(light | mine).all(), LIGHT_SHARE, 1.0)
    return np.asarray(np.where(mine & ~mine.all(), OWN_NAME_SHARE, share))


def _nobody_is_called(forward: Forward, own: Collection[str], among: Selection) -> bool:
    """Whether none of the rows was said by a person of this name: it stands over all that its bearer said anyway."""
    if not own or among.count > COUNTED_ROWS_MAX:
        return False
    names = forward.speakers_of(each_once(forward.spoken_by(among.pks())))
    return not any(set(terms_of(name)) <= set(own) for name in names if name.lower() not in PEOPLE)


@lru_cache(maxsize=1 << 13)
def _first_term(word: str) -> str | None:
    return next(iter(terms_of(word)), None)


def direction_of(text: str, question: WeighedQuestion, embedder: Embedder) -> Vectors:
    """Where the question points. A static model weighs its words by how rare they are here: names would rule it."""
    word_vectors = getattr(embedder, "word_vectors", None)
    if word_vectors is None:
        return np.asarray(embedder.embed([text])[0])
    worth: dict[str | None, float] = dict(zip(question.terms, question.worth.tolist(), strict=True))
    weights = {word: worth[first] for word in SPOKEN.findall(text) if (first := _first_term(word)) in worth}
    if not weights:
        return np.asarray(embedder.embed([text])[0])
    direction = np.array(list(weights.values()), dtype=np.float32) @ word_vectors(list(weights))
    length = float(np.linalg.norm(direction))
    return np.asarray(direction / length if length else direction, dtype=np.float32)
