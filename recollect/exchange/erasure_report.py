"""The report of an erasure: what was removed, what stays and why, where was looked; signed, and without a name in it.

Whom it was about stands there as a keyed hash: whoever has the key can check a name against it, nobody else can.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from recollect.errors import UsageError
from recollect.model.result import Report
from recollect.security.signing import Paper, SigningKey
from recollect.store.erase import Whom
from recollect.store.leaving import ExportedFile

VERSION = 1
KIND = "recollect erasure"
_TRACE_CHARS = 48
_TRACE_BYTES_MIN = 12  # shorter ones are found by chance
_REPORT_BYTES_MAX = 1 << 20
_PORTION_BYTES = 1 << 20
_OUT_OF_REACH = "copies that others made, snapshots of the file system, blocks an SSD has set aside"


class FileSearch(NamedTuple):
    """One file of the store that was looked through: how many of the erased texts are still in it."""

    name: str
    size: int
    found: int


class KnownBackup(NamedTuple):
    """An export that was written to a file and may hold what is erased."""

    path: str
    at: int
    sealed: bool
    whole: bool
    there: bool

    def to_dict(self, key: SigningKey | None) -> dict[str, Any]:
        """Without its name, which may be that of a person."""
        hashed = sha256(self.path.encode()).hexdigest() if key is None else key.sign(Paper.ERASURE, self.path.encode())
        return {
            "path_hash": hashed[:32],
            "at": self.at,
            "sealed": self.sealed,
            "whole": self.whole,
            "there": self.there,
            "to_do": "delete the file, or write it anew" if self.there else "find out where it was moved",
        }


def backups_of(files: Sequence[ExportedFile], whom: Whom) -> list[KnownBackup]:
    """The files that may hold something of somebody: whole exports, and those of their scopes."""
    by_session = whom.session_id is not None
    return [
        KnownBackup(file.path, file.at, file.sealed, file.of_scope is None, os.path.lexists(file.path))
        for file in files
        if by_session or file.of_scope is None or is_scope_of(file.of_scope, whom)
    ]


def is_scope_of(key: str, whom: Whom) -> bool:
    """Whether the key of a scope has one of the dimensions that were named."""
    return any(f"{name}={len(value)}:{value};" in key for name, value in whom.told().items())


def traces_of(texts: Sequence[str]) -> list[str]:
    """A part of each text that is long enough not to be there by chance."""
    parts = [text.partition("\n")[0][:_TRACE_CHARS] for text in texts]
    return [part for part in dict.fromkeys(parts) if len(part.encode()) >= _TRACE_BYTES_MIN]


def searched(
    path: Path | None,
    traces: Sequence[str],
    said_elsewhere: Callable[[Sequence[str]], set[str]],
    *,
    encrypted: bool,
) -> list[FileSearch]:
    """Every file of a store, looked through for erased texts. What another record says too is not one of them."""
    beside = [] if path is None else sorted(path.parent.glob(f"{escape(path.name)}*"))
    inside = [file for folder in beside if folder.is_dir() for file in sorted(folder.iterdir())]
    files = [file for file in (*beside, *inside) if file.is_file() and not file.is_symlink()]
    sought = [] if encrypted else [trace.encode() for trace in sorted({*traces} - said_elsewhere(traces))]
    name = "" if path is None else path.name
    found = []
    for file in files:
        with suppress(FileNotFoundError):  # a log that was folded meanwhile
            found.append(FileSearch(_role(name, file), file.stat().st_size, _count_in(file, sought)))
    return found


def _role(store: str, file: Path) -> str:
    """What a file is to the store, without the store's own name."""
    return file.name.removeprefix(store).lstrip("-.") or "database"


def _count_in(file: Path, parts: Sequence[bytes]) -> int:
    """How many of the parts are in a file. It is read and not mapped: a log may be cut off meanwhile by its owner."""
    left, overlap, before = set(parts), max(map(len, parts), default=1) - 1, b""
    with file.open("rb") as opened:
        while left and (data := opened.read(_PORTION_BYTES)):
            window = before + data
            left = {part for part in left if part not in window}
            before = window[-overlap:] if overlap else b""
    return len(parts) - len(left)


class ErasureReport(NamedTuple):
    """What is kept of an erasure."""

    body: dict[str, Any]
    signature: str | None

    @classmethod
    def made(
        cls,
        key: SigningKey | None,
        *,
        whom: Whom,
        at: datetime,
        operation: str,
        records: int,
        removed: Mapping[str, int],
        others: int,
        files: Sequence[FileSearch],
        backups: Sequence[KnownBackup],
        rewritten: bool,
    ) -> ErasureReport:
        """The report, signed where there is a key."""
        remaining = [
            ("operations", None, "what was done stays counted, without saying for whom or why"),
            ("audit", None, "its chain must stay whole; names and details are gone from it"),
            ("records of others that speak of them", others, "only people can decide about those"),
            ("exports", len(backups), "files outside the store: see backups"),
            ("elsewhere", None, _OUT_OF_REACH),
        ]
        body = {
            "kind": KIND,
            "version": VERSION,
            "at": at.isoformat(),
            "operation": operation,
            "by": sorted(whom.told()),
            "whom": None if key is None else whom_hash(key, whom),
            "records": records,
            "removed": dict(sorted(removed.items())),
            "remaining": [
                {"what": what, "count": count, "why": why} for what, count, why in remaining if count is None or count
            ],
            "rewritten": rewritten,
            "files": [file._asdict() for file in files],
            "backups": [each.to_dict(key) for each in backups],
            "key": None if key is None else key.id,
        }
        return cls(body, None if key is None else key.sign(Paper.ERASURE, _canonical(body)))

    @classmethod
    def read(cls, given: Any) -> ErasureReport:
        """A report as anybody may hand it back: what `erase` answered, a part of it, JSON, or a file with that."""
        value = _value_of(given)
        for name in ("figures", "report"):
            value = value.get(name, value) if isinstance(value, Mapping) else value
        if not isinstance(value, Mapping) or value.get("kind") != KIND:
            raise UsageError("this is no report of an erasure; give what erase answered, or the file it is in")
        body = {name: each for name, each in value.items() if name != "signature"}
        return cls(body, value.get("signature"))

    def is_signed_by(self, key: SigningKey) -> bool:
        return key.made(self.signature, Paper.ERASURE, _canonical(self.body))

    def to_dict(self) -> dict[str, Any]:
        return {**self.body, "signature": self.signature}


def whom_hash(key: SigningKey, whom: Whom) -> str:
    """What stands for somebody in a report."""
    return key.sign(Paper.ERASURE, b"whom\0" + _canonical(whom.told()))[:32]


def _canonical(body: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(dict(body), option=orjson.OPT_SORT_KEYS)
    except (TypeError, orjson.JSONEncodeError):
        raise UsageError("this is no report of an erasure") from None


def _value_of(given: Any) -> Any:
    if isinstance(given, Report):
        return given.figures
    if isinstance(given, Mapping):
        return given
    text = given
    if isinstance(given, os.PathLike) or (isinstance(given, str) and not given.lstrip().startswith("{")):
        try:
            with open(given, "rb") as file:
                text = file.read(_REPORT_BYTES_MAX + 1)
        except (OSError, ValueError) as error:
            raise UsageError(f"the report cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        return orjson.loads(text)
    except (TypeError, orjson.JSONDecodeError):
        raise UsageError("the report is not JSON") from None
