"""The key by which an owner knows their own papers again: exports that they wrote, and reports of what was erased.

A store with a vault signs under a key derived from its master key. Every other store signs under a key of the person
who runs it, in one file of mode 0600: a backup is there for the day when the store is gone, and a key inside the store
would be gone with it.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.store.place import make_folder

if TYPE_CHECKING:
    from recollect.security.keys import MasterKey

PLACE = "RECOLLECT_SIGNING_KEY"  # names another file than the usual one
FILE_DEFAULT = "~/.recollect/signing.key"
KEY_BYTES = 32
_ID_BYTES = 8
_log = logging.getLogger(__name__)


class Paper(StrEnum):
    """What is signed. A signature of one sort is none of the other."""

    EXPORT = "recollect-export-v1"
    ERASURE = "recollect-erasure-v1"


class SigningKey:
    """Signs with HMAC-SHA256. `id` tells this key from others and may be seen by anyone."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.id = self._hmac(b"recollect-key-id-v1", b"")[:_ID_BYTES].hex()

    def __repr__(self) -> str:
        return f"SigningKey(id={self.id})"

    def sign(self, paper: Paper, data: bytes) -> str:
        """The signature under some bytes, as hex digits."""
        return self._hmac(paper.value.encode(), data).hex()

    def made(self, signature: object, paper: Paper, data: bytes) -> bool:
        """Whether this key made a signature."""
        given = signature if isinstance(signature, str) and signature.isascii() else ""
        return hmac.compare_digest(self.sign(paper, data), given)

    def _hmac(self, label: bytes, data: bytes) -> bytes:
        return hmac.new(self._secret, label + b"\0" + data, hashlib.sha256).digest()


def signing_key(master_of: Callable[[], MasterKey | None], *, make: bool = False) -> SigningKey | None:
    """The owner's key; None where there is none yet and none may be made, or nowhere to keep it."""
    master = master_of()
    if master is not None:
        from recollect.security.keys import Purpose

        return SigningKey(master.derived(Purpose.EXPORTS))
    path = Path(os.environ.get(PLACE) or FILE_DEFAULT).expanduser()
    try:
        return _read(path) or (_made(path) if make else None)
    except OSError as error:
        _log.warning("no key to sign with: %s", error.strerror)
        return None


def _read(path: Path) -> SigningKey | None:
    """The key of a file; None if there is no file. One that others can read proves nothing, and is not used."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        text = file.read(4 * KEY_BYTES)
    private = stat.S_ISREG(about.st_mode) and not about.st_mode & 0o077 and about.st_uid == os.geteuid()
    if os.name == "posix" and not private:
        raise PermissionError(13, f"{path} must belong to you, with mode 0600")
    try:
        secret = bytes.fromhex(text.decode("ascii").strip())
    except (UnicodeDecodeError, ValueError):
        secret = b""
    if len(secret) != KEY_BYTES:
        raise OSError(22, f"{path} must hold {2 * KEY_BYTES} hex digits")
    return SigningKey(secret)


def _made(path: Path) -> SigningKey | None:
    """A new key, written whole before it has its name: two processes that begin at once end with the same one."""
    make_folder(path.parent)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_bytes(KEY_BYTES).hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(beside, path)
    finally:
        os.unlink(beside)
    return _read(path)
