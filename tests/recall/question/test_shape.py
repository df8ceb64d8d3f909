"""Words against meaning, by the form of a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.reading import RecallSettings
from recollect.recall.question.shape import text_share

SETTINGS = RecallSettings()

# Steps up for signs of a factual query, down for signs of a conceptual one.
SIGNS = {
    "what port does the server use": (0, 0),
    "Ana likes the green garden chairs": (0, 0),
    "billing": (1, 0),
    "the spare keys": (1, 0),
    "what runs on port 8443 of staging": (1, 0),
    "where do we call parse_config in tests": (1, 0),
    "who changed recall.rrf_k and where to": (1, 0),
    "the line in src/api/routes that fails": (1, 0),
    'who said "never on a Friday" to me': (1, 0),
    "who said 'never on a Friday' to me": (1, 0),
    "what's Ana's idea of Ben's new garden": (0, 0),  # apostrophes quote nothing
    "Ana went home. Ben stayed at the party.": (0, 0),  # full stops name nothing
    "how does authentication work here": (0, 1),
    "why do we avoid milk at home": (0, 1),
    "explain the release process to me": (0, 1),
    "what is entropy exactly": (0, 1),
    "what is the number of the dentist": (0, 0),
    "wie kann ich den Dienst neu starten": (0, 1),
    "pourquoi la réunion est-elle annulée": (0, 1),
    "the story Ana told about the boat and the storm": (0, 1),
    "how do the parts of the new office fit together": (0, 2),
    "why?": (1, 1),
    "v2.1": (3, 0),
    "会议室": (1, 0),
    "上周我们在办公室里讨论的新项目计划": (0, 1),
}


@pytest.mark.parametrize("text", SIGNS)
def test_signs_move_the_balance(text: str) -> None:
    factual, conceptual = SIGNS[text]
    moved = SETTINGS.text_share + factual * SETTINGS.factual_step - conceptual * SETTINGS.conceptual_step
    assert text_share(text, SETTINGS) == pytest.approx(moved)


def test_the_balance_stays_within_its_bounds() -> None:
    assert text_share('"src/a_b.py" 42', SETTINGS) == SETTINGS.text_share_max
    steep = RecallSettings(conceptual_step=0.5)
    assert text_share("how do the parts of the new office fit together", steep) == steep.text_share_min


@pytest.mark.parametrize("text", ["", "  ", "?!", "…"])
def test_a_text_without_words_says_nothing(text: str) -> None:
    assert text_share(text, SETTINGS) == SETTINGS.text_share


def test_only_the_head_of_a_long_text_is_looked_at() -> None:
    head = "the story Ana told about the boat and the storm " * 30
    assert text_share(head + "42 " * 50_000, SETTINGS) == text_share(head, SETTINGS)


@given(st.text(max_size=200))
def test_every_text_has_a_share(text: str) -> None:
    assert SETTINGS.text_share_min <= text_share(text, SETTINGS) <= SETTINGS.text_share_max
