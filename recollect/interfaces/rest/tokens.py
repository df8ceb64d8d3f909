"""Tokens over HTTP, for the owner: those there are, a new one, an end to one."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.errors import UsageError, nearest
from recollect.interfaces.issuing import issue, issued, revoke
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.answers import JSON, dumped, owners_memory
from recollect.interfaces.rest.openapi import listed, problem_responses, ref
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.rest.requests import body_of
from recollect.model.grant import CallerPolicy
from recollect.model.scope import DIMENSIONS
from recollect.store.tokens import Right
from recollect.verbs.schema import TEXT, text_of
from recollect.verbs.verb import SCOPE_DOCS

PATH = "/v1/tokens"
_REFUSED = (401, 403, 422, 429, 503)
_TAKES: dict[str, Any] = {
    "name": text_of("What to call it; it stands in logs and in the history of what it wrote."),
    "rights": listed({**TEXT, "enum": [each.value for each in Right]}),
    "policy": text_of("What it sees beside its own.", enum=[each.value for each in CallerPolicy]),
    "expires": text_of("When it stops by itself: 30d, or a date."),
    "may_add": {"description": "Which values its calls may add, by dimension; `*` for all."},
    **{name: text_of(SCOPE_DOCS[name]) for name in DIMENSIONS},
}


def register(paths: ServerPaths, lanes: Lanes) -> None:
    """`GET` and `POST /v1/tokens`, `DELETE /v1/tokens/{name}`."""
    tokens = Tokens(lanes)
    named = {"name": "name", "in": "path", "required": True, "schema": {**TEXT, "minLength": 1}}
    body = {"required": True, "content": {JSON: {"schema": {"type": "object", "properties": _TAKES}}}}
    paths.add(PATH, tokens.all, described=_described("tokens", "All tokens, without what opens the door."))
    paths.add(
        PATH,
        tokens.create,
        method="POST",
        described={**_described("create_token", "Make a token; it is in the answer, once.", 201), "requestBody": body},
    )
    paths.add(
        f"{PATH}/{{name}}",
        tokens.revoke,
        method="DELETE",
        described={**_described("revoke_token", "End a token for good."), "parameters": [named]},
    )


def _described(operation: str, summary: str, status: int = 200) -> dict[str, Any]:
    answer = {"description": "Done.", "content": {JSON: {"schema": ref("Answer")}}}
    refused = problem_responses(_REFUSED if operation != "revoke_token" else (*_REFUSED, 404))
    return {
        "tags": ["Tokens"],
        "summary": summary,
        "operationId": operation,
        "responses": {str(status): answer, **refused},
    }


class Tokens:
    """The owner's alone: whoever could make a token could make one that sees more."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    async def all(self, request: Request) -> Response:
        memory = owners_memory(request, "tokens")
        found = await self._lanes.run(lambda: issued(memory))
        return Response(dumped({"tokens": found}), media_type=JSON)

    async def create(self, request: Request) -> Response:
        memory, given = owners_memory(request, "tokens"), await body_of(request)
        unknown = [name for name in given if name not in _TAKES]
        if unknown:
            raise UsageError(f"a token has no {unknown[0][:60]!r}{nearest(unknown[0], _TAKES)}")
        scope = {name: given.pop(name) for name in DIMENSIONS if name in given}
        made = await self._lanes.run(lambda: issue(memory, scope, **given))
        return Response(dumped({**made.token.to_dict(), "token": made.text}), 201, media_type=JSON)

    async def revoke(self, request: Request) -> Response:
        memory, which = owners_memory(request, "tokens"), request.path_params["name"]
        gone = await self._lanes.run(lambda: revoke(memory, which))
        return Response(dumped(gone.to_dict()), media_type=JSON)
