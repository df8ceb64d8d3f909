"""What makes an answer a set of vectors: checked once, here, whichever model gave it."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.errors import DimensionMismatch, EmbeddingFailed, UsageError
from recollect.providers.base import Vectors

DIMENSIONS_MAX = 16_384  # several times the widest model in use; above it, a typing error

Rows = TypeVar("Rows", NDArray[np.float32], NDArray[np.float64])


def scale_to_unit(rows: Rows) -> Rows:
    """The same array with every row scaled, in place, to length 1; zero rows stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0.0] = 1.0
    rows /= lengths[:, None]
    return rows


def checked_rows(answer: object, *, count: int, dimensions: int | None, source: str) -> Vectors:
    """What a model answered, as `count` finite float32 rows of length 1.

    `dimensions` None accepts any width. Raises `EmbeddingFailed` for anything that is not `count` equally
    long rows of finite numbers, `DimensionMismatch` for rows of another width than agreed.
    """
    try:
        rows: NDArray[np.float64] = np.array(answer, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as exc:
        raise EmbeddingFailed(f"{source} answered with something other than equally long rows of numbers") from exc
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise EmbeddingFailed(f"{source} answered with shape {rows.shape} instead of one row per text")
    if len(rows) != count:
        raise EmbeddingFailed(f"{source} answered with {len(rows)} vectors for {count} texts")
    if not np.isfinite(rows).all():
        raise EmbeddingFailed(f"{source} answered with values that are not finite")
    if dimensions is not None and rows.shape[1] != dimensions:
        raise DimensionMismatch(f"{source} answered with {rows.shape[1]} dimensions, expected {dimensions}")
    # Scaled before narrowing: what is finite in float64 may overflow in float32. Dividing by the largest
    # value first keeps the squares in range too.
    largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    largest[largest == 0.0] = 1.0
    rows /= largest
    return scale_to_unit(rows).astype(np.float32)


def check_dimensions(dimensions: int) -> int:
    """The number itself, or `UsageError`."""
    if not 1 <= dimensions <= DIMENSIONS_MAX:
        raise UsageError(f"dimensions must be 1 to {DIMENSIONS_MAX}, not {dimensions}")
    return dimensions


def utf8_prefix(text: str, bytes_max: int) -> str:
    """As much of a text as fits, free of what UTF-8 cannot carry.

    Lone surrogates, which come out of broken JSON and odd file names, become question marks.
    """
    return text[:bytes_max].encode("utf-8", "replace")[:bytes_max].decode("utf-8", "ignore")
