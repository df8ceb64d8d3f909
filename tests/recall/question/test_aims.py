"""What a question is after, in the languages that the weights were learned from."""

from __future__ import annotations

import pytest

from recollect.recall.question.aims import aims_of
from recollect.recall.question.present import asks_how_it_developed


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("Where do my parents live at the moment?", "now"),
        ("Wo wohnen meine Eltern zurzeit?", "now"),
        ("¿Dónde viven ahora mis padres?", "now"),
        ("When did Ben sell the boat?", "past"),
        ("Wann hat Ben das Boot verkauft?", "past"),
        ("¿Cuándo vendió Ben el barco?", "past"),
        ("How has our rent gone up over the years?", "development"),
        ("Wie hat sich unsere Miete entwickelt?", "development"),
        ("¿Cómo ha ido subiendo nuestro alquiler?", "development"),
    ],
)
def test_the_likeliest_aim_is_told_in_each_language(text: str, aim: str) -> None:
    aims = aims_of(text)
    assert sum(aims) == pytest.approx(1)
    assert getattr(aims, aim) == max(aims)
    assert asks_how_it_developed(text) is (aim == "development")


def test_a_question_of_unknown_words_or_none_has_an_aim_too() -> None:
    assert sum(aims_of("Zzyzx qwrt?")) == pytest.approx(1)
    assert sum(aims_of("")) == pytest.approx(1)
