"""Reads every new text against the earlier ones that are near it, and ends what it ends.

A durable job, not a part of `add`: reading a pair takes milliseconds, and the candidates come from the indexes. How far
the job has come is kept in the store with what it found, so that it goes on where it stopped and each pair is read
once. A text that was changed is read again. What a machine says about a person's affairs is no news about them: its
texts may be over, and end nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.index.follow import Indexes
from recollect.ingest.requests import request_pairs
from recollect.model.pair import PairReading, SaidText, TextPair
from recollect.model.roles import is_machine
from recollect.perceive.reader.outcome import outcome_of
from recollect.providers.base import PairReader
from recollect.store.base import Store, Tx
from recollect.store.jobs import Job
from recollect.store.stretches import RowStretch, ToldRecord
from recollect.upkeep.jobs.worker import Progress, await_indexes
from recollect.upkeep.pairs.candidates import EarlierRecords
from recollect.upkeep.pairs.settling import ReadPair, StatementOfTurn, settle, statements_of
from recollect.upkeep.pairs.subjects import UNKNOWN, may_speak_of, open_with_two_things, stated_in

PORTION = 32  # rows looked at between two writes
PORTIONS = 8  # … before other jobs get their turn
READ_AT_ONCE = 16  # pairs in one call of the reader
SERIES_MAX = 5  # a text that would change more earlier ones is one of a series: another lap, another bill
WORDS_MIN = 3  # "thanks a lot" ends nothing
_SEEN = "pairs_seen"  # meta: the newest row looked at


class _Pair(NamedTuple):
    """Two records in the order in which they were said."""

    older: ToldRecord
    newer: ToldRecord


class ComparePairs:
    """The handler of `pairs` jobs."""

    def __init__(self, store: Store, indexes: Indexes, reader: PairReader, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._reader = reader
        self._config = config
        self._clock = clock

    def run(self, job: Job, progress: Progress) -> None:
        """Compare every text stored or changed since the last run. Stops early when told to; the next run goes on."""
        for _ in range(PORTIONS):
            with self._store.read() as tx:
                here = tx.stretches.next(_SEEN, PORTION)
                new = [] if here is None else list(tx.stretches.told(here.records).values())
            if here is None:
                return
            if new:
                await_indexes(self._indexes, progress)
            findings = list(self._findings(new))
            self._store.write(partial(self._keep, here=here, findings=findings))
            if not progress(here.share):
                raise InterruptedError("stopped before the end")
        self._store.write(lambda tx: request_pairs(tx, now=self._clock(), delay_s=0.0))  # other jobs run in between

    def _findings(self, new: Sequence[ToldRecord]) -> Iterator[ReadPair]:
        """What is over or in doubt because of these records, or in them because of others."""
        settings = self._config.current.reader
        pairs = self._pairs(new, settings.compared)
        read = zip(pairs, self._read(_pair_of(*pair) for pair in pairs), strict=True)
        least = min(settings.first_min, settings.doubt_min)
        near = [each for each in read if outcome_of(each[1], settings).probability >= least]
        touched = Counter(pair.newer.pk for pair, _ in near)
        near = [(pair, whole) for pair, whole in near if touched[pair.newer.pk] <= SERIES_MAX]
        meant = self._meant([pair for pair, _ in near])
        parts = [(pair, part) for pair, _ in near for part in meant.get(pair, ())]
        readings = iter(self._read(_pair_of(_in_its_turn(part, pair.older), pair.newer) for pair, part in parts))
        for pair, whole in near:
            if pair in meant:
                yield ReadPair(
                    older=pair.older,
                    newer=pair.newer,
                    whole=whole,
                    statements=meant[pair],
                    readings=tuple(next(readings) for _ in meant[pair]),
                )

    def _meant(self, pairs: Sequence[_Pair]) -> dict[_Pair, tuple[StatementOfTurn, ...]]:
        """The statements of the older text that the newer one may speak of; pairs on two things are left out."""
        with self._store.read() as tx:
            drawn = statements_of(tx, {pair.older.pk for pair in pairs})
            stated = stated_in(tx, {each for pair in pairs for each in pair})
        found = {}
        for pair in pairs:
            older, newer = stated.get(pair.older.pk, {}), stated.get(pair.newer.pk, {}).values()
            if open_with_two_things(pair.older.content, pair.newer.content):
                continue
            if any(may_speak_of(newer, each) for each in older.values() or (UNKNOWN,)):
                own = drawn.get(pair.older.pk, ())
                found[pair] = tuple(part for part in own if may_speak_of(newer, older.get(part.pk, UNKNOWN)))
        return found

    def _pairs(self, new: Sequence[ToldRecord], compared: int) -> list[_Pair]:
        """Each new record beside those near it, and which of the two was said first."""
        sought: list[tuple[ToldRecord, list[int]]] = []
        for scope_pk, together in groupby(sorted(new, key=lambda said: said.scope_pk), key=lambda said: said.scope_pk):
            earlier = EarlierRecords(self._indexes, scope_pk, self._clock())
            sought += [(said, earlier.nearest(said, compared)) for said in together if _says_something(said)]
        with self._store.read() as tx:
            others = tx.stretches.told({pk for _, pks in sought for pk in pks})
        found = []
        for said, pks in sought:
            for other in (others[pk] for pk in pks if pk in others):
                older, newer = sorted((said, other), key=lambda each: (each.at, each.pk))
                if _is_later(newer, older) and not is_machine(newer.role) and _says_something(older):
                    found.append(_Pair(older, newer))
        return found

    def _read(self, pairs: Iterable[TextPair]) -> list[PairReading]:
        """In batches of texts that are about equally long: a batch takes as long as its longest pair."""
        asked = list(pairs)
        order = sorted(range(len(asked)), key=lambda at: len(asked[at].older.text) + len(asked[at].newer.text))
        found: dict[int, PairReading] = {}
        for start in range(0, len(order), READ_AT_ONCE):
            places = order[start : start + READ_AT_ONCE]
            found.update(zip(places, self._reader.read([asked[at] for at in places]), strict=True))
        return [found[at] for at in range(len(asked))]

    def _keep(self, tx: Tx, here: RowStretch, findings: Sequence[ReadPair]) -> None:
        """What was found and how far we are, together. A portion that another process did is left alone."""
        if tx.stretches.move_on(_SEEN, here):
            settle(tx, findings, self._config.current.reader, now=self._clock())


def _is_later(newer: ToldRecord, older: ToldRecord) -> bool:
    """Of two that were stored together, without a time of their own, neither is known to be the later one."""
    return newer.at > older.at and _says_something(newer)


def _says_something(said: ToldRecord) -> bool:
    return len(said.content.split(None, WORDS_MIN)) >= WORDS_MIN


def _pair_of(older: ToldRecord | SaidText, newer: ToldRecord) -> TextPair:
    return TextPair(older=older if isinstance(older, SaidText) else _said(older), newer=_said(newer))


def _said(record: ToldRecord) -> SaidText:
    return SaidText(text=record.content, speaker=record.speaker, role=record.role, at=record.at)


def _in_its_turn(part: StatementOfTurn, turn: ToldRecord) -> SaidText:
    return SaidText(text=part.content, speaker=turn.speaker, role=turn.role, at=turn.at)
