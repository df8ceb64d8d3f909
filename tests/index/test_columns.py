"""Columns against the obvious: a dict of rows and a filter written out in Python."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.clock import FOREVER_US
from recollect.index import columns as columns_module
from recollect.index.columns import ColumnRow, Columns

KINDS = ("episodic", "semantic", "entity")
CATEGORIES = ("fact", "turn", "decision", "gotcha", "pattern", "insight")
TIERS = ("task", "longterm", "archive")
TIMES = st.integers(0, 20)

rows = st.builds(
    ColumnRow,
    pk=st.integers(1, 30),
    scope_pk=st.integers(1, 8),
    kind=st.sampled_from(KINDS),
    category=st.sampled_from(CATEGORIES),
    session_pk=st.none() | st.integers(1, 3),
    event_time=TIMES,
    valid_from=st.none() | TIMES,
    valid_until=st.none() | TIMES,
    tier=st.sampled_from(TIERS),
)
batches = st.tuples(st.lists(rows, max_size=12), st.lists(st.integers(1, 30), max_size=8))
filters = st.fixed_dictionaries(
    {
        "scope_pks": st.none() | st.lists(st.integers(1, 9), max_size=8),
        "kinds": st.none() | st.lists(st.sampled_from((*KINDS, "unheard-of")), max_size=3),
        "categories": st.none() | st.lists(st.sampled_from(CATEGORIES), max_size=6),
        "tiers": st.none() | st.lists(st.sampled_from(TIERS), max_size=2),
        "session_pks": st.none() | st.lists(st.integers(1, 4), max_size=3),
        "as_of": st.none() | TIMES,
        "now": TIMES,
        "after": st.none() | TIMES,
        "before": st.none() | TIMES,
        "pks": st.none() | st.lists(st.integers(1, 40), unique=True).map(lambda pks: np.array(pks, dtype=np.int64)),
    }
)


def row(pk: int, **changes: Any) -> ColumnRow:
    plain = ColumnRow(
        pk=pk,
        scope_pk=1,
        kind="semantic",
        category="fact",
        session_pk=None,
        event_time=10,
        valid_from=None,
        valid_until=None,
        tier="longterm",
    )
    return plain._replace(**changes)


def passes(row: ColumnRow, wanted: dict[str, Any]) -> bool:
    begin = -FOREVER_US if row.valid_from is None else row.valid_from
    end = FOREVER_US if row.valid_until is None else row.valid_until
    at = wanted["as_of"]
    return (
        (wanted["scope_pks"] is None or row.scope_pk in wanted["scope_pks"])
        and (wanted["kinds"] is None or row.kind in wanted["kinds"])
        and (wanted["categories"] is None or row.category in wanted["categories"])
        and (wanted["tiers"] is None or row.tier in wanted["tiers"])
        and (wanted["session_pks"] is None or row.session_pk in wanted["session_pks"])
        and (end > wanted["now"] if at is None else begin <= at < end)
        and (wanted["after"] is None or row.event_time >= wanted["after"])
        and (wanted["before"] is None or row.event_time < wanted["before"])
        and (wanted["pks"] is None or row.pk in wanted["pks"])
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(batches, max_size=6), st.lists(filters, min_size=1, max_size=4), st.booleans())
def test_select_equals_a_naive_filter(
    history: list[tuple[list[ColumnRow], list[int]]], wanted: list[dict[str, Any]], ask_count_first: bool
) -> None:
    columns, model = Columns(), dict[int, ColumnRow]()
    for puts, deletes in history:
        columns.apply(puts, deletes)
        for pk in deletes:
            model.pop(pk, None)
        model.update({put.pk: put for put in puts})
    everything = np.arange(0, 45, dtype=np.int64)
    for one in wanted:
        expected = sorted(pk for pk, row in model.items() if passes(row, one))
        selection = columns.select(**one)
        if ask_count_first:
            assert selection.count == len(expected)
        assert everything[selection.allows(everything)].tolist() == expected
        assert selection.pks().tolist() == expected
        assert (selection.count, selection.total) == (len(expected), len(model))
        if selection.scope_pks is not None:
            assert {model[pk].scope_pk for pk in expected} <= set(selection.scope_pks)


def test_compaction_keeps_what_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_module, "_DEAD_MIN", 4)
    columns = Columns()
    columns.apply([row(pk) for pk in range(1, 101)], [])
    columns.apply([], list(range(1, 81)))
    assert columns.select(scope_pks=None, now=0).pks().tolist() == list(range(81, 101))
    columns.apply([row(7), row(300), row(90, scope_pk=5)], [])  # an undone deletion brings an old pk back
    assert columns.select(scope_pks=None, now=0).pks().tolist() == [7, *range(81, 101), 300]
    assert columns.select(scope_pks=[5], now=0).pks().tolist() == [90]


def test_a_selection_keeps_its_snapshot() -> None:
    columns = Columns()
    columns.apply([row(1), row(2), row(3)], [])
    before = columns.select(scope_pks=[1], now=0)
    columns.apply([row(2, scope_pk=9), row(4)], [3])
    assert before.pks().tolist() == [1, 2, 3]
    assert columns.select(scope_pks=[1], now=0).pks().tolist() == [1, 4]


def test_nothing_filtered_is_known_without_a_scan() -> None:
    columns = Columns()
    columns.apply([row(1), row(2, scope_pk=2), row(3, valid_until=50)], [])
    free = columns.select(scope_pks=[2, 1, 77], now=49)
    assert (free.count, free.total, free.scope_pks) == (3, 3, None)
    assert free._cells is None
    assert columns.select(scope_pks=[1, 2], now=50).count == 2


def test_readers_never_see_half_a_change() -> None:
    """Scope and kind change together; a reader asking for a pair that never existed must find nothing."""
    columns = Columns()
    columns.apply([row(pk, scope_pk=1, kind="semantic") for pk in range(1, 501)], [])
    stop, torn = threading.Event(), list[int]()

    def read() -> None:
        while not stop.is_set():
            found = columns.select(scope_pks=[1], kinds=["entity"], now=0)
            torn.extend(found.pks().tolist())

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(300):
        scope, kind = ((2, "entity"), (1, "semantic"))[turn % 2]
        columns.apply([row(pk, scope_pk=scope, kind=kind) for pk in range(1, 51)] + [row(1000 + turn)], [])
    stop.set()
    reader.join()
    assert torn == []
