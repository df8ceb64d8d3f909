"""`recollect hooks install|status|uninstall`: coding clients that tell what their agents do, and are told what to know.

`recollect hook CLIENT` is what such a client runs; it never comes here (`interfaces.cli.main`).
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import open_from

if TYPE_CHECKING:
    from recollect.interfaces.clients.hooking import HookClient

NAME, ONE = "hooks", "hook"
HELP = "Hooks of coding clients: what their agents do is seen, and they are told what to know."
ONE_HELP = "One event of a coding client, from stdin; its hooks run this."
_CLIENT = "Only this client, there or not: claude-code, codex, cursor, gemini."
_FOLDER = "The hooks of the folder of a project, instead of those of the person."
_WRITE = "Write the files; the old ones stay beside them as .bak."
_PROJECT = "The project that the work belongs to; by default the git root's name."
_COMMAND = "How the client is to start Recollect, where it is not found by itself."
FAILURES_SHOWN = 5


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the group and the one command to the application."""
    group = typer.Typer(help=HELP, no_args_is_help=True)
    for name, (text, call) in _COMMANDS.items():
        whole = [context(), *_fields(name), *options.shared()] if full else []
        group.command(name, help=text)(command(name, whole, call))
    app.add_typer(group, name=NAME, rich_help_panel=panel)
    argument = field("client", str, typer.Argument(..., metavar="CLIENT", help=_CLIENT))
    app.command(ONE, help=ONE_HELP, rich_help_panel=panel)(command(ONE, [argument] if full else [], _one))


def _fields(name: str) -> list[Any]:
    from recollect.interfaces.cli.completing import client_names

    found = [
        field(
            "client",
            list[str] | None,
            typer.Option(None, "--client", "-c", metavar="NAME", help=_CLIENT, autocompletion=client_names),
        ),
        field("folder", str | None, typer.Option(None, "--folder", metavar="PATH", help=_FOLDER)),
    ]
    if name != "status":
        found.append(field("write", bool, typer.Option(False, "--write", "-w", help=_WRITE)))
    if name != "uninstall":
        found.append(field("command", str | None, typer.Option(None, "--command", metavar="PATH", help=_COMMAND)))
        found.append(field("project", str | None, typer.Option(None, "--project", metavar="TEXT", help=_PROJECT)))
    return found


def _one(client: str) -> int:
    from recollect.hook.process import main

    return main([client])


def _install(
    ctx: typer.Context, client: list[str] | None, folder: str | None, write: bool, **given: Any
) -> CommandAnswer:
    from recollect.interfaces.clients import hooking

    chosen, opened = _chosen(client, folder), given
    own, project = opened.pop("command"), opened.pop("project")
    shared = shared_of(ctx, opened)
    store = _store(shared)
    changes = [hooking.adding(each, path, _line(each, own, project, shared, store)) for each, path in chosen]
    return _done(changes, store, write=write)


def _uninstall(
    ctx: typer.Context, client: list[str] | None, folder: str | None, write: bool, **given: Any
) -> CommandAnswer:
    from recollect.interfaces.clients import hooking

    store = _store(shared_of(ctx, given))
    noted = hooking.noted(store)
    changes = [hooking.removing(each, path, noted) for each, path in _chosen(client, folder)]
    return _done(changes, store, write=write)


def _status(ctx: typer.Context, client: list[str] | None, folder: str | None, **given: Any) -> CommandAnswer:
    from recollect.interfaces.clients import hooking
    from recollect.interfaces.clients.catalog import Machine

    own, project = given.pop("command"), given.pop("project")
    shared = shared_of(ctx, given)
    store = _store(shared)
    clients = [
        {
            "client": each.name,
            "path": str(path),
            "state": hooking.standing(each, path, _line(each, own, project, shared, store)),
            "forbidden": hooking.forbidden(each, Machine.here()),
        }
        for each, path in _chosen(client, folder)
    ]
    return CommandAnswer(data={"store": store, "clients": clients, **figures(store, shared)}, sort="HooksStatus")


