"""Exports and imports over one store."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.errors import ContentTooLarge, StoreError, UsageError, shown
from recollect.exchange.sealed import SEALED_WITH, check_passphrase
from recollect.ingest.pipeline import Ingest
from recollect.ingest.progress import report
from recollect.ingest.screening import ScreeningGate
from recollect.model.audit import AuditEvent
from recollect.model.result import Report
from recollect.model.scope import Reach, Scope
from recollect.security.signing import SigningKey
from recollect.store.base import Store, Tx
from recollect.store.leaving import ExportedFile

if TYPE_CHECKING:
    from recollect.exchange.admitting import Admitting
    from recollect.exchange.source import ImportSource

LINES, MARKDOWN = "jsonl", "markdown"
STREAM = "-"
EXPORT_FORMATS = (LINES, MARKDOWN)


class ImportExport:
    """Takes a store, or a part of it, out into a file, and files into it."""

    def __init__(
        self,
        store: Store,
        ingest: Ingest,
        gate: ScreeningGate,
        config: LiveConfig,
        clock: Clock,
        *,
        path: Path | None,
        key: Callable[..., SigningKey | None],
        hold: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._store = store
        self._ingest = ingest
        self._gate = gate
        self._config = config
        self._clock = clock
        self._path = path  # of the store itself: never written over
        self._key = key  # of the owner; with make=True a new one, where there is none
        self._hold = hold

    def export(
        self,
        given: Any,
        *,
        scope: Scope | None,
        reach: Reach,
        format: str,
        passphrase: str | None,
        vectors: bool,
        overwrite: bool,
        owner: bool,
        actor: str | None,
        sealed_too: bool = False,
    ) -> Report:
        """Write all of the store (`scope` None) or what lies in a scope. What the owner takes out is signed.

        `sealed_too`, what is sealed of records goes out, too; only under a passphrase.
        """
        from recollect.exchange.export import write_lines
        from recollect.exchange.markdown import write_document
        from recollect.exchange.sealed import SealedWriter
        from recollect.exchange.target import target
        from recollect.store.exports import ExportedPart

        if format not in EXPORT_FORMATS:
            raise UsageError(f"exports are written as {' or '.join(EXPORT_FORMATS)}, not as {shown(format, 40)}")
        phrase = None if passphrase is None else check_passphrase(passphrase)
        if sealed_too and (phrase is None or format != LINES):
            raise UsageError("what is sealed goes out under a passphrase only, as jsonl: give passphrase=")
        key = self._key(make=True) if owner and format == LINES else None
        whole = self._gate.fields if sealed_too else None
        write = partial(write_lines, key=key, whole=whole) if format == LINES else write_document
        with target(given, overwrite=overwrite, store_path=self._path) as (file, name), self._store.read() as tx:
            chosen = ExportedPart(None if scope is None else tx.scopes.visible(scope, reach), vectors)
            if phrase is None:
                counts = write(tx, chosen, file)
            else:
                with SealedWriter(file, phrase) as sealed:
                    counts = write(tx, chosen, sealed)  # type: ignore[arg-type]
        figures = {"path": name, "format": format, "encrypted": phrase is not None, "complete": scope is None, **counts}
        figures |= {"sealed_too": True} if sealed_too else {}
        kept_at = Path(name).absolute() if _is_path(given) else None
        self._store.write(lambda tx: _note_export(tx, figures, scope, kept_at, actor=actor, at=self._clock()))
        return Report(figures=figures, warnings=_left_out(format, scope, plain=phrase is None))

    def import_(
        self,
        given: Any,
        *,
        scope: Scope,
        owner: bool,
        format: str | None,
        passphrase: str | None,
        dry_run: bool,
        trusted: bool,
        actor: str | None,
    ) -> Report:
        """Take in a file: an export of ours, or one of another program. `trusted`, the owner vouches for it."""
        how: dict[str, Any] = {"scope": scope, "owner": owner, "dry_run": dry_run, "actor": actor}
        done = self._taken_in(given, format, passphrase, trusted=trusted, **how)
        if not dry_run:
            self._store.write(lambda tx: _note_import(tx, done, scope, actor=actor, at=self._clock()))
        return done

    def _taken_in(self, given: Any, format: str | None, passphrase: str | None, *, trusted: bool, **how: Any) -> Report:
        from recollect.exchange import detect
        from recollect.exchange.converted import converted
        from recollect.exchange.source import opened

        phrase = None if passphrase is None else check_passphrase(passphrase)
        private = self._store.encrypted
        with converted(given, format, now=self._clock(), private=private) as made, self._hold():
            if made is not None:
                done = self._import_lines(made.source, trusted=trusted, made_of=made.format, **how)
                figures = {**done.figures, "format": made.format}
                return replace(done, figures=figures, warnings=(*made.notes, *done.warnings))
        with opened(given, phrase, private=private) as source, self._hold():
            if detect.is_ours(source, format):
                return self._import_lines(source, trusted=trusted, **how)
            from recollect.exchange.foreign import Taking

            taking = Taking(
                self._store,
                self._ingest,
                self._clock,
                scope=how["scope"],
                bound=not how["owner"],
                actor=how["actor"],
                dry_run=how["dry_run"],
                config=self._config.current,
            )
            return taking.run(source, format)

    def _import_lines(
        self,
        source: ImportSource,
        *,
        scope: Scope,
        owner: bool,
        trusted: bool,
        dry_run: bool,
        actor: str | None,
        made_of: str = "",
    ) -> Report:
        from recollect.exchange.admitting import Admitting, whose_word
        from recollect.exchange.checked import survey
        from recollect.exchange.lines import read_header
        from recollect.exchange.merge import Merge
        from recollect.exchange.source import STREAM_BYTES_MAX

        size = max(1, source.size)
        counts, end = survey(source, lambda done: report(done, 2 * size))
        header = read_header(source.start().readline())
        word = whose_word(header, end, self._key() if owner and not made_of else None, trusted=trusted)
        config, now = self._config.current, self._clock()
        where: dict[str, Any] = {"inside": scope, "bound": not owner}
        admitting = Admitting(word, self._gate, config, **where, now=now, source=made_of or "recollect")
        if not admitting.believed and source.size > STREAM_BYTES_MAX:
            raise ContentTooLarge(f"{source.name} has more than {STREAM_BYTES_MAX} bytes; import it in parts")
        whole = header.get("complete") is True
        with self._store.read() as tx:
            restoring = whole and owner and admitting.believed and not scope.items() and tx.arrivals.is_empty()
        if dry_run:
            return self._would_do(source, admitting, counts, restoring, bound=None if owner else scope)

        def watch(done: int) -> None:
            report(size + done, 2 * size)

        if restoring:
            return self._restored(source, admitting, counts, watch)
        merge = Merge(self._store, self._clock, admitting, **where, actor=actor, digest=end.digest)
        done = merge.run(source, watch)
        report(1, 1)
        return _with_word(_merged(done, whole), admitting, vectors=counts.get("vector", 0) > 0)

    def _restored(
        self, source: ImportSource, admitting: Admitting, counts: dict[str, int], watch: Callable[[int], None]
    ) -> Report:
        from recollect.exchange.restore import restore

        try:
            circles = self._store.write(lambda tx: restore(tx, source, admitting, now=self._clock(), watch=watch))
        except StoreError as error:
            if "constraint" not in error.message:  # no space, a lock: not the file's doing
                raise
            raise UsageError(
                f"rows of the file contradict each other; nothing was imported ({error.message})"
            ) from None
        report(1, 1)
        figures = _figures("restored", counts, count=counts.get("record", 0))
        done = Report(figures=figures, warnings=_circles(circles))
        return _with_word(done, admitting, vectors=counts.get("vector", 0) > 0)

    def _would_do(
        self,
        source: ImportSource,
        admitting: Admitting,
        counts: dict[str, int],
        restoring: bool,
        *,
        bound: Scope | None,
    ) -> Report:
        """What an import would store, told without storing anything."""
        from recollect.exchange.checked import rows_of

        with self._store.read() as tx:
            seen = None if bound is None else tx.scopes.visible(bound)
            same = conflicts = heads = 0
            for line in admitting.of(rows_of(source)):
                if line.table.name != "record" or line.values.get("head_pk") is not None:
                    continue
                heads += 1
                found = tx.arrivals.held_record(line.values["id"])
                if found is not None and (seen is None or found.scope_pk in seen):
                    alike = (found.content, found.version) == (line.values["content"], line.values["version"])
                    same, conflicts = same + alike, conflicts + (not alike)
        figures = _figures("would restore" if restoring else "would merge", counts, count=heads - same - conflicts)
        told = Report(figures={**figures, "unchanged": same, "conflicts": conflicts, "dry_run": True})
        return _with_word(told, admitting, vectors=counts.get("vector", 0) > 0)


def _is_path(given: Any) -> bool:
    return isinstance(given, str | os.PathLike) and given != STREAM


def _note_export(
    tx: Tx, figures: dict[str, Any], scope: Scope | None, path: Path | None, *, actor: str | None, at: int
) -> None:
    """Who took how much out and in which form, for the audit; and where the file is, for a later erasure."""
    key = None if scope is None else scope.key
    told: dict[str, Any] = {"verb": "export", "actor": actor, "scope": key, "count": figures["count"]}
    how = {"format": figures["format"], "complete": figures["complete"]}
    if figures.get("sealed_too"):
        tx.audit.append(AuditEvent.FIELD_DECRYPTED, at=at, detail={"export": "sealed fields"}, **told)
    if figures["encrypted"]:
        how |= SEALED_WITH
    else:
        tx.audit.append(AuditEvent.PLAIN_EXPORT_REQUESTED, at=at, detail=how, **told)
    tx.audit.append(AuditEvent.EXPORT_CREATED, at=at, detail=how, **told)
    if path is not None:
        tx.leaving.note_file(
            ExportedFile(
                path=str(path),
                at=at,
                format=figures["format"],
                sealed=figures["encrypted"],
                of_scope=key,
                records=figures["count"],
                sha256=figures.get("sha256"),
            )
        )


def _note_import(tx: Tx, done: Report, scope: Scope, *, actor: str | None, at: int) -> None:
    """Whose word came in, and what became of it, for the audit."""
    names = ("format", "word", "rejected_size", "rejected_injection", "flagged", "quarantined", "clamped")
    tx.audit.append(
        AuditEvent.IMPORT_ATTEMPTED,
        at=at,
        verb="import",
        actor=actor,
        scope=scope.key,
        count=done.figures["imported"],
        detail={name: done.figures[name] for name in names},
    )


def _left_out(format: str, scope: Scope | None, *, plain: bool) -> tuple[str, ...]:
    readable = ("the file is plain: whoever gets it can read it; passphrase= seals it",) if plain else ()
    if format == MARKDOWN:
        return ("Markdown is for reading: it holds what is known now, and cannot be imported", *readable)
    if scope is not None:
        alone = "a part of a store goes out without its operations: what was done cannot be undone where it comes in"
        return (alone, *readable)
    return readable


def _figures(did: str, counts: dict[str, int], *, count: int) -> dict[str, Any]:
    named = {"edges": "edge", "entities": "entity", "sessions": "session"}
    return {
        "format": LINES,
        "did": did,
        "count": count,
        "dry_run": False,
        **{name: counts.get(table, 0) for name, table in named.items()},
    }


def _circles(count: int) -> tuple[str, ...]:
    return (f"{count} relations would lead back to where they start; they were left out",) if count else ()


def _with_word(done: Report, admitting: Admitting, *, vectors: bool) -> Report:
    """A report with whose word the file is, and what became of its lines."""
    count = done.figures["count"]
    taken = vectors and admitting.believed
    figures = {
        **done.figures,
        "word": admitting.word.value,
        "imported": count,
        **admitting.tally.figures(),
        "re_embedded": 0 if taken else count,
    }
    return replace(done, figures=figures, warnings=(*done.warnings, *admitting.told()))


def _merged(done: Any, whole: bool) -> Report:
    notes: Sequence[str] = _circles(done.circles)
    if done.conflict_count:
        notes = (
            *notes,
            f"{done.conflict_count} records are here already and say something else; they stay as they are",
        )
    if whole:
        notes = (*notes, "this store has a past of its own: the operations of the file were not taken over")
    figures = {
        "format": LINES,
        "did": "merged",
        "count": done.records,
        "versions": done.versions,
        "unchanged": done.unchanged,
        "conflicts": done.conflict_count,
        "conflicting": done.conflicts,
        "edges": done.edges,
        "entities": done.entities,
        "sessions": done.sessions,
        "dry_run": False,
    }
    return Report(figures=figures, warnings=tuple(notes), operation=done.operation)
