"""A verb run for a caller, and its answer as a response: JSON made in the thread that ran it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from starlette.requests import Request
from starlette.responses import Response

from recollect.errors import AccessDenied
from recollect.interfaces.rest.callers import AdmittedCaller
from recollect.memory import Memory
from recollect.model.record import Record
from recollect.model.result import Receipt
from recollect.store.tokens import Right
from recollect.verbs.by_name import plain
from recollect.verbs.checking import checked
from recollect.verbs.signature import takes_of
from recollect.verbs.verb import Verb

JSON = "application/json"
_OPTIONS = orjson.OPT_NON_STR_KEYS


class Done(NamedTuple):
    """What a verb left: the body, and what the headers tell of it."""

    body: bytes
    version: int | None = None  # of the one record it is about
    stored: bool = False  # something new


def carry_out(caller: AdmittedCaller, verb: Verb, arguments: Mapping[str, Any]) -> Done:
    """Check, permit, do. Blocks: for a thread."""
    caller.permit(verb, arguments)
    given = checked(takes_of(verb), arguments)
    answer = verb.of(caller.memory)(**given)
    return Done(dumped(plain(verb, answer, given)), _version(answer), isinstance(answer, Receipt) and _new(answer))


def dumped(data: Any) -> bytes:
    return orjson.dumps(data, option=_OPTIONS)


def response(request: Request, verb: Verb, done: Done) -> Response:
    """The answer, with the record's version as its ETag."""
    headers = {} if done.version is None else {"etag": f'"{done.version}"'}
    if verb.name == "get" and request.headers.get("if-none-match") == headers.get("etag"):
        return Response(status_code=304, headers=headers)
    created = verb.name == "add" and done.stored
    return Response(done.body, 201 if created else 200, headers=headers, media_type=JSON)


def caller_of(request: Request) -> AdmittedCaller:
    """Whoever the gate let in."""
    found: AdmittedCaller = request.scope["recollect.caller"]
    return found


def _version(answer: Any) -> int | None:
    if isinstance(answer, Record):
        return answer.version
    if isinstance(answer, Receipt) and answer.event == "UPDATE" and len(answer.records) == 1:
        return answer.records[0].version
    return None


def _new(receipt: Receipt) -> bool:
    return receipt.event == "ADD" and receipt.operation is not None


def owners_memory(request: Request, what: str) -> Memory:
    """The memory of a caller who may do all there is with the whole store; others are refused."""
    caller = caller_of(request)
    caller.require(Right.ADMIN)
    if not caller.whole:
        raise AccessDenied(f"{what} are about the whole store; they are for its owner, not for a part of it")
    return caller.memory
