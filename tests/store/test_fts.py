"""The text index on disk: what it holds, what it asks for, how it orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

import recollect
from recollect.ids import new_id
from recollect.language.terms import query_terms, terms_of
from recollect.model.columns import RecordRow
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.store import textual as fts
from recollect.store.base import Tx
from recollect.store.sqlite.connection import Opening
from recollect.store.sqlite.migrate import migrate, steps
from recollect.store.sqlite.store import SqliteStore

ANYTHING = Criteria(reach=Reach.ALL)


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    store = SqliteStore(Opening(path=":memory:"))
    yield store
    store.close()


def add(store: SqliteStore, *texts: str, category: str = "general") -> list[int]:
    def work(tx: Tx) -> list[int]:
        tx.scopes.ensure(Scope())
        rows = [
            RecordRow(
                id=new_id(),
                scope_pk=1,
                content=text,
                content_hash="",
                category=category,
                created_at=1,
                updated_at=1,
                recorded_at=1,
            )
            for text in texts
        ]
        return list(tx.records.insert(tx.journal.begin("add", at=1), rows, [terms_of(text) for text in texts]))

    return store.write(work)


def search(store: SqliteStore, terms: Sequence[str], criteria: Criteria = ANYTHING, *, limit: int = 10) -> list[int]:
    with store.read() as tx:
        return [pk for pk, _ in tx.text.search(terms, criteria, now=2, limit=limit)]


def test_a_question_finds_the_rows_that_share_its_words(store: SqliteStore) -> None:
    add(store, "Ana lives in Oslo", "Ben lives in Rome", "nobody lives here")
    assert search(store, query_terms("who lives in Oslo?"))[0] == 1
    assert search(store, query_terms("Rome")) == [2]
    assert search(store, query_terms("Paris")) == []
    assert search(store, []) == []


def test_criteria_are_part_of_the_search_so_the_limit_counts_allowed_rows(store: SqliteStore) -> None:
    add(store, *(f"note number {i}" for i in range(47)))
    add(store, *(f"note number {i}" for i in range(3)), category="rare")
    assert sorted(search(store, ["note"], replace(ANYTHING, categories=("rare",)), limit=10)) == [48, 49, 50]
    assert search(store, ["note"], replace(ANYTHING, categories=())) == []
    assert search(store, ["note"], limit=0) == []


@pytest.mark.parametrize(
    "text",
    [
        "parse_config",
        "v1.2-rc3",
        "@ada",
        "#topic",
        "ada@example.org",
        "日本語",
        "Ελλάδα",
        "straße",
        "naïve café",
        "Zoë's",
        "ガンダム",
        "한국어",
        "ёлка",
        "smørrebrød",
        "Łódź",
        "हिन्दी",
        "ไทย",
        "½",
        "O’Neill",
        "3.14",
        "C3PO",
        "snake_case_name",
        "x²",
        "Müller-Lüdenscheidt",
    ],
)
def test_every_term_of_a_text_finds_it_again(store: SqliteStore, text: str) -> None:
    add(store, f"before {text} after", "something else")
    for term in terms_of(text):
        assert search(store, [term]) == [1], term


@pytest.mark.parametrize("term", ['"', "OR", "a AND b", "NEAR(x)", "x*", "^x", "-x", "(", "col:x"])
def test_a_term_is_never_read_as_syntax(store: SqliteStore, term: str) -> None:
    add(store, "plain words only")
    assert search(store, [term]) == []


def test_only_the_rarest_terms_are_scored_but_at_least_one(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fts, "ROWS_SCORED_MAX", 5)
    add(store, *(["common words here"] * 10), "common rare word")
    assert search(store, ["common", "rare"]) == [11]
    assert len(search(store, ["common"], limit=99)) == 11


def test_of_many_terms_the_rarest_decide(store: SqliteStore) -> None:
    frequent = [f"w{i}" for i in range(fts.RARE_TERMS_MAX + 4)]
    add(store, *([" ".join(frequent)] * 5), "needle")
    assert search(store, [*frequent, *query_terms("needle")])[0] == 6


def test_of_equal_scores_the_newest_comes_first(store: SqliteStore) -> None:
    add(store, "same words", "same words", "same words")
    assert search(store, ["same"]) == [3, 2, 1]


def test_replaced_and_dropped_rows_answer_no_longer(store: SqliteStore) -> None:
    add(store, "oslo one", "oslo two", "oslo three")
    store.write(lambda tx: tx.text.replace(1, ["rome"]))
    store.write(lambda tx: tx.text.drop([2]))
    assert search(store, ["oslo"]) == [3]
    assert search(store, ["rome"]) == [1]


def test_purging_leaves_no_word_of_a_dropped_row_in_the_file(store: SqliteStore) -> None:
    add(store, "a xylophonist played", "nobody else")
    store.write(lambda tx: tx.text.drop([1]))
    store.write(lambda tx: tx.text.purge())
    with store.read() as tx:
        kept = b"".join(bytes(row[0]) for row in tx.sql.all("SELECT block FROM record_text_data"))
        assert tx.sql.value("SELECT count(*) FROM record_vocabulary WHERE term LIKE 'xyl%'") == 0
    assert b"xylo" not in kept
    assert search(store, query_terms("nobody")) == [2]


def test_a_store_of_an_earlier_analysis_is_indexed_anew(tmp_path: Path) -> None:
    """Words were searched as they stood, and tags not at all, before the step that writes the text index anew."""
    path = tmp_path / "m.db"
    with recollect.open(path, embedder=None) as memory:
        bought = memory.add("I bought oats", tags=["groceries"]).id
    db = apsw.Connection(str(path))
    (step,) = (number for number, name, _ in steps() if name == "searched_words")
    db.execute("DELETE FROM migration WHERE version >= ?", (step,))
    db.execute("INSERT INTO record_text (record_text) VALUES ('delete-all')")
    db.execute("INSERT INTO record_text (rowid, terms) SELECT pk, 'i bought oat' FROM record")
    again = [one for one in steps() if one[0] <= step]
    assert migrate(db, str(path), again) == step
    for word, row in (("buy", 1), ("bought", None), ("groceri", 1)):
        assert db.execute("SELECT rowid FROM record_text WHERE record_text MATCH ?", (word,)).get == row
    assert db.execute("SELECT id FROM record WHERE pk = 1").get == bought
