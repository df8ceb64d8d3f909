"""What protects a store, line by line: what is, and what is not; and the account of who did what in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.interfaces.cli.views.cells import BAD, DIM, GOOD, WARN, text

_KEPT = {
    "keyring": "in the keyring of this system",
    "passphrase": "sealed under a passphrase",
    "file": "in a file",
    "env": "in a variable of the environment",
    "caller": "with whoever opens the store (key=)",
}


def status(data: Mapping[str, Any]) -> RenderableType:
    """One line for each thing, ten in all; warnings come after."""
    table = Table.grid(padding=(0, 2))
    for good, name, told in _lines(data):
        mark = Text("✓", GOOD) if good else Text("✗", BAD) if good is False else Text("·", DIM)
        table.add_row(mark, text(name), text(told))
    return Group(table, *(text(f"! {each}", WARN) for each in data.get("warnings", ())))


def _lines(data: Mapping[str, Any]) -> list[tuple[bool | None, str, str]]:
    on = bool(data["encrypted"])
    files = data["files"]
    private = bool(files) and all(int(mode, 8) & 0o077 == 0 for mode in files.values())
    shut = data["folder"] is not None and int(data["folder"], 8) & 0o077 == 0
    return [
        (
            on,
            "the file",
            "every page encrypted (AES-256, HMAC-SHA512)" if on else "plain: whoever has it can read it",
        ),
        (on if on else None, "the key", _key(data)),
        (on, "log and caches", "encrypted or in memory; no vector files" if on else "plain, beside the file"),
        (private, "who reads the files", "their owner only" if private else "others on this machine, too"),
        (
            shut,
            "the folder",
            f"{'its owner only sees' if shut else 'others see'} that there is a store, its size and times",
        ),
        (bool(data.get("vault")) or None, "the audit", _audit(data)),
        (data.get("personal") == "tier" if on else None, "personal data", _personal(data)),
        (None, "a running program", "holds texts and the key in memory, where root and its own code can read them"),
        (None, "exports, backups", "are files of their own: seal exports with --passphrase"),
        (None, "a lost key", "is a lost store; `recollect vault export-key` for a copy" if on else "there is none"),
    ]


def _audit(data: Mapping[str, Any]) -> str:
    if data.get("vault"):
        return "every call is noted, sealed by the key: `recollect audit --verify` shows a change"
    return "every call is noted; who can write the file can forge it"


def _personal(data: Mapping[str, Any]) -> str:
    told = {
        "tier": "sealed under a key of its own (security.personal=tier)",
        "redact": "taken out of texts (security.personal=redact)",
        "refuse": "refused (security.personal=refuse)",
    }
    kept = "kept as it is told" + ("; security.personal=tier seals it" if data["encrypted"] else "")
    return told.get(data.get("personal", ""), kept)


def _key(data: Mapping[str, Any]) -> str:
    if not data["encrypted"]:
        return "none; `recollect vault migrate` makes one and encrypts the store"
    if not data.get("vault"):
        return "was given with key=; `recollect vault migrate` puts it under a vault"
    place = f": {data['place']}" if data.get("place") else ""
    cost = data.get("argon2id")
    hard = f", argon2id {cost['memory_kib'] // 1024} MiB × {cost['iterations']}" if cost else ""
    unlocked = "; unlocked now" if data.get("unlocked") else ""
    return f"{_KEPT[data['kept']]}{place}{hard} ({data['key']}){unlocked}"


def audit(data: Mapping[str, Any]) -> RenderableType:
    """Entries of the audit, newest first: one a line."""
    if not data["results"]:
        return text("nothing was noted", DIM)
    table = Table.grid(padding=(0, 2))
    for each in data["results"]:
        refused = each["outcome"] != "ok"
        who = f"{each['caller'] or 'erased'} ({each['channel']})"
        what = f"{each['event']} {each['verb']}".strip()
        table.add_row(
            text(str(each["number"] or "…"), DIM),
            text(each["at"][:19].replace("T", " "), DIM),
            text(who),
            text(what, BAD if refused else ""),
            text(str(each["count"])),
            text(each["scope"] or ("" if not each["unnamed"] else "erased"), DIM),
            text("" if not refused else each["outcome"], BAD),
        )
    return table


def audit_report(data: Mapping[str, Any]) -> RenderableType:
    """Whether the audit is as it was written."""
    cut = f"; those up to {data['cut_through']} were removed by retention" if data["cut_through"] else ""
    if data["ok"]:
        told = f"{data['checked']} entries, none removed or changed{cut}"
        parts = [Text.assemble(Text("✓ ", GOOD), text(told))]
    else:
        at = f"entry {data['first_bad']}: " if data["first_bad"] is not None else ""
        more = f" ({data['bad']} in all)" if data["bad"] > 1 else ""
        parts = [Text.assemble(Text("✗ ", BAD), text(f"{at}{data['why']}{more}"))]
    if not data["sealed"]:
        parts.append(text("no vault: whoever can write the file has the key of the chain, and can forge it", DIM))
    return Group(*parts)


def key(data: Mapping[str, Any]) -> RenderableType:
    return text(data["key"])


def secret(data: Mapping[str, Any]) -> RenderableType:
    return text(data["secret"])
