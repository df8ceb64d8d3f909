"""Servers on loopback that parts of a memory live on, taken down and brought up again at the same address."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np
from chat_server import Asked, ChatServer

from recollect.providers.embedders.fake import FakeEmbedder


class ModelServer(ChatServer):
    """Answers embeddings and reranking too, as servers do that speak OpenAI's protocol."""

    def __init__(self, say: Callable[[str], str] = lambda prompt: f"heard {prompt}") -> None:
        super().__init__(say)
        self._embedder = FakeEmbedder()
        self._answers = threading.Event()
        self._answers.set()

    def __enter__(self) -> ModelServer:
        self.up()
        return self

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Inside, every question is taken and none answered."""
        self._answers.clear()
        try:
            yield
        finally:
            self._answers.set()

    def answer(self, asked: Asked) -> tuple[int, Any]:
        self._answers.wait(60)
        if asked.path.endswith("/embeddings"):
            rows = self._embedder.embed(asked.body["input"]).tolist()
            return 200, {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}
        if asked.path.endswith("/rerank"):
            scores = [float(len(text)) for text in asked.body["documents"]]  # the longest text is the best
            return 200, {"results": [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]}
        return super().answer(asked)


class VectorServer(ChatServer):
    """As much of Qdrant's protocol as the back end speaks. What it held is gone when it goes down."""

    def __init__(self) -> None:
        super().__init__()
        self.collections: dict[str, dict[int, list[float]]] = {}

    def down(self) -> None:
        super().down()
        self.collections.clear()

    def answer(self, asked: Asked) -> tuple[int, Any]:
        words = asked.path.partition("?")[0].strip("/").split("/")
        name = words[1] if len(words) > 1 else ""
        if not name:
            return 200, {"result": {"collections": [{"name": each} for each in self.collections]}, "status": "ok"}
        if asked.method == "PUT" and len(words) == 2:
            self.collections[name] = {}
        elif name not in self.collections:
            return 404, {"status": {"error": f"there is no collection {name}"}}
        elif asked.method == "DELETE":
            del self.collections[name]
        else:
            found = self._points(self.collections[name], asked, words[3:])
            return 200, {"result": found, "status": "ok", "time": 0.0}
        return 200, {"result": True, "status": "ok", "time": 0.0}

    @staticmethod
    def _points(held: dict[int, list[float]], asked: Asked, rest: list[str]) -> Any:
        done = {"operation_id": 0, "status": "completed"}
        if asked.method == "PUT":
            held.update(zip(asked.body["batch"]["ids"], asked.body["batch"]["vectors"], strict=True))
            return done
        if rest == ["delete"]:
            for each in asked.body["points"]:
                held.pop(each, None)
            return done
        if rest == ["query"]:
            must = (asked.body.get("filter") or {}).get("must")
            wanted = set(must[0]["has_id"]) if must else set(held)
            query = np.array(asked.body["query"]["nearest"])
            scores = {each: float(query @ np.array(row)) for each, row in held.items() if each in wanted}
            best = sorted(scores, key=lambda each: -scores[each])[: asked.body["limit"]]
            return {"points": [{"id": each, "version": 0, "score": scores[each]} for each in best]}
        return [{"id": each, "payload": None, "vector": held[each]} for each in asked.body["ids"] if each in held]


class SilentServer:
    """Takes every connection and says nothing, as a program that hangs; closed, it lets all who wait know."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._taken: list[socket.socket] = []
        self._open = True
        self._thread = threading.Thread(target=self._take, daemon=True)

    def __enter__(self) -> SilentServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open = False
        with socket.create_connection(self._listener.getsockname()):
            self._thread.join()  # what accepts is woken
        self._listener.close()
        for each in self._taken:
            each.close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def calls(self) -> int:
        return len(self._taken)

    def _take(self) -> None:
        while self._open:
            self._taken.append(self._listener.accept()[0])
