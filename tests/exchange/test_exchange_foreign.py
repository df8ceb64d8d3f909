"""What other programs exported becomes records like any other, once, whoever they were said to be for."""

from __future__ import annotations

import io
import json
import random
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from properties.tables import counts, open_quick

from recollect.errors import ContentTooLarge, RecollectError, UsageError
from recollect.memory import Memory
from recollect.model.record import Record

MEM0 = {
    "results": [
        {
            "id": "m1",
            "memory": "Ana prefers green tea",
            "user_id": "ana",
            "metadata": {"team": "core"},
            "created_at": "2025-01-02T03:04:05-07:00",
            "updated_at": "2025-02-02T00:00:00Z",
            "categories": ["food"],
        },
        {"id": "m2", "memory": "Ben plays the cello", "user_id": "ben", "run_id": "r1"},
        {"id": "m3", "memory": ""},
    ]
}
GRAPH = {
    "episodes": [
        {
            "uuid": "e1",
            "content": "I joined Acme last week",
            "role_type": "user",
            "role": "Ana",
            "created_at": "2024-05-01T00:00:00Z",
            "thread_id": "t1",
        }
    ],
    "nodes": [{"uuid": "n1", "name": "Ana", "summary": "An engineer from Porto."}, {"uuid": "n2", "name": "Acme"}],
    "edges": [
        {
            "uuid": "x1",
            "fact": "Ana works at Acme",
            "name": "WORKS_AT",
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
            "valid_at": "2024-05-01T00:00:00Z",
            "invalid_at": "2025-05-01T00:00:00Z",
            "episodes": ["e1"],
        }
    ],
}
REFERENCE = [
    {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["keeps bees", "Ana speaks Welsh"]},
    {"type": "relation", "from": "Ana", "to": "Acme", "relationType": "works_at"},
]
CHATGPT = [
    {
        "title": "Trip",
        "conversation_id": "c1",
        "current_node": "b",
        "mapping": {
            "r": {"message": None, "parent": None, "children": ["s"]},
            "s": {
                "message": {"id": "ms", "author": {"role": "system"}, "content": {"parts": ["You are helpful"]}},
                "parent": "r",
                "children": ["h"],
            },
            "h": {
                "message": {
                    "id": "mh",
                    "author": {"role": "user"},
                    "content": {"parts": ["About me: secret"]},
                    "metadata": {"is_visually_hidden_from_conversation": True},
                },
                "parent": "s",
                "children": ["a"],
            },
            "a": {
                "message": {
                    "id": "ma",
                    "author": {"role": "user"},
                    "create_time": 1714550000.5,
                    "content": {"content_type": "text", "parts": ["Plan a trip to Porto"]},
                },
                "parent": "h",
                "children": ["x", "b"],
            },
            "x": {
                "message": {"id": "mx", "author": {"role": "assistant"}, "content": {"parts": ["An earlier attempt"]}},
                "parent": "a",
                "children": [],
            },
            "b": {
                "message": {"id": "mb", "author": {"role": "assistant"}, "content": {"parts": ["Porto is lovely"]}},
                "parent": "a",
                "children": [],
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": "k1",
        "name": "Family",
        "chat_messages": [
            {"uuid": "u1", "sender": "human", "text": "My sister is called Eva", "created_at": "2025-02-01T10:00:00Z"},
            {"uuid": "u2", "sender": "assistant", "text": "A nice name"},
        ],
    }
]
LOG = [{"role": "user", "content": "hello there"}, {"role": "assistant", "content": "good morning"}]


def as_lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def as_zip(values: Any, name: str = "conversations.json") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr(name, json.dumps(values))
    return out.getvalue()


def stored(mem: Memory) -> dict[str, Record]:
    found = mem.get_all(reach="all", limit=100, filters=None)
    return {record.content: record for record in found if record.source != "statement"}


SAMPLES: dict[str, tuple[bytes, int]] = {
    "mem0": (json.dumps(MEM0).encode(), 2),
    "mem0 lines": (as_lines(MEM0["results"][:2]), 2),
    "mem0 list": (json.dumps(MEM0["results"]).encode(), 2),
    "graphiti": (json.dumps(GRAPH).encode(), 3),
    "reference": (as_lines(REFERENCE), 4),
    "chatgpt": (json.dumps(CHATGPT).encode(), 2),
    "chatgpt zip": (as_zip(CHATGPT), 2),
    "claude": (json.dumps(CLAUDE).encode(), 2),
    "claude zip": (as_zip(CLAUDE, "data/conversations.json"), 2),
    "log": (as_lines(LOG), 2),
    "utf-16": (json.dumps(CLAUDE).encode("utf-16"), 2),
    "utf-8 with a mark": (b"\xef\xbb\xbf" + as_lines(LOG), 2),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_is_known_by_what_it_holds_and_imported_once(memory: Memory, name: str, tmp_path: Path) -> None:
    data, count = SAMPLES[name]
    report = memory.import_(io.BytesIO(data), dry_run=True)
    assert (report["count"], report["dry_run"]) == (count, True)
    assert not stored(memory)
    assert memory.import_(io.BytesIO(data))["count"] == count
    before = counts(tmp_path / "m.db")
    again = memory.import_(io.BytesIO(data))
    assert (again["count"], again.operation) == (0, None)
    assert counts(tmp_path / "m.db") == before


@pytest.mark.parametrize("name", SAMPLES)
def test_one_undo_takes_it_back_and_it_can_come_again(memory: Memory, name: str) -> None:
    data, count = SAMPLES[name]
    report = memory.import_(io.BytesIO(data))
    assert report.operation is not None
    memory.undo(report.operation)
    assert not memory.get_all(reach="all")
    assert memory.import_(io.BytesIO(data))["count"] == count


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_escapes_the_scope_of_a_handle(memory: Memory, name: str) -> None:
    zoe = memory.scoped(user_id="zoe")
    zoe.import_(io.BytesIO(SAMPLES[name][0]))
    assert {record.scope.key for record in memory.get_all(reach="all", limit=100)} == {zoe._scope.key}


def test_mem0_keeps_times_tags_ids_and_people(memory: Memory) -> None:
    memory.import_(io.BytesIO(SAMPLES["mem0"][0]))
    tea = stored(memory)["Ana prefers green tea"]
    assert tea.scope.user_id == "ana"
    assert tea.tags == ("food",)
    assert tea.metadata == {"team": "core", "original_id": "m1", "updated_at": "2025-02-02T00:00:00Z"}
    assert tea.event_time is not None
    assert tea.event_time.isoformat() == "2025-01-02T10:04:05+00:00"
    assert tea.source == "import:mem0"
    assert tea.confidence == memory.config.security.import_confidence_max
    assert stored(memory)["Ben plays the cello"].session_id == "r1"


def test_a_date_in_the_future_is_not_believed(memory: Memory) -> None:
    report = memory.import_(io.BytesIO(b'[{"memory": "Ana lands on Mars", "created_at": "2999-01-01T00:00:00Z"}]'))
    assert any("future" in each for each in report.warnings)
    assert stored(memory)["Ana lands on Mars"].event_time is None


def test_facts_of_a_graph_keep_the_time_in_which_they_held(memory: Memory) -> None:
    memory.import_(io.BytesIO(SAMPLES["graphiti"][0]))
    [fact] = memory.search("where does Ana work?", as_of="2024-08-01", kinds=["semantic"]).hits[:1]
    assert fact.content == "Ana works at Acme"
    assert fact.valid_until is not None
    assert fact.valid_until.year == 2025
    record = memory.get(fact.id)
    assert record is not None
    assert (record.subject, record.predicate, record.object) == ("Ana", "WORKS_AT", "Acme")
    assert stored(memory)["I joined Acme last week"].session_id == "t1"
    assert "Ana: An engineer from Porto." in stored(memory)


def test_observations_say_of_whom_they_are(memory: Memory) -> None:
    memory.import_(io.BytesIO(SAMPLES["reference"][0]))
    assert set(stored(memory)) == {"Ana (person)", "Ana: keeps bees", "Ana speaks Welsh", "Ana works at Acme"}
    relation = stored(memory)["Ana works at Acme"]
    assert (relation.subject, relation.predicate, relation.object) == ("Ana", "works_at", "Acme")


def test_of_a_tree_of_attempts_the_branch_counts_that_was_shown(memory: Memory) -> None:
    memory.import_(io.BytesIO(SAMPLES["chatgpt"][0]))
    assert set(stored(memory)) == {"Plan a trip to Porto", "Porto is lovely"}
    assert {record.session_id for record in stored(memory).values()} == {"c1"}


def test_a_longer_export_of_the_same_conversation_brings_what_is_new(memory: Memory) -> None:
    memory.import_(io.BytesIO(json.dumps(CLAUDE).encode()))
    longer = json.loads(json.dumps(CLAUDE))
    longer[0]["chat_messages"].append({"uuid": "u3", "sender": "human", "text": "She lives in Lisbon"})
    assert memory.import_(io.BytesIO(json.dumps(longer).encode()))["count"] == 1


def test_a_cycle_in_a_tree_ends(memory: Memory) -> None:
    said = {"a": "round", "b": "and round"}
    tree = {
        key: {"message": {"author": {"role": "user"}, "content": {"parts": [text]}}, "parent": "ba"[key == "b"]}
        for key, text in said.items()
    }
    memory.import_(io.BytesIO(json.dumps([{"mapping": tree, "current_node": "a"}]).encode()))
    assert set(stored(memory)) == {"round", "and round"}


BAD: dict[str, bytes] = {
    "empty": b"",
    "blank": b"  \n ",
    "not json": b"hello world",
    "broken line": as_lines(LOG) + b'{"role": "user"\n',
    "a number": b"42",
    "a list of numbers": b"[1, 2, 3]",
    "nothing in it": b"[]",
    "deep": b"[" * 100_000,
    "deep object": b'{"a":' * 100_000,
    "latin-1": b'[{"role": "user", "content": "caf\xe9"}]',
    "half a character": b'[{"role": "user", "content": "\\ud800"}]',
    "unknown": b'[{"colour": "red"}]',
    "no conversations": as_zip([1], "other.json"),
    "damaged zip": as_zip(CLAUDE)[:200],
    "zip that leads up": as_zip(CLAUDE, "../../conversations.json"),
    "empty memories": b'{"results": [{"memory": " "}]}',
}


@pytest.mark.parametrize("name", BAD)
def test_malformed_files_are_refused_and_change_nothing(memory: Memory, tmp_path: Path, name: str) -> None:
    before = counts(tmp_path / "m.db")
    with pytest.raises(UsageError):
        memory.import_(io.BytesIO(BAD[name]))
    assert counts(tmp_path / "m.db") == before


def test_the_line_is_named(memory: Memory) -> None:
    with pytest.raises(UsageError, match="line 3 is not JSON"):
        memory.import_(io.BytesIO(BAD["broken line"]))


@pytest.mark.parametrize("format", ["mem0", "graphiti", "reference", "chat"])
@pytest.mark.parametrize(
    "data",
    [
        b'[1, null, [], {}, "x"]',
        b'{"results": 7, "mapping": [], "entities": {}}',
        b'[{"memory": 7, "id": {}, "fact": [], "type": "entity", "name": 1e400}]',
        b'[{"mapping": {"a": 7, "b": {"message": 8}}}]',
    ],
)
def test_any_json_as_any_format_is_read_or_refused(memory: Memory, format: str, data: bytes) -> None:
    try:
        memory.import_(io.BytesIO(data), format=format)
    except UsageError:
        assert not memory.get_all(reach="all")


def test_what_is_too_large_for_a_record_is_left_out_and_told(memory: Memory) -> None:
    bad = [MEM0["results"][0], {"memory": "x", "metadata": {"big": "y" * 100_000}}, {"memory": "z" * 20_000}]
    report = memory.import_(io.BytesIO(json.dumps(bad).encode()))
    assert (report["imported"], report["rejected_size"], report["skipped_count"]) == (1, 2, 2)
    assert [each.partition(" ")[0] for each in report["skipped"]] == ["item", "item"]
    assert len(memory.get_all(reach="all")) == 1


def test_what_was_stored_before_a_failure_is_taken_back(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    ingest = memory._opened.ingest
    really, calls = ingest.add, []

    def failing(*args: Any, **more: Any) -> Any:
        calls.append(more["scope"])
        if len(calls) == 2:
            raise RecollectError("the disk is gone")
        return really(*args, **more)

    monkeypatch.setattr(ingest, "add", failing)
    with pytest.raises(RecollectError, match="disk"):
        memory.import_(io.BytesIO(SAMPLES["mem0"][0]))
    assert len(calls) == 2
    assert not memory.get_all(reach="all")


def test_a_bomb_is_not_unpacked(memory: Memory) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b" " * (64 << 20))
    with pytest.raises(ContentTooLarge, match="would grow"):
        memory.import_(io.BytesIO(out.getvalue()))


PACKED = """
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
    for at in range(60):
        archive.writestr(f"a{at}/conversations.json", b"[" + b"{}," * 100000 + b"{}]")
data = out.getvalue()
"""
BOMBS = {
    "small members": PACKED,
    "a list of nothing": 'data = b"[" + b"{}," * 6000000 + b"{}]"',
    "a list in an object": "data = b'{\"results\": [' + b'{},' * 6000000 + b'{}]}'",
    "lines of nothing": 'data = b"{}\\n" * 22000000',
    "memories of a letter": "data = b'[' + b'{\"memory\":\"a\"},' * 4000000 + b'{}]'",
}
PROGRAM = """
import io, resource, zipfile, recollect
{made}
memory = recollect.open(":memory:", embedder=None)
memory.add("warm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    memory.import_(io.BytesIO(data), format="mem0")
except recollect.errors.ContentTooLarge as error:
    print("refused", error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(
    ("bomb", "megabytes"),
    [
        ("small members", 200),
        ("a list of nothing", 200),
        ("a list in an object", 200),
        pytest.param("lines of nothing", 200, marks=pytest.mark.slow),
        pytest.param("memories of a letter", 600, marks=pytest.mark.slow),
    ],
)
def test_a_file_that_unfolds_in_memory_is_refused_early(bomb: str, megabytes: int) -> None:
    """What it takes above the file itself. The last one is a file of that many memories until there are too many."""
    program = PROGRAM.format(made=BOMBS[bomb])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240, check=True)
    refused, grown = done.stdout.splitlines()
    assert refused.startswith("refused [E4004]")
    assert int(grown) < megabytes


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_archive_ends_in_our_errors(memory: Memory, seed: int) -> None:
    chance = random.Random(seed)
    whole = as_zip(CLAUDE)
    for _ in range(25):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(4, len(data))] = chance.randrange(256)
        try:
            memory.import_(io.BytesIO(bytes(data)), dry_run=True)
        except UsageError:
            assert not memory.get_all(reach="all")


def test_an_archive_that_lists_too_many_members_is_not_read(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.exchange.formats import archive

    monkeypatch.setattr(archive, "ARCHIVE_LIST_BYTES_MAX", 50)
    with pytest.raises(ContentTooLarge, match="members"):
        memory.import_(io.BytesIO(as_zip(CLAUDE)))


def test_an_archive_packed_in_an_unusual_way_is_not_unpacked(memory: Memory) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("conversations.json", json.dumps(CLAUDE))
    with pytest.raises(UsageError, match="unusual"):
        memory.import_(io.BytesIO(out.getvalue()))


def test_a_header_that_lies_about_a_size_does_not_help_a_bomb(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.exchange.formats import archive

    monkeypatch.setattr(archive, "IMPORT_BYTES_MAX", 1000)
    long = [{"uuid": "k", "chat_messages": [{"sender": "human", "text": "word " * 1000}]}]
    with pytest.raises(ContentTooLarge, match="more than 1000 bytes"):
        memory.import_(io.BytesIO(as_zip(long)))


def test_chats_are_read_for_statements_like_any_other(tmp_path: Path) -> None:
    with open_quick(tmp_path / "s.db") as mem:
        mem.import_(io.BytesIO(SAMPLES["claude"][0]), user_id="ana")
        mem.settle()
        drawn = [record.content for record in mem.get_all(user_id="ana", kinds=["semantic"])]
    assert any("Eva" in content for content in drawn)


# --- stores of other designs ------------------------------------------------------------------------------------------

RFC_NODES = {
    "ctf": {
        "id": "ctf",
        "content": "Traces are written in CTF",
        "created_at": "2025-01-02T03:04:05",
        "updated_at": "2025-01-02T03:04:05",
        "spatial": {
            "position_type": "document",
            "file_path": "docs/trace.md",
            "section_path": ["Traces", "Format"],
            "heading_level": 2,
            "line_range": [0, 0],
        },
        "facets": {
            "diataxis_type": "reference",
            "primary_persona": None,
            "verification_state": "verified",
            "confidence": "high",
            "domain_tags": ["tracing"],
        },
    },
    "json": {
        "id": "json",
        "content": "Traces were JSON once",
        "created_at": "",
        "updated_at": "",
        "spatial": None,
        "facets": None,
    },
}
RFC_EDGES = [
    {
        "source_id": "ctf",
        "target_id": "json",
        "relation": "supersedes",
        "confidence": 0.9,
        "evidence": "said so",
        "auto_extracted": True,
        "timestamp": "2025-01-02T03:04:05",
    },
    {"source_id": "ctf", "target_id": "json", "relation": "contradicts"},
    {"source_id": "json", "target_id": "ctf", "relation": "contradicts"},
    {"source_id": "ctf", "target_id": "reader", "relation": "depends_on"},
    {"source_id": "reader", "target_id": "ctf", "relation": "depends_on"},
    {"source_id": "ctf", "target_id": "ctf", "relation": "supports"},
]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    folder = tmp_path / "unified"
    folder.mkdir()
    (folder / "nodes.json").write_text(json.dumps(RFC_NODES))
    (folder / "graph.json").write_text(json.dumps({"edges": RFC_EDGES}))
    return folder


def test_a_folder_that_rfc_014_saved_is_imported_once(memory: Memory, saved: Path) -> None:
    seen = memory.import_(saved, dry_run=True)
    assert memory.get_all().records == ()
    done = memory.import_(saved)
    assert done["format"] == "topology"
    assert any("edge 6" in each for each in done.warnings)
    record = memory.get("ctf")
    assert record is not None
    assert record.place is not None
    assert (record.content, record.place.section_path) == ("Traces are written in CTF", ("Traces", "Format"))
    labels = sorted(edge.label for edge in memory.related("ctf", depth=2).edges)
    assert labels == ["contradicts", "supersedes"]  # the reader is only awaited
    before = memory.stats().figures
    again = memory.import_(saved / "nodes.json")
    after = memory.stats().figures
    assert (after["records"], after["edges"]) == (before["records"], before["edges"])
    assert (again["count"], seen["format"]) == (0, "topology")
    assert done.operation is not None
    memory.undo(done.operation)
    assert memory.get_all().records == ()


def test_a_folder_of_rfc_014_is_taken_over_by_its_profile(saved: Path) -> None:
    from recollect.compat.topology import UnifiedMemoryStore

    with UnifiedMemoryStore.load(saved, embedder="fake") as store:
        assert store.taken_over is not None
        node = store.get_node("ctf")
        assert node is not None
        assert node.facets is not None
        assert (node.facets.domain_tags, node.created_at) == (("tracing",), "2025-01-02T03:04:05")
        assert [(edge.target_id, edge.relation.value) for edge in node.outgoing_edges] == [
            ("json", "supersedes"),
            ("json", "contradicts"),
            ("reader", "depends_on"),
        ]
        assert [each.id for each in store.query_by_section("format")] == ["ctf"]
        store.memory.delete("json")
    with UnifiedMemoryStore.load(saved, embedder="fake") as store:
        assert store.taken_over is None
        assert store.get_node("json") is None  # what was deleted since does not come back


@pytest.mark.parametrize("bad", ["[]", "{", '{"a": 7}', '{"a": {"id": "a", "content": ""}}'])
def test_a_folder_that_cannot_be_read_leaves_no_empty_store(saved: Path, bad: str) -> None:
    from recollect.compat.topology import UnifiedMemoryStore

    (saved / "nodes.json").write_text(bad)
    with pytest.raises(UsageError, match="nothing was imported"):
        UnifiedMemoryStore(saved, embedder="fake")
    assert sorted(path.name for path in saved.iterdir()) == ["graph.json", "nodes.json"]


SPEC_02 = """
CREATE TABLE nodes (id TEXT PRIMARY KEY, type TEXT NOT NULL, subtype TEXT, content TEXT NOT NULL, embedding BLOB,
    tier TEXT DEFAULT 'task', confidence REAL DEFAULT 0.5, provenance TEXT, created_at INTEGER, updated_at INTEGER,
    last_accessed INTEGER, access_count INTEGER DEFAULT 0, metadata JSON DEFAULT '{}');
CREATE TABLE hyperedges (id TEXT PRIMARY KEY, type TEXT NOT NULL, label TEXT, weight REAL DEFAULT 1.0);
CREATE TABLE membership (hyperedge_id TEXT, node_id TEXT, role TEXT, position INTEGER DEFAULT 0,
    PRIMARY KEY (hyperedge_id, node_id, role));
CREATE TABLE evolution_log (id INTEGER PRIMARY KEY, timestamp INTEGER, operation TEXT, node_ids JSON);
"""
A, B, E = (f"{digit * 8}-{digit * 4}-4{digit * 3}-8{digit * 3}-{digit * 12}" for digit in "abe")


@pytest.fixture
def spec_02(tmp_path: Path) -> Path:
    path = tmp_path / "rlm.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(SPEC_02)
        node = "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1700000000000, 1700000001000, 1700000002000, 3, ?)"
        db.execute(
            node,
            (A, "fact", "rule", "The cache has no expiry", b"\x01\x02", "longterm", 0.9, "review", '{"team": "core"}'),
        )
        db.execute(node, (B, "experience", None, "Stale prices were shown", None, "task", 0.5, None, "{}"))
        db.execute(
            "INSERT INTO hyperedges VALUES (?, 'causation', 'causes', 2.5), ('back', 'causation', 'causes', 1),"
            "('none', 'context', NULL, 1), ('empty', 'relation', 'x', 1)",
            (E,),
        )
        db.executemany(
            "INSERT INTO membership VALUES (?, ?, ?, ?)",
            [
                (E, A, "cause", 0),
                (E, B, "effect", 1),
                ("back", B, "cause", 0),
                ("back", A, "effect", 1),
                ("none", A, "context", 0),
                (E, "nobody", "context", 2),
            ],
        )
        db.commit()
    return path


def test_a_database_of_spec_02_is_imported_with_all_it_holds(spec_02: Path, tmp_path: Path) -> None:
    from recollect.compat.hypergraph import HypergraphMemory

    with pytest.raises(UsageError, match="import"):
        HypergraphMemory(spec_02)
    with HypergraphMemory(tmp_path / "new.db", embedder="fake") as graph:
        done = graph.memory.import_(spec_02, trusted=True)
        assert (done["format"], done["count"]) == ("hypergraph", 2)
        (node,) = graph.query_nodes("fact")
        assert (node.id, node.tier, node.confidence, node.access_count) == (A, "longterm", 0.9, 3)
        assert (node.subtype, node.provenance, node.embedding) == ("rule", "review", b"\x01\x02")
        assert (node.created_at, node.updated_at, node.last_accessed) == (1700000000000, 1700000001000, 1700000002000)
        assert node.metadata == {"team": "core"}
        edge = graph.get_edge(E)
        assert edge is not None
        assert (edge.type, edge.label, edge.weight) == ("causation", "causes", 2.5)
        assert edge.members == ((A, "cause", 0), (B, "effect", 1))
        assert {each.id for each in graph.get_related_nodes(A, "causation")} == {B}
        assert graph.memory.search("why were stale prices shown?").hits
        again = graph.memory.import_(spec_02)
        assert (again["count"], graph.memory.stats()["edges"]) == (0, 3)


def test_another_database_is_no_import(memory: Memory, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE nodes (id TEXT)")
    with pytest.raises(UsageError, match="SPEC-02"):
        memory.import_(tmp_path / "other.db")
    with pytest.raises(UsageError, match="no store of format"):
        memory.import_(tmp_path / "nothing", format="topology")
