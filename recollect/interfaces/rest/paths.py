"""The paths of the server: each with one method, a function, and what the OpenAPI document says of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route

from recollect.errors import NotFound
from recollect.interfaces.rest.problems import Refused

Endpoint = Callable[[Request], Awaitable[Response]]


class ServerPath(Route):
    """One path and one method. `described` is its operation in the document; without it, it is not in there."""

    def __init__(self, path: str, endpoint: Endpoint, method: str, described: Mapping[str, Any] | None) -> None:
        super().__init__(path, endpoint, methods=[method])
        self.methods = {method}  # nothing here is worth a HEAD
        self.method = method
        self.described = described

    def matches(self, scope: MutableMapping[str, Any]) -> tuple[Match, MutableMapping[str, Any]]:
        found, inner = super().matches(scope)
        return found, {**inner, "route": self} if found is Match.FULL else inner


class ServerPaths:
    """All of them, in the order in which they are looked through."""

    def __init__(self) -> None:
        self.routes: list[BaseRoute] = []

    def add(
        self, path: str, endpoint: Endpoint, *, method: str = "GET", described: Mapping[str, Any] | None = None
    ) -> None:
        self.routes.append(ServerPath(path, endpoint, method, described))

    def described(self) -> Iterator[ServerPath]:
        """Those that the document tells of."""
        return (each for each in self._mine() if each.described is not None)

    async def refuse(self, request: Request, error: Exception) -> Response:
        """A path or method that is not there, as a problem document like any other."""
        assert isinstance(error, HTTPException)
        if error.status_code == 405:
            at = request.url.path
            allowed = ", ".join(sorted({each.method for each in self._mine() if each.path_regex.match(at)}))
            raise Refused(405, f"that path takes {allowed}; see /docs", headers={"allow": allowed})
        raise Refused(error.status_code, "there is nothing at that path; see /docs", like=NotFound)

    def _mine(self) -> Iterator[ServerPath]:
        return (each for each in self.routes if isinstance(each, ServerPath))
