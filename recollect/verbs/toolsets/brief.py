"""Records as a model gets to read them: few fields, short ids, and no more tokens than were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from recollect.facade.handle import engine_of
from recollect.ids import ID_CHARS
from recollect.insight.explain import trust_in_records
from recollect.model.anchor import code_in_words
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.result import Hit
from recollect.providers.tokens import Counter, counter_for

if TYPE_CHECKING:
    from recollect.memory import Memory

FRAME_TOKENS = 40  # of an answer around its items: brackets, a cursor, a note
CUT = " …"


def short(id_: str) -> str:
    """An id as short as every verb still takes it."""
    return id_[:ID_CHARS]


def day(moment: datetime | None) -> str | None:
    return None if moment is None else moment.date().isoformat()


def hit_in_brief(hit: Hit) -> dict[str, Any]:
    """What was found: its id, its words, when it happened or was said, how far it can be believed, whether it holds.

    Of what holds nothing is said; of what has ended since when, and the ids of what is said now.
    """
    said = {"by": hit.speaker} if hit.speaker else {}
    until = hit.ended_at or hit.valid_until
    changed: dict[str, Any] = {"until": day(until)} if until else {}
    changed |= {} if hit.current else {"current": False}
    changed |= {"partly_ended": True} if hit.partly_ended else {}
    changed |= {"now": [short(id_) for id_ in hit.replaced_by]} if hit.replaced_by else {}
    doubts = [short(doubt.id) for doubt in hit.may_have_changed]
    changed |= {"may_have_changed": doubts} if doubts else {}
    changed |= {"code": code} if (code := code_in_words(hit.code)) else {}
    return {
        "id": short(hit.id),
        "text": hit.content,
        "date": day(hit.event_time or hit.created_at),
        "trust": round(hit.trust.composite, 2),
        **said,
        **changed,
    }


def records_in_brief(memory: Memory, found: Sequence[Record]) -> list[dict[str, Any]]:
    """The same of records nobody searched for."""
    engine, seen = engine_of(memory), Criteria(scope=memory.grant.held)
    trust = trust_in_records(engine.store, found, seen, now=engine.clock(), config=engine.config.current)
    return [
        {
            "id": short(record.id),
            "text": record.content,
            "date": day(record.event_time or record.created_at),
            "trust": round(trust[record.id].composite, 2),
            "category": record.category,
        }
        for record in found
        if record.id in trust
    ]


def as_json(data: Any) -> str:
    """Data in as few characters as JSON takes."""
    return orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS).decode()


def tokens_of(data: Any) -> int:
    """What data costs a model to read, rather too high than too low."""
    return counter_for(None).count(as_json(data))


def budget_of(memory: Memory, wanted: int | None) -> int:
    """The tokens that an answer may have: as many as were asked for, or what the settings allow."""
    return memory.config.serve.answer_tokens if wanted is None else wanted


def fitting(items: Iterable[dict[str, Any]], tokens: int, *, words: str = "text") -> list[dict[str, Any]]:
    """As many of the first items as that many tokens hold; at least the first one, its `words` cut if need be."""
    counter, left = counter_for(None), tokens - FRAME_TOKENS
    kept: list[dict[str, Any]] = []
    for item in items:
        cost = counter.count(as_json(item)) + 1
        if cost > left:
            if not kept:
                kept.append(_cut(item, counter, max(1, left), words))
            break
        kept.append(item)
        left -= cost
    return kept


def _cut(item: dict[str, Any], counter: Counter, tokens: int, words: str) -> dict[str, Any]:
    """An item whose text is cut so that all of it fits; nothing but its text can be cut."""
    around = counter.count(as_json(item | {words: CUT, "cut": True}))
    room = max(1, tokens - around)
    while True:
        shorter = item | {words: counter.cut(item[words], room) + CUT, "cut": True}
        if room == 1 or counter.count(as_json(shorter)) <= tokens:  # as JSON, quotes and line ends take more
            return shorter
        room = room * 3 // 4 or 1


def paged(items: Sequence[dict[str, Any]], *, tokens: int, start: int, more: bool) -> dict[str, Any]:
    """Items as a page: those that fit, and where the next page begins if there is one."""
    kept = fitting(items, tokens)
    further = more or len(kept) < len(items)
    return {"results": kept, **({"cursor": str(start + len(kept))} if further else {})}
