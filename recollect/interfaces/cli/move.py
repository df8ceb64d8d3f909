"""`recollect move SOURCE TARGET`: a store brought to another place while it goes on being used."""

from __future__ import annotations

from typing import Any

import typer

from recollect.errors import StoreError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of

NAME = "move"
HELP = "Move a store: from a file into PostgreSQL, back, or between two of a kind. It can be used meanwhile."
_SOURCE = "The store that is moved: a path or a URL."
_TARGET = "Where to: a path, or postgresql://USER@HOST/NAME?schema=NAME. It must not hold anything yet."
_DRY = "Look at both places, say how much would be moved, change nothing."
_CANCEL = "Take an unfinished move back; after a finished one, take the source into use again as it was."


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the command to the application; complete when it is among the words of the line."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, _fields() if full else [], _move))


def _fields() -> list[Any]:
    return [
        context(),
        field("source", str, typer.Argument(..., metavar="SOURCE", help=_SOURCE)),
        field("target", str | None, typer.Argument(None, metavar="TARGET", help=_TARGET)),
        field("dry_run", bool, typer.Option(False, "--dry-run", help=_DRY)),
        field("cancel", bool, typer.Option(False, "--cancel", help=_CANCEL)),
        *options.shared(),
    ]


def _move(
    ctx: typer.Context, source: str, target: str | None, dry_run: bool, cancel: bool, **given: Any
) -> CommandAnswer:
    from recollect.exchange.moving import move
    from recollect.interfaces.cli.progress import progress_bar
    from recollect.interfaces.cli.session import key_for

    opened = shared_of(ctx, given) | {"db": source}
    watched = opened["output"] != "json"
    try:
        with progress_bar(NAME, wanted=watched):
            done = move(source, target, key=key_for(opened, ask=True), dry_run=dry_run, cancel=cancel)
    except StoreError as error:
        if error.retryable:
            error.message += "; the same command goes on where it was"
        raise
    return CommandAnswer(data=done.to_dict(), sort="MoveReport")
