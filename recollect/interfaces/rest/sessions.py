"""A browser signs in with a token, and its page acts with that token's rights.

The token lies in a cookie that no script can read and no other site can send. A change also needs a header that only
a page of this server can know: it is derived from the token, so every process of the server knows it without keeping
anything.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect._version import __version__
from recollect.errors import AccessDenied, UsageError
from recollect.interfaces.rest.answers import JSON, dumped
from recollect.interfaces.rest.callers import AdmittedCaller
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.rest.requests import body_of
from recollect.verbs.table import VERBS

PATH = "/v1/session"
COOKIE = "recollect_session"
CSRF_HEADER = b"x-recollect-csrf"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_TOKEN_CHARS_MAX = 200

Admit = Callable[[str, str], Awaitable[AdmittedCaller]]


def cookie_token(headers: dict[bytes, bytes]) -> str | None:
    """The token that a browser signed in with."""
    try:
        found = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(COOKIE)
    except CookieError:
        return None
    return found.value if found is not None and found.value else None


def csrf_of(token: str) -> str:
    """What a page has to send with a change."""
    return hmac.new(token.encode(), b"recollect page", hashlib.sha256).hexdigest()


def require_csrf(method: str, headers: dict[bytes, bytes], token: str) -> None:
    """Refuse a change that a page of this server did not make."""
    if method in SAFE_METHODS:
        return
    given = headers.get(CSRF_HEADER, b"").decode("latin-1")
    if not hmac.compare_digest(given.encode(), csrf_of(token).encode()):
        raise AccessDenied("a signed-in browser sends X-Recollect-CSRF with a change; load the page again")


def register(paths: ServerPaths, admit: Admit, facts: Callable[[], dict[str, Any]]) -> None:
    """`GET`, `POST` and `DELETE /v1/session`. `admit` checks a token, `facts` tell of the server."""

    async def who(request: Request) -> Response:
        return Response(dumped(_told(request, facts)), media_type=JSON)

    async def sign_in(request: Request) -> Response:
        given = await body_of(request)
        token = given.get("token")
        if not isinstance(token, str) or not token.strip() or len(token) > _TOKEN_CHARS_MAX or set(given) - {"token"}:
            raise UsageError('send {"token": "rcl_…"}; `recollect token create` makes one')
        token = token.strip()
        peer = request.client.host if request.client else "unknown"
        request.scope["recollect.caller"] = await admit(token, peer)
        request.scope["recollect.cookie"] = token
        answer = Response(dumped(_told(request, facts)), media_type=JSON)
        secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
        answer.set_cookie(COOKIE, token, path="/", httponly=True, samesite="strict", secure=secure)
        return answer

    async def sign_out(_: Request) -> Response:
        answer = Response(dumped({"signed_in": False}), media_type=JSON)
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    paths.add(PATH, who)
    paths.add(PATH, sign_in, method="POST")
    paths.add(PATH, sign_out, method="DELETE")


def _told(request: Request, facts: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Who the browser is here, and what the page should know of the server to draw itself."""
    caller: AdmittedCaller | None = request.scope["recollect.caller"]
    if caller is None:
        return {"signed_in": False, "version": __version__}
    token, cookie = caller.token, request.scope.get("recollect.cookie")
    return {
        "signed_in": True,
        "by_token": token is not None,
        "name": caller.name,
        "rights": sorted(each.value for each in caller.rights),
        "whole": caller.whole,
        "scope": dict(caller.memory.grant.held.items()),
        "expires_at": token.to_dict().get("expires_at") if token else None,
        "csrf": csrf_of(cookie) if cookie else None,
        "version": __version__,
        "verbs": sorted(verb.name for verb in VERBS if not verb.on_files),
        **facts(),
    }
