"""reStructuredText, HTML, plain text and PDF as blocks."""

from __future__ import annotations

import io
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from recollect.structure import plain, rst, webpage
from recollect.structure.blocks import Blocks
from recollect.structure.parse import pieces_of


def shape(read: Blocks) -> list[tuple[str, int, int]]:
    return [(block.title or str(block.type), block.level, block.first) for block in read.items]


def test_rst_levels_follow_the_order_in_which_underlines_appear() -> None:
    text = "=====\nAtlas\n=====\n\nIntro.\n\nSync\n----\n\nText.\n\nDetail\n~~~~~~\n\nEnd\n---\n"
    assert shape(rst.read(text)) == [
        ("Atlas", 1, 1),
        ("prose", 0, 5),
        ("Sync", 2, 7),
        ("prose", 0, 10),
        ("Detail", 3, 12),
        ("End", 2, 15),
    ]


def test_rst_directives_literals_tables_and_comments() -> None:
    text = (
        "Use it::\n\n    import atlas\n\n    atlas.run()\n\n.. code-block:: python\n\n   x = 1\n\n"
        ".. a comment\n   of two lines\n\n.. note::\n   Ask Ana.\n\n+---+---+\n| a | b |\n+---+---+\n\n"
        "=== ===\na   b\n=== ===\n1   2\n=== ===\n\n- one\n- two\n\n>>> 1 + 1\n2\n"
    )
    read = rst.read(text)
    assert [(str(block.type), block.language) for block in read.items] == [
        ("prose", None),
        ("code", None),
        ("code", "python"),
        ("prose", None),
        ("table", None),
        ("table", None),
        ("list", None),
        ("code", "python"),
    ]
    assert not any("comment" in block.text for block in read.items)


def test_an_rst_target_is_the_anchor_of_the_title_below_it() -> None:
    (title,) = rst.read(".. _setup:\n\nSetting up\n==========\n").items
    assert title.anchor == "setup"


def test_html_says_what_a_reader_sees() -> None:
    page = (
        "<!doctype html><html><head><title>Atlas &amp; Co</title><style>p{}</style>"
        "<script>if (a<b) {}</script></head>\n"
        "<body><nav><a href='/'>Home</a></nav>\n<h1 id=top>Atlas</h1>\n<p>Ana &lt;ana&gt; <b>leads</b>\nit.</p>\n"
        "<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul>\n<pre><code class='language-py'>def f():\n    pass"
        "</code></pre>\n<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>\n"
        "<blockquote><p>Said Ben.</p></blockquote><img alt='A chart'></body></html>"
    )
    read = webpage.read(page)
    assert read.title == "Atlas & Co"
    assert [(str(block.type), block.text) for block in read.items] == [
        ("prose", "Atlas"),
        ("prose", "Ana <ana> leads it."),
        ("list", "- one"),
        ("list", "- two"),
        ("list", "  - inner"),
        ("code", "def f():\n    pass"),
        ("table", "a | b\n1 | 2"),
        ("quote", "Said Ben."),
        ("prose", "A chart"),
    ]
    assert read.items[0].anchor == "top"
    assert [block.first for block in read.items[:3]] == [3, 4, 6]
    assert read.items[5].language == "py"


def test_a_head_without_an_end_hides_nothing() -> None:
    read = webpage.read("<head><title>T</title><h1>Atlas</h1><p>Text")
    assert (read.title, [block.text for block in read.items]) == ("T", ["Atlas", "Text"])


def test_an_unclosed_script_is_noted() -> None:
    read = webpage.read("<p>before</p><script>var a = '<p>';")
    assert [block.text for block in read.items] == ["before"]
    assert "never closed" in read.notes[0]


@pytest.mark.parametrize(
    "page",
    [
        "<!--" * 250_000,
        "<div>" * 200_000 + "x" + "</div>" * 200_000,
        "<table><tr><td>" * 60_000 + "x",
        "<a <b " * 150_000 + ">",
        "<a \"'" * 200_000,
        "<a '" * 200_001 + ">",
        "&amp;" * 200_000 + "&lol9;" * 10_000,
        "<" * 1_000_000,
        "<![CDATA[" * 100_000,
        "<script>" * 100_000,
        "<ul><li>" * 60_000 + "x",
        "<nav>" * 100_000 + "x",
    ],
    ids="comments deep tables tags quotes quote entities less cdata scripts lists nav".split(),
)
def test_html_bombs_take_linear_time(page: str) -> None:
    started = time.process_time()
    read = webpage.read(page)
    assert time.process_time() - started < 10
    assert sum(len(block.text) for block in read.items) <= len(page)


def test_plain_text_headings() -> None:
    text = "1. Setup\n\nInstall it.\n\n1.1 Details\n\nMore of it.\n\nREMARKS\n\nNone.\n\nNotes\n=====\nFor Ben.\n"
    assert shape(plain.read(text)) == [
        ("1. Setup", 1, 1),
        ("prose", 0, 3),
        ("1.1 Details", 2, 5),
        ("prose", 0, 7),
        ("REMARKS", 1, 9),
        ("prose", 0, 11),
        ("Notes", 1, 13),
        ("prose", 0, 15),
    ]


def test_items_of_a_plain_list_are_no_headings() -> None:
    read = plain.read("1. Buy milk\n\n2. Call Ana\n\n3. Rest")
    assert not any(block.level for block in read.items)


def pdf_with(*pages: str) -> bytes:
    """A small PDF, written by hand so that the test needs no library that draws."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        shown = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 72 720 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        number = len(objects)
        kids.append(f"{number + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode())
    start = out.tell()
    rows = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode())
    return out.getvalue()


def test_pages_of_a_pdf_are_places(tmp_path: Path) -> None:
    line = "Ana leads the sync project and Ben reviews every change that is made to it."
    file = tmp_path / "plan.pdf"
    file.write_bytes(pdf_with(f"{line}\n{line}", f"Second page. {line}\n{line}"))
    parsed = pieces_of(file)
    assert parsed.skipped is None
    assert [(piece.place.anchor, piece.place.section_path) for piece in parsed.pieces] == [
        ("page=1", ("Page 1",)),
        ("page=2", ("Page 2",)),
    ]
    assert "Second page." in parsed.pieces[1].text
    assert parsed.pieces[0].place.line_range is None


def test_a_pdf_that_takes_too_long_ends_at_the_page_it_has_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, 1.0, 2.0, 100.0])
    monkeypatch.setattr("recollect.structure.pdf.time", SimpleNamespace(monotonic=lambda: next(times)))
    file = tmp_path / "plan.pdf"
    file.write_bytes(pdf_with("First page of the plan", "Second page of it", "Third page of it"))
    parsed = pieces_of(file)
    assert {piece.place.anchor for piece in parsed.pieces} == {"page=1", "page=2"}
    assert any("takes too long to read" in note for note in parsed.notes)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"not a pdf at all", "is not a PDF"),
        (b"%PDF-1.7\n" + b"\x00\xff" * 500, "cannot be read"),
        (pdf_with("text")[:200], "cannot be read"),
        (pdf_with(""), "holds no text"),
    ],
    ids=["other", "garbage", "cut off", "pictures"],
)
def test_a_pdf_that_is_none_says_so(tmp_path: Path, data: bytes, reason: str) -> None:
    file = tmp_path / "plan.pdf"
    file.write_bytes(data)
    parsed = pieces_of(file)
    assert parsed.pieces == ()
    assert reason in (parsed.skipped or "")
