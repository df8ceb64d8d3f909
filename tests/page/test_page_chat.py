"""Questions to the memory in a browser: evidence without a model, an answer with its citations with one."""

from __future__ import annotations

import json
import re
import time
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
INVENTED = "00000000-0000-4000-8000-00000000dead"


class Librarian:
    """A language model that cites the first record it is shown, and one that nobody stored."""

    name = "gpt-4o"

    def __init__(self, pause_s: float = 0.0) -> None:
        self.pause_s = pause_s

    def complete(self, prompt: str, *, instructions: str = "", max_tokens: int) -> str:
        time.sleep(self.pause_s)
        found = re.search(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", prompt)
        said = f"She uses Helix [#{found.group() if found else INVENTED}]. <b>Vim</b> is gone [#{INVENTED}]."
        return json.dumps({"state": "sufficient", "answer": said}) if "JSON" in instructions else said


@EVERY_SIZE
def test_without_a_model_the_evidence_is_told_and_opens_the_card(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = visitor.go("/chat")
    assert "No language model is set" in page.locator("main").inner_text()
    box = page.get_by_label("Question")
    box.fill("When is the launch, and who decided it?")
    box.press("Enter")
    page.locator(".source").first.wait_for()
    assert "tenth of April" in page.locator(".sources").first.inner_text()
    page.locator(".way summary").click()
    assert page.locator(".way-steps li").count() >= 1
    page.locator(".source-text", has_text="The launch is on the tenth of April.").click()
    page.locator(".card-text", has_text="tenth of April").wait_for()
    page.locator(".card-bar").get_by_role("button", name="Close").click()
    page.locator(".card").wait_for(state="detached")
    assert page.locator(".chat-asked").count() == 1, "the talk is still there"
    page.goto(f"{visitor.address}/#/today")
    page.get_by_role("heading", name="Today", level=1).wait_for()
    page.go_back()
    page.locator(".chat-asked").wait_for()
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("Nothing asked yet").wait_for()
    visitor.quiet()


def test_a_link_asks_at_once_and_a_day_gives_what_held_then(visit: Visit) -> None:
    visitor = visit()
    old = visitor.page.request.get(
        f"{visitor.address}/v1/memories",
        params={"reach": "all", "filters": json.dumps({"content": {"icontains": "launch is on the third"}})},
    ).json()["results"][0]
    page = visitor.go(f"/chat?q=when is the launch?&as_of={old['event_time'][:10]}T23:59:59Z")
    page.locator(".source").first.wait_for()
    assert "third of March" in page.locator(".sources").first.inner_text()
    assert "tenth of April" not in page.locator(".reply").inner_text()
    visitor.quiet()


@EVERY_SIZE
def test_with_a_model_an_answer_cites_what_was_found_and_its_inventions_are_marked(
    browser: Any, tmp_path: Path, size: str
) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="static") as memory:
        memory.add("Ana moved from vim to Helix", infer=False)
    with listening(path, embedder="static", llm=Librarian()) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", SIZES[size])
        page = visitor.go("/chat?q=which editor does Ana use?")
        answer = page.locator(".reply-text")
        answer.wait_for()
        assert answer.inner_text() == "She uses Helix 1. <b>Vim</b> is gone ?."
        assert answer.locator("b").count() == 0
        page.get_by_text("the answer cites: none was found").wait_for()
        page.get_by_role("link", name="Memory 1").click()
        page.locator(".card-text", has_text="Helix").wait_for()
        page.locator(".card-bar").get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Remember this answer").click()
        visitor.toast("Remembered")
        kept = [each["content"] for each in page.request.get(f"{visitor.address}/v1/memories").json()["results"]]
        assert "She uses Helix. <b>Vim</b> is gone." in kept
        visitor.quiet()
        visitor.close()


def test_a_slow_answer_is_stopped(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="static") as memory:
        memory.add("Ana moved from vim to Helix", infer=False)
    with listening(path, embedder="static", llm=Librarian(pause_s=4)) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/chat")
        page.get_by_label("Question").fill("which editor does Ana use?")
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_text("3 s").wait_for()
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("Nothing asked yet").wait_for()
        visitor.close()


def test_a_reader_sees_what_is_theirs_and_keeps_nothing(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, embedder="static") as memory:
        memory.add("Ana keeps bees on the roof", user_id="ana", infer=False)
        memory.add("Ben keeps bees in the garden", user_id="ben", infer=False)
        text = token(memory, "read", user_id="ana")
    with listening(path, embedder="static", llm=Librarian(), serve={"require_token": True}) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.page
        page.goto(f"{visitor.address}/#/chat")
        page.get_by_label("Token").fill(text)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_label("Question").fill("who keeps bees?")
        page.get_by_label("Question").press("Enter")
        page.locator(".reply").wait_for()
        assert "Ana keeps bees" in page.locator(".reply").inner_text()
        assert "Ben" not in page.locator(".talk").inner_text()
        assert page.get_by_role("button", name="Remember").count() == 0
        assert page.get_by_label("Person").count() == 0
        visitor.close()


def test_axe_finds_nothing_in_chat(visit: Visit) -> None:
    for size, scheme in ((DESKTOP, "light"), (PHONE, "dark")):
        visitor = visit(size, color_scheme=scheme, locale="de-DE" if size is PHONE else "en-GB")
        page = visitor.go("/chat")
        assert visitor.faults() == []
        page = visitor.go("/chat?q=when is the launch and who decided it?")
        page.locator(".source").first.wait_for()
        page.locator(".way summary").click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
        assert visitor.faults() == []
        page.locator(".source-text").first.click()
        page.locator(".reasons").first.wait_for()
        visitor.settled()
        assert visitor.faults() == []
        visitor.quiet()
