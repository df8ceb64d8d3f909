"""Embedding spaces: one model each, never mixed; the first is active, the next is built beside it."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.errors import DimensionMismatch
from recollect.ids import new_id
from recollect.model.columns import RecordRow
from recollect.model.scope import Scope
from recollect.store.base import Store, Tx
from recollect.store.vectors import Space


@pytest.fixture
def store(database: Store) -> Store:
    database.write(_five_records)
    return database


def _five_records(tx: Tx) -> None:
    tx.scopes.ensure(Scope())
    rows = [
        RecordRow(id=new_id(), scope_pk=1, content=f"r{i}", content_hash="", created_at=1, updated_at=1, recorded_at=1)
        for i in range(1, 6)
    ]
    tx.records.insert(tx.journal.begin("add", at=1), rows, [[row.content] for row in rows])


def space(store: Store, name: str = "m", dimensions: int = 4) -> Space:
    return store.write(lambda tx: tx.vectors.ensure_space(name, dimensions, at=1))


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def put(store: Store, space: Space, *pks: int) -> None:
    rows = [(pk, space.encode(unit(*([float(pk)] + [1.0] * (space.dimensions - 1))))) for pk in pks]
    store.write(lambda tx: tx.vectors.put(space, rows))


def test_the_first_space_is_active_and_the_next_is_being_built(store: Store) -> None:
    assert (space(store, "old").state, space(store, "new").state, space(store, "old").state) == (
        "active",
        "building",
        "active",
    )
    with store.read() as tx:
        assert [s.name for s in tx.vectors.spaces()] == ["old", "new"]


def test_vectors_come_back_as_they_were_to_half_precision(store: Store) -> None:
    mine = space(store)
    given = unit(0.1, -0.7, 0.3, 0.2)
    store.write(lambda tx: tx.vectors.put(mine, [(2, mine.encode(given))]))
    with store.read() as tx:
        pks, data = tx.vectors.load(mine, [1, 2, 3])
    assert pks.tolist() == [2]
    assert data.dtype == np.float32
    assert abs(float(data[0] @ given) - 1.0) < 1e-3


def test_loading_is_in_ascending_order_and_nothing_is_two_empty_arrays(store: Store) -> None:
    mine = space(store)
    put(store, mine, 1, 3, 5)
    with store.read() as tx:
        assert tx.vectors.load(mine, [5, 1, 3])[0].tolist() == [1, 3, 5]
        assert tx.vectors.load_span(mine, 2, 9)[0].tolist() == [3, 5]
        pks, data = tx.vectors.load(mine, [2])
    assert (pks.shape, data.shape) == ((0,), (0, 4))


@pytest.mark.parametrize("size", [3, 5, 0])
def test_a_vector_of_another_length_is_refused(store: Store, size: int) -> None:
    mine = space(store)
    with pytest.raises(DimensionMismatch, match="another name") as caught:
        mine.encode(np.zeros(size, dtype=np.float32))
    assert caught.value.code == "E3003"
    with pytest.raises(DimensionMismatch):
        mine.encode(np.zeros((1, 4), dtype=np.float32))


def test_a_model_that_changed_its_length_needs_another_name(store: Store) -> None:
    space(store, "m", 4)
    with pytest.raises(DimensionMismatch, match="another name"):
        space(store, "m", 8)
    with store.read() as tx:
        assert [(s.name, s.dimensions) for s in tx.vectors.spaces()] == [("m", 4)]


def test_two_models_never_share_vectors_even_of_one_length(store: Store) -> None:
    one, other = space(store, "one"), space(store, "other")
    put(store, one, 1, 2)
    put(store, other, 2, 3)
    with store.read() as tx:
        assert tx.vectors.load(one, range(9))[0].tolist() == [1, 2]
        assert tx.vectors.load(other, range(9))[0].tolist() == [2, 3]
        assert tx.vectors.coverage(one) == (2, 5)


def test_promoting_retires_the_old_space_and_drops_its_vectors(store: Store) -> None:
    old, new = space(store, "old"), space(store, "new", 8)
    put(store, old, 1, 2)
    put(store, new, 1, 2, 3)
    store.write(lambda tx: tx.vectors.promote(new.pk))
    with store.read() as tx:
        assert [(s.name, s.state) for s in tx.vectors.spaces()] == [("new", "active")]
        assert tx.sql.value("SELECT count(*) FROM vector WHERE space_pk = ?", (old.pk,)) == 0
        assert tx.vectors.coverage(new) == (3, 5)
    back = space(store, "old")
    assert (back.pk, back.state) == (old.pk, "building")


def test_spaces_promoted_together_stay_together(store: Store) -> None:
    old, one, other = space(store, "old"), space(store, "one"), space(store, "other", 8)
    store.write(lambda tx: tx.vectors.promote(one.pk, other.pk))
    with store.read() as tx:
        assert [(s.name, s.state) for s in tx.vectors.spaces()] == [("one", "active"), ("other", "active")]
        assert tx.sql.value("SELECT state FROM space WHERE pk = ?", (old.pk,)) == "retired"


def test_promoting_the_active_space_changes_nothing(store: Store) -> None:
    mine = space(store)
    put(store, mine, 1)
    store.write(lambda tx: tx.vectors.promote(mine.pk))
    with store.read() as tx:
        assert tx.vectors.load(mine, [1])[0].tolist() == [1]


def test_what_has_no_vector_yet_is_listed_in_order(store: Store) -> None:
    mine = space(store)
    put(store, mine, 2)
    store.write(lambda tx: tx.records.retire(tx.journal.begin("delete", at=2), [4]))
    with store.read() as tx:
        assert tx.vectors.without_vector(mine, limit=9) == [(1, "r1"), (3, "r3"), (5, "r5")]
        assert tx.vectors.without_vector(mine, limit=1, after_pk=1) == [(3, "r3")]
        assert tx.vectors.coverage(mine) == (1, 4)


def test_vectors_of_retired_records_are_not_handed_to_an_index(store: Store) -> None:
    mine = space(store)
    put(store, mine, 1, 2)
    store.write(lambda tx: tx.records.retire(tx.journal.begin("delete", at=2), [1]))
    with store.read() as tx:
        assert tx.vectors.load_span(mine, 1, 5)[0].tolist() == [2]


def test_putting_again_replaces_and_every_change_is_announced(store: Store) -> None:
    mine = space(store)
    before = store.change_seq()
    put(store, mine, 1, 2, 4)
    with store.read() as tx:
        told = [(c.topic, c.first_pk, c.last_pk, c.space_pk) for c in tx.changes.since(before, 9)]
    assert told == [("vector", 1, 2, mine.pk), ("vector", 4, 4, mine.pk)]
    store.write(lambda tx: tx.vectors.put(mine, [(1, mine.encode(unit(0, 1, 0, 0)))]))
    with store.read() as tx:
        assert tx.vectors.load(mine, [1])[1].tolist() == [[0, 1, 0, 0]]


def test_a_revised_record_loses_the_vectors_of_its_old_text_in_every_space(store: Store) -> None:
    one, other = space(store, "one"), space(store, "other")
    put(store, one, 1)
    put(store, other, 1)
    fresh = one.encode(unit(1, 0, 0, 0))
    store.write(lambda tx: tx.vectors.replace(tx.journal.begin("update", at=2), 1, {one.pk: fresh}))
    with store.read() as tx:
        assert tx.vectors.load(one, [1])[1].tolist() == [[1, 0, 0, 0]]
        assert tx.vectors.load(other, [1])[0].tolist() == []
        noted = tx.sql.all("SELECT other_pk, before IS NOT NULL FROM journal WHERE relation = 'vector' ORDER BY 1")
    assert noted == [(one.pk, 1), (other.pk, 1)]


def test_vectors_go_with_their_record(store: Store) -> None:
    mine = space(store)
    put(store, mine, 1, 2)
    store.write(lambda tx: tx.sql.run("DELETE FROM record WHERE pk = 1"))
    with store.read() as tx:
        assert tx.vectors.load(mine, [1, 2])[0].tolist() == [2]


# --- sentences --------------------------------------------------------------------------------------------


def rows_of(count: int) -> np.ndarray:
    return np.array([unit(1.0, float(at), -2.0, 0.5) for at in range(count)], dtype=np.float32).reshape(-1, 4)


def put_sentences(store: Store, mine: Space, sentences: dict[int, np.ndarray]) -> None:
    rows = [(pk, mine.encode(unit(1.0, 1.0, 1.0, 1.0))) for pk in sorted(sentences)]
    encoded = {pk: mine.encode_sentences(found) for pk, found in sentences.items() if len(found)}
    store.write(lambda tx: tx.vectors.put(mine, rows, sentences=encoded))


def test_sentences_come_back_in_order_with_their_owners(store: Store) -> None:
    mine = space(store)
    put_sentences(store, mine, {1: rows_of(3), 2: rows_of(0), 4: rows_of(2)})
    with store.read() as tx:
        pks, rows = tx.vectors.sentences(mine, [4, 2, 1, 77])
        assert pks.tolist() == [1, 1, 1, 4, 4]
        assert rows.dtype == np.float32
        np.testing.assert_allclose(rows, np.concatenate([rows_of(3), rows_of(2)]), atol=0.005)
        assert tx.vectors.sentences(mine, [2]).rows.shape == (0, 4)
        assert tx.vectors.sentences(mine, []).rows.shape == (0, 4)


def test_a_text_stored_anew_has_only_its_own_sentences(store: Store) -> None:
    mine = space(store)
    put_sentences(store, mine, {1: rows_of(3), 2: rows_of(2)})
    put_sentences(store, mine, {1: rows_of(0)})
    with store.read() as tx:
        assert tx.vectors.sentences(mine, [1, 2]).pks.tolist() == [2, 2]


def test_sentences_go_with_their_record_their_space_and_their_vector(store: Store) -> None:
    mine, other = space(store, "mine"), space(store, "other")
    for each in (mine, other):
        put_sentences(store, each, {1: rows_of(2), 2: rows_of(2), 3: rows_of(2)})
    store.write(lambda tx: tx.vectors.promote(mine.pk))
    store.write(lambda tx: tx.erasure.erase(tx.journal.begin("delete", at=2), [2]))
    store.write(lambda tx: tx.vectors.write(mine.pk, 3, mine.encode(unit(1.0, 0.0, 0.0, 1.0))))
    with store.read() as tx:
        assert tx.vectors.sentences(mine, range(9)).pks.tolist() == [1, 1]
        assert tx.vectors.sentences(other, range(9)).pks.tolist() == []


def test_a_row_of_a_wrong_length_counts_as_none(store: Store) -> None:
    mine = space(store)
    put_sentences(store, mine, {1: rows_of(2)})
    store.write(lambda tx: tx.vectors.write(mine.pk, 2, mine.encode(unit(1.0, 1.0, 1.0, 1.0)), b"damaged"))
    with store.read() as tx:
        assert tx.vectors.sentences(mine, [1, 2]).pks.tolist() == [1, 1]
