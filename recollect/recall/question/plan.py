"""What is decided about a question before anything is looked at: its intent, its recipe, the time it asks about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from recollect.clock import from_us
from recollect.config import Config, LiveConfig
from recollect.providers.base import Embedder
from recollect.recall.question.intent import Intent, IntentReader
from recollect.recall.question.query import Query
from recollect.recall.question.recipes import Recipe, Recipes
from recollect.recall.question.shape import text_share
from recollect.recall.question.when import When, when_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One question, read. `lean` says what each source counts against a question without intent."""

    intent: Intent
    recipe: Recipe
    lean: dict[str, float]
    when: When | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.intent.kind,
            "asks": self.intent.asks,
            "certainty": round(self.intent.certainty, 3),
            "complex": self.intent.complex,
            "lean": {name: round(each, 3) for name, each in self.lean.items()},
            "freshness": round(self.recipe.freshness, 3),
            "hops": self.recipe.hops,
            "when": self.when.surface if self.when else None,
            "windows": [[_iso(start), _iso(end)] for start, end in self.when.windows] if self.when else [],
        }


def _iso(moment: int | None) -> str | None:
    return None if moment is None else from_us(moment).isoformat()


class Planner:
    """Reads questions. Never asks a model over a network, never touches the store."""

    def __init__(self, embedder: Embedder | None, config: LiveConfig) -> None:
        self._config = config
        self._intents = IntentReader(embedder, config.current.intent)
        self._recipes = Recipes(config.current)

    def plan(self, query: Query, now: int) -> Plan:
        config = self._config.current
        intent = self._intents.read(query.text)
        recipes = self._recipes
        if recipes.config is not config:
            recipes = self._recipes = Recipes(config)
        recipe = recipes.of(intent).balanced(text_share(query.text, config.recall), config.recall.text_share)
        return Plan(
            intent=intent,
            recipe=recipe,
            lean=_damped(recipe.leaning(recipes.neutral), config),
            when=_window(query.text, now, config),
        )


def at_time(plan: Plan, when: When | None) -> Plan:
    """The same plan once the event of its question has been found, or was not."""
    return replace(plan, when=when)


def _damped(lean: dict[str, float], config: Config) -> dict[str, float]:
    """Words and meaning find answers whatever was asked, so a recipe only nudges them; the others it only raises."""
    effect = config.recall.recipe_effect
    return {
        name: 1.0 + effect * (each - 1.0) if name in ("text", "vector") else max(1.0, each)
        for name, each in lean.items()
    }


def _window(text: str, now: int, config: Config) -> When | None:
    """The time a question asks about; what lies ahead was said before, at a time nobody knows."""
    when = when_of(text, from_us(now), recent_days=config.time.recent_days)
    if when is None or not when.windows:
        return when
    return None if all(start is not None and start > now for start, _ in when.windows) else when
