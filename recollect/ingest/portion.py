"""Documents that are stored together: embedded at once, then one transaction in which each is whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recollect.ids import new_ids
from recollect.ingest.embedding import Embedding, Prepared
from recollect.ingest.pieces import Difference
from recollect.ingest.requests import DOCUMENTS, request_reading, request_relations
from recollect.ingest.screening import ScreeningGate
from recollect.language.terms import terms_of
from recollect.model.columns import RecordRow, SealedBox
from recollect.model.scope import Scope
from recollect.store import edges, journal
from recollect.store.base import Tx
from recollect.store.documents import PART_OF, KnownDocument, StoredPiece
from recollect.store.journal import Begun, Op
from recollect.store.rows import from_json
from recollect.structure.piece import Parsed

VERB = "ingest"
_OF_A_DOCUMENT = ("content", "content_hash", "place", "metadata", "attributes")  # what a second look may change of it


class Overtaken(Exception):
    """Somebody else stored one of these documents since it was compared."""


@dataclass(slots=True, kw_only=True)
class DocumentDraft:
    """One document: what is stored of it, and what has to be done about it."""

    parsed: Parsed
    row: RecordRow  # the document's own record as it should be
    url: str
    known: KnownDocument | None
    stored: Sequence[StoredPiece]
    difference: Difference
    added_by: tuple[str, ...] = ()  # operations by which its turns were added already

    @property
    def new_rows(self) -> list[RecordRow]:
        return [*([] if self.known else [self.row]), *self.difference.added]

    @property
    def says_something_new(self) -> bool:
        return self.known is None or bool(self.difference) or bool(self.added_by)


class Stored(NamedTuple):
    """What became durable: keys of the pieces that are new or changed, and how many records were touched."""

    begun: Begun | None
    pks: list[int]
    touched: int


@dataclass(slots=True, kw_only=True)
class DocumentPortion:
    """Drafts up to a number of pieces, and documents whose files are gone."""

    drafts: list[DocumentDraft] = field(default_factory=list)
    gone: list[KnownDocument] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(len(draft.parsed.pieces) + 1 for draft in self.drafts) + len(self.gone)

    def changes(self, tx: Tx) -> int:
        """How many records storing it would touch."""
        touched = sum(
            len(draft.difference.added) + len(draft.difference.revised) + len(draft.difference.vanished)
            for draft in self.drafts
        )
        return touched + sum(len(tx.documents.pieces(document)) for document in self.gone)

    def prepared(self, embedding: Embedding, gate: ScreeningGate, scope: Scope) -> PreparedPortion:
        """Outside any transaction: a model may be slow."""
        new = [row for draft in self.drafts for row in draft.new_rows]
        for row, record_id in zip(new, new_ids(len(new)), strict=True):
            row.id = row.id or record_id
        flags = gate.admit((row for draft in self.drafts for row in draft.difference.added), scope)
        gate.admit_columns(change.columns for draft in self.drafts for change in draft.difference.revised)
        texts = [row.content for row in new]
        changed = [change.columns["content"] for draft in self.drafts for change in draft.difference.revised]
        boxes = [change.box for draft in self.drafts for change in draft.difference.revised]
        changed += [draft.row.content for draft in self.drafts if draft.known]
        return PreparedPortion(
            self,
            new,
            [terms_of(text) for text in texts],
            embedding.prepare(texts, _boxes(row.box for row in new)) if texts else Prepared(complete=True),
            embedding.prepare(changed, _boxes(boxes)) if changed else Prepared(complete=True),
            flags,
        )


def _boxes(each: Iterable[SealedBox | None]) -> dict[int, SealedBox]:
    return {at: box for at, box in enumerate(each) if box is not None}


class PreparedPortion(NamedTuple):
    """Everything a transaction needs, so that it has nothing to wait for."""

    portion: DocumentPortion
    new: list[RecordRow]
    terms: list[list[str]]
    vectors: Prepared  # of new rows
    changed: Prepared  # of revised pieces, then of documents that were known
    flags: tuple[str, ...] = ()  # what screening found

    def store(
        self, tx: Tx, begun: Begun | None, *, at: int, scope: Scope, session: str | None, actor: str | None
    ) -> Stored:
        """All of it. `Overtaken` if it rests on what is no longer so."""
        scope_pk = tx.scopes.ensure(scope)
        for draft in self.portion.drafts:
            _refuse_if_overtaken(tx, scope_pk, draft)
        quiet = [draft for draft in self.portion.drafts if not draft.says_something_new]
        for draft in quiet:
            assert draft.known is not None
            tx.documents.remember_state(draft.known, from_json(draft.row.attributes, {})["state"])
        if len(quiet) == len(self.portion.drafts) and not self.portion.gone:
            return Stored(begun, [], 0)
        op = tx.journal.portion(begun, VERB, at=at, scope_pk=scope_pk, actor=actor)
        session_pk = None if session is None else tx.sessions.ensure(session, scope_pk, at=at)
        pks = [*self._insert(tx, op, scope_pk, session_pk), *self._revise(tx, op)]
        removed = self._retire(tx, op)
        request_relations(tx, DOCUMENTS if pks else (), now=op.at)
        journal.adopt(op, [each for draft in self.portion.drafts for each in draft.added_by])
        journal.finish(op, len(pks) + removed)
        request_reading(tx, now=op.at)
        return Stored(Begun(op.pk, op.id), pks, len(pks) + removed)

    def _insert(self, tx: Tx, op: Op, scope_pk: int, session_pk: int | None) -> list[int]:
        """New documents and pieces, each piece part of its document; the keys of the pieces."""
        if not self.new:
            return []
        for row in self.new:
            row.scope_pk, row.session_pk = scope_pk, session_pk
            row.created_at = row.updated_at = row.recorded_at = row.valid_from = op.at
        keys = iter(pks := tx.records.insert(op, self.new, self.terms))
        self.vectors.store(tx, pks, now=op.at)
        parts: list[tuple[int, int]] = []
        for draft in self.portion.drafts:
            whole = draft.known.pk if draft.known else next(keys)
            parts += [(next(keys), whole) for _ in draft.difference.added]
        tx.edges.insert(op, [edges.pair(part, whole, PART_OF) for part, whole in parts])
        return [part for part, _ in parts]

    def _revise(self, tx: Tx, op: Op) -> list[int]:
        """New versions of pieces that say something else, new places of those that moved, and the documents."""
        pks: list[int] = []
        for draft in self.portion.drafts:
            for change in draft.difference.revised:
                vectors = self.changed.part([len(pks)])
                vectors.replace(tx, op, change.stored.pk)
                tx.records.revise(op, change.stored.pk, change.columns, box=change.box)
                vectors.store_hidden(tx, op.at)
                pks.append(change.stored.pk)
            for change in draft.difference.moved:
                before = {name: getattr(change.stored, name) for name in change.columns}
                op.changed("record", [change.stored.pk], before)
                tx.records.write_columns(change.stored.pk, change.columns)
        for position, draft in enumerate((each for each in self.portion.drafts if each.known), start=len(pks)):
            if draft.says_something_new:
                self._revise_document(tx, op, draft, self.changed.part([position]))
        return pks

    def _revise_document(self, tx: Tx, op: Op, draft: DocumentDraft, vectors: Prepared) -> None:
        """No version: what a document was is told by its pieces."""
        assert draft.known is not None
        old = tx.records.columns_of(draft.known.pk) or {}
        new = {name: getattr(draft.row, name) for name in _OF_A_DOCUMENT if getattr(draft.row, name) != old[name]}
        if "content" in new:
            vectors.replace(tx, op, draft.known.pk)
        if new:
            op.changed("record", [draft.known.pk], {name: old[name] for name in new})
            tx.records.write_columns(draft.known.pk, new)

    def _retire(self, tx: Tx, op: Op) -> int:
        """Pieces that vanished, and documents that are gone with all of theirs; how many pieces those are."""
        pieces = [piece.pk for draft in self.portion.drafts for piece in draft.difference.vanished]
        for document in self.portion.gone:
            pieces += [piece.pk for piece in tx.documents.pieces(document)]
        tx.records.retire(op, [document.pk for document in self.portion.gone])
        return len(tx.records.retire(op, pieces))


def _refuse_if_overtaken(tx: Tx, scope_pk: int, draft: DocumentDraft) -> None:
    now = tx.documents.known(scope_pk, draft.url)
    if now != draft.known or (now is not None and tx.documents.pieces(now) != list(draft.stored)):
        raise Overtaken
