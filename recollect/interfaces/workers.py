"""Several processes behind one socket: Python computes on one core at a time, a machine has more.

The first process becomes the lead: it starts the others, starts again those that fall over, and passes on the word to
stop. It never opens the store, so that nothing of a library is copied into a process where it would not work. Each
worker opens the store for itself, as any other process would.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from recollect.errors import UsageError

TICK_S = 0.02
PAUSE_S = 0.5  # before a worker that fell over is started again
PATIENCE_S = 5.0  # beyond the time to finish what runs and to close, before a worker is killed
AGAIN_S = 0.5  # between two words to stop; one word often comes twice: to the group, and to the process
HURRY = getattr(signal, "SIGUSR1", signal.SIGTERM)  # the lead's word to a worker: wait for nothing any more
FIGURES = "PROMETHEUS_MULTIPROC_DIR"  # where the processes of a server keep their figures; read when that library loads


@dataclass
class WorkerPlace:
    """Where a worker stands: which it is, and the folder with the figures of all of them."""

    number: int = 0
    figures: Path | None = None
    _ready: int | None = None  # the end of a pipe to say so

    @property
    def first(self) -> bool:
        return self.number == 0

    @property
    def shared(self) -> bool:
        """Whether there are others."""
        return self.figures is not None

    def ready(self) -> None:
        """Tell the lead that this one serves."""
        if self._ready is not None:
            os.write(self._ready, b".")
            os.close(self._ready)
            self._ready = None


@dataclass
class _Worker:
    pid: int
    number: int
    ready: int  # the lead's end of its pipe
    serves: bool = False


class Crew:
    """A number of workers and their lead."""

    def __init__(self, count: int, *, ends_in_s: float) -> None:
        if count > 1 and not hasattr(os, "fork"):
            raise UsageError("several workers need fork, which this system lacks; leave --workers out")
        self._count = count
        self._ends_in_s = ends_in_s  # a worker that was told to stop
        self._workers: dict[int, _Worker] = {}
        self._told_to_stop: float | None = None  # when
        self._told_again = False
        self._proven = False  # that a worker can serve at all

    def work(self) -> WorkerPlace | int:
        """A place to work at, in each worker; in the lead the exit code, once all have gone.

        Call it before any thread is started. A worker leaves by ending its process.
        """
        if self._count == 1:
            return WorkerPlace()
        figures = Path(mkdtemp(prefix="recollect-figures-"))
        os.environ[FIGURES] = str(figures)
        alive = os.pipe()  # while the lead lives its end is open
        before = {each: signal.signal(each, self._hear) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            # The first alone: what is wrong with the store or the settings is said once.
            place = self._start(0, alive, figures) or self._lead(alive, figures)
            if isinstance(place, int):
                shutil.rmtree(figures, ignore_errors=True)
            return place
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def _hear(self, *_: object) -> None:
        if self._told_to_stop is None:
            self._told_to_stop = time.monotonic()
        self._told_again = time.monotonic() - self._told_to_stop > AGAIN_S

    def _start(self, number: int, alive: tuple[int, int], figures: Path) -> WorkerPlace | None:
        """One more process: its place there, None here."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        pid = os.fork()
        if pid:
            os.close(writing)
            self._workers[pid] = _Worker(pid, number, reading)
            return None
        for each in (reading, alive[1], *(worker.ready for worker in self._workers.values())):
            os.close(each)
        threading.Thread(target=_stop_with_the_lead, args=alive[:1], daemon=True, name="recollect-lead").start()
        return WorkerPlace(number, figures, writing)

    def _lead(self, alive: tuple[int, int], figures: Path) -> WorkerPlace | int:
        code = 0
        while self._told_to_stop is None:
            self._see_who_serves()
            gone = self._gone()
            if gone is not None and not self._proven:
                code = gone or 1
                break
            time.sleep(TICK_S if gone is None else PAUSE_S)
            missing = set(range(self._count)) - {worker.number for worker in self._workers.values()}
            if missing and self._proven and (place := self._start(min(missing), alive, figures)):
                return place
        return self._stop() or code

    def _see_who_serves(self) -> None:
        for worker in self._workers.values():
            if not worker.serves:
                with suppress(BlockingIOError):
                    worker.serves = os.read(worker.ready, 1) == b"."
                self._proven |= worker.serves

    def _gone(self) -> int | None:
        """The exit code of a worker that has ended, 1 if something ended it; None while all are there."""
        pid, status = os.waitpid(-1, os.WNOHANG) if self._workers else (0, 0)
        worker = self._workers.pop(pid, None)
        if worker is None:
            return None
        os.close(worker.ready)
        _forget(pid)
        code = os.waitstatus_to_exitcode(status)
        return 0 if code == -signal.SIGTERM else code if code >= 0 else 1  # told to stop before it served

    def _stop(self) -> int:
        """Tell all; those that do not end in time are ended. The worst of their exit codes."""
        codes = [0]
        self._tell(signal.SIGTERM)
        until = time.monotonic() + self._ends_in_s + PATIENCE_S
        while self._workers and time.monotonic() < until:
            if self._told_again:
                self._told_again = False
                self._tell(HURRY)
            code = self._gone()
            codes.append(code or 0)
            time.sleep(TICK_S if code is None else 0)
        self._tell(signal.SIGKILL)
        while self._workers:
            codes.append(self._gone() or 0)
        return max(codes)

    def _tell(self, number: signal.Signals) -> None:
        for pid in self._workers:
            os.kill(pid, number)


def _forget(pid: int) -> None:
    """What a worker was doing ended with it; what it has done still counts."""
    for gone in Path(os.environ[FIGURES]).glob(f"gauge_live*_{pid}.db"):
        gone.unlink(missing_ok=True)


def _stop_with_the_lead(alive: int) -> None:
    """A worker whose lead is gone would serve forever, and nobody would know."""
    os.read(alive, 1)  # nothing is ever written: this is the end of the pipe
    os.kill(os.getpid(), signal.SIGTERM)
