"""`add`, `update`, `correct`: checked, embedded, then one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.config.belief import Trust
from recollect.errors import UsageError
from recollect.ids import new_id
from recollect.ingest import check
from recollect.ingest.drafts import FIELDS, Drafts, checked, draft
from recollect.ingest.embedding import Embedding
from recollect.ingest.propagate import belief, propagate, share
from recollect.ingest.updates import UPDATES_DELAY_S, UPDATES_JOB, worth_a_look
from recollect.model.query import Criteria
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.model.terms import terms_of
from recollect.store import edges, feedback, jobs, journal, records, scopes, sessions
from recollect.store.base import Store, Tx
from recollect.store.feedback import Context
from recollect.store.journal import Op
from recollect.store.rows import RecordRow, content_hash, stored_value

if TYPE_CHECKING:
    from recollect.perceive.mentions import Mention

BULK_ITEMS = 500
RECORDS_IN_RECEIPT_MAX = 1_000  # a receipt of a bulk load lists ids, not a second copy of everything


class Ingest:
    """The write path over one store."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        hold: Callable[[], AbstractContextManager[None]] = nullcontext,
        poke: Callable[[], None] = lambda: None,
    ) -> None:
        self._poke = poke  # tells who does the jobs that there is one
        self._hold = hold  # asks background work to wait while much is being stored
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock

    def add(
        self,
        given: Any,
        *,
        scope: Scope,
        session_id: str | None = None,
        timestamp: Any = None,
        fields: Mapping[str, Any],
        actor: str | None = None,
    ) -> Receipt:
        """Remember. All of it or, with an error, nothing."""
        bulk = isinstance(given, list | tuple) and len(given) >= BULK_ITEMS
        with self._hold() if bulk else nullcontext():
            settings = self._config.current.ingest
            drafts = draft(
                given, fields, timestamp=timestamp, now=self._clock(),
                bytes_max=settings.content_bytes_max, parts_max=settings.turn_parts_max,
            )  # fmt: skip
            session = None if session_id is None else check.name(session_id, "session_id")
            return self._store_drafts(drafts, scope, session, actor)

    def _store_drafts(self, drafts: Drafts, scope: Scope, session: str | None, actor: str | None) -> Receipt:
        texts = [row.content for row in drafts.rows]
        prepared = self._embedding.prepare(texts)
        terms = [terms_of(text) for text in texts]
        look = any(map(worth_a_look, texts))
        entity = self._config.current.entity
        named = _named(drafts.rows) if entity.recognise else []

        def work(tx: Tx) -> tuple[str, bool]:
            at = self._clock()
            scope_pk = scopes.ensure(tx, scope)
            op = journal.begin(tx, "add", at=at, scope_pk=scope_pk, actor=actor, count=len(drafts.rows))
            previous = self._place(tx, drafts, scope_pk, session, at)
            pks = records.insert(tx, op, drafts.rows, terms)
            prepared.store(tx, pks, now=at)
            if named:
                said = zip(pks, drafts.rows, named, strict=True)
                noted = [(pk, scope_pk, row.event_time or at, names) for pk, row, names in said]
                _note_mentions(tx, op, noted, similarity=entity.similarity)
            turns = [pks[position] for position in drafts.turns]
            edges.insert_chain(tx, op, "follows", [*previous, *turns])
            queued = look and jobs.enqueue_once(tx, UPDATES_JOB, now=at, delay_s=UPDATES_DELAY_S)
            op.finish(len(pks))
            return op.id, queued

        operation, queued = self._store.write(work)
        if queued:
            self._poke()
        shown = drafts.rows[:RECORDS_IN_RECEIPT_MAX]
        return Receipt(
            operation=operation, ids=tuple(row.id for row in drafts.rows), count=len(drafts.rows),
            records=tuple(stored_value(row, scope, session) for row in shown),
            skipped=tuple(drafts.skipped), missing=prepared.missing,
        )  # fmt: skip

    def update(
        self,
        record_id: str,
        changes: Mapping[str, Any],
        *,
        visible: Criteria | None,
        reason: Any = None,
        actor: str | None = None,
    ) -> Receipt:
        """Make the next version of a record; the one before stays in its history."""
        columns, why = self._checked(changes), check.reason(reason)
        prepared = self._embedding.prepare([columns["content"]]) if "content" in columns else None

        def work(tx: Tx) -> tuple[Op, int]:
            at = self._clock()
            pk = records.find_pk(tx, record_id, visible, now=at)
            op = journal.begin(tx, "update", at=at, scope_pk=_scope_pk(tx, pk), actor=actor, reason=why)
            if prepared is not None:
                prepared.replace(tx, op, pk)
            _refuse_reversed_validity(tx, pk, columns)
            records.revise(tx, op, pk, columns)
            op.finish(1)
            return op, pk

        op, pk = self._store.write(work)
        missing = prepared.missing if prepared is not None else ()
        return Receipt(
            operation=op.id, ids=(record_id,), records=self._load([pk]), count=1, missing=missing, event="UPDATE"
        )

    def correct(
        self,
        record_id: str,
        content: Any,
        *,
        visible: Criteria | None,
        reason: Any = None,
        context: Context | None = None,
        actor: str | None = None,
    ) -> Receipt:
        """Replace a statement by a truer one: the old one ends now, the new one supersedes it.

        Belief moves with it: the old statement loses what its successor takes, and so do those that hang on it.
        `context` is the question that the old one was no answer to.
        """
        config = self._config.current
        text = check.content(content, bytes_max=config.ingest.content_bytes_max)
        why = check.reason(reason)
        prepared = self._embedding.prepare([text])

        def work(tx: Tx) -> tuple[Op, range, int]:
            at = self._clock()
            old_pk = records.find_pk(tx, record_id, visible, now=at)
            op = journal.begin(tx, "correct", at=at, scope_pk=_scope_pk(tx, old_pk), actor=actor, reason=why)
            old = RecordRow(**(records.columns_of(tx, old_pk) or {}))
            new = _successor(old, text, at)
            pks = records.insert(tx, op, [new], [terms_of(text)])
            prepared.store(tx, pks, now=at)
            ended = {"valid_until": _end(old, at), **_overtaken(old, new, config.trust, unhelpful=context is not None)}
            records.revise(tx, op, old_pk, ended, reason=why)
            if context is not None:
                feedback.put(tx, op, old_pk, context, helpful=False)
            evidence = [why] if why else []
            # Without a beginning: asked `as_of` a time when the old one held, the chain still leads to it.
            edges.insert(tx, op, [edges.pair(pks[0], old_pk, "supersedes", evidence=evidence)])
            before = asdict(old)
            lost = belief({**before, **ended}, config.trust) - belief(before, config.trust)
            count = 2 + propagate(tx, op, {old_pk: lost}, visible=visible, scale=config.trust, spared=pks)
            op.finish(count)
            return op, pks, count

        op, pks, count = self._store.write(work)
        found = self._load(pks)
        return Receipt(operation=op.id, ids=(found[0].id,), records=found, count=count, missing=prepared.missing)

    def _place(self, tx: Tx, drafts: Drafts, scope_pk: int, session: str | None, at: int) -> list[int]:
        """Give the rows their scope, session and final times; the turn that the first one follows, if any."""
        session_pk = None if session is None else sessions.ensure(tx, session, scope_pk, at=at)
        for row in drafts.rows:
            row.scope_pk, row.session_pk = scope_pk, session_pk
            row.created_at = row.updated_at = row.recorded_at = at
        if session_pk is None or not drafts.turns:
            return []
        last = sessions.last_turn(tx, session_pk)
        return [] if last is None else [last]

    def _checked(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        if not changes:
            raise UsageError("nothing to update: give content= or another field")
        unknown = changes.keys() - FIELDS.keys() - {"content"}
        if unknown:
            raise UsageError(f"cannot update {sorted(unknown)[0]!r}; fields are content, {', '.join(sorted(FIELDS))}")
        now = from_us(self._clock())
        columns = {
            name: None if value is None else checked(name, value, now=now)  # None empties a field
            for name, value in changes.items()
            if name != "content"
        }
        if "content" in changes:
            settings = self._config.current.ingest
            text = check.content(changes["content"], bytes_max=settings.content_bytes_max)
            columns |= {"content": text, "content_hash": content_hash(text)}
        return columns

    def _load(self, pks: Any) -> tuple[Any, ...]:
        with self._store.read() as tx:
            found = records.load(tx, pks)
        return tuple(found[pk] for pk in pks if pk in found)


def _named(rows: Sequence[RecordRow]) -> list[Sequence[Mention]]:
    """What each row names. The tables behind it are read on first use: not everybody recognises."""
    from recollect.perceive.mentions import mentions_in

    return [mentions_in(row.content, speaker=row.speaker) for row in rows]


def _note_mentions(
    tx: Tx, op: Op, noted: Iterable[tuple[int, int, int, Sequence[Mention]]], *, similarity: float
) -> None:
    from recollect.ingest.entities import note_mentions

    note_mentions(tx, op, noted, similarity=similarity)


def _end(old: RecordRow, at: int) -> int:
    """When a corrected statement stopped being true: now, unless it had ended already or never began."""
    if old.valid_until is not None and old.valid_until <= at:
        return old.valid_until
    return max(at, old.valid_from or at)


def _overtaken(old: RecordRow, new: RecordRow, scale: Trust, *, unhelpful: bool) -> dict[str, Any]:
    """What the old statement loses to its successor, which came into being as believed as it is."""
    change = share("supersedes", 1.0, scale) * belief(asdict(new), scale)
    out: dict[str, Any] = {"confidence": min(1.0, max(0.0, old.confidence + change))}
    return out | ({"failure_count": old.failure_count + 1} if unhelpful else {})


def _scope_pk(tx: Tx, pk: int) -> int:
    return int(tx.value("SELECT scope_pk FROM record WHERE pk = ?", (pk,)))


def _refuse_reversed_validity(tx: Tx, pk: int, columns: Mapping[str, Any]) -> None:
    old = records.columns_of(tx, pk) or {}
    start, end = (columns.get(name, old.get(name)) for name in ("valid_from", "valid_until"))
    if start is not None and end is not None and end < start:
        raise UsageError(f"valid_until lies before valid_from ({from_us(start).isoformat()})")


def _successor(old: RecordRow, text: str, at: int) -> RecordRow:
    """A new record that takes over what the old one was, but for its text and its times."""
    return replace(
        old, id=new_id(), content=text, content_hash=content_hash(text), version=1, created_at=at, updated_at=at,
        recorded_at=at, event_time=None, valid_from=at, valid_until=None, needs_review=0, flagged=0,
        access_count=0, access_sessions=0, last_access=None, success_count=0, failure_count=0,
        subject=None, predicate=None, object=None,
        tier="longterm" if old.tier == "archive" else old.tier,  # what somebody corrects is wanted again
    )  # fmt: skip
