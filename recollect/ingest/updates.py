"""Whether a text says the same thing as an earlier one with another value.

Four signs, each asking for more agreement than the one before: the text names the old value ("from 3 PM to 5 PM"); it
says that the value is new ("extended to 12 books"); it says that something moved or ended; or it gives another value
for an attribute that has only one at a time ("the budget is $650"). What happened, what is counted one by one and what
is one of several is never an update: keeping two truths is better than retiring the wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from recollect.language import lists
from recollect.perceive.states import claim_patterns as wording
from recollect.perceive.states.claim_patterns import stems
from recollect.perceive.states.claims import (
    ENDED,
    IS_NAMED,
    LIVES_IN,
    MOVED,
    WORKS_AT,
    Claim,
    Marks,
    sentences_of,
    words_of,
)

UPDATES_JOB = "updates"  # the kind of job that looks for them
UPDATES_DELAY_S = 1.0  # what is stored in a row is looked at together, and not while it is being stored

# Attributes that have one value at a time, by the sort of the value.
_VALUES = {sort: stems(words) for sort, words in lists.sections("en", "single_values").items()}
_SINGLE = {sort: _VALUES[sort] for sort in ("date", "clock", "money", "percent")}
_SINGLE_OTHERWISE, _SINGLE_NAMED, _RESULTS = _VALUES["amount"], _VALUES["name"], _VALUES["results"]

_TACIT_VALUES_MAX, _STATED_VALUES_MAX = 2, 3  # different earlier values of one thing; more are a series

_WHOLE = 0.6  # share of two claims' words in common from which they are one sentence with another value

Mass = Callable[[frozenset[str]], float]  # how telling terms are together; each from 0 (everywhere) to 1


class _Need(NamedTuple):
    """What two claims must have in common for a sign to count, and how sure it then is."""

    words: int
    mass: float  # of their worth
    overlap: float  # … as a share of the claim that has less of it
    sure: float


_NAMES_THE_OLD = _Need(2, 1.0, 0.40, 0.75)
_CALLED_NEW = _Need(3, 1.1, 0.25, 0.70)
_HAS_MOVED = _Need(3, 1.4, 0.35, 0.70)
_SAME_ATTRIBUTE = _Need(2, 1.0, 0.30, 0.60)
_SAME_DAY_OF = _Need(2, 1.0, 0.50, 0.60)  # days are named for many reasons
_SAME_WORDS = _Need(5, 2.0, 0.60, 0.60)
_SAME_SENTENCE = _Need(1, 0.5, 0.0, 0.65)
_SAME_HOLDER = _Need(1, 0.0, 1.0, 0.65)
_SUBJECT_WORDS, _SUBJECT_MASS = 2, 0.5  # what two claims that call nothing new must say of the same thing
_ENDED_MASS, _ENDED_SURE = 0.6, 0.75
_OVERLAP_BONUS = 0.2  # a complete overlap is so much surer than none


class _Agreement(NamedTuple):
    """What two claims have in common."""

    shared: frozenset[str]
    mass: float
    overlap: float
    share: float  # of all words of both

    def meets(self, need: _Need) -> float:
        enough = len(self.shared) >= need.words and self.mass >= need.mass and self.overlap >= need.overlap
        return need.sure if enough else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A newer claim that took the place of an older one."""

    newer: Claim
    older: Claim
    confidence: float
    shared: frozenset[str]
    stated: bool  # the text itself says that something changed

    @property
    def evidence(self) -> str:
        """What changed, in one line: "book, budget: $35 → $50"."""
        change = f"{self.older.value or '…'} → {self.newer.value or self.newer.sort}"
        return f"{', '.join(sorted(self.shared))}: {change}"


def worth_a_look(text: str) -> bool:
    """A cheap test: whether a text could state or change a value at all."""
    lowered = text.lower()
    hinted = wording.may_hold_a_value(lowered) or wording.may_hold_a_change(lowered)
    return hinted or bool(wording.HELD.search(text) or wording.IS.search(text))


def update_between(newer: Sequence[Claim], older: Sequence[Claim], older_text: str, mass: Mass) -> Update | None:
    """How the newer claims update the older ones; the surest way, None if they do not."""
    found = [*_by_value(newer, older, mass), *_by_ending(newer, older_text, mass)]
    return max(found, key=lambda update: (update.confidence, len(update.shared)), default=None)


def settled(found: Sequence[tuple[int, Update]], older: Sequence[Sequence[Claim]]) -> list[tuple[int, Update]]:
    """What is left of the updates of one text, surest first. `found` names places in `older`, which is in time's order.

    A value that was there before the one it seems to update only came back, unless the text says otherwise; and what
    had many values already is a series, not a state.
    """
    stated = [(place, update) for place, update in found if update.stated]
    tacit = [(place, update) for place, update in found if not update.stated and not _came_back(update, older[:place])]
    if len({update.older.value for _, update in tacit}) > _TACIT_VALUES_MAX:
        tacit = []
    best = sorted([*stated, *tacit], key=lambda each: (-each[1].confidence, -each[0]))
    return best[:1] if len({update.older.value for _, update in stated}) > _STATED_VALUES_MAX else best


