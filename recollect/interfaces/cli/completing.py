"""Values a shell can offer after an option, by the name of the parameter that takes them.

Tables are read from where the engine has them, when a shell asks and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from recollect.interfaces.cli.remembered import remembered

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
    from recollect.context.layouts import LAYOUTS

    return LAYOUTS


def _strategies() -> Iterable[str]:
    from recollect.recall.question.query import STRATEGIES

    return STRATEGIES


def _phases() -> Iterable[str]:
    from recollect.config.reading import Phases
    from recollect.config.section import settings_of

    return settings_of(Phases)


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
    "reach": lambda: ("scope", "project", "all"),
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
