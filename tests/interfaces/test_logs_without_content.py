"""Everything is done with a marked text while everything is logged: the mark is in no log, error or job.

The mark stands where people's words stand: in texts, questions, documents, metadata and exports. Every logger of the
process, of ours and of the libraries', is at DEBUG, asyncio included. What an answer shows is not meant: answers are
for whoever asked.
"""

from __future__ import annotations

import ast
import asyncio
import io
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mcp")
import httpx
from commands import Run
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from rest_server import listening

import recollect
from recollect.memory import Memory
from recollect.verbs.table import VERBS

MARK = "quetzalcoatlus"
SAID = f"The {MARK} of Ana lives in Porto and likes its {MARK}-tea since 2021"
ASKED = f"where does the {MARK} live?"
JSON = {"content-type": "application/json"}


class Heard:
    """Everything that was logged or raised."""

    def __init__(self) -> None:
        self.log = io.StringIO()
        self.errors: list[str] = []

    def attempt(self, call: Callable[[], Any]) -> Any:
        """Do something that may fail; what the error says of it is heard."""
        try:
            return call()
        except Exception as error:
            self.errors += "".join(traceback.format_exception(error)).splitlines()
            self.errors += [str(error), repr(error)]
            return None

    def lines(self) -> list[str]:
        """Lines in which the mark stands."""
        return [line for line in [*self.log.getvalue().splitlines(), *self.errors] if MARK in line.lower()]


@pytest.fixture
def heard() -> Iterator[Heard]:
    """Every logger there is says everything it has to say, and somebody listens."""
    found = Heard()
    handler = logging.StreamHandler(found.log)
    handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s"))
    loggers = [logging.getLogger(), *(logging.getLogger(name) for name in logging.root.manager.loggerDict)]
    before = [(each, each.level, each.propagate, each.disabled) for each in loggers]
    for each in loggers:
        each.setLevel(logging.DEBUG)
        each.propagate, each.disabled = True, False
    logging.getLogger().addHandler(handler)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        yield found
        logging.captureWarnings(False)
    logging.getLogger().removeHandler(handler)
    for each, level, propagate, disabled in before:
        each.setLevel(level)
        each.propagate, each.disabled = propagate, disabled


def marked(value: Any) -> Any:
    """The arguments of an example with the mark in the place of every text that is somebody's words."""
    return SAID if isinstance(value, str) and " " in value else value


def every_verb(mem: Memory, heard: Heard, folder: Path) -> None:
    """Each verb as its example calls it, with the mark in its words; then wrongly."""
    a, b = mem.add(SAID).id, mem.add(f"Ben met the {MARK}").id
    receipt, edge = mem.add(f"{MARK} {MARK}"), mem.relate(a, b, "supports", evidence=SAID)
    names = {"id": a, "a": a, "b": b, "edge": edge, "receipt": receipt, "mem": mem}
    nothing = "00000000-0000-4000-8000-000000000000"
    names["each"] = SimpleNamespace(id=nothing, publication=nothing, kind="change")
    names["turn"] = mem.turns.begin(SAID, session_id="s")
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "notes.md").write_text(f"# {MARK}\n\n{SAID}\n", encoding="utf-8")
    for verb in VERBS:
        call = next(
            node
            for node in ast.walk(ast.parse(verb.example))
            if isinstance(node, ast.Call) and ast.unparse(node.func) == f"mem.{verb.on_memory}"
        )
        values = [marked(eval(ast.unparse(each), dict(names))) for each in call.args]
        words = {each.arg: marked(eval(ast.unparse(each.value), dict(names))) for each in call.keywords if each.arg}
        method = attrgetter(verb.on_memory)(mem)
        heard.attempt(lambda method=method, values=values, words=words: method(*values, **words))
        heard.attempt(lambda method=method, values=values, words=words: method(*values, **words, user_id=b"\xff"))
    heard.attempt(lambda: mem.turn(SAID, session_id="s", user_id="ana").__enter__().answer(SAID))
    heard.attempt(lambda: mem.working.note(SAID, session_id="s"))
    mem.working.slots(session_id="s")
    mem.settle()
    mem.maintain()


