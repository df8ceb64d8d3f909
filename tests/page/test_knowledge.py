"""The view Knowledge in a real browser: the map, the tree down to a memory, gaps that are answered, patterns, pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import listening
from page.browsing import DESKTOP, PHONE, SIZES, Visitor

import recollect

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES)
PLACES = ["/knowledge", "/knowledge/tree", "/knowledge/gaps", "/knowledge/patterns", "/knowledge/pages/reflect?days=30"]
FITS = "document.documentElement.scrollWidth <= innerWidth"


def told(visitor: Visitor, verb: str, **given: Any) -> Any:
    return visitor.page.request.post(f"{visitor.address}/v1/verbs/{verb}", data={"reach": "all", **given}).json()


@EVERY_SIZE
def test_from_the_map_down_to_a_memory_and_back_up(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/knowledge")
    known = told(visitor, "knowledge")["domains"]
    assert page.locator(".tile").count() == len(known) == page.locator(".area").count()
    largest = max(known, key=lambda each: each["records"])
    tile = page.locator(".tile a").first
    assert f"{largest['records']} memories" in (tile.get_attribute("aria-label") or "")
    assert page.evaluate(FITS)
    tile.click()
    page.locator(".tree-node").wait_for()
    assert f"/knowledge/tree/{largest['number']}" in page.url
    page.locator(".branch").first.click()
    page.locator("[aria-labelledby=tree-records] .record").first.wait_for()
    assert page.locator(".way li").count() == 4, "the top, everything, the area, the cluster"
    again = visit(SIZES[size])
    again.page.goto(page.url)
    again.settled()
    again.page.locator("[aria-labelledby=tree-records] .record").first.click()
    again.page.locator(".card-text").wait_for()
    page.locator(".way a").nth(2).click()
    page.locator(".branch").first.wait_for()
    visitor.quiet()
    again.quiet()


def test_a_question_is_judged_before_anybody_asks_it(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/knowledge")
    page.get_by_label("Question").fill("how are refunds handled?")
    page.locator(".verdict").wait_for()
    assert page.locator(".reasons li").count() >= 1
    assert "q=how" in page.url
    page.locator(".verdict a").click()
    page.locator(".hit").first.wait_for()
    visitor.quiet()


def test_an_address_of_a_part_that_is_gone_says_so(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/knowledge/tree/999999")
    page.get_by_text("This part of the tree is not there").wait_for()
    page.get_by_role("link", name="Top", exact=True).click()
    page.locator(".branch").first.wait_for()
    assert [each for each in visitor.said if "404" not in each] == []


@EVERY_SIZE
def test_a_gap_is_answered_where_it_belongs(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/knowledge/gaps")
    gap = page.locator(".gap", has_text="newest edit").first
    gap.get_by_role("button", name="Answer").click()
    gap.get_by_label("What is so").fill("The server decides with version vectors, since the sync meeting")
    gap.get_by_role("button", name="Remember").click()
    visitor.toast("Remembered")
    kept = visitor.page.request.get(
        f"{visitor.address}/v1/memories",
        params={"reach": "all", "filters": '{"content": {"icontains": "since the sync meeting"}}'},
    ).json()["results"]
    assert kept[0]["project"] == "atlas", "kept where the question belongs"
    page.locator(".gap", has_text="newest edit").first.get_by_role("button", name="Do not ask again").click()
    visitor.toast("not asked again")
    page.get_by_text("Nothing is open").wait_for()
    assert told(visitor, "gaps")["results"] == []
    visitor.quiet()


@EVERY_SIZE
def test_patterns_show_what_they_rest_on_and_when(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/knowledge/patterns")
    page.locator(".week-dot").first.wait_for(state="attached")
    assert "Mondays at 9:30" in page.locator("main").inner_text()
    assert "Monday" in page.locator(".week table").inner_text()
    pattern = page.locator(".gap", has_text="orders corn, rye and sourdough")
    pattern.locator("summary").click()
    pattern.locator(".moments").wait_for()
    assert pattern.locator(".record").count() == 3
    way = page.locator(".gap", has_text="rotate the Stripe keys")
    assert way.locator(".steps li").count() == 4
    assert "67% of 3 uses went well" in way.inner_text()
    assert page.evaluate(FITS)
    visitor.quiet()


@EVERY_SIZE
def test_pages_are_read_and_lead_to_what_they_rest_on(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/knowledge/pages")
    page.get_by_role("heading", name="What matters").wait_for()
    page.get_by_label("Looking back").check(force=True)
    page.get_by_role("heading", name="What was learned").wait_for()
    page.get_by_label("Period").select_option("30")
    page.wait_for_function("() => location.hash.includes('days=30')")
    page.locator(".time-page a", has_text="canary").first.click()
    page.locator(".card-text", has_text="canary").wait_for()
    visitor.quiet()


def test_headings_of_pages_are_in_the_readers_language(visit: Visit) -> None:
    visitor = visit(locale="de-DE")
    page = visitor.go("/knowledge/pages")
    page.get_by_role("heading", name="Was wichtig ist").wait_for()
    page.get_by_role("link", name="Muster").click()
    page.get_by_text("Rhythmen der Woche").first.wait_for()
    assert "Montag" in page.locator(".week table").inner_text()
    visitor.quiet()


@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_in_knowledge(visit: Visit, place: str) -> None:
    for scheme, size in (("light", DESKTOP), ("dark", PHONE)):
        visitor = visit(size, color_scheme=scheme)
        page = visitor.go(place)
        assert visitor.faults() == [], scheme
        assert page.evaluate(FITS)
        visitor.quiet()


def test_a_store_without_a_map_says_how_to_get_one(browser: Any, tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as memory:
        for tea in ("green", "black", "white"):
            memory.add(f"Ana likes to drink {tea} tea in the morning")
    with listening(tmp_path / "m.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/knowledge")
        page.get_by_text(re.compile("3 memories are in no area yet")).wait_for()
        page.get_by_role("button", name="Draw it now").click()
        visitor.toast("Upkeep is done")
        page.locator(".tile").first.wait_for()
        visitor.quiet()
        visitor.close()


def test_knowledge_of_an_empty_store_is_a_helpful_page(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "empty.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", PHONE)
        for place, words in zip(
            PLACES,
            (
                "Once something is remembered",
                "Upkeep sums up",
                "Upkeep looks for contradictions",
                "Three statements",
                "Nothing to tell",
            ),
            strict=True,
        ):
            page = visitor.go(place)
            page.get_by_text(re.compile(words)).first.wait_for()
            assert visitor.faults() == [], place
        visitor.quiet()
        visitor.close()
