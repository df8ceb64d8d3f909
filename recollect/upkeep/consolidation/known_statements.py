"""Statements as consolidation reads them: what they say, when and in which turns it was said, what speaks for them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from recollect.clock import from_us
from recollect.ingest.corroborate import CORROBORATIONS
from recollect.language.en.times import times_in
from recollect.model.columns import RecordRow
from recollect.perceive.sameness.rewording import wording_of
from recollect.perceive.sameness.sense import Sense
from recollect.perceive.statements.propositions import propositions_of
from recollect.perceive.states.conflicts import StatementReading, traces_of
from recollect.perceive.states.values import Stated
from recollect.store.base import Tx
from recollect.store.rows import from_json

CANDIDATES_MAX = 64  # statements looked at for each thing that another is found by, newest first


class SaidIn(NamedTuple):
    """A turn that says something, and when."""

    turn_pk: int
    at: int


@dataclass(frozen=True)
class KnownStatement:
    """A live statement. `turns` say it, in the order they were said; none for what was given as a statement."""

    pk: int
    row: RecordRow
    turns: tuple[SaidIn, ...]

    @property
    def id(self) -> str:
        return self.row.id

    @cached_property
    def reading(self) -> StatementReading:
        return StatementReading.of(self.stated)

    @cached_property
    def stated(self) -> Stated:
        row, manner = self.row, from_json(self.row.attributes, {})
        if "polarity" not in manner:
            manner = _manner_of(row)
        return Stated(
            content=str(manner.get("gloss") or row.content),
            subject=row.subject,
            predicate=row.predicate,
            object=row.object,
            polarity=str(manner.get("polarity", "+")),
            tense=str(manner.get("tense", "present")),
            ended=manner.get("ended") is True,
            topic=tuple(manner.get("topic") or ()),
        )

    @cached_property
    def said_at(self) -> tuple[int, int]:
        """When it was first and last said."""
        if self.turns:
            return self.turns[0].at, self.turns[-1].at
        at = self.row.created_at
        if self.row.event_time is not None and not self._named:
            at = self.row.event_time
        return at, at

    @property
    def order(self) -> tuple[int, int, int]:
        """Which of two was said last; of two in one breath, the one that comes after the other."""
        return self.said_at[1], self.turns[-1].turn_pk if self.turns else self.pk, self.pk

    @property
    def begins(self) -> int:
        """From when on it holds, as far as that is known: not later than it was said."""
        said, since = self.said_at[1], self.row.valid_from
        return said if since is None else min(since, said)

    @property
    def is_to_come(self) -> bool:
        """Whether it was to begin only after it was said."""
        return self.row.valid_from is not None and self.row.valid_from > self.said_at[1]

    @property
    def evidence(self) -> float:
        """What speaks for it: how far it is believed, and how often it was said again."""
        again = int(from_json(self.row.attributes, {}).get(CORROBORATIONS, 0))
        return self.row.confidence * (1.0 + math.log1p(again))

    @cached_property
    def _named(self) -> bool:
        """Whether the time it has is one that its words name, rather than when it was said."""
        at = self.row.event_time
        seen = from_us(self.turns[0].at if self.turns else self.row.created_at)
        windows = (each.window for each in times_in(self.row.content, seen) if each.kind != "repeating")
        return at is not None and any(from_us(at) in window for window in windows)

    @cached_property
    def traces(self) -> frozenset[int]:
        """What statements that it may conflict with are found by."""
        return frozenset(_number(trace, self.row.scope_pk) for trace in traces_of(self.reading))

    @cached_property
    def rewording(self) -> int:
        """What those that say the same in other words are found by."""
        return wording_of(self.stated).number(self.row.scope_pk)


def load(tx: Tx, pks: Collection[int]) -> dict[int, KnownStatement]:
    """Live statements by key."""
    if not pks:
        return {}
    turns: dict[int, list[SaidIn]] = {}
    for pk, turn_pk, at in tx.statements.turns_saying(pks):
        turns.setdefault(pk, []).append(SaidIn(turn_pk, at))
    found = {}
    for pk, row in tx.statements.live_rows(pks):
        said = sorted(turns.get(pk, ()), key=lambda saying: (saying.at, saying.turn_pk))
        found[pk] = KnownStatement(pk, row, tuple(said))
    return found


def found_by(tx: Tx, numbers: Iterable[int], noted: Mapping[int, Collection[int]]) -> dict[int, list[int]]:
    """Keys of the statements that these numbers find, stored or `noted` by this run, newest first."""
    wanted = set(numbers)
    found: dict[int, list[int]] = {number: sorted(noted[number], reverse=True) for number in wanted & noted.keys()}
    for number, pk in tx.statements.found_by(wanted):
        holders = found.setdefault(number, [])
        if len(holders) < CANDIDATES_MAX and pk not in holders:
            holders.append(pk)
    return found


def note(tx: Tx, known: Iterable[KnownStatement]) -> None:
    """Let these statements be found."""
    rows = {(number, each.pk) for each in known for number in (*each.traces, each.rewording)}
    tx.statements.note_senses(sorted(rows))


def _manner_of(row: RecordRow) -> dict[str, Any]:
    """How a statement says what it says that was given as one: read from its words."""
    found = propositions_of(row.content, speaker=row.speaker)
    one = found[0] if len(found) == 1 else None
    return {} if one is None else {"polarity": one.polarity, "tense": one.tense, "ended": one.ended}


def _number(trace: str, scope_pk: int) -> int:
    return Sense(("trace", trace), frozenset()).number(scope_pk)
