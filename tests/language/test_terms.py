"""One analysis of text for every index: what counts as the same word."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.language.terms import query_terms, terms_of
from recollect.limits import QUERY_TERMS_MAX


def meet(stored: str, asked: str) -> bool:
    return bool(set(terms_of(stored)) & set(query_terms(asked)))


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("She moved to Oslo", "moving"),
        ("The CATS sleep", "cat"),
        ("I bought a bike", "buy"),
        ("Ben taught physics", "teaching"),
        ("We ate early", "eats"),
        ("She went home", "going"),
        ("Two children sang", "child singing"),
        ("Ana's editor", "ana"),
        ("Ana’s editor", "Ana"),
        ("dont", "don't"),
        ("Müller called", "muller"),
        ("a café in Łódź", "cafe"),
        ("naïve", "NAIVE"),
        ("STRASSE", "straße"),
        ("A\u0301ngel arrived", "Ángel"),  # letter and accent apart, as some file systems give them
        ("ﬁne print", "fine"),
        ("ｆｕｌｌ width", "full"),
        ("about x²", "x2"),
        ("call parse_config() first", "parse_config"),
        ("call parse_config() first", "config"),
        ("parseConfigFile", "config file"),
        ("parseConfigFile", "parseconfigfile"),
        ("HTTPServer", "server"),
        ("release v1.2-rc3", "v1.2-rc3"),
        ("mail ada@example.org", "ada@example.org"),
        ("mail ada@example.org", "example"),
        ("ask @ada", "@ada"),
        ("see #roadmap", "roadmap"),
        ("in src/app/main.py", "main.py"),
        ("東京に住んでいる", "東京"),
        ("한국어를 배운다", "한국어"),
        ("Я живу в Осло", "осло"),
        ("iPhone15を買った", "iphone15"),
    ],
)
def test_these_find_each_other(stored: str, asked: str) -> None:
    assert meet(stored, asked)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("cat", "dog"),
        ("a red rose", "rise"),
        ("parse_config", "parser"),
        ("1.2", "12"),
        ("東京", "京東"),
        ("...", "---"),
        ("", "x"),
    ],
)
def test_these_do_not(stored: str, asked: str) -> None:
    assert not meet(stored, asked)


def test_terms_keep_order_and_repeats_for_the_index() -> None:
    assert terms_of("tea, more tea") == ["tea", "more", "tea"]


def test_an_identifier_is_kept_whole_and_in_parts() -> None:
    assert terms_of("parse_config") == ["parse_config", "pars", "config"]


def test_chinese_japanese_and_korean_are_pairs_of_characters() -> None:
    assert terms_of("東京都") == ["東京", "京都"]
    assert terms_of("猫") == ["猫"]


def test_a_question_leaves_out_its_function_words_and_repeats() -> None:
    assert query_terms("Where does Ana live? Ana, where is she?") == ["ana", "live"]


def test_a_question_of_function_words_only_keeps_them() -> None:
    assert query_terms("to be or not to be") == ["not"]
    assert query_terms("who is it?") == ["who", "is", "it"]


def test_nothing_to_look_for_gives_no_terms() -> None:
    assert terms_of("") == terms_of("?!… — ()") == query_terms("…") == []


def test_a_question_has_a_bounded_number_of_terms() -> None:
    assert len(query_terms(" ".join(f"word{i}" for i in range(500)))) == QUERY_TERMS_MAX


def test_a_very_long_word_is_cut_the_same_way_everywhere() -> None:
    (term,) = terms_of("x" * 10_000)
    assert len(term) <= 64
    assert query_terms("x" * 10_000) == [term]


def test_threads_get_the_same_stems() -> None:
    words = [f"running{i} jumped{i} flies{i}" for i in range(300)]
    expected = [terms_of(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(terms_of, words * 4)) == expected * 4


def test_a_word_of_an_indic_script_stays_one_term() -> None:
    assert len(terms_of("हिन्दी")) == 1


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("Was hat die Bank gesagt?", ["bank", "gesagt"]),
        ("¿Qué empresa patrocina el maillot del club?", ["empresa", "patrocina", "maillot", "club"]),
        ("Where is El Paso?", ["el", "paso"]),
        ("Did he die in the war?", ["die", "war"]),
    ],
)
def test_a_question_loses_the_function_words_of_its_own_language(question: str, terms: list[str]) -> None:
    assert query_terms(question) == terms
