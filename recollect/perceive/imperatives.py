"""Imperatives that are meant to last: "always use tabs", "don't mock the database"; not "write a poem"."""

from __future__ import annotations

from recollect.perceive import idle_words
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.verbs import forms
from recollect.perceive.grammar.words import Word, Words

_BEGINNINGS = frozenset("please always never do avoid from make be remember stick prefer only use keep".split())
_LOOKED_AT = 6
_ONCE = frozenset("use keep".split())  # lasting only with something that says so
_LASTS = frozenset("always instead only default everywhere whenever".split())
_POINTING = frozenset("it that this them there he she him her yourself your yours you me".split())


def wish_in(words: Words) -> Words | None:
    """ "Call me Annie" is no task but says something of the speaker: "I want to be called Annie"."""
    if len(words) < 3 or words[0].low != "call" or words[1].low != "me" or not words[2].text[0].isupper():
        return None
    start, end = words[0].start, words[0].end
    return [*(Word(text, text.lower(), start, end, True) for text in "I want to be called".split()), *words[2:]]


def instruction_in(words: Words) -> Words | None:
    """The words of the standing instruction they give, None if they give none."""
    if words[0].low not in _BEGINNINGS:
        return None
    lowered = " ".join(word.low for word in words[:_LOOKED_AT])
    if not idle_words.INSTRUCTED.match(lowered) or idle_words.ENCOURAGED.match(lowered):
        return None
    lows = {word.low for word in words}
    first = words[1].low if words[0].low == "please" and len(words) > 1 else words[0].low
    if first in _ONCE and (not lows & _LASTS or ":" in lows):
        return None  # this once, or a heading
    if (lows & _POINTING) or (lows & wording.FIRST_PERSON and first == "keep"):
        return None
    if first in ("always", "never") and not _is_ordered(words, 2 if words[0].low == "please" else 1):
        return None
    begin = 1 if words[0].low == "please" else 0
    return words[begin:]


def _is_ordered(words: Words, at: int) -> bool:
    return at < len(words) and words[at].low in forms().base
