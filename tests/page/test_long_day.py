"""A page that is left open all day: a long run of clicks through every view leaves no more behind than a short one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from page.browsing import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Visit = Callable[..., Visitor]

ROUNDS = int(os.environ.get("RECOLLECT_PAGE_ROUNDS", "25"))  # of all views; two seconds each or so
WARM_ROUNDS = 5  # until every module is loaded and every answer was had once
GROWTH_MAX_BYTES = 3 * 2**20  # a page of today is 10 to 15 MB
NODES_MAX = 1.25  # times as many as after warming up
LISTENERS_MAX = 1.25
_VIEWS = "() => [...document.querySelectorAll('.side-links a')].map(each => each.getAttribute('href'))"


def weighed(visitor: Visitor, session: Any) -> dict[str, float]:
    """What the page holds on to, after what nobody needs was thrown away. Always looked at on the same view."""
    visitor.go("/history")
    session.send("HeapProfiler.collectGarbage")
    session.send("HeapProfiler.collectGarbage")
    told = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return {name: told[name] for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")}


def click_through(visitor: Visitor, addresses: list[str]) -> None:
    page = visitor.page
    for address in addresses:
        page.locator(f".side-links a[href='{address}']").click()
        visitor.settled()
        for tab in page.locator(".tabs .tab").all()[1:]:
            tab.click()
            visitor.settled()
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")


def test_a_long_day_of_clicks_leaves_nothing_behind(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/today")
    session = visitor.context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("HeapProfiler.enable")
    addresses = list(page.evaluate(_VIEWS))
    assert len(addresses) >= 8
    for _ in range(WARM_ROUNDS):
        click_through(visitor, addresses)
    before = weighed(visitor, session)
    for at in range(ROUNDS):
        click_through(visitor, addresses)
        if at % 5 == 4:  # somebody else writes meanwhile, so everything that is live is asked for again
            made = {"content": f"Note {at} of a long day", "project": "atlas"}
            page.request.post(f"{visitor.address}/v1/memories", data=made)
    after = weighed(visitor, session)
    grown = after["JSHeapUsedSize"] - before["JSHeapUsedSize"]
    print({name: (before[name], after[name]) for name in before})
    assert grown < GROWTH_MAX_BYTES, (before, after)
    assert after["Nodes"] <= before["Nodes"] * NODES_MAX, (before, after)
    assert after["JSEventListeners"] <= before["JSEventListeners"] * LISTENERS_MAX, (before, after)
    visitor.quiet()
