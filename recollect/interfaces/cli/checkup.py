"""`recollect doctor`: what the engine finds, and what keeps it from being asked, each with a cure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import ConfigInvalid, StoreError
from recollect.insight.cures import cured, fine, in_the_way, wrong
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.session import open_from
from recollect.interfaces.cli.wording import in_shell
from recollect.model.result import Finding

if TYPE_CHECKING:
    from recollect.interfaces.clients.catalog import Client


def examine(opened: Mapping[str, Any], arguments: dict[str, Any]) -> CommandAnswer:
    """All findings; the exit code says whether something is wrong."""
    found = [*of_store(opened, arguments), *(each.to_dict() for each in of_clients(fix=bool(arguments.get("fix"))))]
    return CommandAnswer(
        data={"findings": found}, sort="list[Finding]", code=int(any(not finding["ok"] for finding in found))
    )


def of_store(opened: Mapping[str, Any], arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """What the engine finds, or why it cannot be asked."""
    from recollect.verbs.by_name import run

    try:
        with open_from(opened, create=False) as memory:
            return list(run(memory, "doctor", arguments)["findings"])
    except (ConfigInvalid, StoreError) as error:
        error.message = in_shell(error.message)
        return [in_the_way(error).to_dict()]


def of_clients(*, fix: bool) -> Iterator[Finding]:
    """Whether the MCP clients that were set up can still start this program; nothing where there are none."""
    from recollect.interfaces.clients.catalog import CLIENTS, Machine
    from recollect.interfaces.clients.setup import starting

    place = Machine.here()
    commands = {each: starting(each, each.file(place)) for each in CLIENTS if each.is_there(place)}
    known = {each: command for each, command in commands.items() if command is not None}
    for client, command in known.items():
        if os.path.isabs(command) and not os.access(command, os.X_OK):
            yield _renamed(client, client.file(place), command, fix=fix)
    from recollect.interfaces.mcp import is_installed

    if known and not is_installed():
        yield wrong("mcp", ["MCP clients are set up, and what they start needs MCP's SDK, which is not there"])
    if known:
        yield fine("clients", f"set up: {', '.join(client.title for client in known)}")


def _renamed(client: Client, file: Path, command: str, *, fix: bool) -> Finding:
    """A client starts a program that is not there: with `fix` its file names the one that runs, and is kept beside."""
    from recollect.interfaces.clients import setup
    from recollect.interfaces.clients.starting import program

    here = program()
    if fix and os.access(here[0], os.X_OK):
        done = setup.write(setup.renamed(client, file, here))
        if done.written:
            return cured("client", f"{client.title} started {command}, which is not there; now it starts {here[0]}")
    found = wrong("client", [f"{client.title} starts {command}, which is not there"])
    return replace(found, cure=f"recollect init --client {client.name} --write, or recollect doctor --fix")
