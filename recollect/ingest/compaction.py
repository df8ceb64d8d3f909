"""What a session came to, kept before its messages are thrown away.

The summary that a conversation is compacted to is taken apart into short statements (`ingest.compaction_notes`), and
each becomes an episodic record of the session. What a turn, or a statement drawn from one, says already is not stored
again: the summary speaks for the record that is there. It is no second witness of its own session, so that record is
remembered better, but believed no more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.errors import ContentTooLarge
from recollect.ingest import check
from recollect.ingest.addition import add
from recollect.ingest.drafts import draft
from recollect.ingest.echo import Echoes
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import Material, prepare
from recollect.ingest.recognition import Recognition, Repeats, SaidAgain, dedupe
from recollect.ingest.screening import ScreeningGate
from recollect.limits import CONTENT_BYTES_CEILING
from recollect.model.columns import RecordRow
from recollect.model.result import Receipt, Skipped
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.rows import content_hash, from_json

if TYPE_CHECKING:
    from recollect.ingest.compaction_notes import Note, SummaryLine

SOURCE = "compaction"  # of the records, and in `ingest.importance`
SUMMED_UP_BY = "model"  # in `ingest.confidence`: as a rule one wrote the summary
NOTHING_TO_KEEP = "nothing in it states anything"


class Compacting:
    """Keeps what sessions came to."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        echoes: Echoes,
        gate: ScreeningGate,
        poke: Callable[[], None],
    ) -> None:
        self._gate = gate
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._echoes = echoes
        self._poke = poke

    def keep_summary(self, summary: Any, *, scope: Scope, session_id: str | None, actor: str | None) -> Receipt:
        """Keep what a summary states."""
        from recollect.ingest.compaction_notes import lines_of  # tables of words are read when the first one comes

        text = check.content(summary, bytes_max=None, what="the summary")
        if len(text) > CONTENT_BYTES_CEILING:
            raise ContentTooLarge(
                f"a summary has at most {CONTENT_BYTES_CEILING} characters, not {len(text)}; give documents to ingest()"
            )
        heard = self._echoes.heard(text, role=None, scope=scope)
        admitted = self._gate.privacy(self._config.current.security, scope).by_secrets.admit(heard.text or "")
        receipt = self.keep(list(lines_of(admitted.text)), scope=scope, session_id=session_id, actor=actor)
        return replace(receipt, flags=tuple(dict.fromkeys((*admitted.flags, *receipt.flags))))

    def keep(self, said: Sequence[SummaryLine], *, scope: Scope, session_id: str | None, actor: str | None) -> Receipt:
        """Keep what these lines state, all in one operation; nothing is written if all of it is kept already."""
        from recollect.ingest.compaction_notes import notes_of

        session = None if session_id is None else check.name(session_id, "session_id")
        now = self._clock()
        notes = notes_of(said, now=from_us(now))
        if not notes:
            return Receipt(skipped=(Skipped(index=0, reason=NOTHING_TO_KEEP),))
        material = self._material(notes, now, scope)
        recognition = _NotesKnown(material, [note.bare for note in notes], session)
        with self._store.read() as tx:
            known = _kept_before(tx, recognition, scope, now)
        if len(known) == len(notes):
            return Receipt(ids=tuple(known), merged=tuple(dict.fromkeys(known)))
        added = self._store.write(
            lambda tx: add(
                tx,
                material,
                at=self._clock(),
                scope=scope,
                session=session,
                actor=actor,
                verb="compact",
                recognition=recognition,
            )
        )
        if added.queued or not material.words.vectors.complete:
            self._poke()
        return Receipt(
            operation=added.operation,
            ids=tuple(added.ids),
            records=tuple(added.records),
            event=added.event,
            count=added.new,
            merged=tuple(added.merged),
            flags=tuple(material.drafts.flags),
            missing=material.missing,
        )

    def _material(self, notes: Sequence[Note], now: int, scope: Scope) -> Material:
        settings = self._config.current.ingest
        shared = {
            "kind": "episodic",
            "source": SOURCE,
            "importance": settings.importance[SOURCE],
            "confidence": settings.confidence[SUMMED_UP_BY],
        }
        drafts = draft(
            [_item(note) for note in notes],
            shared,
            timestamp=None,
            now=now,
            bytes_max=settings.content_bytes_max,
            parts_max=settings.turn_parts_max,
            privacy=self._gate.privacy(self._config.current.security, scope),
        )
        drafts.flags += self._gate.admit(drafts.rows, scope)
        return prepare(drafts, self._embedding, self._config.current, now=now)


