"""Keeping a project's graph current while people and agents work on it: told of changes by the system, or by looking.

With the extra `watch` the system tells which files change (`watchfiles`). Without it, or where the system cannot, all
files are looked at every `codegraph.watch_s`, by size and time. Changes that come in a row, such as those of a switch
of branches or a rebase, are waited for and taken in at once. What is taken in is in the store after each update, so a
watch may end at any moment.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.code.families import language_of
from recollect.config.coding import CodeGraphSettings
from recollect.errors import RecollectError
from recollect.model.result import Report

if TYPE_CHECKING:
    from recollect.code.indexing import Indexed

_log = logging.getLogger(__name__)
NO_WATCHFILES = "files are looked at every {} s; to be told of changes: pip install 'recollect[watch]'"
CANNOT_WATCH = "the system cannot watch so many files; they are looked at every {} s"
GONE = "the project is gone"
_TURN_MS = 500  # after which it is seen that the watch is to stop
_LOOK_TURNS = 120  # turns without news after which all files are looked at anyway: a system may lose some
_GIT_ROUNDS_MAX = 100  # a lock that was left behind is not waited for for ever
_GIT_ROUND_S = 0.1
_TRIES = 10


class ProjectWatch:
    """One project that is watched. `take_in` brings its graph up to date, and says None where nothing had changed."""

    def __init__(self, root: Path, settings: CodeGraphSettings, take_in: Callable[[], Indexed | None]) -> None:
        self.root = root
        self.stop = threading.Event()
        self._settings = settings
        self._take_in = take_in
        self._warnings: dict[str, None] = {}
        self._counts = {"updates": 0, "read": 0, "resolved": 0, "gone": 0}

    def run(self, seconds: float | None = None) -> Report:
        """Watch until it is stopped, interrupted, or that many seconds are over; what was taken in meanwhile."""
        timer = None if seconds is None else threading.Timer(seconds, self.stop.set)
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            with _ended_by_signal(self.stop), suppress(KeyboardInterrupt):
                self._watch()
        finally:
            self.stop.set()
            if timer is not None:
                timer.cancel()
        return Report(figures={"root": str(self.root), **self._counts}, warnings=tuple(self._warnings))

    def _watch(self) -> None:
        for _ in self._news():
            self._wait_for_git()
            if self.stop.is_set():
                return
            if not self.root.is_dir():
                self._warnings[GONE] = None
                return
            done = self._taken_in()
            if done is not None:
                self._counts["updates"] += 1
                for name in ("read", "resolved", "gone"):
                    self._counts[name] += getattr(done, name)
                _log.info("taken in: %d files read, %d resolved, %d gone", done.read, done.resolved, done.gone)

    def _taken_in(self) -> Indexed | None:
        """What an update came to. A store that is busy or a full disk may pass: it is tried again for a while."""
        for left in reversed(range(_TRIES)):
            try:
                return self._take_in()
            except RecollectError as error:
                self._warnings[str(error)] = None
                if not left:
                    raise
                if self.stop.wait(self._settings.watch_s):
                    break
        return None

    def _wait_for_git(self) -> None:
        """While git writes, files come and go: one update afterwards is enough."""
        lock = self.root / ".git" / "index.lock"
        for _ in range(_GIT_ROUNDS_MAX):
            if not lock.exists() or self.stop.wait(_GIT_ROUND_S):
                return

    def _news(self) -> Iterator[None]:
        """A turn whenever something may have changed, the first one at once."""
        try:
            yield from self._told()
        except ImportError:
            self._warnings[NO_WATCHFILES.format(f"{self._settings.watch_s:g}")] = None
        except OSError:
            if not self.root.is_dir():
                yield None
                return
            self._warnings[CANNOT_WATCH.format(f"{self._settings.watch_s:g}")] = None
        yield None
        while not self.stop.wait(self._settings.watch_s):
            yield None

    def _told(self) -> Iterator[None]:
        """By the system: changes of one moment together."""
        from watchfiles import DefaultFilter, watch

        usual = DefaultFilter()  # neither .git nor what tools fill

        def counts(change: Any, path: str) -> bool:
            """Whether it may change a graph: code, its settings, .gitignore, a folder, what is gone."""
            name = os.path.basename(path)
            known = name == ".gitignore" or language_of(name) is not None or not os.path.isfile(path)
            return known and usual(change, path)

        settle_ms = max(1, int(self._settings.settle_s * 1000))
        quiet = _LOOK_TURNS
        for changes in watch(
            self.root,
            watch_filter=counts,
            debounce=20 * settle_ms,
            step=settle_ms,
            stop_event=self.stop,
            rust_timeout=_TURN_MS,
            yield_on_timeout=True,
        ):
            quiet = 0 if changes else quiet + 1
            if changes or quiet >= _LOOK_TURNS or not self.root.is_dir():
                quiet = 0
                yield None


@contextmanager
def _ended_by_signal(stop: threading.Event) -> Iterator[None]:
    """A request to end stops a watch as Ctrl-C does; only the main thread can be asked."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
