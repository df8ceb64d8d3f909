"""Finds which earlier record a new one updates, right after it was stored, and says so with a soft edge.

A durable job, not a part of `add`: it looks for candidates in the indexes, and the write path must neither wait for
those nor for the comparison. `updates` edges only change order (`recall.current`); nothing is hidden by them. How far
the job has come is kept in the store, so it goes on where it stopped, and each pair of records is looked at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from recollect.clock import Clock
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.ingest.updates import Update, settled, update_between, worth_a_look
from recollect.limits import REASON_CHARS_MAX
from recollect.model.roles import is_machine
from recollect.model.terms import telling
from recollect.perceive.claims import Claim, claims_of
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.upkeep.notes import operation_of
from recollect.upkeep.waiting import await_indexes
from recollect.upkeep.worker import Progress

PORTION = 64  # records looked at between two writes
CANDIDATES = 40  # earlier records each is compared with, by words …
NEIGHBOURS = 10  # … and by meaning
TERMS_MAX = 16  # words that candidates are looked for by, the rarest
UPDATES_MAX = 4  # edges one record may start
ROWS_MIN = 1_000  # a word is not common because the store is small
COUNTED_ROWS = 5_000  # of a scope whose words are counted

_SEEN = "updates_seen"  # meta: the newest record looked at
_ROWS = (
    "SELECT pk, scope_pk, version, coalesce(event_time, created_at), role, speaker, content FROM record "
    "WHERE {} AND retired_at IS NULL AND head_pk IS NULL AND kind IN ('episodic', 'semantic', 'opinion') "
    "AND turn_pk IS NULL ORDER BY pk"
)

Found = tuple["Said", "Said", Update]  # the newer, the older, and what changed


@dataclass(frozen=True, slots=True)
class Said:
    """A record as this job sees it."""

    pk: int
    scope_pk: int
    version: int
    at: int
    role: str | None
    speaker: str | None
    content: str

    @property
    def by(self) -> tuple[int, str | None, str | None]:
        """Only what one and the same says, in one and the same scope, is compared."""
        return self.scope_pk, self.role, self.speaker


@dataclass(slots=True)
class _Portion:
    """What is worth keeping while one portion is compared."""

    claims: dict[int, tuple[Claim, ...]] = field(default_factory=dict)
    worth: dict[tuple[int, str], float] = field(default_factory=dict)  # by scope and term
    rows: dict[int, Pks] = field(default_factory=dict)  # of a scope, ascending
    counts: dict[int, NDArray[np.int64]] = field(default_factory=dict)  # in how many of them each term stands

    def claims_of(self, said: Said) -> tuple[Claim, ...]:
        if said.pk not in self.claims:
            self.claims[said.pk] = claims_of(said.content)
        return self.claims[said.pk]


class Updates:
    """The handler of `updates` jobs."""

    def __init__(self, store: Store, indexes: Indexes, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Compare every record stored since the last run. Stops early when told to; the next run goes on."""
        while True:
            with self._store.read() as tx:
                seen = _seen(tx)
                last = int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'record'") or 0)
                rows = [Said(*row) for row in tx.all(_ROWS.format("pk > ?") + " LIMIT ?", (seen, PORTION))]
            if not rows and seen >= last:
                return
            reached = rows[-1].pk if len(rows) == PORTION else last
            new = [said for said in rows if _is_told(said) and worth_a_look(said.content)]
            if new:
                await_indexes(self._indexes, progress)
            found = list(self._compared(new))
            self._store.write(partial(self._keep, found=found, seen=seen, reached=reached))
            if reached < last and not progress(reached / last):
                raise InterruptedError("stopped before the end")

    # --- finding ------------------------------------------------------------------------------------------------

    def _compared(self, new: Sequence[Said]) -> Iterator[Found]:
        portion = _Portion()
        for said in new:
            claims = portion.claims_of(said)
            if claims:
                yield from self._updates_of(said, claims, portion)

    def _updates_of(self, said: Said, claims: Sequence[Claim], portion: _Portion) -> Iterator[Found]:
        """What a record updates. One that tells of an earlier time is updated by what was stored before it."""
        earlier = [other for other in self._candidates(said, claims, portion) if other.by == said.by]
        older = sorted((other for other in earlier if other.at <= said.at), key=lambda other: (other.at, other.pk))
        found: list[tuple[int, Update]] = []
        for place, other in enumerate(older):
            update = self._update(said, other, portion)
            if update is not None:
                found.append((place, update))
        kept = settled(found, [portion.claims_of(other) for other in older])
        yield from ((said, older[place], update) for place, update in kept[:UPDATES_MAX])
        for other in earlier:
            if other.at > said.at and (update := self._update(other, said, portion)) is not None and update.stated:
                yield other, said, update

    def _update(self, newer: Said, older: Said, portion: _Portion) -> Update | None:
        return update_between(
            portion.claims_of(newer), portion.claims_of(older), older.content,
            lambda term: self._worth(term, newer.scope_pk, portion),
        )  # fmt: skip

    def _candidates(self, said: Said, claims: Sequence[Claim], portion: _Portion) -> list[Said]:
        """What the same one said before in the same scope, with the same words or the same meaning."""
        rows = self._rows(said.scope_pk, portion)
        earlier = rows[: int(np.searchsorted(rows, said.pk))]
        forward, row = self._indexes.forward, np.array([said.pk], dtype=np.int64)
        earlier = earlier[forward.spoken_by(earlier) == forward.spoken_by(row)]
        among = self._indexes.columns.select(scope_pks=[said.scope_pk], now=self._clock(), pks=earlier)
        words = {term for claim in claims for term in claim.about}
        terms = sorted(words, key=lambda term: (-self._worth(term, said.scope_pk, portion), term))[:TERMS_MAX]
        pks = set(self._indexes.text.search(terms, limit=CANDIDATES, among=among).pks.tolist())
        for index in list(self._indexes.vectors.values()):
            own = index.vectors(row)[0]
            if own.any():
                pks.update(index.search(own, limit=NEIGHBOURS, among=among).pks.tolist())
        with self._store.read() as tx:
            return [Said(*found) for found in tx.all(_ROWS.format("pk IN carray(?)"), (tx.pk_list(pks),))]

    def _rows(self, scope_pk: int, portion: _Portion) -> Pks:
        if scope_pk not in portion.rows:
            portion.rows[scope_pk] = self._indexes.columns.select(scope_pks=[scope_pk], now=self._clock()).pks()
        return portion.rows[scope_pk]

    def _worth(self, term: str, scope_pk: int, portion: _Portion) -> float:
        """How telling a term is in a scope, from 0 to 1: what one person always talks about tells nothing of theirs."""
        key = scope_pk, term
        if key not in portion.worth:
            code = int(self._indexes.forward.term_ids([term])[0])
            counts = self._counts(scope_pk, portion)
            holders = int(counts[code]) if 0 <= code < len(counts) else 0
            rows = max(ROWS_MIN, len(self._rows(scope_pk, portion)))
            rare = math.log1p((rows - min(holders, rows) + 0.5) / (holders + 0.5))
            portion.worth[key] = rare / math.log1p((rows + 0.5) / 0.5)
        return portion.worth[key]

    def _counts(self, scope_pk: int, portion: _Portion) -> NDArray[np.int64]:
        """In how many rows of a scope each term stands; in a large one by its newest rows."""
        if scope_pk not in portion.counts:
            rows = self._rows(scope_pk, portion)
            words = self._indexes.forward.words(rows[-COUNTED_ROWS:])
            size = int(words.term.max(initial=0)) + 1
            once = np.unique(words.row * size + words.term) % size
            scale = max(1.0, len(rows) / COUNTED_ROWS)
            portion.counts[scope_pk] = np.rint(np.bincount(once, minlength=size) * scale).astype(np.int64)
        return portion.counts[scope_pk]

    # --- keeping ------------------------------------------------------------------------------------------------

    def _keep(self, tx: Tx, found: Sequence[Found], seen: int, reached: int) -> None:
        """The edges of a portion and how far we are, together. Somebody else's portion is left alone."""
        if _seen(tx) != seen:
            return
        now = self._clock()
        for newer, older, update in found:
            if _unchanged(tx, (newer, older)) and not _related(tx, newer.pk, older.pk):
                op = operation_of(tx, max(newer.pk, older.pk), now, verb="relate")
                edges.insert(tx, op, [_edge(newer.pk, older.pk, update)])
        tx.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_SEEN, str(reached)))


