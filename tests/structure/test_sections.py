"""Sections become pieces: small ones together, large ones cut, code and tables whole, all of it found again."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.structure.parse import pieces_of
from recollect.structure.piece import Parsed, Piece, PieceSizes

LETTERS = re.compile(r"\w")
SENTENCE = "Ana wrote down what the team had agreed on. "
LINES = (
    "",
    "# Plan",
    "## Budget",
    "### Risks",
    "text of Ben",
    SENTENCE * 4,
    "- item",
    "```",
    "x = 1",
    "| a | b |",
    "|---|---|",
    "é" * 90,
    "日本" * 60,
)


def read(text: str, **sizes: Any) -> Parsed:
    return pieces_of(text + "\n", "markdown", sizes=PieceSizes(**sizes))


def by_key(parsed: Parsed) -> dict[str, Piece]:
    return {piece.key: piece for piece in parsed.pieces}


def test_a_piece_knows_its_section_lines_and_level() -> None:
    text = f"# Atlas\n\n{SENTENCE * 3}\n\n## Sync\n\n{SENTENCE * 3}\n\n### Conflicts\n\n{SENTENCE * 3}\n"
    piece = by_key(read(text))["Atlas > Sync > Conflicts#1"]
    assert piece.place.section_path == ("Atlas", "Sync", "Conflicts")
    assert piece.place.line_range == (9, 11)
    assert piece.heading_level == 3
    assert piece.text.startswith("### Conflicts\n\nAna wrote")
    assert piece.parent == "Atlas > Sync > Conflicts"


def test_small_sections_stay_apart() -> None:
    parsed = read(f"Read me.\n\n# Atlas\n\n## Owner\n\nAna.\n\n## Goal\n\n{SENTENCE * 3}\n\n# Other\n\nNo.")
    assert [(piece.place.section_path, piece.text.split("\n")[0]) for piece in parsed.pieces] == [
        ((), "Read me."),
        (("Atlas", "Owner"), "# Atlas"),
        (("Atlas", "Goal"), "## Goal"),
        (("Other",), "# Other"),
    ]


def test_headings_that_lead_to_no_text_are_together() -> None:
    parsed = read("# Atlas\n\n## Todo\n\n## Later\n\n# Limits\n\n## Offline\n\nNone.\n\n## More")
    assert [(piece.place.section_path, piece.text.count("#")) for piece in parsed.pieces] == [
        (("Atlas", "Todo, Later"), 5),
        (("Limits", "Offline"), 3),
        (("Limits", "More"), 2),
    ]


def test_small_sections_join_the_next_where_they_need_not_be_apart() -> None:
    text = f"# Atlas\n\n## Owner\n\nAna.\n\n## Goal\n\n{SENTENCE * 3}\n\n# Other\n\n{SENTENCE * 3}"
    parsed = read(text, sections_apart=False)
    assert [piece.place.section_path for piece in parsed.pieces] == [("Atlas", "Owner, Goal"), ("Other",)]


def test_a_heading_without_text_goes_with_the_section_below_it() -> None:
    (piece,) = read(f"# Atlas\n\n## Goal\n\n{SENTENCE * 3}").pieces
    assert piece.place.section_path == ("Atlas", "Goal")
    assert piece.text.startswith("# Atlas\n\n## Goal")


def test_a_small_section_does_not_join_a_higher_one() -> None:
    text = f"# A\n\n{SENTENCE * 3}\n\n## Small\n\nOne line.\n\n# B\n\n{SENTENCE * 3}"
    parsed = read(text, sections_apart=False)
    assert [piece.text.count("#") for piece in parsed.pieces] == [3, 1]
    assert "One line." in parsed.pieces[0].text


def test_large_sections_are_cut_between_paragraphs() -> None:
    paragraphs = [f"Paragraph {number}. {SENTENCE * 10}".strip() for number in range(30)]
    parsed = read("# Long\n\n" + "\n\n".join(paragraphs))
    assert len(parsed.pieces) > 3
    for piece in parsed.pieces:
        assert piece.text.split("\n\n")[-1] in paragraphs
        assert piece.place.section_path == ("Long",)


def test_large_paragraphs_are_cut_between_sentences() -> None:
    parsed = read(SENTENCE * 500)
    assert len(parsed.pieces) > 4
    assert all(piece.text.startswith("Ana") and piece.text.endswith("on.") for piece in parsed.pieces)


def test_a_code_block_that_fits_is_never_cut() -> None:
    code = "```python\n" + "\n\n".join(f"def f{number}():\n    return {number}" for number in range(130)) + "\n```"
    parsed = read(f"# Code\n\n{SENTENCE * 40}\n\n{code}\n\n{SENTENCE * 40}")
    assert len(code) > 3_000
    (holder,) = [piece for piece in parsed.pieces if "```" in piece.text]
    assert code in holder.text
    assert (holder.section_type, holder.language) == ("code", "python")


def test_a_table_that_is_too_large_keeps_its_head_on_every_part() -> None:
    rows = [f"| {number} | Ben paid in {number} times |" for number in range(400)]
    parsed = read("| n | what |\n|---|---|\n" + "\n".join(rows))
    assert len(parsed.pieces) > 2
    assert all(piece.text.startswith("| n | what |\n|---|---|\n") for piece in parsed.pieces)
    assert all(sum(row in piece.text for piece in parsed.pieces) == 1 for row in rows)
    assert {piece.section_type for piece in parsed.pieces} == {"table"}


def test_the_same_heading_twice_is_two_sections() -> None:
    parsed = read(f"# Log\n\n## Fixed\n\n{SENTENCE * 3}\n\n## Fixed\n\n{SENTENCE * 3}")
    assert [piece.key for piece in parsed.pieces] == ["Log > Fixed#1", "Log > Fixed ~2#1"]


def test_the_tree_has_every_section_and_its_parents() -> None:
    parsed = read(f"# A\n\n{SENTENCE * 3}\n\n## B\n\n### C\n\n{SENTENCE * 3}\n\n## D\n\n{SENTENCE * 3}")
    tree = parsed.tree
    assert tree is not None
    assert [(section.key, section.lines) for section in tree.sections] == [
        ("", (1, 13)),
        ("A", (1, 13)),
        ("A > B", (5, 10)),
        ("A > B > C", (7, 10)),
        ("A > D", (11, 13)),
    ]
    assert [section.title for section in tree.children("A")] == ["B", "D"]
    assert [section.title for section in tree.ancestors("A > B > C")] == ["B", "A", ""]
    assert {piece.parent for piece in parsed.pieces} <= {section.key for section in tree.sections}


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=60), st.booleans())
def test_pieces_are_small_enough_in_order_and_lose_no_word(lines: list[str], apart: bool) -> None:
    text = "start\n\n" + "\n".join(lines)
    sizes = PieceSizes(chars_min=50, chars_max=300, bytes_max=500, sections_apart=apart)
    parsed = pieces_of(text, "markdown", sizes=sizes)
    kept = "".join(piece.text for piece in parsed.pieces)
    assert Counter(LETTERS.findall(kept)) >= Counter(LETTERS.findall(text))  # the head of a table may be there twice
    assert all(len(piece.text) <= 300 and len(piece.text.encode()) <= 500 for piece in parsed.pieces)
    assert [piece.order for piece in parsed.pieces] == list(range(len(parsed.pieces)))
    assert len({piece.key for piece in parsed.pieces}) == len(parsed.pieces)
    first_lines = [piece.place.line_range[0] for piece in parsed.pieces if piece.place.line_range]
    assert first_lines == sorted(first_lines)


def test_headings_ten_thousand_deep_are_bounded() -> None:
    """reStructuredText and numbered headings may go as deep as they like."""
    numbered = "\n\n".join(f"{'.'.join('1' * depth)} Part {depth}\n\n{SENTENCE * 3}" for depth in range(1, 11)) * 1_000
    parsed = pieces_of(numbered, "text")
    assert max(len(piece.place.section_path) for piece in parsed.pieces) <= 16
    html = "".join(
        f"<div><section><h{depth % 6 + 1}>T{depth}</h{depth % 6 + 1}><p>{SENTENCE}" for depth in range(10_000)
    )
    assert max(len(piece.place.section_path) for piece in pieces_of(html, "html").pieces) <= 16
    assert pieces_of("#" * 10_000 + " deep\n", "markdown").pieces
