"""One call of `ingest`: from files to drafts, from drafts to portions, and a receipt of what came of it.

Turns of exported conversations are given to `add`, session by session, each turn once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Protocol

import orjson

from recollect.clock import Clock
from recollect.errors import ContentRefused, StoreBusy, UsageError
from recollect.ids import new_id
from recollect.ingest import progress
from recollect.ingest.embedding import Embedding
from recollect.ingest.pieces import Difference, difference, document_row
from recollect.ingest.portion import DocumentDraft, DocumentPortion, Overtaken, Stored
from recollect.ingest.private_pieces import PrivateDocument
from recollect.ingest.screening import ScreeningGate
from recollect.ingest.survey import Survey, digest_of, url_of, url_of_text
from recollect.limits import NAME_CHARS_MAX
from recollect.model.record import Record
from recollect.model.result import Receipt, Skipped
from recollect.model.scope import Scope
from recollect.security.screening.policy import Privacy
from recollect.store.base import Store, Tx
from recollect.store.documents import TURN_HEAD_CHARS, KnownDocument, StoredPiece
from recollect.store.journal import Begun
from recollect.structure.piece import ChatTurn, Parsed

PORTION_PIECES = 500  # large enough to be fast, small enough for others to write in between
RECORDS_IN_RECEIPT_MAX = 1_000  # a receipt of a bulk load lists ids, not a second copy of everything
_NOT_UNICODE = (UnicodeEncodeError, orjson.JSONEncodeError)  # from hashing a text, from writing down a path
_ATTEMPTS = 3  # to store a portion while somebody else stores the same files
_UNNAMED = "conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """For whom, by whom, and what every piece should carry: `fields` as given, `columns` as stored."""

    scope: Scope
    session: str | None
    actor: str | None
    fields: Mapping[str, Any]
    columns: Mapping[str, Any]
    privacy: Privacy
    dry_run: bool


@dataclass(slots=True)
class _Totals:
    """What the receipt is made of."""

    pks: list[int] = field(default_factory=list)
    turn_ids: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    missing: dict[str, None] = field(default_factory=dict)
    count: int = 0
    files: int = 0
    unchanged: int = 0


class FileReading:
    """Reads what a survey found and stores it as a caller wishes."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        clock: Clock,
        turns: Adds,
        gate: ScreeningGate,
        there: Survey,
        wish: Wish,
    ) -> None:
        self._gate = gate
        self._store = store
        self._embedding = embedding
        self._clock = clock
        self._turns = turns
        self._there = there
        self._wish = wish
        self._portion = DocumentPortion()
        self._begun: Begun | None = None
        self._out = _Totals()

    def receipt(self) -> Receipt:
        """Do it. What was stored before something went wrong stays stored, and is not stored again next time."""
        with self._store.read() as tx:
            known = self._known(tx)
        unchanged = self._there.unchanged(known)
        self._out.merged += [document.id for document in unchanged.values()]
        done, total = self._bytes(unchanged), self._bytes(self._there.files)
        found = len(unchanged)
        for index, parsed in enumerate(self._there.documents(unchanged)):
            found += 1
            self._take(parsed, index)
            done += self._bytes([parsed.path or ""])
            if self._portion.size >= PORTION_PIECES:
                self._finish_portion()
                progress.report(done, total)
        self._forget(self._there.gone(known))
        if not found and not self._portion.gone:
            raise UsageError("there is nothing to remember: no text was found")
        self._out.files = found if self._there.root is not None else 0
        self._out.unchanged += len(unchanged)
        self._finish_portion()
        progress.report(total, total)
        return self._receipt()

    def _known(self, tx: Tx) -> dict[str, KnownDocument]:
        """What was read before and may be met again, by URL."""
        scope_pk, url = tx.scopes.find(self._wish.scope), self._there.url
        if scope_pk is None or url is None:
            return {}
        if self._there.is_folder:
            return tx.documents.below(scope_pk, url)
        document = tx.documents.known(scope_pk, url)
        return {url: document} if document else {}

    def _bytes(self, paths: Any) -> int:
        files = self._there.files
        return sum(files[path].size for path in paths if path in files)

    def _take(self, parsed: Parsed, index: int) -> None:
        """Draft one document, or say why not. What one file holds never ends the reading of others."""
        name, reason = _printable(parsed.path or "the text"), parsed.skipped
        self._out.flags += [f"{name} {note}" for note in parsed.notes]
        if reason is None:
            try:
                draft = self._draft(parsed)
            except ContentRefused as error:
                reason = f"was refused: {error.message}"
            except _NOT_UNICODE:
                reason = "holds half a character, or has one in its name; it is not valid Unicode"
            else:
                self._portion.drafts.append(draft)
                self._out.merged += _unchanged_ids(draft)
                self._out.unchanged += bool(draft.known and not draft.says_something_new)
                return
        if parsed.path is None:
            raise UsageError(f"{name} {reason}; there is nothing to remember")
        self._out.skipped.append(Skipped(index=index, reason=f"{name} {reason}"))

    def _draft(self, parsed: Parsed) -> DocumentDraft:
        digest = digest_of(parsed)
        url = url_of_text(digest) if parsed.path is None else url_of(Path(parsed.path))
        private = PrivateDocument(parsed, self._wish.privacy)
        known, stored = self._stored(url)
        document_id = known.id if known else new_id()
        changes, state = Difference(), self._there.state_of(parsed, digest)
        if parsed.pieces:
            changes = difference(private.parsed, document_id, stored, self._wish.columns, private.digest)
            private.give_tiers(changes)
        self._out.flags += [flag for flag in private.flags if flag not in self._out.flags]
        row = document_row(private.parsed, id=document_id, url=url, state=state, fields=self._wish.columns)
        self._wish.privacy.unsealed.admit_row(row)
        return DocumentDraft(
            parsed=parsed,
            url=url,
            known=known,
            stored=stored,
            difference=changes,
            row=row,
            added_by=self._add_turns(parsed, document_id) if parsed.turns else (),
        )

    def _stored(self, url: str) -> tuple[KnownDocument | None, Sequence[StoredPiece]]:
        with self._store.read() as tx:
            scope_pk = tx.scopes.find(self._wish.scope)
            known = None if scope_pk is None else tx.documents.known(scope_pk, url)
            return known, tx.documents.pieces(known) if known else ()

    def _add_turns(self, parsed: Parsed, document_id: str) -> tuple[str, ...]:
        """Give the turns that are not stored yet to `add`; the operations by which it stored them."""
        operations: list[str] = []
        for session, turns in sessions_of(parsed, self._wish.session).items():
            with self._store.read() as tx:
                new = unknown(tx, tx.scopes.find(self._wish.scope), session, turns)
            self._out.count += len(new)
            if new and not self._wish.dry_run:
                receipt = self._turns.add(
                    messages_of(new, document_id),
                    scope=self._wish.scope,
                    session_id=session,
                    fields=self._wish.fields,
                    actor=self._wish.actor,
                )
                self._out.turn_ids += receipt.ids
                self._out.missing |= dict.fromkeys(receipt.missing)
                self._out.flags += [flag for flag in receipt.flags if flag not in self._out.flags]
                operations += [receipt.operation] if receipt.operation else []
        return tuple(operations)

    def _forget(self, gone: Sequence[KnownDocument]) -> None:
        self._portion.gone += gone
        self._out.flags += [f"{document.path} is gone; its pieces are forgotten" for document in gone]

    def _finish_portion(self) -> None:
        portion, self._portion = self._portion, DocumentPortion()
        if self._wish.dry_run:
            with self._store.read() as tx:
                self._out.count += portion.changes(tx)
            return
        for _ in range(_ATTEMPTS):
            try:
                stored = self._stored_portion(portion)
            except Overtaken:
                portion.drafts = [self._drafted_again(draft) for draft in portion.drafts]
            else:
                self._note(stored)
                return
        raise StoreBusy("another process is ingesting the same files; try again when it has finished")

    def _stored_portion(self, portion: DocumentPortion) -> Stored:
        prepared, wish = portion.prepared(self._embedding, self._gate, self._wish.scope), self._wish
        stored = self._store.write(
            lambda tx: prepared.store(
                tx, self._begun, at=self._clock(), scope=wish.scope, session=wish.session, actor=wish.actor
            )
        )
        self._out.flags += [flag for flag in prepared.flags if flag not in self._out.flags]
        if stored.begun is not None:
            self._out.missing |= dict.fromkeys((*prepared.vectors.missing, *prepared.changed.missing))
        return stored

    def _drafted_again(self, draft: DocumentDraft) -> DocumentDraft:
        """Compared with what is stored now; turns that were added stay added."""
        again = self._draft(draft.parsed)
        again.added_by = (*draft.added_by, *again.added_by)
        return again

    def _note(self, stored: Stored) -> None:
        self._begun = stored.begun
        self._out.pks += stored.pks
        self._out.count += stored.touched

    def _receipt(self) -> Receipt:
        out = self._out
        with self._store.read() as tx:
            ids = tx.records.ids(out.pks)
            shown: dict[int, Record] = tx.records.load(out.pks[:RECORDS_IN_RECEIPT_MAX])
        return Receipt(
            operation=self._begun.id if self._begun else None,
            ids=(*ids, *out.turn_ids),
            records=tuple(shown[pk] for pk in out.pks if pk in shown),
            merged=tuple(dict.fromkeys(out.merged)),
            skipped=tuple(out.skipped),
            flags=tuple(out.flags),
            missing=tuple(out.missing),
            count=out.count,
            files=out.files,
            files_unchanged=out.unchanged,
            dry_run=self._wish.dry_run,
        )


