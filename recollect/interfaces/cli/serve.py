"""`recollect serve`: the memory over HTTP, and what to paste where once it is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer

from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import console, write_json
from recollect.interfaces.cli.declaring import command, context, field, shared_of
from recollect.interfaces.cli.session import open_from

if TYPE_CHECKING:
    from recollect.memory import Memory

NAME = "serve"
HELP = "Serve the memory over HTTP: REST, events, a web page, and MCP."
_WITHOUT = "Ask for no token off loopback: something in front of the server decides who comes in."
_ADD = {"content": "Ana moved from vim to Helix", "user_id": "ana"}
_ASK = {"query": "which editor does Ana use now?", "user_id": "ana"}


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(_serve_command())


def _serve_command() -> Callable[..., Any]:
    fields = [
        field("host", str | None, typer.Option(None, "--host", metavar="ADDRESS", help="By default serve.host.")),
        field("port", int | None, typer.Option(None, "--port", "-p", help="By default serve.port; 0: a free one.")),
        field("without_tokens", bool, typer.Option(False, "--without-tokens", help=_WITHOUT)),
        field("quiet", bool, typer.Option(False, "--quiet", "-q", help="Log only what goes wrong.")),
    ]
    return command(NAME, [context(), *fields, *options.shared()], _serve)


def _serve(
    ctx: typer.Context, host: str | None, port: int | None, without_tokens: bool, quiet: bool, **given: Any
) -> int:
    from recollect.interfaces import serving

    serving.require_libraries()
    from recollect.config import load_config
    from recollect.interfaces.rest import logs
    from recollect.interfaces.rest.origins import is_loopback

    opened = shared_of(ctx, given)
    settings = load_config().serve
    address = host or settings.host
    listening = serving.listen(address, settings.port if port is None else port)
    with listening, open_from(opened) as memory:
        logs.write_to_stderr(quiet=quiet)
        if not is_loopback(address) and not without_tokens:
            serving.require_tokens(memory)
        told = facts(memory, address, listening.getsockname()[1])
        if opened.get("output") == "json":
            write_json(told)
        else:
            screen = console()
            screen.print(welcome(told), soft_wrap=True)
            screen.file.flush()
        serving.serve(memory, listening, loopback=is_loopback(address), trusting=without_tokens)
    return 0


def facts(memory: Memory, host: str, port: int) -> dict[str, Any]:
    """Where everything is, for programs."""
    name = "127.0.0.1" if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host else host
    url = f"http://{name}:{port}"
    mcp = f"{url}/mcp" if all(find_spec(name) for name in ("recollect.interfaces.mcp", "mcp")) else None
    store = getattr(memory._opened.store, "path", None) or ":memory:"
    return {"url": url, "docs": f"{url}/docs", "mcp": mcp, "store": str(store)}


def welcome(told: dict[str, Any]) -> str:
    """The same for people: what to open, and what to paste."""
    url = told["url"]
    lines = [
        f"Recollect is at {url}", f"  page     {url}/", f"  API      {told['docs']}", f"  store    {told['store']}", "",
        "Remember and ask:", f"  {_curl(url, '/v1/memories', _ADD)}", f"  {_curl(url, '/v1/memories/search', _ASK)}",
    ]  # fmt: skip
    if told["mcp"]:
        snippet = {"mcpServers": {"recollect": {"type": "http", "url": told["mcp"]}}}
        lines += ["", "For an MCP client:", f"  {json.dumps(snippet)}"]
    return "\n".join((*lines, "", "Ctrl-C stops it."))


def _curl(url: str, path: str, body: dict[str, str]) -> str:
    return f"curl -s {url}{path} -H 'Content-Type: application/json' -d '{json.dumps(body)}'"
