"""The example of a verb as it is typed in a shell, made from the line of Python that the table of verbs has."""

from __future__ import annotations

import ast
import json
import shlex
from typing import Any

from recollect.interfaces.cli.wording import flag
from recollect.verbs.verb import Verb

_SHORT = {"user_id": "-u", "top_k": "-k", "limit": "-n", "session_id": "-s", "project": "-p"}


def in_shell_words(verb: Verb) -> str:
    """`recollect search 'which editor?' -u ana -k 5`. What stands for a value, such as an id, is in capitals."""
    call = _call(verb)
    words = ["recollect", verb.in_shell]
    words += [_word(each) for each in call.args]
    for given in call.keywords:
        assert given.arg is not None
        value = _value(given.value)
        if given.arg in verb.positional:
            words.append(_word(given.value))
        elif isinstance(value, bool):
            words.append(flag(given.arg) if value else f"--no-{flag(given.arg)[2:]}")
        else:
            words += [_SHORT.get(given.arg, flag(given.arg)), _word(given.value)]
    return " ".join(words)


def _call(verb: Verb) -> ast.Call:
    """The call of the verb itself, among whatever the example does with it."""
    calls = [node for node in ast.walk(ast.parse(verb.example)) if isinstance(node, ast.Call)]
    return next(
        each
        for each in calls
        if isinstance(each.func, ast.Attribute) and each.func.attr == verb.on_memory.rpartition(".")[2]
    )


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _word(node: ast.expr) -> str:
    value = _value(node)
    if isinstance(value, str):
        value = value.partition("\n")[0]  # one line is enough to show the form
        return shlex.quote(value) if "'" not in value else f'"{value}"'
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ",".join(value)
    if value is not None:
        return shlex.quote(json.dumps(value, ensure_ascii=False)) if isinstance(value, dict | list) else str(value)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else "ID"
    return name.upper()
