"""What is offered when somebody presses Tab: values of options, and ids and names from the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

OFFERED_MAX = 50
_BUSY_S = 0.2
# A shell reads what is offered as part of a line, zsh even with `eval`; what is stored may come from anybody.
_HARMLESS = re.compile(r"[\w.@/+-]+", re.ASCII)

_KNOWN = ("user_id", "agent_id", "project", "squad", "channel", "session_id", "operation", "id")
_RECORDS = {("relate", "source"), ("relate", "target"), ("path", "a"), ("path", "b")}  # ids by another name


def remembered(parameter: str, verb: str = "") -> Callable[[Any, str], list[str]] | None:
    """What completes this parameter of a verb out of the store; None where the store holds nothing of that sort."""
    what = "id" if (verb, parameter) in _RECORDS else parameter
    if what not in _KNOWN:
        return None

    def complete(ctx: Any, incomplete: str) -> list[str]:
        try:
            found = _read(_options(ctx), what, incomplete)
        except Exception:  # no store, a locked one, one of another version: there is nothing to offer
            return []
        return [text for text in found if _HARMLESS.fullmatch(text)]

    return complete


def _options(ctx: Any) -> Mapping[str, Any]:
    """What the line says so far, before the verb and after it."""
    from recollect.interfaces.cli.session import merged

    return merged(ctx.parent.params if ctx.parent else {}, ctx.params)


def _read(given: Mapping[str, Any], what: str, beginning: str) -> list[str]:
    from recollect.config import load_config
    from recollect.interfaces.cli.session import key_for
    from recollect.security.access import access_to
    from recollect.store.open import glance, store_path

    place = store_path(given["db"], load_config())
    with glance(place, key=access_to(place, key_for(given, ask=False)).pages, wait_s=_BUSY_S) as tx:
        return [] if tx is None else tx.names.beginning(what, beginning, limit=OFFERED_MAX)


Completing = Callable[..., list[str]]  # takes what is typed so far as `incomplete`, and may take the `ctx` of the line


def values_for(parameter: str, verb: str = "") -> Completing | None:
    """What completes this parameter, of this verb; None for one that may be anything."""
    source = _OF_A_VERB.get((verb, parameter), _SOURCES.get(parameter))
    return remembered(parameter, verb) if source is None else _completing(source)


def client_names(incomplete: str) -> list[str]:
    from recollect.interfaces.clients.catalog import CLIENTS

    return _among((client.name for client in CLIENTS), incomplete)


def toolset_names(incomplete: str) -> list[str]:
    from recollect.verbs.toolsets.sets import ALL, SETS

    return _among((*SETS, ALL), incomplete)


def setting_names(incomplete: str) -> list[str]:
    from recollect.config.root import declared

    return [key for key in declared() if key.startswith(incomplete)]


def _completing(source: Callable[[], Iterable[str]]) -> Completing:
    def complete(incomplete: str) -> list[str]:
        return _among(source(), incomplete)

    return complete


def _among(values: Iterable[str], incomplete: str) -> list[str]:
    """Those that begin alike; of a list with commas the last word is completed, and no word offered twice."""
    before, comma, word = incomplete.rpartition(",")
    taken = set(before.split(","))
    return [before + comma + each for each in values if each.startswith(word) and each not in taken]


def _kinds() -> Iterable[str]:
    from recollect.model.record import Kind

    return tuple(Kind)


def _categories() -> Iterable[str]:
    from recollect.model.record import CATEGORIES

    return CATEGORIES


def _tiers() -> Iterable[str]:
    from recollect.model.record import Tier

    return tuple(Tier)


def _security() -> Iterable[str]:
    from recollect.model.record import SecurityTier

    return tuple(SecurityTier)


def _labels() -> Iterable[str]:
    from recollect.model.edge import LABELS

    return LABELS


def _families() -> Iterable[str]:
    from recollect.model.edge import Family

    return tuple(Family)


def _entity_types() -> Iterable[str]:
    from recollect.model.entity import EntityType

    return tuple(EntityType)


def _embedders() -> Iterable[str]:
    from recollect.providers.registry import EMBEDDERS, NONE

    return (*EMBEDDERS, NONE)


def _modes() -> Iterable[str]:
    from recollect.model.context import Mode

    return ("auto", *Mode)


def _layouts() -> Iterable[str]:
    from recollect.context.budget import LAYOUTS

    return LAYOUTS


def _strategies() -> Iterable[str]:
    from recollect.recall.question.query import STRATEGIES

    return STRATEGIES


def _phases() -> Iterable[str]:
    from recollect.config.reading import PhasesSettings
    from recollect.config.section import settings_of

    return settings_of(PhasesSettings)


_SOURCES: dict[str, Callable[[], Iterable[str]]] = {
    "kind": _kinds,
    "kinds": _kinds,
    "category": _categories,
    "categories": _categories,
    "tier": _tiers,
    "tiers": _tiers,
    "label": _labels,
    "labels": _labels,
    "family": _families,
    "type": _entity_types,
    "security": _security,
    "phase": _phases,
    "embedder": _embedders,
    "direction": lambda: ("out", "in", "both"),
    "reach": lambda: ("scope", "squad", "project", "all"),
    "rerank": _strategies,
    "layout": _layouts,
    "order": lambda: ("time", "trust", "relevance"),
    "output": lambda: ("text", "json"),
}
_OF_A_VERB: dict[tuple[str, str], Callable[[], Iterable[str]]] = {
    ("context", "mode"): _modes,
    ("search", "mode"): lambda: ("recent_sessions:", "trend:", "time_window:", "around_event:"),
    ("export", "format"): lambda: ("jsonl", "markdown"),
}
