"""`update` and `correct`: a record says something else now. What was drawn from its text is drawn again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from recollect.clock import SECOND_US, Clock, from_us
from recollect.config import LiveConfig
from recollect.config.keeping import TrustSettings
from recollect.errors import UsageError
from recollect.ids import new_id
from recollect.ingest import check
from recollect.ingest.drafts import FIELDS, Drafts, checked
from recollect.ingest.embedding import Embedding, store_hidden
from recollect.ingest.material import Anchoring, Material, anchored_to_code, prepare
from recollect.ingest.perceiving import time_told
from recollect.ingest.propagate import belief, propagate, share
from recollect.ingest.replaced import refuse_if_ended
from recollect.ingest.requests import request_reading
from recollect.ingest.screening import ScreeningGate, released_columns
from recollect.ingest.sealing import Sealing
from recollect.ingest.writer import MaterialWriter
from recollect.language.terms import is_withheld
from recollect.model.columns import RecordRow, SealedBox
from recollect.model.ending import REPLACES, Decider, EndCause
from recollect.model.query import Criteria
from recollect.model.record import SecurityTier
from recollect.model.result import Receipt
from recollect.model.scope import GLOBAL, Scope
from recollect.security.screening.policy import SECRETS, VAULT, WORDED, Privacy, higher
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.endings import BY, UNTIL, WAS
from recollect.store.feedback import Context
from recollect.store.journal import Op
from recollect.store.rows import content_hash

_WORDS_CHANGED = "the text that ended it says something else now"
TURN = "turn"  # the category of what was said in a conversation
_PERCEIVED = ("perceived", "valence", "arousal", "intensity", "dominance", "surprise", "subject", "predicate", "object")

_STATED = ("subject", "predicate", "object")
_PRIVATE = {"content", "security", *WORDED}  # what the policy looks at
_ABOUT_CODE = ("content", "metadata", "attributes")
_SCREENED = ("tier", "needs_review", "attributes")  # what screening a new text may change


class Found(NamedTuple):
    """A record that is to be changed, as it was a moment before the transaction."""

    pk: int
    row: RecordRow
    scope: Scope


class _Admitted(NamedTuple):
    """Columns as they may be stored, what a receipt says about them, and what is sealed of the record then."""

    columns: dict[str, Any]
    flags: tuple[str, ...]
    box: SealedBox | None = None


class Revision:
    """Changes of records over one store."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        gate: ScreeningGate,
        sealing: Callable[[], Sealing],
        anchor: Anchoring = lambda rows, scope: None,
    ) -> None:
        self._anchor = anchor
        self._sealing = sealing
        self._store = store
        self._gate = gate
        self._embedding = embedding
        self._config = config
        self._clock = clock

    def update(
        self,
        record_id: str,
        changes: Mapping[str, Any],
        *,
        visible: Criteria | None,
        reason: Any = None,
        actor: str | None = None,
        if_version: int | None = None,
    ) -> Receipt:
        """Make the next version of a record; the one before stays in its history.

        A tier that hides more than the record's own is given to all its versions, for good, before anything else.
        """
        if sealed := self._sealed_first(record_id, changes, visible, reason, actor, if_version):
            changes = {name: value for name, value in changes.items() if name != "security"}
            if not changes:
                return sealed
        columns, why = self._checked(changes), check.reason(reason, self._config.current.security)
        admitted = self._admitted(columns, record_id, visible)
        columns, flags, read = admitted.columns, admitted.flags, None
        if not columns.keys().isdisjoint(_ABOUT_CODE):
            columns |= self._anchored(columns, record_id, visible)
        if "content" in columns:
            row = self._find(record_id, visible).row
            read_again = _PERCEIVED + (("event_time",) if _took_its_time_from_the_text(row) else ())
            read = self._read_again(replace(row, **columns), [name for name in read_again if name not in columns])
            columns |= {name: getattr(read.rows[0], name) for name in (*read_again, *_SCREENED)}
            columns["turn_pk"] = None  # a person's words, no longer the turn's
        hidden = self._embedding.withheld([admitted.box] if admitted.box and admitted.box.spoken else [])

        def work(tx: Tx) -> tuple[Op, int, int]:
            at = self._clock()
            pk = tx.records.find_pk(record_id, visible, now=at)
            tx.records.require_version(pk, if_version)
            op = tx.journal.begin("update", at=at, scope_pk=tx.records.scope_pk(pk), actor=actor, reason=why)
            if read is not None:
                read.words.vectors.replace(tx, op, pk)
            _refuse_reversed_validity(tx, pk, columns)
            before = tx.records.columns_of(pk) or {}
            released = released_columns(before) if "tier" in columns and read is None else {}
            if released:  # whoever names another tier has looked at it
                request_reading(tx, now=at)
            tx.records.revise(op, pk, released | columns, box=admitted.box)
            store_hidden(tx, hidden, now=at)
            count = 1 + (_draw_again(tx, op, pk, read) if read is not None else 0)
            if "content" in columns and not _is_of_the_same(before, columns):
                count += tx.endings.reconsider(op, pk, _WORDS_CHANGED)
            op.finish(count)
            return op, pk, count

        op, pk, count = self._store.write(work)
        return Receipt(
            operation=op.id,
            ids=(record_id,),
            records=self._load([pk]),
            count=count,
            flags=flags if read is None else (*flags, *read.drafts.flags),
            missing=read.missing if read is not None else (),
            event="UPDATE",
        )

    def _sealed_first(
        self,
        record_id: str,
        changes: Mapping[str, Any],
        visible: Criteria | None,
        reason: Any,
        actor: str | None,
        if_version: int | None,
    ) -> Receipt | None:
        if changes.get("security") is None:
            return None
        told = check.security(changes["security"])
        found = self._find(record_id, visible)
        hides = found.row.sealed is not None and higher(told, found.row.security) == found.row.security
        if told == SecurityTier.CLEARTEXT or hides:
            return None
        self._checked(changes)
        self._gate.fields.require()
        if if_version is not None:
            with self._store.read() as tx:
                tx.records.require_version(found.pk, if_version)
        why = check.reason(reason, self._config.current.security)
        operation = self._sealing().seal_one(found.pk, told, actor=actor, reason=why)
        return Receipt(
            operation=operation,
            ids=(record_id,),
            records=self._load([found.pk]),
            count=1,
            event="UPDATE",
            flags=(f"sealed:{told}",),
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
        why = check.reason(reason, self._config.current.security)
        found = self._find(record_id, visible)
        whole, held = self._whole(found.row)
        successor = _successor(whole, text, self._clock())
        flags = self._gate.privacy(config.security, found.scope).admit_row(successor, held=held)
        anchored_to_code([successor], found.scope, self._anchor)
        read = self._read_again(successor, _PERCEIVED, corrects=True)

        def work(tx: Tx) -> tuple[Op, int, int]:
            at = self._clock()
            old_pk = tx.records.find_pk(record_id, visible, now=at)
            old = RecordRow(**(tx.records.columns_of(old_pk) or {}))
            refuse_if_ended(tx, old_pk, asdict(old), at=at, visible=visible)
            op = tx.journal.begin("correct", at=at, scope_pk=old.scope_pk, actor=actor, reason=why)
            read.stamp(old.scope_pk, old.session_pk, at=at, valid_from=max(at, old.valid_from or at))
            writer = MaterialWriter(tx, op, read)
            (new_pk,) = writer.store_rows()
            ended = _end(old.valid_from, at)
            belongings = tx.statements.lose_turns(op, [old_pk])
            corrected = EndCause(by=Decider.PERSON, probability=1.0, reason=why or "")
            for pk in belongings:
                tx.endings.end(op, older=pk, newer=new_pk, cause=corrected, until=at)
            lost = _overtaken(old, read.rows[0], config.trust, unhelpful=context is not None)
            tx.records.revise(op, old_pk, ended | lost, reason=why)
            if context is not None:
                tx.feedback.put(op, old_pk, context, helpful=False)
            _supersede(tx, op, new_pk, old_pk, old, ended["valid_until"], [why] if why else [])
            writer.store_statements([new_pk])
            said_now = [asdict(row) for row in (*read.rows, *(one.row for one in read.statements))]
            for pk in (old_pk, *belongings):
                said = tx.records.columns_of(pk) or {}
                if not any(_is_of_the_same(said, row) for row in said_now):
                    tx.endings.reconsider(op, pk, _WORDS_CHANGED, said_by=new_pk)
            before = asdict(old)
            moved = belief({**before, **ended, **lost}, config.trust) - belief(before, config.trust)
            count = 2 + len(belongings) + len(read.statements)
            count += propagate(tx, op, {old_pk: moved}, visible=visible, scale=config.trust, spared=[new_pk])
            op.finish(count)
            return op, new_pk, count

        op, new_pk, count = self._store.write(work)
        new = self._load([new_pk])
        flags = (*flags, *read.drafts.flags)
        return Receipt(operation=op.id, ids=(new[0].id,), records=new, count=count, flags=flags, missing=read.missing)

    def _find(self, record_id: str, visible: Criteria | None) -> Found:
        with self._store.read() as tx:
            pk = tx.records.find_pk(record_id, visible, now=self._clock())
            row = RecordRow(**(tx.records.columns_of(pk) or {}))
            return Found(pk, row, tx.scopes.load(row.scope_pk) or GLOBAL)

    def _whole(self, row: RecordRow) -> tuple[RecordRow, dict[str, list[str]]]:
        """A row with what is sealed of it, and the secrets kept with it; `StoreDamaged` if that does not open."""
        if row.sealed is None:
            return row, {}
        with self._store.read() as tx:
            box = tx.sealed.load([row.sealed]).get(row.sealed)
        opened = {} if box is None else self._gate.fields.opened(box)
        held = opened.pop(SECRETS, {})
        return replace(row, **opened, sealed=None), held

    def _admitted(self, columns: dict[str, Any], record_id: str, visible: Criteria | None) -> _Admitted:
        """The columns as they may be stored, and what the receipt says about them. A tier never falls by itself."""
        if columns.keys().isdisjoint(_PRIVATE):
            return _Admitted(columns, ())
        found = self._find(record_id, visible)
        privacy = self._gate.privacy(self._config.current.security, found.scope)
        told = columns.get("security")
        if found.row.sealed is None and not privacy.seals(told, found.row.security) and privacy.secrets != VAULT:
            admitted = privacy.admit_record(columns.get("content", ""), columns)
            text = {"content": admitted.text, "content_hash": content_hash(admitted.text)}
            return _Admitted(columns | admitted.columns | (text if "content" in columns else {}), admitted.flags)
        return self._resealed(columns, found.row, privacy, told)

    def _resealed(self, columns: dict[str, Any], shown: RecordRow, privacy: Privacy, told: str | None) -> _Admitted:
        """A record of a tier as a whole, with its changes: which of its words are hidden may be others now."""
        whole, held = self._whole(shown)
        changed = replace(whole, **columns)
        if "content" in columns:  # what was read from the old text is read again from the new one
            for name in _STATED:
                setattr(changed, name, columns.get(name))
        flags = privacy.admit_row(changed, told=told, held=held)
        names = {"content", "content_hash", "security", "sealed", *WORDED}
        names |= {"perceived"} if is_withheld(changed.content) else set()
        news = {name: value for name in names if (value := getattr(changed, name)) != getattr(shown, name)}
        columns = {name: value for name, value in columns.items() if name not in names}
        return _Admitted(columns | news, flags, changed.box)

    def _anchored(self, columns: dict[str, Any], record_id: str, visible: Criteria | None) -> dict[str, Any]:
        """What the attributes are with these changes: what a record says now is about the code as it is now."""
        found = self._find(record_id, visible)
        row = replace(found.row, **columns)
        before = row.attributes
        anchored_to_code([row], found.scope, self._anchor)
        return {} if row.attributes == before else {"attributes": row.attributes}

    def _read_again(self, row: RecordRow, names: Iterable[str], *, corrects: bool = False) -> Material:
        """What a text says for itself, in these columns. Outside any transaction: models may be slow."""
        for name in names:
            setattr(row, name, None)
        turns = [0] if row.category == TURN else []
        drafts = Drafts(rows=[row], turns=turns)
        drafts.flags += self._gate.admit_again(row)
        return prepare(drafts, self._embedding, self._config.current, now=self._clock(), corrects=corrects)

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
            found = tx.records.load(pks)
        return tuple(found[pk] for pk in pks if pk in found)


def _took_its_time_from_the_text(row: RecordRow) -> bool:
    told = time_told(row) if row.event_time is not None else None
    return told is not None and abs(told - (row.event_time or 0)) < SECOND_US  # "an hour ago", a moment later


def _draw_again(tx: Tx, op: Op, pk: int, read: Material) -> int:
    """Statements of a turn that says something else now: those of before go, others come. How many records moved."""
    gone = tx.records.retire(op, tx.statements.lose_turns(op, [pk]))
    writer = MaterialWriter(tx, op, read)
    writer.revise_text(pk)
    row = read.rows[0]
    read.stamp(row.scope_pk, row.session_pk, at=op.at)
    writer.store_statements([pk])
    return len(gone) + len(read.statements)


def _is_of_the_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether two texts tell the same side of the same thing: then what the first one ended stays ended."""
    return bool(before.get("subject") and before.get("predicate")) and all(
        str(before[name]).casefold() == str(now.get(name)).casefold() for name in ("subject", "predicate")
    )


def _supersede(tx: Tx, op: Op, new_pk: int, old_pk: int, old: RecordRow, until: int, evidence: Sequence[str]) -> None:
    """Without a beginning: asked `as_of` a time when the old one held, the chain still leads to it.

    The turn that the old one was drawn from still says what was said; the correction comes before it.
    """
    told = {BY: Decider.PERSON.value, UNTIL: until, WAS: [old.valid_from, old.valid_until]}
    links = [edges.pair(new_pk, old_pk, REPLACES, evidence=evidence, attributes=told)]
    if old.turn_pk is not None:
        links.append(edges.pair(new_pk, old.turn_pk, "updates", evidence=evidence))
    tx.edges.insert(op, links)


def _end(valid_from: int | None, at: int) -> dict[str, Any]:
    """A corrected statement holds until now. One that was to begin later never begins; its successor does, then."""
    if valid_from is not None and valid_from > at:
        return {"valid_from": at, "valid_until": at}
    return {"valid_until": at}


def _overtaken(old: RecordRow, new: RecordRow, scale: TrustSettings, *, unhelpful: bool) -> dict[str, Any]:
    """What the old statement loses to its successor, which came into being as believed as it is."""
    change = share("supersedes", 1.0, scale) * belief(asdict(new), scale)
    out: dict[str, Any] = {"confidence": min(1.0, max(0.0, old.confidence + change))}
    return out | ({"failure_count": old.failure_count + 1} if unhelpful else {})


def _refuse_reversed_validity(tx: Tx, pk: int, columns: Mapping[str, Any]) -> None:
    old = tx.records.columns_of(pk) or {}
    start, end = (columns.get(name, old.get(name)) for name in ("valid_from", "valid_until"))
    if start is not None and end is not None and end < start:
        raise UsageError(f"valid_until lies before valid_from ({from_us(start).isoformat()})")


def _successor(old: RecordRow, text: str, at: int) -> RecordRow:
    """A new record that takes over what the old one was, but for its text and its times."""
    return replace(
        old,
        id=new_id(),
        content=text,
        content_hash=content_hash(text),
        version=1,
        created_at=at,
        updated_at=at,
        recorded_at=at,
        event_time=None,
        valid_from=at,
        valid_until=None,
        needs_review=0,
        flagged=0,
        access_count=0,
        access_sessions=0,
        last_access=None,
        success_count=0,
        failure_count=0,
        turn_pk=None,
        tier="longterm" if old.tier == "archive" else old.tier,  # what somebody corrects is wanted again
    )
