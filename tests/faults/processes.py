"""Starting real processes on one store, and hearing from them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import recollect

HERE = Path(__file__).parent
ENVIRONMENT = {
    "PATH": os.environ.get("PATH", ""),
    "HOME": os.environ.get("HOME", "/"),
    "PYTHONPATH": os.pathsep.join([str(Path(recollect.__file__).parents[1]), str(HERE.parent)]),
}


@contextmanager
def started(script: str, *args: Any) -> Iterator[subprocess.Popen[str]]:
    """A Python process running one of the scripts beside this file; killed at the end if it still lives."""
    command = [sys.executable, "-W", "error", str(HERE / script), *map(str, args)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()
        process.wait()


def heard(process: subprocess.Popen[str]) -> Any:
    """The next message of a process, or None when it has said its last; a torn last line is no message."""
    line = _out(process).readline()
    return json.loads(line) if line.endswith("\n") else None


def rest(process: subprocess.Popen[str]) -> list[Any]:
    """Everything it managed to say before it ended."""
    messages = []
    while (message := heard(process)) is not None:
        messages.append(message)
    return messages


def told(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(word + "\n")
    process.stdin.flush()


def say(message: Any) -> None:
    """For the scripts: one message in one write, so that a kill leaves whole lines."""
    os.write(1, (json.dumps(message) + "\n").encode())


def _out(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout
