"""Where a request may come from. A web page anywhere can make a browser call this machine; it must get nothing by it.

A server on loopback lets its owner in without a token, so two things are checked first: that it was called by a name of
this machine (a page whose name was rebound to 127.0.0.1 calls by its own), and that no page of another site sent it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from recollect.errors import AccessDenied
from recollect.interfaces.rest.problems import Refused

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.%]+)\]|(?P<name>[^\[\]:]+))(?::\d{1,5})?")


class Origins:
    """The names a server answers to; with none, any will do, since then every request brings a token."""

    def __init__(self, *, loopback: bool, names: Iterable[str] = ()) -> None:
        given = frozenset(name.strip().lower() for name in names if name.strip())
        self._names = LOCAL_NAMES | given if loopback else given

    def check(self, headers: dict[bytes, bytes]) -> None:
        """`AccessDenied` for a foreign name, or for what a page of another site sent."""
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self._names and _name(host) not in self._names:
            raise AccessDenied("this server is not called by that name; use its own, or add it to serve.hosts")
        followed = headers.get(b"sec-fetch-mode") == b"navigate"  # a link: its page does not see what it leads to
        foreign = headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site") and not followed
        origin = headers.get(b"origin")
        if foreign or (origin is not None and _place(origin.decode("latin-1").lower()) != host):
            raise AccessDenied("pages of other sites may not call this server")


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own, so that nobody else can come in."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def require_json(content_type: str | None) -> None:
    """A body is JSON and says so: what a form on a foreign page can send is not."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "send the body as JSON, with `Content-Type: application/json`")


def _place(origin: str) -> str:
    """Host and port of an Origin header; nothing for one that makes no sense."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name(host: str) -> str:
    """A Host header without its port; nothing for one that is no name and port."""
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"]) if found else ""
