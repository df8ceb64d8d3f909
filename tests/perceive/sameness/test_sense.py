"""Texts that say the same in other words, and all the ways in which texts only look like that."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.perceive.sameness.sense import READ_CHARS_MAX, says_the_same, sense_of, senses_agree

WORDS = st.sampled_from(
    "Ana Ben uses likes lives in Rome tea coffee and the a 3 120 two Friday May on not really doesn't any more she is "
    "using vim Helix v1.2 $5 10% , because before after".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=14).map(" ".join).filter(lambda text: text.strip(", ") != "")

SAME = [
    ("Ana uses Helix", "ana uses helix."),
    ("Ana uses Helix", "“Ana uses Helix!”"),
    ("Ana uses **Helix**", "Ana uses Helix"),
    ("By the way, Ana uses Helix", "Ana actually uses Helix"),
    ("Well, Ana uses Helix too", "And Ana also uses Helix"),
    ("Ana doesn't use vim", "Ana does not use vim"),
    ("Ana doesnt use vim anymore", "Ana no longer uses vim"),
    ("I'm a doctor", "I am a doctor"),
    ("Ana's a doctor", "Ana is a doctor"),
    ("It's been great", "It has been great"),
    ("Ana has two cats", "Ana has 2 cats"),
    ("Ben paid $1,200", "Ben paid 1200 dollars"),
    ("The test takes 120ms", "The test takes 120 ms"),
    ("The meeting is at 3pm", "The meeting is at 3:00 p.m."),
    ("Ben left on 5 Dec", "Ben left on December 5th"),
    ("On Friday, Ana met Ben", "Ana met Ben on Friday"),
    ("In 2019 Ana moved to Lima", "Ana moved to Lima in 2019"),
    ("Ana likes tea and coffee", "Ana likes coffee and tea"),
    ("Ana and Ben run Atlas", "Ben and Ana run Atlas"),
    ("Ana is using Rust", "Ana uses Rust"),
    ("Ana is working at Acme", "Ana works at Acme"),
    ("Ana likes hiking", "Ana likes to hike"),
    ("Ana said that Ben left", "Ana said Ben left"),
    ("Ana's favourite colour is blue", "Ana's favorite color is blue"),
    ("Ana lives in Rome at the moment", "Ana lives in Rome right now"),
    ("Ana benutzt Helix", "ana benutzt helix!"),
]
DIFFERENT = [
    ("Ana has 2 cats", "Ana has 3 cats"),
    ("Ana has two cats", "Ana has three cats"),
    ("Ana has cats", "Ana has a cat"),
    ("Ana has a few friends", "Ana has few friends"),
    ("All tests pass", "Most tests pass"),
    ("Ana uses vim", "Ana does not use vim"),
    ("Ana can swim", "Ana cannot swim"),
    ("Ana may swim", "Ana must swim"),
    ("Ana lives in Rome", "Ana lived in Rome"),
    ("Ana lives in Rome", "Ben lives in Rome"),
    ("Ana lives in Rome", "Ana lives in Lima"),
    ("Ana manages Ben", "Ben manages Ana"),
    ("Ben flew from Rome to Lima", "Ben flew from Lima to Rome"),
    ("Ana loves Ben and Carla hates Dana", "Ana loves Carla and Ben hates Dana"),
    ("Ana met Ben and Carla left", "Ana met Carla and Ben left"),
    ("Ana drinks red wine and beer", "Ana drinks red beer and wine"),
    ("Ana and Ben chose tea and milk respectively", "Ben and Ana chose tea and milk respectively"),
    ("The release is on Monday", "The release is on Friday"),
    ("The release is on 5 May", "The release is on 5 June"),
    ("The release is before May", "The release is after May"),
    ("Ana ran yesterday", "Ana ran"),
    ("Ana uses C", "Ana uses C++"),
    ("Use version 1.2", "Use version 1.2.0"),
    ("See src/app.py", "See src/app.pyc"),
    ("The key is aB12", "The key is Ab12"),
    ("Call __init__ first", "Call init first"),
    ("It weighs 10²", "It weighs 102"),
    ("It weighs 5 pounds", "It weighs £5"),
    ("Plan A won", "Plan won"),
    ("Ana uses vim", "Ana uses vim?"),
    ("Ana uses vim", "Maybe Ana uses vim"),
    ("Ana uses vim", "I think Ana uses vim"),
    ("Ana uses just vim", "Ana uses vim"),
    ("Well water is clean", "Water is clean"),
    ("Ana does not really like tea", "Ana does not like tea"),
    ("Great 👍", "Great 👎"),
    ("Ana stopped to smoke", "Ana stopped smoking"),
    ("Ana is working on Friday", "Ana works on Friday"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert says_the_same(one, other)
    assert says_the_same(other, one)
    assert sense_of(one).number() == sense_of(other).number()


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_only_looks_the_same(one: str, other: str) -> None:
    assert not says_the_same(one, other)
    assert not says_the_same(other, one)


@given(TEXTS)
def test_a_text_says_the_same_as_itself(text: str) -> None:
    assert says_the_same(text, text)
    assert says_the_same(text, f"  {text.replace(' ', '  ')}. ")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared_either_way(one: str, other: str) -> None:
    assert says_the_same(one, one)
    assert says_the_same(one, other) is says_the_same(other, one)


@given(TEXTS, TEXTS, TEXTS)
def test_one_sense_makes_one_group(one: str, other: str, third: str) -> None:
    texts = (one, other, third, f"Oh, {one}", f"{other}!")
    for a in texts:
        for b in texts:
            assert (sense_of(a).number() == sense_of(b).number()) is senses_agree(sense_of(a), sense_of(b), overlap=0.0)


@given(TEXTS, st.data())
def test_another_digit_says_something_else(text: str, data: st.DataObject) -> None:
    places = [at for at, mark in enumerate(text) if mark in "0123456789"]
    if places:
        at = data.draw(st.sampled_from(places))
        digit = data.draw(st.sampled_from([mark for mark in "0123456789" if mark != text[at]]))
        assert not says_the_same(text, text[:at] + digit + text[at + 1 :])


@given(TEXTS, st.data())
def test_a_not_says_something_else(text: str, data: st.DataObject) -> None:
    words = text.split()
    at = data.draw(st.integers(0, len(words)))
    assert not says_the_same(text, " ".join([*words[:at], "not", *words[at:]]))


@given(TEXTS, st.data())
def test_another_name_says_something_else(text: str, data: st.DataObject) -> None:
    words = text.split()
    at = data.draw(st.integers(0, len(words) - 1))
    assert not says_the_same(text, " ".join([*words[:at], "Galway", *words[at + 1 :]]))


def test_too_many_fillers_are_not_overlooked() -> None:
    plain, filled = "Ana swims", "Honestly, Ana basically really actually also swims"
    assert says_the_same(plain, filled, overlap=0.2)
    assert not says_the_same(plain, filled)


def test_scopes_number_their_senses_apart() -> None:
    sense = sense_of("Ana uses Helix")
    assert sense.number(1) != sense.number(2)


def test_who_says_i_matters() -> None:
    assert sense_of("I like tea").personal
    assert not sense_of("Ana likes tea").personal


def test_a_long_text_is_compared_letter_by_letter() -> None:
    text = "Ana uses the Helix editor. " * (READ_CHARS_MAX // 20)
    assert says_the_same(text, text.upper())
    assert not says_the_same(text, text.replace("the ", "", 1))


def test_fifty_candidates_are_compared_in_a_millisecond() -> None:
    new = sense_of("On Friday, Ana and Ben talked about the release of Atlas 3")
    candidates = [sense_of(f"Ana and Ben talked about the release of Atlas {number} on Friday") for number in range(50)]
    best = min(_seconds(lambda: [senses_agree(new, each) for each in candidates]) for _ in range(5))
    assert best < 0.001


def _seconds(run: object) -> float:
    assert callable(run)
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin
