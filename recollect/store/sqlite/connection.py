"""One SQLite connection, set up the way every one of ours is, and the statements run on it."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import time
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recollect.config.storage import StoreSettings
from recollect.errors import NotFound, StoreDamaged, StoreError, StoreLocked, StoreReadOnly, UsageError
from recollect.store.backup_folder import BackupFolder
from recollect.store.base import FileKey, HeldPages, PageKey, Params, Row, Tx
from recollect.store.place import make_folder
from recollect.store.sqlite.dialect import spelled
from recollect.store.sqlite.fts import Fts
from recollect.store.sqlite.migrate import APPLICATION_ID

if TYPE_CHECKING:
    from recollect.store.moving import Moving
    from recollect.store.near import NearSearch

PAGE_BYTES = 8192
KEY_BYTES = 32
ERASURE_DUE = "scrub_due"  # the key in `meta` under which the newest unfinished erasure is noted
PLAIN_HEADER = b"SQLite format 3\x00"
_WHOLE_HEADER = 4  # SQLCipher's own layout of version 4, which leaves no byte of the header plain
_SETUP_RETRIES = 200
_SETUP_PAUSE_S = 0.02
_DEFAULTS = StoreSettings()


@dataclass(frozen=True, kw_only=True)
class Opening:
    """How to open a file. `key` never appears in a repr, a log or an error."""

    path: str
    key: FileKey = None
    busy_timeout_s: float = _DEFAULTS.busy_timeout_s
    durable: bool = _DEFAULTS.durable
    cache_mb: int = _DEFAULTS.cache_mb
    create: bool = True  # where there is no file yet
    pad_bytes: int = 0  # of an encrypted file, whose size is a multiple of it; 0 leaves the size as it is
    coarse_times: bool = False
    idle_checkpoint_s: float = 0.0  # of an encrypted file: after so long without a write its log is emptied
    hidden: bool = False
    moving: bool = False  # it may have been moved away, or be half full
    backups: BackupFolder | None = None  # of this store; while there are any, nothing becomes a new store in its place
    before_changes: bool = True  # a copy goes there before the file is brought to a newer format

    def __repr__(self) -> str:
        return f"Opening({self.path!r}, encrypted={self.key is not None})"

    @property
    def in_memory(self) -> bool:
        return self.path == ":memory:"

    @property
    def step_pages(self) -> int:
        """In steps of how many pages the file grows; 0 if as it comes."""
        return 0 if self.key is None or self.held is not None else self.pad_bytes // PAGE_BYTES

    @property
    def held(self) -> HeldPages | None:
        """Who keeps the pages of a store in memory; None: nobody, or it is a file."""
        return self.key if isinstance(self.key, HeldPages) else None


def check_file(opening: Opening) -> None:
    """Refuse early, in words, what SQLite would refuse late in codes. A missing file is made, where that is wanted."""
    if opening.held is not None:
        if not opening.in_memory:
            raise UsageError("pages that are kept elsewhere are opened in memory: recollect.open(':memory:', key=…)")
        return
    if opening.key is not None:
        _check_key(opening.key)
        if opening.in_memory:
            raise UsageError("a store in memory has no file to encrypt; leave out key=")
    if not opening.in_memory:
        _check_path(opening)


def _check_path(opening: Opening) -> None:
    path = Path(opening.path)
    if _is_nothing(path) and opening.backups is not None and opening.backups.listed() and _is_nothing(path):
        raise _lost(opening)
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if not opening.create:
            raise NotFound(f"there is no store at {path} yet") from None
        _create(path)
        return
    except OSError as error:
        raise _closed(path, error) from None
    if stat.S_ISDIR(found.st_mode):
        raise StoreError(f"{path} is a folder; give the path of a file, for example {path / 'memory.db'}")
    if not stat.S_ISREG(found.st_mode):  # a pipe, say, at which opening would wait
        raise StoreError(f"{path} is not a file; give the path of one")
    header = _beginning(path, found)
    if header == PLAIN_HEADER and opening.key is not None:
        raise StoreLocked(f"{path} is not encrypted; open it without key=, it is never mixed with encrypted data")
    if header and header != PLAIN_HEADER and opening.key is None:
        if found.st_size % PAGE_BYTES == 0 and not header.isascii():
            raise StoreLocked(
                f"{path} looks encrypted; give its key=, or the right path"
                "; if it never had a key, its beginning is damaged, and `recollect restore` has backups"
            )
        raise StoreDamaged(f"{path} is not a Recollect store; give another path, or key= if it is encrypted")


def _is_nothing(path: Path) -> bool:
    """Whether a file is not there, or is of no bytes. SQLite would begin it anew, and throw away a log beside it."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and not found.st_size


def _lost(opening: Opening) -> StoreDamaged:
    assert opening.backups is not None
    return StoreDamaged(
        f"{opening.path} {'holds nothing' if os.path.exists(opening.path) else 'is gone'}, but there are backups of a "
        "store in this place: `recollect restore` brings back the newest; to begin with an empty one, move "
        f"{opening.backups.path} away. Nothing was changed"
    )


