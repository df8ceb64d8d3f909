"""`recollect vault init|status|unlock|lock|rotate|export-key|secret|seal|migrate`: the key of a store, for people."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import ask_passphrase, at_a_terminal, open_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.security.header import KeyNote, VaultHeader

NAME = "vault"
_KEEP = "Where the key is kept: keyring, passphrase, file:PATH or env:NAME."
_REF = "The reference, such as 3f9a1c20be of [secret:password#3f9a1c20be]."
_OPEN = "With --to plain: bring sealed texts and secrets back into their records."
_TO = "encrypted, or plain."
_FOR = "How long it stays unlocked, such as 8h or 30m; left out, until the login ends."
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the group to the application; its commands are complete when it is among the words of the line."""
    group = typer.Typer(help="The key of an encrypted store, and what it protects.", no_args_is_help=True)
    for name, (text, fields, call) in _COMMANDS.items():
        whole = [context(), *fields(), *options.shared()] if full else []
        group.command(name, help=text)(command(name.replace("-", "_"), whole, call))
    app.add_typer(group, name=NAME, rich_help_panel=panel)


def _init(ctx: typer.Context, keep: str, **given: Any) -> CommandAnswer:
    import os

    opened = shared_of(ctx, given)
    place = _place(opened)
    if os.path.exists(place):
        raise UsageError(f"there is a store at {place} already; `recollect vault migrate` encrypts it")
    wish = _wish(keep)
    try:
        with open_from(opened, background=False) as memory:
            return _changed(memory.vault.encrypt(**wish))
    except BaseException:  # it holds nothing yet, and would only be in the way of the next attempt
        if not os.path.exists(f"{place}.vault") and os.path.exists(place):
            os.unlink(place)
        raise


def _migrate(ctx: typer.Context, keep: str, to: str, open_fields: bool, **given: Any) -> CommandAnswer:
    if to not in ("encrypted", "plain"):
        raise UsageError(f"--to takes encrypted or plain, not {to[:20]!r}")
    with open_from(shared_of(ctx, given), background=False, create=False, needed=True) as memory:
        if to == "plain":
            return _changed(memory.vault.decrypt(open_fields=open_fields))
        return _changed(memory.vault.encrypt(**_wish(keep)))


def _rotate(ctx: typer.Context, keep: str | None, **given: Any) -> CommandAnswer:
    opened = shared_of(ctx, given)
    with _locked(opened) as (_, note), open_from(opened, background=False, create=False, needed=True) as memory:
        kept = keep or ("passphrase" if note.kept == "passphrase" else None)
        return _changed(memory.vault.rotate(**({} if kept is None else _wish(kept))))


def _status(ctx: typer.Context, **given: Any) -> CommandAnswer:
    from recollect.config import LiveConfig
    from recollect.security.standing import standing

    report = standing(_place(shared_of(ctx, given)))
    chosen = LiveConfig().current.security
    told = {"personal": chosen.personal, "secrets": chosen.secrets}
    return CommandAnswer(data=report.to_dict() | told, sort="VaultStatus")


def _unlock(ctx: typer.Context, lasting: str | None, **given: Any) -> CommandAnswer:
    from recollect.security import keeping
    from recollect.security.access import access_to
    from recollect.security.unlocked import keep_unlocked

    opened = shared_of(ctx, given)
    for_s = None if lasting is None else _seconds(lasting)
    with _locked(opened) as (header, note):
        if note.kept not in ("passphrase", "caller"):
            keeping.found(header, note)
            return _told("nothing to unlock", f"the key is found by itself ({note.kept}), and opens the store")
        master = access_to(_place(opened), _given_key(opened) or _asking()).master
        assert master is not None
        place = keep_unlocked(header, note, master, for_s=for_s)
    until = "until the login ends" if lasting is None else f"for {lasting}"
    return _told("unlocked", f"{until}; the key is in {place}, in memory. `recollect vault lock` takes it away")


def _lock(ctx: typer.Context, **given: Any) -> CommandAnswer:
    from recollect.security.unlocked import lock_again

    with _locked(shared_of(ctx, given)) as (header, note):
        was = lock_again(header, note)
    told = "programs that have the store open keep it open" if was else "the store was not unlocked"
    return _told("locked", told)


def _export_key(ctx: typer.Context, **given: Any) -> CommandAnswer:
    with open_from(shared_of(ctx, given), background=False, create=False, needed=True) as memory:
        key = memory.vault.export_key()
    print("whoever has this key can open the store; keep it apart from it, not on this disk", file=sys.stderr)
    return CommandAnswer(data={"key": key}, sort="VaultKey")


