"""Sealed fields: what a record of a tier says, encrypted under the vault's key for fields.

AES-256-GCM-SIV (RFC 8452) with a random nonce of 96 bits: should a nonce ever repeat, that shows which two boxes hold
the same and nothing more. What is authenticated with a box is the record and the number of the box, so a box opens
nowhere else; the names of its columns are inside. docs/adr/0037 has the reasons.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from recollect.errors import EncryptionFailed, MissingExtra, StoreDamaged
from recollect.model.columns import SealedBox

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

    from recollect.security.projection import Projections, Vectors

VERSION = b"\x01"
_NONCE_BYTES = 12
_REF_BITS = 62
_DIGEST_INFO = b"recollect-field-digest-v1"
_DIGEST_BYTES = 16
NO_KEY = (
    "a tier needs a key to seal texts with, and this store has none: `recollect vault init` makes a new store with a "
    "vault, `recollect vault migrate` gives this one a vault. Nothing was stored"
)


class FieldCipher:
    """Seals and opens fields. `key` gives the key of the moment, None where the store has no vault."""

    def __init__(self, key: Callable[[], bytes | None], in_vault: Callable[[], bool] = lambda: False) -> None:
        self._key = key
        self._in_vault = in_vault
        self._of: bytes | None = None
        self._made: tuple[AESGCMSIV, bytes] | None = None

    def __repr__(self) -> str:
        return f"FieldCipher(available={self.available})"

    @property
    def available(self) -> bool:
        """Whether anything can be sealed here."""
        return self._key() is not None

    @property
    def in_vault(self) -> bool:
        """Whether the key is that of a vault: not one that a caller gave, or that ends with a process."""
        return self._in_vault()

    def require(self) -> None:
        """Refuse to go on where nothing can be sealed."""
        if not self.available:
            raise EncryptionFailed(NO_KEY)

    def sealed(self, record_id: str, columns: Mapping[str, Any]) -> SealedBox:
        """Columns of a record as a box that only this key opens, under a number of its own."""
        ref = int.from_bytes(os.urandom(8)) >> (64 - _REF_BITS)
        return self.resealed(record_id, ref, columns)

    def resealed(self, record_id: str, ref: int, columns: Mapping[str, Any]) -> SealedBox:
        """The same for a box that has its number already."""
        nonce = os.urandom(_NONCE_BYTES)
        said = orjson.dumps(dict(columns))
        return SealedBox(
            ref, record_id, VERSION + nonce + self._cipher()[0].encrypt(nonce, said, _bound(record_id, ref))
        )

    def opened(self, box: SealedBox) -> dict[str, Any]:
        """The columns in a box; `StoreDamaged` if it was changed, belongs to another record, or has another key."""
        from cryptography.exceptions import InvalidTag

        cipher = self._cipher()[0]
        nonce, said = box.box[1 : 1 + _NONCE_BYTES], box.box[1 + _NONCE_BYTES :]
        try:
            if box.box[:1] != VERSION:
                raise InvalidTag
            return dict(orjson.loads(cipher.decrypt(nonce, said, _bound(box.record_id, box.ref))))
        except (InvalidTag, ValueError):
            raise StoreDamaged(
                f"what is sealed of record {box.record_id} does not open: it was damaged, or sealed under another key. "
                "The record is still there without it"
            ) from None

    def opened_as_far(self, boxes: Iterable[SealedBox]) -> dict[int, dict[str, Any]]:
        """What opens of several boxes, by number; damaged ones are left out."""
        out: dict[int, dict[str, Any]] = {}
        for box in boxes:
            try:
                out[box.ref] = self.opened(box)
            except StoreDamaged:
                continue
        return out

    def digest(self, text: str) -> str:
        """What tells texts apart that must not be read: a hash that nobody can try words on without the key."""
        return hmac.new(self._cipher()[1], text.encode(), hashlib.sha256).digest()[:_DIGEST_BYTES].hex()

    def hash_of(self, shown: str, originals: Mapping[str, Any]) -> str:
        """The hash of a row with something sealed: rows that look alike and hide different things differ in it.

        Secrets do not count: the references in the text tell them apart.
        """
        hidden = sorted((name, value) for name, value in originals.items() if name != "secrets")
        return self.digest(orjson.dumps([shown, *hidden]).decode())

    def _cipher(self) -> tuple[AESGCMSIV, bytes]:
        key = self._key()
        if key is None:
            raise EncryptionFailed(NO_KEY)
        if self._made is None or self._of != key:
            try:
                from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
            except ImportError:
                raise MissingExtra("tiers need: pip install 'recollect[vault]'") from None
            from recollect.security.keys import hkdf_sha256

            self._made = AESGCMSIV(key), hkdf_sha256(key, info=_DIGEST_INFO, length=len(key))
            self._of = key
        return self._made


class Turning:
    """What turns the vectors of withheld texts, under the key of the moment; None where the store has no key."""

    def __init__(self, key: Callable[[], bytes | None]) -> None:
        self._key = key
        self._of: bytes | None = None
        self._made: Projections | None = None

    def __call__(self) -> Projections | None:
        key = self._key()
        if self._of != key:
            self._of, self._made = key, None if key is None else projections_under(key)
        return self._made

    def turned(self, vectors: Vectors) -> Vectors:
        """Vectors turned by the key."""
        found = self()
        if found is None:
            raise EncryptionFailed(NO_KEY)
        return found.project(vectors)


def projections_under(key: bytes) -> Projections:
    """What turns vectors under a key; drawn when it is needed."""
    from recollect.security.projection import Projections

    return Projections(key)


def _bound(record_id: str, ref: int) -> bytes:
    return f"recollect-field-v1\0{record_id}\0{ref}".encode()
