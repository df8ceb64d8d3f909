"""Questions for which records were judged helpful or not: kept as a direction and as hashed terms, never as text.

A question is as private as what is stored, and nothing here needs its words: to tell whether two questions are alike,
a vector or the overlap of their terms will do. The hashes keep words from being read, not from being guessed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.language.terms import query_terms
from recollect.limits import JUDGEMENTS_MAX
from recollect.store.base import Group
from recollect.store.journal import Op

Hashes = NDArray[np.uint64]

_TERM_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A question as it is kept. Without an embedder there is no vector, and the terms alone tell."""

    terms: Hashes
    model: str | None = None
    vector: NDArray[np.float32] | None = None


class FeedbackGiven(NamedTuple):
    """What somebody said of a record in a context."""

    record_pk: int
    at: int
    helpful: bool
    context: Context


def hashed(terms: Sequence[str]) -> Hashes:
    """Terms as numbers, ascending, each once."""
    digests = {hashlib.blake2b(term.encode(), digest_size=_TERM_BYTES).digest() for term in terms}
    return np.array(sorted(int.from_bytes(each, "little") for each in digests), dtype=np.uint64)


def context_of(text: str, model: str | None = None, vector: NDArray[np.float32] | None = None) -> Context:
    """What is kept of a question, or compared with what was kept. A vector of nothing tells nothing."""
    if model is None or vector is None or not vector.any():
        return Context(terms=hashed(query_terms(text)))
    return Context(terms=hashed(query_terms(text)), model=model, vector=vector)


class Feedback(Group):
    """What helped in answering which question."""

    def put(self, op: Op, record_pk: int, context: Context, *, helpful: bool) -> None:
        """Keep a judgement.

        It counts while its operation is not undone, and goes with the record when that is erased.
        """
        vector = None if context.vector is None else context.vector.astype("<f2").tobytes()
        self.sql.run(
            "INSERT INTO feedback (record_pk, operation_pk, at, helpful, model, vector, terms) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (record_pk, op.pk, op.at, int(helpful), context.model, vector, context.terms.astype("<u8").tobytes()),
        )

    def judgements(self, record_pks: Iterable[int], *, since: int) -> list[FeedbackGiven]:
        """What was said of these records later than a time, newest first; of very much only the newest."""
        rows = self.sql.all(
            "SELECT f.record_pk, f.at, f.helpful, f.model, f.vector, f.terms FROM feedback f "
            "JOIN operation o ON o.pk = f.operation_pk "
            "WHERE f.record_pk IN KEYS(?) AND f.at > ? AND o.undone_by IS NULL "
            "ORDER BY f.pk DESC LIMIT ?",
            (self.sql.keys(record_pks), since, JUDGEMENTS_MAX),
        )
        return [FeedbackGiven(pk, at, bool(helpful), _context_of(*kept)) for pk, at, helpful, *kept in rows]


def _context_of(model: str | None, vector: bytes | None, terms: bytes) -> Context:
    return Context(
        terms=np.frombuffer(terms, dtype="<u8").astype(np.uint64),
        model=model,
        vector=None if vector is None else np.frombuffer(vector, dtype="<f2").astype(np.float32),
    )
