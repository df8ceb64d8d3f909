"""Where an export goes: a file that is complete or not there at all, or a stream."""

from __future__ import annotations

import codecs
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from recollect.errors import DiskFull, StoreError, UsageError
from recollect.exchange import lines, sealed
from recollect.exchange.markdown import OPENING as MARKDOWN_OPENING
from recollect.model.showable import in_json
from recollect.store.foreign import is_database

try:
    import fcntl
except ImportError:  # Windows: what a killed export left is the person's to remove
    fcntl = None  # type: ignore[assignment]

STREAM = "-"
_OURS = (lines.OPENING, sealed.MAGIC, MARKDOWN_OPENING.encode())
_HEAD_BYTES = 64
_BUFFER_BYTES = 1 << 18
_OWNER_ONLY = 0o600
_PART, _RANDOM_BYTES = ".part", 6


@contextmanager
def target(given: Any, *, overwrite: bool, store_path: Path | None) -> Iterator[tuple[IO[bytes], str]]:
    """What to write to, and its name. A file gets its name only when all of it is on the disk."""
    if given == STREAM:
        sys.stdout.flush()
        out: Any = _Watched(sys.stdout.buffer) if sys.stdout.isatty() else sys.stdout.buffer
        yield out, "stdout"
        sys.stdout.buffer.flush()
    elif hasattr(given, "write"):
        yield given, getattr(given, "name", None) or "the stream"
    else:
        path = _path_of(given)
        _check(path, overwrite=overwrite, store_path=store_path)
        with _new_file(path) as file:
            yield file, str(path)


class _Watched(io.BufferedIOBase):
    """A terminal, with a person before it: what is written is escaped where it would steer it."""

    def __init__(self, terminal: IO[bytes]) -> None:
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._terminal.write(in_json(self._decoder.decode(bytes(data))).encode())
        return len(data)

    def flush(self) -> None:
        self._terminal.flush()


def _path_of(given: Any) -> Path:
    if not isinstance(given, str | os.PathLike) or not os.fspath(given) or "\x00" in str(given):
        raise UsageError("give the path of the file to write, - for stdout, or a binary file that is open for writing")
    return Path(os.path.expanduser(given))


def _check(path: Path, *, overwrite: bool, store_path: Path | None) -> None:
    """Refuse what must not be replaced: a link, a folder, a device, the store, a file that is no export."""
    if not path.parent.is_dir():
        raise UsageError(f"the folder {path.parent} does not exist; make it first")
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISLNK(found.st_mode):
        raise UsageError(f"{path} is a link; give the file it points to")
    if not stat.S_ISREG(found.st_mode):
        raise UsageError(f"{path} is not a file; give the path of a new file")
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if is_database(path) or (store_path is not None and _same(path, store_path)):
        raise UsageError(f"{path} is a store; export to another file")
    if head and not overwrite and not head.startswith(_OURS):
        raise UsageError(f"{path} is there already and is no export; choose another name, or say overwrite")


def _same(path: Path, store_path: Path) -> bool:
    with suppress(OSError):
        return os.path.samefile(path, store_path)
    return False


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file beside the one that is meant, renamed to it at the end; whatever goes wrong, it is gone.

    A process that is killed leaves it behind, with what people stored in it: the next export to that name removes it.
    """
    try:
        _remove_abandoned(path)
        beside, descriptor = _held_file(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb", buffering=_BUFFER_BYTES) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:
                os.replace(beside, path)  # while it is held
        if fcntl is None:
            os.replace(beside, path)
    except OSError as error:
        full = error.errno in (28, 122)  # ENOSPC, EDQUOT
        kind = DiskFull if full else StoreError
        raise kind(f"the export could not be written: {error.strerror or error}; {path} is as it was") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)


def _held_file(path: Path) -> tuple[Path, int]:
    """A new file that this process holds a lock on for as long as it is open."""
    while True:
        beside = path.with_name(f"{_beginning(path)}{secrets.token_hex(_RANDOM_BYTES)}{_PART}")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, _OWNER_ONLY)
        if fcntl is None:
            return beside, descriptor
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return beside, descriptor
        os.close(descriptor)  # taken for abandoned before it was locked


def _remove_abandoned(path: Path) -> None:
    """The files of earlier exports to this name whose processes are no more."""
    if fcntl is None:
        return
    begins, length = _beginning(path), len(_beginning(path)) + 2 * _RANDOM_BYTES + len(_PART)
    for entry in list(os.scandir(path.parent)):
        if not (entry.name.startswith(begins) and entry.name.endswith(_PART) and len(entry.name) == length):
            continue
        with suppress(OSError):  # held, or gone meanwhile
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(entry.path)
            finally:
                os.close(descriptor)


def _beginning(path: Path) -> str:
    return f".{path.name[:200]}."
