"""Open questions in words, as far as a reader may see what they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.clock import from_us, maybe_from_us
from recollect.model.entity import Entity
from recollect.model.query import Criteria
from recollect.model.question import Question, QuestionKind
from recollect.model.record import Record
from recollect.recall.known import templates
from recollect.store.base import Tx
from recollect.store.questions import Asked

QUOTED_CHARS = 160  # of a record in a question


def open_questions(tx: Tx, criteria: Criteria, *, now: int, limit: int) -> list[Question]:
    """The open questions that a reader may see, the most important first, asked before or not."""
    return in_words(
        tx, tx.questions.still_open(tx.scopes.visible(criteria.scope, criteria.reach)), criteria, now=now, limit=limit
    )


def in_words(tx: Tx, asked: Sequence[Asked], criteria: Criteria, *, now: int, limit: int) -> list[Question]:
    """As many as there is room for of those that have words."""
    out: list[Question] = []
    for start in range(0, len(asked), 50):
        if len(out) >= limit:
            break
        part = [each for each in asked[start : start + 50] if _is_open_still(tx, each)]
        pks = [pk for each in part for pk in (each.record_pk, each.other_pk) if pk is not None]
        seen = tx.records.matching(criteria, now=now, among=pks)
        loaded = tx.records.load(seen)
        entity_pks = [each.entity_pk for each in part if each.entity_pk is not None]
        named = tx.entities.as_seen(entity_pks, criteria, now=now)
        out += [question for each in part if (question := _question(each, loaded, named, now)) is not None]
    return out[:limit]


def _is_open_still(tx: Tx, asked: Asked) -> bool:
    """Whether nobody has decided a doubtful change otherwise since it was asked about."""
    if not asked.is_change or asked.record_pk is None or asked.other_pk is None:
        return True
    return bool(tx.endings.doubted(older=asked.record_pk, newer=asked.other_pk))


def _question(asked: Asked, loaded: Mapping[int, Record], named: Mapping[int, Entity], now: int) -> Question | None:
    about = [loaded[pk] for pk in (asked.record_pk, asked.other_pk) if pk is not None and pk in loaded]
    entity = named.get(asked.entity_pk or 0)
    text = _text(asked, about, entity, now)
    if text is None:
        return None
    return Question(
        id=asked.id,
        kind=QuestionKind.CHANGE if asked.is_change else QuestionKind(asked.kind),
        text=text,
        priority=asked.priority,
        made_at=from_us(asked.made_at),
        records=tuple(record.id for record in about),
        entity=entity.name if entity else None,
        field=None if asked.is_change else asked.field,
        asked_at=maybe_from_us(asked.asked_at),
        scope=entity.scope if entity else about[0].scope,
    )


def _text(asked: Asked, about: Sequence[Record], entity: Entity | None, now: int) -> str | None:
    if asked.kind == QuestionKind.MISSING:
        field = templates.field_of(entity.type.value, asked.field or "") if entity else None
        return field.question.format(name=entity.name) if field and entity else None
    if asked.is_change:
        if len(about) < 2:
            return None  # one of them is gone, or has ended
        return templates.CHANGE.format(one=_quoted(about[0]), other=_quoted(about[1]))
    if asked.kind == QuestionKind.CONTRADICTION:
        if len(about) < 2 or about[0].user_verified != about[1].user_verified:
            return None  # decided since
        return templates.CONTRADICTION.format(one=_quoted(about[0]), other=_quoted(about[1]))
    if not about or about[0].updated_at > from_us(asked.made_at):
        return None  # spoken of since
    days = (from_us(now) - about[0].updated_at).total_seconds() / 86_400
    return templates.STALE.format(age=templates.age_in_words(days), one=_quoted(about[0]))


def _quoted(record: Record) -> str:
    said = record.perceived.get("key_fact") or record.content
    text = " ".join(str(said).split())
    return text if len(text) <= QUOTED_CHARS else text[: QUOTED_CHARS - 1].rstrip() + "…"
