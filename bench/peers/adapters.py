"""Each library as its own documentation uses it, behind one shape: open, add, search, delete, close.

Run in that library's environment, so nothing here imports ours at the top. `group` is whose a text is. Libraries that
insist on embedding texts themselves get an embedder that looks up the vectors that all get.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

DIMENSIONS = 256
EVERYBODY = "everybody"
NO_TALK = "g0"  # the group of texts that are no turns
_TURN = re.compile(r"(\d{4}-\d\d-\d\d) ([^:]+): (.+)", re.DOTALL)
_LATER_S = 3_600  # after opening, until when upkeep that was put off waits
_WIDE = 1_000  # candidates of an index that filters after it searched


class Peer(Protocol):
    portion: int = 500  # texts that are handed over at once

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None: ...

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]: ...

    def delete(self, id_: int) -> None: ...

    def count(self) -> int: ...

    def keep(self) -> None:
        """Write what was added to disk, for libraries that do so only when they are told."""

    def rest(self, seconds: float) -> bool:
        """Wait for what the library goes on to do with what was added; False where it was not done and put off."""
        return True

    def close(self) -> None: ...


class Lookup:
    """An embedder that knows the vectors of the texts at hand."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def know(self, texts: Sequence[str], vectors: Any) -> None:
        self._known = dict(zip(texts, vectors, strict=True))

    def of(self, texts: Sequence[str]) -> Any:
        """A row for each text; for one never given (a word that a library took out of a text), one of zeros."""
        return np.stack([self._known.get(text, _NOTHING) for text in texts])


_NOTHING = np.zeros(DIMENSIONS, np.float32)


