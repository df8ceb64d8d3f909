"""Which models are configured, whether each can be had, and what it is used for. For people and for programs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, NamedTuple

from recollect.config import Config
from recollect.errors import ProviderUnavailable, RecollectError
from recollect.providers.base import Embedder, Reranker
from recollect.providers.capabilities import capabilities
from recollect.providers.health import REFUSED, UNUSABLE, ProviderReach, reach_of
from recollect.providers.llms.naming import shown
from recollect.providers.registry import (
    ALIAS_OF,
    EMBEDDERS,
    LLMS,
    NONE,
    RERANKERS,
    Provider,
    configured_llm,
    make_embedder,
    make_reranker,
)

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


def providers(config: Config | None = None) -> list[dict[str, Any]]:
    """Every provider there is: whether it is installed and in use, how to get it; the size of a model that ships."""
    used = {role: str((config or Config()).value(_SETTINGS[role]) or "").partition(":")[0] for role in ROLES}
    return [
        {
            "role": role,
            "provider": name,
            "installed": not _missing(provider),
            "install": _install(provider),
            "in_use": used[role] in (name, ALIAS_OF.get(name)),
            "dimensions": provider.dimensions,
            "size_mb": provider.size_mb,
        }
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
    limit_s = config.embedding.probe_timeout_s
    return _looked_at(lambda: make_embedder(name, timeout_s=limit_s, retries=0), _answers_words)


def _reranker(config: Config, name: str) -> tuple[ProviderReach, str | None]:
    look = _loads_later if name.partition(":")[0] in _LOADED_SLOWLY else _scores_words
    return _looked_at(lambda: make_reranker(name, timeout_s=config.embedding.probe_timeout_s), look)


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


class Use(NamedTuple):
    """One thing a model does: in which verbs, and whether the settings ask for it. `setting` turns it on or off."""

    verbs: tuple[str, ...]
    what: str
    on: bool
    setting: str = ""


class _Row(NamedTuple):
    verbs: tuple[str, ...]
    what: str
    wanted: Callable[[Config], bool] = lambda config: True
    setting: str = ""


_LLM = (
    _Row(("reason",), "judges what was found, asks on, writes the answer"),
    _Row(("search",), "imagines an answer when stored text answers poorly", lambda c: c.expand.hyde, "expand.hyde"),
    _Row(
        ("add",),
        "draws statements from turns, in the background",
        lambda c: c.perceive.statements == "model",
        "perceive.statements",
    ),
    _Row(
        ("add", "ingest"),
        "finds relations, in the background",
        lambda c: c.perceive.relations_by_model,
        "perceive.relations_by_model",
    ),
    _Row(
        ("consolidate", "maintain"),
        "decides whether a later text made an earlier one untrue, where that is in doubt",
        lambda c: c.reader.doubts_by_model,
        "reader.doubts_by_model",
    ),
    _Row(("consolidate", "maintain"), "notes what only a whole session tells"),
    _Row(("maintain",), "words patterns and the summaries of entities and domains"),
    _Row(
        ("maintain",),
        "says whether one turn is the cause of another",
        lambda c: c.upkeep.causal_pairs_max > 0,
        "upkeep.causal_pairs_max",
    ),
)
_EMBEDDER = (
    _Row(("add", "ingest", "reembed"), "gives records their vectors"),
    _Row(("search", "context", "reason"), "finds records by meaning"),
    _Row(("consolidate", "maintain", "replay"), "tells what is alike: patterns, summaries, links"),
)
_RERANKER = (_Row(("search",), "reads question and text together and orders the best hits"),)
USES = {"llm": _LLM, "embedder": _EMBEDDER, "reranker": _RERANKER}


def uses_of(role: str, config: Config) -> list[Use]:
    """What a model of that role (`llm`, `embedder`, `reranker`) is used for."""
    return [Use(row.verbs, row.what, row.wanted(config), row.setting) for row in USES[role]]
