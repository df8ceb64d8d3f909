"""`remembering`: a copy of a client whose calls have memory around them.

The copy is a client of the same class over the same connections; only the methods that ask a model are replaced on it.
The client that was given stays as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, NamedTuple, TypeVar

from recollect.aio import AsyncMemory
from recollect.compat.bridging import memory_of
from recollect.compat.client.dialects import ChatCompletions, Dialect, Messages, Responses
from recollect.compat.client.exchange import RememberedCall, Remembering
from recollect.compat.client.streams import HeardAsyncStream, HeardBlock, HeardStream
from recollect.errors import UsageError
from recollect.memory import Memory

Client = TypeVar("Client")


class Asking(NamedTuple):
    """A resource that asks a model by `create` and `parse`.

    Its `stream` asks by `create` as well, unless `snapshot` names where the stream keeps what it has put together.
    """

    path: str
    dialect: Dialect
    snapshot: str | None = None


ASKING = (
    Asking("chat.completions", ChatCompletions()),
    Asking("responses", Responses()),
    Asking("messages", Messages(), "current_message_snapshot"),
)
_METHODS = ("create", "parse")
_COPIES = ("copy", "with_options")
_RAW = "x-stainless-raw-response"  # marks calls for a bare response, which is passed through without memory


def remembering(client: Client, memory: Memory | AsyncMemory, *, strict: bool = False, **turn: Any) -> Client:
    """The same client, with memory: each call recalls what its conversation asks for, and remembers what was said.

    `turn` says whose memory and how much, as for `mem.turn`: user_id, agent_id, project, session_id, max_tokens, mode.
    A failing memory is told in the log (`recollect.client`) and the call goes on without; `strict` raises.
    """
    held = memory_of(memory)
    held.turn("is this how it is called?", **turn)  # refuses now what it would refuse at every call
    if not callable(getattr(client, "copy", None)):
        raise UsageError("remembering takes a client of the openai or anthropic library, sync or async")
    how = Remembering(begin=partial(held.turn, **turn), strict=strict)
    copy: Any = client.copy()  # type: ignore[attr-defined]
    wrapped = sum(_wrap(copy, asking, how) for asking in ASKING)
    if not wrapped:
        raise UsageError("this client has neither chat.completions, responses nor messages to put memory around")
    again = partial(remembering, memory=memory, strict=strict, **turn)
    for name in _COPIES:  # a client made from this one remembers too
        setattr(copy, name, _then(getattr(client, name), again))
    return copy  # type: ignore[no-any-return]


def _wrap(client: Any, asking: Asking, how: Remembering) -> bool:
    """Put memory around the methods of one resource, if the client has it."""
    resource = client
    for name in asking.path.split("."):
        resource = getattr(resource, name, None)
    if resource is None:
        return False
    around = _awaited if hasattr(client, "__aenter__") else _called
    begin = partial(RememberedCall, how, asking.dialect)
    for name in _METHODS:
        if callable(method := getattr(resource, name, None)):
            setattr(resource, name, around(method, begin))
    if asking.snapshot is not None and callable(stream := getattr(resource, "stream", None)):
        resource.stream = _block(stream, begin, asking.snapshot)
    return True


def _called(method: Callable[..., Any], begin: Callable[[Any], RememberedCall]) -> Callable[..., Any]:
    @wraps(method)
    def call(**request: Any) -> Any:
        if _is_raw(request):
            return method(**request)
        exchange = begin(request)
        reply = method(**exchange.request)
        if request.get("stream") is True:
            return HeardStream(reply, exchange)
        exchange.answered(reply)
        return reply

    return call


def _awaited(method: Callable[..., Any], begin: Callable[[Any], RememberedCall]) -> Callable[..., Any]:
    """The same for an async client; memory blocks, so it has a thread."""

    @wraps(method)
    async def call(**request: Any) -> Any:
        if _is_raw(request):
            return await method(**request)
        exchange = await asyncio.to_thread(begin, request)
        reply = await method(**exchange.request)
        if request.get("stream") is True:
            return HeardAsyncStream(reply, exchange)
        await asyncio.to_thread(exchange.answered, reply)
        return reply

    return call


def _block(method: Callable[..., Any], begin: Callable[[Any], RememberedCall], snapshot: str) -> Callable[..., Any]:
    @wraps(method)
    def call(**request: Any) -> HeardBlock:
        return HeardBlock(method, partial(begin, request), snapshot)

    return call


def _is_raw(request: Mapping[str, Any]) -> bool:
    headers = request.get("extra_headers")
    return isinstance(headers, Mapping) and any(str(name).lower() == _RAW for name in headers)


def _then(make: Callable[..., Any], wrap: Callable[[Any], Any]) -> Callable[..., Any]:
    @wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        return wrap(make(*args, **kwargs))

    return made
