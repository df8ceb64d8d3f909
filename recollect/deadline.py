"""Until when an answer is wanted, for everything that is done on the way to it.

Whoever promises an answer in time says so (`within`); whoever works for it asks how much is left, and leaves out what
does not fit. What another program answers is waited for on a thread of its own (`TimedCalls`): a call into a library
cannot be broken off, but nobody has to wait for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from recollect.errors import ProviderUnavailable, SearchTimeout

T = TypeVar("T")


class Deadline:
    """A moment on a clock that does not jump. It may lie within another one, and is never later than that."""

    def __init__(self, seconds: float, within: Deadline | None = None) -> None:
        self._within = within
        self._at = time.monotonic() + seconds
        self.allowed_s = 0.0  # what did not count
        self.breaks_off = False  # whether statements of the database that run past it are broken off just now

    @property
    def left_s(self) -> float:
        """Seconds until then; below zero when it has passed."""
        own = self._at - time.monotonic()
        return own if self._within is None else min(own, self._within.left_s)

    @property
    def passed(self) -> bool:
        return self.left_s <= 0

    def look(self) -> bool:
        """For whoever works on a statement, every now and then: raises `SearchTimeout` where it is to be broken off."""
        if self.breaks_off and self.passed:
            raise SearchTimeout("the database was still looking when the time was over")
        return False

    def allow(self, seconds: float) -> None:
        """So many seconds do not count: a model of this process had to be read first."""
        self._at += seconds
        self.allowed_s += seconds
        if self._within is not None:
            self._within.allow(seconds)

    @contextmanager
    def breaking_off(self) -> Iterator[None]:
        """Inside, a statement of the database ends in `SearchTimeout` when the moment has passed."""
        before, self.breaks_off = self.breaks_off, True
        try:
            yield
        finally:
            self.breaks_off = before


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current() -> Deadline | None:
    """The deadline of what is being done on this thread; None where nobody waits."""
    return _CURRENT.get()


@contextmanager
def within(seconds: float) -> Iterator[Deadline]:
    """What is done inside is wanted in so many seconds, or by the deadline there is, if that is sooner."""
    deadline = Deadline(seconds, _CURRENT.get())
    token = _CURRENT.set(deadline)
    try:
        yield deadline
    finally:
        _CURRENT.reset(token)


@contextmanager
def unhurried() -> Iterator[None]:
    """What is done inside is done to its end, whoever waits."""
    token = _CURRENT.set(None)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class TimedCalls:
    """Calls of models that nobody waits for longer than is left.

    A call gets a share of what is left, so that something can be made of the rest without it. One that did not come
    back goes on by itself, and its answer is thrown away. As long as one is overdue nobody waits for another: it is
    tried again when it came back, or after a while, with so many out at once at most.
    """

    def __init__(self, share: float = 0.6, calls_max: int = 4, again_s: float = 30.0) -> None:
        self._share = share
        self._calls_max = calls_max
        self._again_s = again_s
        self._overdue: dict[Future[Any], float] = {}  # and since when
        self._lock = threading.Lock()

    def ask(
        self, name: str, call: Callable[[], T], late: Callable[[ProviderUnavailable], None] = lambda error: None
    ) -> T:
        """What the call gives, or raises. `ProviderUnavailable` when it has not come back by the deadline.

        `late` is told of that, for whoever keeps a note of models that cannot be had.
        """
        deadline = current()
        if deadline is None:
            return call()
        left_s = self._share * deadline.left_s
        if left_s <= 0:
            raise ProviderUnavailable(f"no time was left to ask {name}")
        self._refuse_while_overdue(name)
        answer: Future[T] = Future()
        context = copy_context()
        threading.Thread(target=context.run, args=(_fill, answer, call), name="recollect-ask", daemon=True).start()
        try:
            return answer.result(timeout=left_s)
        except TimeoutError:
            if answer.done():  # the call's own: it is handed on as it is
                raise
            with self._lock:
                self._overdue[answer] = time.monotonic()
            error = ProviderUnavailable(f"{name} did not answer within {left_s:.1f} s")
            late(error)
            raise error from None

    def _refuse_while_overdue(self, name: str) -> None:
        with self._lock:
            self._overdue = {each: since for each, since in self._overdue.items() if not each.done()}
            if not self._overdue:
                return
            waited_s = time.monotonic() - max(self._overdue.values())
            if waited_s < self._again_s or len(self._overdue) >= self._calls_max:
                raise ProviderUnavailable(f"{name} has not answered an earlier call for {waited_s:.0f} s")


def _fill(answer: Future[T], call: Callable[[], T]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:
        answer.set_exception(error)
