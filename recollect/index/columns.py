"""The live rows as columns in memory: they turn a filter into a `Selection` without asking the database.

One thread applies changes, any thread selects. A reader works on one immutable `_Rows`, taken once: appends
write beyond its end, and a change to a visible cell copies that column first. So no reader sees half a change
(a row moved to another scope, say, but still under its old kind), and none waits for the writer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.clock import FOREVER_US
from recollect.index.base import Mask, Pks

ALWAYS_US = -FOREVER_US  # earlier than any time a datetime can hold: "has been true since ever"

_CAPACITY_MIN = 1_024
_DEAD_MIN = 1_024  # fewer are not worth a compaction
_EQUALS_MAX = 16  # up to here one comparison per value is quicker than a set lookup

Column = NDArray[Any]
Test = Callable[[Column], Mask]


class ColumnRow(NamedTuple):
    """One row as the columns see it. Times are microseconds; None means none."""

    pk: int
    scope_pk: int
    kind: str
    category: str
    session_pk: int | None
    event_time: int
    valid_from: int | None
    valid_until: int | None
    tier: str
    drawn: int = 0  # 1: a statement drawn from a turn


_DTYPES: dict[str, type[np.generic]] = {
    "pk": np.int64,
    "scope_pk": np.int32,
    "kind": np.uint8,
    "category": np.uint32,  # the list of categories is open, so is the number of codes
    "session_pk": np.int32,  # 0: none
    "event_time": np.int64,
    "valid_from": np.int64,
    "valid_until": np.int64,
    "tier": np.uint8,
    "drawn": np.bool_,
    "alive": np.bool_,
}


@dataclass(frozen=True, slots=True)
class _Rows:
    """A snapshot: the first `size` cells of each array, ascending by pk, some of them dead."""

    arrays: dict[str, Column]
    size: int
    live: int
    first_expiry: int  # no row ends before this; may be earlier than the truth, never later

    def column(self, name: str) -> Column:
        return self.arrays[name][: self.size]

    def locate(self, pks: Pks) -> tuple[NDArray[np.intp], Mask]:
        """Where each pk is or would be inserted, and whether a cell, dead or alive, holds it."""
        held = self.column("pk")
        at = held.searchsorted(pks)
        if self.size == 0:
            return at, np.zeros(len(pks), dtype=np.bool_)
        return at, held.take(at, mode="clip") == pks


class _Condition(NamedTuple):
    column: Column
    test: Test


class ColumnSelection:
    """Rows of one snapshot under some conditions; the `Selection` of `index.base`.

    Nothing is computed before it is asked for: `allows` on a few rows tests those rows only, `count` scans
    once unless it is known already, and without conditions everything but `allows` is immediate.
    """

    def __init__(
        self,
        rows: _Rows,
        conditions: Sequence[_Condition],
        *,
        scope_pks: Sequence[int] | None,
        count: int | None = None,
        within: Pks | None = None,
    ) -> None:
        self._rows = rows
        self._conditions = conditions
        self._scope_pks = scope_pks
        self._count = count
        self._within = within
        self._cells: Mask | None = None

    @property
    def count(self) -> int:
        if self._count is None:
            self._count = int(np.count_nonzero(self._mask()))
        return self._count

    @property
    def total(self) -> int:
        return self._rows.live

    @property
    def scope_pks(self) -> Sequence[int] | None:
        return self._scope_pks

    def allows(self, pks: Pks) -> Mask:
        at, known = self._rows.locate(pks)
        test = self._test if self._cells is None and self._within is None else self._mask().__getitem__
        if known.all():
            return test(at)
        known[known] = test(at[known])
        return known

    def pks(self) -> Pks:
        held: Pks = self._rows.column("pk")
        if self._count == self._rows.size:
            return held
        return held[self._mask()]

    def _mask(self) -> Mask:
        """One truth per cell. Two threads may compute it at once; both get the same."""
        if self._cells is None:
            if self._within is None:
                self._cells = self._test(slice(None))
            else:
                at, known = self._rows.locate(self._within)
                cells = np.zeros(self._rows.size, dtype=np.bool_)
                cells[at[known]] = self._test(at[known])
                self._cells = cells
        return self._cells

    def _test(self, at: slice | NDArray[np.intp]) -> Mask:
        passed: Mask = self._rows.column("alive")[at].copy()
        for column, test in self._conditions:
            passed &= test(column[at])
        return passed


class _Codes:
    """Small numbers for the words of one column, given out in order of appearance and never taken back."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def give(self, words: Iterable[str]) -> list[int]:
        codes = self._codes
        return [codes.setdefault(word, len(codes)) for word in words]

    def known(self, words: Iterable[str]) -> list[int]:
        """Codes of those words that some row has had; a filter on any other word matches nothing."""
        return [code for word in words if (code := self._codes.get(word)) is not None]


