"""Counting and cutting texts as tokenizers do."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.providers.tokens import (
    BYTE_LEVEL,
    COUNTS_KEPT,
    IMAGE_TOKENS,
    NORMALISED,
    PORTION_CHARS,
    RATIOS,
    Counter,
    counter_for,
    encoding,
    scaled,
)

TOKENIZERS = sorted(BYTE_LEVEL | NORMALISED | RATIOS.keys())
# Any text at all, halves of characters too; and text that tokenizers are built for.
ANY = st.text(st.characters(exclude_categories=()), max_size=200)
WORDS = st.lists(
    st.sampled_from(["Ana", " moved", " Helix", "\n", "  ", "naïve", "东京", "🎉", "don't", "1234", "});", "ελ"]),
    max_size=60,
).map("".join)


@pytest.mark.parametrize(
    ("model", "text", "tokens"),
    [
        ("gpt-4o", "hello world", 2),
        ("gpt-4", "hello world", 2),
        ("gpt-4o", "Ana moved from vim to Helix.", 8),
        ("gpt-4o", "    return {name: len(rows) for name, rows in found.items()}", 16),
        ("gpt-4o", "Ana ist von Vim zu Helix gewechselt.", 10),
        ("gpt-4o", "アナはエディタを変えました。", 11),
        ("gpt-4", "アナはエディタを変えました。", 13),
        ("gpt-4o", "<|endoftext|>", 7),
        ("gpt-4o", "", 0),
        ("gpt-4o", "\x00", 1),
        ("llama3.1:8b", "hello world", 2),
        ("gemini-2.5-pro", "hello world", 2),
    ],
)
def test_published_vocabularies_are_counted_exactly(model: str, text: str, tokens: int) -> None:
    """The figures are those of tiktoken with OpenAI's own files."""
    counter = counter_for(model)
    assert counter.exact
    assert counter.count(text) == tokens


def test_what_is_not_published_is_said_to_be_an_estimate() -> None:
    for model in ("claude-opus-4-6", "grok-4", "our-own-model", None):
        counter = counter_for(model)
        assert not counter.exact
        english = "Ana moved from vim to Helix because it needs no configuration at all."
        assert counter_for("gpt-4o").count(english) < counter.count(english) < 2 * len(english.split()) + 10


def test_newer_claude_models_take_more_tokens() -> None:
    text = "def find(rows):\n    return [row for row in rows if row.name == 'Ana']\n"
    assert counter_for("claude-opus-4-6").count(text) < counter_for("claude-opus-4-7").count(text)


def test_scripts_have_ratios_of_their_own() -> None:
    assert scaled("ab", 10, RATIOS["claude"]) == 12
    assert scaled("東京", 10, RATIOS["claude"]) == 13
    assert scaled("a東", 10, RATIOS["claude"]) == 13, "the mean, rounded up"
    assert scaled("{}", 10, RATIOS["claude"]) == 17
    assert scaled("\ud800", 1, RATIOS["claude"]) >= 1


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@settings(max_examples=40, deadline=None)
@given(text=ANY | WORDS, tokens=st.integers(-1, 40))
def test_a_cut_is_a_beginning_that_fits(tokenizer: str, text: str, tokens: int) -> None:
    counter = Counter(tokenizer)
    cut = counter.cut(text, tokens)
    assert text.startswith(cut)
    assert counter.count(cut) <= max(tokens, 0)
    if counter.count(text) <= tokens:
        assert cut == text


@settings(max_examples=150, deadline=None)
@given(text=WORDS, tokens=st.integers(0, 60))
def test_a_larger_limit_never_gives_less(text: str, tokens: int) -> None:
    counter = counter_for("gpt-4o")
    assert counter.cut(text, tokens + 1).startswith(counter.cut(text, tokens))


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "llama3.1"])
@settings(max_examples=150, deadline=None)
@given(one=WORDS, other=WORDS)
def test_two_texts_together_are_no_longer_than_both(model: str, one: str, other: str) -> None:
    """Where they meet a word may be cut otherwise, which costs a few tokens at most."""
    counter = counter_for(model)
    together, apart = counter.count(one + other), counter.count(one) + counter.count(other)
    assert together <= apart + 2
    assert together >= max(counter.count(one), counter.count(other)) - 2


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_cuts_never_split_a_character(tokenizer: str) -> None:
    counter = Counter(tokenizer)
    text = "👩‍👩‍👧🎉ḫ東 " * 20
    for tokens in range(1, 60):
        assert text.startswith(counter.cut(text, tokens))
    assert "\ufffd" not in counter.cut(text, 31)


