"""Taking the memory out and bringing another in. Files are our own, without a name: no client says where one is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import IO, Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from recollect.errors import Overloaded, UsageError
from recollect.exchange.temporary import temporary_file
from recollect.facade.handle import engine_of
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.answers import JSON, caller_of, dumped
from recollect.interfaces.rest.openapi import PROBLEMS, problem_responses, query_parameter, ref
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.rest.problems import Refused
from recollect.interfaces.rest.requests import query_of
from recollect.limits import EXPORTS_AT_ONCE_MAX
from recollect.memory import Memory
from recollect.verbs.checking import checked
from recollect.verbs.schema import TEXT
from recollect.verbs.signature import Signature, signature_of, takes_of
from recollect.verbs.table import find
from recollect.verbs.verb import Verb

PASSPHRASE = "x-recollect-passphrase"  # a header: addresses are written down in many places
MEDIA_TYPES = {"markdown": "text/markdown; charset=utf-8"}
LINES = "application/x-ndjson"
SEALED = "application/octet-stream"
_NOT_ASKED = ("path", "passphrase", "overwrite", "trusted")  # or not a client's to say
_PORTION_BYTES = 1 << 20


def register(paths: ServerPaths, lanes: Lanes) -> None:
    """`GET /v1/export` and `POST /v1/import`."""
    export, import_ = Export(lanes, find("export")), Import(lanes, find("import"))
    content = {each: {"schema": TEXT} for each in (LINES, "text/markdown", SEALED)}
    exported = {
        **_described(export.signature, "export"),
        "responses": {"200": {"description": "The file.", "content": content}, **problem_responses(PROBLEMS)},
    }
    paths.add("/v1/export", export.answer, described=exported)
    done = {"description": "What was taken in.", "content": {JSON: {"schema": ref("Report")}}}
    imported = {
        **_described(import_.signature, "import"),
        "requestBody": {"required": True, "content": {each: {"schema": TEXT} for each in (LINES, SEALED)}},
        "responses": {"200": done, **problem_responses(PROBLEMS)},
    }
    paths.add("/v1/import", import_.answer, method="POST", described=imported)


def _described(signature: Signature, name: str) -> dict[str, Any]:
    return {
        "tags": ["Exchange"],
        "summary": signature.summary,
        "operationId": name,
        "parameters": _parameters(signature),
    }


class Export:
    """The memory as a file. It is written first and sent then: a slow reader holds no snapshot open."""

    def __init__(self, lanes: Lanes, verb: Verb) -> None:
        self.signature = signature_of(verb)
        self._lanes = lanes
        self._verb = verb
        self._running = 0

    async def answer(self, request: Request) -> Response:
        caller, given = caller_of(request), _arguments(request, self.signature)
        caller.permit(self._verb, given)
        if not given.get("passphrase") and not given.get("plain"):
            raise UsageError(f"without a passphrase ({PASSPHRASE}) anybody can read the file; say plain=true")
        if self._running >= EXPORTS_AT_ONCE_MAX:
            raise Overloaded(f"{self._running} exports are under way; try again when one is done")
        file = _temporary_file(caller.memory)  # closed when it was sent
        self._running += 1
        try:
            arguments = {**checked(takes_of(self._verb), {"path": "-", **given}), "path": file}
            await self._lanes.run(lambda: caller.memory.export(**arguments), long=True, bounded=False)
            size = await self._lanes.run(lambda: (file.tell(), file.seek(0))[0])
        except BaseException:
            self._done(file)
            raise
        kind = SEALED if given.get("passphrase") else MEDIA_TYPES.get(given.get("format", ""), LINES)
        headers = {"content-length": str(size), "content-disposition": 'attachment; filename="recollect-export"'}
        return Sent(self._portions(file), lambda: self._done(file), media_type=kind, headers=headers)

    async def _portions(self, file: IO[bytes]) -> AsyncIterator[bytes]:
        while portion := await self._lanes.run(lambda: file.read(_PORTION_BYTES)):
            yield portion

    def _done(self, file: IO[bytes]) -> None:
        self._running -= 1
        with suppress(OSError):
            file.close()


class Sent(StreamingResponse):
    """A stream that cleans up after itself, even if its reader left before the first byte."""

    def __init__(self, portions: AsyncIterator[bytes], done: Callable[[], None], **more: Any) -> None:
        super().__init__(portions, **more)
        self._finish = done

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._finish()


class Import:
    """A file becomes memories, screened like anything else that comes in."""

    def __init__(self, lanes: Lanes, verb: Verb) -> None:
        self.signature = signature_of(verb)
        self._lanes = lanes
        self._verb = verb

    async def answer(self, request: Request) -> Response:
        caller, given = caller_of(request), _arguments(request, self.signature)
        caller.permit(self._verb, given)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if not kind.startswith("application/") or kind == "application/x-www-form-urlencoded":
            raise Refused(415, f"send the file with `Content-Type: {LINES}` or {SEALED}")
        with _temporary_file(caller.memory) as file:
            await self._received(request, file)
            arguments = {**checked(takes_of(self._verb), {"path": "-", **given}), "path": file}
            report = await self._lanes.run(
                lambda: caller.memory.import_(**arguments).to_dict(), long=True, bounded=False
            )
        return Response(dumped(report), media_type=JSON)

    async def _received(self, request: Request, file: IO[bytes]) -> None:
        waiting = bytearray()
        async for portion in request.stream():
            waiting += portion
            if len(waiting) >= _PORTION_BYTES:
                await self._lanes.run(partial(file.write, bytes(waiting)))
                waiting.clear()
        file.write(waiting)
        file.seek(0)


def _temporary_file(memory: Memory) -> IO[bytes]:
    """What an encrypted store sends and receives is on no disk meanwhile."""
    return temporary_file(private=engine_of(memory).store.encrypted)


def _arguments(request: Request, signature: Signature) -> dict[str, Any]:
    given = query_of(request, signature, without=_NOT_ASKED)
    passphrase = request.headers.get(PASSPHRASE)
    return given if passphrase is None else {**given, "passphrase": passphrase}


def _parameters(signature: Signature) -> list[dict[str, Any]]:
    found = [query_parameter(each) for each in signature.parameters if each.name not in _NOT_ASKED]
    doc = "Seals the file, or opens a sealed one."
    return [*found, {"name": PASSPHRASE, "in": "header", "required": False, "description": doc, "schema": TEXT}]
