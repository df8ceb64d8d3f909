"""Requests that follow from each other's answers: what was added is read, changed, deleted and brought back over REST.

The requests are made from the OpenAPI document; which answer leads to which request is said by links, those below and
others that the names of fields suggest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from interfaces.test_rest_schema import CHECKS, HOST
from properties.tables import open_quick
from schemathesis.specs.openapi.checks import ensure_resource_availability, use_after_free
from starlette.testclient import TestClient

from recollect.interfaces.rest.app import Server

LIVES, STEPS = 6, 20
PATHS = r"^/v1/(memories(/\{id\}.*)?|undo|graph|entities.*)$"
ADDED, OPERATION = "$response.body#/ids/0", "$response.body#/operation"
# From the answer of a request to the next one: (path, method, status) -> (path, method) with its arguments.
LINKS = {
    ("/v1/memories", "post", "201"): [
        ("/v1/memories/{id}", "get", {"id": ADDED}),
        ("/v1/memories/{id}", "patch", {"id": ADDED}),
        ("/v1/memories/{id}", "delete", {"id": ADDED}),
        ("/v1/memories/{id}/history", "get", {"id": ADDED}),
    ],
    ("/v1/memories/{id}", "delete", "200"): [("/v1/undo", "post", {"operation": OPERATION})],
    ("/v1/memories/{id}", "patch", "200"): [("/v1/undo", "post", {"operation": OPERATION})],
}


def linked(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the links."""
    for (path, method, status), following in LINKS.items():
        answers = document["paths"][path][method]["responses"]
        links = answers[status if status in answers else "200"].setdefault("links", {})
        for number, (to, how, given) in enumerate(following):
            target = document["paths"][to][how]
            body = {"requestBody": given} if how == "post" else {"parameters": given}
            links[f"{how}{number}"] = {"operationId": target["operationId"], **body}
    return document


def test_whatever_follows_from_an_answer_is_answered(tmp_path: Path) -> None:
    """Never a 5xx; what was added is there, and what was deleted is not."""
    memory = open_quick(tmp_path / "m.db", config={"serve.requests_per_minute": 0, "upkeep.scheduled": False})
    server = Server(memory)
    try:
        document = TestClient(server.app, base_url="http://127.0.0.1:7077").get("/openapi.json").json()
        api = schemathesis.openapi.from_dict(linked(document))
        api.app = server.app
        api = api.include(path_regex=PATHS)
        lives = _lives(api)
        run_state_machine_as_test(
            lives,
            settings=settings(
                max_examples=LIVES,
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=True,
                database=None,
                phases=(Phase.generate,),
                suppress_health_check=list(HealthCheck),
            ),
        )
        assert memory.operations(limit=1)
    finally:
        server.lanes.close()
        memory.close()


def _lives(api: Any) -> Any:
    """The state machine of a document, with our checks."""

    class Lives(api.as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"headers": HOST}

        def validate_response(self, response: Any, case: Any, **_: Any) -> None:
            case.validate_response(response, checks=[*CHECKS, use_after_free, ensure_resource_availability])

    return Lives
