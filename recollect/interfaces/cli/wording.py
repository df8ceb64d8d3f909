"""Messages of the engine, which speak to programs, in the words that are typed in a shell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

_ARGUMENT = re.compile(r"\b([a-z][a-z_]*)=(?:'([\w-]+)')?(?=[ ,;.)]|$)")  # `key=`, or `reach='all'`
_CALL = re.compile(r"`(?:mem\.)?([a-z_]+)\(\)`")  # `operations()`
_FIRST = re.compile(r"([a-z][a-z_]*)(?=:? )")
_IN_PYTHON = re.compile(r" ?In Python[^.]*(?:\.|$)")
_OTHER_NAMES = {"key": "--key-file", "path": "PATH"}


def in_shell(message: str, names: Iterable[str] = (), verbs: Mapping[str, str] = MappingProxyType({})) -> str:
    """The message as a person at a prompt would be told; `names` are options here, `verbs` have other names."""
    first = _FIRST.match(message)
    if first is not None and (first[1] in names or first[1] in verbs):
        message = (verbs.get(first[1]) or flag(first[1])) + message[first.end() :]
    message = _CALL.sub(lambda found: f"`recollect {found[1].replace('_', '-')}`", message)
    return _ARGUMENT.sub(lambda found: flag(found[1]) + (f" {found[2]}" if found[2] else ""), message)


def in_help(doc: str) -> str:
    """What is said about a parameter, without the sentences that begin with "In Python"."""
    return _IN_PYTHON.sub("", doc).strip()


def counted(count: int, what: str) -> str:
    """`1 record`, `2,000 records`."""
    return f"{count} {what}" if count == 1 else f"{count:,} {what}s"


def flag(name: str) -> str:
    """The long option for a parameter."""
    return _OTHER_NAMES.get(name) or "--" + name.replace("_", "-")
