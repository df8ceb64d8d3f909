"""What to recall for a window: as many candidates as its budget could hold, led by where the conversation goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.context.request import Request
from recollect.limits import QUERY_CHARS_MAX, TOP_K_MAX
from recollect.model.messages import Message
from recollect.model.result import Hit, Recollection
from recollect.model.working import Exchange
from recollect.recall.pipeline import Recall
from recollect.recall.question.query import Leaning, Query
from recollect.store import records
from recollect.store.base import Store
from recollect.working.anticipate import Prediction
from recollect.working.heard import Heard
from recollect.working.talk_words import telling_words

LINE_TOKENS = 45.0  # of a memory in a window, before any was seen
LINE_TOKENS_MAX = 90.0  # … at most: of long ones the short forms are shown
LEAST, SPARE = 20, 1.5  # candidates at least, and beyond what would fit: packing chooses among them
_LEARNING = 0.05
TALK_NAMES, TALK_WORDS = 3, 6  # of the talk, that a thin prompt is asked with
AHEAD_SHARE = 0.3  # of a search ahead that is where the talk goes rather than what was said last


@dataclass(slots=True)
class Sizes:
    """How long memories are here as they are shown, learnt from windows."""

    tokens: float = LINE_TOKENS

    def note(self, tokens: int, records: int) -> None:
        """So many records took so many tokens."""
        if records:
            self.tokens += _LEARNING * (min(tokens / records, LINE_TOKENS_MAX) - self.tokens)

    def fitting(self, tokens: int) -> int:
        """How many candidates a budget is worth looking at."""
        return min(TOP_K_MAX, max(LEAST, int(SPARE * tokens / max(self.tokens, 1.0))))


def query_for(request: Request, heard: Heard | None, top_k: int) -> Query:
    """The search for a prompt. A thin one ("ok, now deploy it") is asked with the names and words of the talk."""
    text = request.prompt
    if heard is not None and heard.thin:
        text = " ".join(dict.fromkeys((text, *_of_the_talk(heard, asks=bool(telling_words(text))))))
    leaning = None
    if heard is not None and heard.momentum is not None and heard.share > 0.0:
        leaning = Leaning(heard.momentum, heard.share)
    return Query(
        text=text[:QUERY_CHARS_MAX], criteria=request.criteria, top_k=top_k, phase=request.phase,
        asked_in=request.session, leaning=leaning,
    )  # fmt: skip


def _of_the_talk(heard: Heard, *, asks: bool) -> Sequence[str]:
    """Names and words to ask with. Beside words of its own ("deploy") a prompt needs only whom or what it means."""
    if asks:
        return heard.names[:TALK_NAMES] or heard.words[:TALK_NAMES]
    return (*heard.names, *heard.words[:TALK_WORDS])


def query_ahead(request: Request, prediction: Prediction, top_k: int) -> Query:
    """The search for what is likely to be asked next."""
    text = " ".join(dict.fromkeys((prediction.text, *prediction.names)))
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


class Recalling:
    """Answers for windows; none counts as used until it is shown."""

    def __init__(self, store: Store, recall: Recall) -> None:
        self._store = store
        self._recall = recall

    def answer(self, query: Query, prompt: str, heard: Heard | None, *, now: int) -> Recollection:
        """What was prepared answers a prompt without words of its own; after what those find it comes last."""
        prepared: Recollection | None = heard.prepared if heard is not None else None
        if prepared is None or heard is None:
            return self._recall.search(query, for_use=False)
        standing = self._standing(prepared, query, now)
        if standing and not telling_words(prompt):
            return replace(prepared, query=query.text, hits=tuple(standing))
        found = self._recall.search(query, for_use=False)
        known = {hit.id for hit in found.hits}
        return replace(found, hits=(*found.hits, *(hit for hit in standing if hit.id not in known)))

    def _standing(self, prepared: Recollection, query: Query, now: int) -> list[Hit]:
        """Of what was prepared a moment ago what is still so."""
        with self._store.read() as tx:
            held = records.visible_versions(tx, [hit.id for hit in prepared], query.criteria, now=now)
        return [hit for hit in prepared if held.get(hit.id) == hit.version]
