"""Reading one clause: who it is about, and the verb it turns on.

A small grammar, not a parser: a clause that does not plainly have a subject followed by its verb is not read at all.
What is read is right far more often than not, which matters more here than reading everything.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from recollect.language.en.verbs import AUXILIARIES, BE, MODALS, NOUNS_FIRST, finite_forms, forms, is_finite, lemma_of
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.groups import VerbGroup, group_at, skip_adverbs
from recollect.perceive.grammar.words import Word, Words, is_word

SUBJECT_WORDS_MAX = 9
LEAD_WORDS_MAX = 14
MAX_PLACE = 1 << 30  # of words that were not written: never the first


class Who(StrEnum):
    """What a clause is about, as its subject says it."""

    SPEAKER = "speaker"  # I
    GROUP = "group"  # we
    OWN = "own"  # my sister, our team
    NAMED = "named"  # Ben, Ben's sister, Postgres
    LISTENER = "listener"  # you
    POINTED = "pointed"  # she, it, this: something outside the clause
    DEFINITE = "definite"  # the deadline
    GENERIC = "generic"  # deploys, everybody, a friend
    THERE = "there"  # there are …


class Clause(NamedTuple):
    """A clause that was understood. Before `subject` stands what leads in ("Last summer,")."""

    words: Words
    subject: int
    verb: int
    who: Who
    plural: bool
    group: VerbGroup
    lows: list[str]
    resolved: bool = False  # something in it was a pronoun
    taken_apart: bool = False  # one of several that "and" had joined

    def said(self, begin: int, end: int | None = None) -> str:
        """Its words from one place to another as patterns look at them."""
        return " ".join(self.lows[begin:end])


def may_be_clause(words: Words) -> bool:
    """A quick look before `read_clause`: whether a word may be its verb, or may come to stand for one."""
    return not (finite_forms().isdisjoint(lows := [word.low for word in words]) and _MAY_BE_VERBS.isdisjoint(lows))


def read_clause(words: Words) -> Clause | None:
    """The clause these words make, None if they plainly make none."""
    words = _with_elided(words)
    found = subject_at(words, 0)
    if found is not None:
        return _clause(words, 0, *found)
    start = _after_lead(words)
    found = subject_at(words, start) if start else None
    return None if found is None else _clause(words, start, *found)


def _clause(words: Words, subject: int, verb: int, who: Who, plural: bool) -> Clause | None:
    group = group_at(words, verb)
    return None if group is None else Clause(words, subject, verb, who, plural, group, [word.low for word in words])


def _with_elided(words: Words) -> Words:
    """ "Just got a dog", "Gonna move", "Mom called": people leave out "I" and "my"."""
    verb = skip_adverbs(words, 0)
    if verb >= len(words) - 1:
        return words
    if words[0].low in _KIN and is_finite(words[1].low):
        return [_MY, words[0]._replace(text=words[0].low), *words[1:]]
    low, following, known = words[verb].low, words[verb + 1].low, forms()
    rest = [words[0]._replace(text=words[0].low), *words[1:]]
    if low in known.past and low not in known.base and low not in _NOT_ELIDED and _follows_a_verb(words, verb + 1):
        return [_I, *rest]
    if low in _DOING and not any(word.low in AUXILIARIES or word.low in known.third for word in words[verb + 1 :]):
        return [_I, _AM, *rest]
    if low == "been" and following in known.ing:
        return [_I, _HAVE, *rest]
    if low == "going" and following == "to" and words[-1].low != "to" and words[verb + 2].low not in ("be", "the"):
        return [_I, _AM, *rest]
    return words


def _follows_a_verb(words: Words, at: int) -> bool:
    low = words[at].low
    return low not in _NOT_ELIDED and (
        low in wording.DETERMINERS
        or low in wording.PREPOSITIONS
        or low in wording.QUANTITIES
        or low in forms().ing
        or low[0].isdigit()
        or is_name(words, at)
        or low == "home"
    )


_I, _HAVE, _AM, _MY = (Word(text, text.lower(), MAX_PLACE, 0, True) for text in ("I", "have", "am", "my"))
_DOING = frozenset("hoping trying planning thinking wondering loving enjoying feeling".split())
# What is written out as a verb, what stands for one without "I am", and whose something is: "her" becomes "Ana's".
_MAY_BE_VERBS = _DOING | frozenset("'s 'd been going her his their its".split())
_KIN = frozenset("mom mum dad grandma grandpa granny".split())  # without another word, the speaker's own
_NOT_ELIDED = AUXILIARIES | frozenset(
    "excited interested surprised scared worried tired stressed used said made agreed named called based born "
    "lost sounded seemed looked tasted smelled felt loved liked hoped inspired impressed relaxed touched "
    "involved confused determined dressed given known it you that this to by".split()
)


def _after_lead(words: Words) -> int:
    """Where the subject begins after "Last summer,", "When I was twelve,", "In 2019"; 0 if nothing leads in."""
    first = words[0].low
    if first in wording.CONDITIONS:
        return 0
    clausal = first in wording.SUBORDINATORS and any(word.low in wording.NOMINATIVE for word in words[1:4])
    clausal = clausal or (first == "now" and words[1:2] != [] and words[1].low == "that")
    fronted = clausal or first in wording.TIME_LEADS or first in wording.PREPOSITIONS or first in wording.SUBORDINATORS
    for at in range(1, min(len(words), LEAD_WORDS_MAX)):
        low = words[at].low
        after_comma = words[at - 1].text == ","
        if low in wording.CONDITIONS or (low == "but" and not clausal):
            return 0
        bare = low in ("i", "we") and not clausal and words[at - 1].low not in wording.SUBORDINATORS
        bare = bare and not any(is_finite(word.low) and word.low in forms().past for word in words[1:at])
        if fronted and (bare or after_comma):
            return at if subject_at(words, at) else 0
    return 0


def subject_at(words: Words, at: int) -> tuple[int, Who, bool] | None:
    """Where the verb of the subject at this place begins, what the subject is, and whether it is many."""
    if at >= len(words) - 1:
        return None
    low = words[at].low
    following = words[at + 1].low
    if low == "me" and following in ("and", "&"):
        return _phrase(words, at, Who.OWN)
    if low in ("i", "we") or low == "you" or low in wording.PRONOUNS:
        return _pronoun(words, at)
    if low == "there":
        return (at + 1, Who.THERE, False) if following in BE or following == "'s" else None
    if low in wording.OWN:
        return _phrase(words, at, Who.OWN)
    if low == "the":
        return _phrase(words, at, Who.DEFINITE)
    if is_name(words, at):
        return _phrase(words, at, Who.NAMED)
    if at == 0 and low in forms().ing and not is_finite(following):
        return _gerund(words)
    if low[:1].isdigit():
        return _counted(words, at)
    if low in wording.ANYBODY or low in wording.QUANTITIES:
        return _phrase(words, at, Who.GENERIC)
    plural = low.isalpha() and _is_plural(low) and low not in _NO_NOUNS
    if plural and (low not in forms().third or (is_finite(following) and following not in forms().third)):
        return _phrase(words, at, Who.GENERIC)
    return None


def _gerund(words: Words) -> tuple[int, Who, bool] | None:
    """ "Running helps me"; "Taking mummy the thing Ana bought" tells what a person does."""
    found = _phrase(words, 0, Who.GENERIC)
    if found is None:
        return None
    finite = words[skip_adverbs(words, found[0])].low
    return found if finite in AUXILIARIES or finite in forms().third else None


def _counted(words: Words, at: int) -> tuple[int, Who, bool] | None:
    """ "6 people came"; "1.1 General provisions" is a heading."""
    found = _phrase(words, at, Who.GENERIC)
    if found is None:
        return None
    finite = words[skip_adverbs(words, found[0])].low
    noun = found[0] > at + 1  # "42 fixed"
    return found if noun and (finite in AUXILIARIES or finite == "'s" or finite in forms().past) else None


def _pronoun(words: Words, at: int) -> tuple[int, Who, bool] | None:
    low = words[at].low
    verb = skip_adverbs(words, at + 1)
    if verb >= len(words) or not (is_finite(words[verb].low) or words[verb].low in ("'s", "'d")):
        return None
    if low in ("this", "that", "these", "those") and words[verb].low not in AUXILIARIES | {"'s", "'d"}:
        return None  # "this works" may be one, "that movie" is not
    who = {"i": Who.SPEAKER, "we": Who.GROUP, "you": Who.LISTENER}.get(low, Who.POINTED)
    return at + 1, who, low in ("we", "they", "you", "these", "those")


def _phrase(words: Words, at: int, who: Who) -> tuple[int, Who, bool] | None:
    """A noun phrase and where its verb begins."""
    many = False
    for place in range(at + 1, min(len(words), at + SUBJECT_WORDS_MAX)):
        word, before = words[place], words[place - 1]
        low = word.low
        if low == "i" and before.low in ("and", "&"):
            many = True
            continue
        if (
            low in wording.RELATIVES
            or low in wording.NOMINATIVE
            or low in ("to", "be")
            or not (is_word(word) or low in ("'s", "&"))
        ):
            return None
        if (low in forms().ing and is_name(words, place - 1)) or (low == "me" and before.low not in ("and", "&")):
            return None  # "Coppola announcing the winner", "a pick me"
        if low in ("and", "&"):
            many = True
        elif _is_verb(words, place, at, many=many):
            verb = place
            while verb - 1 > at and words[verb - 1].low in wording.VERB_ADVERBS:
                verb -= 1
            if words[verb - 1].low == "'s" and low != "'s":
                return None  # "Taylor's definitely looks …": Taylor's what?
            return _checked(words, at, verb, place, who, many)
    return None


def _checked(words: Words, at: int, verb: int, finite: int, who: Who, many: bool) -> tuple[int, Who, bool] | None:
    """The phrase, if its verb agrees with it; what only looks like a name because it comes first is a thing."""
    low, last = words[finite].low, words[verb - 1].low
    one = not many and not _is_plural(last) and who in (Who.OWN, Who.DEFINITE, Who.NAMED)
    if one and low in ("are", "have", "were", "do"):
        return None  # "animals and the world are dying", "players like Ana, and Ben have won": cut in the wrong place
    if any(word.low == "i" for word in words[at:verb]):
        return verb, Who.OWN, True
    if who is Who.NAMED and at == 0 and not any(is_name(words, i) for i in range(1, verb)):
        several = low in ("are", "were", "have") or (low in forms().base and low not in forms().past)
        longer = verb > 1 and words[1].low != "'s"
        if several or longer or (low in BE | {"'s"} and len(words) - finite < _TELLING):
            who = Who.GENERIC
    return verb, who, many or _is_plural(last)


_NO_NOUNS = (
    wording.ADVERBS
    | wording.PREPOSITIONS
    | wording.SUBORDINATORS
    | wording.DETERMINERS
    | wording.CONDITIONS
    | AUXILIARIES
)
_TELLING = 4  # words after "Ben is" from which it says more than how a person likes something


def _is_verb(words: Words, place: int, subject: int, *, many: bool) -> bool:
    """Whether the word here is the verb of the noun phrase before it, not one of its nouns."""
    low, before = words[place].low, words[place - 1]
    if low == "'s":
        return _is_short_is(words, place)
    if before.low in wording.DETERMINERS or before.low in wording.PREPOSITIONS or before.low in ("'s", "and"):
        return False
    following = words[place + 1].low if place + 1 < len(words) else ""
    if low in AUXILIARIES:
        return words[place].text != "May"
    known = forms()
    named = following in AUXILIARIES or (following in known.past and following not in known.base)
    if low in known.third:
        if following == "of" and known.third[low] not in _OF_VERBS:
            return False  # "little acts of kindness"
        named = named and (following in AUXILIARIES or known.third[low] in NOUNS_FIRST)  # "my plans changed"
        named = named or (
            following in _PLAIN_AFTER_NOUNS and known.third[low] not in ("help", "let")
        )  # "influences make"
        return not named and (not many or before.low == "i") and words[place].text.islower()
    if low in known.past and low not in known.base and low != "bit":  # "a bit": once it is bitten, often a little
        if low in ("called", "named") and words[place + 1 : place + 2] and words[place + 1].text[0].isupper():
            return False  # "a friend called Ben"
        return low not in _AFTER_NOUNS and following != "by" and not named and words[place].text.islower()
    if low in known.base:
        plural = many or _is_plural(before.low)
        return plural and not named and (low not in NOUNS_FIRST or before.low in wording.PEOPLE or before.low == "i")
    return False


_PLAIN_AFTER_NOUNS = frozenset("make take give get have need help keep want".split())
_OF_VERBS = frozenset("consist think dream hear speak approve die smell know".split())
_AFTER_NOUNS = frozenset("based located made written born used".split())
_IS_FOLLOWED = frozenset(
    "a an the my our not so very really super pretty too in at on from also always still just been got going "
    "now like about under over out up down back here there all".split()
)


_QUALITIES = (
    "ous",
    "ful",
    "ing",
    "ed",
    "ive",
    "ble",
    "al",
    "ic",
    "less",
    "ish",
    "ant",
    "ent",
    "y",
    "old",
    "great",
    "good",
)


def _is_short_is(words: Words, place: int) -> bool:
    """Whether 's says "is" ("Ana's in Rome") and not whose something is ("Ana's sister lives …")."""
    if place + 1 >= len(words):
        return False
    following = words[place + 1].low
    if following in _IS_FOLLOWED or following in forms().ing:
        return True
    rest = words[place + 1 :]
    quality = following.endswith(_QUALITIES) and following not in wording.PEOPLE
    return quality and not any(is_finite(word.low) or word.low == "'s" for word in rest)


def _is_plural(low: str) -> bool:
    return low in wording.PLURALS or (low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 2)


def is_name(words: Words, at: int) -> bool:
    """Whether the word is written as a name.

    The first word of a clause has a capital anyway, so a known word is no name there.
    """
    word = words[at]
    if not word.text[0].isupper() or not word.text[0].isalpha() or word.low in wording.FIRST_PERSON:
        return False
    if at > 0 and words[at - 1].text not in (",", ":", "-", "—"):
        return True
    low = word.low
    return not (
        low in wording.DETERMINERS
        or low in wording.PREPOSITIONS
        or low in wording.ADVERBS
        or low in wording.OPENERS
        or low in wording.TIME_LEADS
        or low in wording.CONDITIONS
        or low in wording.SUBORDINATORS
        or low in wording.NO_NAMES
        or low in wording.ANYBODY
        or low in MODALS
        or lemma_of(low) is not None
        or low.endswith(("ing", "ly", "'s"))
        or (low.endswith("s") and word.text[1:].islower() and low[:-1] in wording.NO_NAMES)
    )
