"""A document that is read again: what stayed, what changed, what came and what went."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.store.rows import content_hash
from recollect.structure.compare import PieceChanges, changed
from recollect.structure.parse import pieces_of
from recollect.structure.piece import Piece

PARAGRAPH = "Ana and Ben agreed on number {} of the plan, and wrote down what it means for everybody on the team. "


def pieces(text: str, format: str = "markdown") -> tuple[Piece, ...]:
    return pieces_of(text + "\n", format).pieces


def compare(old: str, new: str, format: str = "markdown") -> PieceChanges:
    return changed({piece.key: content_hash(piece.text) for piece in pieces(old, format)}, pieces(new, format))


def document(*names: str) -> str:
    return "\n\n".join(f"# {name}\n\n{PARAGRAPH.format(name) * 3}" for name in names)


def long_section(*numbers: int) -> str:
    return "# Plan\n\n" + "\n\n".join(PARAGRAPH.format(number) * 30 for number in numbers)


def test_nothing_changed() -> None:
    changes = compare(document("A", "B"), document("A", "B"))
    assert len(changes.unchanged) == 2
    assert (changes.updated, changes.added, changes.vanished) == ([], [], [])


def test_one_section_changed_one_came_one_went() -> None:
    changes = compare(document("A", "B", "C"), document("A", "C", "D").replace("number C", "number seven"))
    assert [key for key, _ in changes.unchanged] == ["A#1"]
    assert [key for key, _ in changes.updated] == ["C#1"]
    assert [piece.key for piece in changes.added] == ["D#1"]
    assert changes.vanished == ["B#1"]


def test_a_section_that_moves_is_unchanged() -> None:
    changes = compare(document("A", "B"), document("B", "A"))
    assert len(changes.unchanged) == 2


def test_a_section_that_is_renamed_with_the_same_text_elsewhere_is_a_new_piece() -> None:
    changes = compare(document("A"), document("A").replace("# A", "# Renamed"))
    assert ([piece.key for piece in changes.added], changes.vanished) == (["Renamed#1"], ["A#1"])


def test_a_paragraph_put_in_between_does_not_change_the_rest() -> None:
    changes = compare(long_section(1, 2, 3, 4), long_section(1, 0, 2, 3, 4))
    assert len(changes.unchanged) == 4
    assert len(changes.added) == 1
    assert (changes.updated, changes.vanished) == ([], [])


def test_a_paragraph_changed_between_others_is_a_new_version_of_itself() -> None:
    changes = compare(long_section(1, 2, 3, 4), long_section(1, 0, 2, 33, 4))
    ((key, piece),) = changes.updated
    assert key == "Plan#3"
    assert "number 33" in piece.text
    assert len(changes.added) == 1


def test_a_function_that_changes_leaves_the_others_alone() -> None:
    function = (
        "def {0}(x):\n    # "
        + "what it does and why it does it in this way and in no other " * 2
        + "\n    return {1}\n\n\n"
    )
    old = "".join(function.format(name, 1) for name in "abc")
    new = "".join(function.format(name, 2 if name == "b" else 1) for name in ("zero", *"abc"))
    changes = compare(old, new, "python")
    assert [key for key, _ in changes.unchanged] == ["a#1", "c#1"]
    assert [key for key, _ in changes.updated] == ["b#1"]
    assert [piece.key for piece in changes.added] == ["zero#1"]


@given(st.lists(st.sampled_from("ABCDEF"), max_size=8), st.lists(st.sampled_from("ABCDEFG"), min_size=1, max_size=8))
def test_every_piece_and_every_old_key_is_in_one_list(old: list[str], new: list[str]) -> None:
    before = pieces(document(*old)) if old else ()
    after = pieces(document(*new))
    changes = changed({piece.key: content_hash(piece.text) for piece in before}, after)
    kept = [*changes.unchanged, *changes.updated]
    assert sorted([key for key, _ in kept] + changes.vanished) == sorted(piece.key for piece in before)
    assert sorted([piece.key for _, piece in kept] + [p.key for p in changes.added]) == sorted(p.key for p in after)
    texts = {piece.key: piece.text for piece in before}
    assert all(texts[key] == piece.text for key, piece in changes.unchanged)
