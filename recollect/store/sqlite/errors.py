"""SQLite's errors in our words. The only place that knows both trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

from recollect.errors import (
    DiskFull,
    RecollectError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
)

_CURE = "`recollect doctor` looks for a cure, `recollect restore` has backups"


def translate(error: apsw.Error) -> RecollectError:
    """The error of our tree that tells a caller what to do about SQLite's."""
    if "malformed JSON" in str(error):  # only JSON is ever written where the schema reads some
        return StoreDamaged(f"the database is damaged ({error}); {_CURE}")
    for theirs, build in _TRANSLATIONS:
        if isinstance(error, theirs):
            return build(error)
    return StoreError(f"the database refused: {error}")


@contextmanager
def sqlite_errors() -> Iterator[None]:
    """Raise ours where SQLite raises its own."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error) from error
    except UnicodeDecodeError as error:  # every text was UTF-8 when it was written
        raise StoreDamaged(f"the database is damaged (a text in it is none); {_CURE}") from error


_TRANSLATIONS: tuple[tuple[type[apsw.Error], Callable[[apsw.Error], RecollectError]], ...] = (
    (apsw.FullError, lambda e: DiskFull("no space left on the disk; free some and try again, nothing was lost")),
    (apsw.BusyError, lambda e: StoreBusy("another process holds the write lock; try again")),
    (apsw.LockedError, lambda e: StoreBusy("the database is locked; try again")),
    (apsw.ReadOnlyError, lambda e: StoreReadOnly("the file or its folder cannot be written; check its permissions")),
    (apsw.NotADBError, lambda e: StoreDamaged("the file is not a database, or it is encrypted with another key")),
    (
        apsw.CorruptError,
        lambda e: StoreDamaged(f"the database is damaged ({e}); {_CURE}"),
    ),
    (apsw.CantOpenError, lambda e: StoreError(f"the database cannot be opened ({e}); check the path and permissions")),
    (apsw.IOError, lambda e: StoreError(f"the disk failed ({e}); the write did not happen")),
    (apsw.TooBigError, lambda e: StoreError(f"a value is too big for the database ({e})")),
    (apsw.ConnectionClosedError, lambda e: StoreClosed("this memory is closed; open it again")),
)
