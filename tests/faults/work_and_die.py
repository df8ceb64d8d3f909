"""A process that forks for each order it hears: the child does a long work and kills itself at a point on the way.

A point is a call to the disk: each read, write, sync, truncation and removal that SQLite asks for, and each file that
Python opens, renames, links or removes. An order is one line, `{"folder", "work", "at"}`; the answer says whether the
child was killed and, if it was not, how many points there were.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import apsw
from ticking import Ticking

from faults.bad_disk import BadDisk, How
from faults.long_works import WORKS, opened
from faults.processes import say

FILES = ("open", "os.rename", "os.link", "os.remove", "os.truncate", "os.mkdir")


class Counting(BadDisk):
    """Counts points from `begin` on, and kills the process at one of them."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at, self.points = at, -1

    def pass_through(self, kind: str, place: str, *, longer: bool = False) -> How | None:
        self.point()
        return None

    def begin(self) -> None:
        self.points = 0

    def point(self) -> None:
        if self.points >= 0:
            if self.points == self.at:
                os.kill(os.getpid(), signal.SIGKILL)
            self.points += 1


def work(order: dict[str, Any]) -> int:
    """Do it, unless it is killed on the way. The number of its points."""
    disk = Counting(order["at"])
    sys.addaudithook(lambda event, _: disk.point() if event in FILES else None)
    folder, wanted = Path(order["folder"]), WORKS[order["work"]]
    disk.begin()  # opening the store belongs to it: so does what opening repairs
    with opened(folder / "m.db", wanted.embedder, Ticking()) as memory:
        wanted.run(memory, folder)
    return disk.points


def main() -> None:
    apsw.config(apsw.SQLITE_CONFIG_LOG, None)
    say("ready")
    for line in sys.stdin:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.write(writer, str(work(json.loads(line))).encode())
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(writer)
        points = os.read(reader, 100).decode()
        os.close(reader)
        _, status = os.waitpid(child, 0)
        say({"killed": os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "points": int(points or 0)})


if __name__ == "__main__":
    main()
