"""A thread that works beside the callers: begun by whoever needs it, by many at once, and stopped for good once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class OneThread:
    """At most one at a time, and none any more after `end`.

    Whoever begins it and whoever ends it may be different threads: a thread that is made but does not run yet cannot be
    waited for, so both happen under one lock.
    """

    def __init__(self, work: Callable[..., Any], name: str) -> None:
        self._work = work
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ended = False

    @property
    def runs(self) -> bool:
        """Whether it is at work now."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_this(self) -> bool:
        """Whether the caller is that thread."""
        return threading.current_thread() is self._thread

    def begin(self, *args: Any) -> None:
        """Have the work done, unless it is under way or has been ended."""
        with self._lock:
            if not self._ended and not self.runs:
                self._thread = threading.Thread(target=self._work, args=args, name=self._name, daemon=True)
                self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Until the work under way is done, or so long."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def end(self, seconds: float | None = None) -> None:
        """Begin it no more, and wait for what is under way. Telling the work to stop is the caller's part."""
        with self._lock:
            self._ended = True
        self.wait(seconds)
