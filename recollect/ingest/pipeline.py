"""`add`: checked, understood, embedded, then one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.config.writing import PerceiveSettings
from recollect.ingest import check
from recollect.ingest.addition import Added, add
from recollect.ingest.drafts import Drafts, draft
from recollect.ingest.echo import Echoes
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import Anchoring, Material, WhenRead, anchored_to_code, prepare
from recollect.ingest.requests import TURNS
from recollect.ingest.screening import ScreeningGate
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.providers.base import Llm
from recollect.providers.health import known_to_be_away
from recollect.store.base import Store, Tx
from recollect.store.rows import to_json

BULK_ITEMS = 500  # so many at once are stored first and read in the background


class Ingest:
    """The write path over one store."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        echoes: Echoes,
        gate: ScreeningGate,
        hold: Callable[[], AbstractContextManager[None]] = nullcontext,
        poke: Callable[[], None] = lambda: None,
        llm: Llm | None = None,
        anchor: Anchoring = lambda rows, scope: None,
    ) -> None:
        self._anchor = anchor
        self._llm = llm  # draws statements in the background, where that is wanted; here it is only spoken of
        self._poke = poke  # tells who does the jobs that there is one
        self._hold = hold  # asks background work to wait while much is being stored
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._echoes = echoes
        self._gate = gate

    def add(
        self,
        given: Any,
        *,
        scope: Scope,
        session_id: str | None = None,
        timestamp: Any = None,
        fields: Mapping[str, Any],
        infer: bool = True,
        actor: str | None = None,
        seen_in: Sequence[Sequence[str]] = (),
        beside: Callable[[Tx, str | None], None] = lambda tx, operation: None,
    ) -> Receipt:
        """Remember. All of it or, with an error, nothing. `seen_in` are, of each item, the sessions it rests on.

        `beside` is done in the same transaction, with what it is told the operation of; it is not called where nothing
        is written.
        """
        bulk = isinstance(given, list | tuple) and len(given) >= BULK_ITEMS
        with self._hold() if bulk else nullcontext():
            settings = self._config.current.ingest
            drafts = draft(
                given,
                fields,
                timestamp=timestamp,
                now=self._clock(),
                bytes_max=settings.content_bytes_max,
                parts_max=settings.turn_parts_max,
                privacy=self._gate.privacy(self._config.current.security, scope),
                heard=(lambda text, role: self._echoes.heard(text, role=role, scope=scope)) if infer else None,
            )
            for row, item in zip(drafts.rows, drafts.items, strict=True) if seen_in else ():
                row.provenance_sessions = to_json(list(seen_in[item]))
            session = None if session_id is None else check.name(session_id, "session_id")
            drafts = self._gate.admit_drafts(drafts, scope)
            if not drafts.rows:
                return Receipt(event="NONE", skipped=tuple(drafts.skipped), flags=tuple(drafts.flags))
            read = WhenRead(now=infer and not bulk, later=infer and bulk)
            return self._store_drafts(drafts, scope, session, actor, read, beside)

    def _store_drafts(
        self,
        drafts: Drafts,
        scope: Scope,
        session: str | None,
        actor: str | None,
        read: WhenRead,
        beside: Callable[[Tx, str | None], None],
    ) -> Receipt:
        anchored_to_code(drafts.rows, scope, self._anchor)
        material = prepare(
            drafts,
            self._embedding,
            self._config.current,
            now=self._clock(),
            read=read,
            is_recalled=lambda text, role: self._echoes.is_recalled(text, role=role, scope=scope),
        )

        def work(tx: Tx) -> Added:
            done = add(tx, material, at=self._clock(), scope=scope, session=session, actor=actor)
            beside(tx, done.operation)
            return done

        added = self._store.write(work)
        if added.queued:
            self._poke()
        return Receipt(
            operation=added.operation,
            ids=tuple(added.ids),
            statements=tuple(added.statements),
            records=tuple(added.records),
            event=added.event,
            count=added.new + added.changed,
            merged=tuple(added.merged),
            skipped=tuple(drafts.skipped),
            flags=tuple(drafts.flags),
            missing=(*material.missing, *self._awaited(material, added)),
        )

    def _awaited(self, material: Material, added: Added) -> tuple[str, ...]:
        kinds = added.kinds if material.read.now else ()
        by_model = _missing_of_model(self._llm, kinds, self._config.current.perceive)
        return (*by_model, *_missing_of_languages(material.understood.unread))


def _missing_of_languages(codes: Collection[str]) -> tuple[str, ...]:
    """What was not read of texts in languages without rules; they are kept, and found by their words and meaning."""
    if not codes:
        return ()
    return (f"statements, and times in words, are not read in {', '.join(sorted(codes))}: no rules for that language",)


def _missing_of_model(llm: Llm | None, kinds: Collection[str], settings: PerceiveSettings) -> tuple[str, ...]:
    """The statements that a model is to draw from new records of these kinds. A write never waits for one."""
    if settings.statements != "model" or not set(TURNS).intersection(kinds):
        return ()
    if llm is None:
        return ("statements by a model: none is configured (llm); rules draw them in the background",)
    away = known_to_be_away(llm)
    if away is None:
        return (f"statements by {llm.name} are queued",)
    return (f"statements by {llm.name} are queued: {away.detail}; rules draw them until it is back",)
