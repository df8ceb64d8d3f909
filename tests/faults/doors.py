"""The ways into one store, each as a thread that writes, reads and pries through it: REST, MCP twice, the shell."""

from __future__ import annotations

import http.client
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from faults.processes import ENVIRONMENT

SHELL = (sys.executable, "-m", "recollect.interfaces.cli")
ANSWER_S = 15.0
NOT_FOUND = "E2005"


class Shut(Exception):
    """Nobody answered: the server is down, or died before it said anything."""


class Refused(Exception):
    """It answered, with an error."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        super().__init__(str(told))
        self.code = told["code"]
        self.retryable = told["retryable"]


class Door(Protocol):
    """What a writer does through one. An id is whatever the door gave."""

    def add(self, text: str) -> str: ...
    def update(self, id: str, text: str) -> None: ...
    def delete(self, id: str) -> None: ...
    def read(self, id: str) -> str | None: ...
    def search(self, query: str) -> list[str]: ...
    def close(self) -> None: ...


class Rest:
    """Requests with a token that is bound to one person."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        self._connection: http.client.HTTPConnection | None = None

    def add(self, text: str) -> str:
        id_: str = self._ask("POST", "/v1/memories", {"content": text})["ids"][0]
        return id_

    def update(self, id: str, text: str) -> None:
        self._ask("PATCH", f"/v1/memories/{id}", {"content": text})

    def delete(self, id: str) -> None:
        self._ask("DELETE", f"/v1/memories/{id}")

    def read(self, id: str) -> str | None:
        content: str = self._ask("GET", f"/v1/memories/{id}")["memory"]
        return content

    def search(self, query: str) -> list[str]:
        return [each["memory"] for each in self._ask("POST", "/v1/memories/search", {"query": query})["results"]]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_S)
            self._connection.request(method, path, None if body is None else json.dumps(body), self._headers)
            answer = self._connection.getresponse()
            data = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Shut(str(error)) from None
        if answer.status >= 400:
            raise Refused(data)
        return data


