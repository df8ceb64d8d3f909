"""`ingest`: documents and code become records that know where they stand, and stay what the files say.

Read one after the other, compared with what is stored, embedded together, and stored in portions: a portion is one
transaction and holds whole files, so that a file is there with all its pieces or not at all. All portions are one
operation. Run again, it changes only what the files changed (docs/adr/0012).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import orjson

from recollect.clock import Clock, from_us
from recollect.config import LiveConfig
from recollect.ingest import check
from recollect.ingest.drafts import checked
from recollect.ingest.embedding import Embedding
from recollect.ingest.screening import ScreeningGate
from recollect.limits import CONTENT_BYTES_CEILING
from recollect.model.result import Receipt
from recollect.model.scope import Scope
from recollect.store.base import Store

if TYPE_CHECKING:
    from recollect.ingest.reading import Adds
    from recollect.structure.piece import PieceSizes


class DocumentIngest:
    """Documents over one store. `turns` takes the turns of conversations; `hold` asks background work to wait."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        turns: Adds,
        gate: ScreeningGate,
        hold: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._turns = turns
        self._gate = gate
        self._hold = hold

    def ingest(
        self,
        given: Any,
        *,
        scope: Scope,
        fields: Mapping[str, Any],
        format: str | None = None,
        recursive: bool = True,
        session_id: str | None = None,
        actor: str | None = None,
        dry_run: bool = False,
    ) -> Receipt:
        """Remember a document, a folder of them, or a long text; or only say what would change."""
        from recollect.ingest.reading import FileReading, Wish  # the readers of all formats come with it
        from recollect.ingest.survey import survey

        wanted = {name: value for name, value in fields.items() if value is not None}
        now = from_us(self._clock())
        privacy = self._gate.privacy(self._config.current.security, scope)
        columns = {name: checked(name, value, now=now) for name, value in wanted.items()}
        wish = Wish(
            scope=scope,
            session=None if session_id is None else check.name(session_id, "session_id"),
            actor=actor,
            fields=wanted,
            columns=columns | privacy.by_secrets.admit_record("", columns).columns,
            privacy=privacy,
            dry_run=dry_run,
        )
        there = survey(
            given, format=format, recursive=recursive, sizes=self._sizes(), fields_digest=_digest(wish.columns)
        )
        if there.root is None:
            check.content(given, bytes_max=None, what="the text")
        with self._hold():
            return FileReading(
                self._store, self._embedding, self._clock, self._turns, self._gate, there, wish
            ).receipt()

    def _sizes(self) -> PieceSizes:
        from recollect.structure.piece import PieceSizes

        config = self._config.current
        return PieceSizes(
            config.structure.chunk_chars_min,
            config.structure.chunk_chars_max,
            min(config.ingest.content_bytes_max, CONTENT_BYTES_CEILING),
            config.structure.respect_sections,
        )


def _digest(columns: Mapping[str, Any]) -> str | None:
    if not columns:
        return None
    return hashlib.blake2b(orjson.dumps(columns, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()
