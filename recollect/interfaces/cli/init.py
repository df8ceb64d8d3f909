"""`recollect init`: find the MCP clients on this machine and write Recollect into their configuration, or show how."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.wording import flag
from recollect.interfaces.clients.starting import absolute, program

if TYPE_CHECKING:
    from recollect.interfaces.clients.catalog import Client, Machine
    from recollect.interfaces.clients.setup import FileChange

NAME = "init"
HELP = "Set up Claude Code, Claude Desktop, Cursor, VS Code, Codex and Gemini CLI; shows what, --write does it."
_CLIENT = "Only this client, there or not: claude-code, claude-desktop, cursor, vscode, codex, gemini."
_FOLDER = "Set up the folder of a project, for all who work there, and bind the memory to that project."
_TOOLS = "Sets of tools, as `recollect mcp --tools` takes them."
_WRITE = "Write the files; the old ones stay beside them as .bak."
_REMOVE = "Take Recollect out instead."
_RULES = "Also tell the agents when to use it, in a marked block of CLAUDE.md, AGENTS.md and the like."
_COMMAND = "How the client is to start Recollect, where it is not found by itself."


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the command to the application; complete when it is among the words of the line."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, _fields() if full else [], _init))


def _fields() -> list[Any]:
    from recollect.interfaces.cli.completing import client_names, toolset_names
    from recollect.verbs.signature import signature_of
    from recollect.verbs.table import find

    return [
        context(),
        field(
            "client",
            list[str] | None,
            typer.Option(None, "--client", "-c", metavar="NAME", help=_CLIENT, autocompletion=client_names),
        ),
        field("folder", str | None, typer.Option(None, "--folder", metavar="PATH", help=_FOLDER)),
        field(
            "tools",
            str | None,
            typer.Option(None, "--tools", "-t", metavar="SET,…", help=_TOOLS, autocompletion=toolset_names),
        ),
        field("write", bool, typer.Option(False, "--write", "-w", help=_WRITE)),
        field("dry_run", bool, typer.Option(False, "--dry-run", help="Only show; this is the default.")),
        field("remove", bool, typer.Option(False, "--remove", "--uninstall", help=_REMOVE)),
        field("rules", bool, typer.Option(False, "--rules", help=_RULES)),
        field("command", str | None, typer.Option(None, "--command", metavar="PATH", help=_COMMAND)),
        *options.scope_fields(signature_of(find("stats")).parameters),
        options.may_add_field(),
        *options.shared(),
    ]


def _init(
    ctx: typer.Context,
    client: list[str] | None,
    folder: str | None,
    tools: str | None,
    write: bool,
    dry_run: bool,
    remove: bool,
    rules: bool,
    **given: Any,
) -> CommandAnswer:
    from recollect.interfaces.clients import setup
    from recollect.interfaces.clients.catalog import Machine
    from recollect.interfaces.mcp import require_library

    opened = shared_of(ctx, given)
    if write and dry_run:
        raise UsageError("give --write or --dry-run, not both")
    if folder is not None and not Path(folder).is_dir():
        raise UsageError(f"{folder[:200]} is no folder")
    place = Machine.here()
    own = given.pop("command")
    if own is None and not remove:
        require_library()  # an entry that cannot start is worse than none
    if folder is not None and given.get("project") is None:
        given["project"] = Path(folder).resolve().name or None
    line = _started_by(own, tools, opened, given, shared=folder is not None)
    chosen = _chosen(client, place, folder)
    paths = [(each, _path(each, place, folder)) for each in chosen]
    changes = [setup.removing(*at) if remove else setup.adding(*at, line) for at in paths]
    changes += _rules(chosen, place, folder, wanted=rules, remove=remove)
    if write:
        changes = [setup.write(change) for change in changes]
    data = {
        "dry_run": not write,
        "command": line,
        "clients": [change.to_dict() for change in changes],
        "looked_for": [each.title for each in _known()],
    }
    failed = any(change.did == setup.REFUSED for change in changes)
    return CommandAnswer(data=data, sort="Setup", code=int(failed))


def _rules(
    clients: Sequence[Client], place: Machine, folder: str | None, *, wanted: bool, remove: bool
) -> list[FileChange]:
    """The changes to files of rules, each file once. What is taken out takes its rules along, asked for or not."""
    from recollect.interfaces.clients import rules
    from recollect.interfaces.clients.setup import ABSENT, REFUSED

    if not (wanted or remove):
        return []
    files: dict[Path, Client] = {}
    for client in clients:
        if folder is not None and client.rules_in_folder:
            files.setdefault(Path(folder).absolute() / client.rules_in_folder, client)
        elif folder is None and client.rules is not None:
            files.setdefault(client.rules(place), client)
    changes = [rules.removing(each, path) if remove else rules.adding(each, path) for path, each in files.items()]
    return [change for change in changes if wanted or change.did not in (ABSENT, REFUSED)]


def _known() -> Sequence[Client]:
    from recollect.interfaces.clients.catalog import CLIENTS

    return CLIENTS


def _chosen(names: list[str] | None, place: Machine, folder: str | None) -> list[Client]:
    """Those that were named, otherwise those that are there."""
    from recollect.interfaces.clients.catalog import find

    if names:
        asked = [find(word) for each in names for word in each.split(",") if word.strip()]
        return list({client.name: client for client in asked}.values())
    return [each for each in _known() if each.is_there(place) and (folder is None or each.in_folder)]


def _path(client: Client, place: Machine, folder: str | None) -> Path:
    if folder is None:
        return client.file(place)
    if not client.in_folder:
        raise UsageError(f"{client.title} has no configuration of a folder; leave out --folder")
    return Path(folder).absolute() / client.in_folder


def _started_by(
    given: str | None, tools: str | None, opened: dict[str, Any], scope: dict[str, Any], *, shared: bool
) -> list[str]:
    """The words that start the server. A file that several people share names the program, not where one has it."""
    from recollect.model.grant import OWNER
    from recollect.verbs.toolsets.sets import toolset

    may_add = scope.pop("may_add") or []
    who = {name: value for name, value in scope.items() if value is not None}
    if not shared and "user_id" not in who and os.environ.get("RECOLLECT_USER"):
        who["user_id"] = os.environ["RECOLLECT_USER"]  # the client is not started from this shell
    OWNER.narrowed(who, may_add)
    line = [given] if given else ["recollect"] if shared else program()
    line.append("mcp")
    if tools is not None:
        toolset(tools)
        line += ["--tools", tools]
    for name, value in who.items():
        line += [flag(name), value]
    for each in may_add:
        line += ["--may-add", each]
    for name, path in (("db", opened["db"] or _named_by_environment(shared)), ("key_file", opened["key_file"])):
        if path is not None:
            line += [flag(name), absolute(path)]
    if opened.get("embedder") is not None:
        line += ["--embedder", opened["embedder"]]
    return line


def _named_by_environment(shared: bool) -> str | None:
    """The store that this shell's variable names: the client is not started from this shell and would use another."""
    return None if shared else os.environ.get("RECOLLECT_DB") or None
