"""Searching inside the database: when that is done, and what keeps it ready.

Indexes in memory are quicker for what fits. A database server that has an index over vectors can search itself, for
stores that are too large for the memory of each process (docs/adr/0051).
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.config import LiveConfig
from recollect.store.base import Store

BASE_MB = 120  # of a process before it holds a record
BYTES_A_RECORD = 300  # of all indexes together, with vectors of signs (docs/scale.md)
_MB = 1 << 20


class DatabaseSearch:
    """Whether searches look in the database; one thread calls `step`."""

    def __init__(self, store: Store, config: LiveConfig) -> None:
        self._store = store
        self._config = config
        self.ready = False  # searches look there
        self.share = 0.0  # of the tables that is there
        self.trouble = ""  # why they cannot, though it is wanted
        self._seen = -1  # the entry of the feed up to which nothing is left to be done

    @property
    def possible(self) -> bool:
        """Whether there is anything to decide: of a file only where somebody asks for what it cannot do."""
        return self._store.near is not None or self._config.current.index.search == "database" or bool(self.trouble)

    def wanted(self, records: int) -> bool:
        """Whether so many records are to be searched in the database, as is set or by their number and memory."""
        settings = self._config.current
        if settings.index.search != "auto":
            return settings.index.search == "database"
        if self._store.near is None:
            return False
        budget_mb = settings.ram.budget_mb
        needed_mb = BASE_MB + records * BYTES_A_RECORD / _MB
        return records > settings.index.memory_rows_max or bool(budget_mb and needed_mb > budget_mb)

    def step(self, records: int, going_on: Callable[[], bool]) -> None:
        """Make the database ready to be searched, or stay so, if that is wanted."""
        if not self.wanted(records):
            self.ready, self.trouble = False, ""
            return
        near = self._store.near
        lacks = "a file has no index over vectors" if near is None else near.lacks()
        if near is None or lacks:
            self.ready = False
            self.trouble = f"searches look in indexes in memory, not in the database: {lacks}"
            return
        newest = self._store.change_seq()
        if self.ready and newest == self._seen:
            return
        self.share = near.keep(going_on)
        self.ready = self.share >= 1.0
        self._seen = newest if self.ready else -1
        self.trouble = "" if self.ready else f"the database is made ready to be searched: {self.share:.0%} is there"

    def behind(self) -> int:
        """Entries of the feed that searches compare row by row."""
        near = self._store.near
        return 0 if near is None or not self.ready else near.behind()
