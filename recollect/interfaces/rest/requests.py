"""From a request to the arguments of a verb: the path, the query, a JSON body. Types are those of the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

import orjson
from starlette.requests import Request

from recollect.errors import UsageError, nearest
from recollect.interfaces.rest.origins import require_json
from recollect.interfaces.rest.problems import Refused
from recollect.verbs.signature import Parameter, Signature

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that a request carries; none is an empty one."""
    raw = await request.body()
    if not raw:
        return {}
    require_json(request.headers.get("content-type"))
    try:
        found = orjson.loads(raw)
    except ValueError:  # its message may quote the body
        raise Refused(400, "the body is not JSON; check quotes, commas and the encoding (UTF-8)") from None
    if not isinstance(found, dict):
        raise UsageError('the body must be a JSON object, such as {"query": "…"}')
    return found


def query_of(request: Request, signature: Signature, *, without: Sequence[str] = ()) -> dict[str, Any]:
    """The arguments in a query string: lists are repeated, objects are JSON."""
    out: dict[str, Any] = {}
    names = [name for name in signature.names if name not in without]
    for name in request.query_params:
        if name not in names:
            raise UsageError(f"there is no parameter {name[:60]!r} here{nearest(name, names)}")
        out[name] = _value(signature[name], request.query_params.getlist(name))
    return out


def version_of(header: str | None) -> int | None:
    """The version in an `If-Match`; `*` is any, and so is none."""
    if header is None or header.strip() == "*":
        return None
    given = header.strip().removeprefix("W/").strip('"')
    if not given.isdecimal() or len(given) > 9:
        raise Refused(412, 'If-Match takes the ETag of the record, such as "3", or *')
    return int(given)


def _value(parameter: Parameter, given: list[str]) -> Any:
    kind, text = parameter.type, given[-1]
    if takes_many(kind):
        return given
    if kind is bool:
        if text.lower() not in _TRUTHS:
            raise UsageError(f"{parameter.name} must be true or false")
        return _TRUTHS[text.lower()]
    if kind in (int, float):
        return _number(parameter.name, kind, text)
    if takes_object(parameter) and text.lstrip().startswith("{"):
        try:
            return orjson.loads(text)
        except ValueError:
            raise UsageError(f"{parameter.name} must be a JSON object") from None
    return text


def _number(name: str, kind: type, text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise UsageError(f"{name} must be {'a whole number' if kind is int else 'a number'}") from None


def takes_object(parameter: Parameter) -> bool:
    return (get_origin(parameter.type) or parameter.type) in (Mapping, dict) or parameter.type is Any


def takes_many(kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return any(takes_many(each) for each in get_args(kind))
    return (get_origin(kind) or kind) is Sequence
