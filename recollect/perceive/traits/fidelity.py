"""A text at four levels: itself, a summary of one or two sentences, a key fact of a few words, a tag.

Taken from the text, never written anew: a summary can leave something out, it cannot say something else. The lower
levels are what a context shows when the whole does not fit, so each is at most as long as the one above it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from recollect.config.writing import IngestSettings
from recollect.language.expression import expression
from recollect.language.sentences import Sentence
from recollect.language.spoken import each_sentence
from recollect.language.words import WRITTEN
from recollect.model.tokens import estimate_tokens
from recollect.perceive.traits.topics import term_and_worth, topics_of

TEXT_CHARS_MAX = 8_000  # of a longer text the beginning is summed up
SENTENCES_MAX = 64
SUMMARY_SENTENCES = 2
KEY_FACT_WORDS = 12
TAG_WORDS = 3
_SHORT_TEXT_WORDS = 20  # up to here a text is its own summary

_TELLS = expression(
    r"\d|\b(?:decid|prefer|must|need|fix|solv|becaus|alway|never|plan|start|finish|moved?|bought|learn|work|use[sd]?|"
    r"using|is|are|was|were|will)",
    re.IGNORECASE,
)
_OPENING = expression(  # words that lead up to what is said
    r"(?:(?:well|so|yeah|yes|yep|no|oh|ok|okay|hey|hi|hello|thanks|thank you|wow|and|but|also|actually|basically|"
    r"anyway|honestly|right|sure|great|awesome|cool|haha|lol|hmm+|btw|by the way|in fact|of course|"
    r"i (?:think|guess|believe|mean|feel like)(?: that)?|you know|let me know if|just so you know)\b[,.!:—–\s]*+)++",
    re.IGNORECASE,
)
_CLAUSE_END = expression(
    r"[;:—–()]\s*|,\s+(?=(?:and|but|so|because|which|who|while|although|though|since|if|when|then|or)\b)|,\s+(?!\d{4}\b)"
    r"|(?<!\s)\s+(?=(?:because|although|though|while|whereas|but)\b)|(?<!\s)\s+-\s+",
    re.IGNORECASE,
)
_JOINT = expression(r"^(?:and|but|so|or|then)\s+", re.IGNORECASE)
_LEFT_OPEN = frozenset(
    "a an the and or but of to in on at for with from by as is are was were be been that which who my your his her our "
    "their its this because so if when while i we than then into about".split()
)
_QUESTION_FACTOR, _CODE_FACTOR, _FIRST_BONUS, _TELLING_BONUS = 0.5, 0.4, 1.15, 1.2
_MAIN_BONUS, _DEPENDENT_FACTOR = 1.3, 0.8
_SHORT_CLAUSE_WORDS = 3
_ELLIPSIS_BYTES = len("…".encode())


class FidelityLevel(IntEnum):
    """How much of a record is shown, most first."""

    FULL = 0
    SUMMARY = 1
    KEY_FACT = 2
    TAG = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """The shorter levels of a text, and what each level costs, the full text first."""

    summary: str
    key_fact: str
    tag: str
    tokens: tuple[int, int, int, int]

    def level_within(self, tokens: int) -> FidelityLevel | None:
        """The fullest level that fits, None when not even the tag does."""
        return next((level for level in FidelityLevel if self.tokens[level] <= tokens), None)


class _CostedLevel(NamedTuple):
    """One level, and how many tokens it takes."""

    text: str
    tokens: int


def fidelity_of(
    text: str,
    *,
    summary_bytes_max: int = IngestSettings().summary_bytes_max,
    sentences: Sequence[Sentence] | None = None,
    topics: Sequence[str] | None = None,
) -> Fidelity:
    """The levels of a text; those of an empty one are empty. Give `sentences` and `topics` of the text where they are
    known, and they are not looked for again."""
    beginning = text[:TEXT_CHARS_MAX].strip()
    if sentences is None or len(text) > TEXT_CHARS_MAX:
        sentences = tuple(islice(each_sentence(beginning), SENTENCES_MAX))
    sentences = sentences[:SENTENCES_MAX]
    worths = _worths(sentences)
    full = _costed(text)
    summary = _costed(_summary(beginning, sentences, worths, summary_bytes_max), full)
    best = sentences[max(range(len(worths)), key=worths.__getitem__)] if worths else None
    key_fact = _shorter(_key_fact(best), summary) if best else _CostedLevel("", 0)
    tag = _shorter(_tag(beginning, topics_of(beginning, TAG_WORDS) if topics is None else topics[:TAG_WORDS]), key_fact)
    return Fidelity(
        summary=summary.text,
        key_fact=key_fact.text,
        tag=tag.text,
        tokens=(full.tokens, summary.tokens, key_fact.tokens, tag.tokens),
    )


def _worths(sentences: Sequence[Sentence]) -> list[float]:
    """How much each sentence tells, by its words, those the text repeats counting more."""
    if len(sentences) < 2:
        return [1.0] * len(sentences)  # there is no other to compare with
    often: defaultdict[str, float] = defaultdict(float)
    read = []
    for sentence in sentences:
        words = [_word(word) for word in WRITTEN.findall(sentence.text)]
        telling = [(term, worth) for term, worth, _ in words if term]
        for term, worth in telling:
            often[term] += worth
        read.append((dict(telling), len(words), any(tells for _, _, tells in words)))
    out = []
    for sentence, (terms, length, tells) in zip(sentences, read, strict=True):
        worth = sum(map(often.__getitem__, terms)) / (4 + length) ** 0.5
        worth *= _TELLING_BONUS if tells else 1.0
        worth *= _QUESTION_FACTOR if sentence.is_question else _CODE_FACTOR if sentence.in_code else 1.0
        out.append(worth)
    out[0] *= _FIRST_BONUS
    return out


class _WeighedWord(NamedTuple):
    """A word of a sentence: its term, what that is worth, and whether it is of those that tell something."""

    term: str
    worth: float
    tells: bool


@lru_cache(maxsize=1 << 16)
def _word(word: str) -> _WeighedWord:
    return _WeighedWord(*term_and_worth(word), _TELLS.search(word) is not None)


def _summary(text: str, sentences: Sequence[Sentence], worths: Sequence[float], bytes_max: int) -> str:
    if len(sentences) <= 1 or text.count(" ") < _SHORT_TEXT_WORDS:
        return _within_bytes(" ".join(text.split()), bytes_max)
    ranked = sorted(range(len(sentences)), key=lambda at: -worths[at])
    chosen: list[int] = []
    left = bytes_max
    wanted = min(SUMMARY_SENTENCES, len(sentences) - 1)
    for at in ranked[: SUMMARY_SENTENCES + 2]:
        size = len(sentences[at].text.encode("utf-8", "replace")) + 1
        if size <= left and len(chosen) < wanted:
            chosen.append(at)
            left -= size
    if not chosen:
        return _within_bytes(sentences[ranked[0]].text, bytes_max)
    return " ".join(" ".join(sentences[at].text.split()) for at in sorted(chosen))


def _key_fact(sentence: Sentence) -> str:
    """The clause of a sentence that tells most, or as many of its words as a key fact has."""
    said = " ".join(sentence.text.split())
    opening = _OPENING.match(said)
    if opening and len(said) - opening.end() > len(said) // 3:
        said = said[opening.end() :]
    said = said.rstrip(" .!?…,;:")
    if said.count(" ") < KEY_FACT_WORDS:
        return said
    clauses = [clause.strip(" .!?…,;:") for clause in _CLAUSE_END.split(said)]
    whole = [clause for clause in clauses if clause.count(" ") + 1 >= _SHORT_CLAUSE_WORDS] or [said]
    best = max(whole, key=lambda clause: _clause_worth(clause) * (_MAIN_BONUS if clause is whole[0] else 1.0))
    return _first_words(_JOINT.sub("", best), KEY_FACT_WORDS)


def _clause_worth(clause: str) -> float:
    words = WRITTEN.findall(clause)
    worth = sum(_word(word).worth for word in words[:KEY_FACT_WORDS])
    worth *= _DEPENDENT_FACTOR if words and words[0].lower() in _LEFT_OPEN else 1.0
    return worth * (_TELLING_BONUS if any(_word(word).tells for word in words) else 1.0)


def _first_words(clause: str, count: int) -> str:
    words = clause.split()
    if len(words) > count:
        words = words[:count]
        while len(words) > 1 and words[-1].lower() in _LEFT_OPEN:
            words.pop()
    return " ".join(words).rstrip(" .!?…,;:")


def _tag(text: str, topics: Sequence[str]) -> str:
    """The words a text is about, in its order; its first words when it is about nothing."""
    if len(topics) > 1 or (topics and text.count(" ") == 0):
        lowered = text.lower()
        return " ".join(sorted(topics, key=lowered.find))
    words = WRITTEN.findall(text[:200])
    return " ".join(words[:TAG_WORDS]).lower() if words else text[:TAG_WORDS]


def _costed(text: str, above: _CostedLevel | None = None) -> _CostedLevel:
    """A level with its cost, which is known when it is the same text as the one above."""
    return above if above is not None and text == above.text else _CostedLevel(text, estimate_tokens(text))


def _shorter(text: str, above: _CostedLevel) -> _CostedLevel:
    """This level, or the one above it where it would not be shorter."""
    found = _costed(text, above)
    return found if text and found.tokens <= above.tokens else above


def _within_bytes(text: str, bytes_max: int) -> str:
    """A text cut between words to so many bytes of UTF-8, with an ellipsis where it was cut."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= bytes_max:
        return text
    kept = encoded[: max(0, bytes_max - _ELLIPSIS_BYTES)].decode("utf-8", "ignore")
    head, space, _ = kept.rpartition(" ")
    return (head if space else kept).rstrip(" ,;:") + "…"
