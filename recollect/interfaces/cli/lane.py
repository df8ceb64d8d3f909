"""The straight way for a plain command: read by the table of verbs, without the library that explains and completes.

That library takes a third of the time of a quick command to load. What is not understood here (a word too many, an
option nobody knows, a call for help) is left to it, and so are all its complaints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from recollect.interfaces.cli.session import SHARED, check_output
from recollect.interfaces.cli.values import LOOKED_AT, WORDS, takes_many
from recollect.interfaces.cli.wording import flag
from recollect.verbs.signature import Signature, signature_of
from recollect.verbs.table import VERBS
from recollect.verbs.verb import Verb

_SHARED = {"-o": "output", **{flag(name): name for name in SHARED}}


class CommandLine(NamedTuple):
    """A command line that was understood."""

    verb: Verb
    name: str
    shared: dict[str, Any]
    given: dict[str, Any]


class _Option(NamedTuple):
    name: str
    value: Any = None  # of a switch; None: the next word
    many: bool = False


def understood(words: Sequence[str]) -> CommandLine | None:
    """The verb that is called and what it is given; None for a line that has to be looked at more closely."""
    shared: dict[str, Any] = dict.fromkeys(SHARED)
    at = 0
    while at < len(words) and words[at] in _SHARED:
        if at + 1 >= len(words) or words[at + 1].startswith("-"):
            return None
        shared[_SHARED[words[at]]] = words[at + 1]
        at += 2
    name = words[at] if at < len(words) else ""
    verb = next((each for each in VERBS if name in each.names), None)
    if verb is None:
        return None
    signature = signature_of(verb)
    given = _defaults(verb, signature)
    plain = _read(words[at + 1 :], _options(verb, signature), shared, given)
    if plain is None or not _placed(verb, signature, plain, given):
        return None
    check_output(shared["output"])
    return CommandLine(verb, name, shared, given)


def _read(
    words: Sequence[str], options: dict[str, _Option], shared: dict[str, Any], given: dict[str, Any]
) -> list[str] | None:
    """Fill in what options say; the words that are none of them."""
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*plain, *rest]
        if not word.startswith("-") or word == "-":
            plain.append(word)
            continue
        typed, joint, value = word.partition("=")
        option = options.get(typed)
        if option is None or (joint and (option.value is not None or not typed.startswith("--"))):
            return None
        if option.value is not None:
            given[option.name] = option.value
            continue
        found = value if joint else next(rest, None)
        if found is None or (not joint and found.startswith("-") and found != "-"):
            return None
        place = shared if option.name in SHARED else given
        place[option.name] = [*place[option.name], found] if option.many else found
    return plain


def _placed(verb: Verb, signature: Signature, plain: list[str], given: dict[str, Any]) -> bool:
    """Whether the plain words are what the verb takes by place; they are put there."""
    names = list(verb.positional)
    if verb.words and len(plain) >= len(names):
        plain = [*plain[: len(names) - 1], plain[len(names) - 1 :]]  # type: ignore[list-item]
    if len(plain) > len(names):
        return False
    given.update(zip(names, plain, strict=False))
    for missing in names[len(plain) :]:
        last = missing == names[-1]
        spare = last and (verb.words or missing == verb.piped or missing == verb.left_out[0])
        if signature[missing].required and not spare:
            return False
    return True


def _defaults(verb: Verb, signature: Signature) -> dict[str, Any]:
    shown = [each for each in signature.parameters if each.name not in verb.hidden]
    given: dict[str, Any] = {}
    for each in shown:
        if each.name in verb.positional or each.type is bool:
            given[each.name] = None if each.required else each.default
        else:
            given[each.name] = [] if takes_many(each.type) else None
    return given


def _options(verb: Verb, signature: Signature) -> dict[str, _Option]:
    """Every word that says something, as `options.fields_of` declares them."""
    shown = [each for each in signature.parameters if each.name not in verb.hidden]
    own = {flag(each.name) for each in shown}
    found = {word: _Option(name) for word, name in _SHARED.items()}
    for each in shown:
        long = flag(each.name)
        if each.name in verb.positional:
            continue
        if each.type is bool:
            found[long] = _Option(each.name, True)
            if each.default is not False:
                found[f"--no-{long[2:]}"] = _Option(each.name, False)
            continue
        for word in WORDS.get(each.name, (long,)):
            if word == long or word not in own:
                found[word] = _Option(each.name, many=takes_many(each.type))
    if signature.returns in LOOKED_AT:
        found |= {"-1": _Option("short", True), "--short": _Option("short", True), "--full": _Option("full", True)}
    if verb.destructive or verb.asks or verb.asks_without:
        found |= {"--yes": _Option("yes", True), "-y": _Option("yes", True)}
    if verb.name == "add":
        found["--jsonl"] = _Option("jsonl")
    return found
