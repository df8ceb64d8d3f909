"""Finds which earlier record a new one updates, right after it was stored, and says so with a soft edge.

A durable job, not a part of `add`: it looks for candidates in the indexes, and the write path must neither wait for
those nor for the comparison. `updates` edges only change order (`recall.current`); nothing is hidden by them. How far
the job has come is kept in the store, so it goes on where it stopped, and each pair of records is looked at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from recollect.clock import Clock
from recollect.index.base import Pks
from recollect.index.follow import Indexes
from recollect.ingest.updates import Mass, Update, settled, update_between, worth_a_look
from recollect.language.terms import telling
from recollect.limits import REASON_CHARS_MAX
from recollect.model.roles import is_machine
from recollect.perceive.states.claims import Claim, claims_of
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.stretches import ToldRecord
from recollect.upkeep.jobs.worker import Progress, await_indexes

PORTION = 256  # records looked at between two writes
CANDIDATES = 40  # earlier records each is compared with, by words …
NEIGHBOURS = 10  # … and by meaning
NAMED_ROWS_MAX = 512  # so few earlier rows are searched by name; of more, those that are not earlier are left out after
WIDER_MAX = 8.0  # how many times more are fetched for that at most: in a bulk import most rows come later
TERMS_MAX = 16  # words that candidates are looked for by, the rarest
UPDATES_MAX = 4  # edges one record may start
ROWS_MIN = 1_000  # a word is not common because the store is small
COUNTED_ROWS = 5_000  # of a scope whose words are counted
CLAIMS_KEPT = 8_192  # texts whose claims are remembered during a run: the same ones are candidates again and again

_SEEN = "updates_seen"  # meta: the newest record looked at
ClaimsOf = Callable[[str], tuple[Claim, ...]]
Found = tuple["ToldRecord", "ToldRecord", Update]  # the newer, the older, and what changed


class _ScopeRows:
    """The live rows of a scope while one portion is compared: who said which, and how telling their words are."""

    def __init__(self, indexes: Indexes, scope_pk: int, now: int) -> None:
        self._indexes = indexes
        self._now = now
        self.scope_pk = scope_pk
        self.among = indexes.columns.select(scope_pks=[scope_pk], now=now)
        self.rows = self.among.pks()
        speakers = indexes.forward.spoken_by(self.rows)
        self._by_speaker = {int(code): self.rows[speakers == code] for code in np.unique(speakers)}
        self._worth: dict[str, float] = {}
        self._mass: dict[frozenset[str], float] = {}  # the same claims are compared again and again

    def candidates(self, said: ToldRecord, claims: Sequence[Claim]) -> set[int]:
        """Rows that the same one said before, with the same words or the same meaning."""
        own_row = np.array([said.pk], dtype=np.int64)
        speaker = int(self._indexes.forward.spoken_by(own_row)[0])
        theirs = self._by_speaker.get(speaker, self.rows[:0])
        before = theirs[: int(np.searchsorted(theirs, said.pk))]
        if not len(before):
            return set()
        among, wider = self.among, min(len(self.rows) / len(before), WIDER_MAX)
        if len(before) <= NAMED_ROWS_MAX:
            among, wider = self._indexes.columns.select(scope_pks=[self.scope_pk], now=self._now, pks=before), 1.0

        def earlier(pks: Pks, limit: int) -> list[int]:
            kept = (pks < said.pk) & (self._indexes.forward.spoken_by(pks) == speaker)
            return list(pks[kept][:limit].tolist())

        words = {term for claim in claims for term in claim.about}
        terms = sorted(words, key=lambda term: (-self.worth(term), term))[:TERMS_MAX]
        found = self._indexes.text.search(terms, limit=math.ceil(CANDIDATES * wider), among=among)
        pks = set(earlier(found.pks, CANDIDATES))
        for index in list(self._indexes.vectors.values()):
            own = index.vectors(own_row)[0]
            if own.any():
                found = index.search(own, limit=math.ceil(NEIGHBOURS * wider), among=among)
                pks.update(earlier(found.pks, NEIGHBOURS))
        return pks

    def worth(self, term: str) -> float:
        """How telling a term is here, from 0 to 1: what one person always talks about tells nothing of theirs."""
        known = self._worth.get(term)
        if known is None:
            code = int(self._indexes.forward.term_ids([term])[0])
            holders = int(self._counts[code]) if 0 <= code < len(self._counts) else 0
            rows = max(ROWS_MIN, len(self.rows))
            rare = math.log1p((rows - min(holders, rows) + 0.5) / (holders + 0.5))
            known = self._worth[term] = rare / math.log1p((rows + 0.5) / 0.5)
        return known

    def mass(self, terms: frozenset[str]) -> float:
        """How telling these terms are together."""
        known = self._mass.get(terms)
        if known is None:
            known = self._mass[terms] = sum(map(self.worth, terms))
        return known

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """In how many rows each term stands; in a large scope by its newest rows."""
        words = self._indexes.forward.words(self.rows[-COUNTED_ROWS:])
        size = int(words.term.max(initial=0)) + 1
        once = np.unique(words.row * size + words.term) % size
        scale = max(1.0, len(self.rows) / COUNTED_ROWS)
        counts: NDArray[np.int64] = np.rint(np.bincount(once, minlength=size) * scale).astype(np.int64)
        return counts


class Updates:
    """The handler of `updates` jobs."""

    def __init__(self, store: Store, indexes: Indexes, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Compare every record stored since the last run. Stops early when told to; the next run goes on."""
        claims = lru_cache(maxsize=CLAIMS_KEPT)(claims_of)
        while True:
            with self._store.read() as tx:
                seen, last = tx.meta.number(_SEEN), tx.stretches.newest_row()
                rows = tx.stretches.told_after(seen, PORTION)
            if not rows and seen >= last:
                return
            reached = rows[-1].pk if len(rows) == PORTION else last
            new = [said for said in rows if _is_told(said) and worth_a_look(said.content)]
            if new:
                await_indexes(self._indexes, progress)
            found = list(self._compared(new, claims))
            self._store.write(partial(self._keep, found=found, seen=seen, reached=reached))
            if reached < last and not progress(reached / last):
                raise InterruptedError("stopped before the end")

    # --- finding ------------------------------------------------------------------------------------------------

    def _compared(self, new: Sequence[ToldRecord], claims: ClaimsOf) -> Iterator[Found]:
        """What each of these updates. All their candidates are read in one go."""
        scopes: dict[int, _ScopeRows] = {}
        sought: list[tuple[ToldRecord, set[int]]] = []
        for said in new:
            if own := claims(said.content):
                if said.scope_pk not in scopes:
                    scopes[said.scope_pk] = _ScopeRows(self._indexes, said.scope_pk, self._clock())
                sought.append((said, scopes[said.scope_pk].candidates(said, own)))
        with self._store.read() as tx:
            others = tx.stretches.told(set().union(*(pks for _, pks in sought)))
        for said, pks in sought:
            earlier = [others[pk] for pk in sorted(pks) if pk in others and others[pk].by == said.by]
            yield from _updates_of(said, earlier, claims, scopes[said.scope_pk].mass)

    # --- keeping ------------------------------------------------------------------------------------------------

    def _keep(self, tx: Tx, found: Sequence[Found], seen: int, reached: int) -> None:
        """The edges of a portion and how far we are, together. A portion that another process did is left alone."""
        if tx.meta.number(_SEEN) != seen:
            return
        now = self._clock()
        for newer, older, update in found:
            if _unchanged(tx, (newer, older)) and not tx.relations.is_ordered(newer.pk, older.pk):
                op = tx.journal.of_row(max(newer.pk, older.pk), now=now, verb="relate")
                tx.edges.insert(op, [_edge(newer.pk, older.pk, update)])
        tx.meta.note(_SEEN, reached)


