"""How long a connection may take to say what it wants, and how much it may say before that.

uvicorn times idle connections between requests only: one that sends a header a minute would be kept for ever, and
headers without end would be gathered. Both end here.
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from recollect.limits import HEADER_BYTES_MAX


class PatientProtocol(HttpToolsProtocol):
    """HTTP/1.1 with a deadline and a bound for the head of each request. `head_timeout_s` is set where it is made."""

    head_timeout_s = 10.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: TimerHandle | None = None
        self._head_bytes = 0
        self._in_head = True

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > HEADER_BYTES_MAX:
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        if self._deadline is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes = False, 0
        self._head_came()
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > HEADER_BYTES_MAX:
            self.transport.close()
        else:
            super().on_headers_complete()

    def _expect_head(self) -> None:
        self._deadline = self.loop.call_later(self.head_timeout_s, self.transport.close)

    def _head_came(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def patient(head_timeout_s: float) -> type[PatientProtocol]:
    """The protocol with this deadline."""
    return type("PatientProtocol", (PatientProtocol,), {"head_timeout_s": head_timeout_s})
