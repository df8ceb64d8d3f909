"""People and things in a real browser: looked up, made one, made two, taken back; with mouse, keys and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import listening, token
from page.browsing import DESKTOP, PHONE, SIZES, Visitor

import recollect

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES)


def entities(visitor: Visitor) -> dict[str, dict[str, Any]]:
    told = visitor.page.request.get(f"{visitor.address}/v1/entities", params={"reach": "all", "limit": "100"}).json()
    return {each["name"]: each for each in told["results"]}


@EVERY_SIZE
def test_somebody_is_looked_up_and_shown_whole(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/people")
    page.get_by_label("A name").fill("clar")
    page.wait_for_function("() => document.querySelectorAll('.people .record').length === 1")
    assert "q=clar" in page.url
    page.locator(".people .record", has_text="Clara").click()
    page.locator(".card .past li").first.wait_for()
    visitor.settled()
    card = page.locator(".card").inner_text()
    assert "named in 6 memories" in card
    assert "prefers calls to mail" in card
    assert "Lisbon" in page.locator(".company").first.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
    again = visit(SIZES[size])
    again.page.goto(page.url)
    again.settled()
    assert again.page.locator(".entity-title").inner_text() == "Clara"
    page.get_by_role("button", name="Close").first.click()
    page.locator(".people .record").first.wait_for()
    visitor.quiet()
    again.quiet()


def test_the_list_is_narrowed_by_sort_and_walked_with_keys(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/people")
    page.get_by_label("Sort").select_option("person")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.people .record')].every(each => each.textContent.includes('person'))"
    )
    page.locator(".people .record").first.focus()
    page.keyboard.press("j")
    page.wait_for_function("() => document.activeElement.dataset.index === '1'")
    name = page.locator(".people .record[data-index='1'] .entity-name").inner_text()
    page.keyboard.press("Enter")
    page.locator(".entity-title").wait_for()
    assert page.locator(".entity-title").inner_text() == name
    visitor.quiet()


@EVERY_SIZE
def test_two_are_made_one_and_taken_back(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    before = entities(visitor)
    page = visitor.go(f"/people/{before['Clara']['id']}")
    page.locator(".entity-title").wait_for()
    page.get_by_role("button", name="Merge").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("The other one").fill("dario")
    dialog.locator(".pick-item", has_text="Dario").locator("input").check()
    assert visitor.faults() == []
    dialog.get_by_role("button", name="Merge").click()
    note = visitor.toast("They are one now")
    page.locator(".card .tag", has_text="Dario").wait_for()
    assert "Dario" not in entities(visitor)
    note.get_by_role("button", name="Undo").click()
    visitor.toast("Taken back")
    page.locator(".card .tag", has_text="Dario").wait_for(state="detached")
    assert entities(visitor)["Dario"]["mention_count"] == before["Dario"]["mention_count"]
    visitor.quiet()


def test_one_is_made_two(visit: Visit) -> None:
    visitor = visit()
    known = entities(visitor)
    merged = {"keep": known["Clara"]["id"], "other": known["Dario"]["id"]}
    visitor.page.request.post(f"{visitor.address}/v1/verbs/merge_entities", data=merged)
    page = visitor.go(f"/people/{known['Clara']['id']}")
    page.locator(".card .tag", has_text="Dario").wait_for()
    page.get_by_role("button", name="Split").click()
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_role("button", name="Split").is_disabled()
    dialog.get_by_label("Dario").check()
    assert visitor.faults() == []
    dialog.get_by_role("button", name="Split").click()
    visitor.toast("They are two now")
    page.wait_for_function("() => document.querySelector('.entity-title')?.textContent === 'Dario'")
    assert entities(visitor)["Dario"]["mention_count"] == known["Dario"]["mention_count"]
    visitor.quiet()


def test_somebody_nobody_knows_is_said_so(visit: Visit) -> None:
    page = visit().go("/people/00000000-0000-4000-8000-000000000000")
    page.get_by_text("Nobody is known by this name").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, scheme: str) -> None:
    visitor = visit(DESKTOP if scheme == "light" else PHONE, color_scheme=scheme)
    page = visitor.go("/people")
    page.locator(".people .record").first.wait_for()
    assert visitor.faults() == []
    page.locator(".people .record").first.click()
    page.locator(".card .past").wait_for()
    visitor.settled()
    assert visitor.faults() == []


def test_in_german(visit: Visit) -> None:
    visitor = visit(locale="de-DE")
    page = visitor.go("/people")
    page.get_by_role("heading", name="Personen und Dinge", level=1).wait_for()
    assert "Person" in page.locator(".people .record").first.inner_text()
    visitor.quiet()


def test_a_store_that_names_nobody_says_what_to_do(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "empty.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/people")
        page.get_by_text("Nobody and nothing is named yet").wait_for()
        assert visitor.faults() == []
        page.get_by_label("A name").fill("x")
        page.get_by_role("link", name="Drop all conditions").click()
        page.get_by_text("Nobody and nothing is named yet").wait_for()
        visitor.quiet()
        visitor.close()


def test_who_may_only_read_is_offered_nothing_else(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path) as memory:
        memory.add("Clara works in Lisbon.", user_id="ana")
        memory.settle()
        reading = token(memory, "read", name="reader", user_id="ana")
    with listening(path, embedder="static", serve={"require_token": True}) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.page
        page.goto(f"{visitor.address}/#/people")
        page.get_by_label("Token").fill(reading)
        page.get_by_role("button", name="Sign in").click()
        page.locator(".people .record", has_text="Clara").click()
        page.locator(".entity-title").wait_for()
        visitor.settled()
        assert page.get_by_role("button", name="Merge").count() == 0
        assert page.get_by_role("button", name="Split").count() == 0
        visitor.close()
