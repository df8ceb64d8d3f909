"""What is known about language models, by whatever name they are called."""

from __future__ import annotations

import pytest

from recollect.config import load_config
from recollect.config.window import ContextSettings, ModelsSettings
from recollect.errors import ConfigInvalid
from recollect.model.capabilities import ESTIMATED
from recollect.providers.capabilities import capabilities, priced
from recollect.providers.capabilities_table import lines
from recollect.providers.tokens import BYTE_LEVEL, NORMALISED, RATIOS


@pytest.mark.parametrize(
    ("model", "matched", "window"),
    [
        ("claude-opus-4-6-20260115", "claude-opus-4.6", 1_000_000),
        ("claude-opus-4.6", "claude-opus-4.6", 1_000_000),
        ("claude-opus-4-20250514", "claude-opus-4", 200_000),
        ("anthropic:claude-sonnet-4-5", "claude-sonnet-4.5", 200_000),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4.5", 200_000),
        ("claude-3-5-haiku", "claude-3.5", 200_000),
        ("claude-3-opus", "claude-3", 200_000),
        ("gpt-5-mini-2025-08-07", "gpt-5", 400_000),
        ("openai/gpt-4o-mini", "gpt-4o", 128_000),
        ("gpt-4", "gpt-4", 8_192),
        ("gpt-4-turbo-2024-04-09", "gpt-4-turbo", 128_000),
        ("gpt-4.1-nano", "gpt-4.1", 1_047_576),
        ("gpt-3.5-turbo-0125", "gpt-3.5-turbo", 16_385),
        ("codex-5.3", "codex-5.3", 256_000),
        ("o4-mini", "o4-mini", 200_000),
        ("o1-pro", "o1", 200_000),
        ("gemini-3-1-pro", "gemini-3.1", 1_048_576),
        ("models/gemini-2.5-flash-lite", "gemini-2.5", 1_048_576),
        ("deepseek-reasoner", "deepseek-reasoner", 128_000),
        ("deepseek-r1-distill-llama-70b", "deepseek-r1-distill-llama", 128_000),
        ("mixtral-8x7b", "mixtral", 32_000),
        ("grok-3-latest", "grok-3", 131_072),
        ("ollama:llama3.1:8b", "llama-3.1", 128_000),
        ("ollama/llama3.2", "llama-3.2", 8_192),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.3", 128_000),
        ("hf.co/some/Qwen2.5-7B-Instruct-GGUF:Q4_K_M", "qwen-2.5", 128_000),
    ],
)
def test_a_model_is_found_under_any_of_its_names(model: str, matched: str, window: int) -> None:
    found = capabilities(model)
    assert (found.matched, found.window_tokens, found.known) == (matched, window, True)
    assert found.model == model


def test_the_longest_name_wins() -> None:
    assert capabilities("gpt-4o-2024-05-13").output_tokens == 4_096
    assert capabilities("gpt-4o-2024-08-06").output_tokens == 16_384
    assert capabilities("gpt-4-1106-preview").matched == "gpt-4-1106-preview", "and is no gpt-4.1"


def test_whoever_runs_a_model_is_its_provider() -> None:
    assert capabilities("ollama:llama3.1:8b").provider == "ollama"
    assert capabilities("openrouter/anthropic/claude-opus-4.6").provider == "openrouter"
    assert capabilities("anthropic/claude-opus-4.6").provider == "anthropic"


@pytest.mark.parametrize("model", ["claude-opus-11", "gpt-5.91", "gemini-zeta"])
def test_a_new_member_of_a_family_is_a_guess(model: str) -> None:
    found = capabilities(model)
    assert not found.known
    assert found.provider in {"anthropic", "openai", "google"}
    assert found.matched


@pytest.mark.parametrize("model", [None, "", "  ", "our-own-model", "🎉", "/:/", "x" * 5_000, "4"])
def test_what_nobody_knows_gets_little_and_says_so(model: str | None) -> None:
    found = capabilities(model)
    assert (found.known, found.window_tokens, found.output_tokens) == (False, 32_000, 4_096)
    assert (found.provider, found.source, found.tokenizer) == ("unknown", "fallback", ESTIMATED)
    wide = capabilities(model, context=ContextSettings(window_tokens=64_000))
    assert (wide.window_tokens, wide.known) == (64_000, False)


def test_the_configuration_knows_better() -> None:
    config = load_config(
        {
            "models": {
                "like": "our-model = gpt-4o, house=llama-3.1",
                "window_tokens": {"our-model": 65_536, "gpt-4.1-mini": 20_000, "nobody-knows": 9_000},
                "output_tokens": {"house": 512},
            }
        },
        environ={},
    )
    known = {
        name: capabilities(name, models=config.models, context=config.context)
        for name in ("our-model-2", "gpt-4.1-mini-2025-04-14", "gpt-4.1", "ollama:house:8b", "nobody-knows")
    }
    ours = known["our-model-2"]
    assert (ours.window_tokens, ours.output_tokens, ours.tokenizer, ours.vision) == (65_536, 16_384, "o200k_base", True)
    assert (ours.model, ours.matched, ours.source, ours.known) == ("our-model-2", "gpt-4o", "configuration", True)
    assert known["gpt-4.1-mini-2025-04-14"].window_tokens == 20_000
    assert (known["gpt-4.1"].window_tokens, known["gpt-4.1"].source) == (1_047_576, "table")
    assert (known["ollama:house:8b"].output_tokens, known["ollama:house:8b"].tokenizer) == (512, "llama3")
    assert (known["nobody-knows"].window_tokens, known["nobody-knows"].known) == (9_000, True)


def test_a_likeness_that_names_nothing_is_refused() -> None:
    with pytest.raises(ConfigInvalid, match=r"models\.like"):
        capabilities("gpt-4o", models=ModelsSettings(like="our-model"))


def test_prices_come_from_the_library_that_keeps_them() -> None:
    pytest.importorskip("genai_prices")
    found = priced(capabilities("openai/gpt-4o-mini-2024-07-18"))
    assert found.input_price is not None
    assert found.output_price is not None
    assert 0 < found.input_price < found.output_price < 100
    assert priced(capabilities("our-own-model")).input_price is None


def test_the_table_is_sound() -> None:
    names = [line.name for line in lines()]
    assert len(names) == len(set(names))
    for line in lines():
        assert line.output_tokens <= line.window_tokens, line.name
        assert set(line.abilities) <= set("tvr-"), line.name
        assert line.tokenizer in BYTE_LEVEL | NORMALISED | RATIOS.keys(), line.name
        assert line.family or capabilities(line.name).matched == line.name
