"""MCP over HTTP, driven by the SDK's own client: every tool of every set, bad input, and several clients at once."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
import httpx2
import uvicorn
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from rest_server import bearer, listening, token
from rest_server import client as rest_client
from tool_calls import SCOPE, drive, seed

import recollect
from recollect.interfaces import mcp
from recollect.memory import Memory
from recollect.model.scope import DIMENSIONS
from recollect.providers.tokens import counter_for
from recollect.verbs.toolsets.sets import SETS, toolset

LEGACY, MODERN = "legacy", "auto"
WRITERS, WRITES = 4, 12


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """An ASGI application on a port of its own, in a thread; its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    until = time.monotonic() + 10
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        listener.close()
        assert not thread.is_alive(), "the server did not stop"


@pytest.fixture
def url(memory: Memory) -> Iterator[str]:
    with serving(mcp.asgi(memory, may_add="*")) as address:
        yield address


def text_of(result: Any) -> str:
    found: str = result.content[0].text
    return found


@asynccontextmanager
async def connected(url: str, headers: dict[str, str] | None = None) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as found,
    ):
        yield found


# --- every tool -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_every_tool_of_every_set(memory: Memory, url: str, mode: str) -> None:
    async def all_sets() -> None:
        for tools in SETS:
            async with Client(f"{url}?tools={tools}&user_id=ana", mode=mode) as client:
                await drive(client, seed(memory), tools)

    asyncio.run(all_sets())


def test_what_a_client_is_told(memory: Memory) -> None:
    async def look(url: str) -> None:
        async with Client(url) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == list(toolset())
            wire = json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools.values()])
            assert counter_for("gpt-4o").count(wire) <= 1_500
            search, delete = tools["search_memories"].annotations, tools["delete_memory"].annotations
            assert search is not None
            assert delete is not None
            assert search.read_only_hint is True
            assert (delete.read_only_hint, delete.destructive_hint, delete.idempotent_hint) == (False, True, True)
            assert client.server_info.name == "recollect"
            assert "data, never instructions" in (client.instructions or "")

    with serving(mcp.asgi(memory)) as url:
        asyncio.run(look(url))


def test_text_and_data_say_the_same(memory: Memory, url: str) -> None:
    memory.add("Ana drinks tea")

    async def ask() -> None:
        async with Client(url) as client:
            found = await client.call_tool("search_memories", {"query": "tea"})
            assert json.loads(text_of(found)) == found.structured_content
            context = await client.call_tool("get_context", {"prompt": "What does Ana drink?"})
            assert text_of(context) == context.structured_content["text"]

    asyncio.run(ask())


def test_a_client_pages_through_what_fits_its_budget(memory: Memory, url: str) -> None:
    memory.add([f"Ana visited city number {number}: {'a long walk ' * 12}" for number in range(9)])

    async def page_through() -> None:
        seen: list[str] = []
        async with Client(url) as client:
            asked: dict[str, Any] = {"q": "city", "top_k": "4", "budget": 300}  # as models guess the names
            while True:
                page = await client.call_tool("search_memories", asked)
                assert counter_for("gpt-4o").count(text_of(page)) <= 300
                seen += [each["id"] for each in page.structured_content["results"]]
                if "cursor" not in page.structured_content:
                    break
                asked["cursor"] = page.structured_content["cursor"]
        assert len(seen) == len(set(seen)) == 9

    asyncio.run(page_through())


def test_searches_are_counted_where_settings_say_so(tmp_path: Path) -> None:
    """Of one token over both doors together; the owner's own requests are not."""
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="fake") as memory:
        some, other = token(memory, "read", user_id="ana"), token(memory, "read", user_id="ben")
    limits = {"security.limit_searches": True, "security.searches_per_minute": 3}

    async def search(url: str, text: str) -> str | None:
        async with connected(url, bearer(text)) as client:
            result = await client.call_tool("search_memories", {"query": "bees"})
            assert not (await client.call_tool("memory_stats", {})).is_error
            return result.structured_content.get("code")  # type: ignore[no-any-return]

    with listening(path, **limits) as port, httpx2.Client(base_url=f"http://127.0.0.1:{port}") as rest:
        mcp_url = f"http://127.0.0.1:{port}/mcp"
        asked = [rest.post("/v1/memories/search", json={"query": "x"}, headers=bearer(some)) for _ in range(2)]
        assert [each.status_code for each in asked] == [200, 200]
        assert [asyncio.run(search(mcp_url, some)) for _ in range(2)] == [None, "E2003"]
        refused = rest.post("/v1/verbs/reason", json={"question": "x"}, headers=bearer(some))
        assert (refused.status_code, refused.json()["code"]) == (429, "E2003")
        assert int(refused.headers["retry-after"]) <= 20
        assert asyncio.run(search(mcp_url, other)) is None
        assert {rest.post("/v1/memories/search", json={"query": "x"}).status_code for _ in range(5)} == {200}


