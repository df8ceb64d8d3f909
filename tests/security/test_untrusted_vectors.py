"""A vector back end that is not trusted: what it gets to see, what it may answer, and that it works all the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from recollect.config.guarding import SecuritySettings
from recollect.errors import RateLimited
from recollect.index.base import Scored
from recollect.index.vector.flat import FlatVectors
from recollect.security.keys import MasterKey, Purpose
from recollect.security.projection import Projections
from recollect.security.untrusted import UntrustedVectors

TURNING = Projections(MasterKey(bytes(range(32))).derived(Purpose.PROJECTION))
DIMENSIONS = 64


class Spying(FlatVectors):
    """A back end that writes down what it is given."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self.rows_seen: list[np.ndarray] = []
        self.questions_seen: list[np.ndarray] = []
        self.selections_seen: list[Any] = []

    def apply(self, puts: Any, deletes: Sequence[int]) -> None:
        if puts is not None:
            self.rows_seen.append(puts[1])
        super().apply(puts, deletes)

    def search(self, query: Any, *, limit: int, among: Any) -> Scored:
        self.questions_seen.append(query)
        self.selections_seen.append(among)
        return super().search(query, limit=limit, among=among)


class Only:
    """Some rows may be seen."""

    scope_pks = (7,)
    total = 1_000

    def __init__(self, pks: Sequence[int]) -> None:
        self._pks = np.array(sorted(pks), dtype=np.int64)
        self.count = len(self._pks)

    def allows(self, pks: np.ndarray) -> np.ndarray:
        return np.isin(pks, self._pks)

    def pks(self) -> np.ndarray:
        return self._pks


def rows(count: int, seed: int = 3) -> np.ndarray:
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def guarded(inner: Any, per_minute: int = 100_000) -> UntrustedVectors:
    return UntrustedVectors(inner, TURNING, lambda: SecuritySettings(plugin_searches_per_minute=per_minute))


def filled(inner: Any, count: int = 300, **given: Any) -> tuple[UntrustedVectors, np.ndarray]:
    index, vectors = guarded(inner, **given), rows(count)
    index.apply((np.arange(1, count + 1), vectors), ())
    return index, vectors


def test_a_back_end_never_sees_a_vector_of_the_encoder() -> None:
    spy = Spying()
    index, vectors = filled(spy)
    index.search(vectors[4], limit=5, among=Only(range(1, 301)))
    (seen,) = spy.rows_seen
    cosines = np.sum(seen * vectors, axis=1) / np.linalg.norm(seen, axis=1)
    assert np.abs(cosines).max() < 0.6, "turned: as if drawn by chance"
    assert abs(float(cosines.mean())) < 0.05
    for given in (seen, np.array(spy.questions_seen)):
        steps = given / (np.abs(given).max(axis=1, keepdims=True) / 127)
        assert np.allclose(steps, np.rint(steps), atol=1e-2), "eight bits a dimension"


def test_a_back_end_is_not_told_who_may_see_what() -> None:
    spy = Spying()
    index, vectors = filled(spy)
    index.search(vectors[4], limit=5, among=Only([1, 2, 3]))
    for told in spy.selections_seen:
        assert told.scope_pks is None
        assert told.count == told.total == 300
        assert told.allows(np.array([250])).all()


def test_it_finds_what_an_index_of_our_own_finds() -> None:
    index, vectors = filled(FlatVectors(DIMENSIONS))
    own = FlatVectors(DIMENSIONS)
    own.apply((np.arange(1, 301), vectors), ())
    shared = 0
    for at, query in enumerate(rows(40, seed=9)):
        among = Only(range(1, 301) if at % 2 else range(100, 140))
        mine, theirs = own.search(query, limit=10, among=among), index.search(query, limit=10, among=among)
        assert among.allows(theirs.pks).all()
        assert len(theirs.pks) == 10
        shared += len(set(mine.pks.tolist()) & set(theirs.pks.tolist()))
        assert theirs.scores == pytest.approx(np.sort(theirs.scores)[::-1])
    assert shared >= 0.97 * 400


def test_vectors_come_back_as_the_encoder_made_them() -> None:
    index, vectors = filled(FlatVectors(DIMENSIONS))
    back = index.vectors(np.array([3, 999, 1]))
    assert not back[1].any()
    assert float(back[0] @ vectors[2]) > 0.999
    assert float(back[2] @ vectors[0]) > 0.999


def test_rows_that_went_are_not_found() -> None:
    index, vectors = filled(FlatVectors(DIMENSIONS))
    index.apply(None, [5])
    assert index.count() == 299
    assert 5 not in index.search(vectors[4], limit=300, among=Only(range(1, 301))).pks


class Lying(FlatVectors):
    """A back end that answers what it likes."""

    def __init__(self, pks: list[int], scores: list[float]) -> None:
        super().__init__(DIMENSIONS)
        self._answer = Scored(np.array(pks, dtype=np.int64), np.array(scores, dtype=np.float32))

    def search(self, query: Any, *, limit: int, among: Any) -> Scored:
        return self._answer

    def vectors(self, pks: Any) -> np.ndarray:
        return np.full((len(pks), DIMENSIONS), np.nan, dtype=np.float32)


def test_what_a_hostile_back_end_answers_is_held_against_what_it_may_answer() -> None:
    """Rows that it was never given, rows that the caller may not see, rows twice, scores that are none."""
    nan, inf = float("nan"), float("inf")
    index, vectors = filled(Lying([1, 1, 2, 999_999, -4, 3, 4, 5], [9.0, 0.5, 0.4, 0.9, 0.9, nan, inf, 0.1]))
    found = index.search(vectors[0], limit=10, among=Only([1, 2, 3, 4]))
    assert found.pks.tolist() == [1, 2]
    assert found.scores.max() <= 1.0
    assert not index.vectors(np.array([1])).any()
    broken, vectors = filled(Lying([1, 2], [0.5]))
    assert not len(broken.search(vectors[0], limit=3, among=Only([1, 2])).pks)


def test_a_back_end_is_asked_so_often_and_no_more() -> None:
    spy = Spying()
    index, vectors = filled(spy, per_minute=7)
    for query in vectors[:7]:
        index.search(query, limit=3, among=Only(range(1, 301)))
    with pytest.raises(RateLimited, match="7 searches of an untrusted vector back end"):
        index.search(vectors[8], limit=3, among=Only(range(1, 301)))
    assert len(spy.questions_seen) == 7


def test_nothing_of_it_is_kept_beside_the_store(tmp_path: Any) -> None:
    index, _ = filled(FlatVectors(DIMENSIONS))
    assert not index.save(tmp_path / "x", space="s", watermark=1)
    assert not list(tmp_path.iterdir())
    index.settle()
    assert index.unsettled() == 0
    index.close()
