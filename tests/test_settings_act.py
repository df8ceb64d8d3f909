"""Settings that were wired to what runs: each, set, is seen to change what it says it changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import recollect
from recollect import Memory
from recollect.config.reading import RankingSettings
from recollect.errors import SandboxError
from recollect.index.vector.adaptive import AdaptiveVectors
from recollect.index.vector.hnsw import HnswVectors
from recollect.interfaces.repl import Sandbox


@contextmanager
def opened(**config: Any) -> Iterator[Memory]:
    given = {key.replace("__", "."): value for key, value in config.items()}
    with recollect.open(":memory:", embedder="fake", config=given) as memory:
        yield memory


@pytest.mark.parametrize(
    ("config", "code", "said"),
    [
        ({"sandbox__time_s": 0.3}, "while True: pass", "longer than 0.3 s"),
        ({"sandbox__memory_calls": 1}, "memory_query('a')\nmemory_query('b')", "more than 1 memory call"),
        ({"sandbox__result_chars": 100}, "result = 'x' * 500", "100"),
        ({"sandbox__memory_mb": 64, "sandbox__time_s": 20.0}, "x = [0]\nwhile True:\n    x += x", "64 MB"),
    ],
)
def test_the_sandbox_keeps_to_the_limits_that_are_set(config: dict[str, Any], code: str, said: str) -> None:
    with opened(**config) as memory, Sandbox(memory) as sandbox, pytest.raises(SandboxError, match=said):
        sandbox.run(code)


def test_the_sandbox_prints_as_much_as_is_set() -> None:
    with opened(sandbox__output_chars=100) as memory, Sandbox(memory) as sandbox:
        assert len(sandbox.execute("print('x' * 1000)").output) < 200


def test_the_graph_of_vectors_is_built_as_is_set() -> None:
    chosen = {"flat_max": 0, "hnsw_m": 8, "hnsw_ef_construction": 40, "hnsw_ef_search": 30, "scan_max": 7}
    with opened(index__backend="usearch", **{f"index__{name}": value for name, value in chosen.items()}) as memory:
        memory.add([f"note {number}" for number in range(20)], infer=False)
        memory.search("note 3")
        index = next(iter(memory._engine.indexes.vectors.values()))
        assert isinstance(index, AdaptiveVectors)
        index.settle()
        graph = index._body
        assert isinstance(graph, HnswVectors)
        built = graph._index
        assert (built.connectivity, built.expansion_add, built.expansion_search) == (8, 40, 30)
        assert graph._scan_max == 7


def test_vectors_are_as_long_as_is_set() -> None:
    with recollect.open(":memory:", embedder="fake", config={"embedding.dimensions": 32}) as memory:
        memory.add("Ana drinks tea")
        assert [each["dimensions"] for each in memory.stats()["spaces"]] == [32]


@pytest.mark.parametrize("retries", [0, 2])
def test_an_embedder_is_tried_as_often_as_is_set(retries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Busy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(503)
            self.send_header("Retry-After", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Busy)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    try:
        with recollect.open(":memory:", embedder="openai:m", config={"embedding.retries": retries}) as memory:
            assert not next(each for each in memory.doctor() if each.check == "embedder").ok
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert len(asked) == retries + 1


def test_a_window_is_filled_from_as_many_records_as_is_set() -> None:
    looked_at: dict[int, int] = {}
    for least in (5, 40):
        with opened(recall__candidates_min=least, recall__budget_overfetch=1.0, recall__record_tokens=1000.0) as memory:
            windows = memory._engine.windows
            looked_at[least] = windows._sizes.fitting(2_000, memory.config.recall)
    assert looked_at == {5: 5, 40: 40}
    with opened(recall__candidates_min=1, recall__budget_overfetch=3.0, recall__record_tokens=100.0) as memory:
        assert memory._engine.windows._sizes.fitting(2_000, memory.config.recall) == 60


def test_the_line_of_a_task_is_as_long_as_is_set() -> None:
    with opened(ingest__task_output_chars_min=10, ingest__task_summary_chars=40) as memory:
        with memory.turn("tidy up the folder of invoices " * 5, caller="task", user_id="ana") as turn:
            turn.answer("done with it, and all of them are sorted by year and month now")
        kept = [record for record in memory.get_all(user_id="ana") if record.category == "task_result"]
        assert len(kept) == 1
        begun, _, done = kept[0].content.removeprefix("Task done: ").partition(" → ")
        assert (len(begun), len(done) <= 42) == (40, True)


def test_findings_of_one_research_are_joined_as_strongly_as_is_set() -> None:
    findings = {
        "findings": [{"content": "Tea is grown in Assam."}, {"content": "Assam exports tea."}],
        "cross_references": [[0, 1]],
    }
    with opened(graph__research_weight=0.35) as memory:
        receipt = memory.research(findings)
        weights = [edge.weight for edge in memory.related(receipt.ids[0]).edges if edge.label == "supports"]
        assert weights == [0.35]


@pytest.mark.parametrize("name", ["seeds", "phrase_candidates", "phrase_gap_words", "participants_max"])
def test_the_ranking_reads_its_counts(name: str) -> None:
    """Each count, at its least and at its usual, gives other parts for a question that has to do with it."""
    talk = [
        {"role": "user", "name": who, "content": text}
        for who, text in [
            ("Ana", "The green boat went far out to sea with Bo."),
            ("Bo", "A boat that is green, small and fast sails well."),
            ("Ana", "Bo painted the boat green last summer."),
            ("Cleo", "The sea was calm, and the summer long."),
            ("Ana", "Green tea is what I drink on a boat."),
        ]
    ]
    parts = []
    least = {"seeds": 1, "phrase_candidates": 0, "phrase_gap_words": 1, "participants_max": 1}[name]
    for value in (least, getattr(RankingSettings(), name)):
        with opened(**{f"ranking__{name}": value}) as memory:
            memory.add(talk, session_id="s", infer=False)
            found = memory.search("the green boat far out at sea", explain=True)
            told = [(hit.content, step.source, step.contribution) for hit in found for step in found.trace.hits[hit.id]]
            parts.append(sorted(told))
    assert parts[0] != parts[1]
