"""The graph in a real browser: looked at, narrowed, expanded, walked; with mouse, keys, as a list and on a phone."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from interfaces.rest_server import listening
from page.browsing import DESKTOP, PHONE, SIZES, Visitor

import recollect

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES)
CORE = Path(__file__).resolve().parents[2] / "recollect" / "interfaces" / "page" / "core"
SETTLED = "() => document.querySelector('canvas')?.dataset.state === 'settled'"


def drawn(visitor: Visitor, where: str = "/graph") -> Any:
    """The graph, once its dots stand still."""
    page = visitor.go(where)
    page.locator("canvas").wait_for()
    page.wait_for_function(SETTLED)
    return page


def nodes(visitor: Visitor) -> list[dict[str, Any]]:
    told = visitor.page.request.post(f"{visitor.address}/v1/verbs/network", data={"reach": "all"}).json()
    found: list[dict[str, Any]] = told["nodes"]
    return found


def ids(visitor: Visitor) -> dict[str, str]:
    return {each["text"]: each["id"] for each in nodes(visitor)}


def press(page: Any, key: str, count: int = 1) -> None:
    """Press a dot with the mouse."""
    place = page.evaluate("key => document.querySelector('canvas').placeOf(key)", key)
    page.locator("canvas").click(position=place, click_count=count)


@EVERY_SIZE
def test_a_node_is_chosen_in_the_drawing_and_shown_with_its_links(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = drawn(visitor)
    known = ids(visitor)
    press(page, known["Clara"])
    page.locator(".graph-name", has_text="Clara").wait_for()
    assert f"at={known['Clara']}" in page.url
    links = page.locator(".graph-joined li").all_inner_texts()
    assert any("prefers calls to mail" in each for each in links)
    page.locator(".graph-joined button", has_text="prefers calls").click()
    page.locator(".graph-name", has_text="bakery chain").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over the edge"
    again = visit(SIZES[size])
    again.page.goto(page.url)
    again.page.locator(".graph-name", has_text="bakery chain").wait_for()
    page.locator(".graph-does a", has_text="Open").click()
    page.locator(".card-text", has_text="bakery chain").wait_for()
    visitor.quiet()
    again.quiet()


def test_kinds_layers_and_relations_narrow_it(visit: Visit) -> None:
    visitor = visit()
    page = drawn(visitor)
    left = [each for each in nodes(visitor) if each["kind"] != "episodic"]
    assert 0 < len(left) < int(page.locator("canvas").get_attribute("data-nodes"))
    page.locator(".graph-chip", has_text="Episode").click()
    page.wait_for_function("count => Number(document.querySelector('canvas').dataset.nodes) === count", arg=len(left))
    assert page.locator(".graph-chip", has_text="Episode").get_attribute("aria-pressed") == "false"
    page.locator(".graph-chip", has_text="Episode").click()
    page.get_by_label("Relation", exact=True).select_option("contradicts")
    page.wait_for_function("() => document.querySelector('canvas').dataset.nodes === '2'")
    assert "label=contradicts" in page.url
    page.get_by_label("Relation", exact=True).select_option("")
    page.locator(".graph-chip", has_text="Names").click()
    page.wait_for_function("() => !/\\b80 links/.test(document.querySelector('.lead').textContent)")
    again = drawn(visit(), page.url.split("#")[1])
    assert again.locator(".graph-chip", has_text="Names").get_attribute("aria-pressed") == "false"
    visitor.quiet()


def test_the_slider_shows_what_was_there_at_a_time(visit: Visit) -> None:
    visitor = visit()
    page = drawn(visitor)
    every = int(page.locator("canvas").get_attribute("data-nodes"))
    page.get_by_label("As of").fill("40")
    page.wait_for_function("count => Number(document.querySelector('canvas').dataset.nodes) < count", arg=every)
    assert "when=" in page.url
    texts = " ".join(page.locator(".graph-row").all_inner_texts())
    assert "900 ms" not in texts, "that was said yesterday"
    page.get_by_label("As of").fill("200")
    page.wait_for_function("count => Number(document.querySelector('canvas').dataset.nodes) === count", arg=every)
    assert "when=" not in page.url
    visitor.quiet()


@EVERY_SIZE
def test_the_way_between_two_is_shown(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    known = ids(visitor)
    page = drawn(visitor, f"/graph?at={known['Inês']}")
    page.get_by_role("button", name="Path from here").click()
    page.get_by_text("Now choose the node").wait_for()
    press(page, known["Lisbon"])
    page.locator(".graph-path ol").wait_for()
    steps = page.locator(".graph-path li").all_inner_texts()
    assert "Inês" in steps[0]
    assert "Lisbon" in steps[-1]
    assert any("Clara" in each for each in steps[1:-1])
    assert visitor.faults() == []
    visitor.quiet()


def test_a_way_beyond_what_is_drawn_is_looked_for(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "chain.db"
    with recollect.open(path) as memory:
        chain = [memory.add(f"Link {at} of the chain", infer=False).id for at in range(6)]
        for one, other in pairwise(chain):
            memory.relate(one, other, "supports")
    with listening(path, embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = drawn(visitor, f"/graph?from={chain[0]}&at={chain[5]}&hidden=&layers=causes")
        page.get_by_text("along what is drawn").wait_for()
        page.get_by_role("button", name="Look further").click()
        page.locator(".graph-chip", has_text="Relations").click()
        page.locator(".graph-path ol").wait_for()
        assert page.locator(".graph-path li").count() == 6
        visitor.quiet()
        visitor.close()


def test_a_node_is_expanded(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    with recollect.open(path) as memory:
        middle = memory.add("The middle of it all", infer=False).id
        far = [memory.add(f"Far thing {at}", infer=False).id for at in range(30)]
        for each in far:
            memory.relate(middle, each, "relates_to")
        memory.add([f"Newer thing {at}" for at in range(700)], infer=False)
        strong = memory.get_all(limit=701).records
        for one, other in zip(strong[:600:2], strong[1:600:2], strict=True):
            memory.relate(one.id, other.id, "supports", weight=5.0)
    with listening(path, embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = drawn(visitor, "/graph?limit=500&fold=0")
        before = int(page.locator("canvas").get_attribute("data-nodes"))
        assert page.get_by_text("There is more than is drawn").count() == 1
        drawn(visitor, f"/graph?limit=500&fold=0&at={far[0]}")
        page.reload()
        page.locator(".graph-name", has_text="Far thing 0").wait_for()
        page.locator(".graph-joined button", has_text="The middle of it all").click()
        page.get_by_role("button", name="Expand").click()
        page.locator(".toast", has_text="more nodes").wait_for()
        page.wait_for_function("count => Number(document.querySelector('canvas').dataset.nodes) > count", arg=before)
        assert page.locator(".graph-joined li").count() == 30
        visitor.quiet()
        visitor.close()


def test_clusters_are_folded_and_unfolded(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "clusters.db"
    with recollect.open(path) as memory:
        for group in ("heron", "boat", "lamp"):
            found = [memory.add(f"The {group} number {at}", infer=False).id for at in range(8)]
            for at, one in enumerate(found):
                for other in found[at + 1 :]:
                    memory.relate(one, other, "similar_to")
    with listening(path, embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = drawn(visitor, "/graph?layers=relations&hidden=entity")
        every = int(page.locator("canvas").get_attribute("data-nodes"))
        page.get_by_label("Fold clusters").check()
        page.wait_for_function("() => Number(document.querySelector('canvas').dataset.nodes) <= 6")
        page.wait_for_function(SETTLED)
        page.locator(".graph-list .record", has_text="heron").first.click()
        page.wait_for_function("() => Number(document.querySelector('canvas').dataset.nodes) >= 9")
        assert int(page.locator("canvas").get_attribute("data-nodes")) < every
        visitor.quiet()
        visitor.close()


def test_the_drawing_is_walked_with_keys(visit: Visit) -> None:
    visitor = visit()
    page = drawn(visitor)
    page.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".graph-name").wait_for()
    first = page.locator(".graph-name").inner_text()
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    page.wait_for_function("name => document.querySelector('.graph-name').textContent !== name", arg=first)
    place = page.evaluate("key => document.querySelector('canvas').placeOf(key).x", ids(visitor)["Ana"])
    for key in ("+", "Shift+ArrowLeft", "-", "Shift+ArrowDown"):
        page.keyboard.press(key)
    assert page.evaluate("key => document.querySelector('canvas').placeOf(key).x", ids(visitor)["Ana"]) != place
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.locator(".graph-name").wait_for(state="detached")
    assert "at=" not in page.url
    visitor.quiet()


@EVERY_SIZE
def test_the_list_says_the_same_as_the_drawing(visit: Visit, size: str) -> None:
    visitor = visit(SIZES[size])
    page = drawn(visitor)
    page.get_by_label("Words of a node").fill("refunds")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.graph-row')].every(each => /refund/i.test(each.textContent))"
    )
    page.locator(".graph-list .record").first.focus()
    page.keyboard.press("j")
    page.wait_for_function("() => document.activeElement.dataset.index === '1'")
    page.keyboard.press("Enter")
    page.locator(".graph-name", has_text="efund").wait_for()
    page.get_by_label("List", exact=True).check(force=True)
    page.get_by_label("Words of a node").wait_for()
    visitor.quiet()


def test_what_others_store_is_drawn_by_itself(visit: Visit) -> None:
    visitor = visit()
    page = drawn(visitor)
    page.request.post(f"{visitor.address}/v1/memories", data={"content": "A heron stands on the roof"})
    page.get_by_label("Words of a node").fill("heron")
    page.locator(".graph-row", has_text="heron").wait_for()
    visitor.quiet()


def test_from_a_memory_to_the_graph(visit: Visit) -> None:
    visitor = visit()
    known = ids(visitor)
    page = visitor.go(f"/memories/{known['Refunds above 200 euros wait for Ana.']}")
    page.get_by_role("link", name="Show in the graph").click()
    page.locator(".graph-name", has_text="Refunds above 200").wait_for()
    visitor.quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, scheme: str) -> None:
    visitor = visit(DESKTOP if scheme == "light" else PHONE, color_scheme=scheme)
    page = drawn(visitor)
    assert visitor.faults() == []
    page.locator(".graph-list .record").first.click()
    page.locator(".graph-name").wait_for()
    assert visitor.faults() == []


def test_in_german(visit: Visit) -> None:
    visitor = visit(locale="de-DE")
    page = drawn(visitor)
    page.get_by_text("Gruppen falten").wait_for()
    page.locator(".graph-chip", has_text="Widersprüche").wait_for()
    visitor.quiet()


def test_an_empty_store_says_what_is_drawn_here(browser: Any, tmp_path: Path) -> None:
    with listening(tmp_path / "empty.db", embedder="static") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        page = visitor.go("/graph?at=%3Cscript%3E&layers=none&when=x&limit=7")
        page.get_by_text("Nothing to draw yet").wait_for()
        assert visitor.faults() == []
        visitor.quiet()
        visitor.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 10,000 records, in stars of twenty-five."""
    path = tmp_path_factory.mktemp("large") / "large.db"
    with recollect.open(path, embedder="none") as memory:
        for part in range(20):
            memory.add([f"Station {part * 500 + at} of line {part}" for at in range(500)], infer=False)
        keys = [each.id for each in memory.get_all(limit=10_000).records]
        for at in range(0, 10_000, 25):
            memory.relate(members=[(keys[at], "subject"), *((each, "object") for each in keys[at + 1 : at + 25])])
    return path


