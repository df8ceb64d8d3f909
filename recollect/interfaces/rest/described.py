"""The description of the API at `/docs`, to read. A page without scripts."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.interfaces.rest.paths import ServerPaths
from recollect.model.showable import in_html

_HTML = "text/html; charset=utf-8"


def register(paths: ServerPaths, document: Callable[[], Mapping[str, Any]]) -> None:
    """The description of the API at `/docs`."""

    async def docs(_: Request) -> Response:
        return html(described(document(), style()))

    paths.add("/docs", docs)


def html(text: str) -> Response:
    """A page that may use its own style and nothing else."""
    seal = b64encode(hashlib.sha256(style().encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{seal}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return Response(text, media_type=_HTML, headers={"content-security-policy": policy})


@cache
def style() -> str:
    return (resources.files("recollect.interfaces.rest") / "docs.css").read_text(encoding="utf-8")


_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Recollect: the API</title><style>{style}</style></head>
<body><header><h1>{title} {version}</h1><a href="/openapi.json">openapi.json</a></header>
{body}
</body>
</html>
"""


def described(document: Mapping[str, Any], style: str) -> str:
    """The whole page."""
    by_tag: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            by_tag.setdefault(operation["tags"][0], []).append("\n".join(_operation(method, path, operation)))
    parts = [f"<h2>{in_html(tag)}</h2>\n" + "\n".join(found) for tag, found in by_tag.items()]
    info = document["info"]
    return _PAGE.format(
        style=style, title=in_html(info["title"]), version=in_html(info["version"]), body="\n".join(parts)
    )


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h3>{method.upper()} {in_html(path)}</h3>\n<p>{in_html(operation['summary'])}</p>"
    arguments = [*_query(operation), *_body(operation)]
    if arguments:
        yield "<ul>" + "".join(f"<li>{each}</li>" for each in arguments) + "</ul>"
    example = _content(operation).get("example")
    if example is not None:
        yield f"<pre><code>{in_html(json.dumps(example, indent=2, ensure_ascii=False))}</code></pre>"


def _query(operation: Mapping[str, Any]) -> Iterator[str]:
    for each in operation.get("parameters", ()):
        yield f"<code>{in_html(each['name'])}</code> ({each['in']}) {in_html(each.get('description', ''))}"


def _body(operation: Mapping[str, Any]) -> Iterator[str]:
    schema = _content(operation).get("schema", {})
    needed = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        note = " (required)" if name in needed else ""
        yield f"<code>{in_html(name)}</code>{note} {in_html(each.get('description', ''))}"


def _content(operation: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return found
