"""What goes wrong, in a real browser: hostile texts, a server that is gone, a revoked token, a deleted record."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import listening, token
from page import hostile_work
from page.browsing import DESKTOP, PHONE, Visitor

import recollect

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]

# Each would say "owned" in a dialog, or leave `window.owned`, if any view took it for more than text.
PAYLOADS = (
    "<script>owned=1;alert('owned')</script>",
    "<img src=x onerror=\"window.owned=1;alert('owned')\">",
    "<svg/onload=alert('owned')>",
    "<svg><script href=data:,alert('owned')></script></svg>",
    "\"><script>alert('owned')</script>",
    "' autofocus onfocus=alert('owned') x='",
    "javascript:alert('owned')",
    "[x](javascript:alert('owned'))",
    "<a href=\"javascript:alert('owned')\">press</a>",
    '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
    "<math><mtext><table><mglyph><style><img src=x onerror=alert('owned')>",
    "<style>@import'http://evil.example/x.css';body{display:none}</style>",
    "<link rel=stylesheet href=http://evil.example/x.css>",
    "<base href=http://evil.example/>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<form action=http://evil.example><input name=token>",
    "<details open ontoggle=alert('owned')>",
    "{{constructor.constructor('alert(1)')()}} ${alert('owned')} <%= alert('owned') %>",
    "</textarea></title></style></script><script>alert('owned')</script>",
    "<!--><script>alert('owned')//-->",
    "\u202eevitcennoc-ton si siht\u202c <b>bold</b>",
    "__proto__",
    "constructor",
)


@pytest.fixture(scope="module")
def hostile(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A store in which every field that takes a text holds a payload."""
    path = tmp_path_factory.mktemp("hostile") / "h.db"
    with recollect.open(path, config={"security": {"injection_screen": False}}) as memory:
        ids = []
        for at, text in enumerate(PAYLOADS):
            made = memory.add(
                [{"role": "user", "name": text[:60], "content": f"{text} number {at}", "metadata": {text[:40]: text}}],
                tags=[text[:60]],
                category="fact",
                source=text[:60],
                session_id=text[:60],
                user_id=text[:60],
                agent_id=text[:60],
                project=text[:60],
            )
            ids.append(made.id)
        memory.update(ids[0], content=PAYLOADS[1] + " changed", reason=PAYLOADS[1])
        memory.flag(ids[1], reason=PAYLOADS[0])
        memory.relate(ids[0], ids[1], "supports", evidence=PAYLOADS[0])
        memory.delete(ids[2], reason=PAYLOADS[2])
        hostile_work.fill(memory, PAYLOADS, ids, path.parent)
        memory.settle()
    with listening(path, embedder="static") as port:
        yield f"http://127.0.0.1:{port}"


WHERE = [
    "/today",
    "/memories",
    "/memories?category=%3Cscript%3E",
    "/people",
    "/graph?fold=0",
    "/sessions",
    "/history",
    "/chat?q=number",
    "/vault",
    "/vault/audit",
    "/vault/erasure?user_id=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "/vault/retention",
    "/settings/transfer",
    "/settings/values?q=%3Cscript%3E",
    "/ask?q=" + "number",
    "/ask?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "/%3Cscript%3E",
    *hostile_work.WHERE,
]


def unharmed(visitor: Visitor) -> None:
    assert visitor.page.evaluate("typeof window.owned") == "undefined"
    acting = ", ".join(f"main {tag}" for tag in ("script", "iframe", "img", "form[action]", "style", "link", "base"))
    assert visitor.page.locator(acting).count() == 0
    assert visitor.page.evaluate(
        "[...document.querySelectorAll('main a')].every(each => each.protocol.startsWith('http'))"
    )
    visitor.quiet()


def test_stored_texts_do_nothing_in_any_view(browser: Any, hostile: str) -> None:
    visitor = Visitor(browser, hostile, DESKTOP)
    for where in WHERE:
        visitor.go(where)
        unharmed(visitor)
    visitor.close()


