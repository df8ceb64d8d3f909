"""From the words on a command line to the values of a verb."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

from recollect.errors import UsageError
from recollect.interfaces.cli.wording import flag
from recollect.verbs.signature import Parameter
from recollect.verbs.verb import Verb

# What a parameter is typed as. The first long word is the parameter's own; people also try the others.
WORDS = {
    "user_id": ("-u", "--user-id", "--user"),
    "agent_id": ("--agent-id", "--agent"),
    "session_id": ("-s", "--session-id", "--session"),
    "project": ("-p", "--project"),
    "top_k": ("-k", "--top-k", "-n", "--limit"),
    "limit": ("-n", "--limit", "-k", "--top-k"),
}
LOOKED_AT = ("Recollection", "Page", "Neighbourhood", "list[HistoryEntry]", "list[Operation]")
_NUMBERS = {int: "a whole number", float: "a number"}


def require(verb: Verb, parameters: Collection[Parameter], given: Mapping[str, Any]) -> None:
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
    if is_kind(kind, Mapping) or (kind is Any and not parameter.time and given.lstrip().startswith("{")):
        return _json(given, what, dict)
    if isinstance(given, list):
        return _list(kind, given, what)
    if kind in _NUMBERS:
        try:
            return kind(given)
        except ValueError:
            raise UsageError(f"{what} must be {_NUMBERS[kind]}, not {given[:40]!r}") from None
    return given


def takes_many(kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return any(takes_many(each) for each in get_args(kind))
    return is_kind(kind, Sequence)


def is_kind(kind: Any, wanted: type) -> bool:
    return (get_origin(kind) or kind) is wanted


def is_nested(kind: Any) -> bool:
    return is_kind(kind, Sequence) and takes_many(get_args(kind)[0])


def _list(kind: Any, given: list[str], what: str) -> Any:
    if is_nested(kind):
        return _members(given, what)
    if not is_kind(kind, Sequence):  # a text or several: commas belong to the text
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
