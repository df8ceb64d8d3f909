"""How sure it is that a clause makes a statement that is right and can be understood without its turn.

A weighted sum over what the clause looks like: what of it points elsewhere ("the other one"), how much it says by
itself, and whether it tells what lasts. The weights were fitted to 1,403 statements that were judged by hand, out of
chats between friends and with assistants (`bench/quality/surety.py` fits them again).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from recollect.language.en.verbs import AUXILIARIES, BEING, lemma_of
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import Clause, Who
from recollect.perceive.grammar.groups import is_adverb
from recollect.perceive.grammar.manner import Manner
from recollect.perceive.grammar.words import Words, is_word

WEIGHTS = {
    "clause": -0.10,
    "lasts": 0.94,
    "lasts, says": 0.85,
    "says": 1.07,
    "counted": 0.48,
    "named": 1.13,
    "points": -1.49,
    "compares": -1.09,
    "the": -1.14,
    "at the": -0.45,
    "own": 0.29,
    "we": -0.57,
    "past": -0.13,
    "opinion": -0.47,
    "plan": -0.41,
}
ENOUGH = 1.29  # keeps about half of what is said between friends, and four fifths of what assistants are told

_LASTING = frozenset("user_info preference constraint requirement".split())
_POINTING = frozenset("it he she they him them em one ones".split())
_COMPARING = frozenset(
    "more else other others another same such enough extra opposite each both instead similar again".split()
)
_MAY_COMPARE = _COMPARING | {"time"}
_COMPARED = frozenset("than as other".split())  # "more than ten", "such as", "each other"
_SAYS_WHICH = frozenset("of that who which where in at from for with between to on about 's i we".split())
_LIGHT_VERBS = frozenset(
    "be do go come get have make take try start stop keep think feel know see say let put want need like seem look "
    "happen help work end decide".split()
)
_EMPTY = frozenset(
    "thing things stuff something anything everything way bit lot lots bunch kind sort time good great here there "
    "goal goals dream dreams effort best progress fun blast motivated positive forward not or him her them "
    "his their its me you your going still even well again".split()
)
_GRAMMAR = frozenset[str]().union(
    wording.DETERMINERS,
    wording.PREPOSITIONS,
    wording.ADVERBS,
    wording.FIRST_PERSON,
    wording.PRONOUNS,
    wording.NOMINATIVE,
    wording.ANYBODY,
    wording.COORDINATORS,
    wording.SUBORDINATORS,
    wording.CONDITIONS,
    AUXILIARIES,
    BEING,
)
_SAY_NOTHING = _GRAMMAR | _EMPTY | _COMPARING | wording.TIME_NOUNS | wording.QUANTITIES
_WHOSE = wording.OWN | {"his", "her", "their"}
_COUNTS = wording.QUANTITIES - frozenset("some every each many most several few both all no".split())
_OFTEN = frozenset("always usually often sometimes rarely seldom never every daily".split())
_QUOTES = frozenset('"“`')
_LETTERS_MIN = 3


def is_sure(clause: Clause, manner: Manner, category: str, *, is_state: Callable[[], bool]) -> bool:
    """Whether the statement of the clause is kept. `is_state` tells whether it says how things are with a person; it is
    called only where nothing else says that the statement lasts."""
    found = signs_of(clause, manner, category, is_state=is_state)
    return sum(WEIGHTS[name] * sign for name, sign in found.items()) >= ENOUGH


def signs_of(clause: Clause, manner: Manner, category: str, *, is_state: Callable[[], bool]) -> dict[str, float]:
    """What the sum is made of. A fact that lasts ("is vegan", "loves tea") may be short; what happens needs words."""
    words, group = clause.words, clause.group
    said = words[group.end :]
    telling = _telling(clause)
    lasts = category in _LASTING or (telling > 1 and manner.ended) or _is_habit(clause, manner, telling) or is_state()
    # What lasts is told within a world: "plays the cello", "Redis depends on the vault"; "likes the area" asks which.
    shown, placed = (0, 0) if lasts and category != "preference" else _unsaid(words, group.end)
    return {
        "clause": 1.0,
        "lasts": float(lasts),
        "lasts, says": math.log1p(telling) if lasts else 0.0,
        "says": 0.0 if lasts else math.log1p(telling),
        "counted": float(not lasts and any(_counts(word.low) for word in said)),
        "named": float(group.lemma != "say" and any(_is_named(word.text) for word in said if word.low != "i")),
        "points": float(_points_elsewhere(clause)),
        "compares": float(_comparisons(clause)),
        "the": float(shown),
        "at the": float(placed),
        "own": float(clause.who is Who.OWN),
        "we": float(clause.who is Who.GROUP),
        "past": float(manner.tense == "past"),
        "opinion": float(category == "opinion"),
        "plan": float(category == "plan"),
    }


def _telling(clause: Clause) -> int:
    """How many words from the verb on, and before the subject, say something by themselves."""
    words = (*clause.words[: clause.subject], *clause.words[clause.group.main :])
    return sum(
        (word.text[0].isupper() and word.low != "i")
        or (_says_something(word.low) and (is_word(word) or word.low[0].isdigit()))
        for word in words
    )


@lru_cache(maxsize=1 << 13)
def _says_something(low: str) -> bool:
    if low[0].isdigit():
        return True
    said = len(low) >= _LETTERS_MIN and low not in _SAY_NOTHING and not is_adverb(low)
    return said and lemma_of(low) not in _LIGHT_VERBS


def _counts(low: str) -> bool:
    """Whether a thing is counted, or has an owner: "a dog", "two kids", "my car"."""
    return low in _WHOSE or low in _COUNTS or low[0].isdigit()


def _is_named(text: str) -> bool:
    return text[0].isupper() or text[0] in _QUOTES


def _is_habit(clause: Clause, manner: Manner, telling: int) -> bool:
    """ "drinks coffee", "usually goes by bike", "has a bike", "is 6": neither just now nor once."""
    group, said = clause.group, clause.lows[clause.group.end :]
    if manner.tense != "present" or group.helpers not in ((), ("do",), ("does",)) or telling == 0:
        return False
    if group.lemma == "have":
        return _counts(said[0]) if said else False
    if group.lemma == "be":
        return said != [] and said[0][0].isdigit()
    plain = group.lemma == "work" or group.lemma not in _LIGHT_VERBS
    return any(low in _OFTEN for low in clause.lows) or (telling > 1 and plain)


def _points_elsewhere(clause: Clause) -> bool:
    words = clause.words
    return not _POINTING.isdisjoint(clause.lows) and any(_points(words, at) for at in range(clause.verb, len(words)))


def _comparisons(clause: Clause) -> int:
    words = clause.words
    if _MAY_COMPARE.isdisjoint(clause.lows):
        return 0
    return sum(_compares(words, at) for at in (*range(clause.subject), *range(clause.group.end, len(words))))


def _points(words: Words, at: int) -> bool:
    """Whether the word stands for something else; "finds it hard to sleep" does not."""
    low = words[at].low
    empty = low == "it" and any(word.low in ("to", "that") for word in words[at + 2 : at + 5])
    return low in _POINTING and not (empty and lemma_of(words[at - 1].low) == "find")


def _compares(words: Words, at: int) -> bool:
    """Whether it is told with a look at something that is not said: "the other", "a few more"."""
    following = words[at + 1].low if at + 1 < len(words) else ""
    if following == "time":
        return words[at].low in ("this", "that", "next")
    return words[at].low in _COMPARING and following not in _COMPARED and words[at - 1].low not in ("any", "each")


def _unsaid(words: Words, begin: int) -> tuple[int, int]:
    """How many things are "the …" without a word that says which: as an object, and after a preposition."""
    shown = placed = 0
    for at in range(begin, len(words) - 1):
        if words[at].low != "the":
            continue
        end = at + 1
        while (
            end < len(words)
            and is_word(words[end])
            and (words[end].low not in _GRAMMAR or words[end].low in ("and", "or"))
        ):
            end += 1
        if end == at + 1 or (end < len(words) and words[end].low in _SAYS_WHICH):
            continue
        if any(_tells_which(word.text, word.low) for word in words[at + 1 : end]):
            continue
        if words[at - 1].low in wording.PREPOSITIONS and at > begin:
            placed += 1
        else:
            shown += 1
    return shown, placed


def _tells_which(text: str, low: str) -> bool:
    return not text.islower() or low in wording.TIME_NOUNS or low.endswith("est")
