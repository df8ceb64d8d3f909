"""A process that opens a store the moment it is told to, adds some records and says their ids."""

from __future__ import annotations

import sys

import recollect
from faults.processes import say


def main(path: str, name: str) -> None:
    say("ready")
    sys.stdin.readline()
    with recollect.open(path, embedder="fake") as memory:
        say([memory.add(f"{name} says {word}").id for word in ("tea", "rome", "helix")])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
