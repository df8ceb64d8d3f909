"""The reader that ships: probabilities that add up, the same for the same texts, and sensible in plain cases."""

from __future__ import annotations

import time

import pytest

from recollect.clock import DAY_US
from recollect.config.keeping import ReaderSettings
from recollect.model.pair import LABELS, PairLabel, PairReading, SaidText, TextPair
from recollect.perceive.reader.boosted import BoostedReader
from recollect.perceive.reader.features import NAMES, features_of
from recollect.perceive.reader.outcome import PairOutcome, outcome_of, outcomes_of_parts


def pair(older: str, newer: str, *, days: int = 40, role: str = "user", speaker: str = "Ana") -> TextPair:
    return TextPair(
        older=SaidText(text=older, speaker="Ana", role="user", at=0),
        newer=SaidText(text=newer, speaker=speaker, role=role, at=days * DAY_US),
    )


def over(older: str, newer: str) -> float:
    (reading,) = BoostedReader().read([pair(older, newer)])
    return reading.over


def test_probabilities_add_up_and_do_not_depend_on_the_texts_beside_them() -> None:
    reader = BoostedReader()
    pairs = [
        pair("The staging server listens on port 8080.", "staging answers on 9090 since the move"),
        pair("", "?"),
        pair("Ich wohne in Graz.", "Der Umzug nach Linz ist geschafft."),
    ]
    together = reader.read(pairs)
    assert [reading.probabilities for reading in together] == [reader.read([each])[0].probabilities for each in pairs]
    for reading in together:
        assert sum(reading.probabilities) == pytest.approx(1.0)
        assert min(reading.probabilities) >= 0.0


@pytest.mark.parametrize(
    ("older", "changed", "apart"),
    [
        (
            "Rent for the flat is 900 a month, due on the 1st.",
            "Rent goes out at 980 a month since the new contract, the flat hasn't changed.",
            "Any tips for getting red wine out of a carpet?",
        ),
        (
            "I take the 43 bus to work every morning.",
            "Sold my bus pass, I cycle to work every morning now.",
            "My sister had twins, both fine.",
        ),
    ],
)
def test_a_later_text_with_another_value_is_likelier_to_end_than_one_about_something_else(
    older: str, changed: str, apart: str
) -> None:
    assert over(older, changed) > 2 * over(older, apart)


def test_features_have_a_name_each_and_reading_is_quick() -> None:
    pairs = [pair(f"Meeting room {number} holds 12 people", f"Room {number} holds 14 people") for number in range(64)]
    assert features_of(pairs).shape == (64, len(NAMES))
    reader = BoostedReader()
    reader.read(pairs)
    begin = time.perf_counter()
    reader.read(pairs)
    assert (time.perf_counter() - begin) / len(pairs) < 0.005  # ten times what it takes on an idle machine


def reading(probability: float, label: PairLabel = PairLabel.REPLACES) -> PairReading:
    rest = {label: probability, PairLabel.UNRELATED: 1.0 - probability}
    return PairReading.of([rest.get(each, 0.0) for each in LABELS])


def test_two_thresholds_tell_over_from_doubtful_and_from_what_holds() -> None:
    settings = ReaderSettings()
    assert outcome_of(reading(settings.over_min), settings).outcome is PairOutcome.OVER
    assert outcome_of(reading(settings.doubt_min), settings).outcome is PairOutcome.DOUBTED
    assert outcome_of(reading(settings.doubt_min - 0.01), settings).outcome is PairOutcome.HOLDS
    assert outcome_of(reading(0.99, PairLabel.ADDS), settings).outcome is PairOutcome.HOLDS
    assert outcome_of(reading(0.9, PairLabel.ENDS), settings).reason == "a later text says that it is over"


def test_a_statement_is_over_only_where_its_turn_is() -> None:
    settings = ReaderSettings()
    sure, unsure, never = reading(0.9), reading(settings.doubt_min), reading(0.0)
    assert [each.outcome for each in outcomes_of_parts(sure, [never, unsure, sure], settings)] == [
        PairOutcome.HOLDS,
        PairOutcome.DOUBTED,
        PairOutcome.OVER,
    ]
    assert [each.outcome for each in outcomes_of_parts(unsure, [sure], settings)] == [PairOutcome.DOUBTED]
    assert [each.outcome for each in outcomes_of_parts(never, [sure], settings)] == [PairOutcome.HOLDS]
