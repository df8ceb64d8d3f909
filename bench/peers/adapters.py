"""Each library as its own documentation uses it, behind one shape: open, add, search, delete, close.

Run in that library's environment, so nothing here imports ours at the top. `group` is whose a text is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

DIMENSIONS = 256


class Peer(Protocol):
    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None: ...

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]: ...

    def delete(self, id_: int) -> None: ...

    def count(self) -> int: ...

    def close(self) -> None: ...


class Recollect:
    """Ours, with the static model, which gives the same vectors."""

    def __init__(self, folder: Path) -> None:
        import recollect

        self.mem = recollect.open(folder / "m.db", embedder="static")

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        by_group: dict[str, list[dict[str, Any]]] = {}
        for id_, text, group in zip(ids, texts, groups, strict=True):
            by_group.setdefault(group, []).append({"content": text, "metadata": {"n": id_}})
        for group, items in by_group.items():
            self.mem.add(items, user_id=group, infer=False)

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        where: dict[str, Any] = {"reach": "all"} if group is None else {"user_id": group}
        return [hit.metadata["n"] for hit in self.mem.search(text, top_k=limit, **where)]

    def delete(self, id_: int) -> None:
        hits = self.mem.get_all(filters={"metadata.n": id_}, reach="all")
        for hit in hits:
            self.mem.delete(hit.id, hard=True)

    def count(self) -> int:
        return int(self.mem.stats()["records"])

    def close(self) -> None:
        self.mem.close()


class Chroma:
    def __init__(self, folder: Path) -> None:
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        self.client = chromadb.PersistentClient(str(folder), settings=settings)
        space = {"hnsw": {"space": "cosine"}}
        self.rows = self.client.get_or_create_collection("memories", embedding_function=None, configuration=space)

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        named = [str(id_) for id_ in ids]
        whose = [{"g": group} for group in groups]
        self.rows.add(ids=named, documents=list(texts), embeddings=vectors.tolist(), metadatas=whose)

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        where = {} if group is None else {"where": {"g": group}}
        found = self.rows.query(query_embeddings=[vector.tolist()], n_results=limit, include=[], **where)
        return [int(id_) for id_ in found["ids"][0]]

    def delete(self, id_: int) -> None:
        self.rows.delete(ids=[str(id_)])

    def count(self) -> int:
        return int(self.rows.count())

    def close(self) -> None: ...


class Lance:
    """Hybrid: its full text search and vectors, fused by its own RRF. Indexes are made once after the first fill."""

    def __init__(self, folder: Path) -> None:
        import lancedb

        self.db = lancedb.connect(folder)
        self.rows = self.db.open_table("m") if (folder / "m.lance").exists() else None
        self.fresh = False

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        every = zip(ids, texts, vectors.tolist(), groups, strict=True)
        rows = [{"n": id_, "text": text, "vector": vector, "g": group} for id_, text, vector, group in every]
        if self.rows is None:
            self.rows = self.db.create_table("m", rows)
        else:
            self.rows.add(rows)
        self.fresh = True

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        if self.fresh:
            self.rows.create_fts_index("text", replace=True)
            self.fresh = False
        asked = self.rows.search(query_type="hybrid").vector(vector.tolist()).text(text)
        if group is not None:
            asked = asked.where(f"g = '{group}'", prefilter=True)
        return [int(row["n"]) for row in asked.limit(limit).to_list()]

    def delete(self, id_: int) -> None:
        self.rows.delete(f"n = {id_}")

    def count(self) -> int:
        return int(self.rows.count_rows())

    def close(self) -> None: ...


class Qdrant:
    """Its local mode, which is one process, and Python."""

    def __init__(self, folder: Path) -> None:
        from qdrant_client import QdrantClient, models

        self.models = models
        self.client = QdrantClient(path=str(folder))
        if not self.client.collection_exists("m"):
            size = models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)
            self.client.create_collection("m", vectors_config=size)

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        said = [{"text": text, "g": group} for text, group in zip(texts, groups, strict=True)]
        self.client.upsert("m", self.models.Batch(ids=list(ids), vectors=vectors.tolist(), payloads=said))

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        only = None
        if group is not None:
            mine = self.models.FieldCondition(key="g", match=self.models.MatchValue(value=group))
            only = self.models.Filter(must=[mine])
        found = self.client.query_points("m", query=vector.tolist(), query_filter=only, limit=limit, with_payload=False)
        return [int(point.id) for point in found.points]

    def delete(self, id_: int) -> None:
        self.client.delete("m", self.models.PointIdsList(points=[id_]))

    def count(self) -> int:
        return int(self.client.count("m").count)

    def close(self) -> None:
        self.client.close()


class SqliteVec:
    """Vectors and texts in one file, as its documentation joins them; a group is a partition."""

    def __init__(self, folder: Path) -> None:
        import sqlite_vec

        self.db = sqlite3.connect(folder / "m.db", timeout=30)
        self.db.enable_load_extension(True)
        sqlite_vec.load(self.db)
        self.db.execute("PRAGMA journal_mode=WAL")
        kind = f"g text partition key, e float[{DIMENSIONS}] distance_metric=cosine, +text text"
        self.db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS v USING vec0({kind})")
        self.db.commit()

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        rows = [(i, g, v.tobytes(), t) for i, g, v, t in zip(ids, groups, vectors, texts, strict=True)]
        with self.db:
            self.db.executemany("INSERT INTO v(rowid, g, e, text) VALUES (?, ?, ?, ?)", rows)

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        only, params = ("", ()) if group is None else (" AND g = ?", (group,))
        sql = f"SELECT rowid FROM v WHERE e MATCH ? AND k = ?{only} ORDER BY distance"
        return [row[0] for row in self.db.execute(sql, (vector.tobytes(), limit, *params))]

    def delete(self, id_: int) -> None:
        with self.db:
            self.db.execute("DELETE FROM v WHERE rowid = ?", (id_,))

    def count(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM v").fetchone()[0])

    def close(self) -> None:
        self.db.close()


class LangGraph:
    """Its store in memory, the one that comes with search; what lasts needs a database server."""

    def __init__(self, folder: Path) -> None:
        from langgraph.store.memory import InMemoryStore

        self.known: dict[str, Any] = {}
        self.store = InMemoryStore(index={"dims": DIMENSIONS, "embed": self._embed, "fields": ["text"]})
        self.held = 0

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.known[text].tolist() for text in texts]

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        from langgraph.store.base import PutOp

        self.known = dict(zip(texts, vectors, strict=True))
        every = zip(ids, texts, groups, strict=True)
        self.store.batch([PutOp(("m", group), str(id_), {"text": text}) for id_, text, group in every])
        self.held += len(ids)

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        self.known = {text: vector}
        where = ("m",) if group is None else ("m", group)
        return [int(item.key) for item in self.store.search(where, query=text, limit=limit)]

    def delete(self, id_: int) -> None:
        for item in self.store.search(("m",), limit=self.held):
            if item.key == str(id_):
                self.store.delete(item.namespace, item.key)

    def count(self) -> int:
        return self.held

    def close(self) -> None: ...


PEERS: dict[str, type[Any]] = {
    "recollect": Recollect,
    "chroma": Chroma,
    "lancedb": Lance,
    "qdrant": Qdrant,
    "sqlite-vec": SqliteVec,
    "langgraph": LangGraph,
}


def said(result: object) -> None:
    """Tell the parent."""
    print(json.dumps(result), flush=True)
