"""A server on this machine that speaks OpenAI's and Anthropic's wire formats, for tests with their real clients."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Events = list[tuple[str, dict[str, Any]]]


class Speaking:
    """Answers each request with what is next in `says`: a text, a call of a tool, or a status that is an error."""

    def __init__(self) -> None:
        self.says: deque[str | dict[str, str] | int] = deque()
        self.heard: list[dict[str, Any]] = []  # bodies of requests
        self.breaks_off = False  # streams end in the middle
        self.url = ""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any] | Events]:
        self.heard.append(body)
        said = self.says.popleft()
        if isinstance(said, int):
            return said, {"error": {"type": "overloaded_error", "message": "not now"}, "type": "error"}
        dialect = next(each for end, each in _DIALECTS.items() if path.endswith(end))
        whole, events = dialect(said)
        return 200, (events[: len(events) // 2] if self.breaks_off else events) if body.get("stream") else whole


@contextmanager
def speaking() -> Iterator[Speaking]:
    """The server, for as long as the block."""
    model = Speaking()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, said = model.answer(self.path, body)
            streamed = isinstance(said, list)
            text = _sse(said, self.path) if isinstance(said, list) else json.dumps(said)
            self.send_response(status)
            self.send_header("content-type", "text/event-stream" if streamed else "application/json")
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _sse(events: Events, path: str) -> str:
    lines = [
        f"event: {name}\ndata: {json.dumps(data)}\n\n" if name else f"data: {json.dumps(data)}\n\n"
        for name, data in events
    ]
    return "".join(lines) + ("data: [DONE]\n\n" if path.endswith("/completions") else "")


def _chat(said: str | dict[str, str]) -> tuple[dict[str, Any], Events]:
    call = {"id": "call_1", "type": "function", "function": said}
    message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else None}
    if isinstance(said, dict):
        message["tool_calls"] = [call]
    ends = "stop" if isinstance(said, str) else "tool_calls"
    head = {"id": "c1", "created": 1, "model": "gpt-4o"}
    whole = {**head, "object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": ends}]}
    words = said.split(" ") if isinstance(said, str) else []
    deltas: list[dict[str, Any]] = [{"role": "assistant"}]
    deltas += [{"content": word if at == 0 else f" {word}"} for at, word in enumerate(words)]
    if isinstance(said, dict):
        deltas.append({"tool_calls": [{"index": 0, **call}]})
    chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    chunks.append({"index": 0, "delta": {}, "finish_reason": ends})
    return whole, [("", {**head, "object": "chat.completion.chunk", "choices": [chunk]}) for chunk in chunks]


def _responses(said: str | dict[str, str]) -> tuple[dict[str, Any], Events]:
    empty = {"type": "message", "id": "m1", "role": "assistant", "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": said, "annotations": []}
    item: dict[str, Any] = {**empty, "status": "completed", "content": [part]}
    if isinstance(said, dict):
        item = {"type": "function_call", "id": "f1", "call_id": "call_1", "status": "completed", **said}
    base = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-4o",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    whole = {**base, "status": "completed", "output": [item]}
    at: dict[str, Any] = {"output_index": 0, "content_index": 0, "item_id": "m1"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**base, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": empty if isinstance(said, str) else item},
    ]
    if isinstance(said, str):
        events.append({"type": "response.content_part.added", **at, "part": {**part, "text": ""}})
        events += [{"type": "response.output_text.delta", **at, "delta": word, "logprobs": []} for word in [said]]
        events.append({"type": "response.output_text.done", **at, "text": said, "logprobs": []})
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return whole, [(each["type"], {**each, "sequence_number": number}) for number, each in enumerate(events)]


def _messages(said: str | dict[str, str]) -> tuple[dict[str, Any], Events]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    text = said if isinstance(said, str) else ""
    block: dict[str, Any] = {"type": "text", "text": text}
    if isinstance(said, dict):
        block = {"type": "tool_use", "id": "toolu_1", "name": said["name"], "input": json.loads(said["arguments"])}
    ends = "end_turn" if text else "tool_use"
    base = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "usage": usage,
        "stop_sequence": None,
    }
    whole = {**base, "content": [block], "stop_reason": ends}
    begun = {**block, "text": ""} if text else {**block, "input": {}}
    deltas = [{"type": "text_delta", "text": text}]
    if isinstance(said, dict):
        deltas = [{"type": "input_json_delta", "partial_json": said["arguments"]}]
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**base, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": ends, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return whole, [(each["type"], each) for each in events]


_DIALECTS = {"/chat/completions": _chat, "/responses": _responses, "/messages": _messages}
