"""Whether a talk goes on, drifts or turns to something else.

A cosine between a prompt and the mean of the talk, with fixed thresholds of 0.7 and 0.4, fits one embedder only, and
judged by that alone session boundaries of LoCoMo are told from inside turns in 63 of 100 cases. Here several
signs speak, each by its weight: likeness on the embedder's own scale, words shared with the talk, greetings, farewells,
turns of phrase, follow-ups, and a long silence if there was one. They add up to the probability that the talk goes on,
to which the thresholds `working.topic_same` and `working.topic_drift` apply. How the weights were found,
and how well they do, is in docs/adr/0020.

Words by which people say that a talk begins, ends, turns or goes on are English; other texts simply show none. They
are read where they count: a greeting opens a text, a farewell closes the one before, a follow-up leans on its first
word.
"""

from __future__ import annotations

import re
from math import exp, log
from typing import NamedTuple

from recollect.config.window import WorkingSettings
from recollect.language.expression import expression
from recollect.model.working import TopicChange

OWN_WORDS_ENOUGH = 8  # telling words of its own with which a prompt can open a topic
_THIN_WORDS = 2
_POINTS = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|he|she|him|her|there|one|same|again|instead|above|previous)\b",
    re.IGNORECASE,
)
_SILENCE_MINUTES, _LONG_SILENCE_MINUTES = 10.0, 480.0
_OPENING_CHARS, _CLOSING_CHARS = 160, 160

_LEAD = r"^\W*+(?:(?:oh|so|well|ok(?:ay)?|right|alright|and|but|now|wait)\W++)?"
_GREETING = expression(
    _LEAD + r"(?:hey+|hi+|hiya|hello|howdy|good (?:morning|afternoon|evening|day)|morning|long time|"
    r"happy (?:new year|birthday|holidays))\b",
    re.IGNORECASE,
)
_CATCHING_UP = expression(
    r"how(?:'s|’s| is|'re|’re| are| have| has|'ve|’ve) (?:it|you|your|things|everything|life|the (?:day|week))\b|"
    r"long time no|(?:since|last time) we (?:last )?(?:talked|chatted|spoke|met)|been a while|"
    r"what(?:'s|’s| is| has| have)? (?:been|new|up)\b|been up to|catch(?:ing)? up|guess what|"
    r"wanted to (?:tell you|share|let you know)|(?:have|got) (?:some )?(?:\w+ )?news|hope (?:you|all|every)|"
    r"(?:good|nice|great) to (?:hear from|see) you",
    re.IGNORECASE,
)
_FAREWELL = expression(
    r"\b(?:bye|good ?night|talk (?:to you |again )?(?:soon|later)|take care|see (?:you|ya)|catch you|"
    r"have a (?:great|good|nice|lovely|wonderful|safe)|keep me (?:posted|updated)|let['’]?s (?:talk|chat|catch up) "
    r"(?:soon|later|again|tomorrow)|good luck|enjoy (?:your|the)|no (?:problem|worries)|anytime|you['’]?re welcome|"
    r"that['’]?s all|all set)\b",
    re.IGNORECASE,
)
_TURN = expression(
    _LEAD + r"(?:by the way|btw|anyway|anyhow|on (?:another|a different|an unrelated|a side) (?:note|topic|subject)|"
    r"(?:completely |totally )?unrelated|(?:changing|change of) (?:the )?(?:topic|subject)|"
    r"(?:a |one )?(?:completely |totally |quick )?(?:different|new|separate) (?:topic|question|subject|thing|task)|"
    r"something (?:else|different)|moving on|switching (?:gears|topics)|separately|"
    r"another (?:thing|question|topic|task)|"
    r"next (?:topic|question|task)|forget (?:that|it)|let['’]?s (?:talk about|switch|move on|change))\b",
    re.IGNORECASE,
)
_FOLLOW_UP = expression(
    r"^\W*+(?:yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|exactly|true|thanks|thank you|thx|wow|cool|nice|great|"
    r"awesome|amazing|perfect|lol|haha\w*|aww*|ah+|oh+|definitely|absolutely|totally|agreed|i agree|same|me too|"
    r"good (?:point|idea|question)|sounds|that|that['’]s|thats|this|it|it['’]s|its|they|he|she|those|these|and|but|so|"
    r"because|also|what about|how about|why|which|really|glad|congrats|congratulations|sorry|i see|got it|"
    r"makes sense|of course|for sure|certainly|you['’]re|your|i['’]m glad|then|now|hmm+|well|again|more|continue|go on|"
    r"instead|do (?:it|that|this|the same)|(?:can|could|would|will) you (?:also|then)|"
    r"(?:change|make|try|use|fix|run|deploy|show|explain|add|remove|undo) (?:it|that|this|them|those))\b",
    re.IGNORECASE,
)


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


class WorkingCues(NamedTuple):
    """What the wording of a text says about the talk."""

    greets: bool
    catches_up: bool  # "how have you been", "guess what"
    turns: bool  # "by the way", "on another note"
    follows: bool  # "yes", "that", "and what about"


def cues_of(text: str) -> WorkingCues:
    """The cues at the beginning of a text."""
    opening = text[:_OPENING_CHARS]
    greets = _GREETING.match(opening) is not None
    turns = _TURN.match(opening) is not None
    return WorkingCues(
        greets=greets,
        catches_up=_CATCHING_UP.search(opening) is not None,
        turns=turns,
        follows=not (greets or turns) and _FOLLOW_UP.match(opening) is not None,
    )


def takes_leave(text: str) -> bool:
    """Whether a text sounds like the last one of a talk."""
    return _FAREWELL.search(text[-_CLOSING_CHARS:]) is not None
