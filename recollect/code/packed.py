"""Nodes and edges of a file as they are kept: bytes that are read into arrays in one go.

A node is known by a key of 8 bytes, made of its path and symbol, so edges of other files still fit when the lines and
the order of a file's symbols change.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson

from recollect.model.code import EDGE_KINDS, Resolved

KINDS = EDGE_KINDS  # rows hold places in these two lists: what is new comes last
RESOLVED = (Resolved.EXACT, Resolved.INFERRED, Resolved.AMBIGUOUS, Resolved.UNRESOLVED, Resolved.SAID)
EDGE = np.dtype(
    [("source", "<u4"), ("target", "<u8"), ("line", "<u4"), ("kind", "u1"), ("resolved", "u1"), ("choice", "<u2")]
)
DEPENDENT = np.dtype([("file", "<u4"), ("via", "<u4"), ("depth", "u1")])


@lru_cache(maxsize=200_000)
def node_key(path: str, symbol: str) -> int:
    """The key of a node; that of a name that nothing is known of has no path."""
    data = f"{path}\0{symbol}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def symbols_in(data: bytes) -> list[list[Any]]:
    found: list[list[Any]] = orjson.loads(data)
    return found
