"""One turn of an agent, from prompt to memory: resolve, recall, build; you call the model; capture, clean up.

    with mem.turn("Which editor does Ana use?", model="gpt-4o", session_id="s1", user_id="ana") as turn:
        reply = client.chat.completions.create(model="gpt-4o", messages=turn.messages)
        turn.answer(reply.choices[0].message.content)

What was said and answered is kept when the block ends well. If it ends with an error nothing is kept: the turn did not
happen, and can be tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from recollect.config.writing import IngestSettings
from recollect.context.budget import WINDOW, WORKFLOW
from recollect.context.request import Request
from recollect.context.window import Windows
from recollect.errors import UsageError, shown
from recollect.ingest.pipeline import Ingest
from recollect.model.audit import CALLING, AuditedCall
from recollect.model.context import Citations, ContextWindow
from recollect.model.messages import Message, read_messages
from recollect.model.plain import middle_cut
from recollect.model.question import Question
from recollect.model.record import Tier
from recollect.model.result import Receipt
from recollect.recall.pipeline import ReadPath
from recollect.working.background import background
from recollect.working.mind import Mind

TASK_RESULT = "task_result"
TASK_IMPORTANCE = 0.8
CHAT = "chat"
SOURCE = "working memory"


class Turn:
    """One turn. Made by `mem.turn`; used in a `with` block, and once.

    `window` is what to send, `messages` the same for OpenAI's chat; `answer` takes what the model said, `tool` what it
    did on the way. After the block `receipt` tells what was kept.
    """

    def __init__(
        self,
        request: Request,
        caller: Caller,
        *,
        windows: Windows,
        ingest: Ingest,
        recall: ReadPath,
        mind: Callable[[], Mind | None],
        questions: Callable[[], Sequence[Question]],
        actor: str | None,
        settings: IngestSettings,
        call: AuditedCall | None = None,
        begun: Callable[[ContextWindow], ContextWindow] = lambda window: window,
        around: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._call = call
        self._begun = begun  # gives the window as the caller may see it
        self._around = around  # the building of the window
        self._settings = settings
        self._request = request
        self._caller = caller
        self._windows = windows
        self._ingest = ingest
        self._recall = recall
        self._find_mind = mind
        self._find_questions = questions
        self._actor = actor
        self._mind: Mind | None = None
        self._window: ContextWindow | None = None
        self._said: list[Message] = []
        self.receipt: Receipt | None = None

    @property
    def window(self) -> ContextWindow:
        """What to send to the model."""
        if self._window is None:
            raise UsageError("the turn has not begun; use it in a `with` block")
        return self._window

    @property
    def prompt(self) -> str:
        return self._request.prompt

    @property
    def session_id(self) -> str | None:
        return self._request.session

    @property
    def messages(self) -> list[dict[str, str]]:
        """The window as messages for OpenAI's chat; for Anthropic's see `window.to_anthropic()`."""
        return self.window.to_openai()

    def answer(self, reply: Any) -> Citations:
        """What the model said: a text, or its message. Called again, more of it. Tells which records it cites."""
        said = [Message(role="assistant", text=reply)] if isinstance(reply, str) else list(read_messages(reply))
        if any(message.is_person for message in said):
            raise UsageError(f"the answer must be a text or the assistant's message, not {shown(reply, 60)}")
        self._said += said
        return self.window.citations("\n".join(message.text for message in said))

    def tool(self, name: str, result: Any = "", *, failed: bool = False) -> None:
        """What a tool answered on the way."""
        if not isinstance(name, str) or not name.strip():
            raise UsageError("a tool has a name")
        read = read_messages([{"role": "tool", "name": name, "content": result}]) if result else ()
        text = "\n".join(message.said for message in read)
        self._said.append(Message(role="tool", name=name, text=text or f"{name} was run", failed=failed, result_of=""))

    def __enter__(self) -> Self:
        if self._window is not None:
            raise UsageError("a turn is used once; begin another with mem.turn(…)")
        with self._around(), _as_call(self._call):
            self._mind = self._find_mind()
            window = self._windows.build(self._request, self._mind, self._find_questions())
        self._window = self._begun(window)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            with _as_call(self._call):
                self._capture()

    def _capture(self) -> None:
        """Keep the turn in one operation, and bear in mind what was answered."""
        answered = "\n".join(message.text for message in self._said if message.role == "assistant")
        messages = (
            [{"role": self._caller.asks, "content": self._request.prompt}] if self._request.prompt.strip() else []
        )
        messages += [_kept(message) for message in self._said if message.told.strip()]
        if outcome := self._outcome(answered):
            messages.append(outcome)
        if messages:
            self.receipt = self._ingest.add(
                messages,
                scope=self._request.criteria.scope,
                session_id=self._request.session,
                fields={"source": self._caller.name},
                actor=self._actor,
            )
        if self._mind is not None:
            if answered:
                self._mind.answered(answered)
            keep(self._mind, self._request, self._recall, self._ingest, said=False)

    def _outcome(self, answered: str) -> dict[str, Any] | None:
        """What came of a task in one line, if it was work."""
        long = len(answered) > self._settings.task_output_chars_min  # is work, even if no tool was used
        worked = long or any(message.is_result for message in self._said)
        if not self._caller.is_task or not worked:
            return None
        chars = self._settings.task_summary_chars
        begun = " ".join(self._request.prompt.split())[:chars]
        done = middle_cut(" ".join(answered.split()), chars) if answered else "no answer"
        text = f"{self._caller.name.capitalize()} done: {begun} → {done}"
        return {
            "role": "agent",
            "content": text,
            "category": TASK_RESULT,
            "importance": TASK_IMPORTANCE,
            "attributes": {"outcome": _how_it_ended(self._said, answered)},
        }


@contextmanager
def _as_call(call: AuditedCall | None) -> Iterator[None]:
    """What is written inside belongs to the call that began the turn."""
    before = CALLING.set(call)
    try:
        yield
    finally:
        CALLING.reset(before)


def _kept(message: Message) -> dict[str, Any]:
    role = "tool" if message.is_result else "assistant"
    named = {"name": message.name} if message.name else {}
    failed = {"attributes": {"outcome": "failure"}} if message.failed else {}
    return {"role": role, "content": message.told, **named, **failed}


def _how_it_ended(said: Sequence[Message], answered: str) -> str:
    """The outcome of a task: as its last tool ended; with an earlier failure it took another try."""
    results = [message.failed for message in said if message.is_result]
    if not answered or (results and results[-1]):
        return "failure"
    return "retry" if any(results) else "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One sort of turn. `asks` is the role of its prompt; a person's words are heard as such, a machine's are not."""

    name: str
    asks: str = "user"
    layout: str = WINDOW
    is_task: bool = False  # recalls within its own share, and what came of it is kept in one line
    session: str = ""  # what its session is called when it is given a name only


