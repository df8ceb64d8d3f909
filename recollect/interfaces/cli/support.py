"""`recollect support`: a bundle for somebody who helps, without content, also where no store can be opened."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from recollect.errors import ConfigInvalid, NotFound, StoreError, UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import CommandAnswer
from recollect.interfaces.cli.options import command, context, field, shared_of

NAME = "support"
HELP = "A bundle for somebody who helps: versions, settings, figures, findings and codes; no content, no name, no key."
EPILOG = "For example: recollect support, or journalctl -u recollect -o cat | recollect support --log -"
_PATH = "Where to write it; by default recollect-support-TIME.zip here."
_LOG = (
    "Take in the last lines of this log of `recollect serve`, or of stdin with -; only times, routes, codes and places."
)
STDIN = "-"


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the command to the application; complete when it is among the words of the line."""
    app.command(NAME, help=HELP, epilog=EPILOG, rich_help_panel=panel)(
        command(NAME, _fields() if full else [], _support)
    )


def _fields() -> list[Any]:
    return [
        context(),
        field("path", str | None, typer.Argument(None, metavar="[PATH]", help=_PATH)),
        field("log", str | None, typer.Option(None, "--log", metavar="PATH", help=_LOG)),
        *options.shared(),
    ]


def _support(ctx: typer.Context, path: str | None, log: str | None, **given: Any) -> CommandAnswer:
    from recollect.clock import from_us, now_us
    from recollect.config import Config, load_config
    from recollect.interfaces.support import bundle

    config: Config | None
    try:
        config = load_config()
    except ConfigInvalid:
        config = None
    about = _about(shared_of(ctx, given))
    target = Path(path or f"recollect-support-{from_us(now_us()):%Y%m%d-%H%M%S}.zip").absolute()
    with _lines(log) as lines:
        written = bundle(about, config, lines)
    _write(target, written)
    findings = about.get("doctor", {}).get("findings", [])
    wrong = [each["code"] for each in findings if not each["ok"]]
    return CommandAnswer(data={"path": str(target), "bytes": len(written), "wrong": wrong}, sort="SupportBundle")


def _about(opened: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What is known of the store; of one that does not open, why."""
    from recollect.facade.handle import engine_of
    from recollect.insight.cures import in_the_way
    from recollect.insight.support import about_store, finding_told
    from recollect.interfaces.cli.checkup import of_clients
    from recollect.interfaces.cli.session import open_from

    try:
        with open_from(opened, create=False, background=False) as memory:
            about = about_store(engine_of(memory))
    except (ConfigInvalid, StoreError, NotFound) as error:
        about = {"doctor": {"findings": [finding_told(in_the_way(error))]}}
    clients = [finding_told(each) for each in of_clients(fix=False)]
    about["doctor"]["findings"] = [*about["doctor"].get("findings", []), *clients]
    return about


@contextmanager
def _lines(log: str | None) -> Iterator[Iterator[str]]:
    if log is None:
        yield iter(())
    elif log == STDIN:
        yield iter(sys.stdin)
    else:
        try:
            with open(log, encoding="utf-8", errors="replace") as file:
                yield iter(file)
        except OSError as error:
            raise UsageError(f"cannot read the log {log}: {error.strerror or error}") from None


def _write(target: Path, content: bytes) -> None:
    """For its owner alone, and never over something."""
    try:
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(content)
    except FileExistsError:
        raise UsageError(f"{target} is there already; give another path") from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from None
