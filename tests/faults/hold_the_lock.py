"""A process that takes the write lock of a store and keeps it until it is told to let go."""

from __future__ import annotations

import sys

import apsw

import recollect
from faults.processes import say


def main(path: str) -> None:
    recollect.open(path, embedder="fake").close()
    db = apsw.Connection(path)
    db.execute("BEGIN IMMEDIATE")
    say("locked")
    sys.stdin.readline()
    db.execute("ROLLBACK")
    db.close()
    say("released")


if __name__ == "__main__":
    main(sys.argv[1])
