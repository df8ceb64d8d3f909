"""The memory for MCP clients: `recollect mcp` over stdio, `/mcp` of the server over HTTP, or an ASGI app of its own.

The protocol is the official SDK's. Its library is loaded on use: nobody who does not serve MCP needs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from recollect.errors import MissingExtra
from recollect.verbs.toolsets.sets import DEFAULT

if TYPE_CHECKING:
    from recollect.interfaces.lanes import Lanes
    from recollect.interfaces.mcp.http import McpApplication
    from recollect.memory import Memory
    from recollect.model.grant import MayAdd

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_installed() -> bool:
    """Whether the SDK is there."""
    return find_spec("mcp") is not None


def require_library() -> None:
    """`MissingExtra`, with the line that installs it, where the SDK is not there."""
    if not is_installed():
        raise MissingExtra("MCP needs the official SDK; run: pip install 'recollect[mcp]'")


def asgi(
    memory: Memory,
    *,
    tools: str = DEFAULT,
    scope: Mapping[str, Any] | None = None,
    may_add: MayAdd | None = None,
    policy: str | None = None,
    read_only: bool = False,
    hosts: Sequence[str] | None = LOOPBACK,
    lanes: Lanes | None = None,
) -> McpApplication:
    """An ASGI application that speaks MCP over HTTP; it does not close the memory.

    Run alone it looks after its own life. Beside other routes, enter `life()` of it once while they serve. It asks
    nobody for a token: whatever stands before it does, and may put whom it let in into the connection's scope, as
    `recollect.caller`; then their memory and their rights count.

    Args:
        memory: The memory.
        tools: Sets of tools; a client may ask for others with `?tools=`.
        scope: Who all calls are for.
        may_add: Which dimensions a client may add to that, by `?user_id=` and the like or in a call, as for
            `mem.scoped`; none unless it is said.
        policy: What clients see beside their own: own, own+global or project, as for `mem.scoped`.
        read_only: Whether only tools that read are offered.
        hosts: Names under which it may be asked, so that no web page asks it behind a person's back; None if what
            stands before it sees to that.
        lanes: The threads that calls run in, together with those of other doors; its own unless they are given.
    """
    require_library()
    from recollect.interfaces.mcp.http import McpApplication

    return McpApplication(
        memory,
        tools=tools,
        scope=scope,
        may_add=may_add,
        policy=policy,
        read_only=read_only,
        hosts=hosts,
        lanes=lanes,
    )
