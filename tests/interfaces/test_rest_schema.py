"""Requests made from the OpenAPI document, sound and unsound ones: never a 5xx, and every answer is as described."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import recollect
from recollect.interfaces.rest.app import Server
from recollect.interfaces.rest.routes import VerbRoute, routes

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
HOST = {"host": "127.0.0.1:7077"}
EXAMPLES = 8
SOUND, UNSOUND = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
# Upkeep over a store of nonsense takes long, and has tests of its own.
ROUTES = [route for route in routes() if route.verb not in ("maintain", "reembed")]
WITHOUT_ARGUMENTS = ("health", "audit_verify", "code_projects")
CASES = [
    (route, mode)
    for route in ROUTES
    for mode in (SOUND, UNSOUND)
    if mode is SOUND or route.verb not in WITHOUT_ARGUMENTS
]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    memory = recollect.open(tmp_path_factory.mktemp("api") / "m.db", embedder="fake")
    memory.add("Ana moved from vim to Helix", user_id="ana")
    server = Server(memory)
    yield schemathesis.openapi.from_asgi("/openapi.json", server.app, headers=HOST)
    server.lanes.close()
    memory.close()


@pytest.mark.parametrize(
    ("route", "mode"), CASES, ids=[f"{route.method} {route.path} {mode.value}" for route, mode in CASES]
)
def test_no_request_breaks_the_server(api: Any, route: VerbRoute, mode: GenerationMode) -> None:
    operation = api[route.path][route.method]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    def every_case(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, headers=HOST)

    every_case()
