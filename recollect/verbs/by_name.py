"""A verb run by its name with arguments from anywhere: a shell, a tool call, a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.errors import NotFound, UsageError
from recollect.verbs.schema import described, fits
from recollect.verbs.signature import Signature, signature_of
from recollect.verbs.table import Verb, find, nearest

if TYPE_CHECKING:
    from recollect.memory import Memory


def run(memory: Memory, name: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Run a verb and give its answer as plain data.

    An argument that is `None` counts as not given. What the verb does not know, or cannot be, is a `UsageError`
    before anything happens. Outside Python there is no `None`: a record that is not there is `NotFound`.
    """
    verb = find(name)
    given = {**verb.implied_by(name), **checked(verb, arguments or {})}
    return plain(verb, getattr(memory, verb.on_memory)(**given), given)


def checked(verb: Verb, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that were given, each known to the verb and of a type it takes."""
    signature = signature_of(verb)
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in arguments:
        if name not in signature.names:
            offered = nearest(str(name), signature.names) or f"; it takes {', '.join(_offered(verb, signature))}"
            raise UsageError(f"{verb.name} takes no argument {str(name)[:60]!r}{offered}")
    for parameter in signature.parameters:
        if parameter.name not in given:
            if parameter.required:
                raise UsageError(f"{verb.name} needs {parameter.name}: {parameter.doc}")
        elif not fits(parameter.type, given[parameter.name]):
            offered = given[parameter.name]
            raise UsageError(f"{parameter.name} must be {described(parameter)}, not {offered!r:.60}")
    return given


def _offered(verb: Verb, signature: Signature) -> list[str]:
    """What a verb takes, what it needs first and who it is for last."""
    shown = [each for each in signature.parameters if each.name not in verb.hidden]
    return [each.name for each in sorted(shown, key=lambda each: (not each.required, each.scope))]


def _nothing(verb: Verb, given: Mapping[str, Any]) -> str:
    """Why there is no answer, in terms of what was asked for first."""
    asked = verb.positional[0] if verb.positional else "id"
    what = "record has the id" if asked == "id" else f"{verb.name} is called"
    return f"no {what} {given.get(asked, '')!s:.80}, or it is not visible from here"


def plain(verb: Verb, answer: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a method returned as a JSON object."""
    if answer is None:
        raise NotFound(_nothing(verb, given))
    if hasattr(answer, "to_dict"):
        out: dict[str, Any] = answer.to_dict()
        return out
    if isinstance(answer, list | tuple):
        return {verb.wraps: [each.to_dict() if hasattr(each, "to_dict") else each for each in answer]}
    return {verb.wraps: answer}
