"""How a text feels, by its words: valence, arousal, intensity, dominance and surprise.

Valence is the sum of the ratings of its feeling words, each changed by what stands before it in its clause: "not",
"very", "would", "too". What follows a "but" counts more than what came before. Words without a rating, and pairs of
words, add what they were learned to say (docs/adr/0059). Intensity counts the signs of feeling whatever their
direction: feeling words, emphasis, urgency, and what is known of the situation (how a task ended, a correction, a first
time). Arousal is their product, so that only what is felt strongly and clearly is exciting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from recollect.config import writing
from recollect.language import lists
from recollect.limits import GIST_CHARS_MAX
from recollect.model.record import Affect
from recollect.perceive.traits.signs import sign_of, words_of

DEFAULTS = writing.AffectSettings()

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
_LEARNED_MIN = 0.5  # points below which learned words alone say nothing

_TOKEN = re.compile(
    r"(?=\S)(?:[^\W\d_]+(?:['’*-][^\W\d_]+)*"  # a word
    r"|(?<!\w)[:;=8xX]['’]?[-o^]?[)(\]\[DPpOo/\\|*3]+(?!\w)|<3+|</3"  # an emoticon
    r"|[!?]+|[.,;:…()\"“”]+|[^\w\s])"  # a pause, an emoji
)
_DRAWN = re.compile(r"([^\W\d_])\1\1+")
_BOLD = re.compile(r"\*\*\w|__\w")
_IN_CAPITALS = re.compile(r"[A-Z](?<!\w.)[A-Z]{3,}\b")
_PAUSES = frozenset(".,;:…()“”!?")
_WORD = re.compile(r"[a-z][a-z'’*-]*")
_SPELT = re.compile(r"[^\W\d_]{2,}")
_FUNCTION_WORDS = frozenset(("in", "on", "at", "with", "and", "to", "for", "there", "here", "today", "tonight"))
_SURPRISE_EACH, _CONTROL_EACH, _NEITHER = 0.4, 0.15, 0.5


# --- the words of feeling ---------------------------------------------------------------------------------------------

_LISTS, _SETS = lists.sections("en", "affect"), lists.sets("en", "affect")
_BOOST = 0.293  # points to the next word's, in its own direction: the constant of VADER
_BOOSTERS = dict.fromkeys(_SETS["stronger"], _BOOST) | dict.fromkeys(_SETS["weaker"], -_BOOST)
_NEGATIONS, _AFFIRMING = _SETS["negations"], _SETS["affirming"]
_UNREAL_WORDS, _TURNS, _LIKING = _SETS["unreal"], _SETS["turns"], _SETS["liking"]
_SAID, _FONDLY = _SETS["said"], _SETS["fondly"]
_URGENT, _SURPRISED = sign_of(_LISTS["urgent"]), sign_of(_LISTS["surprised"])
CHANGING = frozenset((*_BOOSTERS, *_TURNS, *_UNREAL_WORDS))  # say what other words come to
DENYING = _NEGATIONS
LEARNED = "affect_learned"  # the list of what words add beside their ratings
_IN_CONTROL, _HELPLESS = sign_of(_LISTS["in control"]), sign_of(_LISTS["helpless"])


def _idioms_by_last_word() -> dict[str, tuple[tuple[str, float], ...]]:
    found: dict[str, tuple[tuple[str, float], ...]] = {}
    for phrase, rating in lists.pairs(_LISTS["idioms"]).items():
        last = phrase.rsplit(None, 1)[-1]
        found[last] = (*found.get(last, ()), (phrase, float(rating)))
    return found


_IDIOMS = _idioms_by_last_word()  # phrases that mean something else than their words
_TELLING = words_of(_URGENT, _SURPRISED, _IN_CONTROL, _HELPLESS) | _IDIOMS.keys()  # every word that these ask for


@cache
def _ratings() -> dict[str, float]:
    """Every word, emoticon and emoji with a rating from -4 to 4, in small letters where it has letters.

    The lexicon of the vaderSentiment wheel, rated by people, is the ground. On top of it stand words that it does not
    know (what people say of films, tools and their work), and words that mean something else in a conversation with an
    assistant: "kill" and "fatal" are everyday words there.
    """
    rated: dict[str, float] = {}
    for line in files("vaderSentiment").joinpath("vader_lexicon.txt").read_text(encoding="utf-8").splitlines():
        word, mean = line.split("\t", 2)[:2]
        rated[word] = float(mean)
    for rating, words in lists.sections("en", "affect_ratings").items():
        rated.update(dict.fromkeys(words, float(rating)))
    for rating, rows in lists.sections("en", "emoji_ratings").items():
        rated.update(dict.fromkeys("".join(rows), float(rating)))
    return rated


@cache
def _learned() -> dict[str, float]:
    """Points by word or pair of words, beside the ratings."""
    found = lists.sections("en", LEARNED).items()
    return {gram: float(points) for points, grams in found for gram in grams}


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
    english: bool = True,
    settings: writing.AffectSettings = DEFAULTS,
) -> Affect:
    """The feeling of a text, and of the situation it was said in; all zero when nothing was felt.

    Words are only read where they are `english`; signs and emphasis in any language.

    `outcome` is how a task ended (success, partial, failure, retry), `corrected` that somebody was set right, `novel`
    that it happened for the first time. Dominance is .5 when neither control nor helplessness shows.
    """
    text = text[:GIST_CHARS_MAX]
    felt = _felt(text if english else _SPELT.sub(" ", text))
    signed = settings.marker_valence * felt.valence
    valence = signed / hypot(1.0, signed)
    intensity = settings.marker_intensity * felt.markers + settings.emphasis_intensity * felt.emphasis
    if outcome is not None:
        valence += settings.outcome_valence[outcome]
        intensity += settings.outcome_intensity[outcome]
    intensity += settings.correction_intensity * corrected + settings.novelty_intensity * novel
    surprise = min(1.0, _SURPRISE_EACH * _SURPRISED.count(felt.words, felt.lowered))
    intensity += settings.surprise_intensity * surprise
    surprise = min(1.0, surprise + settings.novelty_intensity * novel)
    if _URGENT.count(felt.words, felt.lowered):
        intensity += settings.urgency_intensity
    valence, intensity = max(-1.0, min(1.0, valence)), min(1.0, intensity)
    if not (valence or intensity or surprise):
        return Affect()
    control = _IN_CONTROL.count(felt.words, felt.lowered) - _HELPLESS.count(felt.words, felt.lowered)
    return Affect(
        valence=round(valence, 4),
        arousal=round(abs(valence) * intensity, 4),
        intensity=round(intensity, 4),
        dominance=round(max(0.0, min(1.0, _NEITHER + _CONTROL_EACH * control)), 4),
        surprise=round(surprise, 4),
    )


def _felt(text: str) -> _Felt:
    """What ratings, emphasis and learned words come to; a few learned words alone are no feeling."""
    felt, words = _rated(text)
    turned = _last_turn(words)
    learned = _added_by(words[turned + 1 :]) + (_BEFORE_BUT * _added_by(words[:turned]) if turned > 0 else 0.0)
    learned *= damped(len(words))
    if felt.markers:
        return felt._replace(valence=felt.valence + learned)
    if abs(learned) < _LEARNED_MIN:
        return felt
    return felt._replace(valence=learned, markers=abs(learned) / _MARKER_POINTS)


def _added_by(words: Sequence[str]) -> float:
    points = _learned()
    return sum(points[gram] for gram in sorted(grams_of(words) & points.keys()))


def tokens_of(text: str) -> list[str]:
    """Words, signs and pauses of a text, in small letters."""
    return [token.lower() for token in _TOKEN.findall(text)]


def grams_of(words: Sequence[str]) -> set[str]:
    """The words of a text and its pairs of words, each once; signs and pauses part words."""
    spoken = [_DRAWN.sub(r"\1", word.replace("’", "'")) if _WORD.fullmatch(word) else "" for word in words]
    found = {word for word in spoken if word}
    return found | {f"{one} {other}" for one, other in pairwise(spoken) if one and other}


def rated_points(text: str) -> float:
    """What the ratings of a text's words come to, without what was learned."""
    return _rated(text)[0].valence


