"""The web pages: how the memory is doing and a box to ask it, and the description of the API. No scripts."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.interfaces.lanes import Lanes
from recollect.interfaces.places import placed
from recollect.interfaces.rest.answers import caller_of
from recollect.interfaces.rest.callers import AdmittedCaller
from recollect.interfaces.rest.paths import ServerPaths
from recollect.interfaces.validity import standing
from recollect.model.showable import in_html
from recollect.store.tokens import Right

NEWEST = 10
FOUND = 10
QUERY_CHARS_MAX = 2_000
_HTML = "text/html; charset=utf-8"


def register(paths: ServerPaths, lanes: Lanes, document: Callable[[], Mapping[str, Any]]) -> None:
    """The page at `/`, and the description of the API at `/docs`."""

    async def page(request: Request) -> Response:
        query = request.query_params.get("q", "").strip()[:QUERY_CHARS_MAX]
        return html(await lanes.run(lambda: drawn(caller_of(request), query)))

    async def docs(_: Request) -> Response:
        return html(described(document(), style()))

    paths.add("/", page)
    paths.add("/docs", docs)


def html(text: str) -> Response:
    """A page that may use its own style and nothing else."""
    seal = b64encode(hashlib.sha256(style().encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{seal}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return Response(text, media_type=_HTML, headers={"content-security-policy": policy})


def drawn(caller: AdmittedCaller, query: str) -> str:
    """The page for one caller: the owner sees the whole store, a token what its scope sees."""
    caller.require(Right.READ)
    memory, reach = caller.memory, "all" if caller.whole else None
    health, stats = memory.health().to_dict(), memory.stats().to_dict()
    if query:
        found = memory.search(query, top_k=FOUND, reach=reach)
        rows, warnings = found.to_dict()["results"], [*health["warnings"], *found.missing]
        if found.doubtful and rows:
            why = f": {found.reason}" if found.reason else ""
            warnings.append(f"What is stored hardly answers that{why}. Nearest:")
    else:
        rows, warnings = memory.get_all(limit=NEWEST, reach=reach).to_dict()["results"], health["warnings"]
    return _template().substitute(
        style=style(),
        status=in_html(health["status"]),
        health=in_html(_health(health)),
        query=in_html(query),
        heading="Answers" if query else "Newest",
        warnings="\n".join(f'<p class="warning">{in_html(each)}</p>' for each in warnings),
        rows=_rows(rows) or '<p class="empty">Nothing here yet.</p>',
        figures=in_html(f"{stats['records']:,} records"),
    )


@cache
def style() -> str:
    return _read("page.css")


@cache
def _template() -> Template:
    return Template(_read("page.html"))


def _read(name: str) -> str:
    return (resources.files("recollect.interfaces.rest") / name).read_text(encoding="utf-8")


def _health(health: Mapping[str, Any]) -> str:
    took = health["search_ms_avg"]
    speed = f", {took:.1f} ms a search" if took is not None else ""
    return f"{health['status']}: indexes {'warm' if health['indexes_warm'] else 'warming'}{speed}"


def _rows(rows: Iterable[Mapping[str, Any]]) -> str:
    drawn = "\n".join(f"<li><p>{in_html(row['memory'])}</p><small>{_facts(row)}</small></li>" for row in rows)
    return f"<ol>{drawn}</ol>" if drawn else ""


def _where(place: Mapping[str, Any] | None) -> list[str]:
    """The file and lines, the section or the address that a record comes from."""
    at = placed(place)
    return [f"<code>{in_html(at)}</code>"] if at else []


def _facts(row: Mapping[str, Any]) -> str:
    when = (row["event_time"] or row["created_at"])[:16].replace("T", " ")
    score = f"{row['score']:.2f}" if "score" in row else None
    facts = (score, when, row["category"], row.get("speaker"), row.get("user_id"), row.get("project"))
    shown = [*_where(row.get("place")), *(in_html(str(fact)) for fact in facts if fact)]
    ended = standing(row)
    over = [f'<span class="over">{in_html(ended)}</span>'] if ended else []
    return " · ".join([*shown, f"<code>{in_html(row['id'][:8])}</code>", *over])


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