def _printable(path: str) -> str:
    """A name whose bytes are in no known encoding, as far as it can be shown."""
    return path.encode("utf-8", "replace").decode()


def _unchanged_ids(draft: DocumentDraft) -> list[str]:
    """Of a document that says nothing new its own, else of the pieces that say the same."""
    if draft.known and not draft.says_something_new:
        return [draft.known.id]
    return [piece.id for piece in (*draft.difference.same, *(each.stored for each in draft.difference.moved))]


class Adds(Protocol):
    """What takes messages: the write path of `add`."""

    def add(
        self, given: Any, *, scope: Scope, session_id: str | None, fields: Mapping[str, Any], actor: str | None
    ) -> Receipt: ...


def sessions_of(parsed: Parsed, session_id: str | None) -> dict[str, list[ChatTurn]]:
    """The turns by session. Those without one belong to the session given, else to one called as the file."""
    unnamed = session_id or (PurePath(parsed.path).name if parsed.path else _UNNAMED)
    out: dict[str, list[ChatTurn]] = {}
    for turn in parsed.turns:
        out.setdefault(turn.session or unnamed[:NAME_CHARS_MAX], []).append(turn)
    return out


def unknown(tx: Tx, scope_pk: int | None, session: str, turns: Iterable[ChatTurn]) -> list[ChatTurn]:
    """The turns that are not stored yet. The same conversation may come in several exports, longer each time."""
    if scope_pk is None:
        return list(turns)
    seen: set[Any] = set()
    for message_id, position, head in tx.documents.turns_of(scope_pk, session):
        seen |= {message_id, (position, head)}
    return [turn for turn in turns if not _marks(turn) & seen]


def messages_of(turns: Iterable[ChatTurn], document_id: str) -> list[dict[str, Any]]:
    """The form in which `add` takes them."""
    return [turn.to_message() | {"attributes": {"document": document_id}} for turn in turns]


def _marks(turn: ChatTurn) -> set[Any]:
    """What a turn is known by: the id of the message, else where it stands and how it begins."""
    if turn.place.anchor is not None:
        return {turn.place.anchor}
    return {(turn.place.line_range and turn.place.line_range[0], turn.text[:TURN_HEAD_CHARS])}
