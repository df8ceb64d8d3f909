"""`recollect restore [BACKUP] [--at TIME]`: a store brought back to a backup or to a moment."""

from __future__ import annotations

from typing import Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import ask_passphrase, at_a_terminal, key_for

NAME = "restore"
HELP = "Bring a store back: to a backup, or to how it was at a moment. Nobody may have it open."
_BACKUP = "A backup as `recollect backups` lists it, or the path of one; the newest sound one if left out."
_AT = "How it was at this time, such as 'yesterday 14:00' or 2026-01-31T09:00: what was done after it is undone."
_DRY = "Say what would be done, and what would be lost; change nothing."
_YES = "Do not ask."


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the command to the application; complete when it is among the words of the line."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, _fields() if full else [], _restore))


def _fields() -> list[Any]:
    return [
        context(),
        field("backup", str | None, typer.Argument(None, metavar="BACKUP", help=_BACKUP)),
        field("at", str | None, typer.Option(None, "--at", metavar="TIME", help=_AT)),
        field("dry_run", bool, typer.Option(False, "--dry-run", help=_DRY)),
        field("yes", bool, typer.Option(False, "--yes", "-y", help=_YES)),
        *options.shared(),
    ]


def _restore(
    ctx: typer.Context, backup: str | None, at: str | None, dry_run: bool, yes: bool, **given: Any
) -> CommandAnswer:
    from recollect.exchange.restoring import restore

    opened = shared_of(ctx, given)
    key = key_for(opened, ask=True) or (ask_passphrase if at_a_terminal() else None)  # a backup may need one
    if not dry_run and not yes:
        _confirm(restore(opened["db"], backup, at=at, key=key, dry_run=True).to_dict())
    done = restore(opened["db"], backup, at=at, key=key, dry_run=dry_run)
    return CommandAnswer(data=done.to_dict(), sort="RestoreReport")


def _confirm(would: dict[str, Any]) -> None:
    """Have a person say that what is lost may be lost."""
    if not at_a_terminal():
        raise UsageError("restore replaces the store, and there is no terminal to confirm it in; pass --yes")
    from recollect.interfaces.cli.views.backups import lost_words

    what = f"{would['undone']} operations will be undone" if would["backup"] is None else lost_words(would)
    if not typer.confirm(f"{what}. Go on?", err=True):
        raise typer.Abort
