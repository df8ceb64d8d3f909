"""How values go into PostgreSQL and come out: as they do with every store.

Whole numbers are 64 bits, flags are 0 and 1 as they are in the tables, a sum of whole numbers is one, and many keys are
one array. Text that holds a NUL cannot be kept by PostgreSQL; that is refused in words.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types.numeric import NumericBinaryLoader
from psycopg.types.string import StrBinaryDumper

_INT8, _INT8_ARRAY, _NUMERIC, _BOOL = 20, 1016, 1700, 16
_ITEM = np.dtype([("length", ">i4"), ("value", ">i8")])
_INT8_MIN, _INT8_MAX = -(1 << 63), (1 << 63) - 1


class KeyArray:
    """Many integers as one parameter."""

    __slots__ = ("image",)

    def __init__(self, pks: Iterable[int]) -> None:
        numbers = np.fromiter(pks, dtype=np.int64)
        items = np.empty(len(numbers), dtype=_ITEM)
        items["length"], items["value"] = 8, numbers
        dimensions = (1, 0, _INT8, len(numbers), 1) if len(numbers) else (0, 0, _INT8)
        self.image = struct.pack(f">{len(dimensions)}i", *dimensions) + items.tobytes()


class _KeysDumper(Dumper):
    format = Format.BINARY
    oid = _INT8_ARRAY

    def dump(self, obj: KeyArray) -> Buffer:
        return obj.image


class _IntDumper(Dumper):
    format = Format.BINARY
    oid = _INT8

    def dump(self, obj: int) -> Buffer:
        if not _INT8_MIN <= obj <= _INT8_MAX:
            raise OverflowError("a whole number has at most 64 bits")
        return int(obj).to_bytes(8, "big", signed=True)


class _BoolLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> int:
        return int(data != b"\x00")


class _NumericLoader(NumericBinaryLoader):
    def load(self, data: Buffer) -> Any:
        found: Decimal = super().load(data)
        exponent = found.as_tuple().exponent
        return int(found) if isinstance(exponent, int) and exponent >= 0 else float(found)


def adapt(db: psycopg.Connection[Any]) -> None:
    """Have a connection take and give values this way."""
    known = db.adapters
    known.register_dumper(int, _IntDumper)
    known.register_dumper(bool, _IntDumper)
    known.register_dumper(str, StrBinaryDumper)
    known.register_dumper(KeyArray, _KeysDumper)
    known.register_loader(_BOOL, _BoolLoader)
    known.register_loader(_NUMERIC, _NumericLoader)
