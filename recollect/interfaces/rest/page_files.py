"""The page at `/`: files of the wheel, as they are. Nothing stored is in them; what the page shows it asks the API for.

Every file is served under the print of all of them (`/page/<print>/app.js`), so a browser keeps it for good and asks
again only after an update. What is asked for by an older print gets the file as it is now.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from recollect.errors import NotFound
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.rest.problems import Refused

ROOT = "/page/"
_FIRST = "index.html"
_PRINT_MARK = "{print}"  # in index.html: where the print of all files goes
_KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".woff2": "font/woff2", ".svg": "image/svg+xml"}
_FOR_GOOD = "public, max-age=31536000, immutable"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",  # no text becomes markup, whatever a module does
        "trusted-types recollect-worker",
    )
)


class PageFile(NamedTuple):
    """One file, read once."""

    body: bytes
    kind: str
    etag: str


def register(paths: ServerPaths) -> None:
    """The page, and its files."""

    async def first(request: Request) -> Response:
        return _answer(request, _opening(), {"content-security-policy": POLICY, "cache-control": "no-cache"})

    async def file(request: Request) -> Response:
        found = files().get(request.path_params["path"])
        if found is None:
            raise Refused(404, "the page has no such file; load it again", like=NotFound)
        kept = _FOR_GOOD if request.path_params["print"] == print_of_all() else "no-cache"
        return _answer(request, found, {"cache-control": kept, "content-security-policy": POLICY})

    paths.add("/", first)
    paths.add(f"{ROOT}{{print}}/{{path:path}}", file)


def _answer(request: Request, file: PageFile, headers: dict[str, str]) -> Response:
    told = {"etag": file.etag, **headers}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=told)
    return Response(file.body, media_type=file.kind, headers=told)


@cache
def files() -> dict[str, PageFile]:
    """Every file of the page by its path."""
    folder = resources.files("recollect.interfaces") / "page"
    return {path: _file(each.read_bytes(), path) for path, each in _all_in(folder, "")}


@cache
def print_of_all() -> str:
    """Tells one state of all files from every other."""
    every = hashlib.sha256()
    for path, each in sorted(files().items()):
        every.update(f"{path} {each.etag}\n".encode())
    return every.hexdigest()[:16]


@cache
def _opening() -> PageFile:
    text = files()[_FIRST].body.decode("utf-8")
    return _file(text.replace(_PRINT_MARK, print_of_all()).encode("utf-8"), _FIRST)


def _file(body: bytes, path: str) -> PageFile:
    dot = path.rfind(".")
    kind = _KINDS.get(path[dot:]) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    text = "; charset=utf-8" if kind.startswith("text/") else ""
    return PageFile(body, kind + text, f'"{hashlib.sha256(body).hexdigest()[:20]}"')


def _all_in(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        at = f"{path}{each.name}"
        if each.is_dir():
            yield from _all_in(each, f"{at}/")
        elif not each.name.startswith("."):
            yield at, each
