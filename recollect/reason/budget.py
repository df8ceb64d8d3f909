"""How deep reasoning may go, and what it may ask of a language model: by the window of that model."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from recollect.config.window import ReasonSettings
from recollect.deadline import Deadline, current
from recollect.model.capabilities import Capabilities
from recollect.model.reasoning import Stopped

ANSWER_TIME_SHARE = 1 / 3  # of the time: kept for the answer when judging takes long
QUESTIONS_MAX = 48  # recalls of one reasoning, whatever its depth
_WITHOUT_MODEL = "medium"  # a recall costs milliseconds; deeper chains of names lead astray


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What one reasoning may use. `depth` counts questions within the question: 0 only recalls."""

    depth: int
    calls: int = 0
    tokens: int = 0
    seconds: float = inf


def allowance(
    settings: ReasonSettings,
    model: Capabilities | None,
    *,
    depth: int | None = None,
    calls: int | None = None,
    tokens: int | None = None,
) -> Allowance:
    """What the settings allow such a model; what the caller says counts before that."""
    size = _WITHOUT_MODEL if model is None else size_of(model, settings)
    window = 0 if model is None else int(model.window_tokens * settings.window_share)
    return Allowance(
        depth=int(settings.depth[size]) if depth is None else depth,
        calls=int(settings.calls[size]) if calls is None else calls,
        tokens=window if tokens is None else tokens,
        seconds=settings.timeout_s,
    )


def size_of(model: Capabilities, settings: ReasonSettings) -> str:
    """deep, medium or shallow."""
    if model.thinking and model.window_tokens >= settings.deep_window_tokens:
        return "deep"
    return "medium" if model.window_tokens >= settings.medium_window_tokens else "shallow"


class Spending:
    """What one reasoning has used so far. Not for several threads."""

    def __init__(self, allowed: Allowance) -> None:
        self.allowed = allowed
        self._deadline = Deadline(allowed.seconds, current())
        self.calls = 0
        self.tokens = 0
        self.questions = 0
        self.stopped: Stopped | None = None  # the first bound that was met

    @property
    def calls_left(self) -> int:
        return self.allowed.calls - self.calls

    @property
    def tokens_left(self) -> int:
        return self.allowed.tokens - self.tokens

    @property
    def seconds_left(self) -> float:
        return self._deadline.left_s

    @property
    def seconds_to_judge(self) -> float:
        """What is left without the time that is kept for the answer."""
        return self.seconds_left - ANSWER_TIME_SHARE * self.allowed.seconds

    def stop(self, why: Stopped) -> None:
        self.stopped = self.stopped or why

    def may_ask_memory(self) -> bool:
        """Whether one more question may be recalled; it is counted as asked."""
        if self.questions >= QUESTIONS_MAX:
            self.stop("questions")
            return False
        if self.questions and self.seconds_left <= 0:
            self.stop("time")
            return False
        self.questions += 1
        return True

    def spend(self, tokens: int) -> None:
        """A call was made."""
        self.calls += 1
        self.tokens += tokens
