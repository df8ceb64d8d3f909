"""Imperatives that are meant to last: "always use tabs", "please never call me Maggie"; not "write a poem".

Told to an assistant they are standing instructions, so few forms count. What is asked for once ("remember to buy milk",
"don't order today"), what people cheer each other with ("never give up"), and what only begins like an order because
"I" was left out ("never read that book") are none.
"""

from __future__ import annotations

from recollect.language.en.verbs import forms
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import subject_at
from recollect.perceive.grammar.words import Word, Words
from recollect.perceive.statements import idle

_BEGINNINGS = frozenset("please always never do avoid from stick prefer only use keep".split())
_LOOKED_AT = 6
_ONCE = frozenset("use keep".split())  # lasting only with something that says so
_LASTS = frozenset("always instead only default everywhere whenever".split())
_POINTING = frozenset("it that this them there he she him her yourself your yours you".split())
_THIS_TIME = frozenset("today tonight tomorrow now yet here just".split())
_ORDERS = frozenset("always never".split())
_FROM_NOW_ON = (["from", "now", "on"], ["going", "forward"], ["in", "the", "future"])
_OF_THE_FUTURE = frozenset("now forward future".split())  # one of these is in each of those phrases
_MAY_BEGIN = _BEGINNINGS | {"i"}
_WANTED = (["i", "want", "you", "to"], ["i", "need", "you", "to"], ["i", "would", "like", "you", "to"])
# What an assistant may be asked to do, or not, to "me": people ask each other not to judge, hate or leave them.
_FOR_ME = frozenset(
    "call address ask remind send email text phone contact message wake interrupt suggest offer show give book "
    "schedule recommend use write notify invite charge".split()
)
_OF_THE_MIND = frozenset(
    "love like hate enjoy want need know think feel hope seem look see hear find wonder care".split()
)


def wish_in(words: Words) -> Words | None:
    """ "Call me Annie" is no task but says something of the speaker: "I want to be called Annie"."""
    if len(words) < 3 or words[0].low != "call" or words[1].low != "me" or not words[2].text[0].isupper():
        return None
    start, end = words[0].start, words[0].end
    return [*(Word(text, text.lower(), start, end, True) for text in "I want to be called".split()), *words[2:]]


def instruction_in(words: Words) -> Words | None:
    """The words of the standing instruction they give, None if they give none."""
    if not words or (words[0].low not in _MAY_BEGIN and _OF_THE_FUTURE.isdisjoint([word.low for word in words])):
        return None  # most sentences
    words = _without_reason(_after_what_is_wanted(words))
    if not words:
        return None
    if _is_from_now_on(words):
        return words if not {word.low for word in words} & _POINTING else None
    if words[0].low not in _BEGINNINGS:
        return None
    lowered = " ".join(word.low for word in words[:_LOOKED_AT])
    if not idle.INSTRUCTED.match(lowered) or idle.ENCOURAGED.match(lowered):
        return None
    begin = 1 if words[0].low == "please" else 0
    return words[begin:] if _lasts(words[begin:], polite=bool(begin)) else None


def _without_reason(words: Words) -> Words:
    """ "Never call me Maggie, my landlord did": what the comma adds is no part of the order."""
    for at in range(3, len(words) - 2):
        if words[at].text in (",", ";", "-", "—") and subject_at(words, at + 1):
            return words[:at]
    return words


def instruction_at(words: Words) -> int | None:
    """Where an instruction begins that follows something else: "I'm vegan, so please always suggest vegan food"."""
    for at in range(2, len(words) - 2):
        joined = not words[at - 1].text.isalnum() or words[at - 1].low in ("so", "and")
        if words[at].low == "please" and joined:
            return at if words[at + 1].low in ("always", "never") else None
    return None


def says_it_lasts(words: Words) -> bool:
    """Whether an instruction says itself that it lasts: "always", "from now on"; "do not …" may be about a task."""
    lows = [word.low for word in words]
    return bool(_ORDERS.intersection(lows[:2])) or any(
        lows[at : at + len(phrase)] == phrase for phrase in _FROM_NOW_ON for at in range(len(lows))
    )


def _after_what_is_wanted(words: Words) -> Words:
    """ "I want you to always answer in French": what follows; nothing where "always" does not."""
    for opening in _WANTED:
        if [word.low for word in words[: len(opening)]] == opening:
            rest = words[len(opening) :]
            return rest if rest and rest[0].low in _ORDERS else []
    return words


def _is_from_now_on(words: Words) -> bool:
    """ "From now on use metric units", "answer in English from now on"."""
    lows = [word.low for word in words]
    for phrase in _FROM_NOW_ON:
        size = len(phrase)
        if lows[-size:] == phrase and len(lows) > size + 1:
            first = lows[1] if lows[0] == "please" else lows[0]
            return first in forms().base and first not in _OF_THE_MIND
        if lows[:size] == phrase and len(lows) > size + 1:
            after = next((low for low in lows[size:] if low not in (",", "please", "always", "never", "only")), "")
            return after in forms().base and after not in _OF_THE_MIND
    return False


def _lasts(words: Words, *, polite: bool) -> bool:
    """Whether an order is meant for ever: it says so, or forbids something, and names no occasion."""
    lows = {word.low for word in words}
    first = words[0].low
    if first in _ONCE and (not lows & _LASTS or ":" in lows):
        return False  # this once, or a heading
    if lows & (_POINTING | _THIS_TIME) or (lows & wording.FIRST_PERSON and first == "keep"):
        return False
    at = 2 if first == "do" else 1
    if first == "do" and words[1].text != "not":
        return False  # a title: "Do Not Track"
    verb = words[at].low if at < len(words) else ""
    if "me" in lows and verb not in _FOR_ME:
        return False
    if first not in ("always", "never"):
        return True
    known = forms()
    left_out = verb in known.past and not polite  # "never read that book": I never did
    return verb in known.base and not left_out and verb not in _OF_THE_MIND
