"""Whether a talk goes on, drifts or turns to something else (Engram §8.7).

The design compares a prompt with the mean of the talk at cosines of 0.7 and 0.4, which are those of one embedder, and
judges by that alone; session boundaries of LoCoMo are told from inside turns by it in 63 of 100 cases. Here several
signs speak, each by its weight: likeness on the embedder's own scale, words shared with the talk, greetings, farewells,
turns of phrase, follow-ups, and a long silence if there was one. They add up to the probability that the talk goes on,
to which the thresholds of the design (`working.topic_same`, `working.topic_drift`) apply. How the weights were found,
and how well they do, is in docs/adr/0020.
"""

from __future__ import annotations

import re
from math import exp, log
from typing import NamedTuple

from recollect.config.window import WorkingSettings
from recollect.model.working import TopicChange
from recollect.working.cues import WorkingCues

OWN_WORDS_ENOUGH = 8  # telling words of its own with which a prompt can open a topic
_THIN_WORDS = 2
_POINTS = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|he|she|him|her|there|one|same|again|instead|above|previous)\b",
    re.IGNORECASE,
)
_SILENCE_MINUTES, _LONG_SILENCE_MINUTES = 10.0, 480.0


class Signs(NamedTuple):
    """What is seen of a prompt beside the talk. `like` is None without vectors, `silence_s` 0 without a clock."""

    like: float | None
    shared: float
    own_words: int
    cues: WorkingCues
    after_farewell: bool
    silence_s: float = 0.0


class Weights(NamedTuple):
    """What each sign adds to the log-odds that the topic changes."""

    bias: float
    like: float
    shared: float
    greets: float
    catches_up: float
    after_farewell: float
    follows: float
    own_words: float
    turns: float = 3.0
    silence: float = 2.5


SEEING = Weights(
    bias=-0.4, like=-1.8, shared=-5.3, greets=3.5, catches_up=1.7, after_farewell=0.8, follows=-1.5, own_words=3.1
)
BLIND = Weights(
    bias=-1.25, like=0.0, shared=-8.0, greets=3.75, catches_up=1.9, after_farewell=0.8, follows=-1.55, own_words=2.65
)


def continuity(signs: Signs) -> float:
    """How likely it is that the talk goes on, from 0 to 1."""
    weights = BLIND if signs.like is None else SEEING
    cues = signs.cues
    odds = (
        weights.bias
        + weights.like * (signs.like or 0.0)
        + weights.shared * signs.shared
        + weights.greets * cues.greets
        + weights.catches_up * cues.catches_up
        + weights.after_farewell * signs.after_farewell
        + weights.follows * cues.follows
        + weights.own_words * min(signs.own_words, OWN_WORDS_ENOUGH) / OWN_WORDS_ENOUGH
        + weights.turns * cues.turns
        + weights.silence * _silence(signs.silence_s)
    )
    return 1.0 / (1.0 + exp(min(odds, 50.0)))


def change_of(goes_on: float, settings: WorkingSettings) -> TopicChange:
    """What that probability is called."""
    if goes_on > settings.topic_same:
        return TopicChange.CONTINUATION
    return TopicChange.DRIFT if goes_on > settings.topic_drift else TopicChange.SWITCH


def is_thin(prompt: str, own_words: int, follows: bool) -> bool:
    """Whether a prompt says little by itself: no telling word, or hardly one and it points at something before."""
    if own_words == 0:
        return True
    return own_words <= _THIN_WORDS and (follows or _POINTS.search(prompt) is not None)


def _silence(seconds: float) -> float:
    """0 within ten minutes, 1 after eight hours, by orders of magnitude between them."""
    minutes = seconds / 60.0
    if minutes <= _SILENCE_MINUTES:
        return 0.0
    return min(1.0, log(minutes / _SILENCE_MINUTES) / log(_LONG_SILENCE_MINUTES / _SILENCE_MINUTES))
