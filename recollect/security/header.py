"""The file beside an encrypted store that says how its key is found. It holds nothing secret in the clear.

`memory.db.vault` is JSON: the vault's id, where the key is kept, what tells the key from others and, while the store is
being encrypted, decrypted or given another key, what it is changing into. It is written whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import orjson

from recollect.errors import StoreDamaged, StoreError, StoreNewer
from recollect.ids import is_id, new_id
from recollect.security.passphrase import SealedKey
from recollect.security.wiping import overwrite
from recollect.store.place import sync_folder

SUFFIX = ".vault"
FORMAT = "recollect-vault"
VERSION = 1
_BYTES_MAX = 64 * 1024


class KeyPlace(StrEnum):
    """Where the master key of a vault is."""

    KEYRING = "keyring"  # of the operating system
    PASSPHRASE = "passphrase"  # sealed in the header under one
    ENVIRONMENT = "env"  # a variable of the environment
    FILE = "file"  # that only its owner can read
    CALLER = "caller"  # who opens the store gives it


@dataclass(frozen=True, kw_only=True)
class KeyNote:
    """What is noted about a master key: where it is, and what it is told by."""

    kept: KeyPlace
    check: str
    place: str | None = None  # the variable, or the file
    ours: bool = True  # Recollect put it there, and takes it away when it is no longer needed
    sealed: SealedKey | None = None

    def to_dict(self) -> dict[str, Any]:
        sealed = None if self.sealed is None else self.sealed.to_dict()
        return {
            "kept": self.kept.value,
            "check": self.check,
            "place": self.place,
            "ours": self.ours,
            "sealed": sealed,
        }

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> KeyNote:
        kept, check, place, sealed = (told[name] for name in ("kept", "check", "place", "sealed"))
        if not isinstance(check, str) or len(bytes.fromhex(check)) != 16:
            raise ValueError("check")
        note = cls(
            kept=KeyPlace(kept),
            check=check,
            place=place,
            ours=bool(told["ours"]),
            sealed=None if sealed is None else SealedKey.from_dict(sealed),
        )
        if (note.kept is KeyPlace.PASSPHRASE) != (note.sealed is not None):
            raise ValueError("sealed")
        if (note.kept in (KeyPlace.FILE, KeyPlace.ENVIRONMENT)) != isinstance(place, str):
            raise ValueError("place")
        return note


@dataclass(frozen=True, kw_only=True)
class KeyChange:
    """A store on its way from one key to another; no key is a plain store."""

    other: KeyNote | None  # the key to come; after the switch the key to be forgotten
    switched: bool = False  # the new file is in its place: what is left is to do away with the old one

    def to_dict(self) -> dict[str, Any]:
        return {"other": None if self.other is None else self.other.to_dict(), "switched": self.switched}


@dataclass(frozen=True, kw_only=True)
class VaultHeader:
    """All that the file says. `key` is None while a plain store is being encrypted."""

    id: str = field(default_factory=new_id)
    key: KeyNote | None = None
    change: KeyChange | None = None

    @property
    def about(self) -> bytes:
        """What a key sealed under a passphrase is bound to."""
        return f"{FORMAT}/{VERSION}/{self.id}".encode()

    def changing(self, to: KeyNote | None) -> VaultHeader:
        return replace(self, change=KeyChange(other=to))

    def switched(self) -> VaultHeader:
        """After the new file took its place: its key is the key, the one before is to be forgotten."""
        assert self.change is not None
        return replace(self, key=self.change.other, change=KeyChange(other=self.key, switched=True))


def header_path(database: str | Path) -> Path:
    return Path(f"{database}{SUFFIX}")


def read_header(database: str | Path) -> VaultHeader | None:
    """The header of a store; None where there is none. A damaged one is `StoreDamaged`, the store is not touched."""
    path = header_path(database)
    try:
        with path.open("rb") as file:
            raw = file.read(_BYTES_MAX + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}; check its permissions") from None
    try:
        told = orjson.loads(raw)
        body, version = told["vault"], told["version"]
        if told["format"] != FORMAT or type(version) is not int:
            raise ValueError("format")
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        raise _damaged(path) from None
    if version > VERSION:
        raise StoreNewer(f"{path} has version {version}, this program knows {VERSION}; upgrade recollect to open it")
    try:
        if told["sha256"] != _sum(body):
            raise ValueError("sum")
        return _from_dict(body)
    except (KeyError, TypeError, ValueError):
        raise _damaged(path) from None


def write_header(database: str | Path, header: VaultHeader) -> None:
    """Put the header in its place, whole; what stood there before is overwritten."""
    path = header_path(database)
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    body = {
        "id": header.id,
        "key": None if header.key is None else header.key.to_dict(),
        "change": None if header.change is None else header.change.to_dict(),
    }
    whole = {"format": FORMAT, "version": VERSION, "vault": body, "sha256": _sum(body)}
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            file.flush()
            os.fsync(file.fileno())
        before = _held(path)
        os.replace(beside, path)
        sync_folder(path.parent)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreError(f"cannot write {path}: {error.strerror}; nothing was changed") from None
    if before is not None:  # it may have held a key, sealed under a passphrase that is no more
        with os.fdopen(before, "r+b") as file:
            overwrite(file)


def remove_header(database: str | Path) -> None:
    """Overwrite the header and take it away: the store is a plain one."""
    path = header_path(database)
    held = _held(path)
    if held is None:
        return
    path.unlink(missing_ok=True)
    sync_folder(path.parent)
    with os.fdopen(held, "r+b") as file:
        overwrite(file)


def _held(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None


def _from_dict(body: dict[str, Any]) -> VaultHeader:
    change, key = body["change"], body["key"]
    if not is_id(body["id"]) or (key is None and change is None):
        raise ValueError("id")
    return VaultHeader(
        id=body["id"],
        key=None if key is None else KeyNote.from_dict(key),
        change=None
        if change is None
        else KeyChange(
            other=None if change["other"] is None else KeyNote.from_dict(change["other"]),
            switched=bool(change["switched"]),
        ),
    )


def _sum(body: Any) -> str:
    """Tells a damaged header from a wrong passphrase. It keeps nobody from changing one."""
    return hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _damaged(path: Path) -> StoreDamaged:
    return StoreDamaged(
        f"{path} is damaged; `recollect restore` puts back that of a backup, or open the store with key= and the key "
        "that `recollect vault export-key` gave after moving this file away. Nothing was changed"
    )
