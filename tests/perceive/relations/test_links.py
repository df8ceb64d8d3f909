"""What a text points at."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.perceive.relations.links import LINKS_MAX, TextLink, links_in, slug_of

ID = "7b3c9a52-90ab-4c8e-9d11-0123456789ab"


@pytest.mark.parametrize(
    ("text", "sort", "target", "anchor"),
    [
        ("See [the page](docs/cache.md#how-long).", "path", "docs/cache.md", "how-long"),
        ("See [below](#how-long).", "path", "", "how-long"),
        ('A [page](a%20b.md "with a title").', "path", "a b.md", ""),
        ("Ben edits docs/cache.md often.", "path", "docs/cache.md", ""),
        ("It is in `recall/hyde.py`.", "path", "recall/hyde.py", ""),
        (":doc:`guide/cache`", "path", "guide/cache", ""),
        (":doc:`The cache <guide/cache>`", "path", "guide/cache", ""),
        ("`The cache <guide/cache.rst>`_", "path", "guide/cache.rst", ""),
        ("At https://example.org/tea.", "url", "https://example.org/tea", ""),
        ("[Tea](https://example.org/tea#green)", "url", "https://example.org/tea", "green"),
        (f"As said in {ID}.", "id", ID, ""),
        ('See "How long" below.', "title", "How long", ""),
        ("Under “How long” more is told.", "title", "How long", ""),
        ("see section **How long**", "title", "How long", ""),
        ("`Brewer.steep` waits.", "code", "Brewer.steep", ""),
        ("`steep()` waits.", "code", "steep", ""),
        ("`TeaPot` waits.", "code", "TeaPot", ""),
    ],
)
def test_pointers(text: str, sort: str, target: str, anchor: str) -> None:
    (link,) = links_in(text)
    assert (link.sort, link.target, link.anchor) == (sort, target, anchor)
    assert link.name in text


@pytest.mark.parametrize(
    "text",
    [
        "Ana has a cat.",
        "`records` and `file_path` are words",
        "and/or, 3.5, e.g. this",
        "[mail](mailto:ana@example.org)",
        'She said "How long" to Ben.',
        "[tea]: https://example.org/tea",
        "",
    ],
)
def test_what_points_at_nothing(text: str) -> None:
    assert links_in(text) == ()


def test_each_once_in_order_and_not_without_end() -> None:
    assert [link.target for link in links_in("b.md, a.md, b.md")] == ["b.md", "a.md"]
    assert len(links_in(" ".join(f"page{number}.md" for number in range(500)))) == LINKS_MAX


def test_headings_have_slugs() -> None:
    assert slug_of("How `long`, then? Ünü") == "how-long-then-ünü"


@given(st.text(alphabet='ab./-_[]()`"“” :#\n<>*', max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert all(isinstance(link, TextLink) for link in links_in(text))


@pytest.mark.parametrize("piece", ["[", "a/", "`a.", "[a](", ":doc:`", "see “", "a.b/", "-", "https://"])
def test_hostile_text_is_read_in_no_time(piece: str) -> None:
    begun = time.process_time()
    assert len(links_in(piece * 20_000)) <= LINKS_MAX
    assert time.process_time() - begun < 1.0
