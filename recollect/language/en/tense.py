"""Whether a clause speaks of what will be, of what was or of what is always so, at the place where it names a time.

"Friday" is the coming one in "I have an interview on Friday" and the past one in "I went on Friday". The verb decides:
a past form tells of the past, a present one of what is arranged ("the shop opens in May"), or of a habit where its
subject is a kind ("deploys happen on Friday") or an adverb says so ("we usually meet on Friday"). The nearest verb
before the time counts, else the first one after it. A note without verb or subject ("dentist on Monday at 9",
"call mum on Sunday") is of what is to come; anything else without a verb is of the past.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from typing import NamedTuple

from recollect.language import lists
from recollect.language.en.calendar_words import MONTH_BEGINNING, WEEKDAY_BEGINNING
from recollect.language.en.verbs import NOUNS_FIRST, forms
from recollect.language.joining import Says
from recollect.language.words import LETTERS

DETERMINERS, PREPOSITIONS = lists.words("en", "determiners"), lists.words("en", "prepositions")
PLURALS, QUANTITIES = lists.words("en", "plurals"), lists.words("en", "quantities")

_ASKS = r"(?!\s+(?:you|we|i)\s+(?:please\s+)?(?:tell|show|find|list|recall|remember|summari|explain|give|look|search))"
_PLANNED = (
    r"(?<!\bmy\s)(?<!\bthe\s)(?<!\ba\s)(?<!\byour\s)will|won['’]t|['’]ll|shall|gonna|going\s+to|let['’]?s|how\s+about|tomorrow|"
    r"upcoming|due|deadline|soon|next|looking\s+forward|starting|please|remind|planning|aiming|plans?\s+(?:to|on|for)|plan\s+(?:an?|the|my|our)|"
    r"(?:i|we|they|you)\s+plan|(?:schedule|book)\s+(?:an?|the|my|me|us|it)|"
    r"(?:need|needs|have|has|want|wants|hope|hopes|hoping|expect|expects|try|ought|intend|intends|aim|aims)\s+to|"
    r"(?:would|['’]d)\s+(?:like|love)\s+to|"
    # What was arranged lies ahead of the arranging: "moved to Friday", "we booked it for May".
    r"(?:(?:re)?scheduled|postponed|moved|pushed|pulled|brought|changed|delayed|booked|reserved|shifted|slated|set|invited|signed\s+up|tickets?|"
    r"appointment|reservation)\s+(?:(?!\w+ed\b)\w+\s+){0,4}?(?:for|to|until|till)"
    rf"(?=\s+(?:the\s+)?(?:\d|{WEEKDAY_BEGINNING}|{MONTH_BEGINNING}|early|late))"
)
_POSSIBLE = rf"can(?:['’]?t|not)?\b{_ASKS}|could{_ASKS}\s+(?:you|we|i)|should|must|might"
_PAST = (
    r"(?:was|were)\s+(?:\w+\s+)?(?:going|supposed|planning|due|aiming|hoping)(?:\s+to)?|"
    r"(?:should|could|would|might|must)(?:n['’]t)?\s+have|(?:was|were|been)\s+starting|"
    r"was|were|wasn['’]t|weren['’]t|did|didn['’]t|had|been|ago|last|yesterday|since|couldn['’]t"
)
# Verbs of the mind and of telling: the time in their object has a tense of its own ("I remember the party on Friday").
_OF_THE_MIND = frozenset(
    "remember recall think know like love hate enjoy prefer believe guess suppose mean regret miss forget talk tell "
    "say speak ask write read discuss look feel wonder understand mention describe explain show contain cover include "
    "wish thank appreciate seem sound appear own belong".split()
)
_BY_TIMETABLE = frozenset("start begin open leave arrive close end take".split())  # even "in an hour"
_BE = frozenset(
    "am is are isn't aren't i'm he's she's it's that's there's here's we're you're they're who's what's where's "
    "when's".split()
)
_ASKED = frozenset("what what's who who's which where where's whose".split())  # "What is the budget of May?"
_HABITS = frozenset("usually always often typically normally generally sometimes rarely never mostly regularly".split())
_PASSED_OVER = _HABITS | frozenset(
    "not n't also just still now currently only really already probably maybe actually definitely even so very too "
    "finally all both".split()
)
_WITH_BASE = frozenset("i we you they who".split())
_SUBJECTS = _WITH_BASE | frozenset("he she it that this there".split())
_DOES = frozenset("do does don't doesn't".split())
_NEED_ANOTHER = frozenset("get gets getting be being".split())  # "we are getting married"
_NO_PAST_ED = frozenset(
    "need speed indeed hundred naked wicked sacred breed bleed proceed exceed succeed seed feed weed".split()
)
_OF_A_NOUN = re.compile(r"(?:\bof|\bfrom|\babout|\bsince|['’]s)\s+(?:the\s+|last\s+)?$", re.IGNORECASE)
_NEW_CLAUSE = re.compile(
    r"(?:[,;:]|\b(?:and|but|so|because)\b)\s*(?:(?:on|in|at|by|then)\s+)?(?:the\s+)?$", re.IGNORECASE
)
_BEFORE_CHARS = 24


class _Word(NamedTuple):
    low: str
    begin: int
    end: int


class _Sign(NamedTuple):
    end: int
    says: Says
    present: bool = (
        False  # only a present form: of a time that belongs to a noun ("the notes from May") it says nothing
    )
    weak: bool = False  # may be a noun: counts where nothing else does


class Tense:
    """What a sentence says of the times it names. Looked for when first asked."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    @cached_property
    def _signs(self) -> list[_Sign]:
        """Every sign, in the order of the sentence; weak ones only where there are no others."""
        told = [
            (match.span(), _Sign(match.end(), match.lastgroup))  # type: ignore[arg-type]
            for match in _patterns().finditer(self._sentence)
        ]
        taken = [span for span, _ in told]
        signs = [sign for _, sign in told]
        signs += _verbs(self._sentence, taken)
        strong = [sign for sign in signs if not sign.weak]
        return sorted(strong or signs)

    def at(self, place: int) -> Says:
        """What the sentence says of a time that is named there."""
        signs = self._signs
        if signs and _OF_A_NOUN.search(self._sentence, max(0, place - _BEFORE_CHARS), place):
            signs = [sign for sign in signs if not sign.present]
        if not signs:
            return "arranged" if not self._signs and _is_note(self._sentence, place) else "past"
        at = bisect_right(signs, place, key=lambda sign: sign.end)
        if 0 < at < len(signs) and _NEW_CLAUSE.search(self._sentence[signs[at - 1].end : place]):
            return signs[at].says  # "I sleep little, so this morning I ran": the verb of its own clause
        return signs[max(0, at - 1)].says

    def ahead(self, place: int) -> bool:
        return self.at(place) != "past"

    def wills(self, place: int) -> bool:
        """Whether somebody means to do it, or can: more than that something is so."""
        return self.at(place) in ("planned", "possible")


