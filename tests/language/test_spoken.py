"""The language of a text is told once, and what is read of it follows from that."""

from __future__ import annotations

import timeit
from datetime import UTC, datetime

import pytest

import recollect
from recollect.language.base import SKILLS
from recollect.language.detect import detected
from recollect.language.spoken import SUPPORTED, language_for, language_named, question_phrases
from recollect.recall.question.signs import SIGNS

NOW = datetime(2024, 5, 16, 10, tzinfo=UTC)
DETECTION_US_MAX = 30.0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ich arbeite jetzt bei Siemens.", "de"),
        ("Where do I work?", "en"),
        ("Je travaille chez Renault avec mon frère.", "fr"),
        ("ok", "en"),
        ("Dr. Ana met Mr. J. Ben at 3.5 km.", "en"),
    ],
)
def test_a_text_is_read_in_its_language_and_in_english_where_that_is_unsure(text: str, code: str) -> None:
    assert language_for(text).code == code


@pytest.mark.parametrize("code", [*SUPPORTED, "fr", "ja"])
def test_every_language_answers_the_whole_protocol(code: str) -> None:
    language = language_named(code)
    assert language.code == code
    assert language.skills == (frozenset(SKILLS) if code in SUPPORTED else frozenset())
    assert [each.text for each in language.sentences("Ana 2024. Ben 2025!")] == ["Ana 2024.", "Ben 2025!"]
    assert language.words("Ana ruft") == ["ana", "ruft"]
    assert language.stem("Haus")
    assert isinstance(language.stop_words(), frozenset)
    (time,) = language.times("2024-05-03", NOW)
    assert time.start.date().isoformat() == "2024-05-03"
    assert language.stretch("2024-05-03", NOW) is not None
    assert list(language.event_in("…")) == []
    assert language.recently_in("…") is None
    assert set(language.questions()) <= {sign.name for sign in SIGNS}
    assert language.states("…") == ()
    assert not language.denies("Ana")
    assert not language.tells_change("Ana")


def test_every_sign_of_a_question_has_phrases() -> None:
    assert set(question_phrases()) == {sign.name for sign in SIGNS}


@pytest.mark.parametrize("text", ["Where do I work?", "Ich arbeite jetzt bei Siemens in der Nähe von Bonn."])
def test_telling_a_language_costs_next_to_nothing(text: str) -> None:
    detected(text)  # lists are read when the first text comes
    best = min(timeit.repeat(lambda: detected.__wrapped__(text), number=200, repeat=20)) / 200
    assert best * 1e6 <= DETECTION_US_MAX


def test_what_is_in_a_language_without_rules_is_kept_and_the_receipt_says_what_was_not_read() -> None:
    with recollect.open(":memory:") as memory:
        receipt = memory.add("Je travaille chez Renault depuis hier, et mon frère aussi.")
        assert [told for told in receipt.missing if "not read in fr" in told]
        assert receipt.statements == ()
        assert memory.search("Renault").hits[0].content.startswith("Je travaille")
        assert memory.add("Ich arbeite bei Siemens.").missing == ()


def test_a_german_state_that_changed_is_answered_by_the_newer_turn() -> None:
    with recollect.open(":memory:") as memory:
        for said, at in (("Ich arbeite bei Bosch.", "2023-01-10"), ("Ich arbeite jetzt bei Siemens.", "2024-03-02")):
            memory.add([{"role": "user", "content": said, "timestamp": at}])
        report = memory.consolidate()
        assert report.counts == {"retired": 1}
        assert memory.search("Wo arbeite ich?").hits[0].content == "Ich arbeite jetzt bei Siemens."
