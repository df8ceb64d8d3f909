"""Whether a newer statement takes the place of an older one, and by what sign.

Keeping two truths is better than retiring the right one, so there are few signs and all of them are plain: the newer
one ends what the older one says ("no longer", "stopped", "left"); it names the old value ("from vim to Helix"); it
gives another value in a respect that has one at a time (a home, a deadline, a diet), or says itself that the value is
new. One more dog, food, language or journey is no sign, and neither is anything said to come beside the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from recollect.language.terms import telling, terms_of
from recollect.perceive.names.known import PLACES, WIDE_PLACES
from recollect.perceive.states import holding_patterns as wording
from recollect.perceive.states.holdings import AS_SAID, holdings_of
from recollect.perceive.states.values import AMOUNTS, TIMES, Holding, Stated, StateValue, comes_beside, sort_of

TRACED_WORDS = 2
_NAMED_OR_NOT = frozenset(("name", "plain"))  # people write one thing with a capital and without
ABOUT_MAX = 3  # words by which a question is recognised that this is about; one of them is enough
_ABOUT = {
    wording.HOME: "live city home",
    wording.EMPLOYER: "work job company",
    wording.AGE: "old age",
    "marriage": "married single relationship",
    "diet": "diet eat vegetarian",
    "progress": "status",
}


class ConflictVerdict(NamedTuple):
    """The newer statement took the older one's place.

    `stated`: its words say that something changed. `past_event`: the older one tells of how a state came about, and is
    still true; only the state has passed. `of_a_time`: the value is itself a day or an hour. `about`: words by which a
    question is about this.
    """

    respect: str
    reason: str
    about: tuple[str, ...]
    stated: bool
    past_event: bool
    of_a_time: bool


@dataclass(frozen=True, slots=True)
class StatementReading:
    """A statement with the states it speaks of."""

    stated: Stated
    holdings: tuple[Holding, ...]
    added: bool  # it comes beside what is there

    @classmethod
    def of(cls, stated: Stated) -> StatementReading:
        return cls(stated, holdings_of(stated), comes_beside(stated))


def traces_of(reading: StatementReading) -> frozenset[str]:
    """What a statement is found by: two that conflict have one of these in common, and few others have."""
    return frozenset(trace for holding in reading.holdings for trace in _traces(holding))


def _traces(holding: Holding) -> Iterator[str]:
    about, value = f"{holding.holder}\x1f{holding.respect}", holding.value
    if value.sort == "words":  # what is denied is found by its words, at least one of which is among the first
        words = value.words if holding.denied else value.words[:TRACED_WORDS]
        yield from (f"{about}\x1f{word}" for word in words or ("",))
    else:
        yield about
    verb = _named(holding.respect)
    if holding.respect == wording.USES or verb in wording.HELD_BY_USE or verb in wording.HAD or holding.single:
        for named in (value, holding.was):
            if named is not None:
                yield from (f"{holding.holder}\x1fheld\x1f{word}" for word in named.words[:TRACED_WORDS])
                sort = sort_of(named.text)
                if sort:
                    yield f"{holding.holder}\x1fsort\x1f{sort}"


def conflict_between(newer: StatementReading, older: StatementReading) -> ConflictVerdict | None:
    """How the newer statement takes the older one's place; None if both may stand."""
    if newer.added or not newer.holdings or not older.holdings:
        return None
    for mine in newer.holdings:
        for theirs in older.holdings:
            if mine.holder == theirs.holder and (change := _change(mine, theirs, older.added)):
                return ConflictVerdict(
                    _named(mine.respect),
                    change,
                    _about(mine, theirs, older.stated.topic or newer.stated.topic),
                    mine.changed or mine.was is not None,
                    theirs.event,
                    mine.value.sort in TIMES,
                )
    return None


def _change(mine: Holding, theirs: Holding, beside: bool) -> str:
    """What changed, in one line; "" if nothing did."""
    if mine.denied is not theirs.denied:
        return _ended(mine, theirs) if mine.denied else _begun(mine, theirs)
    if mine.denied:
        return ""
    if mine.was is not None and _names_the_old(mine, theirs):
        return f"{_named(theirs.respect)}: {theirs.value.text} → {mine.value.text}"
    if mine.respect != theirs.respect or mine.value.sort == "words" or _may_be_the_same(mine.value, theirs.value):
        return _of_one_sort(mine, theirs)
    if beside or not _replaces(mine, theirs):
        return ""
    return f"{_named(mine.respect)}: {theirs.value.text} → {mine.value.text}"


