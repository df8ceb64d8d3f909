"""Rerankers, against servers that speak their protocol; what is no model at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from recollect.errors import MissingExtra, ProviderError, UsageError
from recollect.providers import registry
from recollect.providers.registry import make_llm, make_reranker

Answer = Callable[[str, dict[str, Any]], tuple[int, dict[str, Any]]]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, said = answer(self.path, body)
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def test_none_is_no_model() -> None:
    assert make_llm(None) is None
    assert make_llm("none") is None
    assert make_reranker(None) is None
    assert make_reranker("none") is None


def test_an_object_is_checked_and_passed_through() -> None:
    class Mine:
        name = "mine"

        def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
            return prompt

    mine = Mine()
    assert make_llm(mine) is mine
    with pytest.raises(UsageError, match="has no scores"):
        make_reranker(mine)  # type: ignore[arg-type]


# --- rerankers --------------------------------------------------------------------------------------------


def ranks(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    assert path == "/v1/rerank"
    scored = [(index, float(len(text))) for index, text in enumerate(body["documents"])]
    results = [{"index": index, "relevance_score": score} for index, score in sorted(scored, key=lambda one: -one[1])]
    return 200, {"results": results}


def test_an_endpoint_scores_in_the_order_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ranks) as address:
        monkeypatch.setenv("RECOLLECT_RERANK_URL", address)
        reranker = make_reranker("endpoint:small")
        assert reranker is not None
        assert reranker.scores("?", ["a", "abc", "ab"]).tolist() == [1.0, 3.0, 2.0]


def test_an_endpoint_that_answers_something_else_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda path, body: (200, {"data": []})) as address:
        monkeypatch.setenv("RECOLLECT_RERANK_URL", address)
        reranker = make_reranker("endpoint:small")
        assert reranker is not None
        with pytest.raises(ProviderError, match="not a list of scores"):
            reranker.scores("?", ["a"])


def test_an_endpoint_needs_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_RERANK_URL", raising=False)
    with pytest.raises(UsageError, match="RECOLLECT_RERANK_URL"):
        make_reranker("endpoint:small")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="sentence-transformers"):
        make_reranker("sentence-transformers:small")
    with pytest.raises(MissingExtra, match=r"recollect\[llm\]"):
        make_llm("openai:small")
    with pytest.raises(UsageError, match="unknown reranker"):
        make_reranker("nobody:small")
