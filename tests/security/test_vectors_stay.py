"""A vector tells much of its text: none leaves in an answer, by any verb, interface, export or repr."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interfaces.rest_server import client
from interfaces.tool_reads import READING, arguments

import recollect
from recollect import Memory
from recollect.errors import AccessDenied, NotFound
from recollect.verbs.table import VERBS
from recollect.verbs.toolsets.run import answer, bound

TEXT = "Ana moved from vim to Helix"
# Verbs that read, each with arguments that find something. What is not here writes, or looks after the store.
READS: dict[str, dict[str, Any]] = {
    "search": {"query": "which editor?", "explain": True},
    "context": {"prompt": "which editor?"},
    "reason": {"question": "which editor does Ana use?"},
    "get": {"id": "$"},
    "get_all": {},
    "timeline": {"topic": "Helix"},
    "entity": {"name": "Ana"},
    "entities": {},
    "history": {"id": "$"},
    "operations": {},
    "related": {"id": "$"},
    "relations": {},
    "network": {},
    "topology": {},
    "explain": {"id": "$"},
    "assess": {"query": "which editor?"},
    "knowledge": {},
    "summaries": {},
    "gaps": {},
    "weak": {},
    "review": {},
    "stats": {},
    "health": {},
    "contradictions": {"id_or_text": "Ana uses vim"},
    "dependencies": {"id": "$"},
    "sessions.brief": {},
    "sessions.meter": {},
    "sessions.coverage": {},
    "sessions.learned": {},
    "bus.inbox": {},
    "bus.subscriptions": {},
    "bus.publications": {},
    "working.minds": {},
    "working.slots": {"session_id": "s1"},
    "working.state": {"session_id": "s1"},
    "turns.status": {},
    "skills.find": {"task": "which editor?"},
    "tools.find": {"need": "an editor"},
    "activity": {},
    "counts": {},
    "brief": {},
    "reflect": {},
}


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[tuple[Memory, str, list[np.ndarray]]]:
    with recollect.open(tmp_path / "memory.db", embedder="fake") as memory:
        id_ = memory.add(TEXT).id
        other = memory.add("Ana writes Rust in Helix").id
        memory.relate(id_, other, "causes")
        memory.settle()
        memory.search("Helix")
        indexes = list(memory._engine.indexes.vectors.values())
        vectors = [row for index in indexes for row in index.vectors(np.arange(1, 40)) if row.any()]
        assert vectors
        yield memory, id_, vectors


def holds_a_vector(data: Any, vectors: Sequence[np.ndarray]) -> bool:
    """Whether a row of numbers as long as a vector, an array, or the bytes of one are anywhere in it."""
    if isinstance(data, np.ndarray):
        return True
    if isinstance(data, bytes | bytearray):
        return any(row.astype(kind).tobytes() in bytes(data) for row in vectors for kind in ("<f4", "<f2"))
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return any(holds_a_vector(getattr(data, each.name, None), vectors) for each in dataclasses.fields(data))
    if isinstance(data, Mapping):
        return any(holds_a_vector(each, vectors) for each in data.values())
    if isinstance(data, list | tuple):
        many = sum(isinstance(each, float) for each in data)
        return many >= 16 or any(holds_a_vector(each, vectors) for each in data)
    return False


def test_the_search_for_vectors_finds_one(filled: tuple[Memory, str, list[np.ndarray]]) -> None:
    _, _, vectors = filled
    assert holds_a_vector({"a": [{"b": vectors[0].tolist()}]}, vectors)
    assert holds_a_vector([vectors[0]], vectors)
    assert holds_a_vector(b"xx" + vectors[0].astype("<f4").tobytes(), vectors)


@pytest.mark.parametrize("verb", READS)
def test_no_verb_answers_with_a_vector(filled: tuple[Memory, str, list[np.ndarray]], verb: str) -> None:
    memory, id_, vectors = filled
    given = {name: id_ if value == "$" else value for name, value in READS[verb].items()}
    for handle in (memory, memory.scoped()):
        found = attrgetter(verb)(handle)(**given)
        assert not holds_a_vector(found, vectors)
        assert not holds_a_vector(json.loads(json.dumps(_plain(found), default=str)), vectors)
        assert "array(" not in repr(found)


def test_every_verb_that_reads_is_tried() -> None:
    verbs = {each.method or each.name for each in VERBS if not each.writes}
    reading = {verb for verb in verbs if not verb.startswith("code.")}  # a graph of code has no vectors
    beside = {
        "turns.recall",
        "path",
        "observed",
        "questions",
        "screen",
        "doctor",
        "backups",
        "export",
        "audit",
        "audit_verify",
        "erasure_verify",
        "reveal",
    }
    assert reading - beside <= READS.keys()


def _plain(found: Any) -> Any:
    if isinstance(found, list | tuple):
        return [_plain(each) for each in found]
    return found.to_dict() if hasattr(found, "to_dict") else found


@pytest.mark.parametrize("name", READING)
def test_no_tool_of_a_model_answers_with_a_vector(filled: tuple[Memory, str, list[np.ndarray]], name: str) -> None:
    memory, id_, vectors = filled
    with suppress(NotFound):  # no entity of that name, no code
        given = arguments(READING[name], id_, "Helix")
        assert not holds_a_vector(answer(READING[name], given, bound(memory)).data, vectors)


def test_nothing_over_http_is_a_vector(tmp_path: Path) -> None:
    with client(tmp_path / "memory.db") as server:
        id_ = server.post("/v1/memories", json={"content": TEXT}).json()["ids"][0]
        got = [server.get(f"/v1/{path}") for path in ("memories", f"memories/{id_}", "entities", "stats", "health")]
        got.append(server.get(f"/v1/memories/{id_}/history"))
        got.append(server.post("/v1/memories/search", json={"query": "editor", "explain": True}))
        got.append(server.post("/v1/context", json={"prompt": "which editor?"}))
        paths = server.get("/openapi.json").json()["paths"]
        for verb, given in READS.items():
            if f"/v1/verbs/{verb}" in paths:
                named = {name: id_ if value == "$" else value for name, value in given.items()}
                got.append(server.post(f"/v1/verbs/{verb}", json=named))
        assert len(got) >= 16
        for answered in got:
            assert answered.status_code == 200, answered.text
            assert not holds_a_vector(answered.json(), []), answered.url


def test_exports_have_no_vectors_unless_the_owner_asks_for_them(
    filled: tuple[Memory, str, list[np.ndarray]], tmp_path: Path
) -> None:
    """Whoever has them can make much of the texts again: they go out for the owner, by a word of the owner."""
    memory, _, vectors = filled
    memory.export(tmp_path / "out.md", format="markdown")
    memory.export(tmp_path / "out.jsonl")
    for name in ("out.md", "out.jsonl"):
        assert not holds_a_vector((tmp_path / name).read_bytes(), vectors)
        assert not _encoded(tmp_path / name, vectors)
    with pytest.raises(AccessDenied):
        memory.scoped().export(tmp_path / "theirs.jsonl", vectors=True)
    assert not (tmp_path / "theirs.jsonl").exists()
    memory.export(tmp_path / "whole.jsonl", vectors=True)
    assert '"vector' in (tmp_path / "whole.jsonl").read_text()


def _encoded(path: Path, vectors: Sequence[np.ndarray]) -> bool:
    written = path.read_text()
    return any(
        base64.b64encode(row.astype(kind).tobytes()).decode()[:32] in written
        for row in vectors
        for kind in ("<f4", "<f2")
    )
