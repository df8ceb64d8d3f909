"""Whether a model can be had: asked at most every 30 seconds, and not asked at all while it is known to be away."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recollect.errors import ProviderUnavailable
from recollect.providers.base import Llm

PROBE_TIMEOUT_S = 2.0
KEPT_S = 30.0  # how long an answer counts (Engram §32.2)

READY, DOWN, REFUSED, UNKNOWN = "ready", "down", "refused", "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a look at a model found. `unknown`: it cannot be told without asking it something."""

    state: str
    detail: str
    cure: str = ""

    @classmethod
    def ready(cls, detail: str) -> Reach:
        return cls(state=READY, detail=detail)

    @classmethod
    def down(cls, detail: str, *, cure: str) -> Reach:
        return cls(state=DOWN, detail=detail, cure=cure)

    @classmethod
    def refused(cls, detail: str, *, cure: str) -> Reach:
        return cls(state=REFUSED, detail=detail, cure=cure)

    @classmethod
    def unknown(cls, detail: str) -> Reach:
        return cls(state=UNKNOWN, detail=detail)


class Probe:
    """A look at one model, remembered for `KEPT_S`. For many threads."""

    def __init__(self, look: Callable[[], Reach], clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._lock = threading.Lock()
        self._found: Reach | None = None
        self._at = 0.0

    def reach(self) -> Reach:
        """The state of the model, not older than `KEPT_S`."""
        with self._lock:
            if (known := self._known()) is None:
                known = self._look()
                self._keep(known)
            return known

    def known(self) -> Reach | None:
        """The same if it is known already; nobody is asked."""
        with self._lock:
            return self._known()

    def note(self, found: Reach) -> None:
        """What a real question found out."""
        with self._lock:
            self._keep(found)

    @property
    def age_s(self) -> float:
        return self._clock() - self._at

    def _known(self) -> Reach | None:
        return self._found if self._found is not None and self.age_s < KEPT_S else None

    def _keep(self, found: Reach) -> None:
        self._found, self._at = found, self._clock()


class Watched:
    """A language model that is left alone for a while when it did not answer.

    Without it every search that would ask the model waits for its timeout, and so does every job behind it.
    """

    def __init__(self, llm: Llm, clock: Callable[[], float] = time.monotonic) -> None:
        self._llm = llm
        self.probe = Probe(lambda: reach_of(llm), clock)

    @property
    def name(self) -> str:
        return self._llm.name

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        known = self.probe.known()
        if known is not None and known.state == DOWN:
            again = max(1, round(KEPT_S - self.probe.age_s))
            raise ProviderUnavailable(f"{self.name} did not answer a moment ago; it is asked again in {again} s")
        try:
            answer = self._llm.complete(prompt, instructions=instructions, max_tokens=max_tokens)
        except ProviderUnavailable as error:
            self.probe.note(Reach.down(error.message, cure="see recollect models"))
            raise
        self.probe.note(Reach.ready("it answered"))
        return answer

    def reach(self) -> Reach:
        """The state of the model, not older than `KEPT_S`."""
        return self.probe.reach()

    def close(self) -> None:
        close = getattr(self._llm, "close", None)
        if close is not None:
            close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._llm, name)


def reach_of(model: object) -> Reach:
    """The state of any model: by its own look if it has one, else unknown."""
    look = getattr(model, "reach", None)
    if look is None:
        return Reach.unknown("it cannot be told without asking it something")
    found: Reach = look()
    return found
