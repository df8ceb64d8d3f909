"""What to recall for a window: as many candidates as its budget could hold, led by where the conversation goes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile, zip_longest

from recollect.clock import from_us
from recollect.config import Config
from recollect.config.reading import RecallSettings
from recollect.config.window import ContextSettings
from recollect.config.writing import AffectSettings
from recollect.context.beside import Standing
from recollect.context.mode import asks, names_no_topic, speaks_of_oneself
from recollect.context.request import Request
from recollect.limits import QUERY_CHARS_MAX, TOP_K_MAX
from recollect.model.messages import Message
from recollect.model.query import Criteria
from recollect.model.result import Hit, Recollection
from recollect.model.working import Exchange
from recollect.recall.hits import load_hits
from recollect.recall.pipeline import ReadPath
from recollect.recall.question.present import asks_how_it_developed
from recollect.recall.question.query import Leaning, Query
from recollect.recall.question.when import Window, when_of
from recollect.store.base import Store
from recollect.working.anticipate import Prediction
from recollect.working.mind import Heard

LINE_TOKENS_MAX = 90.0  # of a memory in a window: of long ones the short forms are shown
_LEARNING = 0.05
TALK_NAMES, TALK_WORDS = 3, 6  # of the talk, that a thin prompt is asked with
GENERAL_MAX = 100  # records that matter most, looked at for a question that names no topic
CHAINS_FROM = 10  # hits whose chains are told where it is asked how something developed
NEAR_MAX, NEAR_SCORE_MIN, NEAR_SHARE = 5, 0.5, 0.5  # what its few words surely found, and near the best of it
AHEAD_SHARE = 0.3  # of a search ahead that is where the talk goes rather than what was said last


@dataclass(slots=True)
class Sizes:
    """How long memories are here as they are shown, learnt from windows."""

    tokens: float  # of one; `recall.record_tokens` before any was seen

    def note(self, tokens: int, records: int) -> None:
        """So many records took so many tokens."""
        if records:
            self.tokens += _LEARNING * (min(tokens / records, LINE_TOKENS_MAX) - self.tokens)

    def fitting(self, tokens: int, settings: RecallSettings) -> int:
        """How many candidates a budget is worth looking at: more than fit, since packing chooses among them."""
        fit = int(settings.budget_overfetch * tokens / max(self.tokens, 1.0))
        return min(TOP_K_MAX, max(settings.candidates_min, fit))


def query_for(request: Request, heard: Heard | None, top_k: int) -> Query:
    """The search for a prompt by its own words; one with words of its own leans towards where the talk goes."""
    leaning = None if heard is None or heard.thin else _leaning(heard)
    return _query(request, request.prompt, top_k, leaning)


def _query_of_talk(request: Request, heard: Heard, top_k: int) -> Query:
    """A thin prompt ("ok, now deploy it") asked with the names and words of the talk."""
    words = _of_the_talk(heard, has_words=not names_no_topic(request.prompt))
    return _query(request, " ".join(dict.fromkeys((request.prompt, *words))), top_k, _leaning(heard))


def _query(request: Request, text: str, top_k: int, leaning: Leaning | None) -> Query:
    return Query(
        text=text[:QUERY_CHARS_MAX],
        criteria=request.criteria,
        top_k=top_k,
        phase=request.phase,
        asked_in=request.session,
        leaning=leaning,
    )


def _leaning(heard: Heard) -> Leaning | None:
    if heard.momentum is None or heard.share <= 0.0:
        return None
    return Leaning(heard.momentum, heard.share)


def _of_the_talk(heard: Heard, *, has_words: bool) -> Sequence[str]:
    """Names and words to ask with. Beside words of its own ("deploy") a prompt needs only whom or what it means."""
    if has_words:
        return heard.names[:TALK_NAMES] or heard.words[:TALK_NAMES]
    return (*heard.names, *heard.words[:TALK_WORDS])


def query_ahead(request: Request, prediction: Prediction, top_k: int, also: str = "") -> Query:
    """The search for what is likely to be asked next; `also` names an area of which more is wanted."""
    text = " ".join(dict.fromkeys(part for part in (prediction.text, *prediction.names, also) if part))
    leaning = None if prediction.vector is None else Leaning(prediction.vector, AHEAD_SHARE)
    return Query(
        text=text[:QUERY_CHARS_MAX], criteria=request.criteria, top_k=top_k, phase=request.phase, leaning=leaning
    )


def unsaid(found: Recollection, history: Sequence[Message], exchanges: Sequence[Exchange]) -> Recollection:
    """Without what stands in the conversation that is sent along; what was said a moment ago comes last."""
    said = {message.text for message in history}
    just_said = {text for exchange in exchanges for text in (exchange.said, exchange.answered)}
    hits = [hit for hit in found.hits if hit.content not in said]
    return replace(found, hits=tuple(sorted(hits, key=lambda hit: hit.content in just_said)))


def above(found: Recollection, floor: float) -> Recollection:
    """Without what scores far below the best: a large window could hold it, but nobody wants to pay for it."""
    if not found.hits:
        return found
    least = floor * max(hit.score for hit in found.hits)
    return replace(found, hits=tuple(hit for hit in found.hits if hit.score >= least))


def levels_of(hits: Iterable[Hit], found: Recollection, room: int, settings: ContextSettings) -> dict[str, float]:
    """Where each of these hits stood among what was found, by id: the floor of a usual window that just admits it."""
    best = max((hit.score for hit in found.hits), default=0.0)
    scores = {hit.id: hit.score for hit in found.hits}
    if best <= 0.0:
        return {}
    wider = 1.0 / floor_of(room, settings, 1.0)
    return {hit.id: min(1.0, max(0.0, scores[hit.id] / best * wider)) for hit in hits if hit.id in scores}


def floor_of(room: int, settings: ContextSettings, floor: float) -> float:
    """The share of the best score that others need. It falls with every doubling of the room beyond a usual window.

    A window of two thousand tokens is full long before; one of a hundred thousand could be filled with anything, and
    should hold what bears on a prompt at all rather than what was worth a place among fifty.
    """
    doublings = math.log2(max(1.0, room / settings.tokens))
    return floor / (1.0 + doublings)


class Recalling:
    """Answers for windows; none counts as used until it is shown."""

    def __init__(self, store: Store, recall: ReadPath, standing: Standing) -> None:
        self._store = store
        self._recall = recall
        self._standing = standing

    def answer(self, query: Query, request: Request, heard: Heard | None, *, now: int, config: Config) -> Recollection:
        """What the prompt's own words find, what the talk adds to them, and what is known where they name no topic."""
        query = replace(query, mood=_mood(heard, config.affect))
        found = self._recall.in_time(query)
        if asks_how_it_developed(request.prompt):
            found = self._with_chains(found, request.criteria, now, config)
        of_the_talk = None if heard is None else self._of_the_talk(query, request, heard, now)
        if of_the_talk is not None and (heard is None or not heard.thin):
            return _after(found, of_the_talk)
        if request.prompt.strip() and asks(request.prompt):
            found = self._with_what_matters(found, request, of_the_talk, now, config)
        if of_the_talk is None:
            return found
        return _woven(of_the_talk, found) if not names_no_topic(request.prompt) else _after(found, of_the_talk)

    def _with_chains(self, found: Recollection, criteria: Criteria, now: int, config: Config) -> Recollection:
        """With what the best hits took the place of, and what took theirs, in whatever words it was said."""
        first = found.hits[:CHAINS_FROM]
        if not first or criteria.as_of is not None or criteria.known_at is not None:
            return found
        with self._store.read() as tx:
            pks = tx.records.pks_of([hit.id for hit in first])
            changes = tx.validity.changes_around({*pks, *tx.statements.said_in(pks)})
            further = {pk for each in changes for pk in (each.older, each.newer)} - set(pks)
            seen = tx.records.matching(replace(criteria, ended=True), now=now, among=sorted(further))
            scores = dict.fromkeys(seen, first[-1].score)
            steps = load_hits(tx, scores, criteria, now=now, config=config) if scores else {}
        told = self._recall.screened(list(steps.values()))
        return replace(found, hits=_each_once([*first, *told, *found.hits[CHAINS_FROM:]]))

    def _of_the_talk(self, query: Query, request: Request, heard: Heard, now: int) -> Recollection | None:
        """What the talk finds for a prompt: what was prepared in it or, for a thin prompt, what its words find.

        Nobody can tell "where is it?" from "where do I live?" by looking: a thin prompt may mean the talk or itself,
        so both are asked. One that wants nothing asks for neither.
        """
        prepared = self._still_so(heard.prepared, query, now)
        of_itself = names_no_topic(request.prompt)
        if not heard.thin or (of_itself and prepared is not None):
            return prepared
        if not (heard.names or heard.words) or (of_itself and not asks(request.prompt)):
            return None
        of_the_talk = _query_of_talk(request, heard, query.top_k)
        return self._recall.in_time(replace(of_the_talk, mood=query.mood))

    def _with_what_matters(
        self, found: Recollection, request: Request, of_the_talk: Recollection | None, now: int, config: Config
    ) -> Recollection:
        """What is known beyond what the words of a question find.

        "What do you know about me?" shares no word with its answer: it asks about somebody or a time in general, and
        is answered by what happened in the time it names, or else by who somebody is and what matters now; or it
        means the talk. Where the words of "What's my job?" found nothing, who somebody is may still tell; that
        remains no answer found.
        """
        period = when_of(request.prompt, from_us(now), recent_days=config.time.recent_days)
        windows = period.windows if period is not None else ()
        ahead = any(start is not None and start > now for start, _ in windows)
        in_general = names_no_topic(request.prompt)
        if not (in_general or ahead or (found.abstained and speaks_of_oneself(request.prompt))):
            return found
        look = partial(self._standing.foremost, limit=GENERAL_MAX, now=now, config=config)
        known = [look(_within(request.criteria, window, drawn=ahead)) for window in windows]
        if not windows:
            known.append(self._standing.profile(request.criteria, now=now, config=config))
        if in_general and (ahead or not windows):  # what is to come was said lately
            known.append(look(replace(request.criteria, drawn=False)))
        answered = (in_general or ahead) and any(known)
        near = _near(found)
        if in_general and of_the_talk is not None:
            known.append(list(_near(of_the_talk)))
        further = found.hits[len(near) :]
        hits = [*near, *_by_turns(*known), *further] if answered and not near else [*near, *_by_turns(further, *known)]
        return replace(found, hits=_each_once(hits), abstained=found.abstained and not answered)

    def _still_so(self, prepared: Recollection | None, query: Query, now: int) -> Recollection | None:
        """Of what was prepared a moment ago what still stands; None if that is nothing."""
        if prepared is None:
            return None
        with self._store.read() as tx:
            held = tx.records.visible_versions([hit.id for hit in prepared], query.criteria, now=now)
        hits = tuple(hit for hit in prepared if held.get(hit.id) == hit.version)
        return replace(prepared, query=query.text, hits=hits) if hits else None


