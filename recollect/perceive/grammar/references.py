"""What a clause points at outside itself, and what it pointed at if the turn has just said it.

"She works there" means nothing tomorrow. A pronoun stays when the clause itself names what it stands for, is replaced
when only one thing said before in the same turn can be meant, and otherwise the clause states nothing on its own. Whom
"he" means is certain only where no other person or animal was named: a cat is "he", too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.language.en.verbs import AUXILIARIES, BE, is_finite, lemma_of
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import Clause, Who, is_name, subject_at
from recollect.perceive.grammar.groups import is_adverb, skip_adverbs, write_out
from recollect.perceive.grammar.words import Word, Words, is_word

_SHE = frozenset("she her hers herself".split())
_HE = frozenset("he him his himself".split())
_IT = frozenset("it its itself".split())
_THEY = frozenset("they them their theirs themselves em".split())
_YOU = frozenset("you your yours yourself ya u y'all".split())
_THESE = frozenset("this these those".split())
_POINTING = (
    _SHE
    | _HE
    | _IT
    | _THEY
    | _YOU
    | _THESE
    | frozenset("that there here one ones same latter former such similar then another others any some both".split())
)
_LIVING = wording.PEOPLE | wording.PET_NOUNS
_VAGUE_HEADS = frozenset("way fact time moment thing reason idea point lot bit while day".split())
_SAYING = (
    wording.OPINIONS | wording.PREFERENCES | frozenset("know say hope hear mean see tell want learn be do".split())
)
_MEETING = frozenset("meet marry date hire".split())  # whom one does that to is a person
_CALLING = frozenset("find found finds make makes made keep consider".split())
_OWNED_WORDS_MAX = 4
_AFTER_ONE = wording.PREPOSITIONS - {"of"} | AUXILIARIES  # "the best one was", "one with a lid"
_AFTER_NOTHING = frozenset(
    "that which who out up off right now at yet today here though lately".split()
)  # "any right now"
_OBJECT_AT = 2  # where the object of "I dislike …" stands


@dataclass(slots=True)
class Antecedents:
    """Who and what this turn has named so far, as far as a pronoun may mean it."""

    women: list[Words] = field(default_factory=list)
    men: list[Words] = field(default_factory=list)
    either: list[Words] = field(default_factory=list)  # people, or things, by names that do not tell
    last_thing: Words | None = None  # what the clause before was about
    last_things: Words | None = None
    many: list[Words] = field(default_factory=list)
    heard: set[str] = field(default_factory=set)  # everybody who was named, in any place
    about_another: bool = False  # the clause before had a subject, and it was not the speaker

    def meant_by(self, low: str) -> Words | None:
        """What the pronoun stands for, if only one thing can be meant."""
        if low in _THEY:
            return self.many[-1] if len(self.many) == 1 else None if self.many else self.last_things
        if low in _IT:
            return self.last_thing
        if low not in _SHE | _HE:
            return None
        fitting, others = (self.women, wording.MEN) if low in _SHE else (self.men, wording.WOMEN)
        fitting = fitting + self.either
        if len(fitting) != 1:
            return None
        rivals = self.heard - others - {word.low for word in fitting[0]}
        return fitting[0] if not rivals else None

    def hear(self, words: Words) -> None:
        """Remember every person named here: each may be meant by a pronoun, or be mistaken for the one who is."""
        for at, word in enumerate(words):
            low = word.low
            if low in _LIVING or (
                word.text[0].isupper() and low not in _POINTING and is_name(words, at) and not _is_place(words, at)
            ):
                self.heard.add(low)

    def move_on(self) -> None:
        """Another clause begins: what the one before was about is not what the next "it" means."""
        self.last_thing = self.last_things = None

    def note(self, clause: Clause) -> None:
        """Remember what this clause named."""
        self.move_on()
        self.about_another = clause.who not in (Who.SPEAKER, Who.GROUP)
        subject = [word for word in clause.words[clause.subject : clause.verb] if is_word(word) or word.low == "'s"]
        if clause.who in (Who.OWN, Who.NAMED) and len(subject) <= _OWNED_WORDS_MAX:
            self._add(subject, plural=clause.plural, named=clause.who is Who.NAMED)
        met = clause.group.end
        if clause.group.lemma == "be":  # "my boss is Carla": one person, not two
            self.heard -= {word.low for at, word in enumerate(clause.words) if at >= met and is_name(clause.words, at)}
        if clause.group.lemma in _MEETING and met < len(clause.words) and is_name(clause.words, met):
            self._add([clause.words[met]], plural=False, named=True)
        for at in range(clause.group.end, len(clause.words)):
            if clause.words[at].low == "my":
                self._add_owned(clause.words, at)
            elif is_name(clause.words, at) and clause.words[at - 1].low == "about":
                self._add([clause.words[at]], plural=False, named=True)

    def _add_owned(self, words: Words, at: int) -> None:
        """ "… with my sister": people only; which of the things of a clause "it" means cannot be told."""
        for end in range(at + 1, min(len(words), at + _OWNED_WORDS_MAX)):
            if words[end].low in ("family", "team"):
                return  # "he" is none of them
            if words[end].low in wording.PEOPLE:
                self._add(words[at : end + 1], plural=words[end].low.endswith("s"), named=False)
                return
            if not words[end].low.isalpha() or words[end].low in wording.PREPOSITIONS:
                return

    def _add(self, phrase: Words, *, plural: bool, named: bool) -> None:
        lowered = {word.low for word in phrase}
        if "'s" in lowered:
            owner = phrase[: [word.low for word in phrase].index("'s")]
            if owner[-1].low in wording.PEOPLE:
                self._add(owner, plural=False, named=False)
        if "'s" in lowered or (plural and not lowered & wording.PEOPLE and "and" not in lowered):
            self.last_thing, self.last_things = (None, phrase) if plural else (phrase, None)
            return
        if plural:
            group = self.many
        elif lowered & wording.WOMEN:
            group = self.women
        elif lowered & wording.MEN:
            group = self.men
        elif named or lowered & (wording.PEOPLE | wording.PET_NOUNS):
            group = self.either
        else:
            self.last_thing = phrase
            return
        if not any([word.low for word in other] == [word.low for word in phrase] for other in group):
            group.append(phrase)


def _is_place(words: Words, at: int) -> bool:
    """ "in Malmö", "to New York": a place, not a person."""
    while at > 1 and is_name(words, at - 1):
        at -= 1
    return at > 0 and words[at - 1].low in ("in", "at", "to", "from", "near", "on", "of")


def resolve_pronouns(words: Words, before: Antecedents) -> tuple[Words, bool] | None:
    """The same words with every pronoun that points outside replaced, and whether one was; None if one cannot be."""
    if _POINTING.isdisjoint([word.low for word in words]):
        return words, False
    out: Words = []
    replaced = False
    named = _NamedInClause()
    for at, word in enumerate(words):
        low = word.low
        if (
            low not in _POINTING
            or (named.covers(words, at) and not _is_of_another(words, at))
            or _is_at_home(words, at, named)
        ):
            named.hear(words, at)
            out.append(word)
            continue
        meant = before.meant_by(low)
        if meant is None or (low in _IT and _only_judges(words, at)):
            return None
        out.extend(_in_place_of(words, at, meant))
        replaced = True
        named.hear(words, at)
    return out, replaced


def _only_judges(words: Words, at: int) -> bool:
    """ "It was amazing" may be about the thing, the day or the whole affair."""
    return at + 1 < len(words) and (words[at + 1].low in BE or words[at + 1].low in ("'s", "has", "'d"))


def _in_place_of(words: Words, at: int, meant: Words) -> Words:
    """The phrase instead of the pronoun, with whose it is where the pronoun said so."""
    word = words[at]
    placed = [Word(each.text, each.low, word.start, word.end, each.gap) for each in meant]
    placed[0] = placed[0]._replace(gap=True)
    if _is_possessive(words, at):
        placed.append(Word("'s", "'s", word.start, word.end, False))
    return placed


def _is_possessive(words: Words, at: int) -> bool:
    low = words[at].low
    if low in ("his", "their", "its"):
        return True
    if low != "her" or at + 1 >= len(words):
        return False
    following = words[at + 1]
    return is_word(following) and not (
        following.low in wording.PREPOSITIONS
        or following.low in wording.COORDINATORS
        or following.low in wording.DETERMINERS
        or following.low in wording.ADVERBS
    )


def _is_of_another(words: Words, at: int) -> bool:
    """ "the freedom it brings": what brings it was named before the clause."""
    before = words[at - 1]
    if words[at].low == "it" and lemma_of(before.low) == "make":
        return True  # "make it happen"
    return (
        words[at].low in wording.NOMINATIVE
        and is_word(before)
        and before.low not in wording.COORDINATORS
        and before.low not in wording.SUBORDINATORS
        and before.low not in wording.CONDITIONS
        and before.low not in wording.PREPOSITIONS
        and before.low != "that"
        and lemma_of(before.low) is None
        and not is_adverb(before.low)
    )


def _is_whole(words: Words, at: int) -> bool:
    """ "my skills with them": them are others; "my friends and their dog": their own."""
    return at + 1 >= len(words) or words[at + 1].low not in wording.PREPOSITIONS


def _is_verb(words: Words, at: int) -> bool:
    return is_finite(words[at].low) and (at == 0 or words[at - 1].low not in wording.DETERMINERS)


def _is_subject(words: Words, at: int) -> bool:
    """Whether a verb follows: "… say it works"."""
    verb = skip_adverbs(words, at + 1)
    return verb < len(words) and (is_finite(words[verb].low) or words[verb].low in ("'s", "'d"))


_NEW_PART = wording.COORDINATORS | wording.SUBORDINATORS | wording.CONDITIONS | wording.RELATIVES | {"or"}


class _NamedInClause:
    """What the clause itself has named up to here."""

    def __init__(self) -> None:
        self.person = self.thing = self.many = self.plural = False
        self._before: frozenset[str] = frozenset()  # what was named before the part that is being heard
        self._naming = False  # a thing was named, and its phrase goes on: "a fan of it" is no fan of the fan

    def hear(self, words: Words, at: int) -> None:
        low = words[at].low
        if low in _LIVING:
            self.person = True
        if words[at].text[0].isupper() and is_name(words, at):
            self.person = self.thing = True
        if (
            low in ("everyone", "someone", "everybody", "anyone")
            or low in wording.PLURALS
            or (
                low.endswith("s")
                and len(low) > 3
                and not low.endswith(("ss", "us", "is", "'s"))
                and not is_adverb(low)
                and low not in wording.ADVERBS
                and not _is_verb(words, at)
            )
        ):
            self.plural = True
            self.many = self.many or _is_whole(words, at)
        if self._naming and (
            low == "," or low in wording.COORDINATORS or low in wording.SUBORDINATORS or _is_verb(words, at)
        ):
            self.thing = True
        if low in ("and", "or", "but") and at > _OBJECT_AT:
            self.thing = True  # "dislike seafood and will not eat it"
        if low in ("a", "an", "the", "my", "our", "some") and at + 1 < len(words):
            self._naming = not any(
                word.low in _VAGUE_HEADS or word.low in wording.PEOPLE for word in words[at + 1 : at + 3]
            )
        if low == "," or low in _NEW_PART or low in wording.NOMINATIVE:
            self._before = self._kinds()

    def _kinds(self) -> frozenset[str]:
        return frozenset(kind for kind in ("person", "thing", "many") if getattr(self, kind))

    def covers(self, words: Words, at: int) -> bool:
        """Whether the pronoun here can mean something that the clause has named.

        "Po beat him" is about two: what stands beside a pronoun is never what it means, unless it says whose.
        """
        low = words[at].low
        whose = _is_possessive(words, at) or low.endswith(("self", "selves"))
        kinds = self._kinds() if whose or low in wording.NOMINATIVE - {"it"} or _is_subject(words, at) else self._before
        if low in _SHE or low in _HE:
            return "person" in kinds
        if low in _THEY:
            return bool(kinds & {"many", "person"})
        return low in _IT and "thing" in kinds


def _is_at_home(words: Words, at: int, named: _NamedInClause) -> bool:
    """Whether the word does not point at anything here: "there are", "this week", "one of", "the book that I read"."""
    low = words[at].low
    following = words[at + 1] if at + 1 < len(words) else None
    before = words[at - 1].low if at else ""
    if low == "there":
        return following is not None and (following.low in BE or following.low == "'s")
    if low in _THESE:
        return following is not None and following.low in wording.TIME_NOUNS
    if low == "that":
        return following is not None and _is_conjunction(words, at)
    if low == "it":  # "find it hard to sleep"
        return before in _CALLING and any(word.low in ("to", "that") for word in words[at + 2 : at + 5])
    if low == "ones":
        return named.plural
    if low == "one":
        plain = following is not None and is_word(following) and following.low not in _AFTER_ONE
        return plain and before not in ("this", "that", "another")
    if low == "then":
        return before not in ("since", "back", "until", "by")
    if low in ("another", "others"):
        return (low == "others" and before not in ("the", "two", "some")) or (
            following is not None and is_word(following) and following.low not in wording.PREPOSITIONS
        )
    if low in ("any", "some"):
        return following is not None and is_word(following) and following.low not in _AFTER_NOTHING
    if low == "both":
        return following is not None and is_word(following)
    if low == "similar":
        return following is not None and following.low == "to"
    return low == "such" and following is not None and following.low in ("a", "an", "as")


def _is_conjunction(words: Words, at: int) -> bool:
    """Whether "that" opens a clause: "the book that I read", "think that Ana left", not "that book"."""
    following = words[at + 1]
    if at == 0:
        return False
    before = words[at - 1].low
    if before in ("and", "but", "than") or before in wording.PREPOSITIONS:
        return False
    if following.low in wording.NOMINATIVE or is_name(words, at + 1):
        return True
    if following.low in wording.DETERMINERS:
        return subject_at(words, at + 1) is not None  # "learned that the hard way" is no clause
    if before in ("make", "made", "let", "help"):
        return False  # "make that happen"
    verb = skip_adverbs(words, at + 1)
    return verb < len(words) and is_finite(words[verb].low) and lemma_of(before) not in _SAYING


def write_out_subject(words: Words) -> Words:
    """The words with a short "is" after a pronoun written out, before the pronoun gives way to a name."""
    if len(words) > 1 and words[1].low == "'s" and words[0].low in wording.PRONOUNS:
        full = write_out(words, 1)
        return [words[0], Word(full, full, words[1].start, words[1].end, True), *words[2:]]
    return words