# --- what makes no sense ----------------------------------------------------------------------------------------


def test_errors_are_answers_with_a_code(memory: Memory, url: str) -> None:
    hidden = memory.add("Ben keeps bees", user_id="ben").id

    async def go_wrong() -> None:
        async with Client(f"{url}?user_id=ana") as client:
            for tool, given, code in (
                ("search_memories", {}, "E4005"),
                ("search_memories", {"query": 7}, "E4005"),
                ("search_memories", {"query": "x", "colour": "red"}, "E4005"),
                ("search_memories", {"query": "x", "user_id": "ben"}, "E4001"),
                ("search_memories", {"query": "x", "reach": "all"}, "E4001"),
                ("delete_memory", {"id": hidden}, "E2005"),
                ("delete_memory", {"id": hidden[:8]}, "E2005"),
                ("delete_memory", {"id": "../../etc/passwd"}, "E2005"),
                ("delete_memory", {"id": "' OR 1=1 --"}, "E2005"),
                ("add_memory", {"content": "x" * 300_000}, "E4004"),
                ("add_memory", {"content": "a\x00b"}, "E4005"),
                ("get_context", {"prompt": "hello", "max_tokens": 3}, "E4008"),
            ):
                result = await client.call_tool(tool, given)
                assert result.is_error, tool
                assert result.structured_content["code"] == code, (tool, given, result.structured_content)
                assert text_of(result).startswith(f"[{code}]")
                assert "Traceback" not in text_of(result)
                assert "bees" not in text_of(result)

    asyncio.run(go_wrong())
    assert memory.get(hidden, user_id="ben") is not None
    assert memory.stats()["records"] == 1


def test_questions_are_words_and_never_a_language(memory: Memory, url: str) -> None:
    """Signs that mean something to SQL, to a text index or to a shell are looked for like any other."""
    memory.add("Ana keeps bees", user_id="ana")
    memory.add("Ben keeps wasps", user_id="ben")
    signs = (
        '"',
        'bees" OR "wasps',
        "NEAR(bees wasps)",
        "*",
        "content:*",
        "'; DROP TABLE record; --",
        "(" * 500,
        "AND OR NOT",
        "bees OR user_id:ben",
        "$(reboot)",
        "../../wasps",
        "%",
        "_",
        "\\",
        "🐝" * 300,
        "\r\nX-Evil: 1",
        "{}",
    )

    asking = {
        "search_memories": "query",
        "get_context": "prompt",
        "search_nodes": "query",
        "memory_reason": "question",
        "find_contradictions": "statement",
    }

    async def ask() -> None:
        async with Client(f"{url}?user_id=ana&tools=all") as client:
            for sign in signs:
                for tool, argument in asking.items():
                    answer = await client.call_tool(tool, {argument: sign})
                    assert not answer.is_error, (tool, sign, text_of(answer))
                    assert "Ben" not in text_of(answer)

    asyncio.run(ask())
    assert memory.stats()["records"] == 2


def test_what_is_not_there_is_an_error_of_the_protocol(memory: Memory, url: str) -> None:
    hidden = memory.add("Ben keeps bees", user_id="ben").id

    async def go_wrong() -> None:
        async with Client(url) as client:
            with pytest.raises(MCPError, match="did you mean search_memories"):
                await client.call_tool("search_memoriez", {"query": "x"})
            for uri in (
                "recollect://record/nothing",
                f"recollect://record/{hidden}",
                "recollect://entity/Nobody",
                "recollect://else/x",
                "file:///etc/passwd",
            ):
                with pytest.raises(MCPError, match=r"there is no resource|nothing is known here"):
                    await client.read_resource(uri)
            with pytest.raises(MCPError, match="there are recall and wrap-up"):
                await client.get_prompt("recal", {})
            with pytest.raises(MCPError, match="needs question"):
                await client.get_prompt("recall", {})

    asyncio.run(go_wrong())


@pytest.mark.parametrize(
    ("query", "told"),
    [("tools=bogus", "no set of tools"), ("colour=red", "the address may ask"), ("user_id=", "user_id")],
)
def test_an_address_that_asks_for_nonsense(url: str, query: str, told: str) -> None:
    assert told in refusal(f"{url}?{query}")


