"""The next search, prepared while the model answers.

A talk mostly goes on, so what is likely to be asked next is searched for ahead. The next prompt takes it if it is
young enough and the talk goes on. The design asks for a cosine of 0.6 between a blended query and the prediction;
blended with up to 40 % of the prediction, unrelated prompts reach that too. `working.anticipate_similarity` is
therefore held against the probability that the talk goes on (`topic.continuity`), which needs no particular embedder.

What fails in the background was simply not prepared.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

from recollect.clock import SECOND_US
from recollect.config.window import WorkingSettings
from recollect.working.background import background, quietly
from recollect.working.likeness import Vector

Search = Callable[["Prediction"], Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prediction:
    """What will be asked next, as far as one can tell: words for a text search, a vector if there is an embedder."""

    text: str
    names: tuple[str, ...] = ()
    vector: Vector | None = field(default=None, repr=False)


class _Prepared(NamedTuple):
    at: int
    answer: Any


class Anticipation:
    """What one mind has prepared. Safe to use from several threads."""

    def __init__(self, executor: Executor | None = None) -> None:
        self._executor = executor
        self._lock = Lock()
        self._request = 0
        self._prepared: _Prepared | None = None
        self._expected = False
        self.asked = 0
        self.hits = 0

    def prepare(self, search: Search, prediction: Prediction, now: int) -> bool:
        """Run the search in the background; its answer replaces what was prepared before. False: too many wait."""
        with self._lock:
            self._request += 1
            self._prepared, self._expected = None, True
            number = self._request

        def work() -> None:
            with self._lock:
                if number != self._request:
                    return  # a newer one came while this waited
            answer = search(prediction)
            with self._lock:
                if number == self._request:
                    self._prepared = _Prepared(now, answer)

        if self._executor is not None:
            self._executor.submit(quietly, work)
            return True
        return background.submit(work)

    def take(self, goes_on: float, now: int, settings: WorkingSettings) -> Any | None:
        """What was prepared for this prompt; None when nothing is ready, it is too old, or the talk went elsewhere."""
        with self._lock:
            prepared, self._prepared = self._prepared, None
            self.asked += self._expected
            self._expected = False
            self._request += 1  # what is still running was for this prompt: it comes too late
            if prepared is None or now - prepared.at > settings.anticipate_ttl_s * SECOND_US:
                return None
            if goes_on <= settings.anticipate_similarity:
                return None
            self.hits += 1
            return prepared.answer

    def forget(self) -> None:
        """Nothing is prepared any more."""
        with self._lock:
            self._request += 1
            self._prepared, self._expected = None, False