def _secret(ctx: typer.Context, ref: str, reason: str | None, **given: Any) -> CommandAnswer:
    with open_from(shared_of(ctx, given), background=False, create=False, needed=True) as memory:
        return CommandAnswer(data={"secret": memory.vault.secret(ref, reason=reason)}, sort="VaultSecret")


def _seal(ctx: typer.Context, dry_run: bool, **given: Any) -> CommandAnswer:
    with open_from(shared_of(ctx, given), background=False, create=False, needed=True) as memory:
        return _changed(memory.vault.seal(dry_run=dry_run))


def _changed(report: Any) -> CommandAnswer:
    return CommandAnswer(data=report.to_dict(), sort="Report")


def _told(state: str, detail: str) -> CommandAnswer:
    return CommandAnswer(data={"state": state, "detail": detail}, sort="Report")


def _place(opened: dict[str, Any]) -> str:
    from recollect.config import load_config
    from recollect.store.open import NO_FILE, is_server, store_path

    place = store_path(opened["db"], load_config())
    if place == ":memory:":
        raise UsageError("a store in memory has no file to encrypt")
    if is_server(place):
        raise UsageError(NO_FILE)
    return place


@contextmanager
def _locked(opened: dict[str, Any]) -> Iterator[tuple[VaultHeader, KeyNote]]:
    """The header of a store that has a vault."""
    from recollect.security.header import read_header

    place = _place(opened)
    header = read_header(place)
    if header is None or header.key is None:
        raise UsageError(f"{place} has no vault; `recollect vault migrate` encrypts a store, `init` makes a new one")
    yield header, header.key


def _wish(keep: str) -> dict[str, Any]:
    if keep != "passphrase":
        return {"keep": keep}
    if not at_a_terminal():
        raise UsageError("a passphrase is asked for on a terminal; without one keep the key in a file or a keyring")
    first = ask_passphrase("New passphrase: ")
    if first != ask_passphrase("The same again: "):
        raise UsageError("the two are not the same; nothing was changed")
    return {"key": first}


def _given_key(opened: dict[str, Any]) -> bytes | None:
    from recollect.interfaces.cli.session import read_key

    return None if opened["key_file"] is None else read_key(opened["key_file"])


def _asking() -> Callable[[], str]:
    if not at_a_terminal():
        raise UsageError("a passphrase is asked for on a terminal; give --key-file where there is none")
    return ask_passphrase


def _seconds(text: str) -> int:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not number.isdigit() or not 0 < int(number) * _UNITS[unit] <= 366 * _UNITS["d"]:
        raise UsageError(f"--for takes a time such as 30m, 8h or 7d, not {text[:20]!r}")
    return int(number) * _UNITS[unit]


def _keep_field(default: str | None) -> Any:
    return field("keep", str | None, typer.Option(default, "--keep", metavar="PLACE", help=_KEEP))


_COMMANDS: dict[str, tuple[str, Any, Any]] = {
    "init": ("Make a new store that is encrypted, and its key.", lambda: [_keep_field("keyring")], _init),
    "status": ("What protects the store, and what does not.", list, _status),
    "unlock": (
        "Ask for the passphrase once, and keep the key in memory for programs of this login.",
        lambda: [field("lasting", str | None, typer.Option(None, "--for", metavar="TIME", help=_FOR))],
        _unlock,
    ),
    "lock": ("Forget the key that was unlocked.", list, _lock),
    "rotate": ("Encrypt the store anew under a new key, and forget the old one.", lambda: [_keep_field(None)], _rotate),
    "export-key": ("Show the key, to be kept in a safe place.", list, _export_key),
    "secret": (
        "Show the secret that a reference in a text stands for.",
        lambda: [
            field("ref", str, typer.Argument(metavar="REF", help=_REF)),
            field("reason", str | None, typer.Option(None, "--reason", metavar="TEXT", help="What it is needed for.")),
        ],
        _secret,
    ),
    "seal": (
        "Seal what is stored already, as security.personal=tier does with what comes.",
        lambda: [field("dry_run", bool, typer.Option(False, "--dry-run", help="Only say how many records."))],
        _seal,
    ),
    "migrate": (
        "Encrypt a store that is there, or make it plain again.",
        lambda: [
            _keep_field("keyring"),
            field("to", str, typer.Option("encrypted", "--to", metavar="FORM", help=_TO)),
            field("open_fields", bool, typer.Option(False, "--open-fields", help=_OPEN)),
        ],
        _migrate,
    ),
}
