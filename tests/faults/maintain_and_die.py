"""A process that does a night's work on a store and is killed when so many portions of it are durable."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from ticking import Ticking

import recollect
from faults.processes import say
from recollect.upkeep.runs.run import Run


def main(path: str, portions: int, now: int) -> None:
    portion = Run.portion
    done = 0

    def counted(self: Run, work: Any) -> Any:
        nonlocal done
        if done == portions:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        return portion(self, work)

    Run.portion = counted  # type: ignore[method-assign]
    clock = Ticking()
    clock.now = now
    with recollect.open(path, embedder="fake", clock=clock, config={"upkeep.after_session": False}) as memory:
        say({"state": memory.maintain().state, "portions": done})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
