"""Many memories changed at once, and one moved to another scope, in a browser; all of it taken back from one note."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from page.browsing import DESKTOP, PHONE, SIZES, Visitor

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES)


def held(visitor: Visitor, **condition: Any) -> list[dict[str, Any]]:
    filters = json.dumps({name: {"eq": value} for name, value in condition.items()})
    found = visitor.page.request.get(
        f"{visitor.address}/v1/memories", params={"reach": "all", "limit": "200", "filters": filters}
    )
    return list(found.json()["results"])


def tagged(visitor: Visitor, tag: str) -> int:
    found = visitor.page.request.get(f"{visitor.address}/v1/memories", params={"reach": "all", "tags": tag})
    return len(found.json()["results"])


@EVERY_SIZE
def test_chosen_memories_are_labelled_forgotten_and_brought_back(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/memories?agent_id=nova")
    count = len(held(visitor, agent_id="nova"))
    assert count > 1
    page.get_by_role("button", name="Choose", exact=True).click()
    page.get_by_role("button", name=f"All {count} shown here").click()
    page.get_by_text(f"{count} chosen").wait_for()
    page.get_by_role("button", name="Label").click()
    page.get_by_label("Tags to add").fill("reviewed")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    visitor.toast(f"{count} changes made")
    assert tagged(visitor, "reviewed") == count
    page.locator(".row-pick input").first.check()
    page.get_by_text("1 chosen").wait_for()
    page.get_by_role("button", name=f"All {count} shown here").click()
    page.locator(".bulk").get_by_role("button", name="Forget").click()
    page.get_by_text("No memory fits").wait_for()
    assert held(visitor, agent_id="nova") == []
    visitor.toast(f"{count} changes made").get_by_role("button", name="Undo").click()
    visitor.toast("Taken back")
    assert len(held(visitor, agent_id="nova")) == count
    visitor.quiet()


@EVERY_SIZE
def test_a_memory_is_moved_to_another_scope_and_back(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    (old,) = [each for each in held(visitor, agent_id="nova") if "Refunds above 200 euros" in each["content"]]
    page = visitor.go(f"/memories/{old['id']}")
    page.locator(".card").get_by_role("button", name="Move").click()
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_role("button", name="Move").is_disabled(), "it is there already"
    dialog.get_by_label("Agent").fill("")
    dialog.get_by_label("Person").fill("clara")
    dialog.get_by_role("button", name="Move").click()
    note = visitor.toast("2 changes made")
    (new,) = held(visitor, user_id="clara", content=old["content"])
    assert (new["category"], new["tags"], new.get("agent_id")) == (old["category"], old["tags"], None)
    assert page.request.get(f"{visitor.address}/v1/memories/{old['id']}").status == 404
    note.get_by_role("button", name="Undo").click()
    visitor.toast("Taken back")
    assert page.request.get(f"{visitor.address}/v1/memories/{old['id']}").status == 200
    assert held(visitor, user_id="clara", content=old["content"]) == []


def test_axe_finds_nothing_where_memories_are_chosen(visit: Visit) -> None:
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        visitor = visit(size, color_scheme=scheme)
        page = visitor.go("/memories")
        page.get_by_role("button", name="Choose", exact=True).click()
        page.locator(".row-pick input").first.check()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
        assert visitor.faults() == []
        page.get_by_role("button", name="Move").click()
        page.get_by_role("dialog").wait_for()
        assert visitor.faults() == []
        visitor.quiet()
