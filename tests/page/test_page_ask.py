"""A question asked in other ways: parts weighed by sliders, two ways beside each other, moments of the past."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from page.browsing import DESKTOP, PHONE, SIZES, Visitor

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES)
SLIDE = "(each, to) => { each.value = to; each.dispatchEvent(new Event('input', {bubbles: true})) }"


@EVERY_SIZE
def test_a_slider_weighs_a_part_in_this_question_alone(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/ask?q=when is the launch?")
    page.locator(".hit").first.wait_for()
    page.locator(".ask-options summary").first.click()
    with page.expect_request("**/v1/memories/search") as asked:
        page.get_by_label("words × 1", exact=True).evaluate(SLIDE, "0")
    assert asked.value.post_data_json["weights"] == {"text": 0}
    page.get_by_text("words × 0", exact=True).wait_for()
    assert "w=text%3A0" in page.url
    page.locator(".hit").first.get_by_role("button", name="Why").click()
    page.locator(".fall").first.wait_for()
    assert not any(name == "words" for name in page.locator(".fall-name").all_inner_texts())
    page.get_by_role("button", name="All parts as set").click()
    page.get_by_text("words × 1", exact=True).wait_for()
    changed = page.request.get(f"{visitor.address}/v1/settings").json()["settings"]
    assert all(each["origin"] != "file" for each in changed if each["section"] == "ranking")
    visitor.quiet()


@EVERY_SIZE
def test_two_ways_stand_beside_each_other(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/ask?q=when is the launch?")
    page.locator(".hit").first.wait_for()
    page.locator(".ask-options summary").first.click()
    page.get_by_label("Compare with another way").check()
    second = page.get_by_role("region", name="Found in another way")
    second.locator(".hit").first.wait_for()
    assert second.locator(".chip", has_text="before: place").count() == 0, "the same way gives the same places"
    second.get_by_label("Final order").select_option("none")
    second.get_by_label(re.compile("^words")).evaluate(SLIDE, "0")
    second.get_by_label(re.compile("^meaning ×")).evaluate(SLIDE, "0")
    second.locator(".chip", has_text=re.compile("before: place|not among")).first.wait_for()
    assert "b_rerank=none" in page.url
    first = page.get_by_role("region", name="Found, as above")
    assert "tenth of April" in first.locator(".hits").inner_text()
    page.get_by_label("Compare with another way").uncheck()
    page.locator(".window").wait_for()
    assert "b_" not in page.url
    visitor.quiet()


def test_the_past_is_reached_by_a_slider(visit: Visit) -> None:
    visitor = visit()
    old = visitor.page.request.get(
        f"{visitor.address}/v1/memories",
        params={"reach": "all", "filters": json.dumps({"content": {"icontains": "launch is on the third"}})},
    ).json()["results"][0]
    page = visitor.go(f"/ask?q=when is the launch?&as_of={old['event_time'][:10]}")
    page.locator(".hit").first.wait_for()
    assert "tenth of April" not in page.locator(".hits").inner_text()
    slider = page.locator("#slide-as_of")
    slider.focus()
    page.keyboard.press("End")
    page.get_by_text("As of: now").wait_for()
    page.locator(".hit", has_text="tenth of April").first.wait_for()
    assert "as_of" not in page.url
    page.keyboard.press("Home")
    page.wait_for_function("() => !document.querySelector('.hits')?.textContent.includes('tenth of April')")
    known = page.locator("#slide-known_at")
    known.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => location.hash.includes('known_at')")
    visitor.settled()
    visitor.quiet()


def test_axe_finds_nothing_where_ways_are_compared(visit: Visit) -> None:
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        visitor: Any = visit(size, color_scheme=scheme, locale="de-DE" if size is PHONE else "en-GB")
        page = visitor.go("/ask?q=when is the launch?&compare=1&b_w=text:0,vector:0&w=time:2")
        page.locator("#second .hit, [aria-labelledby=second] .hit").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
        assert visitor.faults() == []
        visitor.quiet()
