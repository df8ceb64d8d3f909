"""The master key of a vault, and the keys that are derived from it, one for each use.

All of them come from the master key by HKDF with SHA-256 (RFC 5869), each under a name of its own: who learns one of
them learns nothing about the others, or about the master key.
"""

from __future__ import annotations

import os
from enum import StrEnum

from recollect.errors import MissingExtra, UsageError
from recollect.security.secret import Secret

KEY_BYTES = 32
_CHECK_INFO = b"recollect-check-v1"
_CHECK_BYTES = 16


class Purpose(StrEnum):
    """What a derived key is for."""

    PAGES = "recollect-pages-v1"
    FIELDS = "recollect-fields-v1"
    EXPORTS = "recollect-exports-v1"
    PROJECTION = "recollect-projection-v1"
    AUDIT = "recollect-audit-v1"
    HIDDEN = "recollect-hidden-v1"


class MasterKey:
    """256 bits of chance, from which every key of a vault is derived."""

    def __init__(self, secret: bytes | bytearray) -> None:
        if len(secret) != KEY_BYTES:
            raise UsageError(f"a master key has {KEY_BYTES} bytes, or {2 * KEY_BYTES} hex digits")
        self._secret = Secret(secret)

    @classmethod
    def new(cls) -> MasterKey:
        return cls(bytearray(os.urandom(KEY_BYTES)))

    @classmethod
    def from_hex(cls, text: str, where: str) -> MasterKey:
        """The key that is written somewhere. The error names the place and never repeats what is written there."""
        try:
            raw = bytearray.fromhex(text.strip())
        except ValueError:
            raw = bytearray()
        if len(raw) != KEY_BYTES:
            raise UsageError(f"{where} must hold {KEY_BYTES} bytes as {2 * KEY_BYTES} hex digits")
        return cls(raw)

    def __repr__(self) -> str:
        return f"MasterKey(check={self.check})"

    @property
    def check(self) -> str:
        """What tells this key from others and may be seen by anyone: derived from the key, which it does not betray."""
        return hkdf_sha256(bytes(self._secret), info=_CHECK_INFO, length=_CHECK_BYTES).hex()

    @property
    def locked(self) -> bool:
        """Whether the key is kept out of the swap file."""
        return self._secret.locked

    def derived(self, purpose: Purpose) -> bytes:
        """The key for one use."""
        return hkdf_sha256(bytes(self._secret), info=purpose.value.encode(), length=KEY_BYTES)

    def raw(self) -> bytes:
        """The key itself, to be sealed or kept somewhere."""
        return bytes(self._secret)

    def wipe(self) -> None:
        self._secret.wipe()


def hkdf_sha256(key: bytes, *, info: bytes, length: int, salt: bytes = b"") -> bytes:
    """RFC 5869 with SHA-256."""
    try:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    except ImportError:
        raise MissingExtra("a vault needs: pip install 'recollect[vault]'") from None
    return HKDF(algorithm=SHA256(), length=length, salt=salt or None, info=info).derive(key)
