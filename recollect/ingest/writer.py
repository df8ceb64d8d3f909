"""Stores prepared material inside one transaction: rows with their vectors and names, and the statements in them.

`add` uses it, and so do all others who store texts: an update, the job that reads what was stored unread, a model that
found more in a turn. None of them waits for anything here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from recollect.config import LiveConfig
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import Material, Words, prepare_stated
from recollect.ingest.recognition import NO_REPEATS, Recognition, Repeats, SaidAgain, dedupe
from recollect.model.columns import RecordRow
from recollect.store.base import Tx
from recollect.store.journal import Op

if TYPE_CHECKING:
    from recollect.perceive.statements.propositions import Proposition


class MaterialWriter:
    """One operation's writing. `fresh` are the rows that became records, `merged` the ids that others speak for."""

    def __init__(self, tx: Tx, op: Op, material: Material, recognition: Recognition | None = None) -> None:
        self._tx = tx
        self._op = op
        self._material = material
        self._recognition = Recognition(material) if recognition is None else recognition
        self.fresh: list[RecordRow] = []
        self.merged: list[str] = []
        self.changed = 0  # records that were there and have another category now

    def store_rows(self, found: Repeats = NO_REPEATS) -> list[int]:
        """What was given, with its vectors and what it names, but for what is known already; the keys by position."""
        rows, turns = self._material.rows, set(self._material.drafts.turns)
        pks, new = self._insert(rows, self._material.words, found)
        self._note_names(pks, sorted(new))
        again = [at for at in range(len(rows)) if at not in new]
        self.merged += self._tx.records.ids([pks[at] for at in again if at in turns])
        said = [SaidAgain(pks[at], rows[at]) for at in again if at not in turns]
        self.changed += sum(self._recognition.take_category(self._tx, self._op, each) for each in said)
        self.merged += self._recognition.corroborate(self._tx, self._op, said)
        return pks

    def store_statements(self, given: Sequence[int], known: Collection[int] = ()) -> None:
        """What was drawn from the rows with the keys `given`, but for those at the positions `known`."""
        statements = self._material.statements
        said = [at for at, one in enumerate(statements) if one.turn not in known]
        if not said:
            return
        rows = [statements[at].row for at in said]
        turn_pks = [given[statements[at].turn] for at in said]
        for row, turn_pk in zip(rows, turn_pks, strict=True):
            row.turn_pk = turn_pk
        found = self._recognition.repeated_statements(self._tx, self._op, rows)
        pks, new = self._insert(rows, self._material.stated_words.of(said), found)
        self._tx.edges.insert_links(self._op, "derived_from", [(pks[at], turn_pks[at]) for at in new])
        again = [SaidAgain(pks[at], rows[at], turn_pks[at]) for at in range(len(rows)) if at not in new]
        self.merged += self._recognition.corroborate(self._tx, self._op, again)

    def revise_text(self, pk: int) -> None:
        """The one row is a record already, and says and names other things now."""
        row, config = self._material.rows[0], self._material.config
        dedupe().note_text(self._tx, pk, row)
        if config.entity.recognise:
            registry = _registry()
            noted = registry.Noted(pk, row.scope_pk, row.event_time or self._op.at, self._material.understood.names[0])
            registry.revise_mentions(self._tx, self._op, noted, similarity=config.entity.similarity)

    def note_read(self, pks: Sequence[int], *, changed: Collection[int] = ()) -> None:
        """The rows are records already and were read now: keep what they name, say and state.

        Those at the positions `changed` say something else by now.
        """
        rows = self._material.rows
        left = [at for at in range(len(rows)) if at not in changed]
        self._note_names(pks, left)
        for at in left:
            dedupe().note_text(self._tx, pks[at], rows[at])
        for turn, row in self._material.statements:
            row.scope_pk, row.session_pk = rows[turn].scope_pk, rows[turn].session_pk
            row.created_at = row.updated_at = row.recorded_at = self._op.at
            row.valid_from = rows[turn].created_at if row.valid_from is None else row.valid_from
        self.store_statements(pks, known=changed)

    def _insert(self, rows: Sequence[RecordRow], words: Words, found: Repeats) -> tuple[list[int], set[int]]:
        """Store the rows that repeat nothing: the keys by position, repeated records' too; and which ones are new."""
        new = found.new(len(rows))
        pks = dict(found.stored)
        if new:
            fresh, own = [rows[at] for at in new], words.of(new)
            stored = self._tx.records.insert(self._op, fresh, own.terms)
            own.vectors.store(self._tx, stored, now=self._op.at)
            pks |= dict(zip(new, stored, strict=True))
            self.fresh += fresh
            if found.senses:
                dedupe().note(self._tx, found, dict(zip(new, stored, strict=True)))
        for at, first in found.within.items():
            pks[at] = pks[first]
        return [pks[at] for at in range(len(rows))], set(new)

    def _note_names(self, pks: Sequence[int], positions: Sequence[int]) -> None:
        rows, names = self._material.rows, self._material.understood.names
        if any(names):
            noted = [(pks[at], rows[at].scope_pk, rows[at].event_time or self._op.at, names[at]) for at in positions]
            similarity = self._material.config.entity.similarity
            _registry().note_mentions(self._tx, self._op, noted, similarity=similarity)


def _registry() -> ModuleType:
    """Imported on first use: not every store recognises names."""
    from recollect.ingest import entities

    return entities


class Restating:
    """Stores what a turn states, inside the transaction of whoever found it."""

    def __init__(self, embedding: Embedding, config: LiveConfig) -> None:
        self._embedding = embedding
        self._config = config

    def __call__(self, tx: Tx, op: Op, turn_pk: int, stated: Sequence[Proposition]) -> None:
        row = RecordRow(**(tx.records.columns_of(turn_pk) or {}))
        tx.records.retire(op, tx.statements.lose_turns(op, [turn_pk]))
        material = prepare_stated(row, stated, self._embedding, self._config.current)
        MaterialWriter(tx, op, material).note_read([turn_pk])
