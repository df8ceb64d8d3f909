"""The view Agents in a real browser: who did what, minds, the bus, tokens and what they open."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
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
PLACES = ["/agents", "/agents/minds", "/agents/bus", "/agents/tokens"]
FITS = "document.documentElement.scrollWidth <= innerWidth"


@EVERY_SIZE
def test_agents_are_listed_with_what_they_did(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/agents")
    row = page.locator("[aria-labelledby=who] tr", has_text="rex")
    told = page.request.post(f"{visitor.address}/v1/verbs/counts", data={"reach": "all"}).json()
    page.wait_for_function("() => document.querySelector('[aria-labelledby=who] td:nth-last-child(2) + td a')")
    assert row.locator("td").nth(4).inner_text() == str(told["agent_id"]["rex"])
    assert page.evaluate(FITS)
    page.get_by_label("30 days").check(force=True)
    page.wait_for_function("() => document.querySelectorAll('.days tbody tr').length === 30")
    row.get_by_role("link", name="1", exact=True).click()
    page.locator(".mind").wait_for()
    assert page.locator(".mind h2").all_inner_texts() == ["rex"]
    page.go_back()
    row.get_by_role("link", name="rex").click()
    page.locator(".record", has_text="rex").first.wait_for()
    assert "agent_id=rex" in page.url
    visitor.quiet()


@EVERY_SIZE
def test_a_mind_is_looked_into_and_emptied(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/agents/minds")
    mind = page.locator(".mind", has_text="keep tombstones")
    first = mind.locator(".slot").first
    assert "noted" in first.inner_text()
    assert page.evaluate(FITS)
    mind.get_by_role("button", name="Empty this mind").click()
    page.get_by_role("dialog").get_by_role("button", name="Empty this mind").click()
    visitor.toast("This mind is empty")
    mind.wait_for(state="detached")
    minds = page.request.get(f"{visitor.address}/v1/working/minds").json()["results"]
    assert [each["agent_id"] for each in minds if each["slots"]] == ["nova"]
    visitor.quiet()


def test_a_mind_at_work_is_put_aside(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/agents/minds")
    noted = {"text": "Call the bakery", "session_id": "live", "agent_id": "milo", "project": "atlas"}
    page.request.post(f"{visitor.address}/v1/working/note", data=noted)
    page.get_by_role("button", name="Look again").click()
    mind = page.locator(".mind", has_text="Call the bakery")
    mind.locator(".chip", has_text="at work").wait_for()
    mind.get_by_role("button", name="Put aside").click()
    visitor.toast("Put aside")
    mind.locator(".chip", has_text="put aside").wait_for()
    assert mind.get_by_role("button", name="Put aside").count() == 0
    visitor.quiet()


@EVERY_SIZE
def test_an_agent_is_told_something_by_hand(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/agents/bus")
    assert page.locator("[aria-labelledby=published] > ul > .gap").count() == 2
    page.get_by_role("button", name="Subscribe").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Agent", exact=True).fill("zoe")
    dialog.get_by_label("Project").fill("atlas")
    dialog.get_by_label("Topics").fill("launch, sync")
    dialog.get_by_role("button", name="Subscribe").click()
    visitor.toast("Subscribed")
    page.locator("[aria-labelledby=subscribed] .gap", has_text="zoe").wait_for()
    page.get_by_role("button", name="Tell agents").click()
    dialog.get_by_label("Text").fill("The launch screen needs the new logo")
    dialog.get_by_label("Agent", exact=True).fill("milo")
    dialog.get_by_label("Project").fill("atlas")
    dialog.get_by_label("Topics").fill("launch")
    dialog.get_by_role("button", name="Tell agents").click()
    visitor.toast("Told")
    arrived = page.locator("[aria-labelledby=arrived] .gap", has_text="new logo")
    arrived.wait_for()
    assert "zoe" in arrived.inner_text()
    page.locator("[aria-labelledby=subscribed] .gap", has_text="zoe").get_by_role("button", name="End it").click()
    visitor.toast("What arrived stays")
    assert page.evaluate(FITS)
    visitor.quiet()


def opens(address: str, text: str) -> int:
    request = urllib.request.Request(f"{address}/v1/stats", headers={"authorization": f"Bearer {text}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code


@EVERY_SIZE
def test_a_token_is_made_shown_once_and_ended(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/agents/tokens")
    assert page.locator(".token", has_text="old laptop").locator(".chip", has_text="ended").count() == 1
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("night shift")
    dialog.get_by_label("write", exact=True).check()
    dialog.get_by_label("Agent").fill("nova")
    assert visitor.faults() == []
    dialog.get_by_role("button", name="New token").click()
    shown = page.locator(".token-text")
    shown.wait_for()
    text = shown.inner_text().strip()
    assert opens(visitor.address, text) == 200
    page.get_by_role("button", name="I have kept it").click()
    made = page.locator(".token", has_text="night shift")
    assert "Agent: nova" in made.inner_text()
    assert text not in page.content()
    made.get_by_role("button", name="End the token night shift").click()
    page.get_by_role("dialog").get_by_role("button", name="End", exact=True).click()
    visitor.toast("It opens nothing")
    made.locator(".chip", has_text="ended").wait_for()
    page.wait_for_timeout(1_100)  # a token that was checked is trusted for a second
    assert opens(visitor.address, text) == 401
    assert page.evaluate(FITS)
    visitor.quiet()


def test_a_name_that_is_taken_is_said_and_the_dialog_stays(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/agents/tokens")
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("rex")
    dialog.get_by_role("button", name="New token").click()
    visitor.toast("choose another name")
    assert dialog.get_by_label("Name", exact=True).input_value() == "rex"


def test_whoever_is_not_the_owner_sees_no_tokens(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path) as memory:
        memory.add("Rex's own note", agent_id="rex")
        memory.working.note("in mind", agent_id="rex", session_id="s1")
        reading = token(memory, "read", name="reader", agent_id="rex")
    with listening(path, embedder="static", serve={"require_token": True}) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.page
        page.goto(f"{visitor.address}/#/agents/tokens")
        page.get_by_label("Token").fill(reading)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Agents", level=1).wait_for()
        assert page.get_by_role("link", name="Tokens").count() == 0
        for place in ("/agents/minds", "/agents/bus", "/agents"):
            page.goto(f"{visitor.address}/#{place}")
            visitor.settled()
            for name in ("Empty this mind", "Tell agents", "Subscribe", "New token"):
                assert page.get_by_role("button", name=name).count() == 0, place
        visitor.close()


@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_in_agents(visit: Visit, place: str) -> None:
    for scheme, size in (("light", DESKTOP), ("dark", PHONE)):
        visitor = visit(size, color_scheme=scheme)
        page = visitor.go(place)
        assert visitor.faults() == [], scheme
        assert page.evaluate(FITS)
        visitor.quiet()


def test_agents_are_told_in_german(visit: Visit) -> None:
    visitor = visit(locale="de-DE")
    page = visitor.go("/agents/tokens")
    page.get_by_role("button", name="Neuer Zugang").click()
    page.get_by_role("dialog").get_by_label("Was er sieht").select_option("owner")
    page.get_by_text("Der Eigentümer sieht, ändert und löscht alles").wait_for()
    visitor.quiet()


def test_agents_of_an_empty_store_are_a_helpful_page(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "empty.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", PHONE)
        words = (
            "No turn was begun",
            "small short-term memory",
            "it publishes a memory",
            "On this machine none is needed",
        )
        for place, said in zip(PLACES, words, strict=True):
            page = visitor.go(place)
            page.get_by_text(re.compile(said)).first.wait_for()
            assert visitor.faults() == [], place
        visitor.quiet()
        visitor.close()
