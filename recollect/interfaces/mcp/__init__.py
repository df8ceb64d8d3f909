"""The memory for MCP clients: `recollect mcp` over stdio, `/mcp` of the server over HTTP, or an ASGI app of its own.

The protocol is the official SDK's. Its library is loaded on use: nobody who does not serve MCP needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from recollect.errors import MissingExtra
from recollect.verbs.toolsets.sets import DEFAULT

if TYPE_CHECKING:
    from recollect.interfaces.mcp.http import Endpoint
    from recollect.memory import Memory

PATH = "/mcp"


def is_installed() -> bool:
    """Whether the SDK is there."""
    return find_spec("mcp") is not None


def require_library() -> None:
    """`MissingExtra`, with the line that installs it, where the SDK is not there."""
    if not is_installed():
        raise MissingExtra("MCP needs the official SDK; run: pip install 'recollect[mcp]'")


def asgi(
    memory: Memory, *, tools: str = DEFAULT, scope: Mapping[str, Any] | None = None, read_only: bool = False
) -> Endpoint:
    """An ASGI application that speaks MCP over HTTP; it does not close the memory.

    Run alone it looks after its own life. Beside other routes, enter `life()` of it once while they serve. Who may
    come in is for whatever stands before it to say: put as `recollect.caller` into the connection's scope, their
    rights and their memory count; otherwise everybody is let in.

    Args:
        memory: The memory.
        tools: Sets of tools; a client may ask for others with `?tools=`.
        scope: Who all calls are for; a client may narrow it with `?user_id=` and the like.
        read_only: Whether only tools that read are offered.
    """
    require_library()
    from recollect.interfaces.mcp.http import Endpoint

    return Endpoint(memory, tools=tools, scope=scope, read_only=read_only)


def mount(app: Any, memory: Memory) -> AbstractAsyncContextManager[None] | None:
    """Serve MCP at `/mcp` of a Starlette application; what it needs while that lives, or None without the SDK."""
    if not is_installed():
        return None
    from starlette.routing import Route

    endpoint = asgi(memory)
    app.router.routes.append(Route(PATH, endpoint=endpoint, include_in_schema=False))
    return endpoint.life()
