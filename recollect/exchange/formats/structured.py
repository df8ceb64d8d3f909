"""JSON from anywhere: one value, or one a line, with the place of each for messages to people."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from recollect.errors import ContentTooLarge, UsageError
from recollect.exchange.source import Source
from recollect.limits import ARCHIVE_MEMBERS_MAX, ARCHIVE_RATIO_MAX, IMPORT_BYTES_MAX

ZIP = b"PK\x03\x04"
_SMALL_BYTES = 1 << 20  # a member this small is no bomb, however well it is packed
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:[-_]\d+)?\.json", re.IGNORECASE)
_ENCRYPTED = 0x1
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class Value(NamedTuple):
    """One JSON value of a file, and where it stands."""

    where: str
    value: Any


def values_of(source: Source) -> list[Value]:
    """All values of a file. One list counts as its entries. A `UsageError` names the line that is no JSON."""
    if source.head(len(ZIP)) == ZIP:
        return [value for name, data in _members(source) for value in _whole(_text(data, name), f"{name}, ")]
    text = _text(source.all(), source.name)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise UsageError(f"{source.name} is empty; there is nothing to import")
    if len(lines) > 1 and _is_json(lines[0][1]):
        return [Value(f"line {number}", _parsed(line, f"line {number}")) for number, line in lines]
    return list(_whole(text, ""))


def _whole(text: str, before: str) -> Iterator[Value]:
    value = _parsed(text, f"{before}the file" if not before else before.rstrip(", "))
    if isinstance(value, list):
        yield from (Value(f"{before}item {at}", each) for at, each in enumerate(value, start=1))
    else:
        yield Value(before.rstrip(", ") or "the file", value)


def _parsed(text: str, where: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        at = f" (line {error.lineno}, column {error.colno})" if "\n" in text.strip() else ""
        raise UsageError(f"{where} is not JSON: {error.msg.split(': line')[0]}{at}") from None


def _is_json(line: str) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


def _text(data: bytes, name: str) -> str:
    encoding = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not {encoding} text (byte {error.start}); save it as UTF-8") from None


def _members(source: Source) -> Iterator[tuple[str, bytes]]:
    """The conversations of an archive, read without unpacking anything to the disk."""
    try:
        with zipfile.ZipFile(
            io.BytesIO(source.all()) if source.size <= IMPORT_BYTES_MAX else source.start()
        ) as archive:
            infos = archive.infolist()
            if len(infos) > ARCHIVE_MEMBERS_MAX:
                raise ContentTooLarge(f"{source.name} has more than {ARCHIVE_MEMBERS_MAX} members")
            wanted = [info for info in infos if _CONVERSATIONS.fullmatch(info.filename) and ".." not in info.filename]
            if not wanted:
                raise UsageError(f"{source.name} has no conversations.json; give the archive as it was downloaded")
            left = IMPORT_BYTES_MAX
            for info in wanted:
                data = _unpacked(archive, info, left)
                left -= len(data)
                yield info.filename, data
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise UsageError(f"{source.name} is a damaged archive: {str(error)[:80]}") from None


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> bytes:
    """One member, never more of it than allowed, whatever its header says."""
    if info.flag_bits & _ENCRYPTED:
        raise UsageError(f"{info.filename} is encrypted; unpack the archive and give the file")
    if info.file_size > _SMALL_BYTES and info.file_size > ARCHIVE_RATIO_MAX * max(1, info.compress_size):
        raise ContentTooLarge(f"{info.filename} would grow more than {ARCHIVE_RATIO_MAX} times; it is not unpacked")
    with archive.open(info) as member:
        data = member.read(left + 1)
    if len(data) > left:
        raise ContentTooLarge(f"the archive holds more than {IMPORT_BYTES_MAX} bytes of conversations; split it")
    return data
