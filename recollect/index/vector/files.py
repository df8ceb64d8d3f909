"""A vector index in a file: what a library or we wrote, a stamp that says what it is, and a trailer with a checksum."""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from recollect.errors import StoreDamaged
from recollect.index.base import Stamp

SCAN_FORM, GRAPH_FORM = "scan", "hnsw"
_MAGIC = b"RCLVEC01"
_TRAILER = struct.Struct("<II8s")  # checksum of all before, length of the stamp, magic


class SealedFile:
    """A saved index mapped into memory. All is checked before any is used: libraries believe what they are given and
    would read beyond the end. `StoreDamaged` unless it is whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as exc:  # ValueError: the file is empty
            refuse(path, str(exc), exc)
        whole = memoryview(self._map)
        try:
            self.stamp, payload_bytes = _checked(whole)
            self.payload = whole[:payload_bytes]
        except (ValueError, TypeError, struct.error) as exc:
            whole.release()
            self._map.close()
            refuse(path, str(exc), exc)
        whole.release()

    @classmethod
    def of(cls, path: Path, *, form: str, space: str, dimensions: int) -> SealedFile:
        """The file, which must also be of this form and of this space."""
        file = cls(path)
        stamp = file.stamp
        if (stamp.form, stamp.space, stamp.dimensions) != (form, space, dimensions):
            file.close()
            refuse(
                path,
                f"it holds {stamp.space} ({stamp.dimensions} dimensions, {stamp.form}), "
                f"not {space} ({dimensions}, {form})",
            )
        return file

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """A library's own refusals, of a file by a newer version for instance, in our words."""
        try:
            yield
        except (RuntimeError, ValueError) as exc:
            self.close()
            refuse(self._path, str(exc), exc)

    def let_go(self) -> None:
        """Give back the memory of what was read; it is read again when it is needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)

    def close(self) -> None:
        self.payload.release()
        self._map.close()


@contextmanager
def sealing(path: Path, stamp: Stamp) -> Iterator[Path]:
    """Write an index to the path this hands out: stamp and trailer follow, and the old file is replaced at once."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    os.close(os.open(temporary, os.O_CREAT | os.O_WRONLY, 0o600))  # as private as the database beside it
    yield temporary
    _seal(temporary, stamp)
    os.replace(temporary, path)
    _sync_folder(path.parent)


def stamp_of(path: Path) -> Stamp:
    """What a file says it is. Nothing else of it is looked at: who opens it checks the whole."""
    try:
        with path.open("rb") as file:
            file.seek(-_TRAILER.size, os.SEEK_END)
            end = file.tell()
            _, stamp_bytes, magic = _TRAILER.unpack(file.read())
            if magic != _MAGIC or stamp_bytes > end:
                raise ValueError("not a vector index, or cut off")
            file.seek(end - stamp_bytes)
            fields: dict[str, Any] = json.loads(file.read(stamp_bytes))
            return Stamp(**fields)
    except (OSError, ValueError, TypeError, struct.error) as exc:
        refuse(path, str(exc), exc)


def refuse(path: Path, why: str, cause: BaseException | None = None) -> NoReturn:
    raise StoreDamaged(f"{path.name} is not usable as a vector index: {why}") from cause


def _checked(whole: memoryview) -> tuple[Stamp, int]:
    """The stamp and the length of the index before it; ValueError says what is wrong."""
    if len(whole) < _TRAILER.size:
        raise ValueError("too short")
    body_bytes = len(whole) - _TRAILER.size
    checksum, stamp_bytes, magic = _TRAILER.unpack_from(whole, body_bytes)
    if magic != _MAGIC:
        raise ValueError("not a vector index, or cut off")
    if stamp_bytes > body_bytes or zlib.crc32(whole[:body_bytes]) != checksum:
        raise ValueError("checksum does not match")
    fields: dict[str, Any] = json.loads(bytes(whole[body_bytes - stamp_bytes : body_bytes]))
    return Stamp(**fields), body_bytes - stamp_bytes


def _seal(path: Path, stamp: Stamp) -> None:
    """Append stamp and trailer to a graph just written, and have it all on disk."""
    text = json.dumps(asdict(stamp)).encode()
    with path.open("r+b") as file:
        checksum = 0
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
        file.write(text + _TRAILER.pack(zlib.crc32(text, checksum), len(text), _MAGIC))
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Have a rename on disk too. Windows keeps renames by itself and opens no folders."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
