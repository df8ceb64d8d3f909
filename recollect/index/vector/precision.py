"""How precisely numbers of vectors are kept: f32, f16, and i8 with a scale each.

A cosine does not mind how long a vector is, so a vector in eight bits fills all of them: its largest component is 127.
Bits are what a library gives back, numbers what is computed with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Bits = NDArray[Any]

_LEVELS = np.float32(127)  # of a vector's largest component in 8 bits
_SIGN_AND_NUMBER = np.int32(-0x70002000)  # the bits that a half has, once they lie where a single keeps them
_EXPONENT = np.float32(2.0**112)  # what the exponents of the two are apart


class Precision(NamedTuple):
    """One way to keep the numbers of a vector. Both functions take rows one below the other."""

    name: str
    numbers: type[np.generic]  # as they are given to a library
    bits: type[np.generic]  # as they are given back
    encode: Callable[[Vectors], Bits]
    decode: Callable[[Bits], Vectors]

    def rounded(self, vectors: Vectors) -> Vectors:
        """Vectors as they would be given back."""
        return self.decode(self.encode(vectors).view(self.bits))


def lengths(rows: Vectors) -> Vectors:
    """The length of each row, 1 where a row is nothing: to divide by."""
    found = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.where(found > 0, found, np.float32(1.0)).astype(np.float32)


def widened(halves: NDArray[np.uint16]) -> Vectors:
    """Half precision as single, exactly, of finite numbers: bits are moved and an exponent corrected, all at once.

    numpy's own cast takes one number after the other, seven times as long.
    """
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _SIGN_AND_NUMBER
    wide = bits.view(np.float32)
    wide *= _EXPONENT
    return wide


def _in_eight_bits(vectors: Vectors) -> Bits:
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    return np.rint(vectors * (_LEVELS / np.where(largest > 0, largest, np.float32(1.0)))).astype(np.int8)


def _of_eight_bits(bits: Bits) -> Vectors:
    numbers = bits.astype(np.float32)
    numbers /= lengths(numbers)[:, None]
    return numbers


PRECISIONS = {
    each.name: each
    for each in (
        Precision("f32", np.float32, np.uint32, lambda rows: rows, lambda bits: bits.view(np.float32)),
        Precision("f16", np.float16, np.uint16, lambda rows: rows.astype(np.float16), widened),
        Precision("i8", np.int8, np.int8, _in_eight_bits, _of_eight_bits),
    )
}