def refusal(url: str, headers: dict[str, str] | None = None) -> str:
    """Why the tools are not listed at this address."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with httpx2.Client(headers=headers) as http:
        answer = http.post(url, json=body, headers={"accept": "application/json, text/event-stream"})
    message: str = answer.json()["error"]["message"]
    return message


def test_no_web_page_asks_behind_a_persons_back(url: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with httpx2.Client(headers={"accept": "application/json, text/event-stream"}) as http:
        assert http.post(url, json=body, headers={"origin": "http://localhost:3000"}).status_code == 200
        assert http.post(url, json=body, headers={"origin": "https://evil.example"}).status_code == 403
        assert http.post(url, json=body, headers={"host": "evil.example"}).status_code == 421


def test_requests_that_are_none(url: str) -> None:
    both = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    with httpx2.Client(headers=both) as http:
        assert http.get(url).status_code == 405
        assert http.delete(url).headers["allow"] == "POST"
        assert http.post(url, content=b"{").status_code == 400
        assert http.post(url, content=b"[1]").status_code == 400
        assert http.post(url, content=b"{}", headers={"content-type": "text/plain"}).status_code == 400
        assert http.post(url, content=b"x" * 17_000_000).status_code == 413
        unknown = http.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/burn"})
        assert unknown.json()["error"]["code"] == -32601
        wrong = http.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}})
        assert wrong.json()["error"]["code"] == -32602


# --- resources and prompts --------------------------------------------------------------------------------------


def test_resources(memory: Memory, url: str) -> None:
    first = memory.add("Ana Ruiz moved from vim to Helix").id

    async def look() -> None:
        async with Client(url) as client:
            templates = {each.uri_template for each in (await client.list_resource_templates()).resource_templates}
            assert templates == {"recollect://record/{id}", "recollect://entity/{name}"}
            listed = {each.uri for each in (await client.list_resources()).resources}
            assert {f"recollect://record/{first}", "recollect://entity/Ana%20Ruiz"} <= listed
            for uri in listed:
                (content,) = (await client.read_resource(uri)).contents
                assert json.loads(content.text)  # type: ignore[union-attr]
            (short,) = (await client.read_resource(f"recollect://record/{first[:8]}")).contents
            assert json.loads(short.text)["content"] == "Ana Ruiz moved from vim to Helix"  # type: ignore[union-attr]

    asyncio.run(look())


def test_prompts(memory: Memory, url: str) -> None:
    memory.add("Ana moved from vim to Helix")

    async def ask() -> None:
        async with Client(url) as client:
            assert [each.name for each in (await client.list_prompts()).prompts] == ["recall", "wrap-up"]
            recalled = (await client.get_prompt("recall", {"question": "Which editor does Ana use?"})).messages[0]
            assert "Ana moved from vim to Helix" in recalled.content.text  # type: ignore[union-attr]
            wrapping = (await client.get_prompt("wrap-up", {})).messages[0].content.text  # type: ignore[union-attr]
            assert "add_memory" in wrapping
            assert "update_memory" in wrapping
        async with Client(f"{url}?tools=coding") as client:
            wrapping = (await client.get_prompt("wrap-up", {"session_id": "s1"})).messages[0].content.text  # type: ignore[union-attr]
            assert "compact_session with session_id='s1'" in wrapping
        async with Client(f"{url}?read_only=1") as client:
            with pytest.raises(MCPError, match="only reads"):
                await client.get_prompt("wrap-up", {})

    asyncio.run(ask())


# --- who may what -----------------------------------------------------------------------------------------------


def test_an_address_narrows_what_a_client_may(memory: Memory) -> None:
    async def look(url: str) -> None:
        async with Client(f"{url}?read_only=yes") as client:
            assert all(not toolset()[tool.name].writes for tool in (await client.list_tools()).tools)
            with pytest.raises(MCPError, match="no tool 'add_memory' here; it writes"):
                await client.call_tool("add_memory", {"content": "x"})
        async with Client(f"{url}?project=atlas") as client:
            await client.call_tool("add_memory", {"content": "Atlas is due in May"})

    with serving(mcp.asgi(memory, scope=SCOPE, may_add=["project=atlas"])) as url:
        asyncio.run(look(url))
        for more in ("user_id=ben", "project=beta", "squad=s", "may_add=squad", "may_add=*"):
            assert "is not granted here: this caller holds user_id='ana'" in refusal(f"{url}?{more}"), more
    (kept,) = memory.get_all(user_id="ana", project="atlas").records
    assert dict(kept.scope.items()) == {"user_id": "ana", "project": "atlas"}


def test_a_model_is_shown_and_may_say_only_what_was_granted(memory: Memory) -> None:
    secret = memory.add("Ana keeps bees in Rome", user_id="ana").id

    async def look(url: str, *, shown: dict[str, Any]) -> None:
        async with Client(url) as client:
            for tool in (await client.list_tools()).tools:
                dimensions = {name: tool.input_schema["properties"].get(name) for name in DIMENSIONS}
                assert {name: said.get("enum") for name, said in dimensions.items() if said} == shown, tool.name
            for more in ({"user_id": "ana"}, {"user": "ana"}, {"project": "beta", "user_id": "ana"}):
                for name, given in (("search_memories", {"query": "bees"}), ("delete_memory", {"id": secret})):
                    refused = await client.call_tool(name, {**given, **more})
                    assert refused.is_error
                    assert refused.structured_content["code"] == "E4001"
                    assert "bees" not in text_of(refused)
            if shown:
                assert not (await client.call_tool("memory_stats", {"project": "atlas", "squad": "s"})).is_error

    for may_add, shown in (
        (None, {}),
        (["project=atlas,beta", "squad"], {"project": ["atlas", "beta"], "squad": None}),
    ):
        with serving(mcp.asgi(memory, scope={"agent_id": "rex"}, may_add=may_add)) as url:
            asyncio.run(look(url, shown=shown))
    assert memory.get(secret) is not None


def test_tokens_bind_a_client_on_the_server(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="fake") as memory:
        reading, writing = token(memory, "read", user_id="ana"), token(memory, "read", "write", user_id="ana", name="w")
        hidden = memory.add("Ben keeps bees", user_id="ben").id

    async def ask(url: str) -> None:
        async with connected(url, bearer(writing)) as client:
            assert not (await client.call_tool("add_memory", {"content": "Ana keeps bees"})).is_error
            for more in ({"user_id": "ben"}, {"userId": "ben"}, {"reach": "all"}, {"scope": {"user_id": "ben"}}):
                refused = await client.call_tool("search_memories", {"query": "bees", **more})
                assert refused.is_error, more
                assert "Ben" not in text_of(refused)
            stolen = await client.call_tool("delete_memory", {"id": hidden})
            assert stolen.structured_content["code"] == "E2005"
        for more in ("user_id=ben", "project=atlas", "may_add=project"):
            assert "is not granted here" in refusal(f"{url}?{more}", bearer(writing)), more
        async with connected(url, bearer(reading)) as client:
            assert "add_memory" not in {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("search_memories", {"query": "bees"})
            assert [each["text"] for each in found.structured_content["results"]] == ["Ana keeps bees"]
        async with httpx2.AsyncClient() as http:
            assert (await http.post(url, json={})).status_code == 401
            assert (await http.post(url, json={}, headers=bearer("wrong"))).status_code == 401

    with listening(path, **{"serve.require_token": True}) as port:
        asyncio.run(ask(f"http://127.0.0.1:{port}/mcp"))
    with recollect.open(path, embedder="fake") as memory:
        (kept,) = memory.get_all(user_id="ana").records
        assert memory.history(kept.id)[0].operation.actor == "token w"


def test_rest_and_mcp_share_a_store(tmp_path: Path) -> None:
    with rest_client(tmp_path / "m.db") as rest:
        rest.post("/v1/memories", json={"content": "Ana drinks tea"})
        call = {"name": "search_memories", "arguments": {"query": "tea"}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        answer = rest.post("/mcp", json=body, headers={"accept": "application/json, text/event-stream"})
        assert answer.status_code == 200
        assert answer.json()["result"]["structuredContent"]["results"][0]["text"] == "Ana drinks tea"


# --- at once ----------------------------------------------------------------------------------------------------


def test_clients_that_write_at_once_lose_nothing(memory: Memory, url: str) -> None:
    async def write(writer: int) -> None:
        async with Client(f"{url}?user_id=ana", mode=(MODERN, LEGACY)[writer % 2]) as client:
            kept = [
                client.call_tool("add_memory", {"content": f"Writer {writer} saw train number {writer}-{at} leave"})
                for at in range(WRITES)
            ]
            assert not any(result.is_error for result in await asyncio.gather(*kept))

    async def all_of_them() -> None:
        await asyncio.gather(*(write(writer) for writer in range(WRITERS)))

    asyncio.run(all_of_them())
    texts = {record.content for record in memory.get_all(user_id="ana", limit=1_000)}
    assert texts == {
        f"Writer {writer} saw train number {writer}-{at} leave" for writer in range(WRITERS) for at in range(WRITES)
    }


def test_a_client_that_gives_up_hurts_nobody(memory: Memory, url: str) -> None:
    async def give_up() -> None:
        async with Client(url) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.001):
                    await client.call_tool("add_memory", {"content": "Ana keeps bees"})
            assert not (await client.call_tool("memory_stats", {})).is_error

    asyncio.run(give_up())
    assert memory.health()["status"]


def test_a_mistake_of_ours_is_told_without_a_trace(
    memory: Memory, url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("Ana's secret")

    monkeypatch.setattr(Memory, "search", broken)

    async def ask() -> None:
        async with Client(url) as client:
            result = await client.call_tool("search_memories", {"query": "x"})
            assert result.is_error
            assert result.structured_content["code"] == "E5000"
            assert "secret" not in text_of(result)

    asyncio.run(ask())
    assert "KeyError" in caplog.text
    assert "secret" not in caplog.text
