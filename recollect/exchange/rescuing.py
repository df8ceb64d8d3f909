"""A damaged store made anew from everything in it that can still be read; what it was is set aside.

For damage that no backup makes good: there is none, or what was done since is worth more than what is lost. Whose a
record is comes from the file or is not known: then it is the owner's alone.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing, suppress
from glob import escape
from pathlib import Path
from typing import Any

import orjson

from recollect.clock import Clock, from_us, now_us
from recollect.config import Config, LiveConfig
from recollect.errors import NotFound, StoreDamaged, UsageError
from recollect.model.audit import OWNER_NAME, AuditCaller, AuditEvent, AuditNote
from recollect.model.backup import RescueReport
from recollect.security.access import Access, KeyGiven, access_to
from recollect.security.auditing import VaultSeal
from recollect.store.open import is_server, open_store, put_backup_in_place, rescued, store_path

ACTOR = "rescue"
_STAMP = ".damaged-%Y%m%dT%H%M%SZ"
_COMING = ".rescued"


def rescue(
    url: str | os.PathLike[str] | None = None,
    *,
    key: KeyGiven = None,
    dry_run: bool = False,
    config: Mapping[str, Any] | None = None,
    clock: Clock = now_us,
) -> RescueReport:
    """Make a damaged store anew from the rows that can still be read, with new indexes; the old file is set aside.

    Nobody may have the store open meanwhile. `lost` counts what could not be read, by table, and is an upper bound.
    Records of a scope that is lost are the owner's alone, under `user_id="rescued-N"`. `dry_run` only tells.
    """
    chosen = LiveConfig(config).current
    place = store_path(url, chosen)
    if place == ":memory:" or is_server(place):
        raise UsageError("only a store in a file is rescued; a database server has ways of its own")
    if not os.path.exists(place):
        raise NotFound(f"there is no store at {place}")
    access = access_to(place, key)
    coming = Path(f"{place}{_COMING}")
    coming.unlink(missing_ok=True)  # of a rescue that was killed
    try:
        salvage = rescued(place, coming, key=access.pages)
        _make_whole(coming, access, chosen)
        set_aside: Path | None = None
        if not dry_run:
            stamp = from_us(clock()).strftime(_STAMP)
            set_aside = put_backup_in_place(place, coming, key=access.pages, aside=stamp)
            for path in Path(place).parent.glob(f"{escape(Path(place).name)}.vectors-*"):
                path.unlink(missing_ok=True)
            _note(place, access, chosen, salvage.lost, clock)
    finally:
        for each in (coming, *(Path(f"{coming}{ending}") for ending in ("-wal", "-shm"))):
            each.unlink(missing_ok=True)
    return RescueReport(
        did="would rescue" if dry_run else "rescued",
        place=place,
        kept={name: count for name, count in salvage.kept.items() if count},
        lost=salvage.lost,
        set_aside=None if set_aside is None else str(set_aside),
    )


def _make_whole(path: Path, access: Access, config: Config) -> None:
    """The text index is worked out of the rows; then all of it must be sound."""
    with closing(open_store(str(path), key=access.pages, config=config, create=False)) as store:
        store.write(lambda tx: tx.text.rebuild())
        if faults := store.faults():
            raise StoreDamaged(f"what could be read does not make a sound store ({faults[0]}); nothing was changed")
    with suppress(OSError):
        Path(f"{path}.backups").rmdir()


def _note(place: str, access: Access, config: Config, lost: Mapping[str, int], clock: Clock) -> None:
    note = AuditNote(
        at=clock(),
        event=AuditEvent.BACKUP_RESTORED,
        caller=AuditCaller(OWNER_NAME, ACTOR),
        detail=orjson.dumps({"rescued": True, "lost": dict(lost)}).decode(),
    )
    with closing(open_store(place, key=access.pages, config=config, create=False)) as store:
        if access.master is not None:
            store.audit_seal = VaultSeal(access.master)
        store.write(lambda tx: tx.audit.extend([note]))
