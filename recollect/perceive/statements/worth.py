"""Whether a clause says something that is worth keeping on its own.

What only answers ("I did before"), lost its object ("I got a few years ago"), says how the speaker fares just now, or
is a saying about everybody means little or something else tomorrow.
"""

from __future__ import annotations

from functools import lru_cache

from recollect.language.en.verbs import AUXILIARIES, forms, is_finite, lemma_of
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import Clause, Who, is_name
from recollect.perceive.grammar.groups import is_adverb, skip_adverbs
from recollect.perceive.grammar.words import Words, is_word
from recollect.perceive.statements import idle

_SEEMING = frozenset("sound look seem".split())  # a courtesy more often than a statement
_LOOSE_WORDS_MAX = 10
_EVERYBODYS = frozenset("we us our ourselves".split())  # "being ourselves is great"
_SAYING = frozenset("think believe guess suppose".split())
_OPEN = frozenset("can could should must would may might".split())
_IN_TEXT = frozenset("following above below".split())
_VAGUE = frozenset("something everything nothing anything one".split())
# Verbs that say something of a person with nothing behind them: "I smoke", "I retired", "I can swim".
_TELL_ALONE = frozenset(
    "smoke vape drink cook bake swim dance sing ski run hike bike cycle climb surf garden knit sew paint draw drive "
    "code freelance volunteer meditate journal commute travel quit retire resign graduate divorce separate relocate "
    "relapse remarry snore stutter sleepwalk win lose pass fail move".split()
)
# Verbs that say nothing without an object, and what no object begins with.
_NEED_AN_OBJECT = frozenset(
    "get have make take buy watch love like hate prefer want need use own find bring send give put keep build wear "
    "carry receive choose mention enjoy do".split()
)
_NO_OBJECT_AFTER = frozenset("from since because when while".split())
_HOW_LONG_AGO = wording.QUANTITIES | wording.TIME_NOUNS | frozenset("like about couple of years hours".split())
_HOW_OFTEN = frozenset("a few couple of times once twice again".split())
# Of what? "I cannot remember the name", "we have an answer".
_NEED_OF = frozenset(
    "name answer reason fan part rest difference point result solution beginning end ton tons bunch pair pairs".split()
)
_PARTICLES_AND_SUCH = frozenset(
    "him her them me us myself themselves way thing things stuff bit lot while moment point kind sort better "
    "worse good bad well fine sure ready more less much many little few enough else that or to where there here "
    "often over back away online ahead through though quickly slowly early late".split()
)
_WITHOUT_SUBSTANCE = _PARTICLES_AND_SUCH.union(
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
)
_VAGUE_VERBS = frozenset(
    "be do go come get have make take try start stop keep think feel know see say will can could would should may "
    "might must let put want need like seem look happen".split()
)


def is_worth_keeping(clause: Clause) -> bool:
    """Whether the clause states something by itself."""
    who, group = clause.who, clause.group
    if who in (Who.LISTENER, Who.POINTED) or _points_in_text(clause):
        return False
    if clause.resolved and who in (Who.SPEAKER, Who.GROUP):
        return False  # "if they will meet my needs": inside a clause about oneself, another may be meant
    if who is Who.THERE and (group.negated or clause.lows[group.end : group.end + 1] in (["no"], ["nothing"])):
        return False  # "there is nothing like it"
    if group.lemma in _SAYING and not _says_a_thought(clause):
        return False
    if group.lemma == "use" and not _is_use(clause):
        return False  # "I use to like it", "I used to when I was a child"
    if clause.words[-1].low in _NEED_OF and any(_is_counted(word.low) for word in clause.words[-3:-1]):
        return False
    if who in (Who.SPEAKER, Who.GROUP):
        if not _says_what(clause) or not _has_substance(clause) or _is_idle(clause):
            return False
    elif group.lemma in _SEEMING:
        return False
    after = clause.words[group.end :]
    if who is Who.NAMED and not group.helpers and (not after or after[0].low in wording.COORDINATORS):
        return False  # "Ben works": seldom all, and often no verb; "Safe travels and good luck"
    return who in (Who.SPEAKER, Who.OWN, Who.NAMED) or _is_concrete(clause)


def _is_counted(low: str) -> bool:
    return low in wording.QUANTITIES or low == "the" or low[0].isdigit()


