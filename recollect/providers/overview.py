"""Which models are configured, whether each can be had, and what it is used for. For people and for programs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from recollect.config import Config
from recollect.errors import ProviderUnavailable, RecollectError
from recollect.providers.base import Embedder, Reranker
from recollect.providers.capabilities import capabilities
from recollect.providers.health import REFUSED, UNUSABLE, ProviderReach, reach_of
from recollect.providers.llms.naming import shown
from recollect.providers.registry import (
    EMBEDDERS,
    LLMS,
    NONE,
    RERANKERS,
    Provider,
    configured_llm,
    make_embedder,
    make_reranker,
)
from recollect.providers.uses import uses_of

ROLES = ("llm", "embedder", "reranker")
_SETTINGS = {"llm": "llm", "embedder": "embedder", "reranker": "recall.reranker"}
_KNOWN = {"llm": LLMS, "embedder": EMBEDDERS, "reranker": RERANKERS}
_LOADED_SLOWLY = frozenset({"sentence-transformers", "fastembed"})  # looking would load, or even fetch, the model


def configured(config: Config) -> list[dict[str, Any]]:
    """One row a role. A model is looked at, not used, where that is possible; an embedder is given three words."""
    return [_row(role, config) for role in ROLES]


def unusable(rows: list[dict[str, Any]]) -> bool:
    """Whether a model that is configured cannot be had."""
    return any(row["state"] in UNUSABLE for row in rows)


def providers() -> list[dict[str, Any]]:
    """Every provider there is, whether its library is installed, and how to get it."""
    return [
        {"role": role, "provider": name, "installed": not _missing(provider), "install": _install(provider)}
        for role in ROLES
        for name, provider in _KNOWN[role].items()
    ]


def _row(role: str, config: Config) -> dict[str, Any]:
    key = _SETTINGS[role]
    name = config.value(key)
    row: dict[str, Any] = {
        "role": role,
        "name": None if name in (None, NONE) else shown(name),
        "setting": key,
        "origin": config.origin(key),
        "address": None,
        "state": NONE,
        "detail": "none is configured",
        "cure": "",
        "latency_ms": None,
        "used_for": [use._asdict() for use in uses_of(role, config)],
        "capabilities": None,
    }
    if row["name"] is None:
        return row
    found, address = _LOOKS[role](config, name)
    row |= {"state": found.state, "detail": found.detail, "cure": found.cure, "latency_ms": found.latency_ms}
    row["address"] = address
    if role == "llm":
        row["capabilities"] = _capabilities(row["name"], config)
    return row


def _capabilities(name: str, config: Config) -> dict[str, Any]:
    known = capabilities(name, models=config.models, context=config.context)
    return {
        "known": known.known,
        "window_tokens": known.window_tokens,
        "output_tokens": known.output_tokens,
        "tools": known.tools,
        "vision": known.vision,
        "thinking": known.thinking,
    }


def _llm(config: Config, name: str) -> tuple[ProviderReach, str | None]:
    return _looked_at(lambda: configured_llm(config), reach_of)


def _embedder(config: Config, name: str) -> tuple[ProviderReach, str | None]:
    if name.partition(":")[0] in _LOADED_SLOWLY:
        return _looked_at(lambda: make_embedder(name), _loads_later)
    return _looked_at(lambda: make_embedder(name, timeout_s=config.embedding.probe_timeout_s), _answers_words)


def _reranker(config: Config, name: str) -> tuple[ProviderReach, str | None]:
    look = _loads_later if name.partition(":")[0] in _LOADED_SLOWLY else _scores_words
    return _looked_at(lambda: make_reranker(name), look)


_LOOKS: dict[str, Callable[[Config, str], tuple[ProviderReach, str | None]]] = {
    "llm": _llm,
    "embedder": _embedder,
    "reranker": _reranker,
}


def _looked_at(make: Callable[[], Any], look: Callable[[Any], ProviderReach]) -> tuple[ProviderReach, str | None]:
    """What a look at a model found, and its address. Never raises for a model that cannot be made or had."""
    try:
        model = make()
    except RecollectError as error:  # its key, its library or its name is missing: the message says what to do
        return ProviderReach.refused(error.message, cure=""), None
    began = time.perf_counter()
    try:
        found = look(model)
    except RecollectError as error:
        away = isinstance(error, ProviderUnavailable)
        cure = "start it or look at the connection, or name another"
        found = (
            ProviderReach.down(error.message, cure=cure) if away else ProviderReach(state=REFUSED, detail=error.message)
        )
    finally:
        close = getattr(model, "close", None)
        if close is not None:
            close()
    if found.latency_ms is None:
        found = replace(found, latency_ms=round((time.perf_counter() - began) * 1e3, 1))
    return found, getattr(model, "address", None)


def _answers_words(embedder: Embedder) -> ProviderReach:
    embedder.embed(["is anybody there?"])
    return ProviderReach.ready(f"{embedder.dimensions} dimensions")


def _scores_words(reranker: Reranker) -> ProviderReach:
    reranker.scores("is anybody there?", ["yes"])
    return ProviderReach.ready("it answers")


def _loads_later(model: object) -> ProviderReach:
    return ProviderReach.unknown("it is installed, and loads at its first use")


def _missing(provider: Provider) -> list[str]:
    return [library for library in provider.libraries if find_spec(library) is None]


def _install(provider: Provider) -> str | None:
    missing = _missing(provider)
    if not missing:
        return None
    return f"pip install 'recollect[{provider.extra}]'" if provider.extra else f"pip install {' '.join(missing)}"
