"""A server that speaks the protocols of language models, and can be taken down and brought up again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    method: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]


class ChatServer:
    """Answers what `say` makes of a prompt. `status` other than 200 is what everybody gets instead."""

    def __init__(
        self, say: Callable[[str], str] = lambda prompt: f"heard {prompt}", models: tuple[str, ...] = ("small",)
    ):
        self.say = say
        self.models = models
        self.status = 200
        self.key = ""  # the one that is taken; any if it is empty
        self.asked: list[Asked] = []
        self._port = 0
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> ChatServer:
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def posts(self) -> list[Asked]:
        return [each for each in self.asked if each.method == "POST"]

    def looks(self) -> list[Asked]:
        return [each for each in self.asked if each.method == "GET"]

    def up(self) -> None:
        """At the same address as before."""
        self._server = _Server(("127.0.0.1", self._port), self)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def down(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def answer(self, asked: Asked) -> tuple[int, Any]:
        self.asked.append(asked)
        if self.status != 200:
            return self.status, {"error": {"message": f"cannot do {json.dumps(asked.body)}"}}
        given = asked.headers.get("authorization", "").removeprefix("Bearer ") or asked.headers.get("x-api-key", "")
        if self.key and given != self.key:
            return 401, {"error": {"message": f"wrong key {given}"}}
        if asked.method == "GET":
            return self._look(asked.path)
        said = self.say(asked.body["messages"][-1]["content"])
        if asked.path.endswith("/messages"):
            return 200, {"content": [{"type": "text", "text": said}], "stop_reason": "end_turn"}
        return 200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": said}}]}

    def _look(self, path: str) -> tuple[int, Any]:
        _, _, name = path.partition("/models/")
        if name:
            return (200, {"id": name}) if name in self.models else (404, {"error": {"message": "no such model"}})
        return 200, {"data": [{"id": each} for each in self.models]}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, where: tuple[str, int], owner: ChatServer) -> None:
        self.owner = owner
        super().__init__(where, _Handler)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}"))

    def do_PUT(self) -> None:
        self.do_POST()

    def do_DELETE(self) -> None:
        self.do_POST()

    def _answer(self, body: dict[str, Any]) -> None:
        assert isinstance(self.server, _Server)
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, said = self.server.owner.answer(Asked(self.command, self.path, body, headers))
        data = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None: ...
