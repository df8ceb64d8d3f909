"""The child process as the sandbox holds it: started, spoken to, stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from recollect.errors import MissingExtra, SandboxError
from recollect.interfaces.repl.channel import Frame, PipeChannel

START_TIMEOUT_S = 20.0  # a cold disk, not a busy loop: nothing but our own code runs yet

# The folder becomes a package of another name, so `recollect` and the engine behind it are never imported.
BOOT = """
import sys, types
package = types.ModuleType("recollect_sandbox")
package.__path__ = [sys.argv[1]]
sys.modules["recollect_sandbox"] = package
sys.path.append(sys.argv[2])
from recollect_sandbox.worker import main
main()
"""
ENVIRONMENT_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")  # to find libpython; keys stay here


class Child:
    """One warm process. It holds no state worth saving, so the only way to stop it is to kill it."""

    def __init__(self) -> None:
        self.expired = False
        self._process = _start()
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _stop, self._process, self._owner)  # also at exit: no orphan, no zombie
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._channel = PipeChannel(self._process.stdout, self._process.stdin)
        with self.deadline(START_TIMEOUT_S):
            ready = self.receive()
        if ready is None:
            self.close()
            raise SandboxError(f"the sandbox process did not start (exit code {self._process.returncode})")

    @property
    def alive(self) -> bool:
        """Whether it can take a run. In a fork of our own process it cannot: the pipes are the parent's."""
        return not self.expired and self._owner == os.getpid() and self._process.poll() is None

    def send(self, frame: Frame) -> None:
        with suppress(BrokenPipeError):  # killed meanwhile; the next receive() says so
            self._channel.send(frame)

    def receive(self) -> Frame | None:
        """The next frame, or None when the process is gone."""
        return self._channel.receive()

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Kill the process when the block takes longer; whoever waits for it then sees its pipes end."""
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # after this `expired` is settled: no late kill meets the next run

    def close(self) -> None:
        self._end()

    def _expire(self) -> None:
        self.expired = True
        _kill(self._process)


def _start() -> subprocess.Popen[bytes]:
    found = find_spec("RestrictedPython")
    if found is None or found.origin is None:
        raise MissingExtra("the sandbox needs: pip install RestrictedPython")
    libraries = Path(found.origin).resolve().parents[1]
    # -I: no environment, no user folder, no current folder; -S: no .pth files, which may import anything.
    interpreter = [sys.executable, "-I", "-S", "-W", "ignore"]
    try:
        return subprocess.Popen(
            [*interpreter, "-c", BOOT, str(Path(__file__).resolve().parent), str(libraries)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            env={name: os.environ[name] for name in ENVIRONMENT_KEPT if name in os.environ},
            start_new_session=True,  # its fork dies with it, and Ctrl-C at a terminal reaches only us
        )
    except OSError as exc:
        raise SandboxError(f"the sandbox process cannot be started: {exc}") from exc


def _kill(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # macOS says EPERM of a group of zombies
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    if owner == os.getpid():  # a fork of ours has copies of the pipes, and no right to stop the child
        _kill(process)
        process.wait()
    for pipe in filter(None, (process.stdin, process.stdout)):
        with suppress(OSError):  # a half-written frame has nowhere to go
            pipe.close()
