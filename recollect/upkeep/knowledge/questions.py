"""Putting questions: at most a few in a session, each once a week, in the words of the records they are about.

The words are made when a question is put, so it speaks of what is there now and nothing is kept twice. No
question is put about a record that is gone, or that the reader may not see.
"""

from __future__ import annotations

from recollect.clock import DAY_US, Clock
from recollect.config.keeping import UpkeepSettings
from recollect.errors import NotFound, UsageError
from recollect.model.ending import Decider, EndCause
from recollect.model.query import Criteria
from recollect.model.question import Question
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.recall.known.questions import in_words
from recollect.store.base import Store, Tx
from recollect.store.questions import Asked
from recollect.upkeep.pairs.settling import settle_doubt

ANSWERED = "the answer to a question"


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
    chosen = in_words(tx, due, Criteria(scope=scope), now=now, limit=room)
    pks = {each.id: each.pk for each in due}
    tx.questions.mark_asked([pks[question.id] for question in chosen], session, at=now)
    return chosen


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
