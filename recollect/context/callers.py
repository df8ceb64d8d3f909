"""Who runs a turn, and what is kept of it: a table of callers, and from what was said to messages to remember.

A person's words are heard as such, a machine's are not. Of a flow's node only the output is kept, of work that was done
one line, of what a machine's tools answered the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recollect.config.writing import IngestSettings
from recollect.context.budget import WINDOW, WORKFLOW
from recollect.errors import UsageError, shown
from recollect.model.messages import Message
from recollect.model.plain import middle_cut

CHAT, FLOW, WEBHOOK = "chat", "flow", "webhook"
TASK_RESULT = "task_result"
TASK_IMPORTANCE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One sort of turn. `asks` is the role of its prompt; a person's words are heard as such, a machine's are not."""

    name: str
    asks: str = "user"
    layout: str = WINDOW
    is_task: bool = False  # recalls within its own share, and what came of it is kept in one line
    session: str = ""  # what its session is called when it is given a name only
    tag: str = ""  # what it stores has this tag, with the name
    together: bool = False  # recalls from all of its project or squad, as far as that was granted
    apart: bool = False  # lives in a channel of its own, and sees its agent's memory only

    @property
    def is_person(self) -> bool:
        return self.asks == "user"

    def tags(self, name: str | None) -> list[str]:
        """What its records can be found by."""
        return [f"{self.tag}{name}"] if self.tag and name else []


CALLERS = {
    caller.name: caller
    for caller in (
        Caller(name=CHAT),
        Caller(name="task", asks="agent", is_task=True, session="task"),
        Caller(name="cron", asks="agent", is_task=True, session="cron"),
        Caller(name="round", asks="agent", session="round", together=True),  # of an orchestrator, or of its workers
        Caller(name="delegation", asks="agent", is_task=True, session="delegation", together=True),  # in a swarm
        Caller(name=FLOW, asks="agent", layout=WORKFLOW, session="flow", tag="flow:"),
        Caller(name=WEBHOOK, asks="agent", is_task=True, session="webhook", tag="webhook:", apart=True),
    )
}


def caller_of(value: Any) -> Caller:
    """The sort of turn by its name, or a word about which there are."""
    found = CALLERS.get(value) if isinstance(value, str) else None
    if found is None:
        raise UsageError(f"caller must be one of {', '.join(CALLERS)}, not {shown(value, 40)}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was said in a turn: its prompt, and what model and tools said to it. `aborted` is why it was stopped."""

    caller: Caller
    prompt: str
    said: Sequence[Message]
    name: str | None = None
    node: str | None = None
    aborted: str | None = None

    @property
    def answered(self) -> str:
        return "\n".join(message.text for message in self.said if message.role == "assistant")

    def kept(self, settings: IngestSettings) -> list[dict[str, Any]]:
        """What of it is remembered, as messages for `add`."""
        if self.caller.name == FLOW:
            return self._of_node(settings)
        asked = [{"role": self.caller.asks, "content": self.prompt}] if self.prompt.strip() else []
        told = [self._told(message, settings) for message in self.said if message.told.strip()]
        return [*asked, *told, *self._outcome(settings)]

    def _told(self, message: Message, settings: IngestSettings) -> dict[str, Any]:
        named = {"name": message.name} if message.name else {}
        if not message.is_result:
            return {"role": "assistant", "content": message.told, **named}
        outcome = {"attributes": {"outcome": "failure" if message.failed else "success"}}
        if self.caller.is_person:
            return {"role": "tool", "content": message.told, **named, **outcome}
        cut = middle_cut(" ".join(message.told.split()), settings.tool_outcome_chars)
        text = f"Tool {message.name} → {cut}" if message.name else cut
        return {"role": "tool", "content": text, "importance": settings.importance["tool"], **named, **outcome}

    def _of_node(self, settings: IngestSettings) -> list[dict[str, Any]]:
        """What a node of a flow gave out, unless it is too short to tell anything."""
        tools = [self._told(message, settings) for message in self.said if message.is_result and message.told.strip()]
        said = " ".join(self.answered.split())
        if self.aborted is not None:
            said = f"stopped ({self.aborted}): {said or 'no output'}"
        elif len(said) < settings.flow_output_chars_min:
            return tools
        where = " → ".join(part for part in (self.name, self.node) if part)
        text = f"[flow {where}] {said}" if where else f"[flow] {said}"
        text = text[: settings.flow_output_chars_max]
        return [*tools, {"role": "agent", "content": text, "importance": settings.importance["flow"]}]

    def _outcome(self, settings: IngestSettings) -> list[dict[str, Any]]:
        """What came of a task in one line, if it was work."""
        answered = self.answered
        long = len(answered) > settings.task_output_chars_min  # is work, even if no tool was used
        worked = long or any(message.is_result for message in self.said) or self.aborted is not None
        if not self.caller.is_task or not worked:
            return []
        chars = settings.task_summary_chars
        begun = " ".join(self.prompt.split())[:chars]
        done = middle_cut(" ".join(answered.split()), chars) if answered else "no answer"
        how = "done" if self.aborted is None else f"stopped ({self.aborted})"
        text = f"{self.caller.name.capitalize()} {how}: {begun} → {done}"
        return [
            {
                "role": "agent",
                "content": text,
                "category": TASK_RESULT,
                "importance": TASK_IMPORTANCE,
                "attributes": {"outcome": self._ended},
            }
        ]

    @property
    def _ended(self) -> str:
        """The outcome of a task: as its last tool ended; with an earlier failure it took another try."""
        results = [message.failed for message in self.said if message.is_result]
        if self.aborted is not None or not self.answered or (results and results[-1]):
            return "failure"
        return "retry" if any(results) else "success"
