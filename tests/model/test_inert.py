"""Markup that acts is stilled, whatever it is woven into; what people note stays as it is."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.active_markup import HALVES, ORDINARY, PAYLOADS, TRICKY, UNSEEN, active, active_in_markdown, parsed

from recollect.model.showable import in_html, in_markdown, inert, inert_data, showable

# Signs of which all markup is made, and pieces of it: joined at random they are mostly broken, and sometimes not.
SIGNS = (
    *"!([<>)]:/\\\"'`*_#|~=- \n\t&;",
    "](",
    "![",
    "]: ",
    "x",
    "<img",
    " src=",
    "<a",
    " href=",
    "<script>",
    "&#106;",
)
PIECES = (
    *SIGNS,
    *HALVES,
    *PAYLOADS,
    *TRICKY,
    *UNSEEN,
    *ORDINARY,
    "https://evil.example/",
    "javascript:",
    "\u200b",
    "\u202e",
    "\r",
    "```",
)
woven = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@pytest.mark.parametrize("text", [*PAYLOADS, *TRICKY])
def test_markup_that_acts_is_stilled_and_can_be_read(text: str) -> None:
    assert active(text) or text in TRICKY, "a payload that does nothing shows nothing"
    assert not active(inert(text))
    assert "palm" in inert(text)
    assert inert(inert(text)) == inert(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_people_note_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![a map](https://x.example/m.png)", "[image: a map] (https://x.example/m.png)"),
        ("[the docs](https://docs.rs/x), [here](docs/a.md)", "[the docs] (https://docs.rs/x), [here](docs/a.md)"),
        ("<img src=a.png>", "&lt;img src=a.png>"),
        ("[r]: https://x.example 'title'", "[r] : https://x.example 'title'"),
    ],
)
def test_a_link_shows_where_it_leads_and_an_image_is_told(text: str, shown: str) -> None:
    assert inert(text) == shown


@settings(max_examples=300, deadline=None)
@given(woven)
def test_nothing_woven_of_markup_acts(text: str) -> None:
    told = inert(text)
    assert not active(told)
    assert inert(told) == told
    assert showable(told) == told


@settings(max_examples=300, deadline=None)
@given(woven, woven)
def test_a_document_of_markdown_has_the_structure_that_we_gave_it(text: str, name: str) -> None:
    written = f"## {in_markdown(name, one_line=True)}\n\n- {in_markdown(text)}\n".replace("\n", "\n  ").replace(
        "\n  - ", "\n- "
    )
    tokens = parsed(written)
    assert not active_in_markdown(written)
    assert sum(each.type == "heading_open" for each in tokens) == 1, "no text makes a heading"
    assert not any(each.type in ("html_block", "fence", "hr") for each in tokens)


@settings(max_examples=300, deadline=None)
@given(st.lists(woven, max_size=4))
def test_nothing_acts_that_several_texts_make_together(texts: list[str]) -> None:
    """As lines of a window, and as strings of an answer in JSON."""
    told = [inert(text) for text in texts]
    assert not active_in_markdown("\n".join(f"#1b9d6bcd .82 {each}" for each in told))
    assert not active_in_markdown(json.dumps([{"memory": each, "id": "x"} for each in told], ensure_ascii=False))


@given(woven)
def test_a_page_holds_text_and_no_tags(text: str) -> None:
    shown = in_html(text)
    assert not set("<>\"'") & set(shown)
    assert showable(shown) == shown


def test_every_text_in_an_answer_is_stilled_names_of_its_parts_too() -> None:
    image = "![x](https://evil.example/)"
    told = inert_data({image: [image, {"a": (image, 3, None, True)}], 1: 2.5})
    assert told == {inert(image): [inert(image), {"a": [inert(image), 3, None, True]}], 1: 2.5}


@pytest.mark.parametrize(
    "piece",
    [
        "![",
        "](",
        "<a",
        "]: a",
        "[",
        "<img src=",
        '<a b="',
        '<a b="> src=',
        "<a b='\" src=",
        "\u200b",
        " src=",
        "<a<",
        "](&",
        "]:a:",
        "<data",
    ],
)
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    began = time.process_time()
    inert(text)
    in_markdown(text)
    assert time.process_time() - began < 1.0