def test_a_cut_comes_close_to_its_limit() -> None:
    text = "Ana moved from vim to Helix. Der Umzug dauerte zwei Tage (nothing broke). " * 400
    for model, least in (("gpt-4o", 1.0), ("gpt-4", 1.0), ("gemini-2.5-pro", 0.95), ("claude-opus-4-6", 0.95)):
        counter = counter_for(model)
        assert least * 1_000 <= counter.count(counter.cut(text, 1_000)) <= 1_000


@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-6"])
def test_ten_megabytes_are_counted_and_cut(model: str) -> None:
    counter = Counter(counter_for(model).tokenizer)
    line = "Ana moved from vim to Helix, and Ben stayed where he was.\n"
    text = line * (10_000_000 // len(line))
    started = time.perf_counter()
    counted = counter.count(text)
    assert 0.95 < counted / (counter.count(line) * (10_000_000 // len(line))) < 1.05
    assert counter.count(counter.cut(text, 500)) <= 500
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    "text", ["x" * 3_000_000, " " * 3_000_000, "\n" * 3_000_000, "é" * 1_000_000, "東" * 1_000_000]
)
def test_one_endless_word_is_counted(text: str) -> None:
    counter = Counter("o200k_base")
    started = time.perf_counter()
    assert 0 < counter.count(text) <= len(text.encode())
    assert counter.count(counter.cut(text, 100)) <= 100
    assert time.perf_counter() - started < 20


def test_long_texts_are_counted_in_portions_without_a_difference() -> None:
    text = "".join(
        f"Line {number}: Ana's notes (draft)\n  about {number * 7} things, don't worry. " for number in range(9_000)
    )
    assert len(text) > 2 * PORTION_CHARS
    vocabulary = encoding("o200k_base")
    assert vocabulary.count(text) == len(vocabulary.ids(text))


def test_half_a_character_counts_as_its_replacement() -> None:
    counter = counter_for("gpt-4o")
    assert counter.count("a\ud800b") == counter.count("a\ufffdb")
    assert counter.cut("\ud800" * 50, 5) == "\ud800" * len(counter.cut("\ud800" * 50, 5))


def test_counts_are_kept_and_few() -> None:
    counter = Counter("o200k_base")
    texts = [f"note {number}" for number in range(COUNTS_KEPT + 5_000)]
    first = counter.count_many(texts)
    assert len(counter._kept) <= COUNTS_KEPT
    assert counter.count_many(texts) == first


def test_threads_share_a_counter() -> None:
    counter, found = Counter("cl100k_base"), []
    texts = [f"Ana wrote note {number}" for number in range(COUNTS_KEPT // 2)]

    def work(start: int) -> None:
        found.append(sum(counter.count_many(texts[start:] + texts[:start])))

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 1_000, 5_000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert len(set(found)) == 1


def test_one_counter_serves_all_models_of_a_tokenizer() -> None:
    assert counter_for("gpt-4o") is counter_for("openai/gpt-5-mini-2025-08-07")


# --- messages ---------------------------------------------------------------------------------------------


def test_messages_cost_more_than_their_words() -> None:
    counter = counter_for("gpt-4o")
    messages = [{"role": "system", "content": "You are helpful"}, {"role": "user", "content": "Hello there"}]
    words = counter.count("You are helpful") + counter.count("Hello there")
    assert counter.count_messages(messages) == words + 2 * 4 + 3, "three around each, its role, three for the answer"
    assert counter.count_messages([]) == 0


def test_every_part_of_a_message_counts() -> None:
    counter = counter_for("gpt-4o")
    plain = counter.count_messages([{"role": "user", "content": "Look"}])
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "data:…" + "A" * 10_000}}]
    assert counter.count_messages([{"role": "user", "content": parts}]) == plain + IMAGE_TOKENS
    call = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}
    assert counter.count_messages([call]) > 10
    named = [{"role": "user", "content": "Look", "name": "Ana"}]
    assert counter.count_messages(named) == plain + counter.count("Ana")


@pytest.mark.parametrize("content", [b"\x00\xff" * 500, {"rows": [1, {2: b"\x01"}]}, 7, None, [], [None, b"\x01", 3.5]])
def test_whatever_a_tool_answers_is_counted(content: object) -> None:
    counted = counter_for("gpt-4o").count_messages([{"role": "tool", "content": content}])
    assert 7 <= counted < 3_000