def test_a_card_of_hostile_text_shows_it_as_text(browser: Any, hostile: str) -> None:
    visitor = Visitor(browser, hostile, PHONE)
    page = visitor.go("/memories")
    found = page.request.get(f"{hostile}/v1/memories", params={"reach": "all", "limit": "40"}).json()["results"]
    for each in [each for each in found if "onerror" in each["content"] or "\u202e" in each["content"]][:3]:
        page = visitor.go(f"/memories/{each['id']}")
        page.locator(".past").wait_for()
        visitor.settled()
        shown = page.locator(".card-text").inner_text()
        assert shown == "".join("\ufffd" if sign in "\u202e\u202c" else sign for sign in each["content"])
        for part in page.locator("details").all():
            part.evaluate("each => { each.open = true }")
        unharmed(visitor)
    visitor.close()


def test_a_very_long_text_is_shown_in_parts_and_one_that_is_too_long_refused_in_words(
    browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "long.db"
    with recollect.open(path, config={"ingest": {"content_bytes_max": 1 << 20}}) as memory:
        first = memory.add("words and more " * 69_000, infer=False)
    with listening(path, embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/memories")
        assert len(page.locator(".record-text").first.inner_text()) < 1_000
        page = visitor.go(f"/memories/{first.id}")
        page.locator(".card-text").wait_for()
        assert len(page.locator(".card-text").inner_text()) <= 20_001
        page.get_by_role("button", name="more characters").click()
        page.wait_for_function("() => document.querySelector('.card-text').textContent.length > 200000")
        visitor.quiet()
        page.get_by_role("button", name="Remember").click()
        page.get_by_label("Text", exact=True).evaluate(
            "each => { each.value = 'word '.repeat(300000); each.dispatchEvent(new Event('input', {bubbles: true})) }"
        )
        page.locator("dialog button[type=submit]").click(timeout=30_000)
        visitor.toast("one record holds at most")
        assert page.get_by_label("Text", exact=True).evaluate("each => each.value.length") == 1_500_000
        visitor.close()


def test_text_from_right_to_left_stands_so(visit: Visit) -> None:
    visitor = visit()
    made = visitor.page.request.post(
        f"{visitor.address}/v1/memories", data={"content": "אנה עברה מ-vim אל Helix"}
    ).json()
    page = visitor.go(f"/memories/{made['ids'][0]}")
    page.locator(".card-text").wait_for()
    assert page.locator(".card-text").evaluate("each => getComputedStyle(each).direction") == "rtl"
    assert page.locator(".record-text").first.evaluate("each => getComputedStyle(each).direction") == "rtl"
    visitor.quiet()


def test_a_record_deleted_elsewhere_is_said_to_be_gone(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/memories?q=Naples")
    page.locator(".record", has_text="Naples").first.click()
    page.locator(".card-text").wait_for()
    key = page.url.split("/memories/")[1].split("?")[0]
    page.request.delete(f"{visitor.address}/v1/memories/{key}")
    page.get_by_text("This memory is not there").wait_for()
    page.locator(".card .past").get_by_role("button", name="Undo").first.click()
    visitor.toast("Taken back")
    page.locator(".card-text", has_text="Naples").wait_for()
    page.goto(f"{visitor.address}/#/memories/00000000-0000-4000-8000-000000000000")
    page.get_by_text("This memory is not there").wait_for()


def test_what_others_store_appears_by_itself(visit: Visit) -> None:
    visitor = visit()
    page = visitor.go("/memories")
    page.request.post(f"{visitor.address}/v1/memories", data={"content": "A heron stands on the roof"})
    page.locator(".record", has_text="heron").wait_for()
    visitor.quiet()


def test_an_empty_store_says_what_to_do(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "empty.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/today")
        assert "recollect demo --ui" in page.locator("main").inner_text()
        assert "claude mcp add" in page.locator("main").inner_text()
        assert visitor.faults() == []
        page.get_by_label("Your first memory").fill("Ana moved from vim to Helix")
        page.get_by_role("button", name="Remember").click()
        page.locator(".record", has_text="Helix").first.wait_for()
        visitor.quiet()
        visitor.close()


def test_a_server_that_is_gone_is_said_and_comes_back_by_itself(browser: Any, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ExitStack() as leaving:
        with listening(tmp_path / "m.db", embedder="static", port=port):
            visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
            leaving.callback(visitor.close)
            page = visitor.go("/memories")
            page.request.post(f"{visitor.address}/v1/memories", data={"content": "before the storm"})
            page.locator(".record", has_text="before the storm").wait_for()
        page.locator(".lost").wait_for()
        with listening(tmp_path / "m.db", embedder="static", port=port):
            page.locator(".lost").wait_for(state="detached")
            page.request.post(f"{visitor.address}/v1/memories", data={"content": "after the storm"})
            page.locator(".record", has_text="after the storm").wait_for()


def _signed_in(visitor: Visitor, text: str) -> Any:
    page = visitor.page
    page.goto(f"{visitor.address}/#/today")
    page.get_by_label("Token").fill(text)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Today", level=1).wait_for()
    return page


def test_a_token_decides_what_is_shown_and_a_revoked_one_ends_it(browser: Any, tmp_path: Path) -> None:
    from recollect.interfaces.issuing import revoke

    path = tmp_path / "m.db"
    with recollect.open(path) as memory:
        memory.add("Ana's own note", user_id="ana")
        memory.add("Ben's own note", user_id="ben")
        reading = token(memory, "read", name="reader", user_id="ana")
    with listening(path, embedder="static", serve={"require_token": True}) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.page
        page.goto(visitor.address)
        page.get_by_role("heading", name="Sign in").wait_for()
        assert visitor.faults() == []
        page.get_by_label("Token").fill("rcl_000000000000_" + "A" * 43)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("alert").wait_for()
        page = _signed_in(visitor, reading)
        page.goto(f"{visitor.address}/#/memories")
        page.locator(".record").first.wait_for()
        assert "Ben" not in page.locator("main").inner_text()
        page.locator(".record").first.click()
        page.locator(".card .chip", has_text="read only").wait_for()
        assert page.get_by_role("button", name="Forget").count() == 0
        assert page.get_by_role("button", name="Remember").count() == 0
        assert page.evaluate("document.cookie") == "", "no script can read the token"
        with recollect.open(path) as memory:
            revoke(memory, "reader")
        page.get_by_text("Your session is over").wait_for()
        visitor.close()


def test_names_of_hostile_text_are_shown_as_text(browser: Any, hostile: str) -> None:
    visitor = Visitor(browser, hostile, DESKTOP)
    page = visitor.go("/people")
    found = page.request.get(f"{hostile}/v1/entities", params={"reach": "all", "limit": "60"}).json()["results"]
    assert found
    for each in found[:6]:
        visitor.go(f"/people/{each['id']}")
        page.locator(".entity-title").wait_for()
        visitor.settled()
        unharmed(visitor)
    visitor.close()


def test_a_session_of_hostile_text_shows_it_as_text(browser: Any, hostile: str) -> None:
    visitor = Visitor(browser, hostile, DESKTOP)
    page = visitor.go("/sessions")
    for at in range(4):
        page.locator(f".sessions .record[data-index='{at}']").click()
        page.locator(".turn").first.wait_for()
        page.get_by_role("button", name="What was known then").first.click()
        visitor.settled()
        unharmed(visitor)
    visitor.close()


def test_a_graph_of_hostile_text_shows_it_as_text(browser: Any, hostile: str) -> None:
    visitor = Visitor(browser, hostile, DESKTOP)
    page = visitor.go("/graph?fold=0")
    for at in range(4):
        page.locator(f".graph-list .record[data-index='{at}']").click()
        page.locator(".graph-name").wait_for()
        unharmed(visitor)
        page.get_by_role("button", name="Let go").click()
    visitor.close()
