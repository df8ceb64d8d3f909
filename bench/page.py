"""`python -m bench.page`: the page over a large store, in a real browser: its first paint, and what each view asks.

python -m bench.page                                    100,000 records; filling them takes a minute or two
python -m bench.page --size 10000 --folder /tmp/page    keep the store there, and use one that is there

The first paint is that of a browser that has nothing of the page yet. Of each view: the requests that it makes, and the
longest of them from the last byte asked to the first byte answered, on warm indexes; three visits, the middle one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import data
from bench.child import run
from bench.scale import EMBEDDER
from bench.server import served

SIZE = 100_000
VISITS = 3
PAINT_GOAL_MS, ANSWER_GOAL_MS = 300, 100
VIEWS = (
    "/today",
    "/ask?q=which database did the team choose?",
    "/memories",
    "/memories?q=database",
    "/people",
    "/sessions",
    "/graph",
    "/knowledge",
    "/knowledge/gaps",
    "/code/learned",
    "/agents",
    "/history",
)
_VIEWPORT = {"width": 1280, "height": 860}
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_ALL_DRAWN = "() => document.querySelector('h1') && !document.querySelector('.busy, .boot')"
_SETTLED_MS = 60_000
_QUIET_MS = 700  # the time after which nothing more is asked for


def main() -> int:
    options = _options()
    console = Console()
    os.environ["RECOLLECT_EMBEDDER"] = EMBEDDER
    with tempfile.TemporaryDirectory(prefix="recollect-page-") as temporary:
        folder = (options.folder or Path(temporary)) / str(options.size)
        if not (folder / data.STORE_FILE).exists():
            folder.mkdir(parents=True, exist_ok=True)
            with console.status(f"{options.size:,} records: filling"):
                run("bench.scale:fill", folder=str(folder), size=options.size, config={})
        with console.status("looking"), served(str(folder / data.STORE_FILE)) as server:
            server.wait_until_warm()
            figures = _looked_at(f"http://127.0.0.1:{server.port}")
    console.print(_table(figures, options.size))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


def _looked_at(address: str) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        paints = [_first_paint(browser, address) for _ in range(VISITS + 1)][1:]  # the first one starts the browser
        views = {where: _middle([_visit(browser, address, where) for _ in range(VISITS)]) for where in VIEWS}
        browser.close()
    return {"first paint ms": median(paints), "views": views}


def _first_paint(browser: Any, address: str) -> float:
    context = browser.new_context(viewport=_VIEWPORT)
    page = context.new_page()
    page.goto(f"{address}/#/memories")
    page.wait_for_function(_ALL_DRAWN, timeout=_SETTLED_MS)
    painted = float(page.evaluate(_PAINTED))
    context.close()
    return painted


def _visit(browser: Any, address: str, where: str) -> dict[str, Any]:
    """Go to a view from a page that is open already, as people do."""
    context = browser.new_context(viewport=_VIEWPORT)
    page = context.new_page()
    page.goto(f"{address}/#/settings")
    page.wait_for_function(_ALL_DRAWN, timeout=_SETTLED_MS)
    asked: list[tuple[str, float]] = []
    page.on("requestfinished", _noting(asked))
    page.evaluate("where => { location.hash = where }", where)
    page.wait_for_timeout(_QUIET_MS)
    page.wait_for_function(_ALL_DRAWN, timeout=_SETTLED_MS)
    page.wait_for_timeout(_QUIET_MS)
    context.close()
    slowest = max(asked, key=lambda each: each[1], default=("", 0.0))
    return {"requests": len(asked), "slowest": slowest[0], "slowest ms": slowest[1]}


def _noting(asked: list[tuple[str, float]]) -> Callable[[Any], None]:
    def note(request: Any) -> None:
        path = request.url.partition("://")[2].partition("/")[2].partition("?")[0]
        timing = request.timing
        if path.startswith("v1/") and timing["responseStart"] > 0:
            asked.append((f"/{path}", timing["responseStart"] - timing["requestStart"]))

    return note


def _middle(visits: list[dict[str, Any]]) -> dict[str, Any]:
    return sorted(visits, key=lambda each: each["slowest ms"])[len(visits) // 2]


def _table(figures: dict[str, Any], size: int) -> Table:
    table = Table(title=f"the page over {size:,} records; first paint {figures['first paint ms']:.0f} ms")
    for column in ("view", "requests", "slowest", "ms"):
        table.add_column(column, justify="left" if column in ("view", "slowest") else "right")
    for where, each in figures["views"].items():
        slow = " !" if each["slowest ms"] > ANSWER_GOAL_MS else ""
        table.add_row(where, str(each["requests"]), each["slowest"], f"{each['slowest ms']:.0f}{slow}")
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__, formatter_class=_AS_WRITTEN)
    parser.add_argument("--size", type=int, default=SIZE, help="records in the store")
    parser.add_argument("--folder", type=Path, help="where stores are kept; without it they are thrown away")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    return parser.parse_args()


_AS_WRITTEN = argparse.RawDescriptionHelpFormatter

if __name__ == "__main__":
    raise SystemExit(main())