class Loop:
    """An event loop in a thread, for libraries that are asynchronous and go on in the background."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def sqlite_with_extensions() -> Any:
    """`sqlite3` that loads extensions: many Pythons are built without, and `sqlean.py` brings one with."""
    import sqlite3

    with sqlite3.connect(":memory:") as probe:
        if hasattr(probe, "enable_load_extension"):
            return sqlite3
    import sqlean

    for name in set(dir(sqlite3)) - set(dir(sqlean.dbapi2)):
        setattr(sqlean.dbapi2, name, getattr(sqlite3, name))  # newer Pythons have more constants
    sys.modules["sqlite3"] = sys.modules["sqlite3.dbapi2"] = sqlean.dbapi2
    return sqlean.dbapi2


class Recollect(Peer):
    """Ours, with the static model, which gives the same vectors."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "m.db"
        self._open({})

    def _open(self, config: dict[str, Any]) -> None:
        import recollect

        self.mem = recollect.open(self.place, embedder="static", config=config)

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

    def rest(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while any(self.mem.stats()["jobs"].get(state) for state in ("ready", "running")):
            if time.monotonic() > end:
                self.mem.close()
                self._open({"jobs.start_delay_s": _LATER_S})
                while not self.mem.health()["indexes_warm"]:
                    time.sleep(0.2)
                return False
            time.sleep(0.2)
        return True

    def close(self) -> None:
        self.mem.close()


class RecollectMessages(Recollect):
    """Ours, with turns of a chat as messages: who said it and when are fields, not words of the text."""

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        sessions: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for id_, text, group in zip(ids, texts, groups, strict=True):
            item: dict[str, Any] = {"metadata": {"n": id_}}
            day = ""
            if group != NO_TALK and (turn := _TURN.fullmatch(text)):
                day, name, said = turn.groups()
                item |= {"role": "user", "name": name, "content": said, "timestamp": day}
            sessions.setdefault((group, day), []).append(item if day else item | {"content": text})
        for (group, day), items in sessions.items():
            self.mem.add(items, user_id=group, infer=False, session_id=f"{group} {day}" if day else None)


class Chroma(Peer):
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


class Lance(Peer):
    """Hybrid: its full text search and vectors, fused by its own RRF. Indexes are made once after the first fill."""

    def __init__(self, folder: Path) -> None:
        import lancedb
        import pyarrow as pa

        vector = pa.list_(pa.float32(), DIMENSIONS)
        schema = pa.schema({"n": pa.int64(), "text": pa.string(), "vector": vector, "g": pa.string()})
        self.rows = lancedb.connect(folder).create_table("m", schema=schema, exist_ok=True)
        self.fresh = False

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        every = zip(ids, texts, vectors.tolist(), groups, strict=True)
        self.rows.add([{"n": id_, "text": text, "vector": vector, "g": group} for id_, text, vector, group in every])
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


class Qdrant(Peer):
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


class SqliteVec(Peer):
    """Vectors and texts in one file, as its documentation joins them; a group is a partition."""

    def __init__(self, folder: Path) -> None:
        import sqlite_vec

        self.db = sqlite_with_extensions().connect(folder / "m.db", timeout=30)
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


class LangGraph(Peer):
    """Its store in memory, the one that comes with search; what lasts needs a database server."""

    def __init__(self, folder: Path) -> None:
        from langgraph.store.memory import InMemoryStore

        self.lookup = Lookup()
        embed: Any = {"dims": DIMENSIONS, "embed": lambda texts: self.lookup.of(texts).tolist(), "fields": ["text"]}
        self.store = InMemoryStore(index=embed)
        self.held = 0

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        from langgraph.store.base import PutOp

        self.lookup.know(texts, vectors)
        every = zip(ids, texts, groups, strict=True)
        self.store.batch([PutOp(("m", group), str(id_), {"text": text}) for id_, text, group in every])
        self.held += len(ids)

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        self.lookup.know([text], [vector])
        where = ("m",) if group is None else ("m", group)
        return [int(item.key) for item in self.store.search(where, query=text, limit=limit)]

    def delete(self, id_: int) -> None:
        for item in self.store.search(("m",), limit=self.held):
            if item.key == str(id_):
                self.store.delete(item.namespace, item.key)

    def count(self) -> int:
        return self.held

    def close(self) -> None: ...


class Mem0(Peer):
    """With its default store (Qdrant's local mode), and no model that rewrites: `infer=False`."""

    portion: int = 10  # it takes one at a time

    def __init__(self, folder: Path) -> None:
        os.environ |= {"MEM0_DIR": str(folder / "home"), "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
        from mem0 import Memory

        store = {"path": str(folder / "vectors"), "on_disk": True, "embedding_model_dims": DIMENSIONS}
        history = str(folder / "history.db")
        config = {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": history}
        self.memory = Memory.from_config(config)
        self.memory.embedding_model = self
        self.lookup = Lookup()
        self.named: dict[int, str] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        found: list[float] = self.lookup.of([text])[0].tolist()
        return found

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        found: list[list[float]] = self.lookup.of(texts).tolist()
        return found

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        self.lookup.know(texts, vectors)
        for id_, text, group in zip(ids, texts, groups, strict=True):
            whose = {"user_id": group, "agent_id": EVERYBODY}
            done = self.memory.add(text, infer=False, metadata={"n": id_}, **whose)
            self.named[id_] = done["results"][0]["id"]

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        self.lookup.know([text], [vector])
        whose = {"agent_id": EVERYBODY} if group is None else {"user_id": group}
        return [hit["metadata"]["n"] for hit in self.memory.search(text, top_k=limit, filters=whose)["results"]]

    def delete(self, id_: int) -> None:
        self.memory.delete(self.named[id_])

    def count(self) -> int:
        return int(self.memory.vector_store.client.count("mem0").count)

    def close(self) -> None:
        self.memory.vector_store.client.close()


class Txtai(Peer):
    """Hybrid, with texts beside. It writes files when it is told to save, so whoever wants to keep a portion saves."""

    lookup = Lookup()

    def __init__(self, folder: Path) -> None:
        os.environ["ALLOW_RESOLVE_TRANSFORM"] = "True"
        from txtai import Embeddings

        self.folder = folder / "index"
        transform = {"method": "external", "transform": f"{Txtai.__module__}.txtai_vectors"}
        self.rows = Embeddings(content=True, hybrid=True, **transform)
        if self.rows.exists(str(self.folder)):
            self.rows.load(str(self.folder))

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        self.lookup.know(texts, vectors)
        every = zip(ids, texts, groups, strict=True)
        self.rows.upsert([(id_, {"text": text, "g": group}, None) for id_, text, group in every])

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        self.lookup.know([text], [vector])
        wide, only = (limit, "") if group is None else (_WIDE, " and g = :group")
        sql = f"select id, score from txtai where similar(:text, {wide}){only}"
        found = self.rows.search(sql, limit, parameters={"text": text, "group": group})
        return [int(row["id"]) for row in found]

    def delete(self, id_: int) -> None:
        self.rows.delete([id_])
        self.keep()

    def count(self) -> int:
        return int(self.rows.count()) if self.rows.config and self.folder.exists() else 0

    def keep(self) -> None:
        self.rows.save(str(self.folder))

    def close(self) -> None:
        self.rows.close()


def txtai_vectors(texts: Sequence[str]) -> Any:
    """What txtai calls for vectors, by its name."""
    return Txtai.lookup.of(texts)


class BasicMemory(Peer):
    """Its tools called in the process: a note in Markdown for each text, and a hybrid search of them."""

    portion: int = 10  # it takes one at a time

    def __init__(self, folder: Path) -> None:
        os.environ |= {"HOME": str(folder / "home"), "BASIC_MEMORY_HOME": str(folder / "notes")}
        os.environ |= {"BASIC_MEMORY_CONFIG_DIR": str(folder / "config"), "BASIC_MEMORY_LOG_LEVEL": "ERROR"}
        os.environ |= {"BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": str(DIMENSIONS)}
        os.environ |= {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "true"}
        sqlite_with_extensions()
        from basic_memory.config import ConfigManager
        from basic_memory.mcp.tools import delete_note, search_notes, write_note
        from basic_memory.repository import embedding_provider_factory as factory
        from basic_memory.services.initialization import initialize_app
        from loguru import logger

        logger.remove()
        for place in ("home", "notes", "config"):
            (folder / place).mkdir(exist_ok=True)
        self.loop = Loop()
        self.write_note, self.search_notes, self.delete_note = write_note, search_notes, delete_note
        self.vectors: dict[str, Any] = {}
        config = ConfigManager().config
        factory._EMBEDDING_PROVIDER_CACHE[factory._provider_cache_key(config)] = self
        self.loop.wait(initialize_app(config))
        self.database = folder / "config" / "memory.db"

    model_name, dimensions = "given", DIMENSIONS

    def runtime_log_attrs(self) -> dict[str, Any]:
        return {}

    async def embed_query(self, text: str) -> list[float]:
        found: list[float] = self.vectors["asked"].tolist()
        return found

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A piece of a note starts with its title, which tells whose vector it is."""
        titles = [re.search(r"note\d+", text) for text in texts]
        return [(self.vectors[title.group()] if title else _NOTHING).tolist() for title in titles]

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        for id_, text, vector, group in zip(ids, texts, vectors, groups, strict=True):
            self.vectors[f"note{id_}"] = vector
            note = {"title": f"note{id_}", "content": text, "directory": group, "metadata": {"whose": group}}
            self._call(self.write_note, **note)

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        self.vectors["asked"] = vector
        only = {} if group is None else {"metadata_filters": {"whose": group}}
        found = self._call(self.search_notes, query=text, page_size=limit, search_type="hybrid", **only)
        return [int(row["title"].removeprefix("note")) for row in found["results"]]

    def delete(self, id_: int) -> None:
        self._call(self.delete_note, identifier=f"note{id_}")

    def count(self) -> int:
        """By its database, which has a note before the file of that note is written."""
        with sqlite_with_extensions().connect(self.database) as database:
            return int(database.execute("SELECT count(*) FROM entity").fetchone()[0])

    def _call(self, tool: Any, **arguments: Any) -> Any:
        found = self.loop.wait(tool(project="main", output_format="json", **arguments))
        if not isinstance(found, dict) or found.get("error"):
            raise ValueError(f"{tool.__name__}: {found}"[:300])
        return found


class McpMemoryService(Peer):
    """The storage under its server, in portions; a group is one of its stores. Its search by meaning, the default."""

    def __init__(self, folder: Path) -> None:
        os.environ |= {"HOME": str(folder / "home"), "MCP_MEMORY_BASE_DIR": str(folder)}
        sqlite_with_extensions()
        from mcp_memory_service.models.memory import Memory
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        lookup = self.lookup = Lookup()

        class Given(SqliteVecMemoryStorage):  # type: ignore[misc]
            async def _initialize_embedding_model(self) -> None:
                self.embedding_model, self.embedding_dimension = self, DIMENSIONS

            def encode(self, texts: Sequence[str], convert_to_numpy: bool = True) -> Any:
                return lookup.of(texts)

        self.memory, self.loop = Memory, Loop()
        self.storage = Given(str(folder / "m.db"))
        self.loop.wait(self.storage.initialize())

    def add(self, ids: Sequence[int], texts: Sequence[str], vectors: Any, groups: Sequence[str]) -> None:
        self.lookup.know(texts, vectors)
        by_group: dict[str, list[Any]] = {}
        for id_, text, group in zip(ids, texts, groups, strict=True):
            memory = self.memory(text, self._hash(id_), metadata={"n": id_})
            by_group.setdefault(group, []).append(memory)
        for group, memories in by_group.items():
            told = self.loop.wait(self.storage.store_batch(memories, store=group))
            if refused := [why for done, why in told if not done]:
                raise ValueError(refused[0])

    def search(self, text: str, vector: Any, group: str | None, limit: int) -> list[int]:
        self.lookup.know([text], [vector])
        found = self.loop.wait(self.storage.retrieve(text, limit, store=group))
        return [hit.memory.metadata["n"] for hit in found]

    def delete(self, id_: int) -> None:
        self.loop.wait(self.storage.delete(self._hash(id_)))

    def count(self) -> int:
        return int(self.loop.wait(self.storage.count_all_memories(store=None)))

    def close(self) -> None:
        self.loop.wait(self.storage.close())

    @staticmethod
    def _hash(id_: int) -> str:
        """Of the number, since texts may be the same and all shall be kept."""
        return hashlib.sha256(str(id_).encode()).hexdigest()


PEERS: dict[str, type[Any]] = {
    "recollect": Recollect,
    "recollect:messages": RecollectMessages,
    "chroma": Chroma,
    "lancedb": Lance,
    "qdrant": Qdrant,
    "sqlite-vec": SqliteVec,
    "langgraph": LangGraph,
    "mem0": Mem0,
    "txtai": Txtai,
    "basic-memory": BasicMemory,
    "mcp-memory-service": McpMemoryService,
}
