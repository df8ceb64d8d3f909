"""A mind for tests: the default settings, a clock that stands still until told, and an embedder of words or none."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

from ticking import START

from recollect.clock import SECOND_US, to_us
from recollect.config.window import WorkingSettings
from recollect.providers.base import Embedder
from recollect.providers.registry import make_embedder
from recollect.providers.tokens import counter_for
from recollect.working.mind import Mind


class Standing:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = to_us(START)

    def __call__(self) -> int:
        return self.now

    def skip(self, *, seconds: float = 0.0, minutes: float = 0.0, hours: float = 0.0) -> None:
        self.now += round((seconds + 60 * minutes + 3600 * hours) * SECOND_US)


class AtOnce(Executor):
    """Runs what it is given before it returns."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def a_mind(
    clock: Standing, *, embedder: Embedder | str | None = "wordllama", executor: Executor | None = None, **settings: Any
) -> Mind:
    chosen = WorkingSettings(**settings)
    return Mind(
        settings=lambda: chosen,
        clock=clock,
        counter=counter_for(None),
        executor=executor,
        embedder=make_embedder(embedder) if isinstance(embedder, str) else embedder,
    )


def exchange(mind: Mind, clock: Standing, said: str, answered: str = "All right.", *, seconds: float = 40.0) -> Any:
    """Somebody says something and is answered; what the mind made of it."""
    clock.skip(seconds=seconds)
    heard = mind.heard(said)
    mind.answered(answered)
    return heard
