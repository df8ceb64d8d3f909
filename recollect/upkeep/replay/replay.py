"""Going over memories while nobody asks for any (Engram §44.2, and contracts 1, 9 and 10 of §45).

A cycle picks a few records: first what was published and waits, then a third from what is much used but fading, the
rest from everything, those that were felt strongly twice as likely. Each is then

- strengthened by `replay.boost` if it is used and fading, a few times at most before somebody uses it again, so that
  replay delays forgetting and does not abolish it;
- linked to what is like it and not joined to it yet (`upkeep.latent`); one that so many new links lead to at once is an
  insight, and felt more strongly from then on;
- given its vector anew if the model makes another one of its text today (`upkeep.reembedding`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from recollect.errors import NoIndex
from recollect.index.follow import Indexes
from recollect.providers.base import Embedder
from recollect.store import records, statements
from recollect.store.base import Tx
from recollect.store.imprints import Floats, Imprints, imprints, imprints_of, rehearse
from recollect.store.journal import Op
from recollect.upkeep.forgetting.strength import Fading, fading
from recollect.upkeep.jobs.waiting import await_indexes
from recollect.upkeep.replay import latent
from recollect.upkeep.replay.drawing import draw, lots_of
from recollect.upkeep.replay.latent import Latent
from recollect.upkeep.replay.reembedding import Reembedding
from recollect.upkeep.runs.run import Run

AT_RISK_SHARE = 3  # one in so many is picked from what is fading

_KNOWN = "r.tier = 'longterm' AND r.kind <> 'entity' AND (r.valid_until IS NULL OR r.valid_until > ?)"
_DRAWN_FROM = (
    f"SELECT r.pk, coalesce(r.arousal, 0.0) FROM record r WHERE r.head_pk IS NULL AND r.retired_at IS NULL AND {_KNOWN}"
)

Published = Callable[[Tx], Sequence[int]]


class Replay:
    """The step that goes over memories. `published` lists records that wait for it, the most urgent first."""

    name = "replay"

    def __init__(self, indexes: Indexes, embedder: Embedder | None, published: Published = lambda tx: ()) -> None:
        self._indexes = indexes
        self._reembedding = Reembedding(embedder)
        self._published = published
        self.picked: list[int] = []  # the records of the last cycle, for whoever goes on from there

    def run(self, run: Run) -> None:
        with run.store.read() as tx:
            self.picked = self._pick(tx, run)
        if not self.picked:
            return
        run.portion(partial(_strengthen, run=run, pks=self.picked))
        run.progress(0.3)
        self._link(run)
        run.progress(0.8)
        self._reembedding.go_over(run, self.picked)

    # --- what to go over ----------------------------------------------------------------------------------------

    def _pick(self, tx: Tx, run: Run) -> list[int]:
        now, budget = run.clock(), run.config.replay.records_max
        lots = lots_of(f"{run.verb} {run.held.pk or run.held.started_at}")  # not by an id: the same work picks the same
        condition, params = _within(tx, run, _KNOWN, [now])
        queue = list(dict.fromkeys(self._published(tx)))
        there = imprints(tx, f"{condition} AND r.pk IN carray(?)", [*params, tx.pk_list(queue)]).pks
        picked = [pk for pk in queue if pk in there][:budget]
        used = imprints(tx, f"{condition} AND r.access_count >= ?", [*params, run.config.replay.uses_min])
        risky = used.at(_at_risk(used, fading(used, now, run.config), run))
        room = min(budget - len(picked), max(1, budget // AT_RISK_SHARE))
        picked += risky.pks[draw(lots, _preference(risky.arousal, run), room)].tolist()
        condition, params = _within(tx, run, _DRAWN_FROM, [now])
        rows = np.array(tx.all(f"{condition} ORDER BY r.pk", params), dtype=np.float64).reshape(-1, 2)
        others = rows[~np.isin(rows[:, 0], picked)]
        rest = draw(lots, _preference(others[:, 1], run), budget - len(set(picked)))
        return list(dict.fromkeys([*picked, *others[rest, 0].astype(np.int64).tolist()]))

    # --- new links ----------------------------------------------------------------------------------------------

    def _link(self, run: Run) -> None:
        try:
            await_indexes(self._indexes, lambda share: run.going_on(0.3))
        except NoIndex as error:
            run.problem(f"no links were looked for: {error.message}")
            return
        found = latent.find_latent(
            run.store, self._indexes, self.picked, similarity=run.config.replay.link_similarity, now=run.clock()
        )
        for links in found.values():
            if links:
                run.portion(partial(_join, run=run, links=links))


def _within(tx: Tx, run: Run, condition: str, params: list[object]) -> tuple[str, list[object]]:
    """The condition, for the records of a run only."""
    if run.scope_pks is None:
        return condition, params
    return f"{condition} AND r.scope_pk IN carray(?)", [*params, tx.pk_list(run.scope_pks)]


def _preference(arousal: Floats, run: Run) -> Floats:
    """How likely each is picked: what was felt strongly comes up more often."""
    affect = run.config.affect
    return np.where(arousal >= affect.replay_arousal, affect.replay_preference, 1.0)


def _at_risk(of: Imprints, state: Fading, run: Run) -> NDArray[np.bool_]:
    """Much used, fading, and not gone over too often since."""
    settings = run.config.replay
    again = np.where(of.rehearsed_at > of.used_at, of.rehearsals, 0) < settings.rehearsals_max
    weak: NDArray[np.bool_] = state.strength <= settings.fading * state.full
    return (of.uses >= settings.uses_min) & again & weak & ~state.never


def _strengthen(tx: Tx, op: Op, *, run: Run, pks: Sequence[int]) -> None:
    """Whoever goes over a turn goes over the statements in it."""
    found = imprints_of(tx, {*pks, *statements.drawn_from(tx, pks)})
    risky = found.at(_at_risk(found, fading(found, op.at, run.config), run))
    state = fading(risky, op.at, run.config)
    before = state.strength
    after = np.minimum(state.full, before + run.config.replay.boost)
    for at, (pk, record_id) in enumerate(zip(risky.pks.tolist(), records.ids(tx, risky.pks.tolist()), strict=True)):
        rehearse(tx, op, pk, float(after[at]), used_at=int(risky.used_at[at]))
        run.note("strengthened", record_id, f"from {before[at]:.2f} to {after[at]:.2f}")


def _join(tx: Tx, op: Op, *, run: Run, links: Sequence[Latent]) -> None:
    """The new links of one record, and what they do to it."""
    made = latent.join(tx, op, links, op.at)
    for link, (record_id, other_id) in zip(made, latent.ids_of(tx, made), strict=True):
        run.note("linked", record_id, f"similar to {other_id}: cosine {link.cosine:.2f}")
    affect = run.config.affect
    if len(made) >= affect.insight_links_min:
        pk = made[0].pk
        old = records.columns_of(tx, pk)
        assert old is not None
        felt = old["arousal"] or 0.0
        arousal = max(felt, min(affect.insight_arousal_max, felt + affect.insight_arousal * len(made)))
        if arousal > felt:
            records.adjust(tx, op, pk, old, {"arousal": arousal})
            run.note("insight", old["id"], f"{len(made)} new links: arousal from {felt:.2f} to {arousal:.2f}")
