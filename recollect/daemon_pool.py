"""Threads for calls that may never come back: nobody waits for them longer than they want, nor does the process.

Python joins the threads of its own pools before a process ends, so one model that never answers keeps a server for as
long as it likes. A call into a library cannot be broken off; these are daemon threads, which end with the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class DaemonPool(Executor):
    """So many threads at most, each begun when there is work for it. Whoever owns them says how long they count."""

    def __init__(self, threads: int, name: str) -> None:
        self._threads_max = threads
        self._name = name
        self._begun: list[threading.Thread] = []
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._changed = threading.Condition()
        self._unfinished = 0
        self._closed = False
        self._given_up = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        with self._changed:
            if self._closed:
                raise RuntimeError("these threads take nothing new")
            self._unfinished += 1
            self._queue.put((future, partial(fn, *args, **kwargs)))
            if len(self._begun) < min(self._unfinished, self._threads_max):
                name = f"{self._name}_{len(self._begun)}"
                self._begun.append(threading.Thread(target=self._serve, name=name, daemon=True))
                self._begun[-1].start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._end(cancel=cancel_futures)
        if wait:
            self._wait(None)

    def close(self, seconds: float) -> bool:
        """Begin nothing any more, and wait so long for what runs; whether all of it has ended."""
        self._end(cancel=True)
        return self._wait(seconds)

    def give_up(self) -> None:
        """Whoever waits for the end waits no longer."""
        with self._changed:
            self._given_up = True
            self._changed.notify_all()

    def _end(self, *, cancel: bool) -> None:
        with self._changed:
            if not self._closed:
                self._closed = True
                for _ in self._begun:
                    self._queue.put(None)
        if cancel:
            self._cancel_waiting()

    def _cancel_waiting(self) -> None:
        words_to_stop = 0
        with suppress(Empty):
            while True:
                if (job := self._queue.get_nowait()) is None:
                    words_to_stop += 1
                else:
                    job[0].cancel()
                    self._one_less()
        for _ in range(words_to_stop):
            self._queue.put(None)

    def _wait(self, seconds: float | None) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._given_up or not self._unfinished, seconds)
            done = not self._unfinished
        if done:
            for thread in self._begun:
                thread.join()
        return done

    def _serve(self) -> None:
        while (job := self._queue.get()) is not None:
            _do(*job)
            del job  # what it holds is nobody's while the next one is waited for
            self._one_less()

    def _one_less(self) -> None:
        with self._changed:
            self._unfinished -= 1
            self._changed.notify_all()


def _do(future: Future[T], work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        answer = work()
    except BaseException as error:
        future.set_exception(error)
        del future, work  # the error knows this frame
    else:
        future.set_result(answer)
