"""How far long work is, told to whoever watches. Nobody has to: without a watcher nothing is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[int, int], None]  # (done, total), both in bytes

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """Have everything that happens inside, in this thread or task, report to a watcher."""
    token = _watcher.set(by)
    try:
        yield
    finally:
        _watcher.reset(token)


def report(done: int, total: int) -> None:
    watcher = _watcher.get()
    if watcher is not None:
        watcher(done, total)
