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
from types import TracebackType
from typing import Any, Self

from recollect.config.writing import IngestSettings
from recollect.context.callers import Caller, Said
from recollect.context.outgrown import Compacted, Outgrown
from recollect.context.request import Request
from recollect.context.window import Windows
from recollect.errors import UsageError, shown
from recollect.ingest.pipeline import Ingest
from recollect.model.audit import CALLING, AuditedCall
from recollect.model.context import Citations, ContextWindow
from recollect.model.messages import Message, read_messages
from recollect.model.question import Question
from recollect.model.record import Tier
from recollect.model.result import Receipt
from recollect.recall.pipeline import ReadPath
from recollect.working.background import background
from recollect.working.mind import Mind

SOURCE = "working memory"


class Turn:
    """One turn. Made by `mem.turn`; used in a `with` block, and once.

    `window` is what to send, `messages` the same for OpenAI's chat; `answer` takes what the model said, `tool` what it
    did on the way. After the block `receipt` tells what was kept, and `compacted` how many of the oldest messages of
    the conversation need not be sent any more: what they came to is kept.
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
        name: str | None = None,
        node: str | None = None,
        outgrown: Callable[[], Outgrown] | None = None,
    ) -> None:
        self._outgrown = outgrown
        self.compacted: Compacted | None = None
        self._name, self._node = name, node
        self._aborted: str | None = None
        self._call = call
        self._begun = begun  # gives the window as the caller may see it
        self._around = around  # the building of the window
        self._settings = settings
        self.request = request
        self.caller = caller
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
        return self.request.prompt

    @property
    def session_id(self) -> str | None:
        return self.request.session

    @property
    def messages(self) -> list[dict[str, str]]:
        """The window as messages for OpenAI's chat; for Anthropic's see `window.to_anthropic()`."""
        return self.window.to_openai()

    def answer(self, reply: Any) -> Citations:
        """What the model said: a text, or its message. Called again, more of it. Tells which records it cites."""
        said = answer_of(reply)
        self._said += said
        return self.window.citations("\n".join(message.text for message in said))

    def tool(self, name: str, result: Any = "", *, failed: bool = False) -> None:
        """What a tool answered on the way."""
        self._said.append(result_of(name, result, failed=failed))

    def abort(self, reason: str = "aborted") -> None:
        """Keep what there is of it, also if the block ends with an error: the work was stopped, and is not done."""
        self._aborted = str(reason)

    def __enter__(self) -> Self:
        if self._window is not None:
            raise UsageError("a turn is used once; begin another with mem.turn(…)")
        with self._around(), _as_call(self._call):
            self._mind = self._find_mind()
            window = self._windows.build(self.request, self._mind, self._find_questions())
        self._window = self._begun(window)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or self._aborted is not None:
            with _as_call(self._call):
                self._capture()

    def _capture(self) -> None:
        """Keep the turn in one operation, and bear in mind what was answered."""
        self.compact()
        said = self.told
        if messages := said.kept(self._settings):
            self.receipt = self._ingest.add(
                messages,
                scope=self.request.criteria.scope,
                session_id=self.request.session,
                fields=fields_of(said),
                actor=self._actor,
            )
        if said.answered:
            operation = None if self.receipt is None else self.receipt.operation
            self._windows.judged.say(self.window.citations(said.answered).ids, helpful=True, operation=operation)
        if self._mind is not None:
            if said.answered:
                self._mind.answered(said.answered)
            keep(self._mind, self.request, self._recall, self._ingest, said=False)

    def compact(self) -> None:
        """Keep what the conversation before it came to, if that has outgrown the window: `compacted` tells how far."""
        if self._outgrown is not None and self._aborted is None:
            self.compacted = self._outgrown().compact(self.request, actor=self._actor)

    @property
    def told(self) -> Said:
        """What was said in it until now."""
        return Said(
            caller=self.caller,
            prompt=self.request.prompt,
            said=self._said,
            name=self._name,
            node=self._node,
            aborted=self._aborted,
        )


def answer_of(reply: Any) -> list[Message]:
    """What a model said, as messages."""
    said = [Message(role="assistant", text=reply)] if isinstance(reply, str) else list(read_messages(reply))
    if any(message.is_person for message in said):
        raise UsageError(f"the answer must be a text or the assistant's message, not {shown(reply, 60)}")
    return said


def result_of(name: str, result: Any, *, failed: bool) -> Message:
    """What a tool answered, as a message."""
    if not isinstance(name, str) or not name.strip():
        raise UsageError("a tool has a name")
    read = read_messages([{"role": "tool", "name": name, "content": result}]) if result else ()
    text = "\n".join(message.said for message in read)
    return Message(role="tool", name=name, text=text or f"{name} was run", failed=failed, result_of="")


def fields_of(said: Said) -> dict[str, Any]:
    """The fields that all records of a turn have."""
    fields: dict[str, Any] = {"source": said.caller.name, "tags": said.caller.tags(said.name) or None}
    about = {"node": said.node, "aborted": said.aborted}
    if told := {name: value for name, value in about.items() if value is not None}:
        fields["metadata"] = told
    return fields


@contextmanager
def _as_call(call: AuditedCall | None) -> Iterator[None]:
    """What is written inside belongs to the call that began the turn."""
    before = CALLING.set(call)
    try:
        yield
    finally:
        CALLING.reset(before)


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
