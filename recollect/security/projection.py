"""Vectors turned by a secret: as near to each other as before, and no longer in the space that an encoder speaks.

A vector of a text gives much of the text away: who has the encoder can look for the words that make such a vector. A
random orthogonal matrix, drawn from the vault's key, turns all vectors of a store alike. Every cosine between two of
them stays as it was, so they are searched as before; a vector alone says nothing to who does not know the matrix.

What a rotation does not hide: which vectors lie near each other, how many there are, and which texts are equal. And
who knows the texts of as many vectors as there are dimensions can compute the matrix. It is a wall against those who
see vectors only: a service that searches them, a copied index.

`quantised` leaves the vectors 8 bits a dimension, as a byte code for a back end would.
"""

from __future__ import annotations

import hashlib
import threading

import numpy as np
from numpy.typing import NDArray

from recollect.security.keys import KEY_BYTES, hkdf_sha256
from recollect.security.secret import Secret

Vectors = NDArray[np.float32]

_INFO = "recollect-projection-matrix-v1"
_STEPS = 127  # of a byte with a sign, to either side of zero


class Projections:
    """The rotations under one key, one for each number of dimensions; each is drawn when it is first needed.

    The key is the vault's own for this purpose (`MasterKey.derived(Purpose.PROJECTION)`), or any 32 bytes of chance.
    The same key gives the same rotation, on any machine, but for the last bits of a float.
    """

    def __init__(self, key: bytes | bytearray) -> None:
        assert len(key) == KEY_BYTES, "a key of a projection has 32 bytes"
        self._key = Secret(key)
        self._matrices: dict[int, Vectors] = {}
        self._drawing = threading.Lock()

    def __repr__(self) -> str:
        return f"Projections(dimensions={sorted(self._matrices)})"

    def project(self, vectors: Vectors) -> Vectors:
        """One vector or rows of vectors, turned; lengths and cosines stay."""
        return np.asarray(vectors @ self.matrix(vectors.shape[-1]), dtype=np.float32)

    def unproject(self, projected: Vectors) -> Vectors:
        """Turned back: what the encoder made of the texts."""
        return np.asarray(projected @ self.matrix(projected.shape[-1]).T, dtype=np.float32)

    def matrix(self, dimensions: int) -> Vectors:
        """The rotation: as secret as the key."""
        found = self._matrices.get(dimensions)
        if found is not None:
            return found
        with self._drawing:
            if dimensions not in self._matrices:
                assert not self._key.wiped, "the key of the projection is gone"
                self._matrices[dimensions] = orthogonal(bytes(self._key), dimensions)
            return self._matrices[dimensions]

    def wipe(self) -> None:
        """Overwrite the key and the matrices; nothing can be projected afterwards."""
        with self._drawing:
            self._key.wipe()
            for matrix in self._matrices.values():
                matrix.fill(0.0)
            self._matrices.clear()


def orthogonal(key: bytes, dimensions: int) -> Vectors:
    """An orthogonal matrix, every one as likely as any other (Haar's measure), drawn from the key alone.

    Normal numbers are made of an extendable hash of the key (SHAKE-256; HKDF gives 8 KB at most), and their columns
    made orthogonal (QR); the signs of R's diagonal take out the preference of the method for some matrices.
    """
    seed = hkdf_sha256(key, info=f"{_INFO}/{dimensions}".encode(), length=KEY_BYTES)
    drawn = np.frombuffer(hashlib.shake_256(seed).digest(8 * dimensions * dimensions), dtype="<u4")
    even = (drawn.astype(np.float64) + 0.5) / 2.0**32
    lengths, angles = np.sqrt(-2.0 * np.log(even[0::2])), 2.0 * np.pi * even[1::2]
    q, r = np.linalg.qr((lengths * np.cos(angles)).reshape(dimensions, dimensions))
    return np.ascontiguousarray(q * np.sign(np.diag(r)), dtype=np.float32)


def quantised(vectors: Vectors) -> Vectors:
    """The vectors as 8 bits a dimension tell them, each with its own scale: what was finer is gone for good."""
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    scale = np.where(largest > 0.0, largest, 1.0) / _STEPS
    return np.asarray(np.rint(vectors / scale) * scale, dtype=np.float32)
