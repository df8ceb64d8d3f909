"""`recollect rescue`: a damaged store made anew from what can still be read."""

from __future__ import annotations

from typing import Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import at_a_terminal, key_for

NAME = "rescue"
HELP = "Make a damaged store anew from what can be read. Nobody may have it open."
_DRY = "Say what can be read and what is lost; change nothing."
_YES = "Do not ask."


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the command to the application; complete when it is among the words of the line."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, _fields() if full else [], _rescue))


def _fields() -> list[Any]:
    return [
        context(),
        field("dry_run", bool, typer.Option(False, "--dry-run", help=_DRY)),
        field("yes", bool, typer.Option(False, "--yes", "-y", help=_YES)),
        *options.shared(),
    ]


def _rescue(ctx: typer.Context, dry_run: bool, yes: bool, **given: Any) -> CommandAnswer:
    from recollect.exchange.rescuing import rescue

    opened = shared_of(ctx, given)
    key = key_for(opened, ask=True)
    if not dry_run and not yes:
        if not at_a_terminal():
            raise UsageError("rescue replaces the store, and there is no terminal to confirm it in; pass --yes")
        from recollect.interfaces.cli.views.backups import salvaged_words

        would = rescue(opened["db"], key=key, dry_run=True).to_dict()
        if not typer.confirm(f"{salvaged_words(would)}. Go on?", err=True):
            raise typer.Abort
    return CommandAnswer(data=rescue(opened["db"], key=key, dry_run=dry_run).to_dict(), sort="RescueReport")