def bad_input(mem: Memory, heard: Heard, folder: Path) -> None:
    """Words that cannot be taken, in every place where words are taken."""
    broken = folder / "broken.jsonl"
    broken.write_text(f'{{"recollect": 1}}\n{{"content": "{SAID}"\n', encoding="utf-8")
    (folder / "odd.json").write_text(f'[{{"role": "user", "content": ["{SAID}", 5]}}]', encoding="utf-8")
    (folder / "odd.pdf").write_bytes(b"%PDF-1.4\n" + SAID.encode())
    for content in (
        SAID * 1000,
        SAID + "\0",
        SAID + "\ud800",
        SAID.encode() + b"\xff",
        [SAID, 5],
        {"content": [SAID, 5]},
    ):
        heard.attempt(lambda content=content: mem.add(content))
        heard.attempt(lambda content=content: mem.search(content))
        heard.attempt(lambda content=content: mem.context(content, max_tokens=3))
        heard.attempt(lambda content=content: mem.ingest(content))
        heard.attempt(lambda content=content: mem.screen(content))
        heard.attempt(lambda content=content: mem.compact(content, session_id="s"))
        heard.attempt(lambda content=content: mem.add("fine", metadata={"said": content}))
        heard.attempt(lambda content=content: mem.correct(mem.get_all(reach="all")[0].id, content, reason=content))
        heard.attempt(lambda content=content: mem.update(mem.get_all(reach="all")[0].id, content=content))
        heard.attempt(lambda content=content: mem.relate(*[each.id for each in mem.get_all(limit=2)], evidence=content))
        heard.attempt(lambda content=content: mem.search("tea", filters={"content": {"likes": content}}))
    for name in ("broken.jsonl", "odd.json", "odd.pdf", "docs"):
        heard.attempt(lambda name=name: mem.import_(folder / name))
        heard.attempt(lambda name=name: mem.ingest(folder / name))