@pytest.mark.slow
def test_ten_thousand_nodes_are_drawn_and_answer_the_hand(browser: Any, large: Path) -> None:
    with listening(large, embedder="none") as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}", DESKTOP)
        visitor.context.set_default_timeout(120_000)
        page = drawn(visitor, "/graph?limit=10000")
        assert int(page.locator("canvas").get_attribute("data-nodes")) < 2_000, "clusters are folded at first"
        page = drawn(visitor, "/graph?limit=10000&fold=0")
        page.wait_for_function("() => Number(document.querySelector('canvas').dataset.nodes) === 10000")
        page.wait_for_function(SETTLED)
        turned = page.evaluate(
            """async () => {
              const canvas = document.querySelector('canvas'), taken = [];
              for (let at = 0; at < 40; at += 1) {
                const began = performance.now();
                canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: at < 20 ? -30 : 30, cancelable: true}));
                await new Promise(requestAnimationFrame);
                await new Promise(done => setTimeout(done, 0));
                taken.push(performance.now() - began);
              }
              return taken.sort((one, other) => one - other);
            }"""
        )
        print(f"10,000 nodes: from wheel to picture {turned[20]:.0f} ms in the median, {turned[-1]:.0f} ms at worst")
        assert turned[20] < 400
        visitor.quiet()
        visitor.close()


def run_of(code: str) -> Any:
    """What a few lines over `core/graph.js` say."""
    try:
        done = subprocess.run(
            [
                "node",
                "--input-type=module",
                "-e",
                f"import * as g from './graph.js'; console.log(JSON.stringify({code}))",
            ],
            cwd=CORE,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError:
        pytest.skip("no node to run modules with; the browser tests walk through the same")
    return json.loads(done.stdout)


def test_clusters_and_ways_by_themselves() -> None:
    links = [{"a": a, "b": b, "weight": 1} for a, b in ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3))]
    given = json.dumps(links)
    found = run_of(f"[...g.clusters(7, {given})]")
    assert found[0] == found[1] == found[2] != found[3] == found[4] == found[5] != found[6]
    assert run_of(f"g.way(7, {given}, 0, 5)") == [0, 2, 3, 5]
    assert run_of(f"g.way(7, {given}, 0, 6)") is None
    assert run_of(f"[...g.degrees(7, {given})]") == [2, 2, 3, 3, 2, 2, 0]
