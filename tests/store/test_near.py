"""Search in the database by pgvector: as exact as comparing row by row, current at once, kept by one process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from postgres_server import server

import recollect
from recollect.config.storage import StoreSettings
from recollect.memory import Memory
from recollect.model.query import Criteria
from recollect.model.scope import Reach, Scope
from recollect.store.base import Store
from recollect.store.near import NearKeeper, NearRows, NearSearch
from recollect.store.postgres import near as of_postgres
from recollect.store.postgres.connection import ServerOpening
from recollect.store.postgres.store import PostgresStore

ALL = Criteria(reach=Reach.ALL)
WORDS = ("tea", "rome", "helix", "vim", "boat", "rain", "oslo", "bread")


@pytest.fixture
def url() -> str:
    return server().new()


def opened(url: str, **config: Any) -> Memory:
    return recollect.open(url, embedder="wordllama", background=False, config=config)


def filled(url: str, rows: int = 120, **config: Any) -> Memory:
    mem = opened(url, **config)
    texts = [f"{WORDS[n % 8]} and {WORDS[n // 8 % 8]} number {n}" for n in range(rows)]
    mem.add(texts[: rows // 2], user_id="ana", infer=False)
    mem.add(texts[rows // 2 :], user_id="ben", infer=False)
    return mem


def keeper(store: Store) -> NearKeeper:
    assert store.near is not None
    return store.near


def asked(mem: Memory, text: str, criteria: Criteria = ALL, limit: int = 10) -> tuple[NearRows, NearRows]:
    """What the database finds, and what comparing one by one finds."""
    embedder = mem._engine.embedder
    assert embedder is not None
    with mem._engine.store.read() as tx:
        (space,) = tx.vectors.spaces()
        query = embedder.embed([text])[0]
        both = [each.nearest(space, query, criteria, now=10**16, limit=limit) for each in (tx.near, NearSearch(tx))]
    assert both[0] is not None
    assert both[1] is not None
    return both[0], both[1]


def assert_same(found: NearRows, wanted: NearRows) -> None:
    np.testing.assert_allclose(found.cosines, wanted.cosines, atol=2e-3)
    near = {pk for pk, cosine in zip(wanted.pks.tolist(), wanted.cosines, strict=True) if cosine > found.cosines[-1]}
    assert near <= set(found.pks.tolist())


def test_the_database_finds_what_comparing_one_by_one_finds(url: str) -> None:
    with filled(url) as mem:
        assert keeper(mem._engine.store).keep(lambda: True) == 1.0
        for text in WORDS:
            for criteria in (ALL, Criteria(scope=Scope(user_id="ana")), Criteria(reach=Reach.ALL, kinds=("opinion",))):
                assert_same(*asked(mem, text, criteria))


def test_an_index_over_many_rows_finds_nearly_all(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the graph, which a planner takes for few rows only if it is told to: in everything, and in one scope."""
    monkeypatch.setattr(of_postgres, "_EXACT_ROWS_MAX", 10)
    with psycopg.connect(url, autocommit=True) as db:
        for setting in ("enable_seqscan", "enable_sort", "enable_hashjoin", "enable_mergejoin"):
            db.execute(f'ALTER DATABASE "{db.info.dbname}" SET {setting} = off')
        with filled(url, 1_200) as mem:
            keeper(mem._engine.store).keep(lambda: True)
            for criteria in (ALL, Criteria(scope=Scope(user_id="ben"))):
                shares = []
                for text in WORDS:
                    found, wanted = asked(mem, text, criteria)
                    shares.append(np.isin(wanted.pks, found.pks).mean())
                assert np.mean(shares) >= 0.9
        scans = "SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname LIKE 'near_1_embedding%'"
        used = db.execute(scans).fetchone()  # connections that ended have told what they did
        assert used is not None
        assert used[0] >= len(WORDS)


