"""How a text feels, by its words: valence, arousal, intensity, dominance and surprise (Engram §37.2).

Valence is the sum of the ratings of its feeling words, each changed by what stands before it in its clause: "not",
"very", "would", "too". What follows a "but" counts more than what came before. Intensity counts the signs of feeling
whatever their direction: feeling words, emphasis, urgency, and what is known of the situation (how a task ended, a
correction, a first time). Arousal is their product, so that only what is felt strongly and clearly is exciting.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import hypot
from typing import NamedTuple

from recollect.config import writing
from recollect.limits import GIST_CHARS_MAX
from recollect.model.affect import Affect
from recollect.perceive.traits import affect_words as wording

DEFAULTS = writing.Affect()

# Chosen on the development half of rated tweets, reviews and editorials; none moves the correlation by more than .01.
_CLAUSE_WORDS = 4  # how far back a word changes one that follows
_DENIED = -0.6
_UNREAL = 0.5
_TOO = 1.2
_BEFORE_BUT, _AFTER_BUT = 0.4, 1.2
_CAPITALS = 0.733  # these two are VADER's
_EXCLAMATION, _EXCLAMATIONS_MAX = 0.292, 4
_DRAWN_OUT = 1.15  # "loooove"
_USUAL_WORDS = 15  # a longer text is felt less than the sum of its words: each doubling takes a fifth
_LENGTH_DAMPING = 0.3
_RATING_MAX = 3.0
_MARKER_POINTS = 2.0  # the rating of a plain feeling word

_TOKEN = re.compile(
    r"(?=\S)(?:[^\W\d_]+(?:['’*-][^\W\d_]+)*"  # a word
    r"|(?<!\w)[:;=8xX]['’]?[-o^]?[)(\]\[DPpOo/\\|*3]+(?!\w)|<3+|</3"  # an emoticon
    r"|[!?]+|[.,;:…()\"“”]+|[^\w\s])"  # a pause, an emoji
)
_DRAWN = re.compile(r"([^\W\d_])\1\1+")
_BOLD = re.compile(r"\*\*\w|__\w")
_IN_CAPITALS = re.compile(r"[A-Z](?<!\w.)[A-Z]{3,}\b")
_PAUSES = frozenset(".,;:…()“”!?")
_SURPRISE_EACH, _CONTROL_EACH, _NEITHER = 0.4, 0.15, 0.5


class _Felt(NamedTuple):
    """What the words of a text add up to."""

    valence: float  # in points
    markers: float  # feeling words, a strong one counted as more than one
    emphasis: int
    words: frozenset[str]  # those that signs and idioms ask for
    lowered: str


def affect_of(
    text: str,
    *,
    outcome: str | None = None,
    corrected: bool = False,
    novel: bool = False,
    settings: writing.Affect = DEFAULTS,
) -> Affect:
    """The feeling of a text, and of the situation it was said in; all zero when nothing was felt.

    `outcome` is how a task ended (success, partial, failure, retry), `corrected` that somebody was set right, `novel`
    that it happened for the first time. Dominance is .5 when neither control nor helplessness shows.
    """
    text = text[:GIST_CHARS_MAX]
    felt = _felt(text)
    signed = settings.marker_valence * felt.valence
    valence = signed / hypot(1.0, signed)
    intensity = settings.marker_intensity * felt.markers + settings.emphasis_intensity * felt.emphasis
    if outcome is not None:
        valence += settings.outcome_valence[outcome]
        intensity += settings.outcome_intensity[outcome]
    intensity += settings.correction_intensity * corrected + settings.novelty_intensity * novel
    if wording.URGENT.count(felt.words, felt.lowered):
        intensity += settings.urgency_intensity
    valence, intensity = max(-1.0, min(1.0, valence)), min(1.0, intensity)
    surprised = wording.SURPRISED.count(felt.words, felt.lowered)
    surprise = min(1.0, _SURPRISE_EACH * surprised + settings.novelty_intensity * novel)
    if not (valence or intensity or surprise):
        return Affect()
    control = wording.IN_CONTROL.count(felt.words, felt.lowered) - wording.HELPLESS.count(felt.words, felt.lowered)
    return Affect(
        valence=round(valence, 4),
        arousal=round(abs(valence) * intensity, 4),
        intensity=round(intensity, 4),
        dominance=round(max(0.0, min(1.0, _NEITHER + _CONTROL_EACH * control)), 4),
        surprise=round(surprise, 4),
    )


def _felt(text: str) -> _Felt:
    tokens = _TOKEN.findall(text)
    words = [token.lower() for token in tokens]
    shouting = text.isupper()  # then capitals say nothing
    turned = _last_turn(words)
    total = markers = 0.0
    for at, rating in enumerate(map(_rating, words)):
        if not rating or not _is_meant(words, at):
            continue
        loud = not shouting and len(tokens[at]) > 1 and tokens[at].isupper()
        said = _in_clause(words, at, rating + (_CAPITALS if rating > 0 else -_CAPITALS) * loud)
        markers += abs(said) / _MARKER_POINTS
        total += said if turned < 0 else said * (_BEFORE_BUT if at < turned else _AFTER_BUT)
    lowered, telling = text.lower(), wording.TELLING.intersection(words)
    for said in _idioms(telling, lowered):
        total += said
        markers += abs(said) / _MARKER_POINTS
    exclaimed = min(_EXCLAMATIONS_MAX, text.count("!"))
    if total:
        total += (_EXCLAMATION if total > 0 else -_EXCLAMATION) * exclaimed
    if len(words) > _USUAL_WORDS:
        total /= (len(words) / _USUAL_WORDS) ** _LENGTH_DAMPING
    return _Felt(total, markers, exclaimed + _emphases(text, tokens, shouting), telling, lowered)


def _idioms(words: frozenset[str], lowered: str) -> list[float]:
    """The ratings of phrases that mean something else than their words."""
    last_words = sorted(words & wording.IDIOMS.keys())
    return [rating for last in last_words for phrase, rating in wording.IDIOMS[last] if phrase in lowered]


def _last_turn(words: list[str]) -> int:
    """Where the last "but" stands, -1 without one."""
    turns = wording.TURNS.intersection(words)
    return max(at for at, word in enumerate(words) if word in turns) if turns else -1


def _is_meant(words: list[str], at: int) -> bool:
    """Whether a rated word is said of something, rather than a mere part of speech: "it looks like rain"."""
    word, before = words[at], words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else "."
    if word == "like":
        return before in wording.LIKING or before in wording.BOOSTERS or before in wording.NEGATIONS
    if word == "kind":
        return after != "of"
    if word in wording.BOOSTERS:
        return not after[0].isalpha()
    return word != "no" or not _rating(after)


def _in_clause(words: list[str], at: int, rating: float) -> float:
    """A rating as the words before it change it, back to the last pause."""
    direction = 1.0 if rating > 0 else -1.0
    denied = unreal = False
    for distance in range(1, min(at, _CLAUSE_WORDS) + 1):
        word = words[at - distance]
        if word[0] in _PAUSES or word == "but":
            break
        if word in wording.BOOSTERS and distance < _CLAUSE_WORDS:
            rating += direction * wording.BOOSTERS[word] * (1.05 - 0.05 * distance)
        if word in wording.NEGATIONS or word.endswith(("n't", "n’t")):
            denied ^= words[at - distance + 1] not in wording.AFFIRMING
        elif word == "too" and distance == 1:
            rating, direction = min(rating, 0.0) - _TOO, -1.0
        unreal |= word in wording.UNREAL
    if denied:
        rating *= _DENIED
    return rating * _UNREAL if unreal and rating > 0 else rating


@lru_cache(maxsize=1 << 16)
def _rating(word: str) -> float:
    """The rating of one word or sign, 0 when it has none."""
    rated = wording.points()
    known = rated.get(word)
    if known is not None:
        return known
    word = word.replace("’", "'").removesuffix("'s")
    if _DRAWN.search(word):
        return _DRAWN_OUT * (rated.get(_DRAWN.sub(r"\1\1", word)) or rated.get(_DRAWN.sub(r"\1", word), 0.0))
    parts = word.split("-")
    if len(parts) > 1:
        return max(-_RATING_MAX, min(_RATING_MAX, sum(_rating(part) for part in parts if part)))
    return rated.get(word, 0.0)


def _emphases(text: str, tokens: list[str], shouting: bool) -> int:
    """Words in capitals, drawn out or in bold; a text all in capitals is one."""
    capitals = 1 if shouting else len(_IN_CAPITALS.findall(text))
    bold = len(_BOLD.findall(text)) if "**" in text or "__" in text else 0
    return capitals + bold + any(map(_is_drawn_out, frozenset(tokens)))


@lru_cache(maxsize=1 << 16)
def _is_drawn_out(word: str) -> bool:
    return _DRAWN.search(word) is not None
