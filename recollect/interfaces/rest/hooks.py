"""`POST /v1/hooks/{client}`: what a coding client's hook tells, and what it is to tell the agent."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.errors import UsageError
from recollect.facade.observing import hooked
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.answers import JSON, caller_of
from recollect.interfaces.rest.openapi import PROBLEMS, problem_responses
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.rest.requests import body_of
from recollect.store.tokens import Right
from recollect.verbs.schema import TEXT

PATH = "/v1/hooks/{client}"
_EXAMPLE = {"session_id": "s1", "cwd": "/src/atlas", "hook_event_name": "SessionStart", "source": "startup"}
_QUERY = {
    "at": ("When it happened, in microseconds since 1970; now by default.", {"type": "integer", "minimum": 0}),
    "phase": ("What the agent is doing: planning, coding, qa_review, debugging, insights or spec.", TEXT),
    "project": ("The project it belongs to; by default the git root's name.", TEXT),
    "spec": ("The task that the agent works for.", TEXT),
}


def register(paths: ServerPaths, lanes: Lanes) -> None:
    """Add the path."""

    async def answer(request: Request) -> Response:
        caller = caller_of(request)
        caller.require(Right.WRITE)
        unknown = sorted(set(request.query_params) - set(_QUERY))
        if unknown:
            raise UsageError(f"there is no parameter {unknown[0][:60]!r} here; there are {', '.join(_QUERY)}")
        at = request.query_params.get("at")
        if at is not None and not (at.isdecimal() and len(at) < 20):
            raise UsageError("at must be a whole number of microseconds")
        call = partial(
            hooked,
            caller.memory,
            request.path_params["client"],
            await body_of(request),
            at=None if at is None else int(at),
            project=request.query_params.get("project") or None,
            phase=request.query_params.get("phase") or None,
            spec=request.query_params.get("spec") or None,
        )
        return Response(await lanes.run(call) or "{}", media_type=JSON)

    paths.add(PATH, answer, method="POST", described=_described())


def _described() -> dict[str, Any]:
    named = {"name": "client", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    asked = [
        {"name": name, "in": "query", "required": False, "description": text, "schema": schema}
        for name, (text, schema) in _QUERY.items()
    ]
    answered = {
        "description": "What the client is to tell its agent.",
        "content": {JSON: {"schema": {"type": "object"}}},
    }
    return {
        "tags": ["Remember"],
        "summary": "One event of a coding client's hook, and what its agent is to be told.",
        "operationId": "hook",
        "parameters": [{**named, "description": "claude-code, codex, cursor or gemini."}, *asked],
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": {"type": "object"}, "example": _EXAMPLE}},
        },
        "responses": {"200": answered, **problem_responses(PROBLEMS)},
    }
