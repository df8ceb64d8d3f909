"""Keeps the tree of summaries in step with the records.

A new record goes to its nearest cluster, and only the path above it is written anew. When too much is new the whole
tree is drawn up again beside the one in use, and takes its place at once. It is derived data: a run reports it, and has
nothing to undo; when records go or come back, the next run writes what stood on them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.model.tokens import estimate_tokens
from recollect.providers.base import Llm
from recollect.recall.known.domains import is_weak
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.summaries import DOMAIN, GLOBAL, SummaryNode
from recollect.upkeep.knowledge import stored_tree
from recollect.upkeep.knowledge.leaves import Leaves, leaves
from recollect.upkeep.knowledge.stored_tree import TreePlace
from recollect.upkeep.knowledge.tree import DOMAIN_TOKENS, SummaryTree, drawn_up
from recollect.upkeep.language_model.awaited import SUMMARIES_WAIT
from recollect.upkeep.language_model.wording import SummaryWriter
from recollect.upkeep.runs.run import Run

ADDED_AT_ONCE = 20  # records put into clusters in one transaction
REWRITTEN_AT_ONCE = 15  # clusters
STORED_AT_ONCE = 400  # nodes, and ten times as many members
NEW_SHARE_MAX = 0.5  # of a tree that may be new before it is drawn up again


class AbstractionStep:
    """The step. With a model the domains and the summary of all are in its words."""

    name = "abstraction"

    def __init__(self, llm: Llm | None = None) -> None:
        self._llm = llm

    def run(self, run: Run) -> None:
        if run.dry_run:  # there is nothing that a report could show
            return
        wording = SummaryWriter(self._llm, run)
        for scope_pk in run.each_scope():
            place = _place(run, scope_pk)
            _clear_away(run, place)
            if _is_outgrown(run, place) or (_waits(run, place) and wording.usable):
                _rebuild(run, place, wording)
            else:
                _add_new(run, place)
            _rewrite(run, place)
            _cut_weak(run, place)


def insert(store: Store, config: LiveConfig, clock: Clock, pks: Sequence[int]) -> int:
    """Put records into the trees of their scopes now, without a run; how many clusters that touched."""

    def work(tx: Tx) -> int:
        own = tx.records.by_scope(pks)
        space, settings = stored_tree.space_of_tree(tx), config.current.abstraction
        return sum(
            len(stored_tree.add(tx, TreePlace(scope_pk, space, settings, clock()), among))
            for scope_pk, among in own.items()
        )

    return store.write(work)


def _place(run: Run, scope_pk: int) -> TreePlace:
    with run.store.read() as tx:
        return TreePlace(scope_pk, stored_tree.space_of_tree(tx), run.config.abstraction, run.clock())


def _is_outgrown(run: Run, place: TreePlace) -> bool:
    """Whether there is no tree yet, one of another model's vectors, or one for far fewer records."""
    with run.store.read() as tx:
        tops = tx.summaries.of_level([place.scope_pk], GLOBAL, space=None)
        records = sum(node.records for _, node in tops)
        fresh = tx.summaries.unplaced(place.scope_pk, now=place.now, limit=int(NEW_SHARE_MAX * records) + 1)
        other = place.space is not None and tx.summaries.any_of_another(place.scope_pk, place.space)
    return other or len(fresh) > NEW_SHARE_MAX * records


def _rebuild(run: Run, place: TreePlace, wording: SummaryWriter) -> None:
    with run.store.read() as tx:
        since = tx.changes.newest()
        own = leaves(tx, place.scope_pk, space=place.space, now=place.now)
        named = stored_tree.named_in(tx, own)
    if not len(own):
        return
    tree = drawn_up(own, named, place.settings)
    waits = _word(tree, wording, place.settings.global_tokens)
    pks = _store(run, place, tree, own)

    def put_in_place(tx: Tx, op: Op) -> None:
        stored_tree.take_changed(tx, tree, own, pks, since=since)
        tx.summaries.put_in_place(place.scope_pk)
        _note_waiting(tx, place, waits)

    run.portion(put_in_place)
    _clear_away(run, place)
    run.counts["summarised"] += len(pks)


def _waits(run: Run, place: TreePlace) -> bool:
    """Whether rules worded the tree because the model could not be had."""
    with run.store.read() as tx:
        return tx.meta.text(f"{SUMMARIES_WAIT}:{place.scope_pk}") is not None


def _note_waiting(tx: Tx, place: TreePlace, waits: bool) -> None:
    key = f"{SUMMARIES_WAIT}:{place.scope_pk}"
    if waits:
        tx.meta.note(key, 1)
    else:
        tx.meta.forget(key)


