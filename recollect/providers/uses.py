"""What each configured model is used for, by the settings in force."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from recollect.config import Config


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
