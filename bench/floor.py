"""The floor: the same work by the bare parts, on the same data, without the engine.

A search is: embed the question, ask tantivy, ask usearch, select the best rows by key. A write is: insert a row of
the same content into one table, in one durable transaction. Nothing is checked, scoped, journalled, fused or
followed, so nothing can be quicker by these means.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import tantivy

from bench import data
from bench.child import gate
from bench.measure import Stopwatch, rss_mb, timed
from recollect.language.terms import query_terms, terms_of
from recollect.providers.registry import make_embedder

DIMENSIONS = 256
CANDIDATES = 100
TOP_K = 10
_PORTION = 2_000
_METADATA = '{"team":"core"}'
_INSERT = "INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_VECTORS_FILE = "floor.vectors"
_TABLE_FILE = "floor.db"


def embedder() -> Any:
    """The static one, loaded."""
    model = make_embedder("wordllama")
    assert model is not None
    model.embed(["warm"])
    return model


class BareTable:
    """One table with an id, a scope, times, JSON and a vector; two indexes; write-ahead log, synchronous FULL."""

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path))
        self._db.set_busy_timeout(30_000)
        self._db.pragma("page_size", 8192)
        self._db.pragma("journal_mode", "wal")
        self._db.pragma("synchronous", "full")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS item (pk INTEGER PRIMARY KEY, id TEXT NOT NULL, scope INTEGER, kind TEXT, "
            "content TEXT, metadata TEXT, created_at INTEGER, event_time INTEGER, vector BLOB) STRICT"
        )
        self._db.execute("CREATE UNIQUE INDEX IF NOT EXISTS item_id ON item (id)")
        self._db.execute("CREATE INDEX IF NOT EXISTS item_scope ON item (scope)")

    def insert(self, row: Sequence[Any]) -> None:
        """One row, durable when this returns."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute(_INSERT, row)
        self._db.execute("COMMIT")

    def insert_many(self, rows: Iterable[Sequence[Any]]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(_INSERT, rows)
        self._db.execute("COMMIT")

    def select(self, pks: Sequence[int]) -> list[Any]:
        marks = ", ".join("?" * len(pks))
        sql = f"SELECT pk, id, scope, kind, content, metadata, created_at, event_time FROM item WHERE pk IN ({marks})"
        return self._db.execute(sql, tuple(pks)).fetchall()

    def close(self) -> None:
        self._db.close()


def rows_of(first_pk: int, texts: Sequence[str], vectors: Sequence[bytes]) -> list[tuple[Any, ...]]:
    """Rows for `BareTable`; with 0 for the first key the table gives its own."""
    now = time.time_ns() // 1000
    return [
        (first_pk + i if first_pk else None, str(uuid.uuid4()), 1, "semantic", text, _METADATA, now, now, vector)
        for i, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


def halves(vectors: Any) -> list[bytes]:
    return [row.tobytes() for row in np.asarray(vectors, dtype=np.float16)]


class BareSearch:
    """The parts of a search over the first `size` records of the data."""

    def __init__(self, folder: Path, size: int) -> None:
        self._embedder = embedder()
        from usearch.index import Index  # here: processes that do not use it must not load it before onnxruntime

        graph = Index.restore(str(folder / _VECTORS_FILE))
        assert graph is not None
        assert len(graph) == size
        self._graph = graph
        self._table = BareTable(folder / _TABLE_FILE)
        self._schema, self._searcher = _text_index(size)

    def search(self, question: str) -> list[Any]:
        """Ten rows. Which ones is of no interest here, as long as both indexes did their part."""
        vector = self._embedder.embed([question])[0]
        query = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "terms", term, "freq"))
                for term in query_terms(question)
            ]
        )
        hits = self._searcher.search(query, CANDIDATES, count=False).hits
        worded = self._searcher.fast_field_values("pk", [address for _, address in hits])
        near = self._graph.search(vector, CANDIDATES, threads=1).keys.tolist()
        return self._table.select([*worded[: TOP_K // 2], *near[: TOP_K - len(worded[: TOP_K // 2])]])

    def close(self) -> None:
        self._table.close()


def build(folder: str, size: int) -> dict[str, float]:
    """In a child: build the parts and leave graph and table in the folder. Resident memory of the bare parts."""
    model, table = embedder(), BareTable(Path(folder) / _TABLE_FILE)
    from usearch.index import Index

    graph = Index(ndim=DIMENSIONS, metric="cos", dtype="f16", connectivity=16, expansion_add=128, expansion_search=64)
    for first in range(0, size, _PORTION):
        texts = data.texts(first, min(_PORTION, size - first))
        vectors = model.embed(texts)
        table.insert_many(rows_of(1 + first, texts, halves(vectors)))
        graph.add(np.arange(1 + first, 1 + first + len(texts)), vectors)
    _schema, searcher = _text_index(size)
    assert searcher.num_docs == size
    resident = rss_mb()
    graph.save(str(Path(folder) / _VECTORS_FILE))
    table.close()
    return {"rss_mb": resident}


def _text_index(size: int) -> tuple[Any, Any]:
    fields = tantivy.SchemaBuilder()
    fields.add_text_field("terms", tokenizer_name="terms", index_option="freq")
    fields.add_integer_field("pk", indexed=True, fast=True)
    schema = fields.build()
    index = tantivy.Index(schema)
    index.register_tokenizer("terms", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    writer = index.writer(heap_size=20_000_000, num_threads=1)
    for i in range(size):
        writer.add_document(tantivy.Document(terms=" ".join(terms_of(data.text(i))), pk=1 + i))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return schema, index.searcher()


def batch(folder: str, size: int, portion: int) -> dict[str, float]:
    """In a child: records a second of embedding alone, of inserting alone, and of both in turn."""
    model, table = embedder(), BareTable(Path(folder) / "floor-batch.db")
    embedding_s = inserting_s = 0.0
    for first in range(0, size, portion):
        texts = data.texts(first, min(portion, size - first))
        watch = Stopwatch()
        vectors = halves(model.embed(texts))
        embedding_s += watch.s
        rows = rows_of(0, texts, vectors)
        watch = Stopwatch()
        table.insert_many(rows)
        inserting_s += watch.s
    table.close()
    return {
        "embedding_per_s": size / embedding_s,
        "inserting_per_s": size / inserting_s,
        "per_s": size / (embedding_s + inserting_s),
    }


def write_for(path: str, number: int, seconds: float) -> list[float]:
    """In a child among others: milliseconds of each durable insert into one shared file."""
    table = BareTable(Path(path))
    times: list[float] = []
    gate()
    watch = Stopwatch()
    while watch.s < seconds:
        rows = rows_of(0, [data.text(len(times), seed=number)], [bytes(2 * DIMENSIONS)])
        times += timed(table.insert, rows)
    table.close()
    return times
