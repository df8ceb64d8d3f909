"""The tail and tantivy behind one face: nothing missed, nothing twice, one ranking."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.errors import StoreClosed
from recollect.index.base import TermsRow
from recollect.index.columns import ColumnRow, Columns, ColumnSelection
from recollect.index.text.tantivy import TantivyText, _length_kept

WORDS = [f"w{i}" for i in range(12)]


def column(pk: int, scope: int = 1, kind: str = "semantic") -> ColumnRow:
    return ColumnRow(pk, scope, kind, "fact", None, pk, None, None, "longterm")


def every(count: int) -> ColumnSelection:
    columns = Columns()
    columns.apply([column(pk) for pk in range(1, count + 1)], [])
    return columns.select(scope_pks=None, now=0)


def corpus(count: int, seed: int = 0) -> list[TermsRow]:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 90, count)
    chances = 1 / np.arange(1, len(WORDS) + 1)
    chances /= chances.sum()
    return [
        TermsRow(pk + 1, int(rng.integers(1, 5)), rng.choice(WORDS, size=lengths[pk], p=chances).tolist())
        for pk in range(count)
    ]


def test_scores_are_the_same_before_and_after_commit() -> None:
    index, among = TantivyText(), every(500)
    index.apply(corpus(500), [])
    queries = [["w3"], ["w1", "w8"], ["w11", "w10", "w9", "w0"]]
    before = [index.search(query, limit=500, among=among) for query in queries]
    index.commit()
    after = [index.search(query, limit=500, among=among) for query in queries]
    for old, new in zip(before, after, strict=True):
        assert len(old.pks) == len(new.pks) > 0
        by_pk = [np.argsort(found.pks) for found in (old, new)]
        assert np.array_equal(old.pks[by_pk[0]], new.pks[by_pk[1]])
        assert np.allclose(old.scores[by_pk[0]], new.scores[by_pk[1]], rtol=1e-4)
        assert np.allclose(old.scores, new.scores, rtol=1e-4)
    index.close()


def test_tail_and_committed_rows_are_weighed_alike() -> None:
    """Two thirds committed, one third in the tail: nearly the scores of one index."""
    rows, among = corpus(600, seed=2), every(600)
    whole, split = TantivyText(), TantivyText()
    whole.apply(rows, [])
    whole.commit()
    split.apply(rows[:400], [])
    split.commit()
    split.apply(rows[400:], [])
    one, other = (index.search(["w11", "w5"], limit=600, among=among) for index in (whole, split))
    one_at, other_at = np.argsort(one.pks), np.argsort(other.pks)
    assert np.array_equal(one.pks[one_at], other.pks[other_at])
    assert np.allclose(one.scores[one_at], other.scores[other_at], rtol=0.05)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.integers(1, 25), st.lists(st.sampled_from(WORDS), max_size=6), max_size=6),
            st.lists(st.integers(1, 25), max_size=4),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_any_history_finds_exactly_the_rows_that_hold_a_term(
    history: list[tuple[dict[int, list[str]], list[int], bool]],
) -> None:
    index, among, model = TantivyText(tail_rows_max=7), every(25), dict[int, list[str]]()
    for puts, deletes, commit in history:
        index.apply([TermsRow(pk, 1, terms) for pk, terms in puts.items()], deletes)
        for pk in deletes:
            model.pop(pk, None)
        model.update(puts)
        if commit:
            index.commit()
        found = index.search(["w1", "w4"], limit=100, among=among).pks.tolist()
        assert sorted(found) == sorted(pk for pk, terms in model.items() if {"w1", "w4"} & set(terms))
        assert index.count() == len(model)
    index.close()


@pytest.mark.parametrize("tail_rows_max", [500, 10_000])
def test_filtering_equals_the_full_ranking_filtered(tail_rows_max: int) -> None:
    """With ties in plenty, the order among equals included."""
    rng = np.random.default_rng(1)
    rows = [TermsRow(pk, pk % 7, ["all", WORDS[pk % 5], WORDS[int(rng.integers(12))]]) for pk in range(1, 6001)]
    columns = Columns()
    columns.apply([column(row.pk, row.scope_pk, "entity" if row.pk % 300 == 0 else "fact") for row in rows], [])
    index = TantivyText(tail_rows_max=tail_rows_max)
    index.apply(rows, [])
    scattered = np.sort(rng.choice(np.arange(1, 6001), 60, replace=False)).astype(np.int64)
    selections = [
        columns.select(scope_pks=[3], now=0),
        columns.select(scope_pks=[1, 2, 5], kinds=["entity"], now=0),
        columns.select(scope_pks=None, kinds=["entity"], now=0),
        columns.select(scope_pks=None, pks=scattered, now=0),
        columns.select(scope_pks=None, before=3000, now=0),
    ]
    for terms in (["all"], ["all", "w2"], ["w7", "w1"]):
        ranking = index.search(terms, limit=6000, among=columns.select(scope_pks=None, now=0))
        for among in selections:
            allowed = among.allows(ranking.pks)
            for limit in (1, 20, 2000):
                found = index.search(terms, limit=limit, among=among)
                assert among.allows(found.pks).all()  # which of several equal rows comes is left open
                assert np.allclose(found.scores, ranking.scores[allowed][:limit])
    index.close()


def test_searches_beside_a_feeding_thread_never_miss_or_double() -> None:
    """Row k holds 'all' and is never gone for long: a search sees each row applied before it, once."""
    index, among = TantivyText(tail_rows_max=150), every(4000)
    applied, faults, done = 0, list[str](), threading.Event()

    def watch() -> None:
        while not done.is_set():
            sure = applied
            found = index.search(["all"], limit=4000, among=among).pks.tolist()
            if len(set(found)) != len(found):
                faults.append(f"doubled at {sure}")
            if missed := set(range(1, sure + 1)) - set(found):
                faults.append(f"missed {sorted(missed)[:5]} at {sure}")

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        for start in range(1, 4001, 40):
            again = [TermsRow(pk, 1, ["all", "again"]) for pk in range(max(1, start - 60), start, 3)]
            index.apply([TermsRow(pk, 1, ["all", f"n{pk}"]) for pk in range(start, start + 40)] + again, [])
            applied = start + 39
            if start % 400 == 1:
                index.commit()
    finally:
        done.set()
        watcher.join()
    assert faults == []
    assert index.count() == 4000
    index.close()


def test_a_closed_index_refuses_changes() -> None:
    index = TantivyText()
    index.close()
    index.close()
    with pytest.raises(StoreClosed):
        index.apply([TermsRow(1, 1, ["late"])], [])
    with pytest.raises(StoreClosed):
        index.commit()


def test_lengths_are_rounded_as_tantivy_rounds_them() -> None:
    assert [_length_kept(n) for n in (0, 39, 40, 41, 42, 57, 63, 1000)] == [0, 39, 40, 40, 42, 56, 60, 984]
