"""What the owner's page shows of the machine: the models that are set, what protects the store, clients to connect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.config.root import require
from recollect.errors import AccessDenied, UsageError
from recollect.facade.handle import engine_of
from recollect.interfaces.clients import rules, setup
from recollect.interfaces.clients.catalog import CLIENTS, Machine, find
from recollect.interfaces.clients.starting import absolute, program
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.answers import JSON, dumped, owners_memory
from recollect.interfaces.rest.openapi import problem_responses, ref
from recollect.interfaces.rest.origins import is_loopback
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.rest.requests import body_of
from recollect.interfaces.settings import shown_value
from recollect.memory import Memory
from recollect.providers.overview import configured, providers
from recollect.verbs.schema import TEXT, text_of

_REFUSED = (400, 401, 403, 415, 422, 429, 503)
_WHOM = {"user_id": "person", "channel": "channel", "session_id": "session"}
_TAKES: dict[str, Any] = {
    "remove": {"type": "boolean", "description": "Take Recollect out instead."},
    "rules": {"type": "boolean", "description": "Also tell the agent when to use it."},
    "write": {"type": "boolean", "description": "Write the files; otherwise only what would change is told."},
}
_PROOF: dict[str, Any] = {
    "report": {"type": "object", "description": "What `erase` answered, or the report in it."},
    **{name: text_of(f"Whether it is about this {told}.") for name, told in _WHOM.items()},
}


def register(paths: ServerPaths, lanes: Lanes) -> None:
    """`GET /v1/models`, `GET /v1/vault`, `POST /v1/erasure/verify`, `GET /v1/clients` and `POST /v1/clients/{name}`."""
    shown = OfTheMachine(lanes)
    named = {
        "name": "name",
        "in": "path",
        "required": True,
        "schema": {**TEXT, "enum": [each.name for each in CLIENTS]},
    }
    body = {"required": False, "content": {JSON: {"schema": {"type": "object", "properties": _TAKES}}}}
    for path, endpoint, operation, summary in (
        ("/v1/models", shown.models, "models", "The models that are set, whether each can be had, and all providers."),
        ("/v1/vault", shown.vault, "vault", "What protects the store, and what does not."),
        ("/v1/clients", shown.clients, "clients", "Clients on the server's machine, and what connecting one changes."),
    ):
        paths.add(path, endpoint, described=_described(operation, summary))
    connect = {**_described("connect_client", "Connect a client, as `recollect init` does."), "parameters": [named]}
    report = {
        "required": True,
        "content": {JSON: {"schema": {"type": "object", "properties": _PROOF, "required": ["report"]}}},
    }
    verify = _described("verify_erasure", "Whether the report of an erasure is your own, and as it was made.")
    paths.add("/v1/erasure/verify", shown.verify, method="POST", described={**verify, "requestBody": report})
    paths.add("/v1/clients/{name}", shown.connect, method="POST", described={**connect, "requestBody": body})


def _described(operation: str, summary: str) -> dict[str, Any]:
    answer = {"description": "Done.", "content": {JSON: {"schema": ref("Answer")}}}
    return {
        "tags": ["Settings"],
        "summary": summary,
        "operationId": operation,
        "responses": {"200": answer, **problem_responses(_REFUSED)},
    }


class OfTheMachine:
    """For the owner of the whole store."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    async def models(self, request: Request) -> Response:
        memory = owners_memory(request, "models")
        return await self._answer(lambda: models_of(memory))

    async def vault(self, request: Request) -> Response:
        memory = owners_memory(request, "the vault")
        return await self._answer(lambda: vault_of(memory))

    async def verify(self, request: Request) -> Response:
        memory, given = owners_memory(request, "reports of erasures"), await body_of(request)
        report, whom = given.pop("report", None), given
        texts = all(isinstance(value, str) for value in whom.values())
        if not isinstance(report, dict) or set(whom) - set(_WHOM) or not texts:
            raise UsageError(
                f'send {{"report": …}} as `erase` answered it, and {", ".join(_WHOM)} where you ask about one'
            )
        return await self._answer(lambda: memory.erasure_verify(report, **whom).to_dict())

    async def clients(self, request: Request) -> Response:
        memory = owners_memory(request, "clients")
        here = _is_here(request)
        return await self._answer(lambda: {"here": here, "clients": clients_of(memory) if here else []})

    async def connect(self, request: Request) -> Response:
        memory, given = owners_memory(request, "clients"), await body_of(request)
        unknown = sorted(set(given) - set(_TAKES))
        if unknown or not all(isinstance(value, bool) for value in given.values()):
            raise UsageError(f"connecting takes {', '.join(_TAKES)}, each true or false")
        if not _is_here(request):
            raise AccessDenied("clients are connected from the machine itself; run `recollect init` there")
        if not memory.config.serve.change_settings:
            raise AccessDenied("no files are changed over HTTP here (serve.change_settings); use `recollect init`")
        name = request.path_params["name"]
        return await self._answer(lambda: connected(memory, name, **given))

    async def _answer(self, work: Callable[[], Any]) -> Response:
        return Response(dumped(await self._lanes.run(work)), media_type=JSON)