def figures(store: str, shared: dict[str, Any]) -> dict[str, Any]:
    """What hooks left for the store and the store for hooks, before it is opened; then what was taken in."""
    from recollect.hook import places, spool
    from recollect.observe.serving_hooks import is_served
    from recollect.store.open import is_encrypted

    folder = places.folder_of(store)
    files = [*spool.waiting(folder), os.path.join(folder, spool.CURRENT)]
    waiting = sum(os.path.getsize(path) for path in files if os.path.exists(path))
    failed = spool.failures(folder)
    out: dict[str, Any] = {
        "waiting_bytes": waiting,
        "failures": len(failed),
        "failed_because": dict(Counter(why for _, why in failed).most_common(FAILURES_SHOWN)),
        "last_failure": _when(failed[-1][0]) if failed else None,
        "encrypted": is_encrypted(store),
        "server": is_served(folder),
        "hints": len(list(Path(folder).glob("hints-*.json"))),
    }
    if not os.path.exists(store):
        return {**out, "taken": 0, "cut": 0, "last_taken": None}
    from recollect.facade.handle import engine_of

    with open_from(shared, background=False, create=False) as memory, engine_of(memory).store.read() as tx:
        _, events, cut, last = tx.observed.taken_figures()
    return {**out, "taken": events, "cut": cut, "last_taken": None if last is None else _when(last)}


def _when(us: int) -> str:
    from recollect.clock import from_us

    return from_us(us).isoformat()


def _done(changes: list[Any], store: str, *, write: bool) -> CommandAnswer:
    from recollect.interfaces.clients import hooking, setup

    if write:
        changes = [hooking.write(change) for change in changes]
        hooking.note(store, changes)
    data = {
        "dry_run": not write,
        "clients": [change.to_dict() for change in changes],
        "looked_for": [each.client.title for each in hooking.HOOK_CLIENTS],
        "command": ["recollect", "hooks", "install"],
    }
    return CommandAnswer(data=data, sort="Setup", code=int(any(change.did == setup.REFUSED for change in changes)))


def _store(shared: dict[str, Any]) -> str:
    from recollect.config import load_config
    from recollect.store.open import is_server, store_path

    place = store_path(shared["db"], load_config())
    if place == ":memory:" or is_server(place):
        raise UsageError(
            "hooks need a store in a file: they write beside it without waiting for anything; name one with --db"
        )
    return place


def _line(each: HookClient, own: str | None, project: str | None, shared: dict[str, Any], store: str) -> str:
    """The command of a hook. A store in its usual place is not named, so that the line stays short."""
    from recollect.hook import places
    from recollect.interfaces.clients import hooking
    from recollect.interfaces.clients.starting import program

    usual = os.path.abspath(os.path.expanduser(places.STORE))
    named = [] if store == usual else ["--db", store]
    named += [] if project is None else ["--project", project]
    return hooking.command_line(each, [own] if own else program(), named)


def _chosen(names: list[str] | None, folder: str | None) -> list[tuple[HookClient, Path]]:
    """Those that were named, otherwise those that are there; each with its file."""
    from recollect.interfaces.clients import hooking
    from recollect.interfaces.clients.catalog import Machine

    if folder is not None and not Path(folder).is_dir():
        raise UsageError(f"{folder[:200]} is no folder")
    place = Machine.here()
    asked = [hooking.find(word) for each in names or () for word in each.split(",") if word.strip()]
    found = asked or [each for each in hooking.HOOK_CLIENTS if each.client.is_there(place)]
    return [
        (each, each.file(place) if folder is None else Path(folder).absolute() / each.in_folder)
        for each in dict.fromkeys(found)
    ]


_COMMANDS: dict[str, tuple[str, Any]] = {
    "install": ("Put the hooks into the settings of clients; shows what, --write does it.", _install),
    "status": ("Which clients have them, what waits to be taken in, and what went wrong.", _status),
    "uninstall": ("Take the hooks out again, and leave the files as they were.", _uninstall),
}
