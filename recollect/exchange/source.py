"""What an import reads: a regular file, or a stream that was kept in one; unsealed, and as often as needed."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from recollect.errors import ContentTooLarge, EncryptionFailed, UsageError
from recollect.exchange import sealed
from recollect.exchange.target import STREAM
from recollect.exchange.temporary import temporary_file
from recollect.limits import EXPORT_LINE_BYTES_MAX, IMPORT_BYTES_MAX

_PORTION_BYTES = 1 << 20
STREAM_BYTES_MAX = 16 * IMPORT_BYTES_MAX


class ImportSource:
    """A file that is open for reading. `start` gives its bytes from the beginning, each time it is called."""

    def __init__(self, file: IO[bytes], name: str, passphrase: str | None) -> None:
        self._file = file
        self.name = name
        self.size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self._unsealed: sealed.SealedReader | None = None
        if _is_sealed(file):
            if passphrase is None:
                raise EncryptionFailed(f"{name} is sealed with a passphrase; give it")
            self._unsealed = sealed.SealedReader(file, passphrase)
        elif passphrase is not None:
            raise UsageError(f"{name} is not sealed with a passphrase; leave the passphrase out")

    def start(self) -> IO[bytes]:
        """The bytes from the beginning on. Whatever was started before is at its end."""
        if self._unsealed is None:
            self._file.seek(0)
            return self._file
        self._unsealed.rewind()
        return io.BufferedReader(_KeptStream(self._unsealed), _PORTION_BYTES)

    def seekable(self) -> IO[bytes]:
        """The bytes for readers that jump about in them. A sealed file is held in memory for it, bounded."""
        return self.start() if self._unsealed is None else io.BytesIO(self.all())

    def head(self, count: int) -> bytes:
        return self.start().read(count)

    def all(self) -> bytes:
        """All of it, for formats that cannot be read line by line; bounded."""
        data = self.start().read(IMPORT_BYTES_MAX + 1)
        if len(data) > IMPORT_BYTES_MAX:
            raise ContentTooLarge(f"{self.name} has more than {IMPORT_BYTES_MAX} bytes; split it")
        return data

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines with something in them."""
        file, number = self.start(), 0
        while line := file.readline(EXPORT_LINE_BYTES_MAX + 1):
            number += 1
            if len(line) > EXPORT_LINE_BYTES_MAX:
                raise ContentTooLarge(f"line {number} is longer than {EXPORT_LINE_BYTES_MAX} bytes")
            if line.strip():
                yield number, line


class _KeptStream(io.RawIOBase):
    """A view that may be closed, as buffered readers do, while what it reads from stays open."""

    def __init__(self, below: io.RawIOBase) -> None:
        self._below = below

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        return self._below.readinto(buffer)


@contextmanager
def opened(given: Any, passphrase: str | None, *, private: bool) -> Iterator[ImportSource]:
    """What a caller means by a path, - for stdin, or a binary file. What is kept of a private one is kept in memory."""
    if _can_be_read_twice(given):
        yield ImportSource(given, "the file", passphrase)
    elif given == STREAM or hasattr(given, "read"):
        stream = sys.stdin.buffer if given == STREAM else given
        with temporary_file(private=private) as kept:
            _keep(stream, kept)
            yield ImportSource(kept, "stdin" if given == STREAM else "the stream", passphrase)
    else:
        with _regular_file(given) as file:
            yield ImportSource(file, os.path.basename(os.fspath(given)), passphrase)


def _can_be_read_twice(given: Any) -> bool:
    """Whether it is a binary file at its beginning that need not be kept to be read again."""
    try:
        return bool(given.seekable()) and given.tell() == 0 and given.read(0) == b""
    except (AttributeError, OSError, ValueError):
        return False


def _keep(stream: IO[bytes], kept: IO[bytes]) -> None:
    while data := stream.read(_PORTION_BYTES):
        if not isinstance(data, bytes):
            raise UsageError("open the file in binary mode ('rb')")
        kept.write(data)
        if kept.tell() > STREAM_BYTES_MAX:
            raise ContentTooLarge(f"more than {STREAM_BYTES_MAX} bytes came in; give the path of a file instead")


def _regular_file(given: Any) -> IO[bytes]:
    """The file, opened so that neither a pipe nor a link put in its place can surprise."""
    if not isinstance(given, str | os.PathLike) or not os.fspath(given) or "\x00" in str(given):
        raise UsageError("give the path of a file, - for stdin, or a binary file that is open for reading")
    path = os.path.expanduser(os.fspath(given))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist") from None
    except OSError as error:
        if os.path.islink(path):
            raise UsageError(f"{path} is a link; give the file it points to") from None
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is not a file; an export is one file")
    return os.fdopen(descriptor, "rb", buffering=_PORTION_BYTES)


def _is_sealed(file: IO[bytes]) -> bool:
    head = file.read(len(sealed.MAGIC))
    file.seek(0)
    return head == sealed.MAGIC
