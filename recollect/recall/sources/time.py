"""Candidates by when they happened, and how near a time is to the one asked about.

Nearness is 1 inside a window and falls off outside along a bell: its width is `time.sigma_hours`, or a share of the
window's own length if that is more, because "in March" is meant less exactly than "yesterday".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from recollect.clock import DAY_US, FOREVER_US
from recollect.index.base import Pks, Scored, Selection
from recollect.index.columns import ALWAYS_US, Columns
from recollect.index.follow import Indexes
from recollect.index.keys import each_once
from recollect.recall.question.modes import TimeMode
from recollect.recall.question.when import When, Window
from recollect.recall.sources.base import NOTHING, Look, SourceRanking

HOUR_US = 3_600_000_000
_OPEN_SHARE = 0.5  # what lies in "since then" or "before" lies there with half of everything
_LENGTH_SHARE = 0.25  # of a window's length, as the least width of its bell
_JUST_OUTSIDE = 0.999
_REACH = 3.0  # widths beyond which a row is not near: e^(-9/2) is 1%
_WIDEN, _WIDEN_MAX = 4, 256
_FIRST_SLICE_US = DAY_US


def nearness(event_times: NDArray[np.int64], when: When, *, sigma_hours: float) -> NDArray[np.float64]:
    """How near each time is to the nearest of the windows, from 0 to 1; only inside of one it is 1."""
    near = np.zeros(len(event_times))
    for window in when.windows:
        start, end = _edges(window)
        away = np.maximum(np.maximum(start - event_times, event_times - (end - 1)), 0)
        bell = np.exp(-0.5 * np.square(away / _sigma_us(window, sigma_hours)))
        inside = np.where(away > 0, np.minimum(bell, _JUST_OUTSIDE), 1.0)
        near = np.maximum(near, inside if None not in window else _OPEN_SHARE * inside)
    return near


def by_time(look: Look, when: When, columns: Columns, *, sigma_hours: float) -> SourceRanking:
    """The allowed rows in or near the windows: nearest first, of equals the ones the relation prefers."""
    among = look.selection
    if not when.windows:
        return SourceRanking("time", NOTHING)
    if among is None and look.inside:
        return SourceRanking("time", _nearest_in_tables(look, when, sigma_hours))
    if among is None:  # a file has no index by time
        look.notes.append("time: windows are looked up in memory only")
        return SourceRanking("time", NOTHING)
    return SourceRanking("time", look.best(lambda count: _nearest(columns, among, when, look.now, sigma_hours, count)))


def by_sessions(look: Look, session_pks: Sequence[int], columns: Columns) -> SourceRanking:
    """The allowed rows of these sessions, newest first."""
    among = look.selection
    if not session_pks:
        return SourceRanking("time", NOTHING)
    if among is None and not look.inside:
        return SourceRanking("time", NOTHING)
    if among is None:
        wanted = replace(look.criteria, session_pks=tuple(session_pks))
        rows = look.tx.candidates.newest_told(wanted, now=look.now, limit=look.limit)
        return SourceRanking("time", Scored(_keys(rows), np.ones(len(rows), dtype=np.float32)))
    # Whether a row has ended by the time asked about is for `among` to say, not for the clock.
    held = columns.select(scope_pks=among.scope_pks, session_pks=session_pks, now=-FOREVER_US).pks()

    def newest(count: int) -> Scored:
        pks = _last_allowed(held, among, count)
        order = np.argsort(-columns.event_times(pks), kind="stable")
        return Scored(pks[order], np.ones(len(pks), dtype=np.float32))

    return SourceRanking("time", look.best(newest))


def event_times(look: Look, pks: Pks, indexes: Indexes) -> NDArray[np.int64]:
    """When rows happened."""
    if look.selection is not None:
        return np.asarray(indexes.columns.event_times(pks))
    rows = look.tx.candidates.event_times(pks.tolist())
    return np.array([rows.get(pk, 0) for pk in pks.tolist()], dtype=np.int64)


def sessions_of(look: Look, mode: TimeMode, written_at: int | None = None) -> list[int]:
    """The sessions of a mode that looks at sessions. `written_at` is when the record it is around was added: sessions
    are in the order they were held with us, whatever times their turns speak of."""
    visible = look.tx.scopes.visible(look.criteria.scope, look.criteria.reach)
    if mode.mode == "recent_sessions":
        return look.tx.sessions.recent(visible, mode.sessions)
    if mode.mode == "around_event" and written_at is not None:
        return look.tx.sessions.around(visible, written_at, mode.sessions)
    return []


def _nearest(columns: Columns, among: Selection, when: When, now: int, sigma_hours: float, count: int) -> Scored:
    parts = [_in_reach(columns, among, when, window, now, sigma_hours, count) for window in when.windows]
    pks = each_once(np.concatenate(parts))
    times = columns.event_times(pks)
    scores = nearness(times, when, sigma_hours=sigma_hours)
    order = np.lexsort((-pks, _second(times, when), -scores))[:count]
    return Scored(pks[order], scores[order].astype(np.float32))


def _nearest_in_tables(look: Look, when: When, sigma_hours: float) -> Scored:
    """The same by the tables."""
    times: dict[int, int] = {}
    for window in when.windows:
        start, end = _edges(window)
        reach = int(_REACH * _sigma_us(window, sigma_hours))
        middle = (start + end) // 2 if _prefers_the_middle(when, window) else None
        times |= look.tx.candidates.in_window(
            look.criteria, now=look.now, edges=(start, end), reach=reach, middle=middle, limit=look.limit
        )
    pks, told = _keys(list(times)), np.array(list(times.values()), dtype=np.int64)
    scores = nearness(told, when, sigma_hours=sigma_hours)
    order = np.lexsort((-pks, _second(told, when), -scores))[: look.limit]
    return Scored(pks[order], scores[order].astype(np.float32))


def _keys(pks: Sequence[int]) -> Pks:
    return np.array(pks, dtype=np.int64)


def _in_reach(
    columns: Columns, among: Selection, when: When, window: Window, now: int, sigma_hours: float, count: int
) -> Pks:
    """Allowed rows of a window and of what is near it, from where the best are until there are enough.

    Each look is a pass over the column of times, and a slice holds few rows: to list those of a whole year and sort
    them took twenty times as long, at a million rows.
    """
    start, end = _edges(window)
    reach = int(_REACH * _sigma_us(window, sigma_hours))
    low, high = start - reach, end + reach
    centre = (start + end) // 2 if _prefers_the_middle(when, window) else None
    length = _FIRST_SLICE_US
    while True:
        if centre is not None:
            after, before = max(low, centre - length), min(high, centre + length)
        else:
            after, before = max(low, min(high, now) - length), high
        held = columns.select(scope_pks=among.scope_pks, now=-FOREVER_US, after=after, before=before)
        whole = (after, before) == (low, high) or length > now - ALWAYS_US
        if whole or held.count >= count:
            pks = held.pks()
            pks = pks[among.allows(pks)]
            if whole or len(pks) >= count:
                return pks
        length *= min(_WIDEN_MAX, max(_WIDEN, _WIDEN * count // max(1, held.count)))


def _last_allowed(pks: Pks, among: Selection, count: int) -> Pks:
    """The last of these rows that the search may return, looking at no more than it takes."""
    if len(pks) <= count:
        return pks[among.allows(pks)]
    found, end, step = pks[:0], len(pks), count
    while end > 0 and len(found) < count:
        part = pks[max(0, end - step) : end]
        found = np.concatenate([part[among.allows(part)], found])
        end, step = end - step, step * _WIDEN
    return found[-count:]


def _second(times: NDArray[np.int64], when: When) -> NDArray[np.int64]:
    """What decides between equals: nearness to the middle of a closed window, else how new they are."""
    if len(when.windows) > 1 or not _prefers_the_middle(when, when.windows[0]):
        return -times
    start, end = _edges(when.windows[0])
    return np.abs(times - (start + end) // 2)


def _prefers_the_middle(when: When, window: Window) -> bool:
    return when.relation in ("in", "around") and None not in window


def _edges(window: Window) -> tuple[int, int]:
    start, end = window
    return -FOREVER_US if start is None else start, FOREVER_US if end is None else end


def _sigma_us(window: Window, sigma_hours: float) -> float:
    start, end = window
    length = 0 if start is None or end is None else end - start
    return max(sigma_hours * HOUR_US, _LENGTH_SHARE * length)
