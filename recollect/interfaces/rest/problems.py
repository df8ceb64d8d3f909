"""Problem documents (RFC 9457): what went wrong, as a status, a stable code and a sentence that says what to do."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import orjson

from recollect import errors
from recollect.errors import RecollectError

MEDIA_TYPE = "application/problem+json"
RETRY_S = 1  # what a client is told to wait when nobody knows better

# The nearest class up the tree counts.
STATUS: dict[type[RecollectError], int] = {
    errors.UsageError: 422,
    errors.NotFound: 404,
    errors.ContentTooLarge: 413,
    errors.CycleRefused: 409,
    errors.StatementEnded: 409,
    errors.TurnOver: 409,
    errors.UndoRefused: 409,
    errors.VersionConflict: 412,
    errors.MissingExtra: 501,
    errors.StoreError: 500,
    errors.StoreReadOnly: 503,
    errors.DiskFull: 507,
    errors.StoreBusy: 503,
    errors.StoreUnavailable: 503,
    errors.StoreClosed: 503,
    errors.ProviderError: 502,
    errors.ProviderUnavailable: 503,
    errors.SearchError: 500,
    errors.SearchTimeout: 504,
    errors.NoIndex: 503,
    errors.RateLimited: 429,
    errors.SecurityError: 403,
    errors.EncryptionFailed: 422,
    errors.SandboxError: 422,
    errors.SystemStrain: 503,
    RecollectError: 500,
}


class Refused(Exception):
    """A request that never became a call: its path, its headers or its body are not what the server takes."""

    audited = False  # it is in the audit already

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        like: type[RecollectError] = errors.UsageError,
        retryable: bool = False,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.message = detail
        self.code = like.code
        self.retryable = retryable
        self.headers = headers or {}


class Problem:
    """One answer that says no."""

    def __init__(self, error: RecollectError | Refused, request_id: str) -> None:
        if isinstance(error, Refused):
            self.status, self.headers, title = error.status, dict(error.headers), HTTPStatus(error.status).phrase
        else:
            self.status, self.headers, title = status_of(type(error)), {}, _words(type(error).__name__)
        if self.status in (429, 503) and error.retryable:
            self.headers.setdefault("retry-after", str(getattr(error, "retry_after", RETRY_S)))
        self.document: dict[str, Any] = {
            "type": f"urn:recollect:{error.code}",
            "title": title,
            "status": self.status,
            "detail": error.message,
            "code": error.code,
            "retryable": error.retryable,
            "instance": f"urn:request:{request_id}",
        }
        if (after_s := getattr(error, "retry_after", None)) is not None:
            self.document["retry_after"] = after_s

    @property
    def body(self) -> bytes:
        return orjson.dumps(self.document)


def status_of(error: type[RecollectError]) -> int:
    """The status for a class of errors."""
    return next(STATUS[each] for each in error.__mro__ if each in STATUS)


def fault() -> RecollectError:
    """What a caller learns of a mistake of ours: that it was ours. The log has its kind and place."""
    return RecollectError("this is a bug in Recollect; the server's log says where, under the request's id")


def _words(name: str) -> str:
    """`StoreBusy` is `Store busy`."""
    spaced = "".join(f" {each.lower()}" if each.isupper() else each for each in name)
    return spaced.strip().capitalize()