def _points_in_text(clause: Clause) -> bool:
    """ "the following file", "the two cards above": it stands elsewhere in the turn. "Above 70%" does not."""
    if _IN_TEXT.isdisjoint(clause.lows):
        return False
    words = clause.words
    return any(
        word.low in _IN_TEXT
        and (
            (at > 0 and words[at - 1].low == "the")
            or at + 1 == len(words)
            or not is_word(words[at + 1])
            or is_finite(words[at + 1].low)
        )
        for at, word in enumerate(words)
    )


def _is_idle(clause: Clause) -> bool:
    """A greeting, agreement, or how the speaker is at the moment."""
    if clause.who is Who.SPEAKER and idle.IDLE.match(clause.said(clause.subject)):
        return True
    return idle.PASSING.match(clause.said(clause.group.start)) is not None


def _says_a_thought(clause: Clause) -> bool:
    """Whether a whole thought follows "I think", and the speaker's own: who "we" are cannot be told."""
    rest = clause.words[clause.group.end :]
    if not any(is_finite(word.low) or word.low in wording.PREPOSITIONS for word in rest):
        return False  # "I think the wealthy"
    if rest[0].low in AUXILIARIES or any(word.low in _EVERYBODYS for word in rest):
        return False  # "I think is salazzle", "I think we will all lose our jobs"
    return not idle.PASSING.match(clause.said(clause.group.end).removeprefix("i "))  # "I think I'm pretty good"


def _is_use(clause: Clause) -> bool:
    """Whether something is used, or used to be done."""
    words, after = clause.words, clause.group.end
    if after >= len(words) or words[after].low != "to":
        return True
    done = after + 1 < len(words) and (words[after + 1].low == "be" or words[after + 1].low in forms().base)
    return clause.group.past and done


def _says_what(clause: Clause) -> bool:
    """Whether anything follows the verb, where it needs something: "I am" and "I had to ask" answer what was said."""
    words, group = clause.words, clause.group
    at = group.end
    while at + 1 < len(words) and words[at].low == "to" and words[at + 1].low in forms().base:
        at += 2  # "had to ask"
    beside = min(skip_adverbs(words, at), len(words) - 1)
    if group.lemma in _NEED_AN_OBJECT and at < len(words) and _is_beside_the_point(words, beside):
        return False
    at = skip_adverbs(words, at)
    if at < len(words) and not all(word.low in _HOW_OFTEN for word in words[at:]):
        return group.lemma != "be" or words[at].low not in wording.SUBORDINATORS | wording.COORDINATORS
    return words[-1].low in _TELL_ALONE or group.lemma in _TELL_ALONE


def _is_beside_the_point(words: Words, at: int) -> bool:
    """Whether where the object should be only a time stands, or a preposition: "a few years ago", "from my job"."""
    if words[at].low in _NO_OBJECT_AFTER:
        return True
    ago = next((place for place in range(at, min(len(words), at + 5)) if words[place].low == "ago"), None)
    return ago is not None and all(word.low in _HOW_LONG_AGO or word.low[0].isdigit() for word in words[at:ago])


def _has_substance(clause: Clause) -> bool:
    """Whether a word from the verb on, or before the subject, says something by itself: not "go", "better", "stuff"."""
    words = clause.words
    return any(
        _says_something(word.low) and is_word(word) for word in (*words[: clause.subject], *words[clause.group.main :])
    )


@lru_cache(maxsize=1 << 13)
def _says_something(low: str) -> bool:
    return low not in _WITHOUT_SUBSTANCE and not is_adverb(low) and lemma_of(low) not in _VAGUE_VERBS


def _is_concrete(clause: Clause) -> bool:
    """Whether something in it belongs to a person, has a name or a number, or must be: more than a saying."""
    words, group, first = clause.words, clause.group, clause.words[clause.subject].low
    if clause.who is Who.GROUP and (group.past or group.helpers):
        return _OPEN.isdisjoint(group.helpers)  # what happened or goes on; "we learn and we grow" is a saying
    if first in _VAGUE or (clause.who is Who.THERE and any(word.low == "also" for word in words)):
        return False
    if clause.who is Who.GENERIC and "will" in group.helpers:
        return False  # "a bench warmer will drop 30": what may happen
    if clause.who is Who.DEFINITE and len(words) > _LOOSE_WORDS_MAX:
        words = words[clause.subject : clause.verb]  # "the place is airy …": a name further on does not say which place
    own = wording.FIRST_PERSON - _EVERYBODYS if clause.who is not Who.DEFINITE else frozenset[str]()
    return any(
        word.low in own or word.low == "must" or word.low[0].isdigit() or (at and is_name(words, at))
        for at, word in enumerate(words)
    )
