"""Putting questions: at most a few in a session, each once a week, in the words of the records they are about.

The words are made when a question is put, so it speaks of what is there now and nothing is kept twice. No
question is put about a record that is gone, or that the reader may not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.clock import DAY_US, Clock, from_us, maybe_from_us
from recollect.config.keeping import UpkeepSettings
from recollect.errors import NotFound, UsageError
from recollect.model.ending import Decider, EndCause
from recollect.model.entity import Entity
from recollect.model.query import Criteria
from recollect.model.question import Question, QuestionKind
from recollect.model.record import Record
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.questions import Asked
from recollect.upkeep.knowledge import templates
from recollect.upkeep.pairs.settling import settle_doubt

ANSWERED = "the answer to a question"
QUOTED_CHARS = 160  # of a record in a question


def ask(
    store: Store, scope: Scope, session: str | None, *, now: int, settings: UpkeepSettings, limit: int | None = None
) -> list[Question]:
    """What to ask in a session now; it counts as asked."""
    return store.write(lambda tx: questions_for(tx, scope, session, now=now, settings=settings, limit=limit))


def ask_if_due(store: Store, scope: Scope, session: str, *, now: int, settings: UpkeepSettings) -> list[Question]:
    """The same; where there is nothing to ask, which is nearly always, nothing is written."""
    with store.read() as tx:
        still_open = tx.questions.still_open(tx.scopes.visible(scope) or [])
    due = any(is_due(each, now, settings) for each in still_open)
    return ask(store, scope, session, now=now, settings=settings) if due else []


def questions_for(
    tx: Tx, scope: Scope, session: str | None, *, now: int, settings: UpkeepSettings, limit: int | None = None
) -> list[Question]:
    """The questions to put in a session now, noted as put. In a write transaction.

    Without a session the limit counts for this call alone.
    """
    most = settings.session_questions if limit is None else min(limit, settings.session_questions)
    room = most - (tx.questions.put_in(session) if session is not None else 0)
    if room <= 0:
        return []
    visible = tx.scopes.visible(scope) or []
    due = [each for each in tx.questions.still_open(visible) if is_due(each, now, settings)]
    chosen = _worded(tx, due, Criteria(scope=scope), now=now, limit=room)
    pks = {each.id: each.pk for each in due}
    tx.questions.mark_asked([pks[question.id] for question in chosen], session, at=now)
    return chosen


def open_questions(tx: Tx, criteria: Criteria, *, now: int, limit: int) -> list[Question]:
    """The open questions that a reader may see, the most important first, asked before or not."""
    return _worded(
        tx, tx.questions.still_open(tx.scopes.visible(criteria.scope, criteria.reach)), criteria, now=now, limit=limit
    )


def dismiss(store: Store, question_id: str, scope: Scope | None, *, now: int) -> None:
    """Never ask that again; `NotFound` when no such question is open. `scope` None: the owner of the store."""

    def work(tx: Tx) -> bool:
        return tx.questions.dismiss(question_id, None if scope is None else tx.scopes.visible(scope) or [], at=now)

    if not store.write(work):
        raise NotFound(f"no open question has the id {question_id}; `questions` and `review` list them")


def answer(
    store: Store, question_id: str, scope: Scope | None, *, changed: bool, clock: Clock, actor: str | None
) -> Receipt:
    """Take a yes or a no to whether a later record takes the place of an earlier one; `scope` None: the owner.

    A yes ends the earlier record when the later one begins, a no removes the doubt for good. One undo takes it back.
    """

    def work(tx: Tx) -> Receipt:
        asked = tx.questions.find(question_id, None if scope is None else tx.scopes.visible(scope) or [])
        if asked is None:
            raise NotFound(f"no open question has the id {question_id}; `questions` and `review` list them")
        older, newer = asked.record_pk, asked.other_pk
        if not asked.is_change or older is None or newer is None:
            raise UsageError(f"a {asked.kind} question takes no yes or no; confirm, correct or flag what it is about")
        op = tx.journal.begin("answer", at=clock(), scope_pk=asked.scope_pk, actor=actor)
        cause = EndCause(by=Decider.PERSON, probability=1.0, reason=ANSWERED)
        done = settle_doubt(tx, op, older=older, newer=newer, is_over=changed, cause=cause) and changed
        tx.questions.settle(op, [asked.pk])
        op.finish(int(done))
        ids = tuple(tx.records.ids([older, newer]))
        return Receipt(operation=op.id, ids=ids, count=int(done), event="UPDATE" if done else "NONE")

    return store.write(work)


def is_due(asked: Asked, now: int, settings: UpkeepSettings) -> bool:
    """Never put, or so long ago that it may be put again; a clock that was set back does not hold it up for ever."""
    if asked.asked_at is None:
        return True
    return abs(now - asked.asked_at) >= settings.question_days * DAY_US


def _worded(tx: Tx, asked: Sequence[Asked], criteria: Criteria, *, now: int, limit: int) -> list[Question]:
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
