"""JSON over HTTP with bounded patience. Knows nothing of embeddings; never shows a secret."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping

import httpx
import orjson

from recollect.config.storage import EmbeddingSettings
from recollect.errors import ProviderError, ProviderUnavailable, UsageError

BACKOFF_S = 0.25  # doubled after every attempt
_LEAST_S = 0.01
WAIT_S_MAX = 20.0  # a server that wants us away for longer is as good as down: jobs come back later
REASON_CHARS_MAX = 200
DEFAULTS = EmbeddingSettings()  # for an endpoint that is made without a configuration


class Endpoint:
    """One server, one pool of connections, at most `retries` tries after the first, all of them within `timeout_s`.

    Retried: timeouts, dropped connections, 408, 429 and 5xx, after a wait that grows or that the server
    names. Then it is `ProviderUnavailable`. A refused connection is that at once; every other refusal is a
    `ProviderError`. The key goes into one header and nowhere else. Safe for use by many threads
    and across a fork.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout_s: float = DEFAULTS.timeout_s,
        retries: int = DEFAULTS.retries,
        key_header: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if timeout_s <= 0:
            raise UsageError(f"timeout_s must be positive, not {timeout_s}")
        url = _parse(base_url)
        # Taken out of the address, because the HTTP library logs addresses.
        self._login = (url.username, url.password) if url.userinfo else None
        self._url = url.copy_with(userinfo=b"")
        self._key = _check_key(api_key)
        self._timeout_s = timeout_s
        self._attempts = retries + 1
        self._key_header = key_header  # where the key goes instead of Authorization
        self._headers = dict(headers or {})
        self._connect()

    def __repr__(self) -> str:
        return f"Endpoint({self.address!r})"

    @property
    def address(self) -> str:
        """The URL as people may see it: without user and password."""
        return str(self._url).rstrip("/")

    def post(self, path: str, body: dict[str, object]) -> object:
        """The decoded JSON answer."""
        failure = _TransientError("no attempt")
        until = time.monotonic() + self._timeout_s
        for attempt in range(self._attempts):
            try:
                return self._send(path, body, max(_LEAST_S, until - time.monotonic()))
            except _TransientError as exc:
                failure = exc
            wait_s = failure.wait_s if failure.wait_s is not None else _backoff_s(attempt)
            if attempt + 1 == self._attempts or wait_s > min(WAIT_S_MAX, until - time.monotonic()):
                break
            time.sleep(wait_s)
        raise ProviderUnavailable(f"{self.address} does not answer: {failure}, {attempt + 1} attempts") from failure

    def answers(self, path: str, *, timeout_s: float) -> bool:
        """Whether a GET succeeds in time; one attempt, no error."""
        try:
            return self.look(path, timeout_s=timeout_s)[0] in range(200, 300)
        except ProviderUnavailable:
            return False

    def look(self, path: str, *, timeout_s: float) -> tuple[int, object]:
        """The status and the decoded body of a GET; one attempt. `ProviderUnavailable` when nobody answers in time."""
        try:
            response = self._open().get(path, timeout=timeout_s)
        except httpx.TimeoutException as exc:
            raise ProviderUnavailable(f"{self.address} did not answer within {timeout_s:g} s") from exc
        except httpx.HTTPError as exc:
            raise ProviderUnavailable(f"{self.address} cannot be reached ({type(exc).__name__})") from exc
        try:
            return response.status_code, orjson.loads(response.content)
        except orjson.JSONDecodeError:
            return response.status_code, None

    def close(self) -> None:
        """Give the connections back; a later request opens new ones."""
        self._client.close()

    def _send(self, path: str, body: dict[str, object], timeout_s: float) -> object:
        try:
            response = self._open().post(path, content=orjson.dumps(body), timeout=timeout_s)
        except httpx.ConnectError as exc:
            raise ProviderUnavailable(f"{self.address} cannot be reached: {exc}") from exc
        except httpx.TimeoutException as exc:
            raise _TransientError(f"nothing within {timeout_s:.3g} s") from exc
        except httpx.HTTPError as exc:
            raise _TransientError(f"connection lost ({type(exc).__name__})") from exc
        status = response.status_code
        if status in (408, 429) or status >= 500:
            raise _TransientError(f"status {status}", _retry_after_s(response))
        if not response.is_success:
            raise ProviderError(f"{self.address} refused with status {status}{self._reason(response)}")
        try:
            return orjson.loads(response.content)
        except orjson.JSONDecodeError as exc:
            raise ProviderError(f"{self.address} answered with something other than JSON") from exc

    def _reason(self, response: httpx.Response) -> str:
        """The server's own short explanation, if it is one: validation errors may repeat the texts sent."""
        if response.status_code in (401, 403):
            return ": the API key is missing, wrong or not allowed"  # some servers repeat parts of the key
        try:
            error = orjson.loads(response.content)["error"]
            message = error["message"] if isinstance(error, dict) else error
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return ""
        if not isinstance(message, str) or len(message) > REASON_CHARS_MAX:
            return ""
        return f": {message.replace(self._key, '[key]') if self._key else message}"

    def _open(self) -> httpx.Client:
        # After a fork too: two processes that share a connection read each other's answers.
        if self._client.is_closed or self._owner != os.getpid():
            self._connect()
        return self._client

    def _connect(self) -> None:
        headers = {"Content-Type": "application/json", **self._headers}
        if self._key and self._key_header:
            headers[self._key_header] = self._key
        elif self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        auth = None if self._key else self._login
        self._client = httpx.Client(base_url=self._url, headers=headers, auth=auth, timeout=self._timeout_s)
        self._owner = os.getpid()


class _TransientError(Exception):
    """Worth another attempt, after `wait_s` if the server said so."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


def _parse(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.query:
        # Not repeated in the message: it may hold a password.
        raise UsageError("base_url must be a full http:// or https:// address without a query")
    return url


def _check_key(api_key: str | None) -> str:
    key = (api_key or "").strip()
    # A header takes nothing else, and the HTTP library's own error would print the key.
    if not (key.isascii() and key.isprintable()):
        raise UsageError("api_key holds characters that no key has; was it copied whole?")
    return key


def _backoff_s(attempt: int) -> float:
    # The random part keeps clients that failed together from coming back together.
    return BACKOFF_S * 2.0**attempt * random.uniform(0.5, 1.0)


def _retry_after_s(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):  # absent, or a date: our own backoff will do
        return None
