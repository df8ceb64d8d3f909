"""The view Code in a real browser: modules, what a change reaches, warnings and a person's word on them, the meter."""

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
PLACES = ["/code", "/code/impact?of=atlas/orders.py", "/code/learned", "/code/meter"]
FITS = "document.documentElement.scrollWidth <= innerWidth"


@EVERY_SIZE
def test_from_the_modules_to_what_a_change_reaches(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/code")
    assert page.locator(".tile").count() == 5
    row = page.locator(".modules-table tr", has_text="atlas/sync")
    assert row.locator("td").all_inner_texts()[:4] == ["2", "3", "100%", "2"]
    page.locator(".gap", has_text="What was deleted stays deleted").wait_for()
    assert page.evaluate(FITS)
    row.get_by_role("link").click()
    page.locator(".reach-item", has_text="atlas/api.py").wait_for()
    assert page.locator(".reach-item", has_text="test_merge").locator(".chip", has_text="test").count() == 1
    page.locator("[aria-labelledby=known-about] .gap", has_text="Bash fails after edits").wait_for()
    assert "of=atlas" in page.url
    visitor.quiet()


@EVERY_SIZE
def test_a_file_is_found_by_a_word_and_leads_on(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/code/impact")
    page.get_by_text("Choose a file or a symbol").wait_for()
    page.get_by_label("File, folder or symbol").fill("merge")
    page.locator(".places li", has_text="atlas/sync/merge.py:1").get_by_role("link").click()
    page.locator(".pairs-list li", has_text="atlas/sync/vectors.py").wait_for()
    assert "4 times" in page.locator(".pairs-list li").first.inner_text()
    page.get_by_label("What it rests on").check(force=True)
    page.locator(".reach-item", has_text="atlas/orders.py").first.wait_for()
    again = visit(SIZES[size])
    again.page.goto(page.url)
    again.settled()
    again.page.locator(".reach-item", has_text="atlas/orders.py").first.get_by_role("link").click()
    again.page.locator("[aria-labelledby=reached] h2", has_text="atlas/orders.py").wait_for()
    visitor.quiet()
    again.quiet()


def test_a_name_that_nothing_has_is_said(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/code/impact?of=nothing.py")
    page.get_by_text("no file or symbol is called").first.wait_for()


@EVERY_SIZE
def test_a_warning_gets_a_persons_word(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/code/learned")
    page.get_by_label(re.compile("^new")).check(force=True)
    one = page.locator(".learned-one", has_text="Work on atlas/sync reads")
    assert one.locator(".chip", has_text="not told").count() == 1
    one.get_by_role("button", name="Confirm").click()
    note = visitor.toast("Confirmed")
    page.get_by_label(re.compile("^trusted")).check(force=True)
    one.locator(".chip", has_text=re.compile("^told to agents")).wait_for()
    note.get_by_role("button", name="Undo").click()
    visitor.toast("Taken back")
    page.get_by_label(re.compile("^new")).check(force=True)
    one.get_by_role("button", name="Flag").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(re.compile("wrong")).fill("only by chance")
    dialog.get_by_role("button", name="Flag").click()
    visitor.toast("Flagged")
    page.get_by_label(re.compile("^retired")).check(force=True)
    one.wait_for()
    assert "standing=retired" in page.url
    assert page.evaluate(FITS)
    visitor.quiet()


@EVERY_SIZE
def test_the_meter_tells_what_was_spared(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/code/meter")
    told = page.request.get(f"{visitor.address}/v1/sessions/meter").json()
    assert told["total"]["compared"] == 5
    shown = page.locator(".facts-row dd").first.inner_text()
    assert int(re.sub(r"[^\d-]", "", shown)) == told["total"]["tokens_net"]
    assert page.locator("[aria-labelledby=meter-sessions] tbody tr").count() == 5
    assert page.locator("[aria-labelledby=by-session] svg rect").count() == 5
    page.locator("[aria-labelledby=coverage] a", has_text="atlas/sync").wait_for()
    page.get_by_label("7 days").check(force=True)
    page.wait_for_function("() => document.querySelectorAll('[aria-labelledby=meter-sessions] tbody tr').length < 5")
    assert page.evaluate(FITS)
    visitor.quiet()


@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_in_code(visit: Visit, place: str) -> None:
    for scheme, size in (("light", DESKTOP), ("dark", PHONE)):
        visitor = visit(size, color_scheme=scheme)
        page = visitor.go(place)
        assert visitor.faults() == [], scheme
        assert page.evaluate(FITS)
        visitor.quiet()


def test_code_is_told_in_german(visit: Visit) -> None:
    visitor = visit(locale="de-DE")
    page = visitor.go("/code/learned")
    page.get_by_text("Neues findet nur die Suche").wait_for()
    page.get_by_role("link", name="Auswirkung").click()
    page.get_by_text("Wählen Sie eine Datei oder ein Symbol").wait_for()
    visitor.quiet()


def test_code_of_an_empty_store_is_a_helpful_page(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "empty.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", PHONE)
        words = ("recollect code index", "recollect code index", "Watch a coding agent", "Hooks tell which tool")
        for place, said in zip(PLACES, words, strict=True):
            page = visitor.go(place)
            page.get_by_text(re.compile(said)).first.wait_for()
            assert visitor.faults() == [], place
        visitor.quiet()
        visitor.close()


def test_the_project_that_is_chosen_stays_chosen(browser: Any, tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as memory:
        for name in ("alpha", "beta"):
            (tmp_path / name).mkdir()
            (tmp_path / name / f"of_{name}.py").write_text("def work():\n    return 1\n", encoding="utf-8")
            memory.code.index(tmp_path / name, name=name)
    with listening(tmp_path / "m.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/code")
        page.get_by_label("Project").select_option("alpha")
        page.locator("a[href*=alpha]", has_text="Impact").click()
        page.get_by_label("File, folder or symbol").fill("work")
        page.locator(".places li", has_text="of_alpha.py").first.wait_for()
        visitor.quiet()
        visitor.close()
