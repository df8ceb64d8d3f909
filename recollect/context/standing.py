"""Records that belong into a window whatever is asked: standing instructions, patterns, what happened today."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recollect.clock import DAY_US
from recollect.config import Config
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.model.query import Criteria
from recollect.model.record import Kind
from recollect.model.result import Hit
from recollect.recall.foremost import foremost
from recollect.recall.hits import load_hits
from recollect.recall.select import select
from recollect.store import records
from recollect.store.base import Store, Tx

INSTRUCTIONS = ("instruction", "constraint")
INSTRUCTIONS_MAX = 20
PATTERNS_MAX = 10
LOOKED_AT = 500  # newest rows among which the foremost are chosen


class Standing:
    """Looked up in the columns in memory, or in the tables while those are not there."""

    def __init__(self, store: Store, indexes: Indexes) -> None:
        self._store = store
        self._indexes = indexes

    def instructions(self, criteria: Criteria, *, now: int, config: Config) -> list[Hit]:
        """What an agent was told once and for all, the most important first."""
        # Drawn statements are left out: what somebody said in passing is no standing order.
        wanted = replace(criteria, categories=INSTRUCTIONS, drawn=False)
        return self._foremost(wanted, INSTRUCTIONS_MAX, now=now, config=config)

    def patterns(self, criteria: Criteria, *, now: int, config: Config) -> list[Hit]:
        """What many records have in common."""
        return self._foremost(replace(criteria, kinds=(Kind.SCHEMA.value,)), PATTERNS_MAX, now=now, config=config)

    def today(self, criteria: Criteria, session: str | None, *, now: int, config: Config) -> list[Hit]:
        """What happened since midnight (UTC) outside of this session, the foremost first."""
        since = replace(criteria, after=now - now % DAY_US, drawn=False)
        return self._foremost(since, config.context.today_records, now=now, config=config, outside=session)

    def _foremost(
        self, criteria: Criteria, limit: int, *, now: int, config: Config, outside: str | None = None
    ) -> list[Hit]:
        in_memory = criteria.known_at is None and self._indexes.current()
        with self._store.read() as tx:
            pks = self._pks(tx, criteria, now, in_memory=in_memory)
            if outside is not None and len(pks):
                pks = np.array(records.outside_session(tx, pks.tolist(), outside), dtype=np.int64)
            if not len(pks) or not limit:
                return []
            scores = foremost(tx, criteria, now=now, limit=limit, config=config, among=pks)
            return list(load_hits(tx, scores, criteria, now=now, config=config).values())

    def _pks(self, tx: Tx, criteria: Criteria, now: int, *, in_memory: bool) -> Pks:
        if not in_memory:
            return np.array(records.matching(tx, criteria, now=now, limit=LOOKED_AT), dtype=np.int64)
        selection, settled = select(tx, self._indexes, criteria, now=now)
        pks = selection.pks()[-LOOKED_AT:]
        return pks if settled else np.array(records.matching(tx, criteria, now=now, among=pks.tolist()), dtype=np.int64)