def _word(tree: SummaryTree, wording: SummaryWriter, global_tokens: int) -> bool:
    """The domains and the summary of all in a model's words, where there is one; whether some wait for it."""
    waits = False
    below: list[list[str]] = [[] for _ in tree.domains]
    for node, home in zip(tree.clusters, tree.domain_of, strict=True):
        below[home].append(node.text)
    for node, notes in zip(tree.domains, below, strict=True):
        node.text = wording.summary(notes, tokens_max=DOMAIN_TOKENS[1], plain=node.text)
        node.tokens = estimate_tokens(node.text)
        waits = waits or wording.waits
    told = [f"{node.label}: {node.text}" for node in tree.domains]
    tree.top.text = wording.summary(told, tokens_max=global_tokens, plain=tree.top.text)
    tree.top.tokens = estimate_tokens(tree.top.text)
    return waits or wording.waits


def _store(run: Run, place: TreePlace, tree: SummaryTree, own: Leaves) -> list[int]:
    """The nodes, not in use yet, and which records are below them; the keys, the top's first."""

    def insert(tx: Tx, op: Op, nodes: Sequence[SummaryNode]) -> range:
        return tx.summaries.insert(place.scope_pk, nodes, space=place.space, at=place.now, live=False)

    def put(nodes: Sequence[SummaryNode]) -> list[int]:
        starts = range(0, len(nodes), STORED_AT_ONCE)
        return [pk for at in starts for pk in run.portion(partial(insert, nodes=nodes[at : at + STORED_AT_ONCE]))]

    def put_members(tx: Tx, op: Op, rows: Sequence[tuple[int, int]]) -> None:
        tx.summaries.put_members(rows)

    top = put([tree.top])
    for node in tree.domains:
        node.parent_pk = top[0]
    domains = put(tree.domains)
    for node, home in zip(tree.clusters, tree.domain_of, strict=True):
        node.parent_pk = domains[home]
    clusters = put(tree.clusters)
    homes = zip(tree.rows, clusters, strict=True)
    members = ((pk, cluster) for rows, cluster in homes for pk in own.pks[rows].tolist())
    while part := list(islice(members, 10 * STORED_AT_ONCE)):
        run.portion(partial(put_members, rows=part))
    return [*top, *domains, *clusters]


def _clear_away(run: Run, place: TreePlace) -> None:
    """What a run left behind that died, and what was replaced."""
    while True:
        with run.store.read() as tx:
            if not tx.summaries.any_unused(place.scope_pk):
                return
        run.portion(lambda tx, op: tx.summaries.clear_away(place.scope_pk, limit=STORED_AT_ONCE))


def _add_new(run: Run, place: TreePlace) -> None:
    while True:
        with run.store.read() as tx:
            fresh = tx.summaries.unplaced(place.scope_pk, now=place.now, limit=ADDED_AT_ONCE)
        if not fresh:
            return
        touched = run.portion(partial(_add, place=place, pks=fresh))
        run.counts["summarised"] += len(touched)
        if not touched:
            return


def _add(tx: Tx, op: Op, *, place: TreePlace, pks: Sequence[int]) -> set[int]:
    return stored_tree.add(tx, place, pks)


def _rewrite(run: Run, place: TreePlace) -> None:
    """Nodes that lost their words get new ones."""

    with run.store.read() as tx:
        if not tx.summaries.any_stale(place.scope_pk):
            return

    def clusters(tx: Tx, op: Op) -> int:
        pks = stored_tree.stale_clusters(tx, place)[:REWRITTEN_AT_ONCE]
        stored_tree.rewrite_clusters(tx, place, pks)
        return len(pks)

    def above(tx: Tx, op: Op) -> int:
        pks = stored_tree.stale_above(tx, place)[:REWRITTEN_AT_ONCE]
        stored_tree.rewrite_domains(tx, place, pks)
        return len(pks)

    for work in (clusters, above):
        while done := run.portion(work):
            run.counts["summarised"] += done


def _cut_weak(run: Run, place: TreePlace) -> None:
    """What little is known of is cut up more finely, once: what there is should be found."""
    settings = run.config
    with run.store.read() as tx:
        domains = [node for _, node in tx.summaries.of_level([place.scope_pk], DOMAIN, space=place.space)]
        doubts = tx.relations.by_domain() if domains else {}
    for node in domains:
        large = node.records > settings.abstraction.cluster_max
        if large and not node.finer and is_weak(node, settings, doubts=doubts.get(node.pk, 0)):
            run.portion(partial(_cut, place=place, node=node))


def _cut(tx: Tx, op: Op, *, place: TreePlace, node: SummaryNode) -> int:
    return stored_tree.cut_finer(tx, place, node)
