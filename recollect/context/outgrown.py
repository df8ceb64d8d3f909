"""Conversations that outgrow the window: what their older messages came to is stored by itself, before they go.

A turn is given the conversation so far. When that is longer than the settings say, all but its newest messages are
summed up and kept, as `compact` does it. What was compacted once is not looked at again; after a restart it is, and
found to be known.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock

from recollect.config import LiveConfig
from recollect.context.history_gist import told_in
from recollect.context.request import Request
from recollect.ingest.compaction import Compacting
from recollect.ingest.compaction_notes import SummaryLine
from recollect.model.messages import Message
from recollect.model.result import Receipt
from recollect.providers.tokens import counter_for

_SESSIONS_MAX = 10_000
Mark = bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What was compacted: so many of the oldest messages, which may go now, and what of them is kept."""

    messages: int
    receipt: Receipt

    def to_dict(self) -> dict[str, object]:
        return {"messages": self.messages, "operation": self.receipt.operation, "ids": list(self.receipt.ids)}


class Outgrown:
    """Compacts conversations of one store. Safe to use from many threads."""

    def __init__(self, config: LiveConfig, compacting: Callable[[], Compacting]) -> None:
        self._config = config
        self._compacting = compacting
        self._lock = Lock()
        self._done: OrderedDict[tuple[str, str], Mark] = OrderedDict()  # the last message that was compacted

    def compact(self, request: Request, *, actor: str | None) -> Compacted | None:
        """Keep what the older messages of a conversation came to, if it has outgrown the window since the last time."""
        settings = self._config.current.context
        talk = [message for message in request.history if not message.is_system]
        if request.session is None or len(talk) <= settings.compact_keep:
            return None
        key = (request.criteria.scope.key, request.session)
        fresh = talk[self._done_until(key, talk) :]
        if not self._is_outgrown(fresh, request.model):
            return None
        end = len(talk) - settings.compact_keep
        while end and talk[end].is_result:  # a result stays with its call
            end -= 1
        older = talk[len(talk) - len(fresh) : end]
        if not older:
            return None
        lines = [SummaryLine(*told) for told in told_in(older, settings)]
        receipt = Receipt(event="NONE")
        if lines:
            receipt = self._compacting().keep(
                lines, scope=request.criteria.scope, session_id=request.session, actor=actor
            )
        self._note(key, _mark(talk[end - 1]))
        return Compacted(messages=end, receipt=receipt)

    def forget(self) -> None:
        """Forget which messages were compacted: something was erased."""
        with self._lock:
            self._done.clear()

    def _is_outgrown(self, talk: Sequence[Message], model: str | None) -> bool:
        config = self._config.current
        if len(talk) > config.context.compact_messages:
            return True
        if sum(len(message.said) for message in talk) < config.context.compact_tokens:
            return False  # a token is a character at least
        counter = counter_for(model, models=config.models, context=config.context)
        return sum(counter.count(message.said) for message in talk) > config.context.compact_tokens

    def _done_until(self, key: tuple[str, str], talk: Sequence[Message]) -> int:
        """How many of the oldest messages were compacted before."""
        with self._lock:
            mark = self._done.get(key)
        if mark is None:
            return 0
        return next((at for at in range(len(talk), 0, -1) if _mark(talk[at - 1]) == mark), 0)

    def _note(self, key: tuple[str, str], mark: Mark) -> None:
        with self._lock:
            self._done[key] = mark
            self._done.move_to_end(key)
            while len(self._done) > _SESSIONS_MAX:
                self._done.popitem(last=False)


def _mark(message: Message) -> Mark:
    return blake2b(f"{message.role}\0{message.told}".encode("utf-8", "surrogatepass"), digest_size=12).digest()
