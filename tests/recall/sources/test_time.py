"""Candidates by time: the window, what is near it, and sessions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest
from ticking import START, Ticking

from recall.watched_searches import contents, looking
from recollect import Memory
from recollect.clock import DAY_US, to_us
from recollect.index.base import Pks
from recollect.index.columns import ColumnRow, Columns
from recollect.model.scope import Reach, Scope
from recollect.recall.question.modes import TimeMode
from recollect.recall.question.when import When, Window, when_of
from recollect.recall.sources.time import HOUR_US, by_sessions, by_time, nearness, sessions_of
from recollect.store.base import Tx
from recollect.store.sqlite.connection import SqliteStatements
from recollect.wiring import open_memory

T = to_us(START)
SIGMA = 24.0


def window(start: int | None, end: int | None, relation: str = "in") -> When:
    return When(relation=relation, windows=((start, end),))  # type: ignore[arg-type]


# --- nearness -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("away_hours", "near"),
    [(0, 1.0), (-1, 0.999), (-6, np.exp(-0.5 / 16)), (-24, np.exp(-0.5)), (-48, np.exp(-2.0)), (24 * 30, 0.0)],
)
def test_nearness_is_one_inside_and_a_bell_outside(away_hours: int, near: float) -> None:
    asked = window(T, T + DAY_US)
    times = np.array([T + away_hours * HOUR_US], dtype=np.int64)
    assert nearness(times, asked, sigma_hours=SIGMA)[0] == pytest.approx(near, abs=1e-6)


def test_the_end_of_a_window_is_outside_by_a_hair() -> None:
    near = nearness(np.array([T + DAY_US - 1, T + DAY_US]), window(T, T + DAY_US), sigma_hours=SIGMA)
    assert near.tolist() == [1.0, 0.999]


def test_a_long_window_has_a_wide_bell() -> None:
    month, day = window(T, T + 30 * DAY_US), window(T, T + DAY_US)
    before = np.array([T - 3 * DAY_US])
    assert nearness(before, month, sigma_hours=SIGMA)[0] > 0.9
    assert nearness(before, day, sigma_hours=SIGMA)[0] < 0.05


@pytest.mark.parametrize(("edges", "inside"), [((T, None), T + 10**6 * DAY_US), ((None, T), T - 10**5 * DAY_US)])
def test_an_open_window_has_no_end(edges: Window, inside: int) -> None:
    assert nearness(np.array([inside]), window(*edges), sigma_hours=SIGMA)[0] == 0.5  # half of everything lies there


def test_of_several_windows_the_nearest_counts_and_of_none_nothing_is_near() -> None:
    times = np.array([T, T + 100 * DAY_US, T + 50 * DAY_US])
    two = When(relation="in", windows=((T, T + 1), (T + 100 * DAY_US, T + 101 * DAY_US)))
    assert nearness(times, two, sigma_hours=SIGMA) == pytest.approx([1, 1, 0], abs=1e-6)
    assert nearness(times, When(relation="since", anchor="x"), sigma_hours=SIGMA).tolist() == [0, 0, 0]


# --- candidates -----------------------------------------------------------------------------------------------------


@pytest.fixture
def memory() -> Iterator[Memory]:
    """Thirty days, a turn a day in a session of its own, the last one today; Ana's and Ben's by turns."""
    with open_memory(":memory:", embedder="fake", clock=Ticking()) as opened:
        for day in range(30):
            opened.add(
                f"day {day}",
                timestamp=START - timedelta(days=29 - day),
                infer=False,
                session_id=f"s{day}",
                user_id="ana" if day % 2 else "ben",
            )
        yield opened


def found(memory: Memory, when: When, *, limit: int = 100, warm: bool = True, user_id: str | None = None) -> list[str]:
    reach = Reach.ALL if user_id is None else Reach.SCOPE
    with looking(memory, warm=warm, limit=limit, scope=Scope(user_id=user_id), reach=reach) as look:
        return contents(memory, by_time(look, when, memory._engine.indexes.columns, sigma_hours=SIGMA))


def test_what_lies_in_the_window_comes_before_what_is_near_it(memory: Memory) -> None:
    yesterday = when_of("what did we do yesterday?", START, recent_days=7.0)
    assert yesterday is not None
    assert found(memory, yesterday)[0] == "day 28"
    assert set(found(memory, yesterday)) == {"day 28", "day 29", "day 27", "day 26", "day 25"}


def test_of_a_closed_window_the_middle_comes_first(memory: Memory) -> None:
    asked = window(T - 20 * DAY_US, T - 10 * DAY_US + 1)  # days 9 to 19
    assert found(memory, asked, limit=3)[0] == "day 14"
    assert len(found(memory, asked, limit=3)) == 3


@pytest.mark.parametrize(
    ("edges", "relation", "best"),
    [
        ((T - 5 * DAY_US, None), "since", ["day 29", "day 28", "day 27"]),
        ((None, T - 5 * DAY_US), "before", ["day 23", "day 22", "day 21"]),
    ],
)
def test_of_an_open_window_the_newest_come_first(memory: Memory, edges: Window, relation: str, best: list[str]) -> None:
    assert found(memory, window(*edges, relation=relation), limit=3) == best


def test_only_what_the_reader_may_see(memory: Memory) -> None:
    everything = window(T - 40 * DAY_US, None, "since")
    assert found(memory, everything, user_id="ana") == [f"day {day}" for day in range(29, 0, -2)]
    assert found(memory, everything, user_id="nobody") == []


def test_an_empty_window_a_question_without_one_and_a_cold_index_bring_nothing(memory: Memory) -> None:
    assert found(memory, window(T - 900 * DAY_US, T - 899 * DAY_US)) == []
    assert found(memory, When(relation="since", anchor="the deployment")) == []
    assert found(memory, window(T - DAY_US, T), warm=False) == []


class Sparse:
    """A selection that lets few rows through, and counts how many it was shown."""

    def __init__(self, columns: Columns, every: int) -> None:
        self.shown, self.count, self.total, self.scope_pks = 0, columns.count() // every, columns.count(), None
        self._every = every

    def allows(self, pks: Pks) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        self.shown += len(pks)
        return pks % self._every == 0

    def pks(self) -> Pks:
        raise AssertionError("nobody lists every row")


def test_few_rows_of_a_large_store_are_looked_at() -> None:
    columns = Columns()
    columns.apply(
        [
            ColumnRow(
                pk=pk,
                scope_pk=1,
                kind="episodic",
                category="fact",
                session_pk=None,
                event_time=T + pk * HOUR_US,
                valid_from=None,
                valid_until=None,
                tier="longterm",
            )
            for pk in range(1, 50_001)
        ],
        [],
    )
    sparse = Sparse(columns, every=7)
    with open_memory(":memory:", embedder="fake") as memory, looking(memory) as look:
        look.selection, look.now, look.limit = sparse, T + 50_000 * HOUR_US, 100
        ranking = by_time(look, window(T, None, "since"), columns, sigma_hours=SIGMA)
    assert ranking.found.pks.tolist() == list(range(49_994, 49_994 - 700, -7))
    assert sparse.shown < 5_000


# --- sessions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "user_id", "days"),
    [
        (TimeMode(mode="recent_sessions", sessions=2), None, [29, 28]),
        (TimeMode(mode="recent_sessions", sessions=2), "ana", [29, 27]),
        (TimeMode(mode="around_event", event="x", sessions=1), None, [11, 10, 9]),
        (TimeMode(mode="around_event", event="x", sessions=0), None, [10]),
        (TimeMode(mode="around_event", event="x", sessions=1), "ben", [12, 10, 8]),
        (TimeMode(mode="around_event", event="x", sessions=1), "nobody", []),
        (TimeMode(mode="trend", start=1), None, []),
    ],
)
def test_the_sessions_of_a_mode(memory: Memory, mode: TimeMode, user_id: str | None, days: list[int]) -> None:
    reach = Reach.ALL if user_id is None else Reach.SCOPE
    with looking(memory, scope=Scope(user_id=user_id), reach=reach) as look:
        watched, look.tx = look.tx, Tx(SqliteStatements(look.tx.sql.db))  # type: ignore[attr-defined]  # sessions are few: a scan is fine
        written_at = look.tx.sql.value("SELECT created_at FROM record WHERE content = 'day 10'")
        session_pks = sessions_of(look, mode, written_at)
        look.tx = watched
        ranking = by_sessions(look, session_pks, memory._engine.indexes.columns)
    assert contents(memory, ranking) == [f"day {day}" for day in days]


def test_an_event_without_a_time_has_no_sessions(memory: Memory) -> None:
    with looking(memory) as look:
        assert sessions_of(look, TimeMode(mode="around_event", event="x", sessions=3), None) == []
