"""A clause of a speaker, told about the speaker: "I use my own parser" by Ana becomes "Ana uses their own parser".

The verb agrees with the name. Inside a clause about the speaker, "my" is "their" (nothing is known of gender);
elsewhere it is "Ana's". "We" is the speaker "and others": who they are cannot be told from one turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recollect.language.en.verbs import AUXILIARIES, MODALS, forms, third_person
from recollect.model.roles import MACHINES, PEOPLE
from recollect.perceive.grammar import clause_words as wording
from recollect.perceive.grammar.clauses import Clause, Who, is_name
from recollect.perceive.grammar.groups import VerbGroup, skip_adverbs, write_out
from recollect.perceive.grammar.manner import ends_doing
from recollect.perceive.grammar.words import Words, join_words

_USERS = PEOPLE | {"me", "you", "i"}
_PAST_HELPERS = ("was", "were", "did", "had")
_BEFORE_PLACES = frozenset("to in at from of on near".split())
_GROUPS_AND_HOMES = frozenset(
    "house home flat apartment garden car wedding marriage company startup firm department office school class band "
    "club group crew squad household neighbourhood neighborhood building street city town country village".split()
)
_OF_EACH = wording.PEOPLE | wording.PET_NOUNS | _GROUPS_AND_HOMES
_PARTICLES = wording.PREPOSITIONS - {"like", "than", "since", "after", "before", "during", "until", "till", "despite"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who says "I", by the name a statement uses."""

    name: str

    @property
    def possessive(self) -> str:
        return f"{self.name}'s"


def speaker_of(speaker: str | None, role: str | None) -> Speaker:
    """The speaker by name; without one the user or the assistant, by role."""
    name = (speaker or "").strip()
    if name and name.lower() not in _USERS | MACHINES:
        return Speaker(name=name)
    known = name.lower() or (role or "").lower()
    return Speaker(name="the assistant" if known in MACHINES else "the user")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldClause:
    """A clause in the third person, whole and in its parts."""

    content: str
    subject: str
    predicate: str
    object: str


def tell_in_third_person(
    clause: Clause, speaker: Speaker, *, also_agree: Iterable[int] = (), no_longer: bool = False
) -> ToldClause:
    """The clause about its speaker. `also_agree` are further finite verbs of which they are the subject."""
    pieces = _Pieces(clause, speaker, set(also_agree)).written()
    if no_longer:
        _say_no_longer(clause, pieces)
    content = join_words(pieces)
    first, verb = clause.subject, clause.verb
    object_at, predicate = _predicate(clause)
    return ToldClause(
        content=content[:1].upper() + content[1:],
        subject=join_words(pieces[first:verb]).rstrip(",") or speaker.name,
        predicate=predicate,
        object=join_words(pieces[object_at:]),
    )


def name_speaker(words: Words, speaker: Speaker) -> str:
    """Words that make no statement, with the speaker named: "… when the user asks"."""
    nothing = VerbGroup(len(words), len(words), len(words), "", (), False, False)
    content = join_words(
        _Pieces(Clause(words, 0, len(words), Who.LISTENER, False, nothing, []), speaker, set()).written()
    )
    return content[:1].upper() + content[1:]