def damped(words: int) -> float:
    """What each word of a text of so many counts: a long text is felt less than the sum of its words."""
    return float((max(words, _USUAL_WORDS) / _USUAL_WORDS) ** -_LENGTH_DAMPING)


def _rated(text: str) -> tuple[_Felt, list[str]]:
    """What ratings and emphasis come to, and the words that say so."""
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
    lowered, telling = text.lower(), _TELLING.intersection(words)
    for said in _idioms(telling, lowered):
        total += said
        markers += abs(said) / _MARKER_POINTS
    exclaimed = min(_EXCLAMATIONS_MAX, text.count("!"))
    if total:
        total += (_EXCLAMATION if total > 0 else -_EXCLAMATION) * exclaimed
    total *= damped(len(words))
    return _Felt(total, markers, exclaimed + _emphases(text, tokens, shouting), telling, lowered), words


def _idioms(words: frozenset[str], lowered: str) -> list[float]:
    """The ratings of phrases that mean something else than their words."""
    if words.isdisjoint(_IDIOMS):
        return []
    last_words = sorted(words & _IDIOMS.keys())
    return [rating for last in last_words for phrase, rating in _IDIOMS[last] if phrase in lowered]


def _last_turn(words: list[str]) -> int:
    """Where the last "but" stands, -1 without one."""
    turns = _TURNS.intersection(words)
    return max(at for at, word in enumerate(words) if word in turns) if turns else -1


def _is_meant(words: list[str], at: int) -> bool:
    """Whether a rated word is said of something, rather than a mere part of speech: "it looks like rain"."""
    word, before = words[at], words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else "."
    if word == "like":
        return before in _LIKING or before in _BOOSTERS or before in _NEGATIONS
    if word == "kind":
        return after != "of"
    if word in _BOOSTERS:
        return not after[0].isalpha() or (before in _BOOSTERS and after in _FUNCTION_WORDS)
    return word != "no" or not _rating(after)


def _in_clause(words: list[str], at: int, rating: float) -> float:
    """A rating as the words before it change it, back to the last pause."""
    if words[at] in _SAID:
        return rating
    direction = 1.0 if rating > 0 else -1.0
    denied = unreal = False
    for distance in range(1, min(at, _CLAUSE_WORDS) + 1):
        word = words[at - distance]
        if word[0] in _PAUSES or word == "but":
            break
        if word in _BOOSTERS and distance < _CLAUSE_WORDS:
            rating += direction * _BOOSTERS[word] * (1.05 - 0.05 * distance)
        if word in _NEGATIONS or word.endswith(("n't", "n’t")):
            denied ^= words[at - distance + 1] not in _AFFIRMING
        elif word == "too" and distance == 1 and words[at] not in _FONDLY:
            rating, direction = min(rating, 0.0) - _TOO, -1.0
        unreal |= word in _UNREAL_WORDS
    if denied:
        rating *= _DENIED
    return rating * _UNREAL if unreal and rating > 0 else rating


@lru_cache(maxsize=1 << 16)
def _rating(word: str) -> float:
    """The rating of one word or sign, 0 when it has none."""
    rated = _ratings()
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
