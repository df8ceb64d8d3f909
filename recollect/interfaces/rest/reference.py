"""The description of the API as a page: every operation of the OpenAPI document, without a script from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

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
    parts = [f"<h2>{escape(tag)}</h2>\n" + "\n".join(found) for tag, found in by_tag.items()]
    info = document["info"]
    return _PAGE.format(
        style=style, title=escape(info["title"]), version=escape(info["version"]), body="\n".join(parts)
    )


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h3>{method.upper()} {escape(path)}</h3>\n<p>{escape(operation['summary'])}</p>"
    arguments = [*_query(operation), *_body(operation)]
    if arguments:
        yield "<ul>" + "".join(f"<li>{each}</li>" for each in arguments) + "</ul>"
    example = _content(operation).get("example")
    if example is not None:
        yield f"<pre><code>{escape(json.dumps(example, indent=2, ensure_ascii=False))}</code></pre>"


def _query(operation: Mapping[str, Any]) -> Iterator[str]:
    for each in operation.get("parameters", ()):
        yield f"<code>{escape(each['name'])}</code> ({each['in']}) {escape(each.get('description', ''))}"


def _body(operation: Mapping[str, Any]) -> Iterator[str]:
    schema = _content(operation).get("schema", {})
    needed = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        note = " (required)" if name in needed else ""
        yield f"<code>{escape(name)}</code>{note} {escape(each.get('description', ''))}"


def _content(operation: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return found
