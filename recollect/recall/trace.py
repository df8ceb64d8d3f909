"""How a search came to its answer, for `explain`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from recollect.model.result import Hit, Moved, Trace, TraceStep
from recollect.recall.finish import Finished
from recollect.recall.gather import Gathered
from recollect.recall.question.plan import Plan
from recollect.recall.ranking.rank import Ranked
from recollect.recall.sources.base import Look
from recollect.recall.sources.relations import told


def trace_of(look: Look, hits: Mapping[int, Hit], plan: Plan, gathered: Gathered, finished: Finished) -> Trace:
    """For each hit: which source found it where, what each part put in, and how each step moved it."""
    ids = {pk: hit.id for pk, hit in hits.items()}
    via = told(look, gathered.activated, list(hits)) if gathered.activated is not None else {}
    return Trace(
        plan=plan.to_dict(),
        found_by={ids[pk]: found for pk, found in _found_by(gathered, hits).items()},
        hits={ids[pk]: steps for pk, steps in _parts(finished.ranked, hits).items()},
        moves={ids[pk]: _moves(finished, pk) for pk in hits},
        via={ids[pk]: how for pk, how in via.items()},
        notes=tuple(look.notes),
    )


def _found_by(gathered: Gathered, hits: Mapping[int, Hit]) -> dict[int, dict[str, int]]:
    """The place of each hit in each source's own list, from 1."""
    out: dict[int, dict[str, int]] = {pk: {} for pk in hits}
    for ranking in gathered.rankings:
        for place, pk in enumerate(ranking.found.pks.tolist(), start=1):
            if pk in out:
                out[pk][ranking.source] = place
    return out


def _parts(ranked: Ranked, hits: Mapping[int, Hit]) -> dict[int, tuple[TraceStep, ...]]:
    """What each part put in; the contributions add up to the score that ranking gave."""
    place = {pk: position for position, pk in enumerate(ranked.pks.tolist()) if pk in hits}
    ranks = {
        name: np.argsort(np.argsort(-part, kind="stable"), kind="stable") + 1 for name, part in ranked.parts.items()
    }
    return {
        pk: tuple(
            TraceStep(
                source=name, rank=int(ranks[name][at]), score=float(ranked.scores[at]), contribution=float(part[at])
            )
            for name, part in ranked.parts.items()
            if part[at] > 0
        )
        for pk, at in place.items()
    }


def _moves(finished: Finished, pk: int) -> tuple[Moved, ...]:
    """The place and score of a row after each step, and what belief and the like added."""
    moves = []
    for order in finished.orders:
        at = np.flatnonzero(order.pks == pk)
        if len(at):
            by = {name: moved[pk] for name, moved in finished.factors.items() if moved.get(pk)}
            moves.append(
                Moved(
                    step=order.step,
                    rank=int(at[0]) + 1,
                    score=float(order.scores[at[0]]),
                    by=by if order.step == "belief" else {},
                )
            )
    return tuple(moves)
