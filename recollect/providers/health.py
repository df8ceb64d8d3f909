"""Whether a model can be had: asked at most every 30 seconds, and not asked at all while it is known to be away."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.config.storage import EmbeddingSettings
from recollect.deadline import TimedCalls
from recollect.errors import ProviderError, ProviderUnavailable
from recollect.outage import Outage
from recollect.providers.base import Embedder, Llm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.providers.base import Reranker, Vectors

DEFAULTS = EmbeddingSettings()  # for a model that is made without a configuration

T = TypeVar("T")

READY, DOWN, REFUSED, UNKNOWN = "ready", "down", "refused", "unknown"
UNUSABLE = frozenset({DOWN, REFUSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderReach:
    """What a look at a model found. `unknown`: it cannot be told without asking it something."""

    state: str
    detail: str
    cure: str = ""
    latency_ms: float | None = None  # of the look itself

    @classmethod
    def ready(cls, detail: str) -> ProviderReach:
        return cls(state=READY, detail=detail)

    @classmethod
    def down(cls, detail: str, *, cure: str) -> ProviderReach:
        return cls(state=DOWN, detail=detail, cure=cure)

    @classmethod
    def refused(cls, detail: str, *, cure: str) -> ProviderReach:
        return cls(state=REFUSED, detail=detail, cure=cure)

    @classmethod
    def unknown(cls, detail: str) -> ProviderReach:
        return cls(state=UNKNOWN, detail=detail)

    @property
    def usable(self) -> bool:
        """Whether asking may help; what is unknown may."""
        return self.state not in UNUSABLE


class Probe:
    """A look at one model, remembered for `kept_s`. For many threads: one looks, and only who asks for a look waits."""

    def __init__(
        self,
        look: Callable[[], ProviderReach],
        clock: Callable[[], float] = time.monotonic,
        kept_s: float = DEFAULTS.probe_ttl_s,
    ) -> None:
        self._look = look
        self._clock = clock
        self._kept_s = kept_s
        self._looking = threading.Lock()
        self._kept: tuple[ProviderReach, float] | None = (
            None  # and when; replaced as a whole, so that readers need no lock
        )
        self.outage: Outage[ProviderReach] = Outage()

    def reach(self) -> ProviderReach:
        """The state of the model, not older than `kept_s`."""
        with self._looking:
            return self.known() or self._look_now()

    def look(self) -> ProviderReach:
        """The state of the model now, whatever is known."""
        with self._looking:
            return self._look_now()

    def known(self) -> ProviderReach | None:
        """The same if it is known already; nobody is asked, and nothing is waited for."""
        kept = self._kept
        return kept[0] if kept is not None and self._clock() - kept[1] < self._kept_s else None

    def note(self, found: ProviderReach) -> None:
        """What a real question found out."""
        self._kept = (found, self._clock())
        self.outage.is_now(None if found.usable else found)

    @property
    def again_in_s(self) -> float:
        """How long what is known still counts."""
        kept = self._kept
        return 0.0 if kept is None else max(0.0, self._kept_s - (self._clock() - kept[1]))

    def _look_now(self) -> ProviderReach:
        began = time.perf_counter()
        found = self._look()
        found = replace(found, latency_ms=round((time.perf_counter() - began) * 1e3, 1))
        self.note(found)
        return found


class Watched:
    """A language model that is left alone for a while when it cannot be had.

    Without it every search that would ask the model waits for its timeout, and so does every job behind it. What
    looks like a bad answer may be a wrong key or a model that is not there: a look tells, and then it is
    `ProviderUnavailable` like any other absence, so that work waits instead of being given up.
    """

    def __init__(
        self, llm: Llm, clock: Callable[[], float] = time.monotonic, kept_s: float = DEFAULTS.probe_ttl_s
    ) -> None:
        self._llm = llm
        self.probe = Probe(lambda: reach_of(llm), clock, kept_s)

    @property
    def name(self) -> str:
        return self._llm.name

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        known = self.probe.known()
        if known is not None and not known.usable:
            again = max(1, round(self.probe.again_in_s))
            raise ProviderUnavailable(f"{self.name}: {known.detail}; it is asked again in {again} s")
        try:
            answer = self._llm.complete(prompt, instructions=instructions, max_tokens=max_tokens)
        except ProviderUnavailable as error:
            self.probe.note(ProviderReach.down(error.message, cure=getattr(self._llm, "cure", "")))
            raise
        except ProviderError as error:
            found = self.probe.look()
            if not found.usable:
                raise ProviderUnavailable(f"{self.name}: {found.detail}; {found.cure}") from error
            raise
        self.probe.note(ProviderReach.ready("it answered"))
        return answer

    def reach(self) -> ProviderReach:
        """The state of the model, not older than `kept_s`."""
        return self.probe.reach()

    def known(self) -> ProviderReach | None:
        """The same if it is known already; nobody is asked."""
        return self.probe.known()

    def close(self) -> None:
        close = getattr(self._llm, "close", None)
        if close is not None:
            close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._llm, name)


class NotedModel:
    """A model as it is, and a note of whether it answers: since when it does not, and why."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.outage: Outage[ProviderError] = Outage()

    @property
    def name(self) -> str:
        return str(self._model.name)

    def __getattr__(self, name: str) -> Any:
        if name == "_model":  # of one that is being copied
            raise AttributeError(name)
        return getattr(self._model, name)

    def late(self, error: ProviderError) -> None:
        """A call has not come back when it was wanted. One that does come back says that the model is there."""
        self.outage.begins(error)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except ProviderError as error:
            self.outage.begins(error)
            raise
        self.outage.ends()


class NotedEmbedder(NotedModel):
    """An embedder."""

    @property
    def dimensions(self) -> int:
        try:
            return int(self._model.dimensions)
        except ProviderError as error:  # one that is far away is asked for them once; later they say nothing of it
            self.outage.begins(error)
            raise

    @property
    def inline(self) -> bool:
        return bool(self._model.inline)

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._noting():
            found: Vectors = self._model.embed(texts)
            return found


class NotedReranker(NotedModel):
    """A reranker."""

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        with self._noting():
            found: NDArray[np.float64] = self._model.scores(question, texts)
            return found


def embed_in_time(calls: TimedCalls, model: Embedder, texts: Sequence[str]) -> Vectors:
    """Vectors by a model; `ProviderUnavailable` if it is elsewhere and does not answer by the deadline."""
    if model.inline or getattr(model, "local", False):
        return model.embed(texts)
    return ask_in_time(calls, model, lambda: model.embed(texts))


def ask_in_time(calls: TimedCalls, model: Embedder | Reranker, call: Callable[[], T]) -> T:
    """What a call of a model gives; that it did not come back by the deadline is noted as its absence."""
    return calls.ask(model.name, call, model.late) if isinstance(model, NotedModel) else calls.ask(model.name, call)


def reach_of(model: object) -> ProviderReach:
    """The state of any model: by its own look if it has one, else unknown."""
    look = getattr(model, "reach", None)
    if look is None:
        return ProviderReach.unknown("it cannot be told without asking it something")
    found: ProviderReach = look()
    return found


def known_to_be_away(model: object) -> ProviderReach | None:
    """What is known of a model that cannot be had, without asking anybody; None if nothing speaks against it."""
    known = getattr(model, "known", None)
    found: ProviderReach | None = None if known is None else known()
    return found if found is not None and not found.usable else None
