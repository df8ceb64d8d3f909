"""The first web page: how the memory is doing, a box to ask it, and what it learned last. One document, no scripts.

Everything that was stored or typed goes through `escape`; the policy sent along lets the browser run and load nothing.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from recollect.interfaces.places import placed
from recollect.interfaces.rest.answers import caller_of
from recollect.interfaces.rest.callers import Caller
from recollect.interfaces.rest.calls import Calls
from recollect.interfaces.rest.paths import Paths
from recollect.store.tokens import Right

NEWEST = 10
FOUND = 10
QUERY_CHARS_MAX = 2_000
_HTML = "text/html; charset=utf-8"


def register(paths: Paths, calls: Calls, document: Callable[[], Mapping[str, Any]]) -> None:
    """The page at `/`, and the description of the API at `/docs`."""

    async def page(request: Request) -> Response:
        query = request.query_params.get("q", "").strip()[:QUERY_CHARS_MAX]
        return html(await calls.run(lambda: drawn(caller_of(request), query)))

    async def docs(_: Request) -> Response:
        from recollect.interfaces.rest.reference import described

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


def drawn(caller: Caller, query: str) -> str:
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
        status=escape(health["status"]),
        health=escape(_health(health)),
        query=escape(query),
        heading="Answers" if query else "Newest",
        warnings="\n".join(f'<p class="warning">{escape(each)}</p>' for each in warnings),
        rows=_rows(rows) or '<p class="empty">Nothing here yet.</p>',
        figures=escape(f"{stats['records']:,} records"),
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
    drawn = "\n".join(f"<li><p>{escape(row['memory'])}</p><small>{_facts(row)}</small></li>" for row in rows)
    return f"<ol>{drawn}</ol>" if drawn else ""


def _where(place: Mapping[str, Any] | None) -> list[str]:
    """The file and lines, the section or the address that a record comes from."""
    at = placed(place)
    return [f"<code>{escape(at)}</code>"] if at else []


def _facts(row: Mapping[str, Any]) -> str:
    when = (row["event_time"] or row["created_at"])[:16].replace("T", " ")
    score = f"{row['score']:.2f}" if "score" in row else None
    facts = (score, when, row["category"], row.get("speaker"), row.get("user_id"), row.get("project"))
    shown = [*_where(row.get("place")), *(escape(str(fact)) for fact in facts if fact)]
    return f"{' · '.join(shown)} · <code>{escape(row['id'][:8])}</code>"