def _beginning(path: Path, found: os.stat_result) -> bytes:
    """The first bytes of a file that can be written: a store is never only read."""
    if not found.st_mode & 0o666:
        raise StoreReadOnly(f"{path} can be neither read nor written; give it its rights back (chmod u+rw)")
    if not found.st_mode & 0o222:
        raise StoreReadOnly(f"{path} is read-only; make it writable (chmod u+w) or copy it")
    try:
        with path.open("r+b", buffering=0) as file:
            return file.read(len(PLAIN_HEADER))
    except OSError as error:
        raise _closed(path, error) from None


def _closed(path: Path, error: OSError) -> StoreError:
    """Why a file that is there does not open, and what to do."""
    if error.errno == errno.EROFS:
        return StoreReadOnly(f"{path} is on a disk that is mounted read-only; mount it for writing, or copy the file")
    if isinstance(error, PermissionError):
        return StoreReadOnly(
            f"{path} is closed to this user, or its folder is; run as the user it belongs to, or see that this one "
            "may read and write both (ls -l tells whose they are)"
        )
    return StoreError(f"{path} cannot be opened ({error.strerror}); check the path and the disk")


def _create(path: Path) -> None:
    """An empty file that only its owner can read; SQLite gives its log the same rights."""
    try:
        make_folder(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreReadOnly(f"cannot create {path}: {error.strerror}; check the folder and its permissions") from None


def connect(opening: Opening, *, writer: bool = False) -> apsw.Connection:
    """A connection with every pragma set. A wrong key is `StoreLocked`, never an empty database."""
    db = apsw.Connection(opening.path)
    try:
        db.set_busy_timeout(int(opening.busy_timeout_s * 1000))
        if opening.held is not None:
            _take_in(db, opening.held)
        elif opening.key is not None:
            unlock(db, opening.key)
        _verify_readable(db, opening)
        _set_up(db, opening, writer=writer)
        if not writer:  # the writer closes last; one that met another file in this place must not fold our log into it
            db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    except BaseException:
        db.close()
        raise
    return db


def _take_in(db: apsw.Connection, held: HeldPages) -> None:
    """Before anything is read. A write that would make it larger than its place fails, as on a full disk."""
    if held.content is not None:
        db.deserialize("main", held.content)
    else:
        db.pragma("page_size", PAGE_BYTES)
        db.pragma("auto_vacuum", "incremental")
    db.pragma("max_page_count", held.bytes_max // PAGE_BYTES)


def readable(opening: Opening) -> bool:
    """Whether the file can be read with the key: one look, without a setting."""
    if opening.key is not None:
        _check_key(opening.key)
    db = apsw.Connection(opening.path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.set_busy_timeout(int(opening.busy_timeout_s * 1000))
        if opening.key is not None:
            unlock(db, opening.key)
        return bool(db.execute("SELECT count(*) FROM sqlite_schema").get) and (
            db.pragma("application_id") == APPLICATION_ID
        )
    except apsw.NotADBError:
        return False
    finally:
        db.close()


def has_moved(db: apsw.Connection) -> bool:
    """Whether the file that is open here is no longer the one in its place."""
    moved = ctypes.c_int(0)
    return bool(db.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved)) and moved.value)


def _check_key(key: FileKey) -> None:
    if isinstance(key, PageKey):
        key = key.raw
    if not isinstance(key, bytes | str) or (isinstance(key, bytes) and len(key) != KEY_BYTES):
        raise UsageError(f"key= takes {KEY_BYTES} random bytes or a passphrase as text, nothing else")
    if isinstance(key, str) and not key.isascii() and any("\ud800" <= ch <= "\udfff" for ch in key):
        raise UsageError("the passphrase holds half a character (a lone surrogate); it is not valid Unicode")
    if isinstance(key, str) and not key:
        raise UsageError("an empty passphrase protects nothing; leave out key= for a plain file")


def cipher_settings(key: FileKey) -> dict[str, str | int]:
    """SQLCipher pages. Bytes are the raw key (no derivation, so each connection opens at once)."""
    assert key is not None
    assert not isinstance(key, HeldPages)
    raw = key.raw if isinstance(key, PageKey) else key
    secret = f"x'{raw.hex()}'".encode() if isinstance(raw, bytes) else raw.encode()
    whole: dict[str, str | int] = {"legacy": _WHOLE_HEADER} if isinstance(key, PageKey) else {}
    return {"cipher": "sqlcipher", **whole, "legacy_page_size": PAGE_BYTES, "hexkey": secret.hex()}


def unlock(db: apsw.Connection, key: FileKey) -> None:
    """Before anything is read."""
    for name, value in cipher_settings(key).items():
        db.pragma(name, value)


def _verify_readable(db: apsw.Connection, opening: Opening) -> None:
    """Before any setting is changed: a journal mode, say, would be written into the file of another program."""
    try:
        tables = db.execute("SELECT count(*) FROM sqlite_schema").get
    except apsw.NotADBError:
        if opening.key is not None:
            raise StoreLocked(f"{opening.path} cannot be read with this key, or it is not a Recollect store") from None
        raise
    if not tables and opening.backups is not None and opening.backups.listed():
        raise _lost(opening)
    if tables and db.pragma("application_id") != APPLICATION_ID:
        raise StoreDamaged(
            f"{opening.path} is a SQLite database of another program: move it away, or give another path. "
            "Nothing was changed"
        )


def _set_up(db: apsw.Connection, opening: Opening, *, writer: bool) -> None:
    if db.execute("PRAGMA page_count").get == 0:  # of a new file; later they would wait for other processes' writes
        db.pragma("page_size", PAGE_BYTES)
        db.pragma("auto_vacuum", "incremental")
    if not opening.in_memory:
        _enter_wal(db)
    db.pragma("secure_delete", True)
    db.pragma("foreign_keys", True)
    db.pragma("recursive_triggers", False)
    db.pragma("temp_store", "memory")
    db.pragma("cache_size", -1024 * (opening.cache_mb if writer else max(2, opening.cache_mb // 4)))
    db.pragma("synchronous", "full" if opening.durable else "normal")
    db.pragma("journal_size_limit", 64 * 1024 * 1024)
    db.wal_autocheckpoint(0)  # the store checkpoints on its own thread, so no commit pays for it
    db.create_scalar_function("casefold", _casefold, 1, deterministic=True)


def _casefold(*values: Any) -> Any:
    value = values[0]
    return value.casefold() if isinstance(value, str) else value


def _enter_wal(db: apsw.Connection) -> None:
    """Switching to WAL needs the file alone for a moment, and SQLite does not wait for that: we do."""
    for _ in range(_SETUP_RETRIES):
        try:
            if db.pragma("journal_mode", "wal") == "wal":
                return
        except apsw.BusyError:
            pass
        time.sleep(_SETUP_PAUSE_S)
    raise StoreError("the file system does not allow a write-ahead log here; put the store on a local disk")


class SqliteStatements:
    """Statements on one connection; see `store.base.Sql`."""

    __slots__ = ("_text_damaged", "db")

    def __init__(self, db: apsw.Connection, text_damaged: Callable[[], None] = lambda: None) -> None:
        self.db = db
        self._text_damaged = text_damaged  # told by whoever meets that: a write is told by its error

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        return self.db.execute(spelled(sql), tuple(params)).fetchall()

    def each(self, sql: str, params: Params = ()) -> Iterator[Row]:
        return iter(self.db.execute(spelled(sql), tuple(params)))

    def one(self, sql: str, params: Params = ()) -> Row | None:
        return self.db.execute(spelled(sql), tuple(params)).fetchone()

    def value(self, sql: str, params: Params = ()) -> Any:
        row = self.one(sql, params)
        return row[0] if row else None

    def run(self, sql: str, params: Params = ()) -> int:
        self.db.execute(spelled(sql), tuple(params))
        return self.db.changes()

    def many(self, sql: str, rows: Iterable[Params]) -> None:
        self.db.executemany(spelled(sql), rows)

    def insert(self, sql: str, params: Params = ()) -> int:
        self.db.execute(spelled(sql), tuple(params))
        return self.db.last_insert_rowid()

    def keys(self, pks: Iterable[int]) -> Any:
        numbers = array("q", pks)
        return apsw.carray(numbers if numbers else array("q", [-1]))

    def next_key(self, table: str) -> int:
        return int(self.value("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)) or 0) + 1

    def skip_keys(self, table: str, up_to: int) -> None:
        known = "SELECT 1 FROM sqlite_sequence WHERE name = ?"
        self.run(f"INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0 WHERE NOT EXISTS ({known})", (table, table))
        self.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (up_to, table))

    def defer_references(self) -> None:
        self.run("PRAGMA defer_foreign_keys = ON")

    def note_change(self) -> None:
        """Nobody is told: a file is looked at."""

    def note_erasure(self, mark: str) -> None:
        self.run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (ERASURE_DUE, mark),
        )

    def tables_with(self, column: str) -> list[str]:
        rows = self.all(
            "SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c ON c.name = ? "
            "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name",
            (column,),
        )
        return [row[0] for row in rows]

    def near_search(self, tx: Tx) -> NearSearch:
        from recollect.store.near import NearSearch  # needs numpy

        return NearSearch(tx)

    def text_search(self, tx: Tx) -> Fts:
        return Fts(tx, self._text_damaged)

    def moving(self, tx: Tx) -> Moving:
        from recollect.store.sqlite.moving import SqliteMoving  # seldom asked for

        return SqliteMoving(tx)
