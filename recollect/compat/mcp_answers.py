"""What a server of MCP answered, kept with its source: wrap the client of an agent in a line.

from recollect.compat.mcp_answers import keeping

client = keeping(client, mem, server="tracker", agent_id="rex", project="atlas")

Tools and resources are called as before and answer as before. The text of what came is remembered, with the server
and the tool or address that it came from; docs/bridges.md says what is kept.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from typing import Any, Unpack

from recollect.aio import AsyncMemory
from recollect.compat.bridging import memory_of, pieces
from recollect.errors import RecollectError, UsageError, shown
from recollect.facade.arguments import ScopeArgs
from recollect.memory import Memory

log = logging.getLogger("recollect.client")

TOOLS, RESOURCES = "tools", "resources"
SOURCE = "mcp:"  # and the name of the server: the source of what is kept
CATEGORY = "tool_result"
CHARS = 4_000  # of an answer


def keeping(
    client: Any,
    memory: Memory | AsyncMemory,
    *,
    server: str,
    keep: Collection[str] = (TOOLS, RESOURCES),
    only: Collection[str] | None = None,
    chars: int = CHARS,
    session_id: str | None = None,
    **scope: Unpack[ScopeArgs],
) -> Any:
    """The same client, whose answers are remembered. If memory fails, the call goes on without.

    Args:
        client: The SDK's `Client` or `ClientSession`, or anything with `call_tool` and `read_resource`.
        memory: The memory.
        server: What the server is called: part of the source.
        keep: `tools`, `resources`, or both.
        only: Only answers of these tools, and of resources whose address begins so.
        chars: At most so much of an answer.
        session_id: The session that it belongs to.
    """
    unknown = set(keep) - {TOOLS, RESOURCES}
    if isinstance(keep, str) or unknown:
        raise UsageError(f"keep takes {TOOLS} and {RESOURCES}, not {shown(keep, 40)}")
    wanted = None if only is None else tuple(only)
    return _KeepingClient(client, memory_of(memory), server, frozenset(keep), wanted, chars, session_id, dict(scope))


class _KeepingClient:
    """A client whose other methods are the client's own."""

    def __init__(
        self,
        client: Any,
        memory: Memory,
        server: str,
        keep: frozenset[str],
        only: tuple[str, ...] | None,
        chars: int,
        session_id: str | None,
        scope: Mapping[str, Any],
    ) -> None:
        self._client = client
        self._memory = memory
        self._server = server
        self._keep = keep
        self._only = only
        self._chars = chars
        self._session_id = session_id
        self._scope = scope

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def call_tool(self, name: str, *args: Any, **given: Any) -> Any:
        """Call a tool; what it answered is remembered, with whether it failed."""
        result = await self._client.call_tool(name, *args, **given)
        if TOOLS in self._keep and (self._only is None or name in self._only):
            outcome = "failure" if getattr(result, "is_error", False) else "success"
            await self._remember(_text(getattr(result, "content", ())), {"tool": name}, outcome)
        return result

    async def read_resource(self, uri: Any, *args: Any, **given: Any) -> Any:
        """Read a resource; what is in it is remembered. Read again and found the same, it is not stored twice."""
        result = await self._client.read_resource(uri, *args, **given)
        if RESOURCES in self._keep and (self._only is None or str(uri).startswith(self._only)):
            await self._remember(_text(getattr(result, "contents", ())), {"uri": str(uri)}, None)
        return result

    async def _remember(self, text: str, origin: dict[str, str], outcome: str | None) -> None:
        if text.strip():
            try:
                await asyncio.to_thread(self._store, text[: self._chars], origin, outcome)
            except RecollectError as error:
                log.warning("memory could not keep an answer: %s; the call goes on without", error.code)

    def _store(self, text: str, origin: dict[str, str], outcome: str | None) -> None:
        importance = self._memory.config.ingest.importance["tool"]
        message = {
            "role": "tool",
            "name": f"{self._server} {origin.get('tool') or origin['uri']}",
            "category": CATEGORY,
            "importance": importance,
            "source": f"{SOURCE}{self._server}",
            "metadata": {"server": self._server, **origin},
            **({} if outcome is None else {"attributes": {"outcome": outcome}}),
        }
        told = pieces(self._memory, text)
        if "uri" in origin and self._is_known(origin["uri"], told[0]):
            return
        items = [{**message, "content": piece} for piece in told]
        self._memory.add(items, session_id=self._session_id, **self._scope)

    def _is_known(self, uri: str, content: str) -> bool:
        """Whether the newest that is kept of a resource says the same."""
        newest = self._memory.get_all(
            filters={"metadata.uri": {"eq": uri}}, categories=[CATEGORY], limit=1, **self._scope
        )
        return any(record.content == content for record in newest)


def _text(blocks: Any) -> str:
    """The texts of an answer; pictures and sounds have none."""
    return "\n".join(text for block in blocks if isinstance(text := getattr(block, "text", None), str))
