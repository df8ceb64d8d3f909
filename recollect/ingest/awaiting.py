"""What a receipt says about work that a language model has still to do."""

from __future__ import annotations

from collections.abc import Collection

from recollect.config.writing import PerceiveSettings
from recollect.ingest.requests import TURNS
from recollect.providers.base import Llm
from recollect.providers.health import known_to_be_away


def missing_of_languages(codes: Collection[str]) -> tuple[str, ...]:
    """What was not read of texts in languages without rules; they are kept, and found by their words and meaning."""
    if not codes:
        return ()
    return (f"statements, and times in words, are not read in {', '.join(sorted(codes))}: no rules for that language",)


def missing_of_model(llm: Llm | None, kinds: Collection[str], settings: PerceiveSettings) -> tuple[str, ...]:
    """The statements that a model is to draw from new records of these kinds. Asks nobody: a write does not wait."""
    if settings.statements != "model" or not set(TURNS).intersection(kinds):
        return ()
    if llm is None:
        return ("statements by a model: none is configured (llm); rules draw them in the background",)
    away = known_to_be_away(llm)
    if away is None:
        return (f"statements by {llm.name} are queued",)
    return (f"statements by {llm.name} are queued: {away.detail}; rules draw them until it is back",)
