"""Settings as a person changes them in a browser: found, changed, refused, taken back; models, clients, files."""

from __future__ import annotations

import json
import re
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
TABS = ["values", "models", "clients", "transfer"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of its own, on which one client is installed."""
    place = tmp_path / "home"
    (place / ".cursor").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(place))
    for name in ("RECOLLECT_CONFIG", "RECOLLECT_EMBEDDER", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return place


def row(page: Any, key: str) -> Any:
    return page.locator(".setting", has=page.locator(f"code:text-is('{key}')"))


@EVERY_SIZE
def test_a_setting_is_found_changed_and_taken_back(visit: Visit, home: Path, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/settings")
    assert page.locator(".section").count() > 20
    page.get_by_label("Find a setting").fill("how many results")
    one = row(page, "recall.top_k")
    one.get_by_text("1 to 1000").wait_for()
    assert "q=how" in page.url
    one.get_by_role("button", name="Change recall.top_k").click()
    box = page.get_by_label("Value of recall.top_k")
    assert box.evaluate("each => each === document.activeElement")
    box.fill("2000")
    box.press("Enter")
    one.get_by_role("alert").get_by_text("outside 1 to 1000").wait_for()
    box.fill("7")
    one.get_by_role("button", name="Save").click()
    note = visitor.toast("It acts from now on")
    one.locator(".setting-value", has_text="7 records").wait_for()
    one.locator(".chip", has_text="file").wait_for()
    assert "top_k = 7" in (home / ".recollect" / "config.toml").read_text()
    note.get_by_role("button", name="Undo").click()
    one.locator(".setting-value", has_text="10 records").wait_for()
    assert "top_k" not in (home / ".recollect" / "config.toml").read_text()
    assert [each for each in visitor.said if "422" not in each] == []


def test_what_acts_at_the_next_start_says_so_and_is_listed(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/settings/values?section=store")
    one = row(page, "store.readers")
    one.get_by_role("button", name="Change store.readers").click()
    page.get_by_label("Value of store.readers").fill("6")
    one.get_by_role("button", name="Save").click()
    visitor.toast("when the server is started again")
    one.locator(".chip", has_text="then 6").wait_for()
    page.get_by_role("link", name="1 waits for a new start").click()
    page.wait_for_function("() => document.querySelectorAll('.setting').length === 1")
    one.get_by_role("button", name="Change store.readers").click()
    one.get_by_role("button", name="Back to the default").click()
    page.get_by_text("No setting fits").wait_for()
    visitor.quiet()


def test_choices_switches_and_rows_of_tables_are_changed(visit: Visit, home: Path) -> None:
    visitor = visit()
    page = visitor.go("/settings/values?q=recall.rerank")
    one = row(page, "recall.rerank")
    one.get_by_role("button", name="Change").click()
    page.get_by_label("Value of recall.rerank").select_option("none")
    one.get_by_role("button", name="Save").click()
    visitor.toast("recall.rerank is changed")
    page.get_by_label("Find a setting").fill("phases.coding")
    table = row(page, "phases.coding")
    table.locator("summary").click()
    table.get_by_role("button", name="Change gotcha").click()
    page.get_by_label("Value of phases.coding.gotcha").fill("1.2")
    table.get_by_role("button", name="Save").click()
    visitor.toast("phases.coding")
    written = (home / ".recollect" / "config.toml").read_text()
    assert 'rerank = "none"' in written
    assert "gotcha = 1.2" in written
    page.goto(f"{visitor.address}/#/settings/values?state=changed")
    for key in ("recall.rerank", "phases.coding"):
        row(page, key).wait_for()
    by_hand = [each for each in page.locator(".setting").all() if each.locator(".chip", has_text="file").count()]
    assert len(by_hand) == 2
    visitor.quiet()


def test_a_server_that_changes_no_settings_offers_no_change(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "m.db", embedder="static", serve={"change_settings": False}) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/settings/values?section=recall")
        page.locator(".setting").first.wait_for()
        page.get_by_text("changes no settings over HTTP").wait_for()
        assert page.get_by_role("button", name=re.compile("^Change")).count() == 0
        visitor.close()


@EVERY_SIZE
def test_models_are_told_with_their_uses_and_vectors(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/settings/models")
    embedder = page.get_by_role("region", name="Embedder")
    assert "gives records their vectors" in embedder.inner_text()
    vectors = page.get_by_role("region", name="Vectors")
    vectors.get_by_text(re.compile(r"\d+ of \d+ records")).first.wait_for()
    vectors.get_by_role("button", name="Make all vectors").click()
    visitor.toast("in the background")
    page.get_by_role("link", name="Change embedder").click()
    row(page, "embedder").wait_for()
    visitor.quiet()


@EVERY_SIZE
def test_a_client_is_connected_after_its_change_was_seen_and_taken_out(visit: Visit, home: Path, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/settings/clients")
    page.get_by_role("button", name="Connect Cursor").click()
    dialog = page.get_by_role("dialog")
    dialog.locator(".diff-lines", has_text="mcpServers").wait_for()
    file = home / ".cursor" / "mcp.json"
    assert not file.exists(), "nothing is written before it was seen"
    dialog.get_by_role("button", name="Write it").click()
    visitor.toast("Cursor is connected")
    assert "recollect" in json.loads(file.read_text())["mcpServers"]
    page.locator(".client", has_text="Cursor").locator(".chip", has_text="connected").wait_for()
    page.get_by_role("button", name="Take Recollect out of Cursor").click()
    dialog.get_by_role("button", name="Write it").click()
    visitor.toast("no longer uses")
    assert "recollect" not in file.read_text()
    visitor.quiet()


@EVERY_SIZE
def test_a_memory_goes_out_as_a_file_and_comes_in_by_drag_and_drop(
    visit: Visit, browser: Any, tmp_path: Path, size: str
) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/settings/transfer")
    with page.expect_download() as waiting:
        page.get_by_role("region", name="Export").get_by_role("button", name="Export").click()
    visitor.toast("is written")
    file = tmp_path / "out.jsonl"
    waiting.value.save_as(file)
    with recollect.open(tmp_path / "new.db") as memory:
        memory.add("There was something before")
    with listening(tmp_path / "new.db", embedder="static") as port:
        other = Visitor(browser, f"http://127.0.0.1:{port}", SIZES[size])
        there = other.go("/settings/transfer")
        into = there.get_by_role("region", name="Import")
        dropped = there.evaluate_handle(
            "text => { const held = new DataTransfer(); held.items.add(new File([text], 'out.jsonl')); return held }",
            file.read_text(),
        )
        there.locator(".drop").dispatch_event("drop", {"dataTransfer": dropped})
        into.get_by_text("out.jsonl").wait_for()
        into.get_by_role("button", name="Look only").click()
        into.get_by_text("This would be taken in").wait_for()
        assert there.request.get(f"{other.address}/v1/stats").json()["records"] == 1
        into.get_by_role("button", name="Take it in").click()
        note = other.toast("memories taken in")
        assert there.request.get(f"{other.address}/v1/stats").json()["records"] > 40
        note.get_by_role("button", name="Undo").click()
        other.toast("Taken back")
        other.quiet()
        other.close()
    visitor.quiet()


def test_a_sealed_export_opens_with_its_passphrase_alone(visit: Visit, tmp_path: Path) -> None:
    visitor = visit()
    page = visitor.go("/settings/transfer")
    out, into = page.get_by_role("region", name="Export"), page.get_by_role("region", name="Import")
    out.get_by_label("Passphrase").fill("correct horse battery staple")
    out.get_by_label("Person").fill("clara")
    with page.expect_download() as waiting:
        out.get_by_role("button", name="Export").click()
    file = tmp_path / "sealed"
    waiting.value.save_as(file)
    assert waiting.value.suggested_filename.startswith("recollect-clara-")
    assert b"Clara" not in file.read_bytes()
    page.locator("#import-file").set_input_files(file)
    into.get_by_label("Passphrase").fill("wrong")
    into.get_by_role("button", name="Look only").click()
    into.get_by_role("alert").wait_for()
    into.get_by_label("Passphrase").fill("correct horse battery staple")
    into.get_by_role("button", name="Look only").click()
    into.get_by_text("there already").wait_for()


def test_a_file_that_is_no_export_is_refused_in_words(visit: Visit, tmp_path: Path) -> None:
    visitor = visit(PHONE)
    page = visitor.go("/settings/transfer")
    (tmp_path / "notes.txt").write_text("just some notes")
    page.locator("#import-file").set_input_files(tmp_path / "notes.txt")
    page.get_by_role("button", name="Take it in").click()
    page.get_by_role("alert").get_by_text("not JSON").wait_for()


@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_in_settings(visit: Visit, tab: str) -> None:
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        visitor = visit(size, color_scheme=scheme)
        page = visitor.go(f"/settings/{tab}" + ("?section=phases" if tab == "values" else ""))
        if tab == "values":
            page.locator("summary").first.click()
            page.locator(".setting-table .button").first.click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
        assert visitor.faults() == []
        visitor.quiet()


def test_settings_stand_in_german_too(visit: Visit) -> None:
    visitor = visit(locale="de-DE")
    for tab, told in zip(TABS, ("Herkunft", "Vektoren", "Programme", "Datei"), strict=True):
        page = visitor.go(f"/settings/{tab}")
        assert page.get_by_role("heading", name="Einstellungen", level=1).count() == 1
        assert told in page.locator(".view-head .lead").inner_text()
    visitor.quiet()


def test_settings_are_for_the_owner_alone(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path) as memory:
        memory.add("Ana's own note", user_id="ana")
        reading = token(memory, "read", "write", name="reader", user_id="ana")
    with listening(path, embedder="static", serve={"require_token": True}) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.page
        page.goto(f"{visitor.address}/#/settings")
        page.get_by_label("Token").fill(reading)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Today", level=1).wait_for()
        assert page.get_by_role("link", name="Settings").count() == 0
        page.keyboard.press("g")
        page.keyboard.press(",")
        page.goto(f"{visitor.address}/#/settings/models")
        visitor.settled()
        assert page.get_by_role("heading", level=1).inner_text() == "Today"
        visitor.close()