def test_what_changed_a_moment_ago_is_found_and_what_went_is_not(url: str) -> None:
    with filled(url) as mem:
        near = keeper(mem._engine.store)
        near.keep(lambda: True)
        new = mem.add("a kayak in the fjord", user_id="ana").ids[0]
        old = mem.search("rome", user_id="ana", top_k=1)[0].id
        mem.update(old, content="a glacier in spring")
        gone = mem.add("a kayak on the lake", user_id="ana").ids[0]
        mem.delete(gone)
        assert near.behind() > 0
        for _ in range(2):  # before the table knows it, and after
            for text, wanted in (("a kayak in the fjord", new), ("a glacier in spring", old)):
                found, exact = asked(mem, text)
                assert_same(found, exact)
                with mem._engine.store.read() as tx:
                    assert tx.records.ids(found.pks[:1].tolist()) == [wanted]
                    assert not set(tx.records.pks_of([gone])) & set(found.pks.tolist())
            near.keep(lambda: True)
        assert near.behind() == 0


def test_what_is_erased_leaves_no_vector(url: str) -> None:
    with filled(url) as mem, psycopg.connect(url, autocommit=True) as db:
        keeper(mem._engine.store).keep(lambda: True)
        mem.erase_user("ana")
        row = db.execute(
            "SELECT count(*), count(*) FILTER (WHERE record_pk NOT IN (SELECT pk FROM recollect.record)) "
            "FROM recollect.near_1"
        ).fetchone()
        assert row == (60, 0)


def test_a_feed_that_was_trimmed_past_the_table_makes_it_anew(url: str) -> None:
    with filled(url) as mem:
        store = mem._engine.store
        keeper(store).keep(lambda: True)
        mem.add([f"late {n}" for n in range(5)])
        for n in range(5):
            mem.add(f"later {n}")
        store.write(lambda tx: tx.changes.trim(1))
        assert keeper(store).keep(lambda: True) == 1.0
        assert_same(*asked(mem, "later 3"))


def test_several_processes_keep_one_table(url: str) -> None:
    """Whoever has the lock does it; the others wait for nothing, and search all the same."""
    with filled(url) as mem:
        stores = [PostgresStore(ServerOpening.of(url, StoreSettings())) for _ in range(3)]
        try:
            threads = [threading.Thread(target=lambda each=each: each.near.keep(lambda: True)) for each in stores]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert all(store.near.keep(lambda: True) == 1.0 for store in stores)
            assert_same(*asked(mem, "tea"))
        finally:
            for store in stores:
                store.close()
        with psycopg.connect(url) as db:
            assert db.execute("SELECT count(*) FROM recollect.near_1").fetchone() == (120,)


def test_a_table_in_parts_is_searched_in_the_part_of_the_scope(url: str) -> None:
    with filled(url, **{"store.partitions": 8}) as mem, psycopg.connect(url, autocommit=True) as db:
        keeper(mem._engine.store).keep(lambda: True)
        for criteria in (ALL, Criteria(scope=Scope(user_id="ana"))):
            assert_same(*asked(mem, "boat and rain", criteria))
        plan = db.execute(
            "EXPLAIN SELECT * FROM recollect.near_1 WHERE scope_pk IN (1) ORDER BY embedding <#> "
            "(SELECT embedding FROM recollect.near_1 LIMIT 1)"
        ).fetchall()
        parts = {word for (line,) in plan for word in line.split() if word.startswith("near_1_") and "idx" not in word}
        assert len({part for part in parts if part.count("_") == 2 and part[-1].isdigit()}) >= 1
        held = db.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'recollect.near_1'::regclass").fetchone()
        assert held == (8,)


# --- searches of a memory ---------------------------------------------------------------------------------------------


@pytest.fixture
def inside(url: str) -> Iterator[Memory]:
    filled(url).close()
    with opened(url, **{"index.search": "database"}) as mem:
        yield mem