def _is_told(said: Said) -> bool:
    """What a machine says about a person's affairs is no news about them."""
    return not is_machine(said.role)


def _seen(tx: Tx) -> int:
    return int(tx.value("SELECT value FROM meta WHERE key = ?", (_SEEN,)) or 0)


def _unchanged(tx: Tx, records: Iterable[Said]) -> bool:
    return all(
        tx.value("SELECT version FROM record WHERE pk = ? AND retired_at IS NULL", (said.pk,)) == said.version
        for said in records
    )


def _related(tx: Tx, newer_pk: int, older_pk: int) -> bool:
    """Whether an edge, even a withdrawn one, says already which of the two is the newer: nobody is asked twice."""
    return bool(
        tx.value(
            "SELECT 1 FROM member a JOIN member b ON b.edge_pk = a.edge_pk AND b.record_pk = ? "
            "JOIN edge e ON e.pk = a.edge_pk WHERE a.record_pk = ? AND e.label IN ('updates', 'supersedes') LIMIT 1",
            (older_pk, newer_pk),
        )
    )


def _edge(newer_pk: int, older_pk: int, update: Update) -> edges.NewEdge:
    return edges.pair(
        newer_pk, older_pk, "updates", confidence=round(update.confidence, 2), auto_extracted=True,
        evidence=[update.evidence[:REASON_CHARS_MAX]], attributes={"about": telling(sorted(update.shared))},
    )  # fmt: skip
