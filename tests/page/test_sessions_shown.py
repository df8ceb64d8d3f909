"""Sessions in a real browser: what was said, what is remembered of it, how a coding agent's session came out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import listening
from page.browsing import DESKTOP, PHONE, SIZES, Visitor

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES)


def work(visitor: Visitor, session: str = "s-77") -> None:
    """A session of a coding agent that met an error and cured it, as its client tells it."""
    began = datetime.now(UTC) - timedelta(hours=3)
    merge, clock = {"file_path": "src/sync/merge.py"}, {"file_path": "src/sync/clock.py"}
    steps: list[dict[str, Any]] = [
        {"type": "session_start"},
        {"type": "tool", "tool": "Read", "input": merge},
        {"type": "tool", "tool": "Edit", "input": merge},
        {"type": "tool_failed", "tool": "Bash", "input": {"command": "pytest"}, "error": "AssertionError: lost"},
        {"type": "tool", "tool": "Edit", "input": clock},
        {"type": "tool", "tool": "Bash", "input": {"command": "pytest"}, "output": "passed"},
        {"type": "session_end"},
    ]
    events = [
        {"session_id": session, "project": "atlas", "at": (began + timedelta(seconds=20 * n)).isoformat(), **step}
        for n, step in enumerate(steps)
    ]
    answer = visitor.page.request.post(
        f"{visitor.address}/v1/observe", data={"events": events, "client": "claude-code", "project": "atlas"}
    )
    assert answer.ok, answer.text()


@EVERY_SIZE
def test_a_conversation_shows_its_words_and_what_is_remembered(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/sessions")
    page.get_by_label("A session").fill("revi")
    page.wait_for_function("() => document.querySelectorAll('.sessions .record').length === 1")
    page.locator(".sessions .record").click()
    page.locator(".talk .turn").first.wait_for()
    visitor.settled()
    said = page.locator(".turn-text").all_inner_texts()
    assert said[0].startswith("Dario joins us on Monday")
    assert said[-1] == "The launch is on the third of March."
    remembered = page.locator(".card-part", has_text="What is remembered").inner_text()
    assert "Dario joins Ana" in remembered
    assert "joins us" not in remembered
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
    again = visit(SIZES[size])
    again.page.goto(page.url)
    again.page.locator(".talk .turn").first.wait_for()
    assert again.page.locator(".entity-title").inner_text() == "review"
    visitor.quiet()
    again.quiet()


def test_a_turn_is_replayed_with_what_was_known_then(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/sessions/launch")
    page.locator(".turn", has_text="tenth of April").get_by_role("button", name="What was known then").click()
    page.locator(".replay .window").wait_for()
    told = page.locator(".replay .window").inner_text()
    assert "third of March" in told
    assert "tenth of April" not in told
    assert visitor.faults() == []
    visitor.quiet()


@EVERY_SIZE
def test_a_session_of_a_coding_agent_is_concluded_and_reviewed(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    work(visitor)
    page = visitor.go("/sessions/s-77")
    page.locator(".work").wait_for()
    shown = page.locator(".work").inner_text()
    assert "AssertionError: lost" in shown
    assert "src/sync/clock.py" in shown
    assert visitor.faults() == []
    page.get_by_role("button", name="Conclude and review").click()
    visitor.toast("Concluded")
    page.locator(".review", has_text="src/sync/merge.py").wait_for()
    assert "where the work stood" in page.locator(".review").inner_text()
    assert visitor.faults() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".review .plain-link").first.click()
    page.locator(".card-text", has_text="merge.py").wait_for()
    visitor.quiet()


def test_turns_that_a_program_ran_are_listed(visit: Visit) -> None:
    visitor = visit()
    begun = visitor.page.request.post(
        f"{visitor.address}/v1/turns", data={"prompt": "When is the launch?", "session_id": "asked", "project": "atlas"}
    ).json()
    page = visitor.page
    page.request.post(f"{visitor.address}/v1/turns/{begun['id']}/end", data={"answer": "On the tenth of April."})
    visitor.go("/sessions/asked")
    page.locator(".turn-rows li", has_text="ended").wait_for()
    assert page.locator(".turn.is-answer").count() == 1
    visitor.quiet()


def test_the_list_is_walked_with_keys_and_appears_by_itself(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/sessions")
    page.locator(".sessions .record").first.focus()
    page.keyboard.press("j")
    page.wait_for_function("() => document.activeElement.dataset.index === '1'")
    page.keyboard.press("Enter")
    page.locator(".entity-title").wait_for()
    said = {"content": [{"role": "user", "content": "Herons fish at dawn."}], "session_id": "herons"}
    page.request.post(f"{visitor.address}/v1/memories", data=said)
    page.locator(".sessions .record", has_text="herons").wait_for()
    visitor.quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, scheme: str) -> None:
    visitor = visit(DESKTOP if scheme == "light" else PHONE, color_scheme=scheme)
    page = visitor.go("/sessions")
    page.locator(".sessions .record").first.wait_for()
    assert visitor.faults() == []
    page.locator(".sessions .record").first.click()
    page.locator(".talk .turn").first.wait_for()
    visitor.settled()
    assert visitor.faults() == []


def test_in_german(visit: Visit) -> None:
    visitor = visit(locale="de-DE")
    work(visitor)
    page = visitor.go("/sessions/s-77")
    page.get_by_role("heading", name="Sitzungen", level=1).wait_for()
    page.get_by_text("Was der Agent tat").wait_for()
    visitor.quiet()


def test_a_store_without_sessions_says_what_to_do(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "empty.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/sessions")
        page.get_by_text("No sessions yet").wait_for()
        assert "recollect hooks install" in page.locator("main").inner_text()
        assert visitor.faults() == []
        visitor.go("/sessions/nothing")
        page.get_by_text("No words of it are stored").wait_for()
        visitor.quiet()
        visitor.close()
