"""A backup: a whole copy of a store, and what it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class BackupKind(StrEnum):
    """What a backup was made for. Of each kind the newest `backups.keep` are kept."""

    AUTO = "auto"  # so many hours after the last one
    MANUAL = "manual"  # somebody asked for it
    MIGRATION = "migration"  # before the file was brought to a newer format
    IMPORT = "import"  # before an import
    KEY = "key"  # before a change of key
    RESTORE = "restore"  # before another backup took the place of the store


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """One backup. It got its name after it was opened and checked; `faults` is what a later check found."""

    name: str
    path: str
    kind: BackupKind
    made_at: datetime
    size_bytes: int
    age_hours: float
    verified: bool
    faults: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "path": self.path,
            "kind": self.kind.value,
            "made_at": self.made_at.isoformat(),
            "size_bytes": self.size_bytes,
            "age_hours": self.age_hours,
            "verified": self.verified,
            "faults": list(self.faults),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LostSince:
    """What was done after a backup and is not in it: operations by verb, from when until when."""

    operations: int
    verbs: Mapping[str, int]
    first_at: datetime | None
    last_at: datetime | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "operations": self.operations,
            "verbs": dict(self.verbs),
            "first_at": None if self.first_at is None else self.first_at.isoformat(),
            "last_at": None if self.last_at is None else self.last_at.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """What became of a restore. `lost` is None where the store that was replaced could not be read."""

    did: str  # restored, undone, header put back, or what would be
    place: str
    backup: str | None  # the backup that took the place of the store; None: the store itself, things undone
    moment: datetime  # as of when the store is now
    lost: LostSince | None = None
    undone: int = 0
    kept_back: tuple[str, ...] = ()  # what was done after the moment and cannot be undone
    set_aside: str | None = None  # where what was there before is now

    def to_dict(self) -> dict[str, Any]:
        return {
            "did": self.did,
            "place": self.place,
            "backup": self.backup,
            "moment": self.moment.isoformat(),
            "lost": None if self.lost is None else self.lost.to_dict(),
            "undone": self.undone,
            "kept_back": list(self.kept_back),
            "set_aside": self.set_aside,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RescueReport:
    """What of a damaged store could be read: rows by table. `lost` is an upper bound."""

    did: str  # rescued, or what would be
    place: str
    kept: Mapping[str, int]
    lost: Mapping[str, int]
    set_aside: str | None = None  # where the damaged file is now

    def to_dict(self) -> dict[str, Any]:
        return {
            "did": self.did,
            "place": self.place,
            "kept": dict(self.kept),
            "lost": dict(self.lost),
            "set_aside": self.set_aside,
        }