def _item(note: Note) -> dict[str, Any]:
    item: dict[str, Any] = {"content": note.text, "category": note.category}
    if note.at is not None:
        item["timestamp"] = note.at
    if note.stated is not None:
        start, end = note.stated.event_time or (None, None)
        parts = {
            "subject": note.stated.subject,
            "predicate": note.stated.predicate,
            "object": note.stated.object,
            "event_time": start or end,
        }
        item |= {name: value for name, value in parts.items() if value is not None}
    return item


class _NotesKnown(Recognition):
    """What any record says already, whatever its kind, is not stored again."""

    def __init__(self, material: Material, bare: Sequence[str], session: str | None) -> None:
        super().__init__(material)
        self._bare = bare
        self._session = session

    def repeats(self, tx: Tx, op: Op) -> Repeats:
        return self.found(tx, op.at)

    def found(self, tx: Tx, at: int) -> Repeats:
        """What of it there is already, told with its headings or without."""
        rows = self.material.rows
        found: Repeats = dedupe().told_before(tx, rows, at=at, overlap=self.overlap)
        for position, bare in enumerate(self._bare):
            if position not in found.stored and bare != rows[position].content:
                saying = [_saying(rows[position], bare)]
                pk = dedupe().told_before(tx, saying, at=at, overlap=self.overlap).stored.get(0)
                if pk is not None:
                    found.stored[position] = pk
                    found.within.pop(position, None)
        return found

    def take_category(self, tx: Tx, op: Op, again: SaidAgain) -> bool:
        """A note on what was said elsewhere does not decide what that is."""
        return False

    def corroborate(self, tx: Tx, op: Op, again: Sequence[SaidAgain]) -> list[str]:
        from recollect.ingest.corroborate import Corroboration, corroborate

        merged, sayings = [], []
        for pk, row, _ in again:
            old = tx.records.columns_of(pk)
            assert old is not None
            if self.has_spoken_for(tx, old):
                merged.append(str(old["id"]))
            else:
                own = row.session_pk in (None, old["session_pk"])
                sayings.append(Corroboration(pk, row, recalled=own))
        return merged + corroborate(tx, op, sayings, scale=self.config.trust, window_us=self.window_us)

    def has_spoken_for(self, tx: Tx, old: Mapping[str, Any]) -> bool:
        """Whether a record has got from this session all that a note could give it."""
        if old["source"] == SOURCE:
            return True
        if old["importance"] < self.config.ingest.importance[SOURCE]:
            return False
        if self._session is None or self._session in from_json(old["provenance_sessions"], ()):
            return True
        known = tx.sessions.names([old["session_pk"]]) if old["session_pk"] is not None else {}
        return self._session in known.values()


def _saying(row: RecordRow, bare: str) -> RecordRow:
    """The row as if it said only this."""
    return replace(row, content=bare, content_hash=content_hash(bare))


def _kept_before(tx: Tx, recognition: _NotesKnown, scope: Scope, at: int) -> list[str]:
    """The ids of the records that hold these notes already, by position; fewer if one of them is new."""
    scope_pk = tx.scopes.find(scope)
    if scope_pk is None:
        return []
    recognition.material.stamp(scope_pk, None, at=at)
    found = recognition.found(tx, at)
    kept = []
    for position in range(len(recognition.material.rows)):
        pk = found.stored.get(position)
        old = None if pk is None else tx.records.columns_of(pk)
        if old is None or not recognition.has_spoken_for(tx, old):
            break
        kept.append(str(old["id"]))
    return kept
