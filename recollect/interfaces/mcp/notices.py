"""What a client is told unasked: that a memory it listens to changed, or that something came into its inbox.

For a client that stays connected, over stdio. Both ways of asking are there: `resources/subscribe` of the protocol up
to 2025-11-25, and `subscriptions/listen` of the one after it. A notice names a resource and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError

from recollect.errors import RecollectError
from recollect.facade.bus import inbox_of
from recollect.facade.handle import engine_of, sight_of
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.mcp.resources import INBOX, RECORD
from recollect.limits import EVENTS_PER_READ_MAX
from recollect.memory import Memory

Context = Any  # ServerRequestContext: what the SDK knows of a request
RESOURCES_MAX = 1_000  # that one client listens to


class _ToldUpTo(NamedTuple):
    """How far was told."""

    seq: int  # of the change feed
    number: int  # of the last delivery


class Notices:
    """Who listens, and a loop that looks for changes while somebody does. `memory` is the client's own handle."""

    def __init__(self, memory: Memory, lanes: Lanes) -> None:
        self._memory = memory
        self._run = lanes.run
        self._listeners: dict[object, Callable[[ServerEvent], None]] = {}
        self._asked: dict[str, Any] = {}  # the session that asked, by the address of the resource
        self.listen = ListenHandler(self)

    # --- the protocol after 2025-11-25: a request whose answer is a stream ---

    async def publish(self, event: ServerEvent) -> None:
        """Hand an event to every stream."""
        for listener in list(self._listeners.values()):
            listener(event)
        await anyio.lowlevel.checkpoint()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Have a stream told; what is returned ends that."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    # --- the protocol before ---

    async def asked(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """`resources/subscribe`."""
        if not str(params.uri).startswith((INBOX, RECORD)):
            raise MCPError(types.INVALID_PARAMS, f"changes are told of {INBOX} and of {RECORD}… alone")
        if len(self._asked) >= RESOURCES_MAX:
            raise MCPError(types.INVALID_PARAMS, f"at most {RESOURCES_MAX:,} resources are listened to")
        self._asked[str(params.uri)] = ctx.session
        return types.EmptyResult()

    async def asked_no_more(self, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """`resources/unsubscribe`."""
        self._asked.pop(str(params.uri), None)
        return types.EmptyResult()

    # --- what is new ---

    async def watch(self) -> None:
        """Tell of changes, by whatever process, until it is cancelled."""
        every_s = self._memory.config.index.poll_interval_s
        at: _ToldUpTo | None = None
        while True:
            if not self._listeners and not self._asked:
                at = None
            else:
                with suppress(RecollectError):  # too much is going on: it is looked at again in a moment
                    if at is None:
                        at = await self._run(self._now, bounded=False)
                    at, changed = await self._run(partial(self._since, at), bounded=False)
                    await self._tell(changed)
            await anyio.sleep(every_s)

    async def _tell(self, changed: Sequence[str]) -> None:
        for uri in changed:
            await self.publish(ResourceUpdated(uri=uri))
            if (session := self._asked.get(uri)) is not None:
                await session.send_resource_updated(uri)

    def _now(self) -> _ToldUpTo:
        store = engine_of(self._memory).store
        with store.read() as tx:
            return _ToldUpTo(store.change_seq(), tx.bus.newest_number())

    def _since(self, at: _ToldUpTo) -> tuple[_ToldUpTo, list[str]]:
        """Where the feed and the deliveries are now, and the resources that changed since."""
        memory, store = self._memory, engine_of(self._memory).store
        if store.change_seq() == at.seq:
            return at, []
        sight, where = sight_of(memory), memory.grant.held
        with store.read() as tx:
            newest = tx.bus.newest_number()
            visible = tx.scopes.visible(sight.scope, sight.reach)
            portion = tx.changes.after(at.seq, limit=EVENTS_PER_READ_MAX, visible=visible)
        changed = [f"{RECORD}{id_}" for told in portion.announcements if told.topic == "record" for id_ in told.ids]
        if where.agent_id and inbox_of(memory, where, agent=where.agent_id, after=at.number, limit=1):
            changed.append(INBOX)
        return _ToldUpTo(portion.seq, newest), changed
