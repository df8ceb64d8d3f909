"""What the engine asks of a database's own text index, and what all of them share: which terms are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.errors import StoreDamaged
from recollect.model.query import Criteria
from recollect.store.base import Group

RARE_TERMS_MAX = 8
ROWS_SCORED_MAX = 20_000  # stop adding terms once this many rows would have to be scored


class TextIndexDamaged(StoreDamaged):
    """The database's own text index is damaged. It is worked out of the rows: the store makes it anew by itself."""


class CountedTerms(NamedTuple):
    """How many rows there are, and in how many of them each of some terms stands."""

    rows: int
    holders: dict[str, int]


class TextSearch(Group):
    """A database's own text index: the terms of every row, past versions included."""

    @abstractmethod
    def put(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Index new rows."""

    @abstractmethod
    def replace(self, pk: int, terms: Sequence[str]) -> None: ...
    @abstractmethod
    def drop(self, pks: Sequence[int]) -> None: ...
    @abstractmethod
    def purge(self) -> None:
        """Leave no term of a dropped row in the index."""

    @abstractmethod
    def in_step(self) -> tuple[int, int, int]:
        """How many rows there are, how many of them have no terms, and how many terms have no row."""

    @abstractmethod
    def rebuild(self) -> None:
        """Fill the index anew from the rows."""

    @abstractmethod
    def search(self, terms: Sequence[str], criteria: Criteria, *, now: int, limit: int) -> list[tuple[int, float]]:
        """(pk, BM25) of the best rows that meet the criteria and hold one of the rarer terms."""

    @abstractmethod
    def holders(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many rows, past versions included, each of the terms that occur stands; rarest first."""

    def holders_within(
        self, terms: Sequence[str], criteria: Criteria, *, now: int, rows_max: int
    ) -> CountedTerms | None:
        """Terms counted among the rows that meet the criteria; None where these are more than so many."""
        sql, params = self.tx.criteria.where(criteria, now=now)
        rows = self.sql.value(
            f"SELECT count(*) FROM (SELECT 1 FROM record r WHERE {sql} LIMIT ?) few", [*params, rows_max + 1]
        )
        return None if rows > rows_max else CountedTerms(int(rows), self._counted(terms, sql, params))

    @abstractmethod
    def _counted(self, terms: Sequence[str], clause: str, params: Sequence[object]) -> dict[str, int]:
        """In how many rows that meet a condition each term stands."""

    @abstractmethod
    def _holds(self, term: str, clause: str, params: Sequence[object]) -> bool:
        """Whether a term stands in a row that meets a condition."""

    def unseen(self, counted: dict[str, int], criteria: Criteria, *, now: int) -> set[str]:
        """Which of these counted terms, rarest first, stand in no row that meets the criteria.

        Terms of very many rows are not looked at: that others use a common word too tells nothing about them.
        """
        sql, params = self.tx.criteria.where(criteria, now=now)
        found: set[str] = set()
        rows = 0
        for term, documents in counted.items():
            rows += documents
            if rows > ROWS_SCORED_MAX:
                break
            if not self._holds(term, sql, params):
                found.add(term)
        return found

    def _rarest(self, terms: Sequence[str], counted: dict[str, int]) -> list[str]:
        """The terms that occur, rarest first, as many as can be scored in good time; at least one."""
        # A text index may fold a few letters of its own, so a term of another script may be there under another
        # spelling: ask for it.
        chosen = [term for term in terms if term not in counted and not term.isascii()][:RARE_TERMS_MAX]
        rows = 0
        for term, documents in list(counted.items())[: RARE_TERMS_MAX - len(chosen)]:
            rows += documents
            if chosen and rows > ROWS_SCORED_MAX:
                break
            chosen.append(term)
        return chosen
