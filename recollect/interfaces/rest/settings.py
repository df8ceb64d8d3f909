"""Settings over HTTP, for the owner: all with range, meaning and origin; a change is written as `config set` does.

Each process of the server looks at the file now and then and takes in what changed, whoever changed it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.config import Config, load_config
from recollect.config.root import declared, require, sections
from recollect.config.setting import FrozenTable
from recollect.errors import AccessDenied, ConfigInvalid, RecollectError, UsageError
from recollect.facade.audited import calling
from recollect.facade.handle import engine_of
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.answers import JSON, dumped, owners_memory
from recollect.interfaces.rest.openapi import problem_responses, ref
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.rest.requests import body_of
from recollect.interfaces.settings import drop_setting, owner_of, put_setting, settings_file, shown_value, told
from recollect.memory import Memory
from recollect.model.audit import AuditEvent
from recollect.verbs.schema import TEXT

PATH = "/v1/settings"
LOOK_EVERY_S = 1.0
VERB = "config"
GUARD = "serve.change_settings"
_REFUSED = (400, 401, 403, 415, 422, 429, 503)
_log = logging.getLogger(__name__)


def register(paths: ServerPaths, lanes: Lanes) -> None:
    """`GET /v1/settings`, `PATCH` and `DELETE /v1/settings/{key}`."""
    settings = Settings(lanes)
    named = {"name": "key", "in": "path", "required": True, "schema": {**TEXT, "minLength": 1}}
    value = {"description": "A number, true, false or a text."}
    schema = {"type": "object", "properties": {"value": value}, "required": ["value"]}
    body = {"required": True, "content": {JSON: {"schema": schema}}}
    paths.add(PATH, settings.all, described=_described("settings", "Every setting, and where its value comes from."))
    paths.add(
        f"{PATH}/{{key}}",
        settings.put,
        method="PATCH",
        described={**_described("change_setting", "Write a setting into the file."), "parameters": [named]}
        | {"requestBody": body},
    )
    paths.add(
        f"{PATH}/{{key}}",
        settings.drop,
        method="DELETE",
        described={**_described("reset_setting", "Take a setting out of the file."), "parameters": [named]},
    )


def _described(operation: str, summary: str) -> dict[str, Any]:
    answer = {"description": "Done.", "content": {JSON: {"schema": ref("Answer")}}}
    return {
        "tags": ["Settings"],
        "summary": summary,
        "operationId": operation,
        "responses": {"200": answer, **problem_responses(_REFUSED)},
    }


class Settings:
    """The owner's alone: settings are about the whole store, and about the machine it is on."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    async def all(self, request: Request) -> Response:
        memory = owners_memory(request, "settings")
        return Response(dumped(await self._lanes.run(lambda: overview(memory))), media_type=JSON)

    async def put(self, request: Request) -> Response:
        memory, given, key = owners_memory(request, "settings"), await body_of(request), request.path_params["key"]
        if set(given) != {"value"}:
            raise UsageError('send {"value": …}, a number, true, false or a text')
        written = _written(given["value"])
        done = await self._lanes.run(lambda: changed(memory, key, written))
        return Response(dumped(done), media_type=JSON)

    async def drop(self, request: Request) -> Response:
        memory, key = owners_memory(request, "settings"), request.path_params["key"]
        done = await self._lanes.run(lambda: changed(memory, key, None))
        return Response(dumped(done), media_type=JSON)


def overview(memory: Memory) -> dict[str, Any]:
    """Every setting as it is in force, and what is written for the next start where that differs."""
    running = memory.config
    try:
        filed, problem = load_config(), None
    except ConfigInvalid as error:
        filed, problem = running, error.message
    return {
        "path": settings_file(),
        "problem": problem,
        "may_change": running.serve.change_settings,
        "warnings": list(running.warnings),
        "sections": [
            {"name": name, "doc": (cls.__doc__ or "").strip().partition("\n")[0]} for name, cls in sections().items()
        ],
        "settings": [_row(running, filed, key) for key in declared()],
    }


def _row(running: Config, filed: Config, key: str) -> dict[str, Any]:
    setting = declared()[key]
    row = told(running, key)
    waits = not setting.live and running.origin(key) != "argument" and filed.value(key) != running.value(key)
    return {
        **row,
        "section": key.partition(".")[0] if "." in key else "",
        "type": "table" if setting.kind is FrozenTable else setting.kind.__name__,
        "choices": list(setting.choices),
        "secret": setting.secret,
        "default": shown_value(setting, setting.default),
        "at_next_start": shown_value(setting, filed.value(key)) if waits else None,
        "waits": waits,
    }


def changed(memory: Memory, key: str, written: str | None) -> dict[str, Any]:
    """Write a setting, or take it out; what holds now, and when it acts: now, next_start, or never as `origin` rules.

    The server takes it in before this returns; its other processes within a second or two.
    """
    guard = memory.config
    if not guard.serve.change_settings:
        raise AccessDenied(f"settings are not changed over HTTP here ({GUARD}); use `recollect config set`")
    if key == GUARD:
        raise AccessDenied("that one is changed on the machine itself: `recollect config set`")
    owner = owner_of(key)
    setting = require(owner)
    done = drop_setting(key) if written is None else put_setting(key, written)
    with calling(memory, VERB):
        detail = {"setting": owner}
        engine_of(memory).audit.note(AuditEvent.POLICY_CHANGED, verb=VERB, detail=detail, at_once=True)
    engine_of(memory).config.reload()
    running = memory.config
    overruled = running.origin(owner).startswith(("argument", "environment"))
    acts = "overruled" if overruled else "now" if setting.live else "next_start"
    if acts == "next_start" and running.value(owner) == load_config().value(owner):
        acts = "now"
    return {**done, **_row(running, load_config(), owner), "acts": acts}


def _written(value: Any) -> str:
    """A JSON value as a person would write it in the shell."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str):
        return str(value)
    raise UsageError('"value" takes a number, true, false or a text; DELETE brings the default back')


@asynccontextmanager
async def kept_current(memory: Memory, lanes: Lanes) -> AsyncIterator[None]:
    """While the server lives it takes in changes of the settings file."""
    task = asyncio.create_task(_look(memory, lanes))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _look(memory: Memory, lanes: Lanes) -> None:
    known = _stamp()
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        now = _stamp()
        if now == known:
            continue
        known = now
        try:
            await lanes.run(engine_of(memory).config.reload)
        except RecollectError as error:  # what is wrong with the file is said by whoever looks at the settings
            _log.warning("the settings file was changed and is not taken in (%s)", error.code)


def _stamp() -> tuple[int, int] | None:
    try:
        found = os.stat(settings_file())
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
