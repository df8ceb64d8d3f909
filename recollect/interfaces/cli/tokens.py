"""`recollect token create|list|revoke`: who may come in through the server."""

from __future__ import annotations

from typing import Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import open_from

NAME = "token"
_RIGHTS = "What it may do: read, write (and read), admin (all, and erase); read by default."
_NAME = "What to call it; it stands in logs and in the history of what it wrote."
_EXPIRES = "When it stops by itself: a date, or `in 30 days`."
_WHICH = "Its name, or its id from `recollect token list`."


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the group to the application; its commands are complete when it is among the words of the line."""
    group = typer.Typer(help="Tokens that let others in through the server.", no_args_is_help=True)
    for name, (text, fields, call) in _COMMANDS.items():
        whole = [context(), *fields(), *options.shared()] if full else []
        group.command(name, help=text)(command(name, whole, call))
    app.add_typer(group, name=NAME, rich_help_panel=panel)


def _create(
    ctx: typer.Context, rights: str, name: str | None, expires: str | None, may_add: list[str] | None, **given: Any
) -> CommandAnswer:
    from recollect.clock import from_us
    from recollect.facade.handle import engine_of
    from recollect.ids import new_id
    from recollect.ingest import check
    from recollect.model.grant import OWNER

    opened = shared_of(ctx, given)
    grant = OWNER.narrowed(given, may_add)
    wanted = _rights(rights)
    called = check.name(name, "name") if name else f"token-{new_id()[:8]}"
    with open_from(opened) as memory:
        engine = engine_of(memory)
        ends = check.moment(expires, "expires", now=from_us(engine.clock()))
        made = engine.store.write(
            lambda tx: tx.tokens.create(name=called, grant=grant, rights=wanted, at=engine.clock(), expires_at=ends)
        )
    return CommandAnswer(data={**made.token.to_dict(), "token": made.text}, sort="NewToken")


def _rights(given: str) -> frozenset[Any]:
    from recollect.store.tokens import Right

    words = [word.strip().lower() for word in given.split(",") if word.strip()]
    unknown = sorted(set(words) - set(Right))
    if unknown or not words:
        raise UsageError(f"rights are read, write and admin, not {(unknown or [given])[0][:40]!r}")
    return frozenset(Right) if Right.ADMIN in words else frozenset(map(Right, words)) | {Right.READ}


def _list(ctx: typer.Context, **given: Any) -> CommandAnswer:
    from recollect.facade.handle import engine_of

    with open_from(shared_of(ctx, given), create=False) as memory, engine_of(memory).store.read() as tx:
        return CommandAnswer(data={"tokens": [each.to_dict() for each in tx.tokens.listed()]}, sort="Tokens")


def _revoke(ctx: typer.Context, which: str, **given: Any) -> CommandAnswer:
    from recollect.facade.handle import engine_of

    with open_from(shared_of(ctx, given)) as memory:
        engine = engine_of(memory)
        gone = engine.store.write(lambda tx: tx.tokens.revoke(which, at=engine.clock()))
    return CommandAnswer(data={"tokens": [gone.to_dict()]}, sort="Tokens")


def _create_fields() -> list[Any]:
    from recollect.verbs.signature import signature_of
    from recollect.verbs.table import find

    return [
        field("rights", str, typer.Option("read", "--rights", metavar="RIGHT,…", help=_RIGHTS)),
        field("name", str | None, typer.Option(None, "--name", help=_NAME)),
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
