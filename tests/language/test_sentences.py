"""Where sentences end, and what a sentence is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.sentences import SENTENCE_CHARS_MAX
from recollect.language.spoken import each_sentence, sentences_of
from recollect.limits import PERCEIVED_CHARS_MAX

SPLITS = [
    ("Ana left. Ben stayed.", ["Ana left.", "Ben stayed."]),
    ("Really?! Yes... maybe. Fine!", ["Really?!", "Yes... maybe.", "Fine!"]),
    ("Dr. Ana met Mr. J. Ben at 3.5 km.", ["Dr. Ana met Mr. J. Ben at 3.5 km."]),
    ("The landlord is Sr. Albuquerque. He is old.", ["The landlord is Sr. Albuquerque.", "He is old."]),
    ("I met Ken Hall Sr. He is old.", ["I met Ken Hall Sr.", "He is old."]),
    ("I read J.K. Rowling. It is good.", ["I read J.K. Rowling.", "It is good."]),
    ("Meet me in St. Louis at No. 5, e.g. Mon.", ["Meet me in St. Louis at No. 5, e.g. Mon."]),
    ("We meet at 5 p.m. on Friday. Come.", ["We meet at 5 p.m. on Friday.", "Come."]),
    ("We meet at 5 p.m. Bring tea.", ["We meet at 5 p.m.", "Bring tea."]),
    (
        "Open config.toml or app.py. See https://a.example/b?c=1. Done.",
        ["Open config.toml or app.py.", "See https://a.example/b?c=1.", "Done."],
    ),
    ("Use e.g. tabs, i.e. one. Ok", ["Use e.g. tabs, i.e. one.", "Ok"]),
    ("No. I do not. Version no. 5 is out", ["No.", "I do not.", "Version no. 5 is out"]),
    ("It is mine, not I. Go.", ["It is mine, not I.", "Go."]),
    ("i like it. it is good", ["i like it.", "it is good"]),
    ("We got a dog 🐶🎉 so happy", ["We got a dog 🐶🎉", "so happy"]),
    ("Nice!😀 Go on.", ["Nice!😀", "Go on."]),
    ('She said "Stop. Now." and left. Then rain.', ['She said "Stop. Now." and left.', "Then rain."]),
    ("“What? No!” he said. Fine.", ["“What? No!” he said.", "Fine."]),
    ("我喜欢茶。你呢？好！", ["我喜欢茶。", "你呢？", "好！"]),
    ("مرحبا. كيف حالك؟ جيد", ["مرحبا.", "كيف حالك؟", "جيد"]),
    (
        "- tabs\n* spaces\n1. first\n2) second\n(a) third\n• fourth",
        ["tabs", "spaces", "first", "second", "third", "fourth"],
    ),
    ("- [x] done\n- [ ] open", ["done", "open"]),
    ("# Plan\nWe ship.", ["Plan", "We ship."]),
    ("**Budget:** 500 euros", ["500 euros"]),
    ("one\r\n\r\ntwo", ["one", "two"]),
    ("", []),
    (" \n\t ", []),
]


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_a_text_falls_into_its_sentences(text: str, expected: list[str]) -> None:
    assert [each.text for each in sentences_of(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Do you like tea",
        "and what about you",
        "Is it ready?",
        "how was Rome",
        "Any plans for Friday",
        "好吗？",
        "So, is that it?!",
    ],
)
def test_a_question_is_one_with_or_without_its_mark(text: str) -> None:
    assert sentences_of(text)[-1].is_question


@pytest.mark.parametrize(
    "text", ["When I was twelve, I moved", "What I like is tea", "I know how it works", "Who knows."]
)
def test_a_statement_with_a_question_word_is_no_question(text: str) -> None:
    assert not sentences_of(text)[0].is_question


def test_code_between_fences_is_one_piece_and_marked() -> None:
    found = sentences_of("Look. Here:\n```py\nx = 1. Y\nz = 2\n```\nIt works. Good.")
    assert [each.text for each in found if not each.in_code] == ["Look.", "Here:", "It works.", "Good."]
    assert [each.text for each in found if each.in_code] == ["```py\nx = 1. Y\nz = 2\n```"]


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    found = sentences_of("Look.\n```\nx = 1\nmore text. Still code.")
    assert [each.in_code for each in found] == [False, True]


def test_quoted_lines_and_sentences_in_quotation_marks_are_marked() -> None:
    found = sentences_of('> Ana wrote this.\nI did not. "We did."')
    assert [each.in_quote for each in found] == [True, False, True]


def test_a_sentence_without_an_end_is_cut() -> None:
    found = sentences_of("word " * 2_000)
    assert len(found) > 1
    assert max(len(each.text) for each in found) <= SENTENCE_CHARS_MAX


@given(st.text(max_size=400))
def test_spans_hold_the_text_in_order(text: str) -> None:
    last = 0
    for each in sentences_of(text):
        assert text[slice(*each.span)] == each.text
        assert each.text.strip() == each.text != ""
        assert each.span[0] >= last
        last = each.span[1]


@given(
    st.lists(
        st.sampled_from(['"', "`", ". ", "! ", "\n", "> ", "```\n", "a", "I ", "😀", "。", "- ", "..."]), max_size=60
    )
)
def test_marks_in_any_order_are_survived(parts: list[str]) -> None:
    text = "".join(parts)
    assert all(text[slice(*each.span)] == each.text for each in sentences_of(text))


def test_the_beginning_of_a_very_long_text_is_read() -> None:
    found = sentences_of("It rains. " * PERCEIVED_CHARS_MAX)
    assert found[-1].span[1] <= PERCEIVED_CHARS_MAX


@pytest.mark.parametrize(
    "hostile", ['"' * 20_000, "." * 50_000, "a. " * 20_000, "`a " * 20_000, "```" * 10_000, "> " * 20_000]
)
def test_hostile_texts_take_no_longer_than_their_length(hostile: str) -> None:
    begun = time.process_time()
    for _ in each_sentence(hostile):
        pass
    assert time.process_time() - begun < 2.0