def _is_note(sentence: str, place: int) -> bool:
    """Whether this is what people jot down: something named or told to be done before the time, by nobody."""
    words = [match[0].lower() for match in LETTERS.finditer(sentence)]
    named = [
        match for match in LETTERS.finditer(sentence, 0, place) if match[0].lower() not in DETERMINERS | PREPOSITIONS
    ]
    return bool(named) and "!" not in sentence and "?" not in sentence and _SUBJECTS.isdisjoint(words)


def _verbs(sentence: str, taken: list[tuple[int, int]]) -> Iterator[_Sign]:
    """The verbs of a sentence, except where a sign stands already."""
    words = [_Word(match[0].lower().replace("’", "'"), *match.span()) for match in LETTERS.finditer(sentence)]
    at_sign = {place for begin, end in taken for place in range(begin, end)} if len(taken) < 64 else set[int]()
    asked = bool(words) and words[0].low in _ASKED
    for at, word in enumerate(words):
        if word.begin in at_sign:
            continue
        says = _verb_at(words, at)
        if says is None or (asked and at < 2 and word.low in _BE):
            continue
        tense, weak = says
        yield _Sign(word.end, tense, present=tense != "past", weak=weak)


def _verb_at(words: list[_Word], at: int) -> tuple[Says, bool] | None:
    """What the verb here says, and whether it may be a noun; None if it is no verb that says anything."""
    low, known = words[at].low, forms()
    before, habit = _before(words, at)
    now: Says = "habit" if habit else "arranged"
    following = _after(words, at)
    if low in _BE or (low.endswith("'s") and (following in known.ing or following == "got")):
        doing = known.ing.get(following)
        return None if doing in _OF_THE_MIND else ("planned" if doing and not habit else now, False)
    if low in ("have", "has", "haven't", "hasn't"):
        done = following == "been" or following in known.participle or following.endswith("ed")
        return None if done or before in DETERMINERS else (now if habit else "planned", False)
    if low in known.third:
        base = known.third[low]
        if base in _OF_THE_MIND or before in DETERMINERS | QUANTITIES | PREPOSITIONS:
            return None
        if base in _BY_TIMETABLE and not habit:
            return ("planned", False)
        return (now, base in NOUNS_FIRST)
    if low == "got" and before.endswith(("have", "has", "'ve", "'s")):
        return None  # "he's got a check-up": what comes before it counted
    if _is_past(low) and before not in DETERMINERS and before not in _NEED_ANOTHER:
        return (now, False) if before in _BE else ("past", False)
    if low in known.base and low not in _OF_THE_MIND:
        return _base_at(words, at, before, following, now)
    return None


def _base_at(words: list[_Word], at: int, before: str, following: str, now: Says) -> tuple[Says, bool] | None:
    """A base form is a finite verb after "we" or "don't", or after a plural that nothing else follows."""
    if before in _DOES:
        return (now, False)
    if before in _WITH_BASE:
        asked = words[at - 2].low if at > 1 else ""
        return None if asked.startswith(("did", "could", "would", "can", "will", "should")) else (now, False)
    many = before in PLURALS or (len(before) > 3 and before.endswith("s") and not before.endswith(("ss", "'s")))
    if not many or (words[at].low in NOUNS_FIRST and following not in PREPOSITIONS | DETERMINERS):
        return None
    of_a_kind = at == 1 or words[at - 2].low in ("and", "but", "because", "that")
    return ("habit" if of_a_kind else now, False)


def _is_past(low: str) -> bool:
    known = forms()
    if low in known.base or low in _NO_PAST_ED:
        return False
    return low in known.past or low in known.participle or (low.endswith("ed") and len(low) > 4)


def _before(words: list[_Word], at: int) -> tuple[str, bool]:
    """The word before this one that is no adverb, and whether an adverb between says that it is always so."""
    habit = False
    for place in range(at - 1, -1, -1):
        low = words[place].low
        if low not in _PASSED_OVER:
            return low, habit
        habit = habit or low in _HABITS
    return "", habit


def _after(words: list[_Word], at: int) -> str:
    return next((word.low for word in words[at + 1 :] if word.low not in _PASSED_OVER), "")


@cache
def _patterns() -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<![\w-])|(?=['’]))(?:(?P<past>{_PAST})|(?P<planned>{_PLANNED})|(?P<possible>{_POSSIBLE}))(?![\w-])",
        re.IGNORECASE,
    )