def _updates_of(said: ToldRecord, earlier: Sequence[ToldRecord], claims: ClaimsOf, mass: Mass) -> Iterator[Found]:
    """What a record updates. One that tells of an earlier time is updated by what was stored before it."""

    def update(newer: ToldRecord, older: ToldRecord) -> Update | None:
        return update_between(claims(newer.content), claims(older.content), older.content, mass)

    older = sorted((other for other in earlier if other.at <= said.at), key=lambda other: (other.at, other.pk))
    found = [(place, changed) for place, other in enumerate(older) if (changed := update(said, other)) is not None]
    kept = settled(found, [claims(other.content) for other in older]) if found else []
    yield from ((said, older[place], changed) for place, changed in kept[:UPDATES_MAX])
    for other in earlier:
        if other.at > said.at and (changed := update(other, said)) is not None and changed.stated:
            yield other, said, changed


def _is_told(said: ToldRecord) -> bool:
    """What a machine says about a person's affairs is no news about them."""
    return not is_machine(said.role)


def _unchanged(tx: Tx, records: Iterable[ToldRecord]) -> bool:
    return all(tx.records.is_at_version(said.pk, said.version) for said in records)


def _edge(newer_pk: int, older_pk: int, update: Update) -> edges.NewEdge:
    return edges.pair(
        newer_pk,
        older_pk,
        "updates",
        confidence=round(update.confidence, 2),
        auto_extracted=True,
        evidence=[update.evidence[:REASON_CHARS_MAX]],
        attributes={"about": telling(sorted(update.shared))},
    )
