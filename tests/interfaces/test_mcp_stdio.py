"""`recollect mcp` as clients start it: a process, its stdin and its stdout."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters
from tool_calls import SCOPE, drive, seed

import recollect

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "recollect.interfaces.cli", "mcp")
WRITES = 10


def arguments(path: Path, *more: str) -> list[str]:
    return ["--db", str(path), "--embedder", "fake", *more]


def environment(path: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "HOME": str(path.parent), "OMP_NUM_THREADS": "1"}


@asynccontextmanager
async def started(
    path: Path, *more: str, mode: str = "auto", on_message: Any = None, **env: str
) -> AsyncIterator[Client]:
    """A client of a server that was started for it."""
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *arguments(path, *more)], env=environment(path) | env
    )
    async with Client(server, mode=mode, message_handler=on_message) as client:
        yield client


def begun(path: Path, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *arguments(path, *more)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment(path)},
    )


def asked(process: subprocess.Popen[bytes], method: str, **params: Any) -> dict[str, Any]:
    """One request by hand, and its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def hello(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    who = {"name": "by hand", "version": "1"}
    return asked(process, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=who)


def test_every_tool(tmp_path: Path) -> None:
    """All sets at once; then the two whose tools share names with others, in both eras of the protocol."""
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="fake") as memory:
        ids = seed(memory)

    async def all_of_them() -> None:
        async with started(path, "--tools", "all", "--user-id", "ana") as client:
            await drive(client, ids, "all")
        with recollect.open(path, embedder="fake") as memory:
            more = seed(memory)  # those that the first client has ended are new again
        async with started(path, "--tools", "topology,assistant", "-u", "ana", mode="legacy") as client:
            await drive(client, more, "topology,assistant")

    asyncio.run(all_of_them())


def test_two_clients_and_the_owner_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def write(name: str) -> None:
        async with started(path, "-u", "ana") as client:
            for at in range(WRITES):
                result = await client.call_tool("add_memory", {"content": f"{name} saw train number {at} leave"})
                assert not result.is_error, result.content
            found = await client.call_tool("search_memories", {"query": f"{name} train", "limit": 30})
            assert len(found.structured_content["results"]) >= WRITES

    async def all_of_them() -> None:
        def own() -> None:
            with recollect.open(path, embedder="fake") as memory:
                for at in range(WRITES):
                    memory.add(f"Dora saw train number {at} leave", **SCOPE)

        await asyncio.gather(write("Ana"), write("Ben"), asyncio.to_thread(own))

    asyncio.run(all_of_them())
    with recollect.open(path, embedder="fake") as memory:
        texts = {record.content for record in memory.get_all(user_id="ana")}
        actors = {operation.actor for operation in memory.operations(limit=100)}
    assert texts == {f"{name} saw train number {at} leave" for name in ("Ana", "Ben", "Dora") for at in range(WRITES)}
    assert actors == {"mcp", None}


@pytest.mark.parametrize("served", [True, False])
def test_a_memory_that_is_served_is_looked_after_unless_that_is_switched_off(tmp_path: Path, served: bool) -> None:
    path = tmp_path / "m.db"
    quick = {"RECOLLECT_JOBS__START_DELAY_S": "0", "RECOLLECT_JOBS__TICK_S": "0.1"}
    switch = {} if served else {"RECOLLECT_UPKEEP__SERVED": "false"}

    def runs() -> set[str]:
        with recollect.open(path, embedder="fake") as memory:
            report = memory.maintain(status=True)
            return {each.verb for each in (report, *report.history) if each.state == "done"}

    async def open_for_a_while() -> None:
        async with started(path, **quick, **switch) as client:
            await client.call_tool("add_memory", {"content": "Ana saw the train leave"})
            until = time.monotonic() + (20 if served else 1.5)
            while "maintain" not in await asyncio.to_thread(runs) and time.monotonic() < until:
                await asyncio.sleep(0.1)

    asyncio.run(open_for_a_while())
    assert ("maintain" in runs()) == served


def test_stdout_is_the_protocol_and_the_log_holds_no_content(tmp_path: Path) -> None:
    process = begun(tmp_path / "m.db", "--verbose", "--read-only")
    assert hello(process)["result"]["serverInfo"]["name"] == "recollect"
    assert asked(process, "tools/call", name="search_memories", arguments={"query": "secret bees"})["result"]
    assert asked(process, "tools/call", name="search_memories", arguments={"query": "half a \ud83d"})["result"]
    refused = asked(process, "tools/call", name="add_memory", arguments={"content": "secret bees"})
    assert "no tool 'add_memory'" in refused["error"]["message"]
    assert process.stdin is not None
    process.stdin.write(b'this is no message about secret bees\n{"jsonrpc": "2.0"}\n')
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
    assert b"search_memories done in" in err
    assert b"bees" not in err


def test_it_outlives_what_is_no_message(tmp_path: Path) -> None:
    process = begun(tmp_path / "m.db")
    hello(process)
    assert process.stdin is not None
    for junk in (
        b"no json",
        b"{",
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b"[1]",
        b"null",
        b'{"jsonrpc": "1.0", "id": 1}',
        b"",
    ):
        process.stdin.write(junk + b"\n")
    huge = asked(process, "tools/call", name="add_memory", arguments={"content": "x" * 5_000_000})["result"]
    assert huge["structuredContent"]["code"] == "E4004"
    wrong = asked(process, "tools/call", name="add_memory", arguments=["x"])
    assert wrong["error"]["code"] == -32602
    kept = asked(process, "tools/call", name="add_memory", arguments={"content": "Ana keeps bees"})["result"]
    assert kept["structuredContent"]["status"] == "stored"
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_a_model_that_searches_too_often_is_told_to_wait(tmp_path: Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[security]\nlimit_searches = true\nsearches_per_session = 2\n", encoding="utf-8")

    async def search() -> list[str | None]:
        async with started(tmp_path / "m.db", RECOLLECT_CONFIG=str(settings)) as client:
            asked = [await client.call_tool("search_memories", {"query": "bees"}) for _ in range(3)]
            return [each.structured_content.get("code") for each in asked]

    assert asyncio.run(search()) == [None, None, "E2003"]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_keeps_what_it_promised(tmp_path: Path, sign: signal.Signals) -> None:
    process = begun(tmp_path / "m.db")
    hello(process)
    answer = asked(process, "tools/call", name="add_memory", arguments={"content": "Ana keeps bees"})
    assert answer["result"]["structuredContent"]["status"] == "stored"
    process.send_signal(sign)
    assert process.wait(timeout=20) == 0
    process.communicate()
    with recollect.open(tmp_path / "m.db", embedder="fake") as memory:
        assert [record.content for record in memory.get_all()] == ["Ana keeps bees"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--tools", "bogus"), "there is no set of tools 'bogus'"),
        (("-o", "json"), "stdout belongs to the protocol"),
        (("--user-id", ""), "user_id must be a non-empty text"),
    ],
)
def test_started_wrongly(tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments(tmp_path / "m.db", *more)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, **environment(tmp_path / "m.db")},
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert told in (done.stdout if "json" in more else done.stderr)
    assert not (tmp_path / "m.db").exists()
