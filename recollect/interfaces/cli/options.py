"""Options of the shell, derived from what a verb takes, and commands whose parameters are data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import typer

from recollect.interfaces.cli.completing import values_for
from recollect.interfaces.cli.session import SHARED, check_output, merged
from recollect.interfaces.cli.values import LOOKED_AT, WORDS, is_kind, is_nested, takes_many
from recollect.interfaces.cli.wording import flag, in_help
from recollect.verbs.signature import Parameter
from recollect.verbs.verb import Verb


def command(name: str, fields: list[inspect.Parameter], call: Callable[..., Any]) -> Callable[..., Any]:
    """A command of this name that takes these parameters and hands them to `call`."""

    def declared(**given: Any) -> Any:
        return call(**given)

    declared.__name__ = name
    declared.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]
    declared.__annotations__ = {field.name: field.annotation for field in fields}
    return declared


def field(name: str, kind: Any, info: Any) -> inspect.Parameter:
    """One parameter, with what Typer should know about it."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=kind)


def context() -> inspect.Parameter:
    return inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def shared_of(ctx: typer.Context, given: dict[str, Any]) -> dict[str, Any]:
    """The options every command has, taken out of what it was given."""
    own = {name: given.pop(name, None) for name in SHARED}
    check_output(own["output"])
    return merged(ctx.obj or {}, own)


SCOPE_PANEL, STORE_PANEL = "Who it is for", "Store and output"
_SHARED = (
    ("db", ("--db",), "URL", "The store: a path, postgresql://…, or :memory:."),
    ("output", ("-o", "--output"), "text|json", "For people, or one JSON document."),
    (
        "key_file",
        ("--key-file",),
        "PATH",
        "The key of an encrypted store: 32 bytes, or their hex; else $RECOLLECT_KEY.",
    ),
    ("embedder", ("--embedder",), "NAME", "An embedder as prefix:model, or none."),
)

Field = inspect.Parameter


def shared() -> list[Field]:
    """Options that every command takes, before the verb or after it."""
    return [
        _field(
            name,
            str,
            typer.Option(
                None, *words, metavar=metavar, help=text, rich_help_panel=STORE_PANEL, autocompletion=values_for(name)
            ),
        )
        for name, words, metavar, text in _SHARED
    ]


def fields_of(verb: Verb, parameters: Collection[Parameter], returns: str = "") -> list[Field]:
    """The arguments and options of a verb, arguments first; lists may be asked for short, or in full."""
    shown = [each for each in parameters if each.name not in verb.hidden]
    known = {each.name: each for each in shown}
    taken = set(known)
    fields = [_argument(known[name], verb, name == verb.positional[-1]) for name in verb.positional]
    fields += [_option(each, verb.name, taken) for each in shown if each.name not in verb.positional]
    if returns in LOOKED_AT:
        fields += [
            _field("short", bool, typer.Option(False, "-1", "--short", help="One line for each."), optional=False),
            _field("full", bool, typer.Option(False, "--full", help="Long texts whole."), optional=False),
        ]
    if verb.destructive or verb.asks or verb.asks_without:
        fields.append(_field("yes", bool, typer.Option(False, "--yes", "-y", help="Do not ask."), optional=False))
    return fields


def may_add_field() -> Field:
    """What may be added to who a command is for."""
    text = (
        "What calls may name besides: project=atlas,beta, a dimension alone for any value of it, or '*' for "
        "everything. Nothing by default; may be repeated."
    )
    metavar = "DIMENSION[=VALUE,…]"
    info = typer.Option(None, "--may-add", metavar=metavar, help=text, rich_help_panel=SCOPE_PANEL)
    return _field("may_add", list[str], info)


def policy_field(known: str) -> Field:
    """What a caller sees beside its own, as one word."""
    text = f"What it sees beside its own: {known}"
    info = typer.Option(None, "--policy", metavar="POLICY", help=text, rich_help_panel=SCOPE_PANEL)
    return _field("policy", str, info)


def scope_fields(parameters: Collection[Parameter]) -> list[Field]:
    """Only who a command is for, for commands that are no verbs."""
    return [_option(each) for each in parameters if each.scope and each.name != "reach"]


def _argument(parameter: Parameter, verb: Verb, last: bool) -> Field:
    offered = values_for(parameter.name, verb.name)
    text = in_help(parameter.doc)
    if last and (verb.words or parameter.name == verb.piped or parameter.name == verb.left_out[0]):
        kind: Any = list[str] if verb.words else str
        more = " Without it, stdin is read." if parameter.name == verb.piped else ""
        more += f" {verb.left_out[1]}" if parameter.name == verb.left_out[0] else ""
        info = typer.Argument(None, metavar=parameter.name.upper(), help=text + more, autocompletion=offered)
        return _field(parameter.name, kind, info)
    default = ... if parameter.required else parameter.default
    info = typer.Argument(default, metavar=parameter.name.upper(), help=text, autocompletion=offered)
    return _field(parameter.name, str, info, optional=not parameter.required)


def _option(parameter: Parameter, verb: str = "", taken: Collection[str] = ()) -> Field:
    name, kind = parameter.name, parameter.type
    long = flag(name)
    panel = SCOPE_PANEL if parameter.scope or name == "session_id" else None
    more: dict[str, Any] = {"rich_help_panel": panel} if panel else {}
    if kind is bool:
        switch = long if parameter.default is False else f"{long}/--no-{long[2:]}"
        default = None if parameter.required else parameter.default  # `checked` says what is missing, for all verbs
        info = typer.Option(default, switch, help=in_help(parameter.doc), show_default=False, **more)
        return _field(name, bool, info, optional=default is None)
    others = {flag(each) for each in taken} - {long}
    words = [each for each in WORDS.get(name, (long,)) if each not in others]
    given_by_default = not parameter.required and parameter.default not in (None, ())
    shown = f" By default {parameter.default}." if given_by_default else ""
    more["autocompletion"] = values_for(name, verb)
    info = typer.Option(None, *words, metavar=_metavar(parameter), help=in_help(parameter.doc) + shown, **more)
    return _field(name, list[str] if takes_many(kind) else str, info)


def _field(name: str, kind: Any, info: Any, *, optional: bool = True) -> Field:
    return Field(name, Field.KEYWORD_ONLY, default=info, annotation=kind | None if optional else kind)


def _metavar(parameter: Parameter) -> str:
    if parameter.time:
        return "TIME"
    if is_kind(parameter.type, Mapping):
        return "JSON"
    if is_nested(parameter.type):
        return "ID:ROLE" if parameter.name == "members" else "JSON"
    if takes_many(parameter.type):
        return "TEXT,…" if is_kind(parameter.type, Sequence) else "TEXT"
    return {int: "INTEGER", float: "NUMBER"}.get(parameter.type, "TEXT")
