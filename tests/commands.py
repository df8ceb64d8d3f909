"""Commands of `recollect` as tests run them: in this process by the fixture `run`, in one of their own by `PROGRAM`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

PROGRAM = [sys.executable, "-c", "import sys; from recollect.interfaces.cli import main; sys.exit(main())"]


class Done(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


def alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting or key of whoever runs the tests, a home and a store of its own, no colours."""
    foreign = ("RECOLLECT_", "_RECOLLECT_", "OPENAI_", "ANTHROPIC_", "OLLAMA_")
    for name in [name for name in os.environ if name.startswith(foreign)]:
        monkeypatch.delenv(name)
    for name, value in {
        "HOME": str(home),
        "RECOLLECT_DB": str(home / "memory.db"),
        "RECOLLECT_EMBEDDER": "fake",
        "NO_COLOR": "1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home)
