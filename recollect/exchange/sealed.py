"""A file under a passphrase: authenticated chunks, so that no byte of it can be changed, moved or cut off.

The beginning names the recipe in the clear: the cost of the key (scrypt) and the salt. Each chunk is sealed with
AES-256-GCM under a nonce that holds its number and whether it is the last; the recipe is authenticated with every one.
"""

from __future__ import annotations

import hashlib
import io
import os
from typing import IO, Any, NamedTuple

import orjson

from recollect.errors import EncryptionFailed, MissingExtra, UsageError
from recollect.limits import PASSPHRASE_CHARS_MAX, SCRYPT_BYTES_MAX

MAGIC = b"RECOLLECT-SEALED 1\n"
CHUNK_BYTES = 1 << 16
_TAG_BYTES = 16
_KEY_BYTES = 32
_RECIPE_BYTES_MAX = 1024
_COST = {"n": 1 << 17, "r": 8, "p": 1}  # 128 MB and about a third of a second for each guess
_CHUNKS_MAX = 1 << 32
SEALED_WITH = {"kdf": "scrypt", "cipher": "aes-256-gcm"}  # as the audit tells it
_UNREADABLE = "the passphrase is wrong, or the file was changed or cut off; nothing was read from it"


class _Recipe(NamedTuple):
    """What is known before the passphrase: how the key is made of it, and where the nonces begin."""

    n: int
    r: int
    p: int
    salt: bytes
    prefix: bytes
    line: bytes  # as it stands in the file

    def key(self, passphrase: str) -> bytes:
        return hashlib.scrypt(
            passphrase.encode(),
            salt=self.salt,
            n=self.n,
            r=self.r,
            p=self.p,
            dklen=_KEY_BYTES,
            maxmem=2 * SCRYPT_BYTES_MAX,
        )

    def nonce(self, number: int, *, last: bool) -> bytes:
        return self.prefix + number.to_bytes(4, "big") + bytes([last])


def check_passphrase(given: Any) -> str:
    """A passphrase that can be used; it is never repeated in a message."""
    if not isinstance(given, str) or not given or len(given) > PASSPHRASE_CHARS_MAX:
        raise UsageError(f"the passphrase must be a text of 1 to {PASSPHRASE_CHARS_MAX} characters")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise UsageError("the passphrase holds half a character (a lone surrogate)") from None
    return given


class SealedWriter(io.RawIOBase):
    """Takes bytes and writes them sealed. Only `close` makes the file complete: what comes before cannot be read."""

    def __init__(self, below: IO[bytes], passphrase: str) -> None:
        self._below = below
        self._recipe = _new_recipe()
        self._cipher = _cipher(self._recipe.key(passphrase))
        self._pending = bytearray()
        self._number = 0
        below.write(MAGIC + self._recipe.line)

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pending += data
        while len(self._pending) > CHUNK_BYTES:  # the last chunk stays: it is marked as such
            self._seal(bytes(self._pending[:CHUNK_BYTES]), last=False)
            del self._pending[:CHUNK_BYTES]
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._seal(bytes(self._pending), last=True)
            super().close()

    def _seal(self, data: bytes, *, last: bool) -> None:
        if self._number >= _CHUNKS_MAX:
            raise EncryptionFailed("the export is too large for one sealed file; export it in parts, by scope")
        nonce = self._recipe.nonce(self._number, last=last)
        self._below.write(self._cipher.encrypt(nonce, data, self._recipe.line))
        self._number += 1


class SealedReader(io.RawIOBase):
    """Gives the bytes of a sealed file back, each only after its chunk was found genuine."""

    def __init__(self, below: IO[bytes], passphrase: str) -> None:
        self._below = below
        self._recipe = _read_recipe(below)
        self._cipher = _cipher(self._recipe.key(passphrase))
        self._start = below.tell()
        self.rewind()

    def rewind(self) -> None:
        """Begin again, without making the key anew."""
        self._below.seek(self._start)
        self._open = memoryview(b"")
        self._number = 0
        self._ahead = self._below.read(CHUNK_BYTES + _TAG_BYTES)
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._open and not self._ended:
            self._next()
        count = min(len(buffer), len(self._open))
        buffer[:count] = self._open[:count]
        self._open = self._open[count:]
        return count

    def _next(self) -> None:
        sealed, self._ahead = self._ahead, self._below.read(CHUNK_BYTES + _TAG_BYTES)
        last = not self._ahead
        try:
            self._open = memoryview(
                self._cipher.decrypt(self._recipe.nonce(self._number, last=last), sealed, self._recipe.line)
            )
        except Exception as error:  # the library's own class, known only where it is installed
            raise EncryptionFailed(_UNREADABLE) from error
        self._number += 1
        self._ended = last


def _new_recipe() -> _Recipe:
    salt, prefix = os.urandom(16), os.urandom(7)
    line = orjson.dumps({"cipher": "aes-256-gcm", "kdf": "scrypt", **_COST, "salt": salt.hex(), "nonce": prefix.hex()})
    return _Recipe(**_COST, salt=salt, prefix=prefix, line=line + b"\n")


def _read_recipe(file: IO[bytes]) -> _Recipe:
    """The recipe of a sealed file. Its costs are bounded: a file must not be able to take all memory."""
    if file.read(len(MAGIC)) != MAGIC:
        raise UsageError("the file is not sealed with a passphrase; leave the passphrase out")
    line = file.readline(_RECIPE_BYTES_MAX)
    try:
        told = orjson.loads(line)
        cost = [told[name] for name in ("n", "r", "p")]
        salt, prefix = bytes.fromhex(told["salt"]), bytes.fromhex(told["nonce"])
        known = (told["cipher"], told["kdf"]) == ("aes-256-gcm", "scrypt")
    except (orjson.JSONDecodeError, TypeError, KeyError, ValueError):
        raise EncryptionFailed("the beginning of the sealed file is damaged; it cannot be read") from None
    if not known:
        raise EncryptionFailed("the file is sealed in a way that this version does not know; update recollect")
    sound = all(type(each) is int and each > 0 for each in cost) and len(prefix) == 7 and 8 <= len(salt) <= 64
    n, r, p = cost
    if not sound or n & (n - 1) or n < 2 or 128 * n * r > SCRYPT_BYTES_MAX or p > 4:
        raise EncryptionFailed(
            "the sealed file asks for more key-derivation work than Recollect allows; Recollect did not write it"
        )
    return _Recipe(n, r, p, salt, prefix, line)


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise MissingExtra("exports under a passphrase need: pip install 'recollect[vault]'") from None
    return AESGCM(key)
