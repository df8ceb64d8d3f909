"""What the doctor may find wrong, each under a stable code, and what to do about it.

A finding that `doctor --fix` cures says so here: it is only what can be cured without losing anything. Where an error
kept a check from being made, the finding has the code of the error.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.errors import (
    ConfigInvalid,
    DiskFull,
    RecollectError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreLocked,
    StoreNewer,
    StoreReadOnly,
    StoreUnavailable,
)
from recollect.insight.degraded import LOSSES
from recollect.model.result import Finding

_FIX = "recollect doctor --fix"
_NO_ROWS = (
    "`recollect restore` brings back the newest sound backup; `recollect rescue` makes a new store of what can be read"
)


class FindingCure(NamedTuple):
    """What a finding is called, and what cures it. `fixes`: `doctor --fix` does."""

    code: str
    text: str
    fixes: bool = False


CURES = {
    "file": FindingCure("D01", "close this memory, put the right file in place, open it again"),
    "rows": FindingCure("D02", _NO_ROWS),
    "damaged text index": FindingCure("D03", f"{_FIX} builds the text index anew", True),
    "references": FindingCure("D04", "restore a backup"),
    "text index": FindingCure("D05", _FIX, True),
    "erasures": FindingCure("D06", _FIX, True),
    "vectors": FindingCure("D07", f"{_FIX} has the background make them, as recollect reembed does", True),
    "other model": FindingCure("D08", "recollect reembed, or configure the embedder that the store has vectors of"),
    "embedder": FindingCure("D09", "start it, or choose another"),
    "language model": FindingCure("D10", "start it, or choose another"),
    "jobs": FindingCure("D11", f"{_FIX} queues them again", True),
    "hooks": FindingCure("D12", "recollect hooks status tells more; doctor --fix forgets them", True),
    "disk": FindingCure("D13", "free some space before writes are refused"),
    "settings": FindingCure("D14", "recollect config names them; correct the file that recollect config path names"),
    "client": FindingCure("D15", f"{_FIX}, or recollect init --client NAME --write", True),
    "mcp": FindingCure("D16", "pip install 'recollect[mcp]'"),
    "key": FindingCure("D17", LOSSES["key"].cure),
    "backups": FindingCure("D18", "recollect backup makes one; recollect config says when they are made (backups)"),
}

# What is wrong where an error is in the way: the check that it stands for, and what to do. The first that fits.
_ERRORS: tuple[tuple[type[RecollectError], str, str], ...] = (
    (ConfigInvalid, "settings", "correct the file that `recollect config path` names, or the variable"),
    (StoreLocked, "key", "give the key with --key-file PATH or $RECOLLECT_KEY; without it nobody can read the store"),
    (StoreReadOnly, "store", "make the file and its folder writable, or name another one with --db"),
    (StoreNewer, "store", "install the newest release: pip install --upgrade recollect"),
    (StoreDamaged, "store", f"{_NO_ROWS}; move a file of another program away first"),
    (DiskFull, "store", "free some space, then ask again"),
    (StoreBusy, "store", "see which other process has it open; ask again when that one is done"),
    (StoreUnavailable, "store", "start the database server, or name the right one; then ask again"),
    (StoreError, "store", "name another file with --db, or see who has this one open"),
)


def wrong(check: str, faults: list[str], *, cure: str = "") -> Finding:
    """A finding that something is wrong; `cure` names the row of the table where that is not the check's own name."""
    row = CURES[cure or check]
    return Finding(check=check, ok=False, detail="; ".join(faults), cure=row.text, code=row.code)


def fine(check: str, detail: str) -> Finding:
    """A finding that nothing is wrong."""
    return Finding(check=check, ok=True, detail=detail)


def cured(check: str, detail: str, *, cure: str = "") -> Finding:
    """A finding that something was wrong, and is not any more: `detail` says what was done."""
    return Finding(check=check, ok=True, detail=detail, code=CURES[cure or check].code, fixed=True)


def in_the_way(error: RecollectError, check: str | None = None) -> Finding:
    """A finding that an error kept something from being looked at: a check, or without one the whole store."""
    stands_for, text = next(
        ((name, text) for kind, name, text in _ERRORS if isinstance(error, kind)), ("store", _NO_ROWS)
    )
    if check is not None and isinstance(error, StoreDamaged):
        text = _NO_ROWS  # it opened: what can be read can be exported
    return Finding(check=check or stands_for, ok=False, detail=error.message, cure=text, code=error.code)