class Mcp:
    """The SDK's client, connected anew when its server has died."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._portal: BlockingPortal | None = None
        self._client: Client | None = None

    def _made(self, portal: BlockingPortal) -> Client:
        """A new client; what has to be closed with it is left on `_open`."""
        raise NotImplementedError

    def add(self, text: str) -> str:
        id_: str = self._ask("add_memory", content=text)["id"]
        return id_

    def update(self, id: str, text: str) -> None:
        self._ask("update_memory", id=id, content=text)

    def delete(self, id: str) -> None:
        self._ask("delete_memory", id=id)

    def read(self, id: str) -> str | None:
        """By `fetch`, which the sets of tools have beside the default."""
        text: str = self._ask("fetch", id=id)["text"]
        return text

    def search(self, query: str) -> list[str]:
        return [each["text"] for each in self._ask("search_memories", query=query)["results"]]

    def close(self) -> None:
        self._client = self._portal = None
        try:
            self._open.close()
        except Exception as error:  # of a server that is no more
            print(f"closing: {type(error).__name__}", file=sys.stderr)
        self._open = ExitStack()

    def _connected(self) -> tuple[BlockingPortal, Client]:
        if self._portal is None or self._client is None:
            self._portal = self._open.enter_context(start_blocking_portal())
            made = self._made(self._portal)
            self._client = self._open.enter_context(self._portal.wrap_async_context_manager(made))
        return self._portal, self._client

    def _ask(self, tool: str, **arguments: Any) -> Any:
        try:
            portal, client = self._connected()
            result = portal.call(lambda: client.call_tool(tool, arguments, ANSWER_S))
        except Exception as error:  # the SDK raises whatever its transport does
            self.close()
            raise Shut(f"{type(error).__name__}: {error}") from None
        data = result.structured_content
        assert isinstance(data, dict)
        if result.is_error:
            raise Refused(data)
        return data


class McpOverHttp(Mcp):
    def __init__(self, port: int, token: str) -> None:
        super().__init__()
        self._url = f"http://127.0.0.1:{port}/mcp?tools=default,chatgpt"
        self._headers = {"authorization": f"Bearer {token}"}

    def _made(self, portal: BlockingPortal) -> Client:
        http = httpx2.AsyncClient(headers=self._headers)
        self._open.enter_context(portal.wrap_async_context_manager(http))
        return Client(streamable_http_client(self._url, http_client=http))


class McpOverStdio(Mcp):
    """A process of its own on the same file."""

    def __init__(self, path: Path, user: str) -> None:
        super().__init__()
        self._arguments = ["mcp", *_store(path), "--user-id", user, "--tools", "default,chatgpt"]

    def _made(self, portal: BlockingPortal) -> Client:
        return Client(StdioServerParameters(command=SHELL[0], args=[*SHELL[1:], *self._arguments], env=ENVIRONMENT))


class Shell:
    """A new process for every word."""

    def __init__(self, path: Path, user: str) -> None:
        self._store = _store(path)
        self._user = user

    def add(self, text: str) -> str:
        id_: str = self._ask("add", text)["ids"][0]
        return id_

    def update(self, id: str, text: str) -> None:
        self._ask("update", id, "--content", text)

    def delete(self, id: str) -> None:
        self._ask("delete", id, "--yes")

    def read(self, id: str) -> str | None:
        content: str = self._ask("get", id)["memory"]
        return content

    def search(self, query: str) -> list[str]:
        return [each["memory"] for each in self._ask("search", query)["results"]]

    def close(self) -> None:
        """Nothing is kept open."""

    def _ask(self, *words: str) -> Any:
        command = [*SHELL, *words, "-u", self._user, "-o", "json", *self._store]
        done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)
        data = json.loads(done.stdout)
        if done.returncode:
            raise Refused(data)
        return data


def _store(path: Path) -> tuple[str, ...]:
    return ("--db", str(path), "--embedder", "fake")


class Writer(threading.Thread):
    """Writes, reads and pries through a door until told to stop. Its name is whom it writes for."""

    def __init__(self, name: str, door: Door, everybody: Mapping[str, Writer], *, pries: bool) -> None:
        super().__init__(name=name)
        self._door = door
        self._everybody = everybody
        self._pries = pries
        self._rng = random.Random(name)
        self.done: dict[str, str | None] = {}  # what was acknowledged; None: deleted
        self.unsure: dict[str, str | None] = {}  # asked for, and nobody said how it went
        self.counts = dict.fromkeys(("add", "update", "delete", "read", "search", "pry", "shut", "busy"), 0)
        self.wrong: list[str] = []
        self.stopping = threading.Event()

    @property
    def acknowledged(self) -> int:
        return sum(self.counts[name] for name in ("add", "update", "delete"))

    def run(self) -> None:
        number = 0
        while not self.stopping.is_set():
            number += 1
            choice = self._rng.choice(("add", "add", "add", "update", "delete", "read", "search", "search", "pry"))
            try:
                self._one(choice, f"{self.name} saw train {os.urandom(4).hex()} leave as number {number}")
            except Shut:
                self.counts["shut"] += 1
                time.sleep(0.05)
            except Refused as refused:
                self.counts["busy"] += 1
                if not refused.retryable:
                    self.wrong.append(f"{choice} was refused: {refused}")
        self._door.close()

    def _one(self, choice: str, text: str) -> None:
        live = [each for each, content in self.done.items() if content is not None and each not in self.unsure]
        if choice == "search":
            self._search()
        elif choice == "pry" and self._pries:
            self._pry()
        elif choice in ("add", "pry") or not live:
            choice = "add"
            self.done[self._door.add(text)] = text
        elif choice == "read":
            chosen = self._rng.choice(live)
            self._expect(self._door.read(chosen) == self.done[chosen], f"{chosen} is not as it was left")
        else:
            self._change(self._rng.choice(live), text if choice == "update" else None)
        self.counts[choice] += 1

    def _change(self, chosen: str, after: str | None) -> None:
        self.unsure[chosen] = after
        if after is None:
            self._door.delete(chosen)
        else:
            self._door.update(chosen, after)
        del self.unsure[chosen]
        self.done[chosen] = after

    def _search(self) -> None:
        for text in self._door.search("which trains left, and who saw them?"):
            self._expect(text.startswith(f"{self.name} "), f"a search shows {text!r}")

    def _pry(self) -> None:
        """The id of somebody else's record: not found, whatever is done with it."""
        others = [each for name, writer in self._everybody.items() if name != self.name for each in list(writer.done)]
        if not others:
            return
        chosen = self._rng.choice(others)
        attempt = self._rng.choice((self._door.read, self._door.delete, lambda id_: self._door.update(id_, "mine now")))
        try:
            attempt(chosen)
        except Refused as refused:
            self._expect(refused.code == NOT_FOUND, f"a foreign id is {refused}")
        else:
            self.wrong.append(f"{chosen} of somebody else was there")

    def _expect(self, right: bool, otherwise: str) -> None:
        if not right:
            self.wrong.append(otherwise)
