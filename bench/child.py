"""Measurements in fresh interpreters: nothing imported, cached or grown by the one before.

`run("bench.reads:search", …)` starts `python -m bench.child`, which calls that function with those arguments and
prints what it returns as one line of JSON. A function that has to begin together with others calls `gate()`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from typing import Any

_READY = "ready"
_TIMEOUT_S = 3_600


class ChildFailed(Exception):
    """A measurement ended with an error; its own words are in the message."""


class Child:
    """A measurement under way in its own process."""

    def __init__(self, function: str, **arguments: Any) -> None:
        self._function = function
        command = [sys.executable, "-m", "bench.child", function, json.dumps(arguments)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def ready(self) -> None:
        """Wait until it has reached its gate."""
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != _READY:
            self.result()
            raise ChildFailed(f"{self._function} ended before it was ready")

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def result(self) -> Any:
        out, err = self._process.communicate(timeout=_TIMEOUT_S)
        if self._process.returncode:
            raise ChildFailed(f"{self._function}: {err.strip() or 'no word of why'}")
        return json.loads(out.strip().splitlines()[-1])

    def stop(self) -> None:
        """End it if it has not ended."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


def run(function: str, **arguments: Any) -> Any:
    """What the function returns, called in a process of its own."""
    child = Child(function, **arguments)
    try:
        return child.result()
    finally:
        child.stop()


def together(children: list[Child]) -> list[Any]:
    """Let all of them reach their gates, open these at once, and collect what they return."""
    try:
        for child in children:
            child.ready()
        for child in children:
            child.go()
        return [child.result() for child in children]
    finally:
        for child in children:
            child.stop()


def gate() -> None:
    """Inside a child: say that everything is prepared, and wait for the word to begin."""
    print(_READY, flush=True)
    sys.stdin.readline()


def _main() -> None:
    module, _, function = sys.argv[1].partition(":")
    print(json.dumps(getattr(import_module(module), function)(**json.loads(sys.argv[2]))))


if __name__ == "__main__":
    _main()
