"""`recollect token create|list|revoke`: who may come in through the server."""

from __future__ import annotations

from typing import Any

import typer

from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import open_from

NAME = "token"
_RIGHTS = "What it may do: read, write (and read), admin (all, and erase); read by default."
_NAME = "What to call it; it stands in logs and in the history of what it wrote."
_EXPIRES = "When it stops by itself: 30d, a date, or `in 30 days`."
_WHICH = "Its name, or its id from `recollect token list`."


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the group to the application; its commands are complete when it is among the words of the line."""
    group = typer.Typer(help="Tokens that let others in through the server.", no_args_is_help=True)
    for name, (text, fields, call) in _COMMANDS.items():
        whole = [context(), *fields(), *options.shared()] if full else []
        group.command(name, help=text)(command(name, whole, call))
    app.add_typer(group, name=NAME, rich_help_panel=panel)


def _create(
    ctx: typer.Context,
    rights: str,
    name: str | None,
    policy: str | None,
    expires: str | None,
    may_add: list[str] | None,
    **given: Any,
) -> CommandAnswer:
    from recollect.interfaces.issuing import issue, wanted

    opened = shared_of(ctx, given)
    wanted(given, rights=rights, policy=policy, may_add=may_add)  # a mistake must not create a store
    with open_from(opened) as memory:
        made = issue(memory, given, name=name, rights=rights, policy=policy, expires=expires, may_add=may_add)
    return CommandAnswer(data={**made.token.to_dict(), "token": made.text}, sort="NewToken")


def _list(ctx: typer.Context, **given: Any) -> CommandAnswer:
    from recollect.interfaces.issuing import issued

    with open_from(shared_of(ctx, given), create=False) as memory:
        return CommandAnswer(data={"tokens": issued(memory)}, sort="Tokens")


def _revoke(ctx: typer.Context, which: str, **given: Any) -> CommandAnswer:
    from recollect.interfaces.issuing import revoke

    with open_from(shared_of(ctx, given)) as memory:
        return CommandAnswer(data={"tokens": [revoke(memory, which).to_dict()]}, sort="Tokens")


def _create_fields() -> list[Any]:
    from recollect.verbs.signature import signature_of
    from recollect.verbs.table import find

    return [
        field("rights", str, typer.Option("read", "--rights", metavar="RIGHT,…", help=_RIGHTS)),
        field("name", str | None, typer.Option(None, "--name", help=_NAME)),
        options.policy_field("own, own+global (the default), project, or owner for the whole store."),
        field("expires", str | None, typer.Option(None, "--expires", metavar="TIME", help=_EXPIRES)),
        *options.scope_fields(signature_of(find("stats")).parameters),
        options.may_add_field(),
    ]


def _revoke_fields() -> list[Any]:
    return [field("which", str, typer.Argument(..., metavar="NAME", help=_WHICH))]


_COMMANDS: dict[str, tuple[str, Any, Any]] = {
    "create": (
        "Make a token and show it, once. It holds the scope that is given, and may add what --may-add says.",
        _create_fields,
        _create,
    ),
    "list": ("All tokens, without what opens the door.", list, _list),
    "revoke": ("End a token for good.", _revoke_fields, _revoke),
}
