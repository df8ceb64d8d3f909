"""What each way to a record is worth: recall with it, beside recall without it.

A route is switched off by its weights: what it leads to may still be found by words and meaning. Causes are looked for
before anything is asked, by the rules that a night goes by. The last row is the other way round: what the kind of
question would do to words and meaning if it were let (`recall.recipe_effect`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.quality import measures
from bench.quality.figures import Figure
from bench.quality.knowing import upkept
from bench.quality.rankers import Engine
from bench.quality.sets import Conversation, Question, load
from recollect.upkeep.relations.causal import CausesStep

# Set → every which conversation, and question of it: time on one core decides.
SETS: Mapping[str, tuple[int, int]] = {"locomo": (1, 2), "multihop": (1, 1), "timeqa": (4, 1)}
OFF: Mapping[str, Mapping[str, Any]] = {
    "entities": {"ranking.entity": 0.0, "ranking.link": 0.0},
    "times": {"ranking.time": 0.0, "ranking.date": 0.0, "ranking.year": 0.0},
    "relations and causes": {"ranking.graph": 0.0},
}
TILTED: Mapping[str, Any] = {"recall.recipe_effect": 1.0}
_K = 10


def measure(baselines: bool) -> list[Figure]:
    figures: list[Figure] = []
    for name, (each_conversation, each_question) in SETS.items():
        found: dict[str, list[float]] = {}
        for conversation in load(name)[::each_conversation]:
            _ask(conversation, each_question, found)
        as_it_is = measures.mean(found[""])
        count = len(found[""])
        figures += [
            Figure(
                name=f"{route}, {name}",
                value=as_it_is,
                baseline=measures.mean(found[route]) if baselines else None,
                note=f"{count} questions, {_changed(found, route)} answered otherwise",
            )
            for route in (*OFF, "kinds tilt")
        ]
    return figures


def _ask(conversation: Conversation, every: int, found: dict[str, list[float]]) -> None:
    questions = [each for each in conversation.questions if each.answerable and each.gold][::every]
    engine = Engine()
    engine.index(conversation.turns)
    upkept(engine.memory, CausesStep())
    live = engine.memory._engine.config
    for route, settings in {"": {}, **OFF, "kinds tilt": TILTED}.items():
        before = {name: _value(live.current, name) for name in settings}
        live.change(settings)
        found.setdefault(route, []).extend(_recalls(engine, questions))
        live.change(before)
    engine.close()


def _recalls(engine: Engine, questions: Sequence[Question]) -> list[float]:
    return [measures.recall_at([turn for turn, _ in engine.rank(each.text)], each.gold, _K) for each in questions]


def _value(config: Any, name: str) -> Any:
    section, _, setting = name.partition(".")
    return getattr(getattr(config, section), setting)


def _changed(found: Mapping[str, Sequence[float]], route: str) -> int:
    return sum(one != other for one, other in zip(found[""], found[route], strict=True))
