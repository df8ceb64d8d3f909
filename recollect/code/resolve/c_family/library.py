"""What pointers, containers and other types of C++'s library pass on of types of ours."""

from __future__ import annotations

from recollect.code.resolve.values import NOTHING, Value, Values, external, one

POINTERS = frozenset(
    "unique_ptr shared_ptr weak_ptr scoped_ptr intrusive_ptr auto_ptr optional reference_wrapper".split()
)
_MANY = frozenset(
    "vector deque list array set unordered_set multiset span initializer_list forward_list stack queue priority_queue "
    "basic_string_view".split()
)
_MAPS = frozenset("map unordered_map multimap unordered_multimap flat_map".split())
_ITEM = frozenset("front back at top value get operator* lock begin end rbegin rend find data emplace_back pop".split())
_POINTED = frozenset("get value lock operator* operator-> release value_or".split())
_PASSING = frozenset("move forward ref cref addressof as_const exchange static_pointer_cast launder".split())
_MAKERS = {"make_unique": "unique_ptr", "make_shared": "shared_ptr", "make_optional": "optional"}


def typed_by_library(name: str, args: tuple[Values, ...]) -> Values:
    """A value of a type from outside, by its last name."""
    if name in _MANY:
        return one("seq", "list", args[0] if args else NOTHING)
    if name in _MAPS and len(args) > 1:
        return one("map", args[0], args[1])
    if name in ("pair", "tuple"):
        return one("tup", args)
    if name == "function":
        return args[0] if args else external(name)
    return one("std", name, args)


def pointed_at(value: Value) -> Values:
    """What `->` leads to."""
    if value[0] == "std" and value[1] in POINTERS and value[2]:
        return value[2][0]  # type: ignore[no-any-return]
    return NOTHING


def of_library(value: Value, name: str) -> Values:
    """A member of a value whose type is the library's."""
    kind = value[0]
    if kind == "std":
        inner = pointed_at(value)
        return one("call", inner) if inner and name in _POINTED else external(f"{value[1]}.{name}")
    if kind == "seq":
        return one("call", value[2]) if name in _ITEM else external(f"many.{name}")
    if kind == "map":
        pair = one("tup", (value[1], value[2]))
        if name == "at":
            return one("call", value[2])
        return one("call", pair) if name in ("find", "begin", "end", "rbegin") else external(f"map.{name}")
    if kind == "tup" and name in ("first", "second"):
        at = int(name == "second")
        return value[1][at] if len(value[1]) > at else NOTHING
    return external(f"{kind}.{name}")


def made_by(name: str, given: Values, types: Values) -> Values:
    """What a function of the library gives back of what it is given."""
    last = name.rpartition(".")[2]
    if last in _PASSING:
        return given
    if last in _MAKERS:
        return one("std", _MAKERS[last], (types or given,))
    return external(f"{name}()")
