"""`RecollectSession`: the SDK's `Session` over one memory."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from recollect.aio import AsyncMemory
from recollect.compat.bridging import every, exactly_here, memory_of
from recollect.compat.openai_agents.items import MARK, Kept, kept_items, messages_of, without_echoes
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import engine_in_use
from recollect.ingest import check
from recollect.limits import PAGE_RECORDS_MAX
from recollect.memory import Memory

if TYPE_CHECKING:
    from agents import SessionSettings, TResponseInputItem

_ASIDE = 64  # records read beyond the newest that are asked for: parts of long items, and what was put right later


class RecollectSession:
    """The history of one conversation. Any number of sessions may share a memory, and any number of runs a session.

    Whose memory it is, is said by `user_id`, `agent_id`, `project`, … as for `mem.add`; sessions of the same name in
    different scopes have nothing in common. The memory stays its owner's to close.
    """

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        memory: Memory | AsyncMemory,
        *,
        session_settings: SessionSettings | None = None,
        infer: bool = True,
        **scope: Unpack[ScopeArgs],
    ) -> None:
        """A session by its name; if there is one already, it goes on.

        `session_settings` are the SDK's: `limit` is how many items a run is given. With `infer=False` what is said is
        kept and found, and nothing is drawn from it.
        """
        self.session_id = check.name(session_id, "session_id")
        self.session_settings = session_settings
        self.memory = memory_of(memory).scoped(**scope)
        self._infer = infer
        anywhere = {"tier": {"exists": True}}  # what is in quarantine keeps its place, without its words
        self._filters = {"AND": [{f"attributes.{MARK}.of": {"exists": True}}, anywhere, exactly_here(self.memory)]}
        self._popping = threading.Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in order; with a limit, or one in the settings, the newest."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        most = None if limit is None else arguments.count(limit, "limit", 10**9, least=0)
        kept = await asyncio.to_thread(self._newest, most)
        return [each.item for each in kept]  # type: ignore[misc]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items, all of them or none, in one operation."""
        if items:
            await asyncio.to_thread(self._add, list(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Forget the newest item, and what was drawn from it; it is what is answered with."""
        popped: Any = await asyncio.to_thread(self._pop)
        return popped  # type: ignore[no-any-return]

    async def clear_session(self) -> None:
        """Forget the whole conversation, and what was drawn from it. `undo` brings it back."""
        await asyncio.to_thread(self.memory.delete_all, filters=self._filters, session_id=self.session_id)

    def _add(self, items: Sequence[Any]) -> None:
        messages = messages_of(self.memory, items, now=engine_in_use(self.memory).clock())
        receipt = self.memory.add(messages, session_id=self.session_id, infer=self._infer)
        if receipt.skipped or any(flag.startswith("echo:") for flag in receipt.flags):
            if receipt.operation is not None:
                self.memory.undo(receipt.operation)
            self.memory.add(without_echoes(messages, receipt), session_id=self.session_id, infer=self._infer)

    def _newest(self, most: int | None) -> list[Kept]:
        """The newest items, oldest first."""
        if most == 0:
            return []
        first = PAGE_RECORDS_MAX if most is None else min(2 * most + _ASIDE, PAGE_RECORDS_MAX)
        records = []
        for record in every(self.memory, self._filters, session_id=self.session_id, at_once=first):
            records.append(record)
            if most is not None and len(records) % first == 0 and len(kept_items(records)) >= most:
                break
        kept = kept_items(records)
        return kept if most is None else kept[-most:]

    def _pop(self) -> dict[str, Any] | None:
        with self._popping:
            newest = self._newest(1)
            if not newest:
                return None
            self.memory.delete_all(
                filters={"AND": [self._filters, {f"attributes.{MARK}.of": {"eq": newest[0].of}}]},
                session_id=self.session_id,
            )
            return newest[0].item
