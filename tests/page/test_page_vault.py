"""What protects a store, who did what in it, erasing for good and rules of retention, in a browser."""

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
TABS = ["protection", "audit", "erasure", "retention"]


def test_what_is_protected_and_what_is_not_stands_line_by_line(visit: Visit, browser: Any, tmp_path: Path) -> None:
    visitor = visit()
    page = visitor.go("/vault")
    assert page.locator(".shield").count() == 10
    assert "plain" in page.locator(".shield").first.inner_text()
    page.get_by_role("img", name="not protected").first.wait_for()
    visitor.quiet()
    sealing = {"security": {"personal": "tier"}}
    with recollect.open(tmp_path / "sealed.db", key=b"k" * 32, config=sealing) as memory:
        memory.add("Ana reads ana@lisboa.pt at night", user_id="ana")
        memory.settle()
    with listening(tmp_path / "sealed.db", embedder="static", key=b"k" * 32, **sealing) as port:
        other = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = other.go("/vault")
        page.locator(".chip", has_text="encrypted").wait_for()
        assert page.locator(".shield.is-good").count() >= 4
        page.get_by_role("region", name="Tiers").get_by_role("link", name="1").click()
        page.locator(".record", has_text="Ana reads").wait_for()
        assert "security=sensitive" in page.url
        other.quiet()
        other.close()


@EVERY_SIZE
def test_the_audit_is_narrowed_verified_and_taken_along(visit: Visit, tmp_path: Path, size: str) -> None:
    visitor = visit(SIZES[size])
    visitor.page.request.post(f"{visitor.address}/v1/memories/search", data={"query": "launch", "reach": "all"})
    page = visitor.go("/vault/audit")
    page.get_by_label("What happened").select_option("memory_searched")
    page.wait_for_function(
        "() => { const rows = [...document.querySelectorAll('.audit-table tbody tr')];"
        " return rows.length && rows.every(each => each.textContent.includes('searched')) }"
    )
    assert "event=memory_searched" in page.url
    assert "launch" not in page.locator(".audit-table").inner_text(), "texts are not in it"
    page.get_by_role("button", name="Verify").click()
    page.get_by_text("none removed or changed").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="As a file").click()
    waiting.value.save_as(tmp_path / "audit.jsonl")
    taken = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert {each["event"] for each in taken} == {"memory_searched"}
    page.get_by_role("textbox", name="Who").fill("nobody")
    page.get_by_role("textbox", name="Who").press("Enter")
    page.get_by_text("Nothing was noted").wait_for()
    visitor.quiet()


@EVERY_SIZE
def test_a_person_is_erased_with_a_report_that_can_be_checked(visit: Visit, tmp_path: Path, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/vault/erasure")
    page.get_by_label("Person").fill("ana")
    page.get_by_role("button", name="Look only").click()
    page.get_by_text("This would go").wait_for()
    hers = {"reach": "all", "filters": json.dumps({"user_id": {"eq": "ana"}})}

    def known() -> list[Any]:
        return list(page.request.get(f"{visitor.address}/v1/memories", params=hers).json()["results"])

    assert known(), "looking erases nothing"
    erase = page.get_by_role("button", name="Erase", exact=True)
    assert erase.is_disabled()
    page.get_by_label("I understand").check()
    erase.click()
    visitor.toast("Erased for good")
    assert known() == []
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Keep the report").click()
    file = tmp_path / "report.json"
    waiting.value.save_as(file)
    page.locator("#erasure-file").set_input_files(file)
    page.locator(".chip", has_text="genuine").wait_for()
    changed = json.loads(file.read_text())
    changed["report"]["records"] = 99
    changed["report"]["files"] = [{"none": "of ours"}]
    (tmp_path / "changed.json").write_text(json.dumps(changed))
    page.locator("#erasure-file").set_input_files(tmp_path / "changed.json")
    page.locator(".chip", has_text="changed").wait_for()
    (tmp_path / "notes.json").write_text("notes")
    page.locator("#erasure-file").set_input_files(tmp_path / "notes.json")
    page.get_by_role("alert").get_by_text("no report").wait_for()
    visitor.quiet()


@EVERY_SIZE
def test_a_rule_is_tried_kept_dropped_and_applied_once(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/vault/retention")
    rule = page.get_by_label("Rule", exact=True)
    rule.fill("nonsense")
    rule.press("Enter")
    page.get_by_role("alert").get_by_text("is no condition").wait_for()
    rule.fill("kind=episodic,age>5d")
    rule.press("Enter")
    page.get_by_text("memories would go").wait_for()
    records = page.request.get(f"{visitor.address}/v1/stats").json()["records"]
    page.get_by_label("Name of the rule").fill("old talk")
    page.get_by_role("button", name="Keep the rule").click()
    visitor.toast("is kept")
    page.get_by_role("button", name="Drop the rule old talk").click()
    visitor.toast("is dropped")
    page.get_by_text("None. Nothing goes").wait_for()
    rule.press("Enter")
    page.get_by_role("button", name="Do it now, once").click()
    note = visitor.toast("are gone")
    assert page.request.get(f"{visitor.address}/v1/stats").json()["records"] < records
    note.get_by_role("button", name="Undo").click()
    visitor.toast("Taken back")
    assert page.request.get(f"{visitor.address}/v1/stats").json()["records"] == records
    assert [each for each in visitor.said if "422" not in each] == []


@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_in_the_vault(visit: Visit, tab: str) -> None:
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        visitor = visit(size, color_scheme=scheme, locale="de-DE" if size is PHONE else "en-GB")
        page = visitor.go(f"/vault/{tab}")
        if tab == "audit":
            page.get_by_role("button", name=re.compile("Verify|Prüfen")).click()
            page.locator(".all-well").wait_for()
        if tab == "erasure":
            page.locator("#erase-user_id").fill("ana")
            page.locator("#erase-user_id").press("Enter")
            page.locator(".report").wait_for()
        if tab == "retention":
            page.locator("#rule").fill("kind=episodic")
            page.locator("#rule").press("Enter")
            page.locator(".report").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
        assert visitor.faults() == []
        visitor.quiet()


def test_a_writer_of_a_part_sees_nothing_of_the_vault(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path) as memory:
        memory.add("Ana's own note", user_id="ana")
        text = token(memory, "read", "write", "admin", name="part", user_id="ana")
    with listening(path, embedder="static", serve={"require_token": True}) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.page
        page.goto(f"{visitor.address}/#/vault/audit")
        page.get_by_label("Token").fill(text)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Today", level=1).wait_for()
        assert page.get_by_role("link", name="Vault").count() == 0
        visitor.close()
