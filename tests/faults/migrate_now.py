"""A process that takes a store one schema step further the moment it is told to."""

from __future__ import annotations

import sys

import apsw

from faults.processes import say
from recollect.errors import RecollectError
from recollect.store.sqlite.migrate import migrate, steps


def main(path: str, sql: str) -> None:
    db = apsw.Connection(path)
    db.set_busy_timeout(30_000)
    newest = steps()[-1][0]
    say("ready")
    sys.stdin.readline()
    try:
        say(migrate(db, path, [*steps(), (newest + 1, "next", sql)]))
    except RecollectError as error:
        say(error.code)
    db.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
