"""Which memories go into a budget, and in how many words each.

A knapsack with choices: each memory may be shown in full, as its summary, its key fact or a tag, and every step to more
words costs tokens and adds some of its worth. Steps are taken by what they add per token, which for steps of falling
yield is within one step of the best there is. How many memories that makes is for the budget to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from recollect.model.context import Detail

# What a memory is worth that is not shown in full. A summary leaves out what may have been asked for.
WORTH = {Detail.FULL: 1.0, Detail.SUMMARY: 0.6, Detail.KEY_FACT: 0.25, Detail.TAG: 0.03}


class Form(NamedTuple):
    """One way to show a memory, and what that costs."""

    detail: Detail
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that may be shown: its value beside the others, its forms, and the heading that it stands under.

    The heading is paid by whoever is the first under it.
    """

    id: str
    value: float
    forms: tuple[Form, ...]
    heading: str = ""
    heading_tokens: int = 0

    @property
    def bare(self) -> Candidate:
        """The same without its heading."""
        return replace(self, heading="", heading_tokens=0)


class Chosen(NamedTuple):
    """A memory that is shown, and how."""

    candidate: Candidate
    form: Form


class _Step(NamedTuple):
    """From less to more words of one memory."""

    density: float
    at: int  # in the candidates
    form: Form


def pack(candidates: Sequence[Candidate], tokens: int) -> list[Chosen]:
    """The memories that are worth most together within so many tokens, in the order of the candidates."""
    steps = [step for at, candidate in enumerate(candidates) for step in _steps(at, candidate)]
    steps.sort(key=lambda step: -step.density)
    filling = _Filling(candidates, tokens)
    refused: set[int] = set()
    for step in steps:
        if step.at not in refused and not filling.take(step.at, step.form):
            refused.add(step.at)
    # What is left is too small for the next step of anything: the best that were refused say it in fewer words.
    for at in sorted(refused - filling.taken.keys()):
        any(filling.take(at, form) for form in candidates[at].forms)
    return [Chosen(candidates[at], filling.taken[at]) for at in sorted(filling.taken)]


class _Filling:
    """A budget being spent."""

    def __init__(self, candidates: Sequence[Candidate], tokens: int) -> None:
        self.taken: dict[int, Form] = {}
        self._candidates = candidates
        self._left = tokens
        self._headings: set[str] = set()

    def take(self, at: int, form: Form) -> bool:
        """Show a memory in this form rather than as before, if there is room for it."""
        candidate, before = self._candidates[at], self.taken.get(at)
        cost = form.tokens - (before.tokens if before else 0)
        cost += candidate.heading_tokens if candidate.heading not in self._headings else 0
        if cost > self._left:
            return False
        self._left -= cost
        self.taken[at] = form
        self._headings.add(candidate.heading)
        return True


def _steps(at: int, candidate: Candidate) -> list[_Step]:
    """Steps of falling yield: a form that is poor for its price is passed over."""
    path: list[tuple[int, float, Form | None]] = [(0, 0.0, None)]
    for form in sorted(candidate.forms, key=lambda form: form.tokens):
        worth = candidate.value * WORTH[form.detail]
        if worth <= path[-1][1]:
            continue
        while len(path) > 1 and _yield(path[-1], form.tokens, worth) >= _yield(path[-2], path[-1][0], path[-1][1]):
            path.pop()
        path.append((form.tokens, worth, form))
    return [
        _Step(_yield(before, tokens, worth), at, form)
        for before, (tokens, worth, form) in pairwise(path)
        if form is not None
    ]


def _yield(before: tuple[int, float, Form | None], tokens: int, worth: float) -> float:
    return (worth - before[1]) / max(1, tokens - before[0])
