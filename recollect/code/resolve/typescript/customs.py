"""What the library of JavaScript does with values of ours: arrays, maps, promises, and the functions handed to them."""

from __future__ import annotations

from recollect.code.resolve.values import NOTHING, Value, Values, external, one, union

_SAME_SEQUENCE = frozenset(
    "filter slice concat reverse sort splice fill toSorted toReversed toSpliced with copyWithin add union "
    "intersection difference values take drop".split()
)
_ITEM = frozenset("find findLast pop shift at".split())
_ON_ITEMS = frozenset(
    "map forEach filter find findIndex findLast findLastIndex some every flatMap sort toSorted from".split()
)
_PAIRS = frozenset("entries".split())
GLOBALS = frozenset(
    "console Object Array Math JSON Promise Map Set WeakMap WeakSet WeakRef Symbol Error TypeError RangeError Date "
    "RegExp Number String Boolean BigInt Proxy Reflect Intl Function parseInt parseFloat isNaN isFinite "
    "encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape setTimeout clearTimeout setInterval "
    "clearInterval setImmediate clearImmediate queueMicrotask requestAnimationFrame cancelAnimationFrame "
    "structuredClone fetch atob btoa process Buffer document window global globalThis self navigator location "
    "history localStorage sessionStorage performance crypto URL URLSearchParams Headers Request Response FormData "
    "Blob File FileReader AbortController AbortSignal TextEncoder TextDecoder EventTarget Event CustomEvent "
    "MessageChannel Worker WebSocket XMLHttpRequest ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array "
    "Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array "
    "BigUint64Array Atomics WebAssembly require module exports __dirname __filename alert confirm prompt import "
    "arguments undefined NaN Infinity eval describe it test expect beforeEach afterEach beforeAll afterAll jest vi "
    "assert SyntaxError ReferenceError EvalError URIError AggregateError FinalizationRegistry ReadableStream "
    "WritableStream TransformStream MutationObserver IntersectionObserver".split()
)


def many_called(value: Value, functions: list[Values], given: tuple[Values, ...]) -> Values:
    """What a method of an array, a map or a promise gives; `functions` give what is handed over gives."""
    of, name = value[1], value[2]
    kind: str = of[0]
    items: Values = of[-1]
    back = functions[0] if functions else NOTHING
    if kind == "aw":
        return one("aw", _waited(back)) if name == "then" else frozenset((of,))
    if kind == "tup":
        return many_called(("many", ("seq", "Array", union(of[1])), name), functions, given)
    if kind == "map":
        keyed = {
            "get": items,
            "set": frozenset((of,)),
            "values": one("seq", "Array", items),
            "keys": one("seq", "Array", of[1]),
            "entries": one("seq", "Array", one("tup", (of[1], items))),
        }
        found: Values | None = keyed.get(name)
        return external("map") if found is None else found
    if name in _SAME_SEQUENCE:
        return frozenset((of,))
    if name in _ITEM:
        return items
    if name == "map":
        return one("seq", "Array", back)
    if name in ("flatMap", "flat"):
        inner = back if name == "flatMap" else items
        return one("seq", "Array", union(each[-1] if each[0] == "seq" else frozenset((each,)) for each in inner))
    if name in ("reduce", "reduceRight"):
        return given[1] if len(given) > 1 and given[1] else back
    if name in _PAIRS:
        return one("seq", "Array", one("tup", (one("lit", "number"), items)))
    if name == "next":
        return external("iterated")
    return external(f"{kind}.{name}")


def many_hands(value: Value, place: int, at: int, given: tuple[Values, ...]) -> Values:
    """What a method of an array, a map or a promise hands to the function that it is given, as its `at`-th."""
    of, name = value[1], value[2]
    kind: str = of[0]
    items: Values = of[-1]
    if place or (kind == "aw" and name != "then"):
        return NOTHING
    if kind == "aw":
        return items if at == 0 else NOTHING
    if kind == "tup":
        items = union(of[1])
    if kind == "map":
        return (items if at == 0 else of[1] if at == 1 else NOTHING) if name == "forEach" else NOTHING
    if name in ("reduce", "reduceRight"):
        first = given[1] if len(given) > 1 and given[1] else items
        return (first, items)[at] if at < 2 else NOTHING
    if at == 0 or (at == 1 and name in ("sort", "toSorted")):
        return items if name in _ON_ITEMS else NOTHING
    return NOTHING


def known_call(name: str, given: tuple[Values, ...]) -> Values:
    """Functions of the library that pass on what they are given."""
    first = given[0] if given else NOTHING
    if name in ("Promise.all", "Promise.allSettled"):
        return one("aw", frozenset(_each_waited(value) for value in first if value[0] in ("seq", "tup")))
    if name == "Promise.resolve":
        return one("aw", _waited(first))
    if name in ("Promise.race", "Promise.any"):
        return one("aw", union(_waited(value[-1]) for value in first if value[0] == "seq"))
    if name in ("Object.freeze", "Object.seal", "structuredClone"):
        return first
    if name == "Object.assign":
        return union(given)
    if name == "Object.values":
        return one("seq", "Array", union(value[-1] for value in first if value[0] == "map"))
    if name == "Object.entries":
        items = union(value[-1] for value in first if value[0] == "map")
        return one("seq", "Array", one("tup", (one("lit", "string"), items)))
    if name in ("Array.from", "Array.of"):
        return frozenset(each for each in first if each[0] == "seq") or external(name)
    return external(f"{name}()")


def made_outside(name: str, types: tuple[Values, ...], given: tuple[Values, ...]) -> Values:
    """What `new` makes of a class of the library."""
    first = given[0] if given else NOTHING
    if name in ("Map", "WeakMap"):
        return one("map", *(types if len(types) == 2 else (NOTHING, NOTHING)))
    if name in ("Set", "WeakSet", "Array"):
        return one("seq", name, types[0] if types else union(each[-1] for each in first if each[0] == "seq"))
    if name == "Promise":
        return one("aw", types[0] if types else NOTHING)
    return external(f"{name}()")


def _waited(values: Values) -> Values:
    return union(value[1] if value[0] == "aw" else frozenset((value,)) for value in values)


def _each_waited(value: Value) -> Value:
    if value[0] == "tup":
        return ("tup", tuple(_waited(each) for each in value[1]))
    return (*value[:2], _waited(value[2]))
