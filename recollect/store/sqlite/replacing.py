"""A backup put into the place of a store that nobody has open. Killed anywhere, one of the two is in place, whole."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import apsw

from recollect.errors import StoreBusy, StoreDamaged, StoreError, StoreLocked, StoreReadOnly
from recollect.store.place import make_folder, sync_folder
from recollect.store.sqlite.connection import PLAIN_HEADER, Opening
from recollect.store.sqlite.guard import is_held
from recollect.store.sqlite.migrate import APPLICATION_ID
from recollect.store.sqlite.rewriting import alone_with

_COMING = ".restoring"
_OURS = frozenset({"migration", "operation", "record"})  # a store whose own mark is damaged has these


def put_in_place(opening: Opening, backup: Path, *, aside: str | None) -> Path | None:
    """Put a copy of a backup into the place that `opening` names.

    `aside` is the ending under which a file that cannot be read is kept, with its log: where that is now. A sound file
    is replaced; whoever calls has a backup of it. `StoreBusy` if it is open elsewhere.
    """
    place = Path(opening.path)
    coming = Path(f"{place}{_COMING}")
    try:
        make_folder(place.parent)
        _copy(backup, coming)
        if not place.exists():
            os.replace(coming, place)
            kept = None
        elif aside is None:
            with alone_with(opening):  # folds its log, and keeps others out until the new file is there
                os.replace(coming, place)
            kept = None
        else:
            kept = _exchange_damaged(place, coming, aside)
        sync_folder(place.parent)
    except OSError as error:
        raise StoreError(f"the backup could not be put at {place}: {error.strerror}; nothing was changed") from None
    finally:
        coming.unlink(missing_ok=True)
    return kept


def check_replaceable(place: str) -> None:
    """Refuse, before anything is done, what a backup must not replace: a file that may not be written, and one that
    another program keeps its data in."""
    path = Path(place)
    if not path.exists():
        return
    if not path.is_file():
        raise StoreError(f"{path} is not a file; give the path of one")
    if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
        raise StoreReadOnly(f"{path} is read-only; make it writable (chmod u+w), then restore. Nothing was changed")
    if _is_foreign(path):
        raise StoreDamaged(
            f"{path} is a SQLite database of another program, which is never replaced: move it away, then "
            "`recollect restore`. Nothing was changed"
        )


def _is_foreign(path: Path) -> bool:
    """Whether it is a plain database that opens, and has tables but none of ours."""
    with path.open("rb") as file:
        if file.read(len(PLAIN_HEADER)) != PLAIN_HEADER:
            return False
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        names = {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        return bool(names) and db.pragma("application_id") != APPLICATION_ID and not names & _OURS
    except apsw.Error:  # damaged, or in use: whoever opens it says so
        return False
    finally:
        db.close()


def is_sound(opening: Opening) -> bool:
    """Whether the file opens and every page of it can be read. `StoreBusy` if somebody has it open."""
    if not Path(opening.path).exists():
        return False
    try:
        if not os.path.getsize(opening.path):  # SQLite would begin it anew, and throw away the log beside it
            return False
        with alone_with(opening) as db:
            if not db.execute("SELECT count(*) FROM sqlite_schema").get:
                return False
            if db.pragma("application_id") != APPLICATION_ID:
                return False
            return [row[0] for row in db.execute("PRAGMA quick_check(1)")] == ["ok"]
    except (StoreDamaged, StoreLocked):
        return False
    except StoreBusy:
        raise
    except StoreError:
        return False


def _exchange_damaged(place: Path, coming: Path, aside: str) -> Path:
    """Set a file aside that SQLite does not open, with its log, which must not be played into the new one."""
    if is_held(str(place)):
        raise StoreBusy(f"{place} is open elsewhere: end that process, then try again. Nothing was changed")
    kept = Path(f"{place}{aside}")
    with suppress(FileNotFoundError):
        os.rename(f"{place}-wal", f"{kept}-wal")
    os.link(place, kept)
    os.replace(coming, place)
    Path(f"{place}-shm").unlink(missing_ok=True)
    return kept


def _copy(backup: Path, coming: Path) -> None:
    coming.unlink(missing_ok=True)
    descriptor = os.open(coming, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as target, backup.open("rb") as source:
        shutil.copyfileobj(source, target, 1 << 20)
        target.flush()
        os.fsync(target.fileno())
