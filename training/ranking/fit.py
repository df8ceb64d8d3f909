"""Fit the weights of the ranking's parts: `python -m training.ranking.fit FOLDER`.

Reads what `training.ranking.gather` wrote. For each set it prints how the answers stand by the present weights, by
weights that were fitted on all other sets, by each source alone, and as the engine answered; then the weights fitted on
all sets together. Every set counts equally. Needs scipy.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logsumexp

from bench.quality.measures import mean, newer_first, recall_at
from recollect.config.reading import RankingSettings
from recollect.recall.ranking.rank import part_weights
from training.ranking.cases import Candidate, Case, read

Array = NDArray[np.float64]
Score = Callable[[Candidate], float]

PRESENT: Mapping[str, float] = part_weights(RankingSettings())
SOURCES = ("text", "vector", "static")
FAMILY = {"beam100k": "beam", "beam500k": "beam"}  # sets of one kind are left out, and counted, together
SHRINKING = 3e-3  # of weights towards 0, each on the scale of its part
OUTDATED = 0.3  # what a turn that is no longer true counts, beside how likely the answer is
_FIRST = 0.5  # half of the likelihood asks that any turn of the evidence is first, half that each of them is near
_SPREAD_MIN = 1e-6  # a part that never differs keeps a scale
_NEVER = -1e9  # a logit


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The cases of a fit as arrays: question, candidate, part. Shorter questions are filled up: that is not `held`."""

    parts: Array
    held: NDArray[np.bool_]
    wanted: NDArray[np.bool_]
    outdated: NDArray[np.bool_]
    worth: Array  # of each question; those of each family add up to the same


def family(case: Case) -> str:
    return FAMILY.get(case.set, case.set)


def table(cases: Sequence[Case]) -> Table:
    """Of cases whose evidence is among the candidates; the others have nothing to teach."""
    kept = [case for case in cases if any(case.evidence.intersection(one.turns) for one in case.candidates)]
    shape = (len(kept), max((len(case.candidates) for case in kept), default=0))
    parts = np.zeros((*shape, len(PRESENT)))
    held, wanted, outdated = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
    for row, case in enumerate(kept):
        for at, one in enumerate(case.candidates):
            parts[row, at] = [one.parts.get(name, 0.0) for name in PRESENT]
            held[row, at] = True
            wanted[row, at] = not case.evidence.isdisjoint(one.turns)
            outdated[row, at] = not wanted[row, at] and not case.outdated.isdisjoint(one.turns)
    families = [family(case) for case in kept]
    counts = {name: families.count(name) for name in families}
    worth = np.array([1.0 / (counts[name] * len(counts)) for name in families])
    return Table(parts=parts, held=held, wanted=wanted, outdated=outdated, worth=worth)


def fit(cases: Sequence[Case]) -> dict[str, float]:
    """For each part, how many times its present weight it should have: never less than nothing.

    The likelihood of the evidence under a softmax over the candidates of each question, and of the evidence against
    turns that are outdated. Only the proportions count; the factors are scaled so that sums stay as near as they can to
    the present ones. A part of which the cases show nothing keeps its weight.
    """
    known = table(cases)
    if not len(known.worth):
        raise SystemExit("no question has its evidence among its candidates; gather the sets again")
    shown = known.parts[known.held]
    spread = np.maximum(shown.std(axis=0), _SPREAD_MIN)
    scaled = known.parts / spread
    found = minimize(
        lambda factors: _loss(factors, scaled, known),
        np.full(len(PRESENT), SHRINKING),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * len(PRESENT),
    )
    factors: Array = found.x / spread
    before, after = shown.sum(axis=1), shown @ factors
    factors *= (before @ after) / max(float(after @ after), _SPREAD_MIN)
    factors[~shown.any(axis=0)] = 1.0
    return dict(zip(PRESENT, factors.tolist(), strict=True))


def _loss(factors: Array, parts: Array, known: Table) -> tuple[float, Array]:
    """What the fit makes small, and its slope."""
    sums = parts @ factors
    every, every_share = _soft(sums, known.held)
    wanted, wanted_share = _soft(sums, known.wanted)
    outdated, outdated_share = _soft(sums, known.outdated)
    count = known.wanted.sum(axis=1, keepdims=True)
    evenly = known.wanted / count
    unlikely = every - _FIRST * wanted - (1.0 - _FIRST) * (sums * evenly).sum(axis=1)
    slope = every_share - _FIRST * wanted_share - (1.0 - _FIRST) * evenly
    has_outdated = known.outdated.any(axis=1)
    gap = np.where(has_outdated, outdated - wanted, _NEVER)
    unlikely = unlikely + OUTDATED * np.logaddexp(0.0, gap)
    slope = slope + OUTDATED * (expit(gap) * has_outdated)[:, None] * (outdated_share - wanted_share)
    loss = float(known.worth @ unlikely + SHRINKING * factors @ factors)
    return loss, np.einsum("q,qc,qcp->p", known.worth, slope, parts) + 2 * SHRINKING * factors


def _soft(sums: Array, chosen: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The soft maximum of the chosen candidates of each question, and the share of each candidate in it."""
    logits = np.where(chosen, sums, _NEVER)
    top = logsumexp(logits, axis=1)
    return top, np.exp(logits - top[:, None]) * chosen


def stands(cases: Sequence[Case], score: Score | None) -> dict[str, float | None]:
    """How the answers stand by a score, averaged over the questions; None as the score: in the order of the answer."""
    noted: dict[str, list[float]] = {"first": [], "top 3": [], "R@10": [], "current above outdated": []}
    for case in cases:
        order = list(case.candidates) if score is None else sorted(case.candidates, key=score, reverse=True)
        answers = [not case.evidence.isdisjoint(one.turns) for one in order]
        turns = list(dict.fromkeys(turn for one in order for turn in one.turns))
        noted["first"].append(any(answers[:1]))
        noted["top 3"].append(any(answers[:3]))
        noted["R@10"].append(recall_at(turns, case.evidence, 10))
        if case.outdated and case.newer:
            noted["current above outdated"].append(newer_first(turns, case.newer, case.outdated))
    return {name: mean(values) for name, values in noted.items()}


def by(factors: Mapping[str, float]) -> Score:
    """The sum of the parts, each times its factor."""
    return lambda one: sum(factors.get(name, 0.0) * part for name, part in one.parts.items())


def report(name: str, figures: Mapping[str, float | None]) -> None:
    cells = (f"{measure} {value:.3f}" for measure, value in figures.items() if value is not None)
    print(f"    {name:<22}{'  '.join(cells)}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="where the cases are")
    files = sorted(arguments.parse_args().folder.glob("*.jsonl"))
    cases = [case for file in files for case in read(file)]
    families = sorted({family(case) for case in cases})
    if len(families) < 2:
        raise SystemExit("two sets at least are needed, to leave one out: python -m training.ranking.gather SET…")
    for name in families:
        own = [case for case in cases if family(case) == name]
        print(f"{name}, {len(own)} questions")
        report("present weights", stands(own, by(dict.fromkeys(PRESENT, 1.0))))
        report("fitted on the others", stands(own, by(fit([case for case in cases if family(case) != name]))))
        for source in SOURCES:
            report(f"{source} alone", stands(own, by({source: 1.0})))
        report("as answered", stands(own, None))
    print("weights, present and fitted on all:")
    for name, factor in fit(cases).items():
        print(f"    {name:<12}{PRESENT[name]:.2f}  {PRESENT[name] * factor:.2f}")


if __name__ == "__main__":
    main()
