"""A backup put into the place of a store that nobody has open. Killed anywhere, one of the two is in place, whole."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from recollect.errors import StoreBusy, StoreDamaged, StoreError, StoreLocked
from recollect.store.place import make_folder, sync_folder
from recollect.store.sqlite.connection import Opening
from recollect.store.sqlite.guard import is_held
from recollect.store.sqlite.rewriting import alone_with

_COMING = ".restoring"


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
