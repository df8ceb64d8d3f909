"""A model that follows a script: an API on loopback for a coding client that is run headless and offline."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ScriptedModel:
    """Answers the n-th request of a turn with the n-th call of a tool, then says that it is done.

    `shown` has all that the client sent in requests with tools: what a model would have seen, hooks' words included.
    """

    def __init__(self, calls: list[tuple[str, dict[str, Any]]]) -> None:
        self.calls = calls
        self.shown: list[str] = []

    def reply(self, asked: dict[str, Any]) -> dict[str, Any]:
        block: dict[str, Any] = {"type": "text", "text": "All done."}
        if asked.get("tools"):
            self.shown.append(json.dumps([asked.get("system"), asked["messages"]]))
            done = _answered(asked["messages"])
            if done < len(self.calls):
                name, given = self.calls[done]
                block = {
                    "type": "tool_use",
                    "id": f"toolu_{len(self.shown):02}_{done:03}",
                    "name": name,
                    "input": given,
                }
        return {
            "id": f"msg_{len(self.shown):04}",
            "type": "message",
            "role": "assistant",
            "model": asked.get("model"),
            "content": [block],
            "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }


def _answered(messages: list[dict[str, Any]]) -> int:
    """How many calls have their answers."""
    blocks = [block for each in messages if isinstance(each["content"], list) for block in each["content"]]
    return sum(block.get("type") == "tool_result" for block in blocks)


def streamed(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The message as the events of a stream."""
    (block,) = message["content"]
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    if block["type"] == "text":
        begun, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        begun = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield "content_block_start", {"index": 0, "content_block": begun}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": ended, "usage": {"output_tokens": 5}}
    yield "message_stop", {}


@contextmanager
def served(model: ScriptedModel) -> Iterator[str]:
    """The model at an address of its own."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None: ...

        def _answer(self, body: bytes, kind: str = "application/json") -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self._answer(b"{}")

        def do_HEAD(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            if "count_tokens" in self.path or not self.path.startswith("/v1/messages"):
                return self._answer(b'{"input_tokens": 10}')
            asked = json.loads(raw)
            message = model.reply(asked)
            if not asked.get("stream"):
                return self._answer(json.dumps(message).encode())
            lines = [
                f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in streamed(message)
            ]
            return self._answer("".join(lines).encode(), "text/event-stream")

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
