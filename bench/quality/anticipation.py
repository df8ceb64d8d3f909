"""How often what was prepared for the next prompt is taken, and what it is then worth.

Within sessions the next prompt should take it, over a session boundary it should not; conversations that the weights of
the topic were not fitted to. Worth: the first half of a conversation is stored, its second half is talked through; how
much of what a search for the real prompt finds first is among what the prepared search found. The baseline is the
design: a cosine above 0.6 between the prediction and the next prompt blended with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import numpy as np

from bench.quality.figures import Figure
from bench.quality.rankers import Engine
from bench.quality.sets import Conversation, Turn, load
from bench.quality.topics import EMBEDDER, FITTED, PROMPT_CHARS, TURN_S, new_mind, sessions_of, users_of
from recollect.clock import SECOND_US
from recollect.config.window import WorkingSettings
from recollect.providers.base import Embedder
from recollect.providers.registry import make_embedder
from recollect.working.anticipate import Prediction
from recollect.working.likeness import cosine
from recollect.working.mind import Mind
from recollect.working.momentum import Momentum

SETS = ("locomo", "realtalk", "beam100k")
_SAMPLED = 40  # prompts of a conversation whose worth is looked at
_REAL, _PREPARED = 10, 30
_SETTINGS = WorkingSettings()


class Taken(NamedTuple):
    """Whether a prompt takes what was prepared, by us and by the design."""

    ours: bool
    design: bool


def measure(baselines: bool) -> list[Figure]:
    embedder = make_embedder(EMBEDDER)
    assert embedder is not None
    figures = []
    for name in SETS:
        within: list[Taken] = []
        across: list[Taken] = []
        for conversation in load(name)[FITTED[name] :]:
            for user in users_of(conversation):
                _follow(conversation, user, embedder, within, across)
        figures += [_rate(f"hits within sessions, {name}", within, baselines)]
        if name != "beam100k":  # whose sessions go on with the same project
            figures += [_rate(f"hits over boundaries, {name}", across, baselines)]
    for name in SETS[:2]:
        figures += _worth(name, embedder)
    return figures


def _rate(name: str, taken: list[Taken], baselines: bool) -> Figure:
    ours, design = np.mean(taken, axis=0).tolist()
    return Figure(name=name, value=ours, baseline=design if baselines else None, note=f"{len(taken)} prompts")


def _follow(
    conversation: Conversation, user: str, embedder: Embedder, within: list[Taken], across: list[Taken]
) -> None:
    sessions = sessions_of(conversation)
    for session, after in zip(sessions, [*sessions[1:], []], strict=True):
        mind: Mind | None = None
        for mind, turn in _each_prompt(session, user, embedder):
            if mind.state().heard_at is not None:
                within.append(_taken(mind, turn.text, embedder))
        first = next((turn for turn in after if turn.speaker == user), None)
        if mind is not None and first is not None:
            across.append(_taken(mind, first.text, embedder))


def _each_prompt(session: list[Turn], user: str, embedder: Embedder) -> Iterator[tuple[Mind, Turn]]:
    """The prompts of a session, each with the mind just before it."""
    moment = [0]
    mind = new_mind(embedder, lambda: moment[0])
    for turn in session:
        moment[0] += round(TURN_S * SECOND_US)
        if turn.speaker == user:
            yield mind, turn
            mind.heard(turn.text[:PROMPT_CHARS])
        else:
            mind.answered(turn.text)


def _taken(mind: Mind, prompt: str, embedder: Embedder) -> Taken:
    goes_on, _ = mind.judged(prompt[:PROMPT_CHARS])
    momentum = Momentum()
    momentum.restore(mind.saved()[1])
    predicted = momentum.predicted(_SETTINGS)
    blended = momentum.blended(embedder.embed([prompt[:PROMPT_CHARS]])[0], _SETTINGS)
    alike = 0.0 if predicted is None else cosine(blended, predicted)
    return Taken(goes_on > _SETTINGS.anticipate_similarity, alike > _SETTINGS.anticipate_similarity)


def _worth(name: str, embedder: Embedder) -> list[Figure]:
    same: list[float] = []
    held: list[float] = []
    for conversation in load(name):
        sessions = sessions_of(conversation)
        half = len(sessions) // 2
        engine = Engine(EMBEDDER)
        engine.index([turn for session in sessions[:half] for turn in session])
        user = next(users_of(conversation))
        cases = []
        for session in sessions[half:]:
            for mind, turn in _each_prompt(session, user, embedder):
                prediction = mind.predicted()
                if prediction is not None and mind.judged(turn.text)[0] > _SETTINGS.anticipate_similarity:
                    cases.append((prediction, turn.text))
        for prediction, prompt in Random(0).sample(cases, min(_SAMPLED, len(cases))):
            _compare(engine, prediction, prompt, same, held)
        engine.close()
    note = f"{len(same)} hits"
    return [
        Figure(name=f"of the real top 10 in the prepared 10, {name}", value=float(np.mean(same)), note=note),
        Figure(name=f"of the real top 10 in the prepared 30, {name}", value=float(np.mean(held)), note=note),
    ]


def _compare(engine: Engine, prediction: Prediction, prompt: str, same: list[float], held: list[float]) -> None:
    real = [turn for turn, _ in engine.rank(prompt[:PROMPT_CHARS])][:_REAL]
    found = [turn for turn, _ in engine.rank(prediction.text[:PROMPT_CHARS])]
    if real:
        same.append(len(set(real) & set(found[:_REAL])) / len(real))
        held.append(len(set(real) & set(found[:_PREPARED])) / len(real))
