"""An export as lines: a header, rows, and an end that tells how many there were and what they hashed to.

Lines are written in one pass and never held together. Whoever reads them is told of a line by its number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, NamedTuple

import orjson

from recollect.errors import ContentTooLarge, UsageError
from recollect.limits import EXPORT_LINE_BYTES_MAX, EXPORT_LINES_MAX

FORMAT = "recollect"
VERSION = 1
OPENING = b'{"format":"recollect",'  # how every one of our files begins
_END = "end"
_NEWLINE = orjson.OPT_APPEND_NEWLINE


class ExportEnd(NamedTuple):
    """What the last line says, once it was found true: what all of the file hashes to, and who signed that."""

    digest: str
    signature: object = None


class LineWriter:
    """Writes one export. Not finished, it is known to be cut off. `sign` makes a signature of what it hashes to."""

    def __init__(self, file: IO[bytes], sign: Callable[[str], str] | None = None) -> None:
        self._file = file
        self._sign = sign
        self._hash = hashlib.sha256()
        self.count = 0
        self.bytes = 0
        self.digest = ""  # known at the end

    def header(self, facts: Mapping[str, Any]) -> None:
        self._write(orjson.dumps({"format": FORMAT, "version": VERSION, **facts}, option=_NEWLINE))

    def row(self, values: Mapping[str, Any]) -> None:
        """One row as the object it is; `table` names what it is a row of."""
        self._write(orjson.dumps(values, option=_NEWLINE))

    def end(self) -> None:
        self.digest = self._hash.hexdigest()
        last = {"table": _END, "lines": self.count, "sha256": self.digest}
        if self._sign is not None:
            last["signature"] = self._sign(self.digest)
        self._write(orjson.dumps(last, option=_NEWLINE))

    def _write(self, line: bytes) -> None:
        self._hash.update(line)
        self._file.write(line)
        self.count += 1
        self.bytes += len(line)


def read_header(line: bytes) -> dict[str, Any]:
    """What the first line says. An export of a newer version is refused."""
    header = _object(line, 1)
    if header.get("format") != FORMAT:
        raise UsageError("line 1: this is not a Recollect export; if another program wrote it, give format=")
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise UsageError("line 1: the version of the format is missing")
    if version > VERSION:
        raise UsageError(f"line 1: a newer recollect wrote this (version {version} of the format); update to read it")
    return header


def read_rows(
    file: IO[bytes], ended: Callable[[ExportEnd], None] = lambda end: None
) -> Iterator[tuple[int, dict[str, Any], int]]:
    """(number, object, bytes so far) of each row between the header and the end.

    Reading to the last one proves that the file is whole: a `UsageError` tells what is wrong otherwise. `ended` is
    told what the last line says.
    """
    hashed = hashlib.sha256()
    first = read_line(file, 1)
    read_header(first)
    hashed.update(first)
    number, done = 1, len(first)
    while True:
        number += 1
        line = read_line(file, number)
        if not line:
            raise UsageError(f"the file ends after line {number - 1} without an end: it was cut off; export it again")
        row = _object(line, number)
        if row.get("table") == _END:
            break
        hashed.update(line)
        done += len(line)
        yield number, row, done
    if row.get("lines") != number - 1 or row.get("sha256") != hashed.hexdigest():
        raise UsageError("the file was changed since it was written: its checksum is another; export it again")
    if read_line(file, number + 1).strip():
        raise UsageError(f"line {number + 1}: something follows the end of the export")
    ended(ExportEnd(hashed.hexdigest(), row.get("signature")))


def read_line(file: IO[bytes], number: int) -> bytes:
    """The next line, bounded; empty at the end."""
    line = file.readline(EXPORT_LINE_BYTES_MAX + 1)
    if len(line) > EXPORT_LINE_BYTES_MAX:
        raise ContentTooLarge(f"line {number} is longer than {EXPORT_LINE_BYTES_MAX} bytes")
    if number > EXPORT_LINES_MAX:
        raise ContentTooLarge(f"the file has more than {EXPORT_LINES_MAX} lines; import it in parts")
    return line


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"line {number} is not JSON: {error.msg}") from None
    if not isinstance(found, dict):
        raise UsageError(f"line {number} must be an object, not {type(found).__name__}")
    return found