def models_of(memory: Memory) -> dict[str, Any]:
    """A row for each role, all providers, and how far the vectors are."""
    config = memory.config
    stats = memory.stats()
    pending = memory.health()["pending_embeddings"]
    return {
        "models": configured(config),
        "providers": providers(config),
        "embedding": {"pending": pending, "records": stats["records"], "spaces": stats["spaces"]},
    }


def vault_of(memory: Memory) -> dict[str, Any]:
    """What `recollect vault status` tells of a store that is open."""
    report = memory.vault.status().to_dict()
    chosen = memory.config.security
    policy = {name: shown_value(require(f"security.{name}"), getattr(chosen, name)) for name in ("personal", "secrets")}
    return {**report, **policy}


def clients_of(memory: Memory) -> list[dict[str, Any]]:
    """Every client that is known: whether it is there and connected, and what connecting it would change."""
    place, line = Machine.here(), _line(memory)
    told = []
    for client in CLIENTS:
        path = client.file(place)
        change = setup.adding(client, path, line)
        told.append(
            {
                **change.to_dict(),
                "there": client.is_there(place),
                "connected": change.did == setup.SAME,
                "started": setup.starting(client, path),
            }
        )
    return told


def connected(
    memory: Memory, name: str, *, remove: bool = False, rules: bool = False, write: bool = False
) -> dict[str, Any]:
    """Set a client up, or take Recollect out of it; without `write` only what would change."""
    client, place = find(name), Machine.here()
    path = client.file(place)
    changes = [setup.removing(client, path) if remove else setup.adding(client, path, _line(memory))]
    changes += _rules(client, place, remove=remove) if rules or remove else []
    if write:
        changes = [setup.write(change) for change in changes]
    return {"dry_run": not write, "clients": [change.to_dict() for change in changes]}


def _rules(client: Any, place: Machine, *, remove: bool) -> list[setup.FileChange]:
    if client.rules is None:
        return []
    path = client.rules(place)
    change = rules.removing(client, path) if remove else rules.adding(client, path)
    return [change] if not remove or change.did not in (setup.ABSENT, setup.REFUSED) else []


def _line(memory: Memory) -> list[str]:
    """The words that start a server of tools over this very store."""
    store = engine_of(memory).store
    if store.path is None:
        return [*program(), "mcp"]
    return [*program(), "mcp", "--db", absolute(str(store.path))]


def _is_here(request: Request) -> bool:
    """Whether whoever asks sits at this machine."""
    proxied = "forwarded" in request.headers or "x-forwarded-for" in request.headers
    return request.client is not None and not proxied and is_loopback(request.client.host)
