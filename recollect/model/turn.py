"""A turn of an agent between its calls: begun with a window, told what was said, ended or aborted."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.context import Citations, ContextWindow
from recollect.model.result import Receipt
from recollect.model.scope import GLOBAL, Scope


class TurnState(StrEnum):
    """Where a turn stands."""

    OPEN = "open"
    ENDED = "ended"
    ABORTED = "aborted"  # somebody stopped it; what it had is kept
    ORPHANED = "orphaned"  # nobody went on with it; upkeep kept what it had


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunTurn:
    """A turn that waits for its answer. `window` is what to send to the model; `id` is for the calls that follow."""

    id: str
    session_id: str | None
    caller: str
    window: ContextWindow
    compacted: int | None = None  # so many of the oldest messages need not be sent again: what they came to is kept

    @property
    def messages(self) -> list[dict[str, str]]:
        """The window as messages for OpenAI's chat; for Anthropic's see `window.to_anthropic()`."""
        return self.window.to_openai()

    def to_dict(self) -> dict[str, Any]:
        """The window's fields, with `messages` as OpenAI's chat takes them: instructions first."""
        head: dict[str, Any] = {"id": self.id, "session_id": self.session_id, "caller": self.caller}
        head["compacted"] = self.compacted
        return head | self.window.to_dict() | {"messages": self.messages}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTurn:
    """A turn as the register of turns has it. `said` is how many messages it was told beside its prompt."""

    id: str
    state: TurnState
    caller: str
    session_id: str | None
    begun_at: datetime
    touched_at: datetime
    name: str | None = None
    scope: Scope = GLOBAL
    said: int = 0
    over_at: datetime | None = None
    reason: str | None = None
    operation: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "state": self.state.value,
            "caller": self.caller,
            "name": self.name,
            "session_id": self.session_id,
            **dict(self.scope.items()),
            "said": self.said,
            "begun_at": self.begun_at.isoformat(),
            "touched_at": self.touched_at.isoformat(),
            "over_at": self.over_at.isoformat() if self.over_at else None,
            "reason": self.reason,
            "operation": self.operation,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """What became of a turn. `operation` undoes all that was kept of it; None: nothing was, or it was over before."""

    turn: AgentTurn
    receipt: Receipt = field(default_factory=Receipt)
    cited: Citations = field(default_factory=Citations)

    @property
    def operation(self) -> str | None:
        return self.turn.operation

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.turn.to_dict(),
            "kept": self.receipt.to_dict(),
            "cited": list(self.cited.ids),
            "unknown": list(self.cited.unknown),
        }
