"""After replay, the tree of summaries and the map are renewed where replay went: incrementally, never as a whole.

New links and restored strength change what a cluster stands for and how well its domain is known. Only the clusters of
the records that a cycle touched are written anew, with what is above them; new records join on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.upkeep.knowledge import stored_tree
from recollect.upkeep.knowledge.stored_tree import TreePlace
from recollect.upkeep.runs.run import Run

AT_ONCE = 10  # clusters written in one transaction
NEW_AT_ONCE = 20  # records that join the tree


class RenewalStep:
    """The step. It draws up no tree: where there is none, the night makes it."""

    name = "renew"

    def run(self, run: Run) -> None:
        if run.dry_run or not run.touched:
            return
        with run.store.read() as tx:
            homes = tx.summaries.clusters_of(sorted(run.touched))
            space = stored_tree.space_of_tree(tx)
        places = {scope_pk: TreePlace(scope_pk, space, run.config.abstraction, run.clock()) for scope_pk in homes}
        for scope_pk, clusters in homes.items():
            for start in range(0, len(clusters), AT_ONCE):
                part = clusters[start : start + AT_ONCE]
                run.portion(partial(_write, place=places[scope_pk], clusters=part))
                run.counts["renewed"] += len(part)
            run.portion(partial(_place_new, place=places[scope_pk]))


def _place_new(tx: Tx, op: Op, *, place: TreePlace) -> None:
    fresh = tx.summaries.unplaced(place.scope_pk, now=place.now, limit=NEW_AT_ONCE)
    if fresh:
        stored_tree.add(tx, place, fresh)


def _write(tx: Tx, op: Op, *, place: TreePlace, clusters: Sequence[int]) -> None:
    stored_tree.rewrite_clusters(tx, place, clusters)
