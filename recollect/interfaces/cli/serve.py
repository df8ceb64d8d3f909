"""`recollect serve`: the memory over HTTP, and what to paste where once it is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer

from recollect.interfaces.cli import options
from recollect.interfaces.cli.answer import console, write_json
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import open_from

if TYPE_CHECKING:
    from recollect.memory import Memory

NAME = "serve"
HELP = "Serve the memory over HTTP: REST, events, a web page, and MCP."
_WITHOUT = "Ask for no token off loopback: something in front of the server decides who comes in."
_WORKERS = "Processes that answer, for more cores than one; by default serve.workers."
# For nobody in particular: what is pasted first is found from everywhere, an MCP client without a scope too.
_ADD = {"content": "Ana moved from vim to Helix"}
_ASK = {"query": "which editor does Ana use now?"}
_SEARCH = "/v1/memories/search"
_TOKEN = "TOKEN"


def register(app: typer.Typer, *, panel: str) -> None:
    """Add the command to the application."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(_serve_command())


def _serve_command() -> Callable[..., Any]:
    fields = [
        field("host", str | None, typer.Option(None, "--host", metavar="ADDRESS", help="By default serve.host.")),
        field("port", int | None, typer.Option(None, "--port", "-p", help="By default serve.port; 0: a free one.")),
        field("workers", int | None, typer.Option(None, "--workers", "-w", min=1, max=64, help=_WORKERS)),
        field("without_tokens", bool, typer.Option(False, "--without-tokens", help=_WITHOUT)),
        field("quiet", bool, typer.Option(False, "--quiet", "-q", help="Log only what goes wrong.")),
    ]
    return command(NAME, [context(), *fields, *options.shared()], _serve)


def _serve(
    ctx: typer.Context,
    host: str | None,
    port: int | None,
    workers: int | None,
    without_tokens: bool,
    quiet: bool,
    **given: Any,
) -> int:
    from recollect.interfaces import serving

    serving.require_libraries()
    from recollect.config import load_config
    from recollect.interfaces.rest import logs
    from recollect.interfaces.rest.origins import is_loopback
    from recollect.interfaces.workers import Crew

    opened = shared_of(ctx, given)
    config = load_config()
    settings = config.serve
    address = host or settings.host
    with serving.listen(address, settings.port if port is None else port) as listening:
        ends_in_s = settings.drain_s + config.store.close_timeout_s
        place = Crew(workers or settings.workers, ends_in_s=ends_in_s).work()
        if isinstance(place, int):
            return place
        with open_from(opened, kept_open=True) as memory:
            logs.write_to_stderr(quiet=quiet)
            if not is_loopback(address) and not without_tokens:
                serving.require_tokens(memory)
            if place.first:
                where = facts(memory, address, listening.getsockname()[1], trusting=without_tokens)
                _tell(where, as_json=opened.get("output") == "json")
            serving.serve(memory, listening, loopback=is_loopback(address), trusting=without_tokens, place=place)
    return 0


def _tell(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        write_json(told)
        return
    screen = console()
    screen.print(welcome(told), soft_wrap=True)
    screen.file.flush()


def facts(memory: Memory, host: str, port: int, *, trusting: bool = False) -> dict[str, Any]:
    """Where everything is, for programs. `trusting`: no token is asked for, wherever it listens."""
    from recollect.interfaces.rest.origins import is_loopback

    name = "127.0.0.1" if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host else host
    url = f"http://{name}:{port}"
    mcp = f"{url}/mcp" if all(find_spec(name) for name in ("recollect.interfaces.mcp", "mcp")) else None
    from recollect.facade.handle import engine_of

    store = engine_of(memory).store.place
    asks = not trusting and (memory.config.serve.require_token or not is_loopback(host))
    return {"url": url, "docs": f"{url}/docs", "mcp": mcp, "store": store, "token": asks}


def welcome(told: dict[str, Any]) -> str:
    """The same for people: what to open, and what to paste where."""
    url, asks = told["url"], told["token"]
    lines = [
        f"Recollect is at {url}",
        f"  page     {url}/",
        f"  API      {told['docs']}",
        f"  store    {told['store']}",
    ]
    if asks:
        lines += [f"  token    for {_TOKEN} below; `recollect token create --rights read,write` makes one"]
    lines += ["", "Remember and ask, in a shell:"]
    lines += [f"  {_curl(url + path, body, asks)}" for path, body in (("/v1/memories", _ADD), (_SEARCH, _ASK))]
    if told["mcp"]:
        lines += ["", *_for_mcp(told["mcp"], asks)]
    return "\n".join((*lines, "", "Ctrl-C stops it."))


def _for_mcp(url: str, asks: bool) -> list[str]:
    """Where an MCP client wants to be told."""
    header = f' --header "Authorization: Bearer {_TOKEN}"' if asks else ""
    server = {"type": "http", "url": url} | ({"headers": {"Authorization": f"Bearer {_TOKEN}"}} if asks else {})
    return [
        "For Claude Code, in a shell:",
        f"  claude mcp add --transport http recollect {url}{header}",
        "For Cursor (~/.cursor/mcp.json) and other MCP clients, in their settings:",
        f"  {json.dumps({'mcpServers': {'recollect': server}})}",
    ]


def _curl(url: str, body: dict[str, str], asks: bool) -> str:
    header = f"-H 'Authorization: Bearer {_TOKEN}' " if asks else ""
    return f"curl -s {url} {header}-H 'Content-Type: application/json' -d '{json.dumps(body)}'"
