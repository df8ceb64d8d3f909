"""What a server of MCP answered is kept with its source, by the SDK's own client."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
import mcp_types as types
from mcp import Client
from mcp.server.lowlevel import Server

import recollect
from recollect.compat.mcp_answers import keeping
from recollect.errors import UsageError
from recollect.memory import Memory

REX = {"agent_id": "rex", "project": "shop"}
ISSUE = "Issue 8: the queue hangs when the pool is closed first"


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Memory]:
    with recollect.open(tmp_path / "m.db", embedder="fake", background=False) as memory:
        yield memory


async def call(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    said = types.TextContent(type="text", text=f"{params.name}: {ISSUE}")
    return types.CallToolResult(content=[said], is_error=params.name == "broken")


async def read(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    text = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text="The pool has four workers")
    return types.ReadResourceResult(contents=[text])


async def listed(*_: Any) -> types.ListToolsResult:
    names = ("look", "broken", "count")
    return types.ListToolsResult(tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in names])


TRACKER: Server[Any] = Server("tracker", on_list_tools=listed, on_call_tool=call, on_read_resource=read)


def kept(memory: Memory, **scope: str) -> list[Any]:
    return sorted(memory.get_all(categories=["tool_result"], **scope), key=lambda record: record.content)


def test_answers_come_back_as_they_were_and_are_kept_with_their_source(mem: Memory) -> None:
    async def work() -> None:
        async with Client(TRACKER) as client:
            tracker = keeping(client, mem, server="tracker", session_id="s", **REX)
            answer = await tracker.call_tool("look", {"number": 8})
            assert answer.content[0].text == f"look: {ISSUE}"
            assert (await tracker.call_tool("broken", {})).is_error
            for _ in range(2):
                page = await tracker.read_resource("wiki://pool")
            assert page.contents[0].text == "The pool has four workers"
            assert tracker.server_info.name == "tracker", "all else is the client's own"

    asyncio.run(work())
    pool, broken, look = kept(mem, **REX)
    assert (look.content, look.source, look.role) == (f"look: {ISSUE}", "mcp:tracker", "tool")
    assert look.metadata == {"server": "tracker", "tool": "look"}
    assert (look.attributes["outcome"], broken.attributes["outcome"]) == ("success", "failure")
    assert (pool.metadata["uri"], pool.source) == ("wiki://pool", "mcp:tracker")
    assert kept(mem, agent_id="bo", project="shop") == []
    assert ISSUE in mem.search("why does the queue hang?", **REX)[0].content


def test_only_what_was_named_is_kept_and_no_more_of_it(mem: Memory) -> None:
    async def work() -> None:
        async with Client(TRACKER) as client:
            some = keeping(client, mem, server="tracker", only=["look", "wiki://other"], chars=10, **REX)
            await some.call_tool("look", {})
            await some.call_tool("count", {})
            await some.read_resource("wiki://pool")
            await keeping(client, mem, server="tracker", keep=["resources"], **REX).call_tool("look", {})

    asyncio.run(work())
    assert [record.content for record in kept(mem, **REX)] == ["look: Issu"]
    for wrong in ("tools", ["prompts"]):
        with pytest.raises(UsageError):
            keeping(None, mem, server="tracker", keep=wrong)


def test_a_memory_that_fails_does_not_stand_in_the_way(mem: Memory, caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> Any:
        async with Client(TRACKER) as client:
            return await keeping(client, mem, server="tracker", **REX).call_tool("look", {})

    mem.close()
    with caplog.at_level(logging.WARNING, logger="recollect.client"):
        assert asyncio.run(work()).content[0].text.startswith("look")
    assert "E1" in caplog.text
    assert "queue" not in caplog.text
