"""What a language model can do, looked up by any of the names people use for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, TypeVar

from recollect.config.window import ContextSettings, ModelsSettings
from recollect.errors import ConfigInvalid
from recollect.limits import NAME_CHARS_MAX
from recollect.model.capabilities import ESTIMATED, Capabilities
from recollect.providers.capabilities_table import CapabilityLine, lines

Words = tuple[str, ...]
T = TypeVar("T")

TABLE, PRICES, CONFIGURED, FALLBACK = "table", "genai-prices", "configuration", "fallback"
# Who runs models of others: named before the model, as in `ollama:llama3.1:8b` or `openrouter/openai/gpt-4o`.
HOSTS = frozenset("azure bedrock cerebras fireworks github groq ollama openrouter together vertex vllm".split())

_WORD = re.compile(r"[a-z]+|\d+")
_NAMES = re.compile(r"[/:.@]")  # a name may begin after any of these
_SIZES = frozenset({"b", "m", "t", "k", "x"})  # 8b, 128k, 8x7b


def capabilities(
    model: str | None, *, models: ModelsSettings | None = None, context: ContextSettings | None = None
) -> Capabilities:
    """What is known about a model: from the configuration, from our table, from genai-prices if that is installed.

    Names may have a provider before them and a date, a size or a variant behind: the longest known beginning
    counts. What nobody knows gets the small window of `context.window_tokens`, and `known` is False.
    """
    models, context = models or ModelsSettings(), context or ContextSettings()
    return _looked_up((model or "")[:NAME_CHARS_MAX], models, context)


def priced(found: Capabilities) -> Capabilities:
    """The same with its prices, if genai-prices knows them. Takes half a second the first time."""
    listed = _listed(found.model)
    prices = getattr(listed, "prices", None)
    if isinstance(prices, list):  # by date and time of day; the last one is today's
        prices = prices[-1].prices if prices else None
    return replace(found, input_price=_dollars(prices, "input_mtok"), output_price=_dollars(prices, "output_mtok"))


@lru_cache(maxsize=256)
def _looked_up(model: str, models: ModelsSettings, context: ContextSettings) -> Capabilities:
    alike = _longest(_parsed(models.like).items(), model)
    found = _from_table(alike[1] if alike else model, context)
    source = CONFIGURED if alike else found.source
    window, output = _longest(models.window_tokens.items(), model), _longest(models.output_tokens.items(), model)
    if window or output:
        source = CONFIGURED
    return replace(
        found,
        model=model,
        known=found.known or window is not None,
        source=source,
        window_tokens=int(window[1]) if window else found.window_tokens,
        output_tokens=int(output[1]) if output else found.output_tokens,
    )


def _from_table(model: str, context: ContextSettings) -> Capabilities:
    match = _longest(_by_name(), model)
    line, rest = (match[1], match[2]) if match else (None, ())
    if line is not None and not line.family and not _another_version(rest):
        return _of_line(model, line)
    listed = _listed(model)
    guess = _of_line(model, line) if line else _unknown(model, context)
    if listed is None or not listed.context_window:
        return replace(guess, known=False)
    window = int(listed.context_window)
    return replace(
        guess,
        known=True,
        matched=listed.id,
        source=PRICES,
        window_tokens=window,
        output_tokens=min(guess.output_tokens, window),
    )


def _of_line(model: str, line: CapabilityLine) -> Capabilities:
    host = re.split(r"[/:]", model.lower(), maxsplit=1)[0]
    return Capabilities(
        model=model,
        matched=line.name,
        known=True,
        provider=host if host in HOSTS else line.provider,
        window_tokens=line.window_tokens,
        output_tokens=line.output_tokens,
        tokenizer=line.tokenizer,
        source=TABLE,
        tools="t" in line.abilities,
        vision="v" in line.abilities,
        thinking="r" in line.abilities,
    )


def _unknown(model: str, context: ContextSettings) -> Capabilities:
    return Capabilities(
        model=model,
        matched="",
        known=False,
        provider="unknown",
        window_tokens=context.window_tokens,
        output_tokens=context.output_tokens,
        tokenizer=ESTIMATED,
        source=FALLBACK,
        tools=True,
        vision=False,
        thinking=False,
    )


def _longest(rows: Collection[tuple[str, T]], model: str) -> tuple[str, T, Words] | None:
    """Of the rows whose name the model begins with the one of the longest name, and what comes behind it."""
    best: tuple[str, T, Words] | None = None
    most = 0
    for words in _beginnings(model):
        for name, value in rows:
            wanted = _words(name)
            if len(wanted) > most and words[: len(wanted)] == wanted:
                best, most = (name, value, words[len(wanted) :]), len(wanted)
        if best:
            return best
    return None


def _beginnings(model: str) -> list[Words]:
    """The name from its first letter, and from behind each provider, folder and host in front of it."""
    starts = [0, *(match.end() for match in _NAMES.finditer(model))]
    return [_words(model[start:]) for start in starts]


@lru_cache(maxsize=1024)
def _words(name: str) -> Words:
    """`Llama-3.1`, `llama3.1` and `llama_3-1` are the same three words."""
    return tuple(_WORD.findall(name.lower()))


def _another_version(rest: Words) -> bool:
    """Whether what follows a known name is a version: `gpt-5` is no promise about a `gpt-5.9`."""
    if not rest or not rest[0].isdigit():
        return False
    number, following = rest[0], rest[1] if len(rest) > 1 else ""
    return len(number) <= 2 and not number.startswith("0") and following not in _SIZES


@cache
def _by_name() -> tuple[tuple[str, CapabilityLine], ...]:
    return tuple((line.name, line) for line in lines())


def _parsed(written: str) -> Mapping[str, str]:
    pairs = [pair.partition("=") for pair in written.split(",") if pair.strip()]
    alike = {name.strip(): other.strip() for name, _, other in pairs}
    if not all(_words(name) and _words(other) for name, other in alike.items()):
        raise ConfigInvalid(f"models.like: write `name=known model, …`, not {written!r:.80}")
    return alike


def _listed(model: str) -> Any:
    """The model in genai-prices, or None. An extra brings that library; we never ask it to fetch anything."""
    if not _words(model) or find_spec("genai_prices") is None:
        return None
    from genai_prices.data import providers

    for words in [model, *re.split(r"[/:]", model)[1:]]:
        for provider in providers:
            for listed in provider.models:
                if listed.is_match(words.lower()):
                    return listed
    return None


def _dollars(prices: Any, field: str) -> float | None:
    price = getattr(prices, field, None)
    price = getattr(price, "base", price)  # tiers: what a short call costs
    return None if price is None else float(price)
