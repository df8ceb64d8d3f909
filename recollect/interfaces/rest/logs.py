"""What the server writes down: a line of JSON for each request, without anything that was stored or asked."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import Any

import orjson

from recollect.clock import from_us, now_us

NAME = "recollect.server"
_log = logging.getLogger(NAME)


class JsonLines(logging.Formatter):
    """One JSON object for each record: the time, the level, and what the call put into `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = getattr(record, "fields", None) or {"message": record.getMessage()}
        line = {"at": from_us(now_us()).isoformat(timespec="milliseconds"), "level": record.levelname.lower(), **fields}
        return orjson.dumps(line).decode()


def write_to_stderr(*, quiet: bool = False) -> None:
    """Have it all on stderr; `quiet` leaves only what went wrong."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in (NAME, "recollect", "uvicorn.error"):
        log = logging.getLogger(name)
        log.handlers[:] = [handler]
        log.propagate = False
        log.setLevel(logging.WARNING)
    if not quiet:
        _log.setLevel(logging.INFO)


def answered(**fields: Any) -> None:
    """A request came and went."""
    if _log.isEnabledFor(logging.INFO):
        _log.info("request", extra={"fields": fields})


def failed(error: BaseException, request_id: str) -> None:
    """A mistake of ours: its kind and its place. Not its message, which may quote somebody."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename.rpartition('site-packages/')[2]}:{frame.lineno}" for frame in frames[-5:]]
    _log.error("fault", extra={"fields": {"fault": type(error).__name__, "places": places, "request": request_id}})