def _replaces(mine: Holding, theirs: Holding) -> bool:
    """Whether another value in one respect means that the old one is gone."""
    if mine.was is not None and not _is_known_place(mine):
        return False  # it names what it took the place of, and that was something else
    if mine.single and theirs.single:
        return _comparable(mine.value, theirs.value, mine)
    alike = mine.value.sort == theirs.value.sort and mine.value.beside == theirs.value.beside
    return mine.changed and alike and mine.value.sort.startswith(AMOUNTS)


def _is_known_place(mine: Holding) -> bool:
    return mine.respect == wording.HOME and _folded(mine.value) in PLACES


def _comparable(mine: StateValue, theirs: StateValue, holding: Holding) -> bool:
    if mine.sort == "place":  # a town is in its country, a district in its town
        known = _folded(mine) in PLACES and _folded(theirs) in PLACES
        return (known or holding.changed) and (_folded(mine) in WIDE_PLACES) is (_folded(theirs) in WIDE_PLACES)
    if mine.sort.startswith(AMOUNTS) or theirs.sort.startswith(AMOUNTS):
        return mine.sort == theirs.sort and (mine.beside == theirs.beside or holding.changed)
    one_sort = bool(sort_of(mine.text)) and sort_of(mine.text) == sort_of(theirs.text)  # "vim" and "Helix"
    named = _NAMED_OR_NOT.issuperset((mine.sort, theirs.sort)) and wording.FAVOURITE.search(holding.respect)
    return mine.sort == theirs.sort or holding.changed or one_sort or bool(named)


def _folded(value: StateValue) -> str:
    return value.text.casefold()


def _may_be_the_same(mine: StateValue, theirs: StateValue) -> bool:
    return mine.is_like(theirs) and mine.sort == theirs.sort


def _names_the_old(mine: Holding, theirs: Holding) -> bool:
    """Whether what the newer one says it was is what the older one said it is."""
    assert mine.was is not None
    if theirs.value.sort == "words":
        verb = _named(theirs.respect)
        held = verb in wording.HELD_BY_USE and mine.respect == wording.USES
        return held and set(mine.was.words) == set(theirs.value.words)
    same = mine.respect == theirs.respect or (mine.respect == wording.USES and not theirs.event)
    return same and mine.was.is_like(theirs.value) and bool(mine.was.words)


def _of_one_sort(mine: Holding, theirs: Holding) -> str:
    """ "switched to Helix" after "uses vim": both are editors."""
    if not (mine.respect == wording.USES and mine.changed and theirs.value.sort == "words"):
        return ""
    if _named(theirs.respect) not in wording.USED:
        return ""
    here, there = sort_of(mine.value.text), sort_of(theirs.value.text)
    if not here or here != there or set(mine.value.words) & set(theirs.value.words):
        return ""
    return f"{here}: {theirs.value.text} → {mine.value.text}"


def _ended(mine: Holding, theirs: Holding) -> str:
    """The newer one denies what the older one says, all of it or the core of it."""
    held = _named(theirs.respect)
    given_away = mine.respect == wording.USES and held in wording.GIVEN_AWAY
    if mine.respect != theirs.respect and not given_away:
        return ""
    if mine.respect.startswith(AS_SAID) and not mine.changed and theirs.value.sort == "words":
        whole = set(mine.value.words) == set(theirs.value.words)
    else:
        whole = set(mine.value.words) <= set(theirs.value.words)
    if not whole or (not mine.value.words and theirs.value.words and not mine.changed):
        return ""
    return f"{_named(theirs.respect)}: {theirs.value.text or theirs.holder} no more"


def _begun(mine: Holding, theirs: Holding) -> str:
    """The newer one says what the older one denied."""
    if mine.respect != theirs.respect or mine.event:
        return ""
    denied, said = set(theirs.value.words), set(mine.value.words)
    if not denied or not denied <= said or (denied != said and not theirs.changed):
        return ""
    return f"{_named(mine.respect)}: {mine.value.text} after all"


def _named(respect: str) -> str:
    return respect.removeprefix(AS_SAID)


def _about(mine: Holding, theirs: Holding, topic: tuple[str, ...]) -> tuple[str, ...]:
    """What has changed, in at most so many words that one of them in a question is enough."""
    if topic:  # said in another language, and asked about in it
        words = telling(terms_of(" ".join(topic)))
        return tuple(dict.fromkeys([*words, *theirs.value.words]))[:ABOUT_MAX]
    known = _ABOUT.get(theirs.respect) or _ABOUT.get(mine.respect) or _named(theirs.respect)
    words = [*telling(terms_of(known)), *theirs.value.words]
    return tuple(dict.fromkeys(words))[:ABOUT_MAX]
