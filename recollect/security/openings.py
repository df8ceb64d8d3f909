"""Openings of a store, for its audit: who fails to open it cannot write there, so that is kept beside it until then.

The file holds times and counts, nothing else. Whoever can write the folder can remove it: it is for the owner, who sees
that somebody without the key tried, not for a court.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect.clock import SECOND_US
from recollect.errors import RecollectError
from recollect.model.audit import AuditCaller, AuditEvent, AuditNote
from recollect.security.auditing import VaultSeal
from recollect.security.process import core_dumps_off

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.security.access import Access

SUFFIX = ".refused"
_MINUTE_US = 60 * SECOND_US
_MINUTES_MAX = 100  # told apart; beyond that the oldest are counted together
_BYTES_MAX = 64 * _MINUTES_MAX
_SOMEBODY = AuditCaller("somebody", "unknown")


def keep_failure(database: str, *, at: int) -> None:
    """Note beside a store that somebody failed to open it. Those of one minute are one line."""
    if database == ":memory:" or not os.path.exists(database):
        return
    with suppress(OSError):  # a folder that cannot be written: then nothing is
        minutes = _read(database)
        minute = at // _MINUTE_US
        minutes[minute] = minutes.get(minute, 0) + 1
        newest = sorted(minutes)[-_MINUTES_MAX:]
        kept = {each: minutes[each] for each in newest}
        kept[newest[0]] += sum(count for each, count in minutes.items() if each < newest[0])
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(f"{database}{SUFFIX}", flags, 0o600), "w", encoding="ascii") as file:
            file.writelines(f"{each} {count}\n" for each, count in kept.items())


def note_opening(engine: Engine, access: Access) -> None:
    """Note that a store was opened with a key, and what was kept of attempts that failed before.

    From here on the audit of a store with a vault is sealed by it.
    """
    if access.master is not None:
        engine.store.audit_seal = VaultSeal(access.master)
    path = engine.store.path
    if path is not None and os.path.exists(f"{path}{SUFFIX}"):
        with suppress(RecollectError, OSError):
            _take_failures(engine, str(path))
    if access.pages is None:
        return
    locked = access.master is not None and access.master.locked
    detail = {"vault": access.master is not None, "memory_locked": locked, "core_dumps_off": core_dumps_off()}
    engine.audit.note(AuditEvent.VAULT_OPENED, detail=detail)
    if core_dumps_off():
        engine.audit.note(AuditEvent.CORE_DUMPS_PREVENTED)
    if access.master is not None and not locked:
        engine.audit.note(AuditEvent.MEMORY_LOCK_FAILED)


def _take_failures(engine: Engine, database: str) -> None:
    notes = [
        AuditNote(
            at=minute * _MINUTE_US,
            event=AuditEvent.VAULT_OPEN_FAILED,
            caller=_SOMEBODY,
            times=count,
            outcome="E1001",
        )
        for minute, count in sorted(_read(database).items())
    ]
    if notes:
        engine.store.write(lambda tx: tx.audit.extend(notes))
    os.unlink(f"{database}{SUFFIX}")


def _read(database: str) -> dict[int, int]:
    """Failed attempts by minute; a line that is none is passed over."""
    found: dict[int, int] = {}
    try:
        with open(f"{database}{SUFFIX}", encoding="ascii", errors="replace") as file:
            lines = file.read(_BYTES_MAX).splitlines()
    except FileNotFoundError:
        return {}
    for line in lines:
        minute, _, count = line.partition(" ")
        if minute.isascii() and minute.isdigit() and count.isascii() and count.isdigit():
            found[int(minute)] = found.get(int(minute), 0) + int(count)
    return found
