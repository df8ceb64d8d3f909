"""What hooks left is taken in: once, in order, whatever process dies at whatever moment.

A file of the spool gets a name of its own before it is read. Its events go in with a note of that name, in one
transaction, and then the file goes. Killed before the commit, a process leaves the file to the next; killed after it,
the next finds the name noted and only removes the file.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from recollect.clock import DAY_US, SECOND_US, Clock
from recollect.config import LiveConfig
from recollect.errors import RecollectError
from recollect.hook import places, spool
from recollect.model.observed import Observed
from recollect.model.scope import Scope
from recollect.observe.intake import HOOK, Arrival, Intake, joined
from recollect.store.base import Store, Tx

_log = logging.getLogger(__name__)
LOCK = "intake.lock"
TOLD_KEPT_S = 7 * 86_400.0  # what was said in a session that never ended


class SpoolIntake:
    """The spool of one store. `after` is called with what was taken in, once it is durable."""

    def __init__(
        self,
        store: Store,
        intake: Intake,
        config: LiveConfig,
        clock: Clock,
        after: Callable[[Observed], None] = lambda taken: None,
    ) -> None:
        self._store = store
        self._intake = intake
        self._config = config
        self._clock = clock
        self._after = after
        self.folder = None if store.path is None else Path(places.folder_of(str(store.path)))

    def take_quietly(self) -> None:
        """Take in what is there; what cannot be done now is left for later."""
        if self.folder is None or spool.is_empty(str(self.folder)):
            return
        try:
            self.take()
        except (RecollectError, OSError) as error:  # busy, full, read-only: the spool keeps
            _log.warning("spool not taken in: %s", getattr(error, "code", type(error).__name__))

    def take(self) -> Observed:
        """Take in all that hooks left until now. Only one process at a time does; the others have nothing to do."""
        if self.folder is None or spool.is_empty(str(self.folder)):
            return Observed()
        done = Observed()
        with open(self.folder / LOCK, "ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return done
            with suppress(FileNotFoundError):
                spool.set_aside(str(self.folder), str(self.folder / spool.CURRENT))
            for path in spool.waiting(str(self.folder)):
                done = joined(done, self._file(path))
        if done.taken:
            self._after(done)
        self._tidy()
        return done

    def _file(self, path: str) -> Observed:
        name = os.path.basename(path)
        data = spool.settled(path)
        events: list[tuple[int, Any]] = []
        cut = 0
        for index, body in enumerate(spool.frames(data)):
            try:
                if body is None:
                    raise ValueError
                events.append((index, orjson.loads(body)))
            except ValueError:
                cut += 1

        def work(tx: Tx) -> Observed:
            if tx.observed.was_taken(name):
                return Observed()
            now = self._clock()
            taken = self._intake.write(tx, events, Arrival(self._scope, HOOK, local=True))
            tx.observed.note_taken(name, at=now, events=taken.taken, cut=cut, forget_before=now - 30 * DAY_US)
            return taken

        done = self._store.write(work)
        os.unlink(path)
        return done

    def _scope(self, project: str | None) -> Scope:
        return Scope(project=project, user_id=self._config.current.user or None)

    def _tidy(self) -> None:
        """Remove what was noted of sessions that never ended."""
        assert self.folder is not None
        before = self._clock() / SECOND_US - TOLD_KEPT_S
        for path in self.folder.glob("told-*"):
            with suppress(OSError):
                if path.stat().st_mtime < before:
                    path.unlink()
