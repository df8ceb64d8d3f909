"""`recollect help`: a command's help, or with --json the whole tree of commands for programs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import Any

import typer

from recollect.errors import UsageError, nearest
from recollect.interfaces.cli import overview
from recollect.interfaces.cli.answer import write_json
from recollect.interfaces.cli.options import command, context, field
from recollect.interfaces.cli.session import check_output
from recollect.verbs.table import VERBS

NAME = "help"
HELP = "The help of a command; with --json all commands, their arguments and options, for programs."
_OUTPUT = "For people, or one JSON document."
_COMMAND = "Such as: search, or token create."
_EXIT_CODES = {"0": "done", "1": "failed", "2": "used wrongly; nothing was done", "130": "interrupted"}
_TYPES = {"INTEGER": "integer", "NUMBER": "number", "JSON": "json", "TIME": "time", "PATH": "path"}


def register(app: typer.Typer, *, panel: str, whole: Callable[[], Any]) -> None:
    """Add the command to the application. `whole` gives the application with every command complete."""
    fields = [
        context(),
        field(
            "words", list[str] | None, typer.Argument(None, metavar="[COMMAND]…", help=_COMMAND, autocompletion=_names)
        ),
        field("as_json", bool, typer.Option(False, "--json", help="One JSON document instead.")),
        field("every", bool, typer.Option(False, "--all", help="A line for every command.")),
        field("output", str | None, typer.Option(None, "-o", "--output", metavar="text|json", help=_OUTPUT)),
    ]
    app.command(NAME, help=HELP, rich_help_panel=panel)(command(NAME, fields, partial(_help, whole)))


def _names(ctx: typer.Context, incomplete: str) -> list[str]:
    at: Any = ctx.parent.command if ctx.parent else None
    for word in ctx.params.get("words") or ():
        at = getattr(at, "commands", {}).get(word)
    inside: Mapping[str, Any] = getattr(at, "commands", {})
    return [name for name, each in inside.items() if name.startswith(incomplete) and not each.hidden]


def tree(whole: Any, words: list[str] | None = None) -> dict[str, Any]:
    """All commands, or the one that is named, as plain data."""
    from recollect._version import __version__

    found = _found(whole, words or [])
    told = _told(" ".join(words or []), found, panels=_panels())
    return {"program": "recollect", "version": __version__, **told, "exit_codes": _EXIT_CODES}


def _help(
    whole: Callable[[], Any],
    ctx: typer.Context,
    words: list[str] | None,
    as_json: bool,
    every: bool,
    output: str | None,
) -> int:
    check_output(output)
    if as_json or (output or (ctx.obj or {}).get("output")) == "json":
        write_json(tree(whole(), words))
    elif not words:
        overview.show(every=every)
    else:
        commands = whole()
        _found(commands, words)  # a mistake is reported, not shown as the help of what was not meant
        commands.main([*words, "--help"], prog_name="recollect", standalone_mode=False)
    return 0


def _found(whole: Any, words: list[str]) -> Any:
    at = whole
    for word in words:
        inside: Mapping[str, Any] = getattr(at, "commands", {})
        if word not in inside:
            raise UsageError(f"there is no command {word[:40]!r}{nearest(word, inside)}")
        at = inside[word]
    return at


def _told(name: str, each: Any, *, panels: Mapping[str, str]) -> dict[str, Any]:
    told: dict[str, Any] = {"command": name, "help": (each.help or "").replace("\\[", "[")}
    if name in panels:
        told["group"] = panels[name]
    told |= _rights(name)
    arguments = [parameter for parameter in each.params if parameter.param_type_name == "argument"]
    options = [parameter for parameter in each.params if parameter.param_type_name != "argument"]
    told["arguments"] = [_parameter(parameter) for parameter in arguments]
    for one in told["arguments"]:
        one["required"] = one["required"] or one["name"] in _needed(name)
    told["options"] = [_option(one) for one in options if not one.hidden]
    for one in told["options"]:
        one["default"] = _defaults(name).get(one["name"], one["default"])
    inside = {key: one for key, one in getattr(each, "commands", {}).items() if not one.hidden}
    if inside:
        told["commands"] = [_told(f"{name} {key}".strip(), one, panels=panels) for key, one in inside.items()]
    return told


def _option(one: Any) -> dict[str, Any]:
    return {**_parameter(one), "flags": [*one.opts, *one.secondary_opts]}


def _parameter(one: Any) -> dict[str, Any]:
    default = one.default if isinstance(one.default, str | int | float | bool | None) else None
    return {
        "name": one.name,
        "type": _type(one),
        "many": bool(getattr(one, "multiple", False) or one.nargs != 1),
        "required": bool(one.required),
        "default": default,
        "help": getattr(one, "help", None) or "",
    }


def _type(one: Any) -> str:
    if getattr(one, "is_flag", False):
        return "boolean"
    named = one.type.name if hasattr(one, "type") else str(one.display_type(None))  # Typer calls it so, or so
    first = named.strip("<>").partition(" ")[0]  # of `int range`
    by_name = {"integer": "integer", "int": "integer", "float": "number"}
    return _TYPES.get(one.metavar or "", by_name.get(first, "text"))


@cache
def _defaults(name: str) -> Mapping[str, Any]:
    """What the options of a verb stand for when they are left out; the parser sees only whether they were given."""
    from recollect.verbs.signature import signature_of

    for verb in VERBS:
        if name == verb.in_shell:
            given = {each.name: each.default for each in signature_of(verb).parameters if not each.required}
            return {key: value for key, value in given.items() if isinstance(value, str | int | float | bool | None)}
    return {}


def _needed(name: str) -> Collection[str]:
    """Arguments that a verb must have; the parser asks for none that may be piped in."""
    from recollect.verbs.signature import signature_of

    for verb in VERBS:
        if name == verb.in_shell:
            needed = {each.name for each in signature_of(verb).parameters if each.required}
            return {each for each in needed if each != verb.left_out[0]}
    return ()


def _rights(name: str) -> dict[str, Any]:
    """What a verb does to the store; nothing for commands that are no verbs."""
    for verb in VERBS:
        if name == verb.in_shell:
            aliases = [each for each in verb.names if each != name]
            return {"writes": verb.writes, "destructive": verb.destructive, "aliases": aliases}
    return {}


def _panels() -> dict[str, str]:
    return {name: verb.group for verb in VERBS for name in (verb.in_shell, verb.space) if name}
