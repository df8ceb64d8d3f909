"""What one `add` stores: rows with their vectors and names, and the statements in them, in one transaction.

What is known already is not stored again: a turn that is delivered twice, a statement that somebody made before. It
speaks for the record that is there instead (`ingest.dedupe`, `ingest.corroborate`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from recollect.clock import SECOND_US
from recollect.config import Config
from recollect.ingest.drafts import Drafts
from recollect.ingest.embedding import Embedding, Prepared
from recollect.ingest.perceiving import NOTHING, Drawn, Understood, drawn, understand
from recollect.ingest.repeats import NO_REPEATS, Repeats
from recollect.ingest.requests import request_consolidation, request_reading, request_relations, request_statements
from recollect.ingest.updates import UPDATES_DELAY_S, UPDATES_JOB, worth_a_look
from recollect.language.terms import terms_of
from recollect.model.columns import RecordRow
from recollect.model.record import DEFAULT_CATEGORY, Kind, Record
from recollect.model.scope import Scope
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.rows import stored_value

if TYPE_CHECKING:
    from recollect.perceive.statements.propositions import Proposition

RECORDS_IN_RECEIPT_MAX = 1_000  # a receipt of a bulk load lists ids, not a second copy of everything


class Reading(NamedTuple):
    """How an addition is to be read: at once, later in the background, or not at all."""

    now: bool = True
    later: bool = False


class Added(NamedTuple):
    """What became durable. `ids` are those of what was given, each in its place; `records` begin with the same."""

    operation: str
    ids: list[str]
    statements: list[str]
    records: list[Record]
    merged: list[str]
    new: int
    changed: int  # records that were there and have another category now
    queued: bool

    @property
    def event(self) -> str:
        """What happened to what was given, in one word."""
        return "ADD" if self.new else "UPDATE" if self.changed else "NONE"


class Words(NamedTuple):
    """What rows are found by: their vectors and their terms."""

    vectors: Prepared
    terms: Sequence[Sequence[str]]

    def of(self, positions: Sequence[int]) -> Words:
        return Words(self.vectors.part(positions), [self.terms[at] for at in positions])


@dataclass(slots=True, kw_only=True)
class Addition:
    """Everything the transaction needs, so that it has nothing to wait for."""

    VERB: ClassVar[str] = "add"  # of the operation

    drafts: Drafts
    understood: Understood
    words: Words
    stated_words: Words
    config: Config
    reading: Reading
    fresh: list[RecordRow] = field(default_factory=list)  # rows that became records, in their order
    merged: list[str] = field(default_factory=list)  # records that others speak for
    changed: int = 0  # of these, how many were given another category

    @classmethod
    def of(
        cls,
        drafts: Drafts,
        embedding: Embedding,
        config: Config,
        *,
        now: int,
        reading: Reading = Reading(),
        is_recalled: Callable[[str, str | None], bool] = lambda text, role: False,
    ) -> Addition:
        """Outside any transaction: models and tables of words may be slow.

        `is_recalled` tells of a statement, and the role of who makes it, whether it only comes back from this memory.
        """
        understood = NOTHING
        if reading.now:
            understood = understand(drafts.rows, drafts.turns, config=config, now=now)
            own = [one for one in understood.statements if not is_recalled(one.row.content, drafts.rows[one.turn].role)]
            understood = understood._replace(statements=own)
        elif not reading.later:
            for row in drafts.rows:
                row.perceived = "{}"  # read, and nothing looked for
        texts = [row.content for row in drafts.rows]
        stated = [one.row.content for one in understood.statements]
        every = Words(embedding.prepare([*texts, *stated]), [terms_of(text) for text in (*texts, *stated)])
        return cls(
            drafts=drafts,
            understood=understood,
            config=config,
            reading=reading,
            words=every.of(range(len(texts))),
            stated_words=every.of(range(len(texts), len(texts) + len(stated))),
        )

    @property
    def statements(self) -> list[Drawn]:
        return self.understood.statements

    def store(self, tx: Tx, *, at: int, scope: Scope, session: str | None, actor: str | None) -> Added:
        """All of it."""
        scope_pk = tx.scopes.ensure(scope)
        op = tx.journal.begin(self.VERB, at=at, scope_pk=scope_pk, actor=actor, count=len(self.drafts.rows))
        begins = session is not None and not tx.sessions.is_known(session, scope_pk)
        session_pk = None if session is None else tx.sessions.ensure(session, scope_pk, at=at)
        self.stamp(scope_pk, session_pk, at=at)
        last = tx.sessions.last_turn(session_pk) if session_pk is not None and self.drafts.turns else None
        found = self._repeated(tx, op)
        pks = self.store_rows(tx, op, found)
        turns = [pks[position] for position in self.drafts.turns if position not in found.stored]
        tx.edges.insert_chain(op, "follows", turns if last is None else [last, *turns])
        self.store_statements(tx, op, pks, known=found.stored)
        queued = self._ask_for_more(tx, at)
        if begins and session_pk is not None and self.config.upkeep.after_session:
            queued = request_consolidation(tx, scope_pk, session_pk, now=at) or queued
        own = {row.id for row in self.fresh}
        self.merged = [each for each in dict.fromkeys(self.merged) if each not in own]  # said twice in one breath
        op.finish(len(self.fresh) + len(self.merged))
        return self._added(tx, op, pks, scope, session, queued)

    def stamp(self, scope_pk: int, session_pk: int | None, *, at: int, valid_from: int | None = None) -> None:
        """Give the rows what only the transaction knows. A statement without a beginning holds from now on."""
        for row in (*self.drafts.rows, *(one.row for one in self.statements)):
            row.scope_pk, row.session_pk = scope_pk, session_pk
            row.created_at = row.updated_at = row.recorded_at = at
            if valid_from is not None:
                row.valid_from = valid_from
        for _, row in self.statements:
            row.valid_from = at if row.valid_from is None else row.valid_from

    def store_rows(self, tx: Tx, op: Op, found: Repeats = NO_REPEATS) -> list[int]:
        """What was given, with its vectors and what it names, but for what is known already; the keys by position."""
        rows = self.drafts.rows
        pks, new = self._insert(tx, op, rows, self.words, found)
        if any(self.understood.names):
            noted = [
                (pks[at], rows[at].scope_pk, rows[at].event_time or op.at, self.understood.names[at]) for at in new
            ]
            _registry().note_mentions(tx, op, noted, similarity=self.config.entity.similarity)
        turns = set(self.drafts.turns)
        again = [at for at in range(len(rows)) if at not in new]
        self.merged += tx.records.ids([pks[at] for at in again if at in turns])
        for at in again:
            if at not in turns:
                self._take_category(tx, op, pks[at], rows[at])
        self._corroborate(tx, op, [(pks[at], rows[at], None) for at in again if at not in turns])
        return pks

    def _take_category(self, tx: Tx, op: Op, pk: int, row: RecordRow) -> None:
        """What is said again as something else than before is that from now on; the usual category says nothing."""
        was = (tx.records.columns_of(pk) or {})["category"]
        if row.category not in (was, DEFAULT_CATEGORY[Kind(row.kind)]):
            tx.records.revise(op, pk, {"category": row.category})
            self.changed += 1

    def store_statements(self, tx: Tx, op: Op, given: Sequence[int], known: Collection[int] = ()) -> None:
        """What was drawn from the rows with the keys `given`, but for those at the positions `known`."""
        said = [at for at, one in enumerate(self.statements) if one.turn not in known]
        if not said:
            return
        rows = [self.statements[at].row for at in said]
        turn_pks = [given[self.statements[at].turn] for at in said]
        for row, turn_pk in zip(rows, turn_pks, strict=True):
            row.turn_pk = turn_pk
        overlap = self.config.ingest.duplicate_similarity
        found = _dedupe().repeats(tx, rows, at=op.at, overlap=overlap, drawn=True)
        pks, new = self._insert(tx, op, rows, self.stated_words.of(said), found)
        tx.edges.insert_links(op, "derived_from", [(pks[at], turn_pks[at]) for at in new])
        again = [at for at in range(len(rows)) if at not in new]
        self._corroborate(tx, op, [(pks[at], rows[at], turn_pks[at]) for at in again])

    def revise_text(self, tx: Tx, op: Op, pk: int) -> None:
        """The one row is a record already, and says and names other things now."""
        row = self.drafts.rows[0]
        _dedupe().note_text(tx, pk, row)
        if self.config.entity.recognise:
            registry = _registry()
            noted = registry.Noted(pk, row.scope_pk, row.event_time or op.at, self.understood.names[0])
            registry.revise_mentions(tx, op, noted, similarity=self.config.entity.similarity)

    def note_read(self, tx: Tx, op: Op, pks: Sequence[int], *, changed: Collection[int]) -> None:
        """The rows are records already and were read now: keep what they name, say and state.

        Those at the positions `changed` say something else by now.
        """
        rows = self.drafts.rows
        left = [at for at in range(len(rows)) if at not in changed]
        self._note_names(tx, op, pks, left)
        for at in left:
            _dedupe().note_text(tx, pks[at], rows[at])
        for turn, row in self.statements:
            row.scope_pk, row.session_pk = rows[turn].scope_pk, rows[turn].session_pk
            row.created_at = row.updated_at = row.recorded_at = op.at
            row.valid_from = rows[turn].created_at if row.valid_from is None else row.valid_from
        self.store_statements(tx, op, pks, known=changed)

    @classmethod
    def stated_by(
        cls, turn: RecordRow, stated: Sequence[Proposition], embedding: Embedding, config: Config
    ) -> Addition:
        """What somebody else, a model, found that a turn states."""
        understood = Understood([()], drawn(turn, stated, config.ingest))
        texts = [one.row.content for one in understood.statements]
        return cls(
            drafts=Drafts(rows=[turn], turns=[0]),
            understood=understood,
            config=config,
            reading=Reading(),
            words=Words(Prepared(complete=True), [()]),
            stated_words=Words(embedding.prepare(texts), [terms_of(text) for text in texts]),
        )

    def _repeated(self, tx: Tx, op: Op) -> Repeats:
        """What of the given is there already: turns delivered again, statements made before."""
        if not (self.reading.now or self.reading.later):
            return NO_REPEATS
        dedupe, turns, rows = _dedupe(), self.drafts.turns, self.drafts.rows
        again = dedupe.delivered_again(tx, [rows[position] for position in turns])
        overlap = self.config.ingest.duplicate_similarity
        if self.reading.now:
            found = dedupe.repeats(tx, rows, at=op.at, overlap=overlap, drawn=False)
        else:
            found = dedupe.repeated_texts(tx, rows, at=op.at, overlap=overlap)
        return Repeats(found.stored | {turns[at]: pk for at, pk in again.items()}, found.within, found.senses)

    def _insert(
        self, tx: Tx, op: Op, rows: Sequence[RecordRow], words: Words, found: Repeats
    ) -> tuple[list[int], set[int]]:
        """Store the rows that repeat nothing: the keys by position, repeated records' too; and which ones are new."""
        new = found.new(len(rows))
        pks = dict(found.stored)
        if new:
            fresh, own = [rows[at] for at in new], words.of(new)
            stored = tx.records.insert(op, fresh, own.terms)
            own.vectors.store(tx, stored, now=op.at)
            pks |= dict(zip(new, stored, strict=True))
            self.fresh += fresh
            if found.senses:
                _dedupe().note(tx, found, dict(zip(new, stored, strict=True)))
        for at, first in found.within.items():
            pks[at] = pks[first]
        return [pks[at] for at in range(len(rows))], set(new)

    def _note_names(self, tx: Tx, op: Op, pks: Sequence[int], positions: Sequence[int]) -> None:
        rows, names = self.drafts.rows, self.understood.names
        if any(names):
            noted = [(pks[at], rows[at].scope_pk, rows[at].event_time or op.at, names[at]) for at in positions]
            _registry().note_mentions(tx, op, noted, similarity=self.config.entity.similarity)

    def _corroborate(self, tx: Tx, op: Op, again: Sequence[tuple[int, RecordRow, int | None]]) -> None:
        if again:
            from recollect.ingest.corroborate import Saying, corroborate

            window_us = int(self.config.ingest.duplicate_window_s * SECOND_US)
            sayings = [Saying(pk, row, turn_pk) for pk, row, turn_pk in again]
            self.merged += corroborate(tx, op, sayings, scale=self.config.trust, window_us=window_us)

    def _ask_for_more(self, tx: Tx, at: int) -> bool:
        """Jobs that go on from here; whether there is one that was not there before."""
        kinds = {row.kind for row in self.fresh}
        look = any(row.turn_pk is None and worth_a_look(row.content) for row in self.fresh)
        return any(
            [
                look and tx.jobs.enqueue_once(UPDATES_JOB, now=at, delay_s=UPDATES_DELAY_S),
                self.reading.later and request_reading(tx, now=at),
                self.reading.now and request_relations(tx, kinds, now=at),
                self.reading.now and request_statements(tx, kinds, self.config.perceive, now=at),
            ]
        )

    def _added(self, tx: Tx, op: Op, pks: list[int], scope: Scope, session: str | None, queued: bool) -> Added:
        fresh = {row.id: row for row in self.fresh}
        given = len(self.drafts.rows)
        stored = dict(zip((row.id for row in self.drafts.rows), pks, strict=True))
        known = tx.records.load([pk for id_, pk in stored.items() if id_ not in fresh][:RECORDS_IN_RECEIPT_MAX])
        ids = tx.records.ids(pks) if len(known) else [row.id for row in self.drafts.rows]
        shown = [
            stored_value(row, scope, session) if row.id in fresh else known[pk]
            for row, pk in zip(self.drafts.rows[:RECORDS_IN_RECEIPT_MAX], pks, strict=False)
        ]
        stated = [row for row in self.fresh if row.turn_pk is not None]
        room = max(0, RECORDS_IN_RECEIPT_MAX - given)
        return Added(
            op.id,
            ids,
            [row.id for row in stated],
            [*shown, *(stored_value(row, scope, session) for row in stated[:room])],
            self.merged,
            len(self.fresh),
            self.changed,
            queued,
        )


def _registry() -> ModuleType:
    """Imported on first use: not everybody recognises names."""
    from recollect.ingest import entities

    return entities


def _dedupe() -> ModuleType:
    """Imported on first use: it reads tables of words."""
    from recollect.ingest import dedupe

    return dedupe