def _came_back(update: Update, before: Sequence[Sequence[Claim]]) -> bool:
    newer = update.newer
    return any(
        claim.sort == newer.sort and claim.value == newer.value and len(claim.about & newer.about) >= 2
        for claims in before
        for claim in claims
    )


def _by_value(newer: Sequence[Claim], older: Sequence[Claim], mass: Mass) -> Iterator[Update]:
    said = {(claim.sort, claim.value) for claim in older}
    repeated = {(claim.sort, claim.value) for claim in newer}
    for claim in newer:
        if (claim.sort, claim.value) in said and claim.sort != MOVED:
            continue
        any_sort = claim.sort in ("", MOVED)
        for before in older:
            if not any_sort and before.sort != claim.sort:  # most pairs: looked at before anything that costs
                continue
            if (before.sort, before.value) not in repeated and _comparable(claim, before):
                update = _judged(claim, before, mass)
                if update is not None:
                    yield update


def _comparable(claim: Claim, before: Claim) -> bool:
    """Of one sort, wanted or real alike, and not two of several."""
    if claim.sort == MOVED:
        return before.sort in ("date", "clock") and not _two_of_several(claim, before)
    if claim.was is not None:
        return claim.sort == before.sort and claim.was == before.value and not claim.aim
    counted = claim.new and not claim.sort and before.sort in claim.near  # "merged branches … have now reached 165"
    same = claim.sort == before.sort != ""
    return (
        (same or counted)
        and claim.value != before.value
        and claim.aim == before.aim
        and not _two_of_several(claim, before)
    )


def _two_of_several(claim: Claim, before: Claim) -> bool:
    """Sprint 1 and sprint 2, the first draft and the second, January and February."""
    if not claim.marks or not before.marks:
        return False
    mine, theirs = _by_kind(claim.marks), _by_kind(before.marks)
    return any(kind in theirs and marks.isdisjoint(theirs[kind]) for kind, marks in mine.items())


@lru_cache(maxsize=1 << 12)
def _by_kind(marks: Marks) -> dict[str, frozenset[str]]:
    return {kind: frozenset(which for each, which in marks if each == kind) for kind, _ in marks}


def _judged(claim: Claim, before: Claim, mass: Mass) -> Update | None:
    if claim.about.isdisjoint(before.about):
        return None
    agreed = _agreement(claim, before, mass)
    sure = _sureness(claim, before, agreed, mass)
    if not sure:
        return None
    return Update(
        newer=claim,
        older=before,
        confidence=sure + _OVERLAP_BONUS * agreed.overlap,
        shared=agreed.shared,
        stated=claim.new or claim.was is not None,
    )


def _agreement(claim: Claim, before: Claim, mass: Mass) -> _Agreement:
    shared = claim.about & before.about
    both, own, other = mass(shared), mass(claim.about), mass(before.about)
    return _Agreement(shared, both, both / (min(own, other) or 1.0), both / (own + other - both or 1.0))


def _sureness(claim: Claim, before: Claim, agreed: _Agreement, mass: Mass) -> float:
    """How sure it is that the claim updates the other; 0 if it does not."""
    if claim.sort in (LIVES_IN, WORKS_AT, IS_NAMED):
        one_at_a_time = claim.sort != IS_NAMED or claim.new or bool(agreed.shared & _SINGLE_NAMED)
        return agreed.meets(_SAME_HOLDER) if one_at_a_time and claim.about == before.about else 0.0
    if claim.was is not None:
        return agreed.meets(_NAMES_THE_OLD)
    beside = claim.near & before.near
    single = _SINGLE.get(claim.sort, _SINGLE_OTHERWISE)
    if agreed.share >= _WHOLE:
        return agreed.meets(_SAME_SENTENCE) if claim.new or (beside & single and not claim.aim) else 0.0
    if claim.sort == MOVED:
        return agreed.meets(_HAS_MOVED)
    if claim.new:
        return agreed.meets(_CALLED_NEW) if beside else 0.0
    subject = agreed.shared - single - _RESULTS - {claim.sort}
    if claim.aim or len(subject) < _SUBJECT_WORDS or not beside & subject or mass(subject) < _SUBJECT_MASS:
        return 0.0
    if beside & single:
        return agreed.meets(_SAME_DAY_OF if claim.sort == "date" else _SAME_ATTRIBUTE)
    return 0.0 if claim.sort == "date" else agreed.meets(_SAME_WORDS)


def _by_ending(newer: Sequence[Claim], older_text: str, mass: Mass) -> Iterator[Update]:
    """Something said earlier has ended: every word of what ended stands in one earlier sentence."""
    for claim in newer:
        if claim.sort != ENDED or mass(claim.about) < _ENDED_MASS:
            continue
        for sentence in sentences_of(older_text):
            if claim.about <= words_of(sentence):
                before = Claim(sort=ENDED, value="", about=claim.about, near=claim.near, sentence=sentence)
                yield Update(newer=claim, older=before, confidence=_ENDED_SURE, shared=claim.about, stated=True)
