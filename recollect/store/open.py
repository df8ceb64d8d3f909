"""A URL to a store. The only place that picks a database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.config import Config
from recollect.errors import MissingExtra, UsageError
from recollect.store.backup_folder import SUFFIX as BACKUPS
from recollect.store.backup_folder import BackupFolder
from recollect.store.base import FileKey, Store, Tx
from recollect.store.place import place_decoy
from recollect.store.sqlite.connection import PLAIN_HEADER, Opening, SqliteStatements, connect, readable
from recollect.store.sqlite.copying import check_copy, newest_of
from recollect.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from recollect.store.sqlite.rescue import Salvage

NO_FILE = (
    "a store in PostgreSQL has no file to encrypt: encrypt the disk of the server, and require TLS "
    "(sslmode=verify-full); "
    "docs/postgres.md"
)


def store_path(url: str | os.PathLike[str] | None, config: Config) -> str:
    """The full path for a path, `sqlite:///path`, `:memory:`, or nothing (`$RECOLLECT_DB`, then the default file)."""
    if not isinstance(url, str | os.PathLike | None):
        raise UsageError(f"a memory is opened by the path of its file, not by {type(url).__name__}")
    text = os.fspath(url) if url is not None else (config.db or Config().db)
    if is_server(text):
        return text
    text = text.removeprefix("sqlite:///")
    if not text.strip() or "\x00" in text:
        raise UsageError("give the path of a database file, or ':memory:'")
    return text if text == ":memory:" else str(Path(text).expanduser().absolute())


def open_store(
    url: str | os.PathLike[str] | None, *, key: FileKey, config: Config, create: bool = True, moving: bool = False
) -> Store:
    """The store at a place that `store_path` understands. `moving`: also one that was moved away, or is half full."""
    place = store_path(url, config)
    if is_server(place):
        return _open_server(place, key=key, config=config, create=create, moving=moving)
    opening = Opening(
        path=place,
        backups=backup_folder(place, config),
        before_changes=config.backups.before_changes,
        key=key,
        busy_timeout_s=config.store.busy_timeout_s,
        durable=config.store.durable,
        cache_mb=config.store.cache_mb,
        create=create,
        pad_bytes=config.security.pad_bytes if config.security.pad else 0,
        coarse_times=config.security.coarse_times,
        idle_checkpoint_s=config.security.idle_checkpoint_s,
        hidden=config.security.hide_files,
        moving=moving,
    )
    store = SqliteStore(opening, settings=config.store)
    if key is not None and config.security.decoy:
        place_decoy(store_path(None, Config()))
    return store


def backup_folder(place: str, config: Config) -> BackupFolder | None:
    """Where backups of the store at a place lie; None of one in memory."""
    settings = config.backups
    if place == ":memory:":
        return None
    if is_server(place):
        from recollect.store.postgres.connection import ServerOpening

        name = ServerOpening.of(place, config.store).folder_name
        folder = Path(settings.folder or Path(Config().db).parent / "backups") / name
    else:
        folder = Path(settings.folder) / Path(place).name if settings.folder else Path(f"{place}{BACKUPS}")
    ending = "dump" if is_server(place) else "db"
    return BackupFolder(folder.expanduser(), keep=settings.keep, coarse=config.security.coarse_times, ending=ending)


def is_server(place: str) -> bool:
    """Whether a place is the URL of a database server, not a file."""
    return place.startswith(("postgresql://", "postgres://"))


def _open_server(place: str, *, key: FileKey, config: Config, create: bool, moving: bool) -> Store:
    try:
        from recollect.store.postgres.connection import ServerOpening
        from recollect.store.postgres.store import PostgresStore
    except ImportError as error:
        if error.name is None or not error.name.startswith("psycopg"):
            raise
        raise MissingExtra("PostgreSQL needs a driver: pip install 'recollect[postgres]'") from None
    if key is not None:
        raise UsageError(f"{NO_FILE}; leave out key=")
    return PostgresStore(ServerOpening.of(place, config.store, create=create, moving=moving))


def opens_with(path: str, key: FileKey) -> bool:
    """Whether a file that is there can be read with this key. Nothing is changed."""
    return readable(Opening(path=path, key=key, create=False))


def is_encrypted(path: str) -> bool:
    """Whether there is a file that begins as no plain store does."""
    try:
        with open(path, "rb") as file:
            begun = file.read(len(PLAIN_HEADER))
    except OSError:
        return False
    return bool(begun) and begun != PLAIN_HEADER


def backup_faults(path: Path, *, key: FileKey) -> list[str]:
    """What is wrong with a backup of a file, in words; empty if nothing is."""
    return check_copy(path, key)


def newest_in_backup(path: Path, *, key: FileKey) -> tuple[str, int] | None:
    """(id, time) of the last thing that was done before a backup of a file was made."""
    return newest_of(path, key)


def check_replaceable(place: str) -> None:
    """Refuse to put a backup where it must not go: over a file that is read-only, or another program's."""
    from recollect.store.sqlite.replacing import check_replaceable as checked

    checked(place)


def store_is_sound(place: str, *, key: FileKey) -> bool:
    """Whether there is a store every page of which can be read; `StoreBusy` if somebody has it open."""
    from recollect.store.sqlite.replacing import is_sound

    return is_sound(Opening(path=place, key=key, create=False))


def put_backup_in_place(place: str, backup: Path, *, key: FileKey, aside: str | None) -> Path | None:
    """Put a backup where a store is that nobody has open; see `store.sqlite.replacing`."""
    from recollect.store.sqlite.replacing import put_in_place

    return put_in_place(Opening(path=place, key=key, create=False), backup, aside=aside)


def rescued(place: str, target: Path, *, key: FileKey) -> Salvage:
    """What can be read of a damaged file, in a new one; see `store.sqlite.rescue`."""
    from recollect.store.sqlite.rescue import rescue

    return rescue(Opening(path=place, key=key, create=False), target)


@contextmanager
def glance(url: str, *, key: FileKey, wait_s: float) -> Iterator[Tx | None]:
    """A quick look into a store that is there; None where there is none. Starts no writer and no thread."""
    path = Path(url.removeprefix("sqlite:///")).expanduser()
    if is_server(url) or not path.is_file() or not path.stat().st_size:
        yield None
        return
    with closing(connect(Opening(path=str(path), key=key, busy_timeout_s=wait_s))) as db:
        yield Tx(SqliteStatements(db))
