"""Agents that speak MCP tell each other, and are told without asking when something came."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp.server.subscriptions import ResourceUpdated
from test_mcp_stdio import started

import recollect

INBOX = "recollect://inbox"
BO = ("--agent-id", "bo", "--project", "shop", "--tools", "agents,default")
REX = ("--agent-id", "rex", "--project", "shop", "--tools", "agents")
QUEUE = "Close the queue, or tests hang"


def test_what_one_client_publishes_the_other_reads_in_its_inbox(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    async def both() -> None:
        async with started(path, *BO) as bo, started(path, *REX) as rex:
            assert not (await bo.call_tool("subscribe_topics", {"topics": ["queue"]})).is_error
            async with bo.listen(resource_subscriptions=[INBOX]) as heard:
                told = await rex.call_tool("publish_memory", {"content": QUEUE, "topics": ["queue"]})
                assert not told.is_error, told.content
                event = await asyncio.wait_for(anext(aiter(heard)), 20)
            assert event == ResourceUpdated(uri=INBOX)
            message = (await bo.call_tool("read_inbox", {})).structured_content["results"][0]
            assert (message["from"], message["contents"]) == ("rex", [QUEUE])
            read = await bo.read_resource(INBOX)
            assert json.loads(read.contents[0].text)["messages"][0]["contents"] == [QUEUE]
            found = await bo.call_tool("search_memories", {"query": "why do tests hang?"})
            assert QUEUE in str(found.structured_content)
            assert "inbox" in {each.name for each in (await bo.list_resources()).resources}

    asyncio.run(both())


@pytest.mark.filterwarnings("ignore:resources/")
def test_clients_of_the_older_protocol_are_told_too_and_of_nothing_they_may_not_see(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="fake") as memory:
        mine = memory.add("The pool has four", agent_id="bo", project="shop").id
        theirs = memory.add("The pool has five", agent_id="rex", project="shop").id
        memory.subscribe(["queue"], agent_id="bo", project="shop")
    heard: list[str] = []

    async def keep(message: Any) -> None:
        heard.append(str(getattr(getattr(message, "params", None), "uri", "")))

    async def listening() -> None:
        async with started(path, *BO, mode="legacy", on_message=keep) as bo:
            for uri in (INBOX, f"recollect://record/{mine}", f"recollect://record/{theirs}"):
                await bo.session.subscribe_resource(uri)
            with pytest.raises(Exception, match="alone"):
                await bo.session.subscribe_resource("recollect://entity/Ana")
            await bo.session.unsubscribe_resource(INBOX)
            await asyncio.sleep(0.5)
            await asyncio.to_thread(change)
            until = asyncio.get_running_loop().time() + 20
            while not heard and asyncio.get_running_loop().time() < until:
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)

    def change() -> None:
        with recollect.open(path, embedder="fake") as memory:
            memory.publish(QUEUE, topics=["queue"], agent_id="rex", project="shop")
            memory.update(theirs, importance=0.9)
            memory.update(mine, importance=0.9)
            memory.settle()

    asyncio.run(listening())
    assert set(heard) == {f"recollect://record/{mine}"}
