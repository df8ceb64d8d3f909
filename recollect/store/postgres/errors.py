"""PostgreSQL's errors in our words. The only place that knows both trees.

Of a server's message only the first line is told: what follows may quote what people stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout, TooManyRequests

from recollect.errors import (
    DiskFull,
    RecollectError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreReadOnly,
    StoreUnavailable,
    UsageError,
)

_Build = Callable[[str], RecollectError]
_GONE = "the database server cannot be reached or closed the connection; nothing acknowledged is lost, try again"


def _away(told: str) -> RecollectError:
    return StoreUnavailable(f"{_GONE} ({told})")


def _busy(told: str) -> RecollectError:
    return StoreBusy(f"the database is busy ({told}); try again")


# By SQLSTATE, or by its class of two letters.
_BY_STATE: dict[str, _Build] = {
    "08": _away,
    "57P": _away,
    "57P03": lambda told: StoreUnavailable(f"the database server is starting or stopping ({told}); try again"),
    "57P04": lambda told: StoreError("the database was dropped while it was open"),
    "57014": lambda told: StoreBusy(
        f"a statement took longer than it may ({told}); try again, or raise store.statement_timeout_s"
    ),
    "28": lambda told: StoreLocked(
        f"the server refused the login ({told}); check user and password of the URL, PGPASSWORD and pg_hba.conf"
    ),
    "3D000": lambda told: StoreError(f"{told}; create it first: createdb NAME"),
    "3F000": lambda told: StoreError(f"{told}; create it, or let a role that may create schemas open the store once"),
    "42501": lambda told: StoreReadOnly(
        f"the role may not do that ({told}); docs/postgres.md lists the rights a role needs"
    ),
    "25006": lambda told: StoreReadOnly(
        "the server is a read-only replica; give the URL of the primary, or several hosts and "
        "target_session_attrs=primary"
    ),
    "53100": lambda told: DiskFull("no space left on the server's disk; free some and try again, nothing was lost"),
    "53300": lambda told: StoreBusy(
        "the server has no connection left; lower store.readers, use a pooler, or raise max_connections"
    ),
    "53": _busy,
    "55P03": lambda told: StoreBusy("another process held the write lock too long; try again"),
    "40": _busy,
    "XX001": lambda told: StoreDamaged(f"the database is damaged ({told}); restore it from a backup"),
    "XX002": lambda told: StoreDamaged(f"an index of the database is damaged ({told}); run REINDEX"),
    "22": lambda told: StoreError("the database refused a value"),
}


def translate(error: psycopg.Error) -> RecollectError:
    """The error of our tree that tells a caller what to do about PostgreSQL's."""
    told = first_line(error)
    state = error.sqlstate
    if isinstance(error, PoolTimeout | TooManyRequests):
        return StoreBusy(
            "no connection to the database came free in time; try again, or raise store.readers",
        )
    if isinstance(error, PoolClosed):
        return StoreClosed("this memory is closed; open it again")
    if state is None:
        if isinstance(error, psycopg.DataError):
            return UsageError(
                "PostgreSQL keeps no text with a NUL character, and no broken Unicode; nothing was written"
            )
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return _login_refused(error, told) or _away(told)
        return StoreError(f"the database refused: {told}")
    for key in (state, state[:3], state[:2]):
        if key in _BY_STATE:
            return _BY_STATE[key](told)
    return StoreError(f"the database refused: {told}")


def _login_refused(error: psycopg.Error, told: str) -> RecollectError | None:
    """What a server answered to a login comes without a state: libpq hands on its words alone."""
    text = str(error)
    for part, key in (
        ("password authentication failed", "28"),
        ("no password supplied", "28"),
        ("no pg_hba.conf entry", "28"),
        ("pg_hba.conf rejects", "28"),
        ("role", "28"),
        ("too many clients", "53300"),
        ("remaining connection slots", "53300"),
        ("starting up", "57P03"),
        ("shutting down", "57P03"),
    ):
        if part in text and (part != "role" or "does not exist" in text):
            return _BY_STATE[key](told)
    if "database" in text and "does not exist" in text:
        return _BY_STATE["3D000"](told)
    return None


def is_gone(error: BaseException) -> bool:
    """Whether the connection is no more: what was under way on it did not happen, unless it was the commit."""
    return isinstance(error, psycopg.Error) and isinstance(translate(error), StoreUnavailable)


def first_line(error: psycopg.Error) -> str:
    """What the server said, without the lines that may quote what was stored."""
    told = error.diag.message_primary or str(error).strip().split("\n")[0]
    return told.rpartition("FATAL:  ")[2][:200]  # libpq puts the way to the server before what it answered


@contextmanager
def postgres_errors() -> Iterator[None]:
    """Raise ours where PostgreSQL's driver raises its own."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error) from error
