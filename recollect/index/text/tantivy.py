"""The warm text index: tantivy in memory, and before it a tail of rows too new to be in there.

A tantivy commit costs milliseconds to tens of them whatever its size, so rows are answered from the tail, a
small inverted index of plain dicts, until `commit` moves them. A search takes a searcher, the tail and the
committed rows that no longer count under one lock, and `commit` swaps all three under it: no row is missed,
and none comes twice. Both parts weigh terms by what is in both, so that their scores can be merged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np
import tantivy
from numpy.typing import NDArray

from recollect.errors import StoreClosed
from recollect.index.base import Pks, Scored, Selection, TermsRow
from recollect.limits import CANDIDATES_MAX

K1, B = 1.2, 0.75  # tantivy's own, which cannot be set

TAIL_ROWS_MAX = 4_000  # apply commits by itself beyond this, so that searching the tail stays cheap
_CHUNK_ROWS = 256  # rows put into the tail while searches wait
_WRITER_HEAP_BYTES = 20_000_000
_FETCH_MIN = 128  # as quick as ten, and settles most ties at once
_FETCH_GROWTH = 4
_PK_SET_MAX = 1_000  # allowed rows few enough to be named in the query
_PK_SET_WORTH = 4_000  # hits to read past before naming the rows is the cheaper way

NOTHING = Scored(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


class TantivyText:
    """The `TextIndex` of a running process. One thread feeds it (`apply`, `commit`), any thread searches."""

    def __init__(self, *, tail_rows_max: int = TAIL_ROWS_MAX) -> None:
        self._schema = _schema()
        self._index = tantivy.Index(self._schema)
        self._index.config_reader(reload_policy="manual")  # a searcher must not move before the tail does
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("terms", words)
        self._writer: Any = self._index.writer(heap_size=_WRITER_HEAP_BYTES, num_threads=1)
        self._tail_rows_max = tail_rows_max
        self._lock = Lock()  # guards the two below
        self._committed = _Committed(searcher=self._index.searcher())
        self._tail = _Tail()

    def count(self) -> int:
        with self._lock:
            committed, recent = self._committed, len(self._tail.rows)
        return committed.rows - len(committed.dead) + recent

    def apply(self, puts: Sequence[TermsRow], deletes: Sequence[int]) -> None:
        """Insert or replace rows, drop others; found, or gone, from the next search on."""
        if self._writer is None:
            raise StoreClosed("the text index is closed")
        latest = {row.pk: row for row in puts}
        gone = [pk for pk in deletes if pk not in latest]
        if gone:
            self._shelve((), gone)
        rows = iter(latest.values())
        while chunk := list(islice(rows, _CHUNK_ROWS)):
            self._shelve(chunk, ())
            if len(self._tail.rows) >= self._tail_rows_max:
                self.commit()
        if len(self._committed.dead) >= self._tail_rows_max:
            self.commit()

    def commit(self) -> None:
        """Move the tail into tantivy. For the feeding thread, now and then; searches go on meanwhile."""
        if self._writer is None:
            raise StoreClosed("the text index is closed")
        before, tail = self._committed, self._tail  # only this thread changes them
        if tail.rows or before.dead:
            self._write(tail, before.dead)
        self._index.reload()  # even with nothing to write: segments merged in the background come into use
        kept = 1 - len(before.dead) / max(1, before.rows)
        after = _Committed(
            searcher=self._index.searcher(),
            tokens=before.tokens * kept + tail.tokens,  # lengths of the dead are not known, only their share
            pk_max=max(before.pk_max, max(tail.rows, default=0)),
        )
        with self._lock:
            self._committed, self._tail = after, _Tail()

    def search(self, terms: Sequence[str], *, limit: int, among: Selection) -> Scored:
        """The best `limit` allowed rows by score: the full ranking, filtered; among equals, the newest it met."""
        wanted = list(dict.fromkeys(filter(None, terms)))
        limit = min(limit, CANDIDATES_MAX)
        if not wanted or limit <= 0 or not among.count:
            return NOTHING
        with self._lock:
            committed = self._committed
            weights = _Weights(wanted, committed, self._tail)
            recent = self._tail.score(weights)
        if len(recent.pks) and among.count < among.total:
            allowed = among.allows(recent.pks)
            recent = Scored(recent.pks[allowed], recent.scores[allowed])
        if not committed.rows or not any(weights.committed_counts):
            return _best(recent, limit)
        older = _Hunt(self._schema, committed, weights, limit, among).best()
        return _best(_joined(older, recent), limit) if len(recent.pks) else older

    def close(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.wait_merging_threads()

    def _shelve(self, rows: Sequence[TermsRow], gone: Sequence[int]) -> None:
        """Rows into the tail; what tantivy holds of them no longer counts."""
        stale = self._still_committed([row.pk for row in rows] + list(gone))
        with self._lock:
            if stale:
                self._committed = replace(self._committed, dead=self._committed.dead | stale)
            for pk in gone:
                self._tail.drop(pk)
            for row in rows:
                self._tail.put(row)

    def _still_committed(self, pks: Iterable[int]) -> frozenset[int]:
        """Those that tantivy holds and would return. New rows have new pks, so it is seldom asked."""
        committed = self._committed
        maybe = iter([pk for pk in pks if pk <= committed.pk_max and pk not in committed.dead])
        held: set[int] = set()
        while block := list(islice(maybe, _PK_SET_MAX)):
            query = tantivy.Query.term_set_query(self._schema, "pk", block)
            hits = committed.searcher.search(query, len(block), count=False).hits
            held.update(_pks_of(committed.searcher, hits))
        return frozenset(held)

    def _write(self, tail: _Tail, dead: Collection[int]) -> None:
        try:
            for pk in dead:
                self._writer.delete_documents_by_term("pk", pk)
            for row in tail.rows.values():
                self._writer.add_document(tantivy.Document(terms=" ".join(row.terms), pk=row.pk, scope=row.scope_pk))
            self._writer.commit()
        except BaseException:
            self._writer.rollback()  # the tail still has the rows; a second try must not double them
            raise


def _schema() -> Any:
    """Integers are signed as `Document(**fields)` makes them so: an unsigned field would kill the writer."""
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("terms", tokenizer_name="terms", index_option="freq")
    fields.add_integer_field("pk", indexed=True, fast=True)
    fields.add_integer_field("scope", indexed=True)
    return fields.build()


@dataclass(frozen=True, slots=True)
class _Committed:
    """What tantivy answers from: one searcher, and the rows in it that were replaced or dropped since."""

    searcher: Any
    dead: frozenset[int] = frozenset()
    tokens: float = 0.0
    pk_max: int = 0

    @property
    def rows(self) -> int:
        return int(self.searcher.num_docs)


@dataclass(slots=True)
class _Tail:
    """The newest rows as an inverted index. Costs of a search follow its matches, not the rows."""

    rows: dict[int, TermsRow] = field(default_factory=dict)
    postings: dict[str, dict[int, int]] = field(default_factory=dict)  # term -> pk -> occurrences
    lengths: dict[int, int] = field(default_factory=dict)
    tokens: int = 0

    def put(self, row: TermsRow) -> None:
        self.drop(row.pk)
        self.rows[row.pk] = row
        self.lengths[row.pk] = _length_kept(len(row.terms))
        self.tokens += len(row.terms)
        for term, occurrences in Counter(row.terms).items():
            self.postings.setdefault(term, {})[row.pk] = occurrences

    def drop(self, pk: int) -> None:
        row = self.rows.pop(pk, None)
        if row is None:
            return
        del self.lengths[pk]
        self.tokens -= len(row.terms)
        for term in set(row.terms):
            holders = self.postings[term]
            del holders[pk]
            if not holders:
                del self.postings[term]

    def holders(self, term: str) -> int:
        return len(self.postings.get(term, ()))

    def score(self, weights: _Weights) -> Scored:
        """Every row that holds one of the terms, in no order."""
        scores: dict[int, float] = {}
        lengths, fixed, per_token = self.lengths, K1 * (1 - B), K1 * B / weights.length_mean
        for term, idf in zip(weights.terms, weights.idfs, strict=True):
            factor = idf * (1 + K1)
            for pk, occurrences in self.postings.get(term, {}).items():
                norm = fixed + per_token * lengths[pk]
                scores[pk] = scores.get(pk, 0.0) + factor * occurrences / (occurrences + norm)
        pks = np.fromiter(scores, dtype=np.int64, count=len(scores))
        return Scored(pks, np.fromiter(scores.values(), dtype=np.float32, count=len(scores)))


class _Weights:
    """What each term is worth, by the rows of both parts together."""

    def __init__(self, terms: Sequence[str], committed: _Committed, tail: _Tail) -> None:
        self.terms = terms
        self.committed_counts = [committed.searcher.doc_freq("terms", term) for term in terms]
        counts = zip(self.committed_counts, map(tail.holders, terms), strict=True)
        rows = committed.rows + len(tail.rows)
        self.idfs = [_idf(older + recent, rows) for older, recent in counts]
        self.length_mean = max(1.0, (committed.tokens + tail.tokens) / max(1, rows))
        self.boosts: list[float] | None = None
        if tail.rows:  # tantivy weighs by what it has committed; these bring its weights to ours
            own = [_idf(count, committed.rows) for count in self.committed_counts]
            self.boosts = [ours / theirs for ours, theirs in zip(self.idfs, own, strict=True)]


class _Hunt:
    """One search of the committed rows: narrow what can be narrowed in the query, fetch more than is wanted,
    filter, and fetch more again until there are `limit` or no more."""

    def __init__(self, schema: Any, committed: _Committed, weights: _Weights, limit: int, among: Selection) -> None:
        self._schema = schema
        self._committed = committed
        self._weights = weights
        self._limit = limit
        self._among = among
        self._dead = np.fromiter(committed.dead, dtype=np.int64, count=len(committed.dead))
        self._filtered = among.count < among.total
        self._scopes = among.scope_pks if self._filtered else None

    def best(self) -> Scored:
        matches_max = min(sum(self._weights.committed_counts), self._committed.rows)
        fetch = max(_FETCH_MIN, min(math.ceil(1.25 * self._limit / self._share()), matches_max))
        query, named = self._query(fetch)
        while True:
            found = self._fetch(query, min(fetch, self._committed.rows))
            # Rows tied with the last place may lie beyond what was fetched; going after them would cost a common
            # query ten times its price, and says nothing about which of them is better.
            if len(found.rows.pks) >= self._limit or found.exhausted or fetch >= CANDIDATES_MAX:
                return _best(found.rows, self._limit)
            fetch *= _FETCH_GROWTH
            if not named:
                query, named = self._query(fetch)

    def _share(self) -> float:
        """How many of the rows the query can return are allowed, as far as can be known beforehand."""
        if not self._filtered:
            return 1.0
        reach = self._committed.rows
        if self._scopes is not None:
            reach = sum(self._committed.searcher.doc_freq("scope", pk) for pk in self._scopes)
        return min(1.0, self._among.count / max(1, reach))

    def _query(self, fetch: int) -> tuple[Any, bool]:
        """The query, and whether it names every allowed row."""
        build, must, should = tantivy.Query, tantivy.Occur.Must, tantivy.Occur.Should
        clauses = [build.term_query(self._schema, "terms", term, "freq") for term in self._weights.terms]
        if self._weights.boosts is not None:
            pairs = zip(clauses, self._weights.boosts, strict=True)
            clauses = [build.boost_query(clause, boost) for clause, boost in pairs]
        words = build.boolean_query([(should, clause) for clause in clauses])
        named = self._filtered and fetch > _PK_SET_WORTH and self._among.count <= _PK_SET_MAX
        if named:
            only = build.term_set_query(self._schema, "pk", self._among.pks().tolist())
        elif self._scopes is not None:
            scopes = [build.term_query(self._schema, "scope", pk, "basic") for pk in self._scopes]
            only = build.boolean_query([(should, scope) for scope in scopes])
        else:
            return words, False
        return build.boolean_query([(must, words), (must, build.const_score_query(only, 0.0))]), named

    def _fetch(self, query: Any, count: int) -> _Fetched:
        searcher = self._committed.searcher
        hits = searcher.search(query, count, count=False).hits
        pks = np.array(_pks_of(searcher, hits), dtype=np.int64)
        scores = np.array([score for score, _ in hits], dtype=np.float32)
        exhausted = len(hits) < count or count >= self._committed.rows
        if len(self._dead):
            keep = np.isin(pks, self._dead, invert=True)
            pks, scores = pks[keep], scores[keep]
        if self._filtered:
            keep = self._among.allows(pks)
            pks, scores = pks[keep], scores[keep]
        return _Fetched(Scored(pks, scores), exhausted)


@dataclass(frozen=True, slots=True)
class _Fetched:
    rows: Scored  # those allowed
    exhausted: bool


def _pks_of(searcher: Any, hits: Sequence[tuple[float, Any]]) -> list[int]:
    pks: list[int] = searcher.fast_field_values("pk", [address for _, address in hits])
    return pks


def _idf(holders: int, rows: int) -> float:
    """tantivy's formula. Deleted rows not yet merged away still count as holders: these may exceed rows."""
    rows = max(rows, holders)
    return math.log(1 + (rows - holders + 0.5) / (holders + 0.5))


def _length_kept(length: int) -> int:
    """A length as tantivy's one byte keeps it: exact below 40, then four significant bits above 24."""
    if length < 40:
        return length
    above = length - 24
    dropped = above.bit_length() - 4
    return 24 + (above >> dropped << dropped)


def _joined(first: Scored, second: Scored) -> Scored:
    return Scored(
        np.concatenate([first.pks, second.pks]),
        np.concatenate([first.scores, second.scores]),
    )


def _best(found: Scored, limit: int) -> Scored:
    """The best by score, the newest first among equals."""
    order: NDArray[np.intp] = np.lexsort((-found.pks, -found.scores))[:limit]
    pks: Pks = found.pks[order]
    return Scored(pks, found.scores[order])
