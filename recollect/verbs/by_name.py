"""A verb run by its name with arguments from anywhere: a shell, a tool call, a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.errors import NotFound
from recollect.verbs.checking import checked
from recollect.verbs.signature import takes_of
from recollect.verbs.table import find
from recollect.verbs.verb import Verb

if TYPE_CHECKING:
    from recollect.memory import Memory


def run(memory: Memory, name: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Run a verb and give its answer as plain data.

    An argument that is `None` counts as not given. What the verb does not know, or cannot be, is a `UsageError`
    before anything happens. Outside Python there is no `None`: a record that is not there is `NotFound`.
    """
    verb = find(name)
    given = {**verb.implied_by(name), **checked(takes_of(verb), arguments or {})}
    return plain(verb, verb.of(memory)(**given), given)


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
