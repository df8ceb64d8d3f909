"""Statements that say the same in other words become one: the elder stays, surer and with all turns that say so.

Which words are the same is in `perceive.sameness`; here it is what else must agree, so that nothing is lost. The
younger one is not believed any more, but kept, and leads to the elder; undo brings it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.clock import DAY_US, SECOND_US, from_us
from recollect.errors import CycleRefused
from recollect.ingest.corroborate import Corroboration, corroborate
from recollect.language.en.times import times_in
from recollect.store import edges
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.upkeep.consolidation.known_statements import KnownStatement
from recollect.upkeep.runs.run import Run

SAME = "says the same in other words"
_HAPPENED = "experience"
_AGREE = ("scope_pk", "kind", "tier", "security", "needs_review", "flagged")


class Repeat(NamedTuple):
    """A statement that another one says already."""

    elder: KnownStatement
    younger: KnownStatement


def repeats_among(
    new: Iterable[KnownStatement], others: Mapping[int, KnownStatement], near: Mapping[int, Collection[int]]
) -> list[Repeat]:
    """Which statements say what an elder one says; each younger one once."""
    gone: dict[int, Repeat] = {}
    for one in new:
        alike = sorted({one.pk, *near.get(one.pk, ())} & others.keys(), key=lambda pk: _age(others[pk]))
        for at, pk in enumerate(alike):
            younger = others[pk]
            elders = (others[other] for other in alike[:at] if other not in gone)
            elder = next((each for each in elders if pk not in gone and _says_the_same(each, younger)), None)
            if elder is not None:
                gone[pk] = Repeat(elder, younger)
    return [gone[pk] for pk in sorted(gone)]


def _age(known: KnownStatement) -> tuple[bool, bool, int, int]:
    """What a person confirmed or gave as a statement comes before what was drawn from a turn."""
    return not known.row.user_verified, known.row.turn_pk is not None, known.said_at[0], known.pk


def _says_the_same(elder: KnownStatement, younger: KnownStatement) -> bool:
    mine, theirs = elder.row, younger.row
    return (
        elder.rewording == younger.rewording
        and theirs.turn_pk is not None  # what was given as a statement is found by itself, and stays
        and not theirs.user_verified
        and mine.valid_until is None
        and theirs.valid_until is None
        and all(getattr(mine, name) == getattr(theirs, name) for name in _AGREE)
        and _same_times(elder, younger)
    )


def _same_times(elder: KnownStatement, younger: KnownStatement) -> bool:
    days = [(known.row.event_time or known.said_at[0]) // DAY_US for known in (elder, younger)]
    if _HAPPENED in (elder.row.category, younger.row.category) and days[0] != days[1]:
        return False
    return list(_named_times(elder)) == list(_named_times(younger))


def _named_times(known: KnownStatement) -> Iterator[object]:
    """The times that its words name, seen from when it was said."""
    for each in times_in(known.row.content, from_us(known.said_at[0])):
        if each.kind != "repeating":
            yield each.window


def merge(tx: Tx, op: Op, run: Run, repeats: Sequence[Repeat]) -> None:
    """Let each younger statement speak for its elder, and go."""
    config = run.config
    window_us = int(config.ingest.duplicate_window_s * SECOND_US)
    for elder, younger in repeats:
        if not _are_there(tx, elder, younger):
            continue
        try:
            tx.edges.insert(op, [edges.pair(elder.pk, younger.pk, "supersedes", auto_extracted=True, evidence=[SAME])])
        except CycleRefused:
            continue
        held = {saying.turn_pk for saying in elder.turns}
        sayings = [
            Corroboration(elder.pk, younger.row, each.turn_pk) for each in younger.turns if each.turn_pk not in held
        ]
        corroborate(tx, op, sayings, scale=config.trust, window_us=window_us)
        tx.endings.pass_on(op, source=younger.pk, to=elder.pk)
        tx.records.retire(op, [younger.pk])
        run.note("merged", younger.id, f"{SAME} as {elder.id}")


def _are_there(tx: Tx, elder: KnownStatement, younger: KnownStatement) -> bool:
    """Whether both still are, and nothing says already that one of them took the other's place."""
    pks = (elder.pk, younger.pk)
    return tx.records.are_live(pks) and not tx.relations.is_replaced(*pks)
