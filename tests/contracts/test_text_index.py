"""What every text index promises, whatever is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from recollect.index.base import Scored, Selection, TermsRow, TextIndex
from recollect.index.columns import ColumnRow, Columns, ColumnSelection
from recollect.model.filters import parse_filters
from recollect.model.query import Criteria
from recollect.model.scope import Reach
from recollect.store.base import Tx
from recollect.store.sqlite.connection import Opening
from recollect.store.sqlite.store import SqliteStore


class Shelf:
    """A text index beside the columns that select from it, fed together as in life."""

    def __init__(self, index: TextIndex, settle: Callable[[], None]) -> None:
        self.index = index
        self.settle = settle  # whatever the engine does in its own time, now
        self.columns = Columns()

    def put(self, pk: int, text: str, *, scope: int = 1, kind: str = "semantic") -> None:
        self.apply([(pk, text, scope, kind)], [])

    def apply(self, rows: Sequence[tuple[int, str, int, str]], deletes: Sequence[int]) -> None:
        self.columns.apply(
            [ColumnRow(pk, scope, kind, "fact", None, pk, None, None, "longterm") for pk, _, scope, kind in rows],
            deletes,
        )
        self.index.apply([TermsRow(pk, scope, text.split()) for pk, text, scope, _ in rows], deletes)

    def select(self, scopes: Sequence[int] | None = None, kinds: Sequence[str] | None = None) -> ColumnSelection:
        return self.columns.select(scope_pks=scopes, kinds=kinds, now=0)

    def search(self, terms: str, *, limit: int = 10, among: ColumnSelection | None = None) -> Scored:
        return self.index.search(terms.split(), limit=limit, among=among or self.select())

    def found(self, terms: str, *, limit: int = 10, among: ColumnSelection | None = None) -> list[int]:
        return self.search(terms, limit=limit, among=among).pks.tolist()


def tantivy_shelf() -> Shelf:
    from recollect.index.text.tantivy import TantivyText

    index = TantivyText()
    return Shelf(index, index.commit)


def eager_tantivy_shelf() -> Shelf:
    """Commits by itself all the time, so that every test also crosses from the tail into the index."""
    from recollect.index.text.tantivy import TantivyText

    index = TantivyText(tail_rows_max=2)
    return Shelf(index, index.commit)


class FtsText:
    """The index on disk, asked as the cold path asks it, behind the protocol of those in memory."""

    def __init__(self) -> None:
        self._store = SqliteStore(Opening(path=":memory:"))
        self._store.write(lambda tx: tx.sql.run("INSERT INTO scope (pk, key) VALUES (0, '')"))

    def apply(self, puts: Sequence[TermsRow], deletes: Sequence[int]) -> None:
        rows = {row.pk: row for row in puts}
        self._store.write(lambda tx: self._apply(tx, rows, [*rows, *deletes]))

    def _apply(self, tx: Tx, rows: dict[int, TermsRow], gone: list[int]) -> None:
        tx.text.drop(gone)
        tx.sql.run("DELETE FROM record WHERE pk IN KEYS(?)", (tx.sql.keys(gone),))
        tx.sql.many(
            "INSERT INTO record (pk, id, scope_pk, kind, category, content, content_hash, created_at, updated_at, "
            "recorded_at) VALUES (?, ?, 0, 'semantic', 'fact', 'x', '', 0, 0, 0)",
            ((pk, str(pk)) for pk in rows),
        )
        tx.text.put(((pk, row.terms) for pk, row in rows.items()))

    def search(self, terms: Sequence[str], *, limit: int, among: Selection) -> Scored:
        with self._store.read() as tx:
            allowed = parse_filters({"id": {"in": [str(pk) for pk in among.pks().tolist()]}})
            found = tx.text.search(terms, Criteria(reach=Reach.ALL, filters=allowed), now=1, limit=limit)
        return Scored(
            np.array([pk for pk, _ in found], dtype=np.int64), np.array([score for _, score in found], dtype=np.float32)
        )

    def commit(self) -> None:
        """What is written is committed."""

    def count(self) -> int:
        with self._store.read() as tx:
            return int(tx.sql.value("SELECT count(*) FROM record_text_docsize"))

    def close(self) -> None:
        self._store.close()


def fts_shelf() -> Shelf:
    return Shelf(FtsText(), lambda: None)


BACKENDS = {"tantivy": tantivy_shelf, "tantivy-eager": eager_tantivy_shelf, "fts5": fts_shelf}


@pytest.fixture(params=BACKENDS)
def shelf(request: pytest.FixtureRequest) -> Iterator[Shelf]:
    shelf = BACKENDS[request.param]()
    yield shelf
    shelf.index.close()


def test_nothing_in_nothing_out(shelf: Shelf) -> None:
    assert shelf.found("oslo") == []
    shelf.put(1, "ada lives in oslo")
    assert shelf.found("") == []
    assert shelf.found("rome") == []
    assert shelf.found("oslo", limit=0) == []
    assert shelf.index.count() == 1


def test_what_was_applied_is_found_at_once_and_after_settling(shelf: Shelf) -> None:
    for pk in range(1, 6):
        shelf.put(pk, f"note{pk} about rome")
        assert shelf.found(f"note{pk}") == [pk]
    shelf.settle()
    assert [shelf.found(f"note{pk}") for pk in range(1, 6)] == [[pk] for pk in range(1, 6)]


def test_one_term_of_several_is_enough_and_more_is_better(shelf: Shelf) -> None:
    shelf.apply(
        [
            (1, "green tea in the morning", 1, "semantic"),
            (2, "coffee at noon", 1, "semantic"),
            (3, "green coffee beans for the morning", 1, "semantic"),
            (4, "nothing of the sort", 1, "semantic"),
        ],
        [],
    )
    found = shelf.search("green coffee morning")
    assert found.pks[0] == 3
    assert set(found.pks.tolist()) == {1, 2, 3}
    assert np.all(np.diff(found.scores) <= 0)
    assert found.pks.dtype == np.int64
    assert found.scores.dtype == np.float32


def test_a_rare_term_weighs_more_than_a_frequent_one(shelf: Shelf) -> None:
    shelf.apply([(pk, "project status report", 1, "semantic") for pk in range(1, 30)], [])
    shelf.put(40, "zanzibar travel report")
    shelf.put(41, "project travel report")
    assert shelf.found("project zanzibar", limit=1) == [40]


def test_a_short_text_beats_a_long_one_for_the_same_term(shelf: Shelf) -> None:
    shelf.put(1, "oslo " + " ".join(f"filler{i}" for i in range(60)))
    shelf.put(2, "oslo harbour")
    assert shelf.found("oslo") == [2, 1]


def test_a_term_asked_twice_counts_once(shelf: Shelf) -> None:
    shelf.put(1, "ada likes tea")
    shelf.put(2, "ada likes rome")
    assert np.allclose(shelf.search("tea").scores, shelf.search("tea tea").scores)


@pytest.mark.parametrize("settled", [False, True])
def test_a_replaced_row_answers_by_its_new_text_only(shelf: Shelf, settled: bool) -> None:
    shelf.put(1, "ada lives in oslo")
    shelf.put(2, "bob lives in oslo")
    if settled:
        shelf.settle()
    shelf.put(1, "ada lives in rome", scope=7)
    assert shelf.found("oslo") == [2]
    assert shelf.found("rome") == [1]
    assert shelf.found("ada", among=shelf.select([7])) == [1]
    shelf.settle()
    assert (shelf.found("oslo"), shelf.found("rome")) == ([2], [1])
    assert shelf.index.count() == 2


@pytest.mark.parametrize("settled", [False, True])
def test_a_deleted_row_is_gone_and_may_come_back(shelf: Shelf, settled: bool) -> None:
    shelf.apply([(1, "red kite", 1, "semantic"), (2, "red balloon", 1, "semantic")], [])
    if settled:
        shelf.settle()
    shelf.apply([], [1, 99])
    shelf.apply([], [1])
    assert (shelf.found("red"), shelf.index.count()) == ([2], 1)
    shelf.settle()
    assert (shelf.found("red kite"), shelf.index.count()) == ([2], 1)
    shelf.put(1, "red kite")
    assert (set(shelf.found("red")), shelf.index.count()) == ({1, 2}, 2)


def test_a_pk_both_put_and_deleted_is_put_and_the_last_put_counts(shelf: Shelf) -> None:
    shelf.apply([(1, "first draft", 1, "semantic"), (1, "final text", 1, "semantic")], [1])
    assert (shelf.found("draft"), shelf.found("final"), shelf.index.count()) == ([], [1], 1)


def test_applying_again_changes_nothing(shelf: Shelf) -> None:
    rows = [(pk, f"item{pk} of many", 1, "semantic") for pk in range(1, 8)]
    shelf.apply(rows, [])
    before = shelf.search("many item3", limit=100)
    shelf.apply(rows, [])
    shelf.settle()
    shelf.apply(rows, [50])
    after = shelf.search("many item3", limit=100)
    assert after.pks.tolist() == before.pks.tolist()
    assert shelf.index.count() == 7


def test_filters_keep_rows_out_and_let_the_rest_be_found(shelf: Shelf) -> None:
    rows = [(pk, f"shared words {pk}", pk % 5, "entity" if pk % 50 == 0 else "semantic") for pk in range(1, 401)]
    shelf.apply(rows, [])
    assert len(shelf.found("shared words", limit=1000)) == 400
    for scopes, kinds in [([2], None), ([0, 3], None), (None, ["entity"]), ([0], ["entity"]), ([9], None)]:
        among = shelf.select(scopes, kinds)
        allowed = set(among.pks().tolist())
        for limit in (1, 7, 1000):
            found = shelf.found("shared words", limit=limit, among=among)
            assert set(found) <= allowed  # all score alike: which of them come is left open
            assert len(found) == min(limit, len(allowed))


def test_terms_of_any_script_and_shape(shelf: Shelf) -> None:
    shelf.put(1, "日本 parse_config v1.2-rc3 @ada café")
    for term in ("日本", "parse_config", "v1.2-rc3", "@ada", "café"):
        assert shelf.found(term) == [1], term
    assert shelf.found('OR AND ( " *') == []