def _mood(heard: Heard | None, settings: AffectSettings) -> float | None:
    """The mood of the talk; None where there is no talk, and the prompt's own words tell."""
    if heard is None:
        return None
    return heard.mood if settings.mood_leans and abs(heard.mood) >= settings.mood_valence_min else 0.0


def _near(found: Recollection) -> Sequence[Hit]:
    """The first that were found, as far as they are not far behind the best."""
    best = max((hit.score for hit in found.hits), default=0.0)
    if found.abstained or best < NEAR_SCORE_MIN:
        return ()
    least = NEAR_SHARE * best
    return tuple(takewhile(lambda hit: hit.score >= least, found.hits[:NEAR_MAX]))


def _within(criteria: Criteria, window: Window, *, drawn: bool) -> Criteria:
    """What happened in a time, or is said to happen then: that is the time of a statement, not of who said it."""
    return replace(criteria, after=window[0], before=window[1], drawn=drawn)


def _woven(first: Recollection, second: Recollection) -> Recollection:
    """Two answers as one, hit by hit; one that found nothing goes behind the other."""
    if first.abstained != second.abstained:
        return _after(*((second, first) if first.abstained else (first, second)))
    return replace(first, hits=_each_once(_by_turns(first.hits, second.hits)))


def _after(found: Recollection, more: Recollection) -> Recollection:
    return replace(found, hits=_each_once([*found.hits, *more.hits]))


def _by_turns(*lists: Sequence[Hit]) -> list[Hit]:
    return [hit for each in zip_longest(*lists) for hit in each if hit is not None]


def _each_once(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    kept: dict[str, Hit] = {}
    for hit in hits:
        kept.setdefault(hit.id, hit)
    return tuple(kept.values())
