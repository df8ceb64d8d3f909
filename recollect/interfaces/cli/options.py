"""Options of the shell, derived from what a verb takes, and the way back from their texts to values."""

from __future__ import annotations

import inspect
import json
from collections.abc import Collection, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

import typer

from recollect.errors import UsageError
from recollect.interfaces.cli.completing import values_for
from recollect.interfaces.cli.wording import flag, in_help
from recollect.verbs.signature import Parameter
from recollect.verbs.table import Verb

SCOPE_PANEL, STORE_PANEL = "Who it is for", "Store and output"
# What a parameter is typed as. The first long word is the parameter's own; people also try the others.
WORDS = {
    "user_id": ("-u", "--user-id", "--user"), "agent_id": ("--agent-id", "--agent"),
    "session_id": ("-s", "--session-id", "--session"), "project": ("-p", "--project"),
    "top_k": ("-k", "--top-k", "-n", "--limit"), "limit": ("-n", "--limit", "-k", "--top-k"),
}  # fmt: skip
HAS_A_MEANING_LEFT_OUT = {("undo", "operation"): "Without it, the last thing that was done from here."}
_LOOKED_AT = ("Recollection", "Page", "Neighbourhood", "list[HistoryEntry]", "list[Operation]")
_NUMBERS = {int: "a whole number", float: "a number"}
_SHARED = (
    ("db", ("--db",), "URL", "The store: a path, or :memory:."),
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
        _field(name, str, typer.Option(
            None, *words, metavar=metavar, help=text, rich_help_panel=STORE_PANEL, autocompletion=values_for(name)))
        for name, words, metavar, text in _SHARED
    ]  # fmt: skip


def fields_of(verb: Verb, parameters: Sequence[Parameter], returns: str = "") -> list[Field]:
    """The arguments and options of a verb, arguments first; lists may be asked for short, or in full."""
    shown = [each for each in parameters if each.name not in verb.hidden]
    known = {each.name: each for each in shown}
    taken = set(known)
    fields = [_argument(known[name], verb, name == verb.positional[-1]) for name in verb.positional]
    fields += [_option(each, verb.name, taken) for each in shown if each.name not in verb.positional]
    if returns in _LOOKED_AT:
        fields += [
            _field("short", bool, typer.Option(False, "-1", "--short", help="One line for each."), optional=False),
            _field("full", bool, typer.Option(False, "--full", help="Long texts whole."), optional=False),
        ]
    if verb.destructive:
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


def scope_fields(parameters: Sequence[Parameter]) -> list[Field]:
    """Only who a command is for, for commands that are no verbs."""
    return [_option(each) for each in parameters if each.scope and each.name != "reach"]


def require(verb: Verb, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> None:
    """Options that may not be left out, by the words they are typed with; arguments the parser has missed already."""
    for each in parameters:
        if each.required and each.name not in verb.positional and given.get(each.name) is None:
            words = flag(each.name)
            words += f" or --no-{words[2:]}" if each.type is bool else ""
            raise UsageError(f"{verb.in_shell} needs {words}: {each.doc}")


def value_of(parameter: Parameter, given: Any, *, joined: bool = False) -> Any:
    """The value that texts on a command line stand for; `UsageError` names the option when they stand for none.

    `joined`: they are the words of one text.
    """
    if given is None or given in ([], ()) or isinstance(given, bool):
        return None if given in ([], ()) else given
    what = flag(parameter.name)
    kind = parameter.type
    if joined and isinstance(given, list):
        return " ".join(given)
    if _is(kind, Mapping) or (kind is Any and not parameter.time and given.lstrip().startswith("{")):
        return _json(given, what, dict)
    if isinstance(given, list):
        return _list(kind, given, what)
    if kind in _NUMBERS:
        try:
            return kind(given)
        except ValueError:
            raise UsageError(f"{what} must be {_NUMBERS[kind]}, not {given[:40]!r}") from None
    return given


def _argument(parameter: Parameter, verb: Verb, last: bool) -> Field:
    offered = values_for(parameter.name, verb.name)
    text = in_help(parameter.doc)
    if last and (verb.words or parameter.name == verb.piped or (verb.name, parameter.name) in HAS_A_MEANING_LEFT_OUT):
        kind: Any = list[str] if verb.words else str
        more = " Without it, stdin is read." if parameter.name == verb.piped else ""
        more += f" {HAS_A_MEANING_LEFT_OUT.get((verb.name, parameter.name), '')}".rstrip()
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
    return _field(name, list[str] if _takes_many(kind) else str, info)


def _field(name: str, kind: Any, info: Any, *, optional: bool = True) -> Field:
    return Field(name, Field.KEYWORD_ONLY, default=info, annotation=kind | None if optional else kind)


def _metavar(parameter: Parameter) -> str:
    if parameter.time:
        return "TIME"
    if _is(parameter.type, Mapping):
        return "JSON"
    if _is_nested(parameter.type):
        return "ID:ROLE" if parameter.name == "members" else "JSON"
    if _takes_many(parameter.type):
        return "TEXT,…" if _is(parameter.type, Sequence) else "TEXT"
    return {int: "INTEGER", float: "NUMBER"}.get(parameter.type, "TEXT")


def _takes_many(kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return any(_takes_many(each) for each in get_args(kind))
    return _is(kind, Sequence)


def _is(kind: Any, wanted: type) -> bool:
    return (get_origin(kind) or kind) is wanted


def _is_nested(kind: Any) -> bool:
    return _is(kind, Sequence) and _takes_many(get_args(kind)[0])


def _list(kind: Any, given: list[str], what: str) -> Any:
    if _is_nested(kind):
        return _members(given, what)
    if not _is(kind, Sequence):  # a text or several: commas belong to the text
        return given[0] if len(given) == 1 else given
    return [word.strip() for each in given for word in each.split(",") if word.strip()]


def _members(given: list[str], what: str) -> list[Any]:
    """`ID:ROLE` or `ID:ROLE:POSITION` as often as wanted, or one JSON list."""
    if len(given) == 1 and given[0].lstrip().startswith("["):
        found: list[Any] = _json(given[0], what, list)
        return found
    out: list[Any] = []
    for each in given:
        record, _, rest = each.partition(":")
        role, _, position = rest.partition(":")
        if not role or (position and not position.isdecimal()):
            raise UsageError(f"{what} takes ID:ROLE or ID:ROLE:POSITION, not {each[:60]!r}")
        out.append([record, role, int(position)] if position else [record, role])
    return out


def _json(text: str, what: str, kind: type) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} takes JSON, and this is none: {error}") from None
    if not isinstance(found, kind):
        raise UsageError(f"{what} takes a JSON {'object' if kind is dict else 'list'}, not {text[:40]!r}")
    return found