CALLERS = {
    caller.name: caller
    for caller in (
        Caller(name=CHAT),
        Caller(name="task", asks="agent", is_task=True, session="task"),
        Caller(name="cron", asks="agent", is_task=True, session="cron"),
        Caller(name="round", asks="agent", session="round"),  # of an orchestrator
        Caller(name="delegation", asks="agent", is_task=True, session="delegation"),  # in a swarm
        Caller(name="flow", asks="agent", layout=WORKFLOW, is_task=True, session="flow"),
    )
}


def caller_of(value: Any) -> Caller:
    """The sort of turn by its name, or a word about which there are."""
    found = CALLERS.get(value) if isinstance(value, str) else None
    if found is None:
        raise UsageError(f"caller must be one of {', '.join(CALLERS)}, not {shown(value, 40)}")
    return found


def keep(mind: Mind, request: Request, recall: ReadPath, ingest: Ingest, *, said: bool) -> None:
    """Records that were of use count as used; words that are in no record are stored, in the background.

    `said` is False where the turn itself is stored: its words are in a record then.
    """
    kept = mind.to_keep()
    if kept.reinforced:
        recall.reinforce(kept.reinforced, request.session)
    if not said or not kept.said:
        return
    texts = [slot.text for slot in kept.said]

    def store() -> None:
        ingest.add(
            texts,
            scope=request.criteria.scope,
            session_id=request.session,
            fields={"kind": "episodic", "source": SOURCE, "tier": Tier.SESSION.value},
            actor=None,
        )

    background.submit(store)
