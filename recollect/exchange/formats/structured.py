"""JSON from anywhere: one value, or one a line, with the place of each for messages to people.

A few bytes of JSON may make a hundred times as many of memory, so nothing is parsed before it is known how many values
it holds, and what is a list is parsed entry by entry.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from recollect.errors import ContentTooLarge, UsageError
from recollect.exchange.formats.archive import is_archive, members
from recollect.exchange.source import ImportSource
from recollect.limits import (
    EXPORT_LINE_BYTES_MAX,
    IMPORT_ENTRIES_MAX,
    IMPORT_PIECE_VALUES_MAX,
    IMPORT_VALUES_MAX,
)

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_PORTION_BYTES = 1 << 20
# Texts are passed over whole, one that does not end up to the end: otherwise each quotation mark in it is tried anew.
_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]|[\]}]', re.DOTALL)
_QUOTE, _COMMA, _LIST, _LIST_END = b'",[]'
_OPEN, _CLOSE = frozenset(b"[{"), frozenset(b"]}")


class Value(NamedTuple):
    """One JSON value of a file, and where it stands."""

    where: str
    value: Any


class _Count:
    """How many values a file may still hold."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.entries = IMPORT_ENTRIES_MAX
        self.values = IMPORT_VALUES_MAX

    def take(self, values: int) -> None:
        """One entry more, with so many values in it."""
        self.entries -= 1
        self.values -= values
        if self.entries < 0 or self.values < 0:
            most = f"{IMPORT_ENTRIES_MAX} entries" if self.entries < 0 else f"{IMPORT_VALUES_MAX} values"
            raise ContentTooLarge(f"{self._name} holds more than {most}; split it")


def values_of(source: ImportSource) -> Iterator[Value]:
    """All values of a file, one at a time. One list counts as its entries.

    A `UsageError` names the line that is no JSON.
    """
    count = _Count(source.name)
    if is_archive(source):
        for name, data in members(source):
            yield from _whole(_utf8(data, name), f"{name}, ", count)
        return
    data = _utf8(source.all(), source.name)
    if not data or data.isspace():
        raise UsageError(f"{source.name} is empty; there is nothing to import")
    if _is_lines(data):
        for number, line in _lines(data):
            count.take(_values_in(line))
            yield Value(f"line {number}", _parsed(line, f"line {number}"))
    else:
        yield from _whole(data, "", count)


def value_of(data: bytes, name: str) -> Any:
    """The one value that a file holds, counted before it is parsed."""
    text = _utf8(data, name)
    _values_in(text)
    return _parsed(text, name)


def _whole(data: bytes, before: str, count: _Count) -> Iterator[Value]:
    name = before.rstrip(", ") or "the file"
    start = len(data) - len(data.lstrip())
    if data[start : start + 1] != b"[":
        count.take(_values_in(data))
        yield Value(name, _parsed(data, name))
        return
    for at, (piece, values) in enumerate(_entries(data, start, name), start=1):
        count.take(values)
        yield Value(f"{before}item {at}", _parsed(piece, f"{before}item {at}"))


def _entries(data: bytes, start: int, name: str) -> Iterator[tuple[bytes, int]]:
    """The entries of a list that begins there, not parsed, each with the number of values in it."""
    depth, begin, values = 0, start + 1, 1
    for match in _MARK.finditer(data, start):
        sign = data[match.start()]
        if sign == _QUOTE:
            continue
        if sign in _CLOSE:
            depth -= 1
            if depth == 0:
                last = data[begin : match.start()]
                if last.strip() or begin > start + 1:  # not an empty list
                    yield last, values
                if sign != _LIST_END or data[match.end() :].strip():
                    raise UsageError(f"{name} is not JSON: something else follows its list")
                return
        elif sign == _COMMA and depth == 1:
            yield data[begin : match.start()], values
            begin, values = match.end(), 1
        else:
            depth += sign in _OPEN
            values = _one_more(values)
    raise UsageError(f"{name} is not JSON: its list does not end")


def _values_in(data: bytes) -> int:
    """How many values a text of JSON holds at most."""
    values = 1
    for match in _MARK.finditer(data):
        sign = data[match.start()]
        if sign != _QUOTE and sign not in _CLOSE:
            values = _one_more(values)
    return values


def _one_more(values: int) -> int:
    if values >= IMPORT_PIECE_VALUES_MAX:
        raise ContentTooLarge(f"one entry holds more than {IMPORT_PIECE_VALUES_MAX} values; split the file")
    return values + 1


def _is_lines(data: bytes) -> bool:
    """Whether there are several lines, of which the first is JSON by itself."""
    lines = _lines(data)
    _, first = next(lines)
    return next(lines, None) is not None and _is_json(first)


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Numbered lines with something in them; not split beforehand, there may be many."""
    number, begin = 0, 0
    while begin < len(data):
        number += 1
        end = data.find(b"\n", begin)
        end = len(data) if end < 0 else end
        line = data[begin:end]
        begin = end + 1
        if line.strip():
            yield number, line


def _parsed(data: bytes, where: str) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        at = f" (line {error.lineno}, column {error.colno})" if b"\n" in data.strip() else ""
        raise UsageError(f"{where} is not JSON: {error.msg.split(': line')[0]}{at}") from None


def _is_json(line: bytes) -> bool:
    if len(line) > EXPORT_LINE_BYTES_MAX:
        return False
    try:
        _values_in(line)
        orjson.loads(line)
    except (orjson.JSONDecodeError, ContentTooLarge):
        return False
    return True


def _utf8(data: bytes, name: str) -> bytes:
    """The text of a file in UTF-8, whatever it is written in. Checked by portions: as a text it may be four times as
    long."""
    encoding = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), "utf-8")
    if encoding == "utf-8-sig":
        data, encoding = data[3:], "utf-8"
    decoder, parts, at = codecs.getincrementaldecoder(encoding)(), [], 0
    try:
        for at in range(0, len(data), _PORTION_BYTES):
            text = decoder.decode(data[at : at + _PORTION_BYTES], final=at + _PORTION_BYTES >= len(data))
            if encoding != "utf-8":
                parts.append(text.encode())
    except UnicodeError as error:
        start = at + getattr(error, "start", 0)
        raise UsageError(f"{name} is not {encoding} text (byte {start}); save it as UTF-8") from None
    return data if encoding == "utf-8" else b"".join(parts)
