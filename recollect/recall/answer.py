"""The answer of a search: its best rows loaded, the figures of how it went and, where asked for, how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from recollect.model.result import Hit, Moved, Quality, Recollection, Trace, TraceStep
from recollect.recall.hits import load_hits, within_tokens
from recollect.recall.quality import ndcg, relevancy
from recollect.recall.ranking.rank import Ranked
from recollect.recall.search import Finished, Gathered, Search
from recollect.recall.sources.base import Look
from recollect.recall.sources.relations import told


class SearchAnswer(NamedTuple):
    """A recollection, and the rows of its hits."""

    found: Recollection
    pks: list[int]

    @property
    def relevancy(self) -> float:
        return self.found.quality.relevancy


def answer_of(search: Search) -> SearchAnswer:
    """The best rows of the final order, within what was asked for."""
    query, look, finished, verdict = search.query, search.look, search.finished, search.verdict
    floor = search.config.recall.threshold if query.threshold is None else query.threshold
    best = zip(finished.last.pks[: query.top_k].tolist(), finished.last.scores[: query.top_k].tolist(), strict=True)
    scores = {pk: score for pk, score in best if score >= floor}
    loaded = load_hits(look.tx, scores, look.criteria, now=look.now, config=search.config, repeated=finished.repeated)
    hits = within_tokens(loaded, query.max_tokens)
    candidates = len(search.ranked.pks)
    abstained = verdict.abstained or not hits
    left_out = "all that matches was left out by threshold or max_tokens" if candidates else None
    reason = "; ".join(verdict.reasons) or left_out or "nothing stored here matches"
    found = Recollection(
        query=query.text,
        hits=tuple(hits.values()),
        quality=Quality(
            candidates=candidates,
            stages_ms=search.watch.stages,
            strategy=finished.strategy,
            weights=dict(finished.weights),
            level=_level(look),
            relevancy=relevancy([hit.score for hit in hits.values()]),
            ndcg=ndcg(finished.worth(hits)),
            intent=search.plan.intent.kind,
            answerable=verdict.share,
        ),
        missing=tuple(dict.fromkeys(look.missing)),
        trace=trace_of(search, hits) if query.explain else None,
        abstained=abstained,
        reason=reason if abstained else None,
    )
    return SearchAnswer(found, list(hits))


def _level(look: Look) -> str:
    """How much of the machinery took part."""
    if look.selection is not None or look.inside:
        return "full" if look.semantic else "text_only"
    return "text_plus_disk_vectors" if look.semantic else "degraded"


def trace_of(search: Search, hits: Mapping[int, Hit]) -> Trace:
    """For each hit: which source found it where, what each part put in, and how each step moved it."""
    gathered, finished, look = search.gathered, search.finished, search.look
    ids = {pk: hit.id for pk, hit in hits.items()}
    via = told(look, gathered.activated, list(hits)) if gathered.activated is not None else {}
    return Trace(
        plan=search.plan.to_dict(),
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
            if part[at] != 0
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
