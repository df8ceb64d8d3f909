"""What other programs exported, taken in the way of everything else: screened, read, embedded, known by its meaning.

Items go to `add` in portions, by whose they are and by session. All portions become one operation. If one is refused,
those before it are taken back, and the file is as good as not imported. What came in before is known by its id or its
words, so that a file may be imported again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from recollect.clock import Clock, from_us
from recollect.config import Config
from recollect.errors import ContentTooLarge, RecollectError, UsageError
from recollect.exchange import detect
from recollect.exchange.formats.base import ForeignItem, Read
from recollect.exchange.quarantine import CLOCKS_DIFFER, Tally
from recollect.exchange.source import ImportSource
from recollect.ingest import check
from recollect.ingest.pipeline import Ingest
from recollect.ingest.progress import report
from recollect.ingest.screening import REFUSED
from recollect.model.result import Report
from recollect.model.scope import DIMENSIONS, Scope
from recollect.store import journal
from recollect.store.base import Store, Tx
from recollect.store.rows import content_hash

IMPORTED = "imported"  # attribute of a record: what it is known by when its file comes again
PORTION_ITEMS = 400


class _Portion(NamedTuple):
    scope: Scope
    session: str | None
    items: list[ForeignItem]


class Taking:
    """One import of a foreign file. `scope` wins over what the file says; `bound`, nothing else counts."""

    def __init__(
        self,
        store: Store,
        ingest: Ingest,
        clock: Clock,
        *,
        scope: Scope,
        bound: bool,
        actor: str | None,
        dry_run: bool,
        config: Config,
    ) -> None:
        self._store = store
        self._ingest = ingest
        self._clock = clock
        self._scope = scope
        self._bound = bound
        self._actor = actor
        self._dry_run = dry_run
        self._config = config
        # How far somebody else's word is believed at first.
        self._fields = {"confidence": config.security.import_confidence_max}
        self._operations: list[str] = []
        self._ids: list[str] = []
        self._missing: dict[str, None] = {}
        self._tally = Tally()
        self._merged = 0

    def run(self, source: ImportSource, given: str | None) -> Report:
        """Read all of it, check all of it, then store what is new."""
        read = detect.read(source, given)
        self._within_time(read)
        read.items[:] = [item for item in read.items if self._fits(read, item)]
        if not read.items:
            raise UsageError(
                f"{source.name} holds nothing to remember" + "".join(f"; {each}" for each in read.skipped[:3])
            )
        fresh, known = self._fresh(read)
        if not self._dry_run:
            self._store_all(read, fresh)
        operation = self._join(read) if self._operations else None
        figures: dict[str, Any] = {
            "format": read.source.removeprefix("import:"),
            "count": len(fresh) if self._dry_run else len(self._ids),
            "unchanged": known,
            "merged": self._merged,
            "skipped": read.skipped,
            "skipped_count": read.skipped_count,
            "dry_run": self._dry_run,
        }
        figures |= {"word": "nobody", "imported": figures["count"], **self._tally.figures()}
        figures["clamped"]["confidence"] = figures["re_embedded"] = figures["count"]
        warnings = (*read.notes, *self._missing, *self._tally.warnings())
        return Report(figures=figures, warnings=warnings, operation=operation)

    def _within_time(self, read: Read) -> None:
        """A date that cannot be is not believed: then the item is as old as its import."""
        now = from_us(self._clock())
        earliest = now - timedelta(days=self._config.security.import_age_days)
        future = sum(_undated(item, from_=now + CLOCKS_DIFFER) for item in read.items)
        ancient = sum(_undated(item, until=earliest) for item in read.items)
        self._tally.times = future + ancient
        if future:
            read.notes.append(f"{future} items are dated in the future; they are taken without a date")

    def _fits(self, read: Read, item: ForeignItem) -> bool:
        """Whether an item can be a record; one that is too large is left out and told."""
        try:
            _check(item, bytes_max=self._config.ingest.content_bytes_max)
        except ContentTooLarge as error:
            self._tally.rejected_size += 1
            read.skip(item.where, error.message)
            return False
        return True

    def _place(self, item: ForeignItem) -> Scope:
        if self._bound:
            return self._scope
        return Scope(
            **{name: item.scope[name] for name in DIMENSIONS if name in item.scope} | dict(self._scope.items())
        )

    def _fresh(self, read: Read) -> tuple[list[ForeignItem], int]:
        """Items that are not stored yet, each once; and how many are."""
        seen: dict[int | None, set[str]] = {}
        fresh: dict[tuple[str, str], ForeignItem] = {}
        with self._store.read() as tx:
            for item in read.items:
                scope = self._place(item)
                scope_pk = tx.scopes.find(scope)
                if scope_pk not in seen:
                    seen[scope_pk] = _taken_over(tx, scope_pk, read.source)
                if item.key not in seen[scope_pk] and not _is_said(tx, item, scope_pk):
                    fresh.setdefault((scope.key, item.key), item)
        return list(fresh.values()), len(read.items) - len(fresh)

    def _store_all(self, read: Read, fresh: Sequence[ForeignItem]) -> None:
        done = 0
        try:
            for portion in self._portions(fresh):
                self._add(read, portion)
                done += len(portion.items)
                report(done, len(fresh))
        except RecollectError:
            self._take_back(read)
            raise

    def _portions(self, items: Sequence[ForeignItem]) -> Iterator[_Portion]:
        """Items that one `add` can take: of one scope and session, in the order of the file."""
        groups: dict[tuple[Scope, str | None], list[ForeignItem]] = {}
        for item in items:
            groups.setdefault((self._place(item), item.session), []).append(item)
        for (scope, session), group in groups.items():
            for at in range(0, len(group), PORTION_ITEMS):
                yield _Portion(scope, session, group[at : at + PORTION_ITEMS])

    def _add(self, read: Read, portion: _Portion) -> None:
        messages = [item.message | {"attributes": {IMPORTED: item.key}} for item in portion.items]
        try:
            receipt = self._ingest.add(
                messages,
                scope=portion.scope,
                session_id=portion.session,
                actor=self._actor,
                fields={"source": read.source, **self._fields},
            )
        except UsageError as error:
            where = f"{portion.items[0].where} to {portion.items[-1].where}"
            raise type(error)(f"{where}: {error.message}; nothing was imported") from None
        self._operations += [receipt.operation] if receipt.operation else []
        self._ids += receipt.ids
        self._merged += len(receipt.merged)
        self._missing |= dict.fromkeys(receipt.missing)
        self._tally.quarantined += sum(flag.startswith("quarantined:") for flag in receipt.flags)
        self._tally.flagged += "injection:mark" in receipt.flags
        self._tally.rejected_injection += sum(each.reason == REFUSED for each in receipt.skipped)

    def _join(self, read: Read) -> str:
        """All portions as one operation, so that one undo takes the whole import back."""

        def work(tx: Tx) -> str:
            scope_pk = tx.scopes.ensure(self._scope) if self._scope.items() else None
            op = tx.journal.begin("import", at=self._clock(), scope_pk=scope_pk, actor=self._actor, reason=read.source)
            journal.adopt(op, self._operations)
            return op.id

        return self._store.write(work)

    def _take_back(self, read: Read) -> None:
        if self._operations:
            operation = self._join(read)

            def work(tx: Tx) -> None:
                pk = tx.journal.operation_pk(operation)
                scope_pk = tx.journal.scope_pk(pk)
                tx.undoing.undo(pk, clock=self._clock, scope_pk=scope_pk, actor=self._actor)

            self._store.write(work)


def _undated(item: ForeignItem, *, from_: datetime | None = None, until: datetime | None = None) -> bool:
    """Whether an item says that it was said from or until a time that cannot be; then its date is taken away."""
    at = item.message.get("timestamp")
    if at is None or not ((from_ is not None and at > from_) or (until is not None and at < until)):
        return False
    del item.message["timestamp"]
    if from_ is not None:
        item.message.pop("valid_from", None)
    return True


def _check(item: ForeignItem, *, bytes_max: int) -> None:
    """What can be told of an item before anything is stored, with the place where it stands."""
    message = item.message
    try:
        if "role" not in message:  # longer turns are cut into parts, a statement is one record
            check.content(message["content"], bytes_max=bytes_max)
        check.mapping(message.get("metadata"))
        check.tags(message.get("tags"))
    except ContentTooLarge:
        raise
    except UsageError as error:
        raise type(error)(f"{item.where}: {error.message}; nothing was imported") from None


def _taken_over(tx: Tx, scope_pk: int | None, source: str) -> set[str]:
    """The keys of what came from this source into a scope before."""
    return set() if scope_pk is None else tx.arrivals.taken_over(IMPORTED, scope_pk, source)


def _is_said(tx: Tx, item: ForeignItem, scope_pk: int | None) -> bool:
    """Whether a statement stands here in these very words. A turn may repeat what was said before."""
    if scope_pk is None or "role" in item.message:
        return False
    return tx.arrivals.says(content_hash(item.message["content"]), scope_pk)
