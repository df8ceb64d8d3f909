"""`recollect ui`: the server, and its page in the browser."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Any

import typer

from recollect.interfaces.cli import options
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import open_from

if TYPE_CHECKING:
    from recollect.memory import Memory

NAME = "ui"
HELP = "Serve the memory on this machine and open its page in the browser."
_OPEN_AFTER_S = 0.5  # the socket listens before; this lets the welcome be read first


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application."""
    fields = [
        context(),
        field("port", int | None, typer.Option(None, "--port", "-p", help="By default serve.port; 0: a free one.")),
        field("browser", bool, typer.Option(True, "--browser/--no-browser", help="Whether a browser is opened.")),
    ]
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, [*fields, *options.shared()], _ui))


def _ui(ctx: typer.Context, port: int | None, browser: bool, **given: Any) -> int:
    from recollect.interfaces import serving

    serving.require_libraries()
    from recollect.config import load_config

    opened = shared_of(ctx, given)
    chosen = load_config().serve.port if port is None else port
    with serving.listen("127.0.0.1", chosen) as listening, open_from(opened, kept_open=True) as memory:
        show(memory, listening, browser=browser, as_json=opened.get("output") == "json")
    return 0


def show(memory: Memory, listening: socket.socket, *, browser: bool, as_json: bool = False) -> None:
    """Serve the memory to this machine, say where, and open the page; until told to stop."""
    from recollect.interfaces import serving
    from recollect.interfaces.cli.answer import write_json
    from recollect.interfaces.cli.serve import facts
    from recollect.interfaces.rest import logs

    logs.write_to_stderr(quiet=True)
    told = facts(memory, "127.0.0.1", listening.getsockname()[1])
    if as_json:
        write_json(told)
    else:
        print(f"{told['url']}/  ({told['store']}); Ctrl-C stops it")
    sys.stdout.flush()
    if browser:
        timer = threading.Timer(_OPEN_AFTER_S, webbrowser.open, args=(told["url"] + "/",))
        timer.daemon = True
        timer.start()
    serving.serve(memory, listening, loopback=True, trusting=False)