def test_a_memory_searches_in_the_database_and_holds_no_index(inside: Memory) -> None:
    found = inside.search("boat and rain number 44", user_id="ana", explain=True)
    assert found[0].content == "boat and rain number 44"
    assert found.quality.level == "full"
    assert found.missing == ()
    assert {"text: from the index of the database, on the rarest terms", "vectors: in the database"} <= set(
        found.trace.notes  # type: ignore[union-attr]
    )
    health = inside.health()
    assert (health["search"], health["indexes_warm"]) == ("database", True)
    assert inside._engine.indexes.columns.count() == 0
    assert not inside._engine.indexes.vectors


def test_scopes_hold_in_the_database(inside: Memory) -> None:
    texts = {hit.content for hit in inside.search("tea rome helix", user_id="ben", top_k=100)}
    numbers = [int(text.rpartition(" ")[2]) for text in texts]
    assert numbers
    assert min(numbers) >= 60


def test_a_time_that_a_question_names_is_found_in_the_database(inside: Memory) -> None:
    ids = [
        inside.add(f"walked along the {where}", timestamp=f"2025-03-{day:02}", user_id="ana").ids[0]
        for day, where in ((3, "river"), (14, "shore"), (28, "canal"))
    ]
    found = inside.search("what happened on 14 March 2025?", user_id="ana", top_k=3, explain=True)
    assert found[0].id == ids[1]
    assert "time" in found.trace.found_by[ids[1]]  # type: ignore[union-attr]


def test_a_server_without_pgvector_is_searched_in_memory_and_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(url).close()
    told = "the server has no pgvector: install its package"

    def lacking(db: Any) -> str:
        raise of_postgres._Lacking(told)

    monkeypatch.setattr(of_postgres, "_extension", lacking)
    with opened(url, **{"index.search": "database"}) as mem:
        found = mem.search("boat and rain number 44", user_id="ana")
        assert found[0].content == "boat and rain number 44"
        assert any(told in said for said in found.missing)
        health = mem.health()
        assert health["search"] == "memory"
        assert any(told in said for said in health.warnings)


def test_a_role_that_may_not_create_extensions_is_told_who_does(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("DO $$ BEGIN CREATE ROLE near_poor LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
        db.execute("SET ROLE near_poor")
        with pytest.raises(of_postgres._Lacking, match="administrator run CREATE EXTENSION vector"):
            of_postgres._extension(db)


def test_a_file_says_that_it_is_searched_in_memory(tmp_path: Any) -> None:
    with recollect.open(tmp_path / "m.db", config={"index.search": "database"}, embedder="wordllama") as mem:
        mem.add("The boat is in Bergen")
        found = mem.search("where is the boat?")
        assert found[0].content == "The boat is in Bergen"
        assert any("a file has no index over vectors" in said for said in found.missing)
        assert any("a file has no index over vectors" in said for said in mem.health().warnings)


@pytest.mark.parametrize(
    ("config", "records", "wanted"),
    [
        ({}, 1_000_000, False),
        ({}, 1_000_001, True),
        ({"index.memory_rows_max": 10}, 11, True),
        ({"ram.budget_mb": 200}, 400_000, True),
        ({"ram.budget_mb": 200}, 200_000, False),
        ({"index.search": "memory"}, 10_000_000, False),
        ({"index.search": "database"}, 1, True),
    ],
)
def test_where_searches_look_goes_by_size_and_memory(
    url: str, config: dict[str, Any], records: int, wanted: bool
) -> None:
    with opened(url, **config) as mem:
        assert mem._engine.indexes.inside.wanted(records) is wanted


def test_indexes_in_memory_go_when_the_store_has_grown(url: str) -> None:
    filled(url).close()
    config = {"index.memory_rows_max": 130, "index.poll_interval_s": 0.02}
    with recollect.open(url, embedder="wordllama", config=config) as mem:
        indexes = mem._engine.indexes
        assert mem.search("boat", user_id="ana").quality.level == "full"
        assert not indexes.inside.ready
        mem.add([f"more {n}" for n in range(20)], infer=False)
        for _ in range(500):
            if indexes.inside.ready and not indexes.columns.count():
                break
            threading.Event().wait(0.02)
        assert indexes.inside.ready
        assert indexes.columns.count() == 0
        assert mem.search("more 7")[0].content == "more 7"
