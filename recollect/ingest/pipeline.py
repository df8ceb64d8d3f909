"""`add`: checked, understood, embedded, then one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ingest import check
from recollect.ingest.addition import Addition, Reading
from recollect.ingest.awaiting import missing_of_languages, missing_of_model
from recollect.ingest.drafts import Drafts, draft
from recollect.ingest.echo import Echoes
from recollect.ingest.embedding import Embedding
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.providers.base import Llm
from recollect.store.base import Store

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
        hold: Callable[[], AbstractContextManager[None]] = nullcontext,
        poke: Callable[[], None] = lambda: None,
        llm: Llm | None = None,
    ) -> None:
        self._llm = llm  # draws statements in the background, where that is wanted; here it is only spoken of
        self._poke = poke  # tells who does the jobs that there is one
        self._hold = hold  # asks background work to wait while much is being stored
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._echoes = echoes

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
    ) -> Receipt:
        """Remember. All of it or, with an error, nothing."""
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
                heard=(lambda text, role: self._echoes.heard(text, role=role, scope=scope)) if infer else None,
            )
            session = None if session_id is None else check.name(session_id, "session_id")
            if not drafts.rows:
                return Receipt(event="NONE", skipped=tuple(drafts.skipped), flags=tuple(drafts.flags))
            how = Reading(now=infer and not bulk, later=infer and bulk)
            return self._store_drafts(drafts, scope, session, actor, how)

    def _store_drafts(
        self, drafts: Drafts, scope: Scope, session: str | None, actor: str | None, how: Reading
    ) -> Receipt:
        addition = Addition.of(
            drafts,
            self._embedding,
            self._config.current,
            now=self._clock(),
            reading=how,
            is_recalled=lambda text, role: self._echoes.is_recalled(text, role=role, scope=scope),
        )
        added = self._store.write(
            lambda tx: addition.store(tx, at=self._clock(), scope=scope, session=session, actor=actor)
        )
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
            missing=(*addition.words.vectors.missing, *self._awaited(addition, how)),
        )

    def _awaited(self, addition: Addition, how: Reading) -> tuple[str, ...]:
        kinds = {row.kind for row in addition.fresh} if how.now else ()
        by_model = missing_of_model(self._llm, kinds, self._config.current.perceive)
        return (*by_model, *missing_of_languages(addition.understood.unread))
