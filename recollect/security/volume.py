"""An experiment: one file of random bytes that holds a sealed store, and perhaps a second one that nobody can prove.

The file has a fixed size. It begins with a salt; the rest is slots of one size, and every byte is random at first. A
passphrase makes a key (argon2id over the salt). The *outer* store's snapshot is sealed into the first slots. The
*hidden* store's lies from a slot on that its own key says. Each sealed slot is AES-256-GCM under a nonce of its own,
which nobody can tell from random bytes without the key; so the unused rest, and a hidden store in it, look alike.

| slot 0 … | … | slot n, by the key of the hidden store | … |
|---|---|---|---|
| outer snapshot | random | hidden snapshot, or random | random |

The outer store does not know of the hidden one. Opened with its own passphrase alone, it grows over it; opened with
both (`protect`), it is refused what would. What this is worth, and what it is not, is in docs/adr/0041.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.errors import DiskFull, StoreBusy, StoreDamaged, StoreError, StoreLocked, UsageError
from recollect.security import passphrase as passphrases
from recollect.security.access import Access
from recollect.security.keys import KEY_BYTES, MasterKey, Purpose, hkdf_sha256
from recollect.security.passphrase import check_passphrase, derived_key
from recollect.store.base import HeldPages
from recollect.store.place import sync_folder

SLOT_BYTES = 65_536
SALT_BYTES = 32
SIZE_MIN, SIZE, SIZE_MAX = 8 << 20, 32 << 20, 4 << 30  # an empty store takes 1.3 MiB; it is read and written whole
_NONCE_BYTES, _TAG_BYTES = 12, 16
_TEXT_BYTES = SLOT_BYTES - _NONCE_BYTES - _TAG_BYTES
_VERSION_BYTES, _LENGTH_BYTES = 16, 8
_HEAD_BYTES = _VERSION_BYTES + _LENGTH_BYTES
_COPY = ".new"


class _Side(NamedTuple):
    """One of the two stores that a container may hold, as its key has it."""

    name: str  # outer, hidden
    first: int  # its first slot
    slots: int  # how many it may take
    cipher: Any
    master: MasterKey

    @property
    def bytes_max(self) -> int:
        return self.slots * _TEXT_BYTES - _HEAD_BYTES


class Container:
    """A container file. Whole snapshots are read and written; what is written takes the place of the file at once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser().absolute()

    @classmethod
    def create(cls, path: str | os.PathLike[str], passphrase: str, *, size: int = SIZE) -> Container:
        """Make a container with an empty outer store. Nothing tells later whether a hidden one was added."""
        box = cls(path)
        if not isinstance(size, int) or not SIZE_MIN <= size <= SIZE_MAX:
            raise UsageError(f"a container has from {SIZE_MIN >> 20} MiB to {SIZE_MAX >> 30} GiB")
        check_passphrase(passphrase)
        if box.path.exists():
            raise UsageError(f"{box.path} is there already; choose another name")
        whole = bytearray(os.urandom(size))
        _seal(whole, _sides(whole, passphrase)[0], b"")
        box._put(whole)
        return box

    def add_hidden(self, passphrase: str, hidden: str) -> None:
        """Put an empty hidden store into the unused rest. `passphrase` is the outer store's, which must not reach so
        far already; a hidden store that was there under another passphrase may be lost.
        """
        if passphrase == check_passphrase(hidden):
            raise UsageError("the two passphrases are the same; each store needs one of its own")
        lock = self._locked()
        try:
            whole = self._whole()
            outer, side = self._found(whole, passphrase), _sides(whole, hidden)[1]
            if outer[0].name != "outer":
                raise StoreLocked("this passphrase does not open the outer store; nothing was changed")
            if _slots_of(outer[1]) > side.first:
                raise DiskFull("the outer store takes up too much of the container; nothing was changed")
            _seal(whole, side, b"")
            self._put(whole)
        finally:
            os.close(lock)

    def unlock(self, passphrase: str, *, protect: str | None = None) -> Access:
        """What opens the store that this passphrase is for, whichever it is: `recollect.open(":memory:", key=…)`.

        It is written back when the memory is closed. Until then nobody else opens the container.

        Args:
            passphrase: The outer store's, or the hidden one's.
            protect: With the outer store's passphrase, the hidden one's: the outer store then stops growing before it.
        """
        lock = self._locked()
        try:
            whole = self._whole()
            side, content = self._found(whole, passphrase)
            if protect is not None:
                other = _sides(whole, check_passphrase(protect))[1]
                if side.name != "outer" or _opened(whole, other) is None:
                    raise StoreLocked("protect takes the hidden store's passphrase; this one opens no hidden store")
                side = side._replace(slots=other.first)
        except BaseException:
            os.close(lock)
            raise
        return Access(HeldPages(content or None, side.bytes_max, _Keeping(self, side, lock)), side.master)

    def _found(self, whole: bytearray, passphrase: str) -> tuple[_Side, bytes]:
        for side in _sides(whole, check_passphrase(passphrase)):
            content = _opened(whole, side)
            if content is not None:
                return side, content
        raise StoreLocked(f"nothing in {self.path.name} opens with this passphrase; nothing was changed")

    def _whole(self) -> bytearray:
        try:
            whole = bytearray(self.path.read_bytes())
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {error.strerror}") from None
        if not SIZE_MIN <= len(whole) <= SIZE_MAX:
            raise StoreDamaged(f"{self.path} is no container: it has not the size of one")
        return whole

    def _locked(self) -> int:
        """Nobody else has the container open meanwhile; the lock ends with the process."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreError(f"cannot open {self.path}: {error.strerror}") from None
        if os.name == "posix":
            import fcntl

            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                raise StoreBusy(f"{self.path} is open elsewhere; close it there first") from None
        return descriptor

    def keep(self, side: _Side, content: bytes) -> None:
        """Seal a snapshot into its slots; all other bytes stay as they are."""
        if len(content) > side.bytes_max:
            raise DiskFull("the store has outgrown its container; the container is as it was")
        whole = self._whole()
        _seal(whole, side, content)
        self._put(whole)

    def _put(self, whole: bytes | bytearray) -> None:
        """Take the place of the file at once: whoever is killed in between leaves the old one."""
        copy = Path(f"{self.path}{_COPY}")
        try:
            copy.unlink(missing_ok=True)
            descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(whole)
                file.flush()
                os.fsync(file.fileno())
            os.replace(copy, self.path)
            sync_folder(self.path.parent)
        except OSError as error:
            with suppress(OSError):
                copy.unlink(missing_ok=True)
            kind = DiskFull if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else StoreError
            raise kind(f"cannot write {self.path}: {error.strerror}; the container is as it was") from None


class _Keeping:
    """Writes a snapshot back, once, and lets go of the container."""

    def __init__(self, box: Container, side: _Side, lock: int) -> None:
        self._box = box
        self._side = side
        self._lock: int | None = lock

    def __call__(self, content: bytes) -> None:
        try:
            self._box.keep(self._side, content)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        self._let_go()


def _sides(whole: bytes | bytearray, passphrase: str) -> tuple[_Side, _Side]:
    """Where the outer and the hidden store of a passphrase would be, and what seals them."""
    made = derived_key(passphrase, bytes(whole[:SALT_BYTES]), passphrases.COST)
    count = (len(whole) - SALT_BYTES) // SLOT_BYTES
    chance = int.from_bytes(_key(made, "place")[:8])
    first = count // 2 + chance % (count // 4)
    return (
        _Side("outer", 0, count, _cipher(_key(made, "outer")), MasterKey(_key(made, "outer keys"))),
        _Side("hidden", first, count - first, _cipher(_key(made, "hidden")), MasterKey(_key(made, "hidden keys"))),
    )


def _key(made: bytes, use: str) -> bytes:
    return hkdf_sha256(made, info=f"{Purpose.HIDDEN.value} {use}".encode(), length=KEY_BYTES)


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _slots_of(content: bytes) -> int:
    return -(-(len(content) + _HEAD_BYTES) // _TEXT_BYTES)


def _seal(whole: bytearray, side: _Side, content: bytes) -> None:
    """Put a snapshot into its slots. Each is bound to its place and to this writing: none can be swapped."""
    version = os.urandom(_VERSION_BYTES)
    text = version + len(content).to_bytes(_LENGTH_BYTES) + content
    for number in range(_slots_of(content)):
        part = text[number * _TEXT_BYTES : (number + 1) * _TEXT_BYTES].ljust(_TEXT_BYTES, b"\x00")
        nonce = os.urandom(_NONCE_BYTES)
        at = SALT_BYTES + (side.first + number) * SLOT_BYTES
        whole[at : at + SLOT_BYTES] = nonce + side.cipher.encrypt(nonce, part, _about(side, number, version))


def _opened(whole: bytes | bytearray, side: _Side) -> bytes | None:
    """The snapshot in the slots of a side; None if its first slot does not open."""
    head = _slot(whole, side, 0, b"")
    if head is None:
        return None
    version = head[:_VERSION_BYTES]
    length = int.from_bytes(head[_VERSION_BYTES:_HEAD_BYTES])
    parts = [head[_HEAD_BYTES:]]
    for number in range(1, -(-(length + _HEAD_BYTES) // _TEXT_BYTES)):
        part = _slot(whole, side, number, version)
        if part is None:
            raise StoreDamaged("a part of the store is damaged, or another store in the container has grown over it")
        parts.append(part)
    return b"".join(parts)[:length]


def _slot(whole: bytes | bytearray, side: _Side, number: int, version: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag

    at = SALT_BYTES + (side.first + number) * SLOT_BYTES
    raw = bytes(whole[at : at + SLOT_BYTES])
    try:
        return bytes(side.cipher.decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], _about(side, number, version)))
    except InvalidTag:
        return None


def _about(side: _Side, number: int, version: bytes) -> bytes:
    """What a slot is bound to. The first one brings the version that binds the others."""
    return f"{side.name} {number} ".encode() + (version if number else b"")
