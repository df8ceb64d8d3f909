"""One call of a model with memory around it: recall, add to the instructions; later remember what was said.

Memory that fails never stands in the way of the call: a line in the log says so, without content, and the call goes on
as if there were none. With `strict` it raises: before the model is asked, or after it has answered, and then the error
has the answer as its `reply`, which was paid for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from recollect.compat.client.dialects import Answer, Dialect
from recollect.context.budget import HISTORY
from recollect.context.turn import Turn
from recollect.errors import RecollectError
from recollect.model.message import Message
from recollect.model.messages import read_messages

log = logging.getLogger("recollect.client")

_LEFT_TO_THE_MODEL = (None, "auto", "none", "validated")  # choices of tools that still let it answer in words


@dataclass(frozen=True, kw_only=True)
class Remembering:
    """What every call of a client has in common: how a turn begins, and whether a failure matters."""

    begin: Callable[..., Turn]
    strict: bool = False

    @contextmanager
    def guarded(self, what: str, reply: Any = None) -> Iterator[None]:
        """Whatever fails in here is told in the log, and over; with `strict` it is raised, with the reply there is."""
        try:
            yield
        except Exception as error:
            if self.strict:
                if reply is not None:
                    error.reply = reply  # type: ignore[attr-defined]
                raise
            code = error.code if isinstance(error, RecollectError) else ""
            log.warning("memory could not %s: %s %s; the call goes on without", what, type(error).__name__, code)


class RememberedCall:
    """One call. `request` is what to send; `answered` is told what came back, or nobody is and nothing is kept."""

    def __init__(self, how: Remembering, dialect: Dialect, request: Mapping[str, Any]) -> None:
        self._how = how
        self._dialect = dialect
        self._forced = _is_forced(request.get("tool_choice"))
        self._turn: Turn | None = None
        self._results: list[tuple[str, Message]] = []
        # Messages may come from a generator, which can be read once: the memory and the model both have to.
        self.request: dict[str, Any] = {
            name: list(value) if isinstance(value, Iterator) else value for name, value in request.items()
        }
        with how.guarded("recall"):
            self._recall()

    def _recall(self) -> None:
        said = read_messages(self._dialect.conversation(self.request))
        asked = max((at for at, each in enumerate(said) if each.is_person), default=None)
        if asked is None:
            return  # nobody said anything: there is nothing to recall by
        model = self.request.get("model")
        turn = self._how.begin(said, model=model if isinstance(model, str) else None)
        turn.__enter__()
        self._turn = turn
        names = {call.id: call.name for each in said[asked:] for call in each.calls}
        self._results = [
            (names.get(each.result_of) or each.name or "tool", each) for each in said[asked:] if each.is_result
        ]
        if any(part.name != HISTORY for part in turn.window.parts):  # else nothing is known, and nothing is said
            self.request = self._dialect.instructed(self.request, turn.window.system)

    def listen(self) -> Callable[[Any], Answer | None]:
        """To be told every event of a stream; gives the answer once it is whole."""
        listener = self._dialect.listen()

        def hear(event: Any) -> Answer | None:
            with self._how.guarded("listen"):
                return listener.hear(event)
            return None

        return hear

    def answered(self, reply: Any) -> None:
        """Remember what was said and answered, if the reply is a whole one."""
        with self._how.guarded("read the answer", reply):
            answer = self._dialect.answer(reply)
            if answer is not None:
                self.keep(answer, reply)

    def keep(self, answer: Answer, reply: Any = None) -> None:
        """The turn is over when the model has answered; while it waits for tools, the next call goes on with it."""
        turn, self._turn = self._turn, None
        if turn is None or (answer.calls and not self._forced) or not (answer.text or answer.calls):
            return
        with self._how.guarded("remember", reply):
            for name, result in self._results:
                turn.tool(name, result.text, failed=result.failed)
            if answer.text:
                turn.answer(answer.text)
            turn.__exit__(None, None, None)


def _is_forced(choice: Any) -> bool:
    """Whether the model had to call a tool: then the call is its answer, as with structured output."""
    kind = choice.get("type") if isinstance(choice, Mapping) else choice
    return isinstance(kind, str) and kind not in _LEFT_TO_THE_MODEL