class Columns:
    """Every live row, and `select`. `apply` belongs to one thread, the rest to all."""

    def __init__(self) -> None:
        arrays = {name: np.empty(_CAPACITY_MIN, dtype=dtype) for name, dtype in _DTYPES.items()}
        self._rows = _Rows(arrays, size=0, live=0, first_expiry=FOREVER_US)
        self._scopes: Counter[int] = Counter()  # live rows by scope; belongs to `_rows`, both behind the lock
        self._swapping = Lock()
        self._codes = {name: _Codes() for name in ("kind", "category", "tier")}
        self._has_drawn = False  # whether any row was ever a statement drawn from a turn

    def count(self) -> int:
        return self._rows.live

    def has_tier(self, tier: str) -> bool:
        """Whether any row was ever of this tier."""
        return bool(self._codes["tier"].known([tier]))

    def event_times(self, pks: Pks) -> NDArray[np.int64]:
        """When each of these rows happened, in microseconds; 0 for one that is not held."""
        rows = self._rows
        at, known = rows.locate(pks)
        times = np.zeros(len(pks), dtype=np.int64)
        times[known] = rows.column("event_time")[at[known]]
        return times

    def apply(self, puts: Sequence[ColumnRow], deletes: Sequence[int]) -> None:
        """Insert or replace rows, drop others. Idempotent; a pk in both is put, its last put counts."""
        rows = self._rows
        fresh = self._encode(puts)
        doomed = np.array(sorted(set(deletes).difference(fresh["pk"].tolist())), dtype=np.int64)
        leaving: list[Column] = []  # scopes of the cells that stop counting
        if len(doomed):
            rows, left = _kill(rows, doomed)
            leaving.append(left)
        if len(fresh["pk"]):
            rows, left = _put(rows, fresh)
            leaving.append(left)
        if rows.size - rows.live > max(_DEAD_MIN, rows.live // 4):
            rows = _compact(rows)
        change = _tally(fresh["scope_pk"])
        for left in leaving:
            change.subtract(_tally(left))
        with self._swapping:
            self._rows = rows
            for scope_pk, by in change.items():
                self._scopes[scope_pk] += by
                if not self._scopes[scope_pk]:
                    del self._scopes[scope_pk]

    def select(
        self,
        *,
        scope_pks: Sequence[int] | None,
        kinds: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        tiers: Sequence[str] | None = None,
        session_pks: Sequence[int] | None = None,
        drawn: bool = True,
        as_of: int | None = None,
        now: int,
        after: int | None = None,
        before: int | None = None,
        pks: Pks | None = None,
    ) -> ColumnSelection:
        """The rows that pass every filter given; None means no filter, an empty sequence means no row.

        `as_of` keeps what was true at that time; without it only what has ended by `now` is dropped.
        `after` is inclusive, `before` exclusive, both on `event_time`. Without `drawn`, statements that were drawn from
        turns are left out.
        """
        rows, scopes, visible = self._snapshot(scope_pks)
        conditions: list[_Condition] = []

        def require(name: str, test: Test) -> None:
            conditions.append(_Condition(rows.column(name), test))

        for name, words in (("kind", kinds), ("tier", tiers), ("category", categories)):
            if words is not None:
                require(name, _among(self._codes[name].known(words)))
        if session_pks is not None:
            require("session_pk", _among(session_pks))
        if not drawn and self._has_drawn:
            require("drawn", np.logical_not)
        if as_of is not None:
            require("valid_from", lambda column: column <= as_of)
            require("valid_until", lambda column: column > as_of)
        elif rows.first_expiry <= now:
            require("valid_until", lambda column: column > now)
        if after is not None:
            require("event_time", lambda column: column >= after)
        if before is not None:
            require("event_time", lambda column: column < before)

        count = visible if not conditions and pks is None else None
        if visible == rows.live:
            scopes = None
        elif scopes is not None:
            conditions.insert(0, _Condition(rows.column("scope_pk"), _among(scopes)))
        return ColumnSelection(rows, conditions, scope_pks=scopes, count=0 if not visible else count, within=pks)

    def _snapshot(self, scope_pks: Sequence[int] | None) -> tuple[_Rows, list[int] | None, int]:
        """The rows, those of the scopes that hold any, and how many rows they hold together."""
        with self._swapping:
            rows = self._rows
            if scope_pks is None:
                return rows, None, rows.live
            scopes = [scope_pk for scope_pk in dict.fromkeys(scope_pks) if scope_pk in self._scopes]
            return rows, scopes, sum(self._scopes[scope_pk] for scope_pk in scopes)

    def _encode(self, puts: Sequence[ColumnRow]) -> dict[str, Column]:
        """Whole columns at once, ascending by pk: per-cell assignment would be fifty times slower."""
        if not puts:
            return {name: np.empty(0, dtype=dtype) for name, dtype in _DTYPES.items()}
        raw: dict[str, Any] = dict(zip(ColumnRow._fields, zip(*puts, strict=True), strict=True))
        for name, codes in self._codes.items():
            raw[name] = codes.give(raw[name])
        raw["session_pk"] = [pk or 0 for pk in raw["session_pk"]]
        raw["valid_from"] = [ALWAYS_US if us is None else us for us in raw["valid_from"]]
        raw["valid_until"] = [FOREVER_US if us is None else us for us in raw["valid_until"]]
        # What ends when it begins never holds: it had ended before anything began.
        raw["valid_until"] = [
            ALWAYS_US if end == begin else end for begin, end in zip(raw["valid_from"], raw["valid_until"], strict=True)
        ]
        raw["alive"] = np.ones(len(puts), dtype=np.bool_)
        columns = {name: np.array(raw[name], dtype=dtype) for name, dtype in _DTYPES.items()}
        self._has_drawn = self._has_drawn or bool(columns["drawn"].any())
        pks = columns["pk"]
        if len(pks) > 1 and not np.all(pks[1:] > pks[:-1]):
            backwards, first = np.unique(pks[::-1], return_index=True)
            last = len(pks) - 1 - first
            assert np.array_equal(pks[last], backwards)
            columns = {name: column[last] for name, column in columns.items()}
        return columns


def _kill(rows: _Rows, pks: Pks) -> tuple[_Rows, Column]:
    """The rows without these pks, and the scopes of the cells that died."""
    at, known = rows.locate(pks)
    at = at[known]
    at = at[rows.column("alive")[at]]
    if not len(at):
        return rows, np.empty(0, dtype=np.int32)
    alive = rows.arrays["alive"].copy()
    alive[at] = False
    kept = replace(rows, arrays={**rows.arrays, "alive": alive}, live=rows.live - len(at))
    return kept, rows.column("scope_pk")[at]


def _put(rows: _Rows, fresh: dict[str, Column]) -> tuple[_Rows, Column]:
    """The rows with `fresh` (ascending, each pk once), and the scopes of the live cells it replaced."""
    at, known = rows.locate(fresh["pk"])
    at_known = at[known]
    replaced = at_known[rows.column("alive")[at_known]]
    left = rows.column("scope_pk")[replaced]
    live = rows.live + len(at) - len(replaced)
    first_expiry = min(rows.first_expiry, int(fresh["valid_until"].min()))
    arrays = rows.arrays
    if len(at_known):
        arrays = _overwritten(rows, at_known, {name: column[known] for name, column in fresh.items()})
    size = rows.size
    if not known.all():
        new = {name: column[~known] for name, column in fresh.items()}
        if size and new["pk"][0] < rows.column("pk")[-1]:  # an old row is back: rare, so simply sort again
            arrays = _inserted(arrays, size, at[~known], new)
        else:
            arrays = _appended(arrays, size, new)
        size += len(new["pk"])
    return _Rows(arrays, size, live, first_expiry), left


def _overwritten(rows: _Rows, at: NDArray[np.intp], values: dict[str, Column]) -> dict[str, Column]:
    """New cells at known places. Only columns that change are copied; most updates change one or two."""
    out = dict(rows.arrays)
    for name, column in values.items():
        if not np.array_equal(out[name][at], column):
            out[name] = out[name].copy()
            out[name][at] = column
    return out


def _appended(arrays: dict[str, Column], size: int, new: dict[str, Column]) -> dict[str, Column]:
    """Cells beyond every snapshot's end, in place while there is room, else in arrays of twice the size."""
    end = size + len(new["pk"])
    if end > len(arrays["pk"]):
        capacity = max(end, 2 * len(arrays["pk"]))
        grown = {name: np.empty(capacity, dtype=dtype) for name, dtype in _DTYPES.items()}
        for name, column in grown.items():
            column[:size] = arrays[name][:size]
        arrays = grown
    for name, column in new.items():
        arrays[name][size:end] = column
    return arrays


def _inserted(arrays: dict[str, Column], size: int, at: NDArray[np.intp], new: dict[str, Column]) -> dict[str, Column]:
    return {name: np.insert(arrays[name][:size], at, column) for name, column in new.items()}


def _compact(rows: _Rows) -> _Rows:
    alive = rows.column("alive")
    arrays = {name: rows.column(name)[alive] for name in rows.arrays}
    ends = arrays["valid_until"]
    first_expiry = int(ends.min()) if len(ends) else FOREVER_US
    return _Rows(arrays, size=len(ends), live=len(ends), first_expiry=first_expiry)


def _tally(scope_pks: Column) -> Counter[int]:
    values, counts = np.unique(scope_pks, return_counts=True)
    return Counter(dict(zip(values.tolist(), counts.tolist(), strict=True)))


def _among(values: Sequence[int]) -> Test:
    """Whether a cell holds one of the values."""
    if len(values) > _EQUALS_MAX:
        return lambda column: np.isin(column, values)

    def equals(column: Column) -> Mask:
        passed = np.zeros(len(column), dtype=np.bool_)
        for value in values:
            passed |= column == value
        return passed

    return equals
