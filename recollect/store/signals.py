"""What is known of candidates besides their words: belief, use and feeling, as columns for arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.store.base import Group

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_SELECT = (
    "SELECT pk, kind, category, content_hash, confidence, importance, access_count, "
    "coalesce(last_access, 0), success_count, failure_count, user_verified, flagged, coalesce(valence, 0.0), "
    "coalesce(event_time, created_at), half_life_days FROM record WHERE pk IN KEYS(?)"
)


class Signals(NamedTuple):
    """One entry per candidate, in the order they were asked for. Times are microseconds, 0 is never."""

    pks: Ints
    kind: tuple[str, ...]
    category: tuple[str, ...]
    content_hash: tuple[str, ...]
    confidence: Floats
    importance: Floats
    access_count: Ints
    last_access: Ints
    success: Ints
    failure: Ints
    user_verified: Flags
    flagged: Flags
    valence: Floats  # 0: neutral, or not known
    event_time: Ints  # when it happened, or else when it was stored
    half_life_days: Floats  # NaN: none of its own


_DTYPES: tuple[Any, ...] = (
    np.int64,
    None,
    None,
    None,
    np.float64,
    np.float64,
    np.int64,
    np.int64,
    np.int64,
    np.int64,
    np.bool_,
    np.bool_,
    np.float64,
    np.int64,
    np.float64,
)

# An index may still offer a row that was erased a moment ago: nothing is known of it, and nothing is loaded later.
_GONE = ("", "", "", 1.0, 0.5, 0, 0, 0, 0, 0, 0, 0.0, 0, None)


class SignalRows(Group):
    """What ranking reads of each candidate."""

    def signals(self, pks: Sequence[int] | Ints) -> Signals:
        """The signals of rows, one statement for all; neutral ones for a key without a row."""
        keys = pks.tolist() if isinstance(pks, np.ndarray) else list(pks)
        found = {row[0]: row for row in self.sql.all(_SELECT, (self.sql.keys(keys),))}
        rows = [found.get(pk) or (pk, *_GONE) for pk in keys]
        columns: Sequence[Any] = tuple(zip(*rows, strict=True)) or ((),) * len(Signals._fields)
        return Signals._make(np.array(c, dtype=d) if d else c for c, d in zip(columns, _DTYPES, strict=True))
