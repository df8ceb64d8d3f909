"""What German and Spanish sentences tell: how many of those in `sentences/` are read as they should be."""

from __future__ import annotations

import pytest

from tests.language import sentence_files

FORTY = 40
WRONG_MAX = 1  # of forty; the rules were made with these sentences at hand


@pytest.mark.parametrize("code", ["de", "es"])
def test_the_times_that_a_sentence_names_are_read(code: str) -> None:
    assert len(sentence_files.dated(code, "told")) == FORTY
    wrong = sentence_files.told_wrongly(code)
    assert len(wrong) <= WRONG_MAX, "\n".join(wrong)


@pytest.mark.parametrize("code", ["de", "es"])
def test_the_time_that_a_question_asks_about_is_searched(code: str) -> None:
    assert len(sentence_files.dated(code, "asked")) == FORTY
    wrong = sentence_files.asked_wrongly(code)
    assert len(wrong) <= WRONG_MAX, "\n".join(wrong)


@pytest.mark.parametrize("code", ["de", "es"])
def test_changes_and_denials_are_read(code: str) -> None:
    assert len(sentence_files.changing(code)) == FORTY
    wrong = sentence_files.changes_read_wrongly(code)
    assert len(wrong) <= WRONG_MAX, "\n".join(wrong)


@pytest.mark.parametrize("code", ["de", "es"])
def test_short_sentences_are_told_to_be_of_their_language(code: str) -> None:
    unknown = sentence_files.told_as_another_language(code)
    assert len(unknown) <= 4, "\n".join(unknown)  # of 120; "Actualmente estudio Derecho." has no small word


@pytest.mark.parametrize(
    ("name", "told", "asked", "changes"), [("de_second", 0, 3, 7), ("es_second", 2, 3, 2)], ids=["de", "es"]
)
def test_no_more_is_read_wrongly_of_sentences_that_no_rule_was_made_for(
    name: str, told: int, asked: int, changes: int
) -> None:
    """As many as when the sentences were first read. A rule made for one of them would make the others say nothing."""
    assert len(sentence_files.told_wrongly(name)) <= told
    assert len(sentence_files.asked_wrongly(name)) <= asked
    assert len(sentence_files.changes_read_wrongly(name)) <= changes
