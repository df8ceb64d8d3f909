"""The first hour in a real browser: look, ask, correct, undo; with mouse, keys and on a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import bearer, listening, token
from page.browsing import DESKTOP, PHONE, SIZES, Visitor

import recollect

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
VIEWS = ["today", "ask", "chat", "memories", "vault", "settings", "history"]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES)


def api(visitor: Visitor, path: str) -> Any:
    return visitor.page.request.get(visitor.address + path).json()


def record(visitor: Visitor, words: str) -> dict[str, Any]:
    found = visitor.page.request.get(
        f"{visitor.address}/v1/memories",
        params={"reach": "all", "limit": "1", "filters": json.dumps({"content": {"icontains": words}})},
    ).json()
    return dict(found["results"][0])


@EVERY_SIZE
def test_today_shows_what_happened_and_what_waits(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/today")
    assert page.title() == "Today · Recollect"
    assert page.locator(".figure").count() == 4
    assert page.locator(".wait").count() >= 2
    assert page.locator(".wait", has_text="Ben counted").count() or page.locator(".wait", has_text="120 trays").count()
    assert "send the customer list" in page.locator(".waits").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
    visitor.quiet()


def test_what_waits_is_answered_with_a_key_and_taken_back(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/today")
    before = page.locator(".wait").count()
    wait = page.locator(".wait", has_text="120 trays")
    wait.hover()
    page.keyboard.press("c")
    note = visitor.toast("Confirmed")
    page.wait_for_function("count => document.querySelectorAll('.wait').length === count", arg=before - 1)
    assert record(visitor, "120 trays")["user_verified"] is True
    note.get_by_role("button", name="Undo").click()
    visitor.toast("Taken back")
    page.wait_for_function("count => document.querySelectorAll('.wait').length === count", arg=before)
    visitor.quiet()


@EVERY_SIZE
def test_a_list_is_narrowed_and_the_address_says_how(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/memories")
    page.get_by_role("button", name=re.compile("Filter")).click()
    page.get_by_label("Agent", exact=True).select_option("nova")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.record')].every(each => each.textContent.includes('nova'))"
    )
    assert "agent_id=nova" in page.url
    page.get_by_label("Words in the text").fill("refunds")
    page.wait_for_function("() => document.querySelectorAll('.record').length === 1")
    assert "Refunds above 200 euros" in page.locator(".record").inner_text()
    again = visit(SIZES[size])
    again.page.goto(page.url)
    again.settled()
    again.page.wait_for_function("() => document.querySelectorAll('.record').length === 1")
    again.page.locator(".chosen button", has_text="nova").click()
    assert "agent_id" not in again.page.url
    visitor.quiet()
    again.quiet()


def test_a_list_is_walked_with_keys(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/memories")
    page.locator(".record").first.focus()
    for key in ("j", "ArrowDown", "k", "End", "Home", "j"):
        page.keyboard.press(key)
    second = page.locator(".record[data-index='1']")
    page.wait_for_function("() => document.activeElement.dataset.index === '1'")
    text = second.locator(".record-text").inner_text()
    page.keyboard.press("Enter")
    page.locator(".card-text").wait_for()
    assert page.locator(".card-text").inner_text().startswith(text[:40])
    visitor.quiet()


CHOICES = [
    ("Wrong", "What is true instead", "The vans are Citroën Berlingos."),
    ("Outdated", "What is true now", "The vans are Citroën Berlingos."),
    ("Partly wrong", "The text as it should be", "The vans are Renault Kangoos; each holds 96 trays."),
]


@EVERY_SIZE
@pytest.mark.parametrize(("choice", "label", "text"), CHOICES)
def test_a_memory_is_corrected(visit: Visit, size: str, choice: str, label: str, text: str) -> None:
    visitor = visit(SIZES[size])
    old = record(visitor, "120 trays")
    page = visitor.go(f"/memories/{old['id']}")
    page.locator(".card").get_by_role("button", name="Correct", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(choice, exact=True).check(force=True)
    dialog.get_by_label(re.compile(label)).fill(text)
    dialog.get_by_role("button", name="Correct").click()
    visitor.toast("Corrected")
    assert record(visitor, text[:20])["content"] == text
    was = api(visitor, f"/v1/memories/{old['id']}")
    if choice == "Outdated":
        assert was["content"] == old["content"]
        assert was["valid_until"] is not None, "it held until now"
    else:
        assert was["content"] == text, "the same memory, in its next version"
        page.locator(".past ins").first.wait_for()
    visitor.quiet()


def test_what_was_no_answer_to_a_question_is_not_given_to_it_again(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/ask?q=who looks after the mobile app?")
    first = page.locator(".hit-text").first.inner_text()
    page.locator(".hit").first.get_by_role("button", name="Not for this").click()
    visitor.toast("left out when something like that")
    page.reload()
    visitor.settled()
    page.wait_for_function("text => document.querySelector('.hit-text')?.textContent !== text", arg=first)
    visitor.quiet()


@EVERY_SIZE
def test_a_memory_is_edited_flagged_forgotten_and_brought_back(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    old = record(visitor, "Dario is in Naples")
    page = visitor.go(f"/memories/{old['id']}")
    card = page.locator(".card")
    card.get_by_role("button", name="Edit").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Tags").fill("people, travel")
    dialog.get_by_label("Category").select_option("event")
    dialog.get_by_role("button", name="Save").click()
    visitor.toast("Saved")
    assert sorted(api(visitor, f"/v1/memories/{old['id']}")["tags"]) == ["people", "travel"]
    card.get_by_role("button", name="Flag").click()
    dialog.get_by_label("What is wrong with it?").fill("He moved to Rome")
    dialog.get_by_role("button", name="Flag").click()
    visitor.toast("Flagged")
    page.locator(".card .chip", has_text="flagged").first.wait_for()
    card.get_by_role("button", name="Forget").click()
    note = visitor.toast("Forgotten")
    assert page.request.get(f"{visitor.address}/v1/memories/{old['id']}").status == 404
    note.get_by_role("button", name="Undo").click()
    visitor.toast("Taken back")
    assert api(visitor, f"/v1/memories/{old['id']}")["content"] == old["content"]
    assert [each for each in visitor.said if "404" not in each] == []


def test_a_memory_is_linked_to_another(visit: Visit) -> None:
    visitor = visit()
    one, other = record(visitor, "logo may not be"), record(visitor, "assistant is called")
    page = visitor.go(f"/memories/{one['id']}")
    page.locator(".card").get_by_role("button", name="Link").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("How they are related").select_option("supports")
    dialog.get_by_label("Find the other one").fill("Clara's assistant is called")
    dialog.locator(".pick-item", has_text="Inês").locator("input").check()
    dialog.get_by_role("button", name="Link").click()
    visitor.toast("Linked")
    found = page.request.get(f"{visitor.address}/v1/graph", params={"id": one["id"], "reach": "all"}).json()
    assert other["id"] in [each["id"] for each in found["results"]]
    visitor.quiet()


def test_erasing_is_asked_about_twice_and_leaves_nothing(visit: Visit) -> None:
    visitor = visit()
    old = record(visitor, "Inês")
    page = visitor.go(f"/memories/{old['id']}")
    page.locator(".card").get_by_role("button", name="Erase").click()
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_role("button", name="Erase").is_disabled()
    dialog.get_by_label("I understand").check()
    dialog.get_by_role("button", name="Erase").click()
    visitor.toast("Erased for good")
    assert page.request.get(f"{visitor.address}/v1/memories/{old['id']}/history").status == 404


@EVERY_SIZE
def test_asking_shows_hits_reasons_and_what_a_model_is_told(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/ask")
    page.get_by_label("Question").fill("when is the launch?")
    page.locator(".hit").first.wait_for()
    page.locator(".window").wait_for()
    assert "tenth of April" in page.locator(".hits").inner_text()
    assert "tenth of April" in page.locator(".window").inner_text()
    page.locator(".hit").first.get_by_role("button", name="Why").click()
    assert page.locator(".fall").count() >= 2
    page.get_by_label(re.compile("Budget")).fill("200")
    page.wait_for_function("() => /of 200 tokens/.test(document.body.textContent)")
    page.wait_for_function("() => document.querySelectorAll('.hit.is-out').length > 0")
    visitor.quiet()


def test_asking_as_of_a_date_gives_what_held_then(visit: Visit) -> None:
    visitor = visit()
    old = record(visitor, "launch is on the third")
    day = old["event_time"][:10]
    page = visitor.go(f"/ask?q=when is the launch?&as_of={day}T23:59:59Z")
    page.locator(".hit").first.wait_for()
    assert "third of March" in page.locator(".hits").inner_text()
    assert "tenth of April" not in page.locator(".hits").inner_text()


@EVERY_SIZE
def test_anything_is_undone_from_the_history(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/history")
    row = page.locator(".operation", has_text="of no use")
    row.get_by_role("button", name=re.compile("Undo")).click()
    visitor.toast("Taken back")
    page.locator(".operation.is-undone", has_text="of no use").wait_for()
    assert record(visitor, "office plant")["content"] == "The office plant is called Fern."
    visitor.quiet()


def test_keys_work_everywhere(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/today")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.get_by_role("heading", name="History", level=1).wait_for()
    assert page.evaluate("document.activeElement.tagName") == "H1", "the reader is told where they are"
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("Naples")
    page.locator(".palette-row", has_text="Dario is in Naples").wait_for()
    page.keyboard.press("Enter")
    page.locator(".card-text", has_text="Naples").wait_for()
    page.keyboard.press("/")
    page.get_by_role("heading", name="Ask", level=1).wait_for()
    assert page.evaluate("document.activeElement.id") == "question"
    visitor.quiet()


def test_the_first_tab_leads_past_the_navigation(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/today")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "H1"


def test_german_and_dark_are_kept(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/today")
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_role("heading", name="Heute", level=1).wait_for()
    page.get_by_role("button", name=re.compile("Farben")).click()
    page.get_by_role("button", name=re.compile("Farben")).click()
    page.reload()
    visitor.settled()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dataset.theme]") == ["de", "dark"]
    assert page.get_by_role("heading", name="Wartet auf ein Wort").count() == 1
    visitor.quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(visit: Visit, view: str, scheme: str) -> None:
    visitor = visit(DESKTOP if scheme == "light" else PHONE, color_scheme=scheme)
    page = visitor.go(f"/{view}" + ("?q=when is the launch?" if view == "ask" else ""))
    if view == "ask":
        page.locator(".hit").first.wait_for()
    if view == "memories":
        page.locator(".record").first.click()
        page.locator(".reasons").wait_for()
        visitor.settled()
    assert visitor.faults() == []


def test_axe_finds_nothing_in_dialogs(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go(f"/memories/{record(visitor, '120 trays')['id']}")
    for name in ("Correct", "Edit", "Flag", "Link", "Erase"):
        page.locator(".card").get_by_role("button", name=name, exact=True).click()
        page.get_by_role("dialog").wait_for()
        assert visitor.faults() == [], name
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="detached")


@EVERY_SIZE
def test_what_an_untrusted_agent_wrote_is_let_in_with_a_key(browser: Any, tmp_path: Path, size: str) -> None:
    path = tmp_path / "m.db"
    waiting = {"security": {"approval": "wait"}}
    with recollect.open(path, embedder="static", config=waiting) as memory:
        memory.add("The owner's own note")
        text = token(memory, "write", agent_id="stranger")
    with listening(path, embedder="static", **waiting) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", SIZES[size])
        visitor.page.request.post(
            f"{visitor.address}/v1/memories", data={"content": "Herons nest on the roof"}, headers=bearer(text)
        )
        page = visitor.go("/today")
        wait = page.locator(".wait", has_text="Herons")
        wait.locator(".chip", has_text="waits for approval").wait_for()
        wait.hover()
        page.keyboard.press("c")
        visitor.toast("Let in")
        wait.wait_for(state="detached")
        found = page.request.post(f"{visitor.address}/v1/memories/search", data={"query": "herons", "reach": "all"})
        assert [each["memory"] for each in found.json()["results"]][:1] == ["Herons nest on the roof"]
        visitor.quiet()
        visitor.close()
