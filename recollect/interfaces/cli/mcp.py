"""`recollect mcp`: the memory for one MCP client, over stdin and stdout."""

from __future__ import annotations

import sys
from typing import Any

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli import options
from recollect.interfaces.cli.options import command, context, field, shared_of
from recollect.interfaces.cli.session import for_somebody, open_from

NAME = "mcp"
HELP = "Serve the memory to an MCP client over stdin and stdout."
_TOOLS = "Sets of tools: default, engram, assistant, topology, coding, reference, chatgpt, or all."
_READ_ONLY = "Offer only tools that read."
_VERBOSE = "Write a line to stderr for each call: the tool, how it went, how long it took."
_BY_HAND = (
    "recollect mcp waits on stdin for an MCP client; it is started by one, not by hand.\n"
    "For Claude Code: claude mcp add recollect -- recollect mcp"
)


def register(app: typer.Typer, *, panel: str, full: bool) -> None:
    """Add the command to the application; complete when it is among the words of the line."""
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, _fields() if full else [], _serve))


def _fields() -> list[Any]:
    from recollect.verbs.signature import signature_of
    from recollect.verbs.table import find

    return [
        context(),
        field("tools", str, typer.Option("default", "--tools", "-t", metavar="SET,…", help=_TOOLS)),
        field("read_only", bool, typer.Option(False, "--read-only", help=_READ_ONLY)),
        field("verbose", bool, typer.Option(False, "--verbose", "-v", help=_VERBOSE)),
        *options.scope_fields(signature_of(find("stats")).parameters),
        options.may_add_field(),
        options.policy_field("own, own+global (the default) or project."),
        *options.shared(),
    ]


def _serve(
    ctx: typer.Context,
    tools: str,
    read_only: bool,
    verbose: bool,
    may_add: list[str] | None,
    policy: str | None,
    **given: Any,
) -> int:
    from recollect.interfaces.mcp import require_library
    from recollect.model.grant import OWNER
    from recollect.verbs.toolsets.run import for_tools
    from recollect.verbs.toolsets.sets import toolset

    require_library()
    opened = shared_of(ctx, given)
    if opened.get("output") == "json":
        raise UsageError("stdout belongs to the protocol; leave out -o")
    scope = {name: value for name, value in for_somebody(given).items() if value is not None}
    OWNER.narrowed(scope, may_add, for_tools(policy))  # a mistake, here or in the sets, must not create a store
    toolset(tools)
    if sys.stdin.isatty():
        print(_BY_HAND, file=sys.stderr)
    from recollect.interfaces.mcp.stdio import serve

    with open_from(opened, kept_open=True) as memory:
        serve(memory, tools=tools, scope=scope, may_add=may_add, policy=policy, read_only=read_only, verbose=verbose)
    return 0