def no_model(path: Path, heard: Heard) -> None:
    """A model that is away, and one that answers with nonsense."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        away = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    config = {"embedding.timeout_s": 0.2, "embedding.retries": 0, "llm_timeout_s": 0.2}
    with recollect.open(path, embedder=f"ollama:bee@{away}", llm=f"openai:small@{away}/v1", config=config) as mem:
        for call in (
            lambda: mem.add(SAID, user_id="ana"),
            lambda: mem.search(ASKED, user_id="ana"),
            lambda: mem.reason(ASKED, user_id="ana"),
            mem.settle,
            mem.consolidate,
            lambda: mem.reembed(wait=True),
            mem.doctor,
        ):
            heard.attempt(call)
        told_in(mem, heard)


def told_in(mem: Memory, heard: Heard) -> None:
    """What the store itself keeps and tells about things that went wrong."""
    with mem._opened.store.read() as tx:
        heard.errors += [f"job: {row}" for row in tx.sql.all("SELECT kind, state, error FROM job")]
        heard.errors += [f"audit: {row}" for row in tx.sql.all("SELECT * FROM audit")]
    heard.errors += [
        f"health: {mem.health()}",
        f"doctor: {mem.doctor()}",
        f"runs: {mem.maintain(status=True).problems}",
    ]


def test_no_verb_logs_or_raises_what_people_said(
    tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with recollect.open(tmp_path / "m.db", embedder="fake", config={"security.injection_screen": True}) as mem:
        every_verb(mem, heard, tmp_path)
        bad_input(mem, heard, tmp_path)
        told_in(mem, heard)
    no_model(tmp_path / "n.db", heard)
    heard.errors += capfd.readouterr().err.splitlines()
    assert len(heard.errors) > 100, "little went wrong: that proves little"
    assert "recollect" in heard.log.getvalue(), "nothing was logged: that proves nothing"
    assert not heard.lines(), chr(10).join(heard.lines())


def test_a_damaged_store_and_a_wrong_key_tell_nothing_of_what_is_inside(
    tmp_path: Path, heard: Heard, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, key in (("plain.db", None), ("sealed.db", bytes(range(32)))):
        path = tmp_path / name
        with recollect.open(path, key=key, embedder="fake") as mem:
            for number in range(60):
                mem.add(f"{SAID} and {number}", user_id=MARK)
        heard.attempt(lambda path=path: recollect.open(path, key=b"x" * 32, embedder="fake"))
        raw = bytearray(path.read_bytes())
        for place in range(8192, len(raw), 5_003):
            raw[place : place + 40] = os.urandom(40)
        path.write_bytes(raw)

        def look(path: Path = path, key: bytes | None = key) -> None:
            with recollect.open(path, key=key, embedder="fake") as mem:
                for call in (
                    mem.doctor,
                    lambda: mem.search(ASKED),
                    lambda: mem.get_all(reach="all"),
                    lambda: mem.add(SAID),
                ):
                    heard.attempt(call)

        heard.attempt(look)
    heard.errors += capfd.readouterr().err.splitlines()
    assert heard.errors
    assert not heard.lines(), chr(10).join(heard.lines())


def test_a_server_and_its_clients_log_nothing_that_is_asked(
    tmp_path: Path, heard: Heard, capfd: pytest.CaptureFixture[str]
) -> None:
    with listening(tmp_path / "m.db") as port:
        address = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=address) as web:
            ours = web.post("/v1/memories", json={"content": SAID, "user_id": "ana"})
            assert ours.status_code == 201, ours.text
        heard.log.truncate(0)  # the client above logs for itself; what counts is the server
        raw = socket.create_connection(("127.0.0.1", port))
        for line in (
            f"GET /v1/entities/{MARK}?user_id={MARK} HTTP/1.1",
            f"GET /v1/memories?session_id={MARK}&limit=nonsense HTTP/1.1",
            f"GET /v1/{MARK}?q={MARK} HTTP/1.1",
            f"GET /?q={MARK} HTTP/1.1",
        ):
            raw.sendall(f"{line}\r\nhost: 127.0.0.1:{port}\r\nx-request-id: {MARK}!\r\n\r\n".encode())
            time.sleep(0.1)
        bodies = [f'{{"query": "{ASKED}"}}', f'{{"query": "{ASKED}"', f'{{"prompt": ["{SAID}", 7]}}']
        for body in bodies:
            for path in ("/v1/memories/search", "/v1/context", "/v1/memories"):
                raw.sendall(
                    f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
                    f"content-length: {len(body)}\r\n\r\n{body}".encode()
                )
                time.sleep(0.05)
        raw.sendall(f"{MARK} {MARK} {MARK}\r\n\r\n".encode())
        time.sleep(0.2)
        raw.close()

        async def through_mcp() -> None:
            async with Client(streamable_http_client(f"{address}/mcp/")) as client:
                await client.call_tool("add_memory", {"content": SAID})
                await client.call_tool("search_memories", {"query": ASKED})
                with suppress(Exception):
                    await client.call_tool("search_memories", {"query": [ASKED]})
                with suppress(Exception):
                    await client.call_tool(MARK, {"query": ASKED})

        asyncio.run(through_mcp(), debug=True)
    said = [line for line in heard.lines() if not line.startswith(CLIENTS_OWN)]
    assert said == []
    assert MARK not in capfd.readouterr().err


CLIENTS_OWN = ("mcp.client", "httpcore", "httpx", "httpx2", "sse_starlette")  # of who calls, in its own process


def test_commands_keep_the_words_of_people_out_of_stderr(tmp_path: Path, run: Run) -> None:
    commands = (
        ("add", SAID),
        ("search", ASKED),
        ("context", SAID),
        ("search", ASKED, "--kinds", "nonsense"),
        ("add", SAID, "--importance", "7"),
        ("add", SAID * 600),
        ("import", str(tmp_path / "broken.jsonl")),
        ("audit",),
        ("doctor",),
    )
    (tmp_path / "broken.jsonl").write_text(f'{{"recollect": 1}}\n{{"content": "{SAID}"\n', encoding="utf-8")
    for words in commands:
        done = run(*words)
        assert MARK not in done.err.lower(), words


SERVE = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
from recollect.interfaces.cli import main
sys.exit(main(["serve", "--db", sys.argv[1], "--port", "0", "--embedder", "fake"]))
"""


def test_recollect_serve_at_debug_writes_no_question_to_stderr(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONASYNCIODEBUG": "1", "PYTHONUNBUFFERED": "1"}
    with (tmp_path / "err").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(tmp_path / "m.db")],
            stderr=err,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
        )
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            httpx.post(f"{address}/v1/memories", json={"content": SAID}, timeout=30)
            httpx.get(f"{address}/v1/entities/{MARK}", params={"user_id": MARK}, timeout=30)
            httpx.post(f"{address}/v1/memories/search", content=f'{{"query": "{ASKED}"', headers=JSON, timeout=30)
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
    text = (tmp_path / "err").read_text("utf-8", "replace")
    assert '"route":"/v1/memories"' in text, "requests are logged"
    assert [line for line in text.splitlines() if MARK in line] == []
