"""What an expression may stand for, as far as it can be told without running anything.

A value is a small tuple, so that sets of values are cheap to compare. An empty set means that nobody can tell.

    ("mod", path)                 a file of the project as a module
    ("space", folder)             a folder that is a package without a file of its own
    ("cls", path, scope)          a class                  ("inst", path, scope, args)    an instance of one
    ("fn", path, scope)           a function               ("meth", path, scope, owner)   one bound to its owner
    ("super", path, scope, owner) what `super()` is        ("self",)                      whatever a method is called on
    ("seq", type, items)          many of something        ("tup", parts)                 some things in order
    ("map", keys, items)          a dictionary             ("aw", items)                  what can be waited for
    ("ctx", items)                what `with` can enter    ("call", items)                what gives this when called
    ("lit", type)                 a text, a number         ("ext", name)                  something that is not ours
    ("var", name, bound)          a type variable
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Value = tuple[Any, ...]
Values = frozenset[Value]
NOTHING: Values = frozenset()
SELF: Value = ("self",)
EXTERNAL_CHARS_MAX = 120
VALUES_MAX = 8  # that an expression may stand for; more are as good as none


def one(*value: Any) -> Values:
    return frozenset((value,))


def union(many: Iterable[Values]) -> Values:
    found: set[Value] = set()
    for each in many:
        found |= each
    return frozenset(found) if len(found) <= VALUES_MAX else NOTHING


def external(name: str) -> Values:
    """Something that is not ours: neither it nor what comes of it is followed."""
    return frozenset((("ext", name[:EXTERNAL_CHARS_MAX]),))


def items_of(values: Values) -> Values:
    """What an iteration over these gives, where they say so themselves."""
    found: list[Values] = []
    for value in values:
        if value[0] in ("seq", "aw", "ctx", "call"):
            found.append(value[-1])
        elif value[0] == "map":
            found.append(value[1])
        elif value[0] == "tup":
            found.extend(value[1])
        elif value[0] in ("ext", "lit"):
            found.append(external("item"))
    return union(found)


def mentions_variable(value: Any, depth: int = 0) -> bool:
    """Whether a type variable is in a value, or in what that holds."""
    if depth > _HELD_DEPTH_MAX or not isinstance(value, tuple | frozenset):
        return False
    if isinstance(value, tuple) and value[:1] == ("var",):
        return True
    return any(mentions_variable(each, depth + 1) for each in value)


_HELD_DEPTH_MAX = 4


def of_many(value: Value, name: str) -> Values:
    """Methods of lists and dictionaries that give back what was put in."""
    items: Values = value[-1]
    if value[0] == "map":
        keys: Values = value[1]
        given = {
            "get": items,
            "pop": items,
            "setdefault": items,
            "values": one("seq", "list", items),
            "keys": one("seq", "list", keys),
            "items": one("seq", "list", one("tup", (keys, items))),
            "copy": frozenset((value,)),
        }
    else:
        given = {"pop": items, "popleft": items, "copy": frozenset((value,)), "__next__": items}
    found = given.get(name)
    return external(f"{value[0]}.{name}") if found is None else one("call", found)
