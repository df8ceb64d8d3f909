"""The text index in the database: every row's terms, written with the row, searched when the one in memory is cold.

A row's terms are a `tsvector` under a GIN index, whose positions are a tally: as many as a term occurs. Which rows hold
a term the index says; how well they fit is BM25, worked out here, as the other databases do it. Of common words very
many rows would have to be scored; only the rarest of a question are asked for, since they decide the ranking.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from recollect.model.query import Criteria
from recollect.store.records import SEARCHED, searched_terms
from recollect.store.textual import TextSearch

_K1, _B, _IDF_MIN = 1.2, 0.75, 1e-6
_TALLY_MAX = 255  # positions that a lexeme may have
_TERM_BYTES_MAX = 2_000
_PORTION_ROWS = 2_000  # indexed at a time


class PostgresText(TextSearch):
    """The text index in the database."""

    def put(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Index new rows."""
        written = [(pk, len(terms), _tally(terms)) for pk, terms in rows]
        self.sql.many("INSERT INTO record_text (pk, length, terms) VALUES (?, ?, CAST(? AS TSVECTOR))", written)
        self._count(len(written), sum(length for _, length, _ in written))

    def _count(self, texts: int, length: int) -> None:
        if texts or length:
            self.sql.run("UPDATE record_text_totals SET texts = texts + ?, length = length + ?", (texts, length))

    def replace(self, pk: int, terms: Sequence[str]) -> None:
        self._take_out([pk])
        self.put([(pk, terms)])

    def drop(self, pks: Sequence[int]) -> None:
        self._take_out(pks)

    def _take_out(self, pks: Sequence[int]) -> None:
        gone = self.sql.one(
            "WITH gone AS (DELETE FROM record_text WHERE pk IN KEYS(?) RETURNING length) "
            "SELECT count(*), coalesce(sum(length), 0) FROM gone",
            (self.sql.keys(pks),),
        )
        assert gone is not None
        self._count(-gone[0], -gone[1])

    def purge(self) -> None:
        """Nothing to do within the transaction: what a dropped row leaves is cleared away with the row (`scrub`)."""

    def in_step(self) -> tuple[int, int, int]:
        """How many rows there are, how many of them have no terms, and how many terms have no row."""
        return (
            int(self.sql.value("SELECT count(*) FROM record")),
            int(self.sql.value("SELECT count(*) FROM record WHERE pk NOT IN (SELECT pk FROM record_text)")),
            int(self.sql.value("SELECT count(*) FROM record_text WHERE pk NOT IN (SELECT pk FROM record)")),
        )

    def rebuild(self) -> None:
        """Fill the index anew from the rows."""
        self.sql.run("DELETE FROM record_text")
        self.sql.run("UPDATE record_text_totals SET texts = 0, length = 0")
        after, columns = 0, ", ".join(SEARCHED)
        while rows := self.sql.all(
            f"SELECT pk, {columns} FROM record WHERE pk > ? ORDER BY pk LIMIT ?", (after, _PORTION_ROWS)
        ):
            after = rows[-1][0]
            self.put((pk, searched_terms(dict(zip(SEARCHED, values, strict=True)))) for pk, *values in rows)

    def search(self, terms: Sequence[str], criteria: Criteria, *, now: int, limit: int) -> list[tuple[int, float]]:
        """(pk, BM25) of the best rows that meet the criteria and hold one of the rarer terms."""
        counted = self.holders(terms)
        rare = [term for term in self._rarest(terms, counted) if term in counted]
        if not rare or limit <= 0:
            return []
        sql, params = self.tx.criteria.where(criteria, now=now)
        tallies = ", ".join(
            "coalesce((SELECT cardinality(u.positions) FROM unnest(t.terms) u WHERE u.lexeme = ?), 0)" for _ in rare
        )
        rows = self.sql.all(
            f"SELECT t.pk, t.length, {tallies} FROM record_text t JOIN record r ON r.pk = t.pk "
            f"WHERE t.terms @@ CAST(? AS TSQUERY) AND {sql}",
            [*rare, " | ".join(map(_quoted, rare)), *params],
        )
        totals = self.sql.one("SELECT texts, length FROM record_text_totals")
        assert totals is not None
        idf = [max(math.log((totals[0] - counted[term] + 0.5) / (counted[term] + 0.5)), _IDF_MIN) for term in rare]
        mean = totals[1] / max(1, totals[0])
        scored = [(int(pk), _bm25(idf, tally, length, mean)) for pk, length, *tally in rows]
        return sorted(scored, key=lambda found: (-found[1], -found[0]))[:limit]

    def holders(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many rows, past versions included, each of the terms that occur stands; rarest first."""
        held = {
            term: int(
                self.sql.value("SELECT count(*) FROM record_text WHERE terms @@ CAST(? AS TSQUERY)", (_quoted(term),))
            )
            for term in dict.fromkeys(terms)
        }
        return dict(sorted(((term, rows) for term, rows in held.items() if rows), key=lambda each: each[::-1]))

    def _counted(self, terms: Sequence[str], clause: str, params: Sequence[object]) -> dict[str, int]:
        each = list(dict.fromkeys(terms))
        if not each:
            return {}
        counts = ", ".join("count(*) FILTER (WHERE t.terms @@ CAST(? AS TSQUERY))" for _ in each)
        row = self.sql.one(
            f"SELECT {counts} FROM record r JOIN record_text t ON t.pk = r.pk WHERE {clause}",
            [*map(_quoted, each), *params],
        )
        return dict(zip(each, map(int, row or ()), strict=True))

    def _holds(self, term: str, clause: str, params: Sequence[object]) -> bool:
        """Whether a term stands in a row that meets a condition."""
        found = self.sql.value(
            "SELECT 1 FROM record_text t JOIN record r ON r.pk = t.pk "
            f"WHERE t.terms @@ CAST(? AS TSQUERY) AND {clause} LIMIT 1",
            [_quoted(term), *params],
        )
        return found is not None


def _bm25(idf: Sequence[float], tally: Sequence[int], length: int, mean: float) -> float:
    score = 0.0
    for weight, times in zip(idf, tally, strict=True):
        score += weight * ((times * (_K1 + 1.0)) / (times + _K1 * (1 - _B + _B * length / mean)))
    return score


def _tally(terms: Sequence[str]) -> str:
    """Terms as a `tsvector` is written."""
    counted = Counter(terms)
    return " ".join(
        f"{_quoted(term)}:{','.join(map(str, range(1, min(times, _TALLY_MAX) + 1)))}" for term, times in counted.items()
    )


def _quoted(term: str) -> str:
    """A term as `tsvector` and `tsquery` take it, cut where a lexeme may be no longer."""
    cut = term.encode()[:_TERM_BYTES_MAX].decode(errors="ignore")
    return "'" + cut.replace("\\", "\\\\").replace("'", "''") + "'"
