"""Runs code nobody has read against a memory: bounded in what it can say, reach, use and take."""

from __future__ import annotations

import json
import logging
import math
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from recollect.errors import RecollectError, SandboxError, UsageError
from recollect.interfaces.repl.channel import FORKS, OUT_OF_MEMORY, BrokenFrameError, Frame, OversizeError
from recollect.interfaces.repl.functions import FUNCTIONS, MemoryHandle, call
from recollect.interfaces.repl.process import Child
from recollect.limits import SANDBOX_CHARS_MAX, SANDBOX_MEMORY_MB_MIN

SOURCE_CHARS_MAX = 200_000

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one run gave. `calls` counts the calls of memory functions."""

    result: Any
    output: str
    calls: int
    elapsed_ms: float
    variables: Mapping[str, Any] = field(default_factory=dict)


class Sandbox:
    """`run(code)` gives what the code left in `result`; every failure is a `SandboxError` that says why.

    The code has the memory functions of `FUNCTIONS`, the builtins of `policy.BUILTINS`, `print` and nothing
    else: no imports, no files, no network, no SQL. It sees what the given handle sees, so hand over a scoped
    one. What the memory refuses reaches the code as a `MemoryCallError` it can catch.

    A run cut off midway has no result, but memory calls that were made stay made: each is an ordinary
    operation, acknowledged before the code went on, and can be undone like any other. `time_s` covers the
    whole run, the time spent in the memory included; a call under way when it ends is finished first.

    Runs share nothing. The child process starts with the first run and is kept warm; it is replaced after a
    run that was killed or crashed. One run at a time: other threads wait. Close it, or use it in a `with`.
    """

    def __init__(
        self,
        memory: MemoryHandle,
        *,
        time_s: float | None = None,
        memory_mb: int | None = None,
        output_chars: int | None = None,
        result_chars: int | None = None,
        calls_max: int | None = None,
    ) -> None:
        """Limits that are not given are those of the memory's configuration, `sandbox.*`."""
        limits = memory.config.sandbox
        time_s = limits.time_s if time_s is None else time_s
        memory_mb = limits.memory_mb if memory_mb is None else memory_mb
        output_chars = limits.output_chars if output_chars is None else output_chars
        result_chars = limits.result_chars if result_chars is None else result_chars
        calls_max = limits.memory_calls if calls_max is None else calls_max
        if not 0 < time_s <= 3600:
            raise UsageError("time_s must be over 0 and at most an hour")
        if memory_mb < SANDBOX_MEMORY_MB_MIN:
            raise UsageError(f"memory_mb must be at least {SANDBOX_MEMORY_MB_MIN}")
        if not (0 <= output_chars <= SANDBOX_CHARS_MAX and 0 < result_chars <= SANDBOX_CHARS_MAX and calls_max >= 0):
            raise UsageError(f"output_chars, result_chars (up to {SANDBOX_CHARS_MAX}) and calls_max cannot be negative")
        self._memory = memory
        self._time_s = time_s
        self._memory_mb = memory_mb
        self._output_chars = output_chars
        self._result_chars = result_chars
        self._calls_max = calls_max
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._closed = False
        self._warned = False

    def run(self, code: str) -> Any:
        """What the code left in `result`, or None. Tuples and sets come back as lists."""
        return self.execute(code).result

    def execute(self, code: str, *, variables: Mapping[str, Any] | None = None) -> Outcome:
        """Run the code and tell all.

        Given `variables`, it starts with these plain values as globals, and the plain values among its own
        globals come back in `Outcome.variables`: that is how a shell goes on from line to line.
        A `SandboxError` of code that printed before it failed carries the output as a note.
        """
        if len(code) > SOURCE_CHARS_MAX:
            raise SandboxError(f"the code is {len(code)} characters, over the limit of {SOURCE_CHARS_MAX}")
        for name in variables or ():
            if not name.isidentifier() or name.startswith("_"):
                raise UsageError(f"{name!r} is not the name of a variable in the sandbox")
        with self._lock:
            if self._closed:
                raise SandboxError("the sandbox is closed")
            child = self._ready_child()
            began = time.perf_counter()
            try:
                with child.deadline(self._time_s):
                    answer, calls = self._converse(child, code, variables)
            except BaseException:
                self._discard()  # whatever state it is in, the next run gets a fresh one
                raise
            elapsed_ms = (time.perf_counter() - began) * 1000
        self._warn_of(answer["unlimited"])
        if "failed" in answer:
            raise _failure(answer["failed"], answer["output"])
        return Outcome(
            result=json.loads(answer["result"]),
            output=answer["output"],
            calls=calls,
            elapsed_ms=elapsed_ms,
            variables={name: json.loads(text) for name, text in answer["variables"].items()},
        )

    def close(self) -> None:
        """Stop the child process. Closing twice is fine; running afterwards is a `SandboxError`."""
        with self._lock:
            self._closed = True
            self._discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ready_child(self) -> Child:
        if self._child is not None and not (FORKS and self._child.alive):
            self._discard()
        if self._child is None:
            self._child = Child()
        return self._child

    def _discard(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None

    def _converse(self, child: Child, code: str, variables: Mapping[str, Any] | None) -> tuple[Frame, int]:
        """Send the code and serve its calls until the run has ended."""
        self._request(child, code, variables)
        answer: Frame | None = None
        calls = 0
        while True:
            try:
                frame = child.receive()
            except BrokenFrameError:
                raise SandboxError("the sandbox process sent something unreadable and was stopped") from None
            if frame is None:
                raise SandboxError(self._why_gone(child))
            if "call" in frame:
                calls += 1
                if calls > self._calls_max:
                    raise SandboxError(f"the code made more than {self._calls_max} memory calls and was stopped")
                self._serve(child, frame)
            elif "end" not in frame:
                answer = frame
            elif answer is None:
                raise SandboxError(self._why_ended(frame["end"]))
            else:
                return answer, calls

    def _request(self, child: Child, code: str, variables: Mapping[str, Any] | None) -> None:
        request = {
            "code": code,
            "functions": list(FUNCTIONS),
            "variables": None if variables is None else dict(variables),
            "memory_mb": self._memory_mb,
            "cpu_s": math.ceil(self._time_s) + 1,
            "output_chars": self._output_chars,
            "result_chars": self._result_chars,
        }
        try:
            child.send(request)
        except (TypeError, ValueError) as exc:  # a lone surrogate in the code, an object among the variables
            raise SandboxError(f"the code or its variables cannot be sent: {exc}") from None

    def _serve(self, child: Child, frame: Frame) -> None:
        """Do one memory call. Errors of our own tree go in, as two texts; a bug of ours goes up."""
        try:
            child.send({"value": call(self._memory, frame["call"], frame.get("args"), frame.get("kwargs"))})
        except OversizeError:
            child.send({"error": "the answer is too large: ask for fewer records", "code": UsageError.code})
        except RecollectError as exc:
            child.send({"error": exc.message, "code": exc.code})

    def _warn_of(self, unlimited: Sequence[str]) -> None:
        if unlimited and not self._warned:
            self._warned = True
            log.warning("this platform does not enforce %s on sandboxed code", ", ".join(unlimited))

    def _why_gone(self, child: Child) -> str:
        if child.expired:
            return f"the code ran longer than {self._time_s:g} s and was stopped"
        return "the sandbox process was killed from outside"

    def _why_ended(self, exit_code: int) -> str:
        if exit_code == OUT_OF_MEMORY:
            return f"the code used more than {self._memory_mb} MB of memory"
        if exit_code == -getattr(signal, "SIGXCPU", 0):
            return f"the code used more than {math.ceil(self._time_s) + 1} s of processor time"
        return f"the code crashed its interpreter (exit code {exit_code}), as runaway recursion or memory can"


def _failure(message: str, output: str) -> SandboxError:
    error = SandboxError(message)
    if output:
        error.add_note(output)
    return error
