"""The text index on disk: every row's terms in FTS5, written with the row, searched when the one in memory is cold.

FTS5 scores every row that holds any of the words, which takes long for common words; only the rarest of a question
are asked for, since they decide the ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import apsw

from recollect.model.query import Criteria
from recollect.store.base import Tx
from recollect.store.records import SEARCHED, searched_terms
from recollect.store.textual import TextIndexDamaged, TextSearch

_PORTION_ROWS = 2_000  # indexed at a time


def configure(tx: Tx) -> None:
    """What the schema sets for a new index: segments merge sixteen at a time, not a little at every write."""
    tx.sql.run("INSERT INTO record_text (record_text, rank) VALUES ('automerge', 0)")


# What SQLite says of an index whose pages hold something else, or whose tables are gone: also that its statements mean
# nothing, or that a segment is there already.
_DAMAGE = (apsw.CorruptError, apsw.SQLError, apsw.ConstraintError)


@contextmanager
def committing() -> Iterator[None]:
    """Around a COMMIT, with which new terms are written out: `TextIndexDamaged` where these cannot be."""
    try:
        yield
    except _DAMAGE as error:
        theirs = (
            isinstance(error, apsw.ConstraintError)
            and getattr(error, "extendedresult", 0) == apsw.SQLITE_CONSTRAINT_FOREIGNKEY
        )
        rows = isinstance(error, apsw.CorruptError) and getattr(error, "extendedresult", 0) != apsw.SQLITE_CORRUPT_VTAB
        if theirs or rows:
            raise
        raise _damaged(error) from error


def _damaged(error: apsw.Error) -> TextIndexDamaged:
    return TextIndexDamaged(f"the text index of the file is damaged ({error}), and is made anew by itself; try again")


class Fts(TextSearch):
    """The text index on disk. Where it is damaged, every method tells so and raises `TextIndexDamaged`."""

    def __init__(self, tx: Tx, damaged: Callable[[], None]) -> None:
        super().__init__(tx)
        self._damaged = damaged

    @contextmanager
    def _telling_damage(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            self._damaged()
            raise _damaged(error) from error

    def put(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Index new rows."""
        with self._telling_damage():
            self.sql.many(
                "INSERT INTO record_text (rowid, terms) VALUES (?, ?)", ((pk, " ".join(terms)) for pk, terms in rows)
            )

    def replace(self, pk: int, terms: Sequence[str]) -> None:
        with self._telling_damage():
            self.sql.run("DELETE FROM record_text WHERE rowid = ?", (pk,))
        self.put([(pk, terms)])

    def drop(self, pks: Sequence[int]) -> None:
        with self._telling_damage():
            self.sql.run("DELETE FROM record_text WHERE rowid IN KEYS(?)", (self.sql.keys(pks),))

    def purge(self) -> None:
        """Rewrite the index so that no term of a dropped row is left in any of its segments."""
        with self._telling_damage():
            self.sql.run("INSERT INTO record_text (record_text) VALUES ('optimize')")

    def in_step(self) -> tuple[int, int, int]:
        """How many rows there are, how many of them have no terms, and how many terms have no row."""
        return (
            int(self.sql.value("SELECT count(*) FROM record")),
            int(self.sql.value("SELECT count(*) FROM record WHERE pk NOT IN (SELECT id FROM record_text_docsize)")),
            int(self.sql.value("SELECT count(*) FROM record_text_docsize WHERE id NOT IN (SELECT pk FROM record)")),
        )

    def rebuild(self) -> None:
        """Fill the index anew from the rows."""
        with self._telling_damage():
            self.sql.run("INSERT INTO record_text (record_text) VALUES ('delete-all')")
        after, columns = 0, ", ".join(SEARCHED)
        while rows := self.sql.all(
            f"SELECT pk, {columns} FROM record WHERE pk > ? ORDER BY pk LIMIT ?", (after, _PORTION_ROWS)
        ):
            after = rows[-1][0]
            self.put((pk, searched_terms(dict(zip(SEARCHED, values, strict=True)))) for pk, *values in rows)

    def search(self, terms: Sequence[str], criteria: Criteria, *, now: int, limit: int) -> list[tuple[int, float]]:
        """(pk, BM25) of the best rows that meet the criteria and hold one of the rarer terms."""
        rare = self._rarest(terms, self.holders(terms))
        if not rare or limit <= 0:
            return []
        sql, params = self.tx.criteria.where(criteria, now=now)
        match = " OR ".join(f'"{term}"' for term in rare)
        with self._telling_damage():
            rows = self.sql.all(
                "SELECT f.rowid, -bm25(record_text) AS score FROM record_text f JOIN record r ON r.pk = f.rowid "
                f"WHERE record_text MATCH ? AND {sql} ORDER BY score DESC, f.rowid DESC LIMIT ?",
                [match, *params, limit],
            )
        return [(int(pk), float(score)) for pk, score in rows]

    def holders(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many rows, past versions included, each of the terms that occur stands; rarest first."""
        if not terms:
            return {}
        marks = ", ".join("?" * len(terms))
        with self._telling_damage():
            return dict(
                self.sql.all(
                    f"SELECT term, doc FROM record_vocabulary WHERE term IN ({marks}) ORDER BY doc, term", list(terms)
                )
            )

    def _counted(self, terms: Sequence[str], clause: str, params: Sequence[object]) -> dict[str, int]:
        sql = (
            f"SELECT count(*) FROM record_text f JOIN record r ON r.pk = f.rowid WHERE record_text MATCH ? AND {clause}"
        )
        with self._telling_damage():
            return {term: int(self.sql.value(sql, [f'"{term}"', *params])) for term in dict.fromkeys(terms)}

    def _holds(self, term: str, clause: str, params: Sequence[object]) -> bool:
        with self._telling_damage():
            found = self.sql.value(
                f"SELECT 1 FROM record_text f JOIN record r ON r.pk = f.rowid WHERE record_text MATCH ? AND "
                f"{clause} LIMIT 1",
                [f'"{term}"', *params],
            )
        return found is not None
