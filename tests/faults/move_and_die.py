"""A process that moves a store and is killed at a step: after so many portions, or just before or after the switch."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from faults.processes import say
from recollect.exchange import moving


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(source: str, target: str, step: str) -> None:
    name, _, number = step.partition(":")
    wanted = int(number or 1)
    really = getattr(moving._Move, f"_{name.removeprefix('after_')}")
    calls = 0

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == wanted and not name.startswith("after_"):
            _die()
        answer = really(self, *args, **kwargs)
        if calls == wanted:
            _die()
        return answer

    setattr(moving._Move, f"_{name.removeprefix('after_')}", counted)
    say({"did": moving.move(source, target).did, "calls": calls})


if __name__ == "__main__":
    main(*sys.argv[1:])
