"""A search as the sources see it, over a real memory: with the indexes at hand or from the disk, and watched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from recollect import Memory
from recollect.model.query import Criteria
from recollect.recall.select import select
from recollect.recall.sources.base import Look, SourceRanking
from recollect.store.base import Params, Row, Tx
from recollect.store.sqlite.connection import SqliteStatements
from recollect.store.sqlite.dialect import spelled

_TABLES = re.compile(r"^SCAN (?!json_|leaf|n VIRTUAL|given VIRTUAL|next|carray|CONSTANT)(\w+)")


class WatchedStatements(SqliteStatements):
    """Statements as always, and for each how the database went about it."""

    __slots__ = ("asked", "scanned")

    def __init__(self, db: Any) -> None:
        super().__init__(db)
        self.asked: list[str] = []
        self.scanned: list[str] = []

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        self._watch(sql, params)
        return super().all(sql, params)

    def one(self, sql: str, params: Params = ()) -> Row | None:
        self._watch(sql, params)
        return super().one(sql, params)

    def _watch(self, sql: str, params: Params) -> None:
        self.asked.append(sql)
        if sql.startswith("SELECT EXISTS (SELECT 1 FROM"):  # ends at the first row
            return
        for row in self.db.execute(f"EXPLAIN QUERY PLAN {spelled(sql)}", tuple(params)):
            if _TABLES.match(row[3]):
                self.scanned.append(f"{row[3]}: {sql}")


@contextmanager
def looking(memory: Memory, *, warm: bool = True, limit: int = 100, **criteria: Any) -> Iterator[Look]:
    """One search of a memory. Whatever runs inside must not walk through a whole table."""
    engine = memory._engine
    wanted, now = Criteria(**criteria), engine.clock()
    assert not warm or engine.indexes.current()
    with engine.store.read() as tx:
        assert isinstance(tx.sql, SqliteStatements)
        watched = WatchedStatements(tx.sql.db)
        selection, settled = select(tx, engine.indexes, wanted, now=now) if warm else (None, True)
        yield Look(
            tx=Tx(watched), criteria=wanted, now=now, limit=limit, top_k=10, selection=selection, settled=settled
        )
        assert watched.scanned == [], watched.scanned


def pk_of(memory: Memory, record_id: str) -> int:
    with memory._engine.store.read() as tx:
        return int(tx.sql.value("SELECT pk FROM record WHERE id = ? AND head_pk IS NULL", (record_id,)))


def contents(memory: Memory, ranking: SourceRanking) -> list[str]:
    """What the rows of a ranking say, in its order."""
    with memory._engine.store.read() as tx:
        return [
            str(tx.sql.value("SELECT content FROM record WHERE pk = ?", (pk,))) for pk in ranking.found.pks.tolist()
        ]
