"""`recollect doctor`: what the engine finds, and what keeps it from being asked, each with a cure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.errors import ConfigInvalid, RecollectError, StoreDamaged, StoreError, StoreLocked, StoreReadOnly
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.session import open_from
from recollect.interfaces.cli.wording import in_shell

# What is wrong where no store can be opened: the check, and what to do. The first that fits.
_BEFORE: tuple[tuple[type[RecollectError], str, str], ...] = (
    (ConfigInvalid, "settings", "correct the file that `recollect config path` names, or the variable"),
    (StoreLocked, "key", "give the key with --key-file PATH or $RECOLLECT_KEY; without it nobody can read the store"),
    (StoreReadOnly, "store", "make the file and its folder writable, or name another one with --db"),
    (StoreDamaged, "store", "put a copy in its place, or `recollect import` an export into a new one (--db PATH)"),
    (StoreError, "store", "name another file with --db, or see who has this one open"),
)


def examine(opened: Mapping[str, Any], arguments: dict[str, Any]) -> CommandAnswer:
    """All findings; the exit code says whether something is wrong."""
    from recollect.verbs.by_name import run

    try:
        with open_from(opened, create=False) as memory:
            findings = list(run(memory, "doctor", arguments)["findings"])
    except (ConfigInvalid, StoreError) as error:
        findings = [_before(error)]
    findings += _clients()
    wrong = any(not finding["ok"] for finding in findings)
    return CommandAnswer(data={"findings": findings}, sort="list[Finding]", code=int(wrong))


def _before(error: RecollectError) -> dict[str, Any]:
    check, cure = next((check, cure) for kind, check, cure in _BEFORE if isinstance(error, kind))
    return {"check": check, "ok": False, "detail": in_shell(error.message), "cure": cure}


def _clients() -> Iterator[dict[str, Any]]:
    """Whether the MCP clients that were set up can still start this program; nothing where there are none."""
    from recollect.interfaces.clients.catalog import CLIENTS, Machine
    from recollect.interfaces.clients.setup import starting

    place = Machine.here()
    commands = {each: starting(each, each.file(place)) for each in CLIENTS if each.is_there(place)}
    known = {each: command for each, command in commands.items() if command is not None}
    for client, command in known.items():
        if os.path.isabs(command) and not os.access(command, os.X_OK):
            cure = f"recollect init --client {client.name} --write"
            detail = f"{client.title} starts {command}, which is not there"
            yield {"check": "client", "ok": False, "detail": detail, "cure": cure}
    from recollect.interfaces.mcp import is_installed

    if known and not is_installed():
        detail = "MCP clients are set up, and what they start needs MCP's SDK, which is not there"
        yield {"check": "mcp", "ok": False, "detail": detail, "cure": "pip install 'recollect[mcp]'"}
    if known:
        names = ", ".join(client.title for client in known)
        yield {"check": "clients", "ok": True, "detail": f"set up: {names}", "cure": None}
