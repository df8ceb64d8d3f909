"""The conversations of a ZIP, one at a time and in memory, never more of them than their packed size makes likely."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from recollect.errors import ContentTooLarge, RecollectError, UsageError
from recollect.exchange.source import ImportSource
from recollect.limits import ARCHIVE_LIST_BYTES_MAX, ARCHIVE_MEMBERS_MAX, ARCHIVE_RATIO_MAX, IMPORT_BYTES_MAX

_ZIP = b"PK\x03\x04"
_SMALL_BYTES = 1 << 20  # all of an archive together may be this large, however well it is packed
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:[-_]\d+)?\.json", re.IGNORECASE)
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others may ask for gigabytes to unpack anything at all
_END, _END_BYTES, _COMMENT_BYTES_MAX = b"PK\x05\x06", 22, 1 << 16


def is_archive(source: ImportSource) -> bool:
    return source.head(len(_ZIP)) == _ZIP


def members(source: ImportSource) -> Iterator[tuple[str, bytes]]:
    """Name and content of each conversations.json. Nothing is unpacked to the disk."""
    with _damaged(source.name):
        file = source.seekable()
        _refuse_long_list(file, source)
        archive = zipfile.ZipFile(file)
        infos = archive.infolist()
    if len(infos) > ARCHIVE_MEMBERS_MAX:
        raise ContentTooLarge(f"{source.name} has more than {ARCHIVE_MEMBERS_MAX} members")
    wanted = [info for info in infos if _CONVERSATIONS.fullmatch(info.filename) and ".." not in info.filename]
    if not wanted:
        raise UsageError(f"{source.name} has no conversations.json; give the archive as it was downloaded")
    left = _room(wanted)
    for info in wanted:
        with _damaged(source.name):
            data = _unpacked(archive, info, left)
        left -= len(data)
        yield info.filename, data


def _room(wanted: list[zipfile.ZipInfo]) -> int:
    """How many bytes all of them may have: those of a sane archive, which does not grow without measure."""
    likely = max(_SMALL_BYTES, ARCHIVE_RATIO_MAX * sum(info.compress_size for info in wanted))
    said = sum(info.file_size for info in wanted)
    if said > likely:
        raise ContentTooLarge(f"the archive would grow more than {ARCHIVE_RATIO_MAX} times; it is not unpacked")
    return min(likely, IMPORT_BYTES_MAX)


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> bytes:
    """One member, never more of it than allowed, whatever its header says."""
    if info.flag_bits & _ENCRYPTED:
        raise UsageError(f"{info.filename} is encrypted; unpack the archive and give the file")
    if info.compress_type not in _METHODS:
        raise UsageError(f"{info.filename} is packed in an unusual way; unpack the archive and give the file")
    with archive.open(info) as member:
        data = member.read(left + 1)
    if len(data) > left:
        raise ContentTooLarge(f"the archive holds more than {left} bytes of conversations; split it")
    return data


def _refuse_long_list(file: IO[bytes], source: ImportSource) -> None:
    """Members are listed at the end, in as many bytes as the end says; all of them would be read at once."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_BYTES - _COMMENT_BYTES_MAX))
    tail = file.read()
    at = tail.rfind(_END)
    if at >= 0 and len(tail) - at >= _END_BYTES:
        listed = struct.unpack_from("<I", tail, at + 12)[0]
        # An archive of the large kind says its sizes before the end; none with so long a list is one of conversations.
        if listed != 0xFFFFFFFF and listed > ARCHIVE_LIST_BYTES_MAX:
            raise ContentTooLarge(f"{source.name} has more than {ARCHIVE_MEMBERS_MAX} members")
        if listed == 0xFFFFFFFF or struct.unpack_from("<H", tail, at + 10)[0] == 0xFFFF:
            _refuse_long_list_64(file, tail, at, source)
    file.seek(0)


def _refuse_long_list_64(file: IO[bytes], tail: bytes, at: int, source: ImportSource) -> None:
    if at >= 20 and tail[at - 20 : at - 16] == b"PK\x06\x07":
        file.seek(struct.unpack_from("<Q", tail, at - 12)[0])
        end = file.read(56)
        if len(end) == 56 and struct.unpack_from("<Q", end, 40)[0] > ARCHIVE_LIST_BYTES_MAX:
            raise ContentTooLarge(f"{source.name} has more than {ARCHIVE_MEMBERS_MAX} members")


@contextmanager
def _damaged(name: str) -> Iterator[None]:
    """What the library says of a damaged archive, in our words: it has many ways of putting it."""
    try:
        yield
    except RecollectError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        ValueError,
        LookupError,
        ArithmeticError,
        RuntimeError,
        EOFError,
        OSError,
    ) as error:
        raise UsageError(f"{name} is a damaged archive: {str(error)[:80]}") from None
