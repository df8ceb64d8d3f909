"""How a text feels: by its words, by how they are said, and by what happened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.writing import AffectSettings
from recollect.language import lists
from recollect.limits import GIST_CHARS_MAX
from recollect.model.record import Affect
from recollect.perceive.traits.affect import LEARNED, affect_of
from recollect.perceive.turn import perceive_text

PLEASANT = [
    "Thanks, that's perfect!",
    "I love this library",
    "not bad at all",
    "It works like a charm",
    "we won 🎉",
    "I can't wait to see Ana",
    "soooo happy",
    "well-made and witty :)",
    "Ben likes tea",
]
UNPLEASANT = [
    "I am frustrated, it is broken again",
    "This isn't good",
    "what a tedious mess",
    "too slow",
    "I hate it",
    "it would be great, but it crashes",
    "My dog died 😭",
    "Ana is fed up with the outages",
]
NEUTRAL = [
    "I use Rust and React",
    "We moved to Lisbon in May",
    "It looks like rain",
    "What kind of tree is this?",
    "",
    "…",
]


@pytest.mark.parametrize("text", PLEASANT)
def test_pleasant_texts_have_a_positive_valence(text: str) -> None:
    assert affect_of(text).valence > 0.05


@pytest.mark.parametrize("text", UNPLEASANT)
def test_unpleasant_texts_have_a_negative_valence(text: str) -> None:
    assert affect_of(text).valence < -0.05


@pytest.mark.parametrize("text", NEUTRAL)
def test_a_text_without_feeling_is_all_zero(text: str) -> None:
    assert affect_of(text) == Affect()


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("It is good", "It is very good"),
        ("It is slightly good", "It is good"),
        ("It is good", "It is GOOD"),
        ("It is good", "It is good!!!"),
        ("It is good, but slow", "It is slow, but good"),
        ("I love it", "I loooove it"),
        ("It should have been great", "It was great"),
        ("It is good. " + "And so on. " * 20, "It is good."),
    ],
)
def test_how_a_word_is_said_changes_its_weight(weaker: str, stronger: str) -> None:
    assert affect_of(weaker).valence < affect_of(stronger).valence


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("LOL I like that", 1),
        ("Hahaha, you made my day", 1),
        ("nobody cares about us", -1),
        ("My back hurts, get out", -1),
    ],
)
def test_words_that_were_learned_add_to_those_with_a_rating(text: str, sign: int) -> None:
    assert affect_of(text).valence * sign > 0.05


def test_what_was_learned_says_nothing_of_who_somebody_is() -> None:
    learned = {word for grams in lists.sections("en", LEARNED).values() for gram in grams for word in gram.split()}
    assert learned.isdisjoint({"gay", "muslim", "black", "women", "immigrants", "jewish", "old", "trans"})
    assert len(learned) > 500


def test_words_of_another_language_are_not_read_as_english() -> None:
    german = "Ich war gestern in der Stadt und die Sonne war da"
    assert affect_of(german).valence < 0  # read as English, "war" and "die" are sad
    assert affect_of(german, english=False) == Affect()
    assert affect_of("Ich habe die Prüfung bestanden 🎉 !!", english=False).valence > 0.2
    assert perceive_text(german).affect == Affect()


def test_words_of_work_are_hardly_felt() -> None:
    assert abs(affect_of("Kill the process and abort the fatal job").valence) < 0.2
    assert affect_of("The murderer killed me with hate").valence < -0.3


def test_signals_of_the_situation_are_added() -> None:
    settings = AffectSettings()
    plain = affect_of("The job is over")
    failed = affect_of("The job is over", outcome="failure")
    assert failed.valence == pytest.approx(plain.valence + settings.outcome_valence["failure"])
    assert failed.intensity == pytest.approx(plain.intensity + settings.outcome_intensity["failure"])
    assert affect_of("The job is over", outcome="success").valence == pytest.approx(settings.outcome_valence["success"])
    corrected = affect_of("The job is over", corrected=True)
    assert corrected.intensity == pytest.approx(settings.correction_intensity)
    novel = affect_of("The job is over", novel=True)
    assert (novel.intensity, novel.surprise) == (settings.novelty_intensity, settings.novelty_intensity)


def test_urgency_and_emphasis_add_intensity() -> None:
    settings = AffectSettings()
    calm = affect_of("Answer the mail of Ana").intensity
    assert affect_of("Answer the mail of Ana ASAP").intensity - calm >= settings.urgency_intensity
    assert affect_of("Answer the MAIL of Ana").intensity - calm == pytest.approx(settings.emphasis_intensity)


def test_settings_are_obeyed() -> None:
    deaf = AffectSettings(marker_valence=0.0, marker_intensity=0.0)
    assert affect_of("I love it", settings=deaf) == Affect()


def test_arousal_needs_both_a_direction_and_intensity() -> None:
    felt = affect_of("It finally works!!! I LOVE it 🎉")
    assert felt.arousal == pytest.approx(abs(felt.valence) * felt.intensity, abs=1e-3)
    assert felt.arousal > 0.5 > affect_of("It is nice").arousal
    assert affect_of("Send it ASAP").arousal == 0.0


def test_surprise_and_dominance() -> None:
    assert affect_of("Wow, I can't believe that Ben came!").surprise > 0.5
    assert affect_of("Ben came, which is nice").surprise == 0.0
    assert affect_of("I'm stuck and overwhelmed, no idea why").dominance < 0.5
    assert affect_of("I fixed it, we will definitely win").dominance > 0.5


@given(st.text(max_size=300))
def test_every_figure_stays_within_its_range(text: str) -> None:
    felt = affect_of(text, outcome="failure", corrected=True, novel=True)
    assert -1.0 <= felt.valence <= 1.0
    assert all(0.0 <= figure <= 1.0 for figure in (felt.arousal, felt.intensity, felt.dominance, felt.surprise))


def test_of_a_long_text_the_beginning_counts() -> None:
    assert affect_of("x " * GIST_CHARS_MAX + "I love it") == Affect()