class _Pieces:
    """The words one by one, each as it is told."""

    def __init__(self, clause: Clause, speaker: Speaker, agree: set[int]) -> None:
        self._clause = clause
        self._speaker = speaker
        self._agree = agree
        self._habit = not clause.group.past

    @property
    def _tells_of_the_past(self) -> bool:
        known = forms()
        return any(low in _PAST_HELPERS or (low in known.past and low not in known.base) for low in self._clause.lows)

    def written(self) -> list[tuple[str, bool]]:
        return [(self._word(at), word.gap or at == 0) for at, word in enumerate(self._clause.words)]

    def _word(self, at: int) -> str:
        words = self._clause.words
        word = words[at]
        low = word.low
        if low in wording.FIRST_PERSON:
            return self._first_person(at)
        if at in self._agree:
            return self._agreeing(words, at)
        if low == "'s":
            verb = at == self._clause.group.start
            return " is" if verb and write_out(words, at) == "is" else " has" if verb else "'s"
        if low == "'d":
            return write_out(words, at)
        return word.text

    def _first_person(self, at: int) -> str:
        words, name, low = self._clause.words, self._speaker.name, self._clause.words[at].low
        if low == "i":
            in_list = at > 0 and words[at - 1].low in ("and", "&") and at < self._clause.verb
            turned = at > 0 and words[at - 1].low in MODALS  # "only once a month can I have it"
            if not in_list and not turned:
                self._agree.add(skip_adverbs(words, at + 1))
            return name
        own = self._follows_the_speaker(at)
        if low in ("we", "us"):
            return f"{name} and others"
        if low in ("myself", "ourselves"):
            return "themselves"
        if low == "our" and not own and not _is_shared(words, at + 1):
            return f"{name} and others'"
        if low in ("my", "our"):
            return "their" if own else self._speaker.possessive
        if low == "me":
            return "them" if own and words[at - 1].low in wording.PREPOSITIONS else name
        return f"{name} and others'" if low == "ours" else self._speaker.possessive

    def _follows_the_speaker(self, at: int) -> bool:
        """Whether "their" can only be read as the speaker's: the subject, with no one else named since."""
        clause = self._clause
        if clause.who not in (Who.SPEAKER, Who.GROUP) or at < clause.verb:
            return False
        words = clause.words
        return not any(
            words[i].low in wording.NOMINATIVE
            or words[i].low in wording.PEOPLE
            or (is_name(words, i) and words[i - 1].low not in _BEFORE_PLACES)
            for i in range(clause.verb, at)
        )

    def _agreeing(self, words: Words, at: int) -> str:
        low = write_out(words, at).lower()
        known = forms()
        if low in MODALS or low in _PAST_HELPERS:
            return low
        if low in known.past and (low not in known.base or not self._habit):
            return words[at].text
        if low in known.past and at != self._clause.group.start and self._tells_of_the_past:
            return words[at].text  # "I think I saw it before I read it"
        if (
            low in known.base
            or low in AUXILIARIES
            or (words[at].text.islower() and not low.endswith(("ed", "s", "ing")))
        ):
            return third_person(low)
        return words[at].text


def _is_shared(words: Words, at: int) -> bool:
    """Whether what is "ours" is mine as well: our daughter, our cat, our company; not our first customer."""
    return any(word.low in _OF_EACH for word in words[at : at + 3])


def _say_no_longer(clause: Clause, pieces: list[tuple[str, bool]]) -> None:
    """ "does not use vim any more" → "no longer uses vim"."""
    group, words = clause.group, clause.words
    for at in range(group.end, len(words) - 1):
        if words[at].low == "any" and words[at + 1].low in ("more", "longer"):
            pieces[at] = pieces[at + 1] = ("", False)
    start = group.start
    for at in range(start + 1, group.end + 1):
        if at < len(words) and words[at].low == "not":
            pieces[at] = ("no longer", True)
            break
    if words[start].low in ("do", "does"):
        pieces[start] = ("", False)
        pieces[group.main] = (
            third_person(words[group.main].low) if not clause.plural else words[group.main].text,
            True,
        )


def _predicate(clause: Clause) -> tuple[int, str]:
    """Where the object begins, and the verb as it is said of one person: "uses", "wants to learn", "works at"."""
    words, group = clause.words, clause.group
    predicate, at = third_person(group.lemma), group.end
    if ends_doing(clause):
        predicate, at = third_person(forms().ing[words[at].low]), at + 1
    elif group.lemma == "use" and group.past and at + 1 < len(words) and words[at].low == "to":
        predicate, at = third_person(words[at + 1].low), at + 2
    while at + 1 < len(words) and words[at].low == "to" and words[at + 1].low in forms().base:
        predicate += f" to {words[at + 1].low}"
        at += 2
    if at < len(words) - 1 and words[at].low in _PARTICLES:
        predicate += f" {words[at].low}"
        at += 1
    return at, predicate
