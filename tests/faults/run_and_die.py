"""A process that runs upkeep on a store and kills itself at a given point, or waits there until it is killed."""

from __future__ import annotations

import os
import signal
import sys

from upkeep.counting_steps import Shelving, runner_of

import recollect
from faults.processes import say


def main(path: str, where: str, point: int) -> None:
    passed = 0

    def die(at: int) -> None:
        nonlocal passed
        passed += 1
        if passed > point:
            os.kill(os.getpid(), signal.SIGKILL)

    def meet(at: int) -> None:
        say("between")
        sys.stdin.readline()

    points = {"inside": {"inside": die}, "between": {"between": die}, "meet": {"between": meet}, "never": {}}[where]
    with recollect.open(path, embedder=None, config={"store.durable": False}) as memory:
        say("open")
        sys.stdin.readline()
        try:
            report = runner_of(memory).run("tidy", [Shelving(**points)])
        except recollect.errors.StoreBusy:
            say({"busy": True})
        else:
            say({"made": report.counts.get("made", 0), "state": report.state, "problems": list(report.problems)})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
