"""Records that are stored already moved under a tier, or out of it, for good: no clear copy is left behind.

All versions of a record are sealed, each for itself. What was made of the old text goes by the machinery of erasure:
statements, names, vectors, images of the journal, reasons, what relations quote. Statements are drawn anew from what
the row holds now. So none of the record's earlier operations can be undone, and neither can this; what was known at a
time stays known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import StoreError, UsageError
from recollect.ingest.drafts import Drafts
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import Material, prepare
from recollect.ingest.perceiving import understand
from recollect.ingest.pieces import text_digest
from recollect.ingest.screening import READ, ScreeningGate
from recollect.ingest.writer import MaterialWriter
from recollect.language.terms import is_withheld
from recollect.model.columns import RecordRow
from recollect.model.record import SecurityTier
from recollect.model.result import Report
from recollect.model.scope import GLOBAL, Scope
from recollect.security.screening.policy import KEEP, SECRETS, TIER, WORDED, Privacy
from recollect.store.base import Store, Tx
from recollect.store.erase import UNTIL_REWRITTEN
from recollect.store.rows import from_json, to_json

_PORTION = 200
_WRITTEN = ("content", "content_hash", "security", "sealed", "perceived", *sorted(WORDED))
_READ_AGAIN = ("perceived", "subject", "predicate", "object")  # by whoever reads the current text for statements
_TURN = "turn"


class _Stored(NamedTuple):
    """A record with all its versions, as it was a moment before the transaction."""

    pk: int
    versions: dict[int, RecordRow]  # by key, its own first
    scope: Scope

    @property
    def head(self) -> RecordRow:
        return self.versions[self.pk]


class _Moved(NamedTuple):
    """The same after the policy: rows as they are to be, by key, and what the current text says."""

    rows: dict[int, RecordRow]
    material: Material


class Sealing:
    """Moves records between tiers. `after_erasure` has the indexes drop their files."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        gate: ScreeningGate,
        *,
        after_erasure: Callable[[], None],
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._gate = gate
        self._after_erasure = after_erasure

    def seal_all(self, *, dry_run: bool = False) -> Report:
        """Look through all that is stored and seal what the policy hides. Interrupted, it goes on when called again."""
        self._gate.fields.require()
        chosen = self._config.current.security
        if chosen.personal != TIER and TIER not in chosen.personal_in:
            raise UsageError("security.personal does not say tier anywhere, so there is nothing to seal; set it first")
        return self._run(lambda stored: self._moved(stored, None), "seal", dry_run=dry_run)

    def open_all(self) -> Report:
        """Bring everything that is sealed back into the rows, secrets too."""
        return self._run(self._opened, "unseal", dry_run=False)

    def seal_one(self, pk: int, told: str, *, actor: str | None, reason: str | None) -> str:
        """Give a record a tier that hides more than its own; the id of the operation."""
        with self._store.read() as tx:
            stored = _load(tx, pk)
        assert stored is not None
        moved = self._moved(stored, told)
        assert moved is not None
        self._after_erasure()
        operation = self._store.write(partial(self._write, stored, moved, "seal", actor, reason))
        self._finish()
        return operation or ""

    def _run(self, move: Callable[[_Stored], _Moved | None], verb: str, *, dry_run: bool) -> Report:
        seen = changed = 0
        if not dry_run:
            self._after_erasure()
        for pk in self._keys():
            with self._store.read() as tx:
                stored = _load(tx, pk)
            moved = None if stored is None else move(stored)
            seen += stored is not None
            if stored is None or moved is None:
                continue
            if dry_run or self._store.write(partial(self._write, stored, moved, verb, None, None)):
                changed += 1
        if not dry_run:
            self._store.write(lambda tx: tx.sealed.forget_minds())
        note = self._finish() if changed and not dry_run else ""
        figures = {"seen": seen, "sealed" if verb == "seal" else "opened": changed, "dry_run": dry_run}
        return Report(figures=figures, warnings=(note,) if note else ())

    def _keys(self) -> Iterator[int]:
        """The records there are, deleted ones too, in portions: those that come meanwhile are sealed as they come."""
        after = 0
        while True:
            with self._store.read() as tx:
                pks = tx.sealed.records_after(after, _PORTION)
            if not pks:
                return
            yield from pks
            after = pks[-1]

    def _moved(self, stored: _Stored, told: str | None) -> _Moved | None:
        """A record under the tier that its words ask for, or that was told; None if nothing changes."""
        privacy = self._gate.privacy(self._config.current.security, stored.scope)
        rows = {pk: self._admitted(row, privacy, told) for pk, row in stored.versions.items()}
        if all(_alike(rows[pk], row) for pk, row in stored.versions.items()):
            return None
        return self._read(rows, stored)

    def _opened(self, stored: _Stored) -> _Moved | None:
        if all(row.sealed is None for row in stored.versions.values()):
            return None
        policy = Privacy(personal=KEEP, secrets=KEEP)
        rows = {}
        for pk, row in stored.versions.items():
            whole, held = self._whole(row)
            rows[pk] = _with_secrets(whole, held)
            policy.admit_row(rows[pk], told=SecurityTier.CLEARTEXT.value)
            rows[pk].security = SecurityTier.CLEARTEXT.value
        return self._read(rows, stored)

    def _admitted(self, row: RecordRow, privacy: Privacy, told: str | None) -> RecordRow:
        if told is None and row.sealed is not None:
            return row  # sealed when it came
        whole, held = self._whole(row)
        new = replace(whole)
        privacy.admit_row(new, told=told, held=held)
        attributes = from_json(new.attributes, {})
        if new.sealed is not None and "digest" in attributes:
            attributes["digest"] = privacy.cipher().digest(whole.content)[: len(text_digest(""))]
            new.attributes = to_json(attributes)
        return new

    def _whole(self, row: RecordRow) -> tuple[RecordRow, dict[str, list[str]]]:
        if row.sealed is None:
            return row, {}
        with self._store.read() as tx:
            box = tx.sealed.load([row.sealed]).get(row.sealed)
        opened = {} if box is None else self._gate.fields.opened(box)
        held = opened.pop(SECRETS, {})
        return replace(row, **opened, sealed=None), held

    def _read(self, rows: dict[int, RecordRow], stored: _Stored) -> _Moved:
        """What the rows say now. Earlier versions, and a record that was deleted, state and name nothing."""
        config, now = self._config.current, self._clock()
        for row in rows.values():
            if not is_withheld(row.content):
                row.perceived = None
                understand([row], (), config=config, now=now)
        read = replace(rows[stored.pk])
        if stored.head.category == _TURN and read.perceived != READ:
            read.perceived = read.subject = read.predicate = read.object = None
        turns = [0] if read.retired_at is None and read.category == _TURN else []
        return _Moved(rows, prepare(Drafts(rows=[read], turns=turns), self._embedding, config, now=now))

    def _write(
        self, stored: _Stored, moved: _Moved, verb: str, actor: str | None, reason: str | None, tx: Tx
    ) -> str | None:
        """Everything in one transaction; None if the record is another by now: then it is looked at the next time."""
        if _load(tx, stored.pk) != stored:
            return None
        head, pk = moved.rows[stored.pk], stored.pk
        op = tx.journal.begin(verb, at=self._clock(), scope_pk=head.scope_pk, actor=actor, reason=reason)
        given = tx.mentions.names_given(list(stored.versions))
        tx.erasure.erase(op, tx.statements.lose_turns(op, [pk], erasing=True))
        moved.material.words.vectors.replace(tx, op, pk)
        for version_pk, row in moved.rows.items():
            if row.box is not None:
                tx.sealed.put([row.box])
            tx.records.write_columns(version_pk, {name: getattr(row, name) for name in _WRITTEN})
        read = moved.material.rows[0]
        tx.records.write_columns(pk, {name: getattr(read, name) for name in _READ_AGAIN})
        moved.material.words.vectors.store_hidden(tx, op.at)
        if head.retired_at is None:
            writer = MaterialWriter(tx, op, moved.material)
            writer.revise_text(pk)
            moved.material.stamp(head.scope_pk, head.session_pk, at=op.at)
            writer.store_statements([pk])
        tx.erasure.forget_past(op, list(moved.rows))
        tx.mentions.forget(given)
        tx.sealed.drop_unused(head.id)
        op.finish(1, final=True)
        return op.id

    def _finish(self) -> str:
        self._after_erasure()
        try:
            self._store.scrub()
        except StoreError as error:  # it is noted, and tried again
            return f"the file could not be rewritten now ({error.code}): {UNTIL_REWRITTEN}"
        return ""


def _load(tx: Tx, pk: int) -> _Stored | None:
    versions = tx.sealed.versions(pk)
    if pk not in versions:
        return None
    return _Stored(pk, versions, tx.scopes.load(versions[pk].scope_pk) or GLOBAL)


def _alike(one: RecordRow, other: RecordRow) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in ("content", "sealed", *WORDED))


def _with_secrets(row: RecordRow, held: Mapping[str, list[str]]) -> RecordRow:
    """The row with secrets where their references stand."""
    words: dict[str, Any] = {name: getattr(row, name) for name in ("content", *WORDED)}
    for ref, (kind, value) in held.items():
        mark = f"[secret:{kind}#{ref}]"
        plain = (to_json(value) or '""')[1:-1]
        for name, text in words.items():
            if isinstance(text, str):
                words[name] = text.replace(mark, value if name == "content" or text[:1] not in "{[" else plain)
    return replace(row, **words)
