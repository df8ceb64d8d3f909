"""Goes over memories while no caller needs the store, as sleep does.

A cycle picks a few records: first what was published and waits, then a third from what is much used but fading, the
rest from everything, those that were felt strongly twice as likely. Each is then

- strengthened by `replay.boost` if it is used and fading, a few times at most before it is used again, so that
  replay delays forgetting and does not abolish it;
- linked to what is like it and not joined to it yet (`find_latent`); one that so many new links lead to at once is an
  insight, and felt more strongly from then on;
- told apart from what competes with it: of two the weaker gives way (`interference`);
- given its vector anew if the model makes another one of its text today.

Some are asked for as a user would (`scenarios`), to see whether they are found. What a cycle went over is renewed in
the tree of summaries, by the step after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from recollect.clock import DAY_US
from recollect.errors import NoIndex, ProviderError
from recollect.index.follow import Indexes
from recollect.language.terms import telling, terms_of
from recollect.providers.base import Embedder
from recollect.store import edges
from recollect.store.base import Store, Tx
from recollect.store.imprints import Floats, Imprints
from recollect.store.journal import Op
from recollect.store.vectors import Space
from recollect.upkeep.forgetting.interference import find_competing, join_competing
from recollect.upkeep.forgetting.scenarios import Asks, rehearse
from recollect.upkeep.forgetting.strength import Fading, fading
from recollect.upkeep.jobs.worker import await_indexes
from recollect.upkeep.runs.run import Run

COMPETING_AT_ONCE = 20
PICKED = "replay_picked"  # the note of what the last run goes over
AT_RISK_SHARE = 3  # one in so many is picked from what is fading

Published = Callable[[Tx], Sequence[int]]


class ReplayStep:
    """The step that goes over memories. `published` lists records that wait for it, the most urgent first."""

    name = "replay"

    def __init__(
        self,
        indexes: Indexes,
        embedder: Embedder | None,
        published: Published = lambda tx: (),
        asks: Asks | None = None,
    ) -> None:
        self._indexes = indexes
        self._asks = asks
        self._reembedding = Reembedding(embedder)
        self._published = published
        self.picked: list[int] = []  # the records of the last cycle, for tests and measurements

    def run(self, run: Run) -> None:
        with run.store.read() as tx:
            before = _picked_before(tx, run)
            self.picked = self._pick(tx, run) if before is None else before
        if not self.picked:
            return
        run.portion(partial(_strengthen, run=run, pks=self.picked))
        run.progress(0.3)
        self._link(run)
        run.progress(0.7)
        if self._asks is not None:
            rehearse(run, self.picked, self._asks)
        run.progress(0.9)
        self._reembedding.go_over(run, self.picked)

    # --- what to go over ----------------------------------------------------------------------------------------

    def _pick(self, tx: Tx, run: Run) -> list[int]:
        now, budget = run.clock(), run.config.replay.records_max
        lots = lots_of(f"{run.verb} {run.held.pk or run.held.started_at}")  # not by an id: the same work picks the same
        queue = list(dict.fromkeys(self._published(tx)))
        there = tx.imprints.remembered(now=now, scope_pks=run.scope_pks, among=queue).pks
        picked = [pk for pk in queue if pk in there][:budget]
        used = tx.imprints.remembered(now=now, scope_pks=run.scope_pks, uses_min=run.config.replay.uses_min)
        risky = used.at(_at_risk(used, fading(used, now, run.config), run))
        room = min(budget - len(picked), max(1, budget // AT_RISK_SHARE))
        picked += risky.pks[draw(lots, _preference(risky.arousal, run), room)].tolist()
        rows = tx.imprints.arousals(now=now, scope_pks=run.scope_pks)
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
        if run.config.replay.interference:
            self._tell_apart(run)
        found = find_latent(
            run.store, self._indexes, self.picked, similarity=run.config.replay.link_similarity, now=run.clock()
        )
        for links in found.values():
            if links:
                run.portion(partial(_join, run=run, links=links))

    def _tell_apart(self, run: Run) -> None:
        """What competes with what: it is not to be linked as well."""
        least = run.config.replay.interference_similarity
        found = find_competing(run.store, self._indexes, self.picked, similarity=least, now=run.clock())
        for start in range(0, len(found), COMPETING_AT_ONCE):
            part = found[start : start + COMPETING_AT_ONCE]
            run.portion(partial(join_competing, run=run, found=part))


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


def _picked_before(tx: Tx, run: Run) -> list[int] | None:
    """What this run picked before its process died: by now its own work would lead to others."""
    noted = tx.meta.text(PICKED)
    of_run = None if noted is None else orjson.loads(noted)
    return of_run["picked"] if of_run is not None and of_run["run"] == run.held.id else None


def _strengthen(tx: Tx, op: Op, *, run: Run, pks: Sequence[int]) -> None:
    """Going over a turn is going over the statements in it. What was picked is noted with it, for who goes on."""
    tx.meta.note(PICKED, orjson.dumps({"run": run.held.id, "picked": list(pks)}).decode())
    found = tx.imprints.of({*pks, *tx.statements.drawn_from(pks)})
    risky = found.at(_at_risk(found, fading(found, op.at, run.config), run))
    state = fading(risky, op.at, run.config)
    before = state.strength
    after = np.minimum(state.full, before + run.config.replay.boost)
    for at, (pk, record_id) in enumerate(zip(risky.pks.tolist(), tx.records.ids(risky.pks.tolist()), strict=True)):
        tx.imprints.rehearse(op, pk, float(after[at]), used_at=int(risky.used_at[at]))
        run.touched.add(pk)
        run.note("strengthened", record_id, f"from {before[at]:.2f} to {after[at]:.2f}")


def _join(tx: Tx, op: Op, *, run: Run, links: Sequence[Latent]) -> None:
    """The new links of one record, and what they do to it."""
    made = join_links(tx, op, links, op.at)
    for link, (record_id, other_id) in zip(made, ends_of(tx, made), strict=True):
        run.note("linked", record_id, f"similar to {other_id}: cosine {link.cosine:.2f}")
    run.touched.update(pk for link in made for pk in (link.pk, link.other_pk))
    affect = run.config.affect
    if len(made) >= affect.insight_links_min:
        pk = made[0].pk
        old = tx.records.columns_of(pk)
        assert old is not None
        felt = old["arousal"] or 0.0
        arousal = max(felt, min(affect.insight_arousal_max, felt + affect.insight_arousal * len(made)))
        if arousal > felt:
            tx.records.adjust(op, pk, old, {"arousal": arousal})
            run.note("insight", old["id"], f"{len(made)} new links: arousal from {felt:.2f} to {arousal:.2f}")


# --- drawing lots ----------------------------------------------------------------------------------------------------


def lots_of(run: str) -> np.random.Generator:
    """The lots of a run: another process that goes on with it draws the same."""
    return np.random.default_rng(int.from_bytes(hashlib.blake2b(run.encode(), digest_size=8).digest(), "little"))


def draw(lots: np.random.Generator, weights: Floats, count: int) -> NDArray[np.int64]:
    """At most `count` positions. Of two positions the one with twice the weight is drawn exactly twice as often.

    All are laid end to end in a random order, each as long as its weight, and a comb of `count` teeth is put down
    somewhere: drawing one by one instead would favour the heavy less, the more are drawn.
    """
    if count <= 0 or not len(weights):
        return np.empty(0, dtype=np.int64)
    if count >= len(weights):
        return np.arange(len(weights))
    order = lots.permutation(len(weights))
    ends = np.cumsum(weights[order])
    teeth = (lots.random() + np.arange(count)) * (ends[-1] / count)
    hit = np.minimum(np.searchsorted(ends, teeth, side="right"), len(order) - 1)
    return np.asarray(order[np.unique(hit)], dtype=np.int64)


# --- vectors made anew -----------------------------------------------------------------------------------------------

SAME = 0.99  # cosine up to which rounding explains a difference


class _Changed(NamedTuple):
    pk: int
    content_hash: str
    data: bytes
    cosine: float


class Reembedding:
    """Looks again at the vectors of a quick model; one that costs time or money is asked by `reembed` only.

    A record gets a vector when it is stored and another one when its text changes, and another model has a space of its
    own (`jobs.embed`). What is left are vectors that no longer fit their text: of a model that was exchanged under its
    name, or damaged. Embedding old records together with the names of today's domains was measured and left out: with
    the older half of a conversation embedded so, vector search alone finds fewer of the turns that answer (within ten
    0.35 instead of 0.41 of LoCoMo's), since what was made with a context and what was made without one do not compare.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    def go_over(self, run: Run, pks: Sequence[int]) -> None:
        """Those of these records that are older than `replay.reembed_days`."""
        model = self._embedder
        if model is None or not model.inline:
            return
        with run.store.read() as tx:
            space = tx.vectors.find_space(model.name)
            before = run.clock() - int(run.config.replay.reembed_days * DAY_US)
            old = tx.records.untouched_contents(pks, before=before) if space else {}
            kept = tx.vectors.load(space, old) if space else None
        if space is None or kept is None or not len(kept[0]) or space.dimensions != model.dimensions:
            return
        keys, stored = kept[0].tolist(), kept[1]
        try:
            made = model.embed([old[pk][1] for pk in keys])
        except ProviderError as error:
            run.problem(f"vectors were not looked at again: {error.message} ({error.code})")
            return
        cosines = (stored * made).sum(axis=1) / np.maximum(np.linalg.norm(stored, axis=1), 1e-9)
        moved = np.flatnonzero((cosines < SAME) & made.any(axis=1)).tolist()
        changed = [_Changed(keys[at], old[keys[at]][0], space.encode(made[at]), float(cosines[at])) for at in moved]
        if changed:
            run.portion(partial(_put, run=run, space=space, changed=changed))


def _put(tx: Tx, op: Op, *, run: Run, space: Space, changed: Sequence[_Changed]) -> None:
    """A text that changed meanwhile has got its own vector already."""
    for pk, content_hash, data, cosine in changed:
        if tx.records.live_hash(pk) != content_hash or not tx.vectors.exchange(op, space, pk, data):
            continue
        run.touched.add(pk)
        run.note("re-embedded", tx.records.ids([pk])[0], f"cosine {cosine:.2f} to what it was")


# --- links that are missing -------------------------------------------------------------------------------------------

LINK_LABEL = "similar_to"
LINK_METHOD = "replay"
LINK_WEIGHT = 0.25  # likeness is a weak relation: with more weight, what is alike crowds out what answers
LINKS_MAX = 8  # new ones of one record at a time
LINK_NEIGHBOURS = 24  # looked at for them
LINK_TERMS_MIN = 5  # telling words of a text that can be like another


class Latent(NamedTuple):
    """Two records that are alike. The first is the one that was gone over."""

    pk: int
    other_pk: int
    cosine: float


def find_latent(
    store: Store, indexes: Indexes, pks: Sequence[int], *, similarity: float, now: int
) -> dict[int, list[Latent]]:
    """For each of these records those of its scope that are most like it and not joined to it, the most alike first.

    They become `similar_to` edges that count as found: they fade when pruned, and one that a person withdrew stays
    away. Statements that answer through a turn are left out, as the turn stands for them, and so are texts of a few
    words, which are alike whatever they are about.
    """
    with store.read() as tx:
        linkable = tx.records.linkable(pks, now=now)
    near = {pk: _neighbours(indexes, pk, linkable[pk][0], similarity, now) for pk in pks if pk in linkable}
    with store.read() as tx:
        linkable |= tx.records.linkable({link.other_pk for links in near.values() for link in links}, now=now)
        telling_enough = {
            pk for pk, (_, text) in linkable.items() if len(set(telling(terms_of(text)))) >= LINK_TERMS_MIN
        }
        return {
            pk: [link for link in links if link.other_pk in telling_enough and not _is_joined(tx, link)][:LINKS_MAX]
            for pk, links in near.items()
            if pk in telling_enough
        }


def join_links(tx: Tx, op: Op, links: Iterable[Latent], now: int) -> list[Latent]:
    """Make edges of those that are still there and not joined yet; which ones that were."""
    made = []
    for link in links:
        ends = tx.records.linkable((link.pk, link.other_pk), now=now)
        alike = len(ends) == 2 and len({scope_pk for scope_pk, _ in ends.values()}) == 1
        if alike and not _is_joined(tx, link):
            tx.edges.insert(op, [_link_edge(link)])
            made.append(link)
    return made


def _neighbours(indexes: Indexes, pk: int, scope_pk: int, similarity: float, now: int) -> list[Latent]:
    among = indexes.columns.select(scope_pks=[scope_pk], tiers=["longterm"], drawn=False, now=now)
    own_row = np.array([pk], dtype=np.int64)
    best: dict[int, float] = {}
    for index in list(indexes.vectors.values()):
        own = index.vectors(own_row)[0]
        if own.any():
            found = index.search(own, limit=LINK_NEIGHBOURS, among=among)
            for other, cosine in zip(found.pks.tolist(), found.scores.tolist(), strict=True):
                best[other] = max(cosine, best.get(other, -1.0))
    alike = sorted((-cosine, other) for other, cosine in best.items() if cosine >= similarity and other != pk)
    return [Latent(pk, other, min(1.0, -negative)) for negative, other in alike]


def _is_joined(tx: Tx, link: Latent) -> bool:
    """Whether a relation holds between the two already, or a person withdrew one like it, which is an answer."""
    return tx.relations.is_joined(link.pk, link.other_pk, even_withdrawn=LINK_LABEL)


def _link_edge(link: Latent) -> edges.NewEdge:
    cosine = round(link.cosine, 3)
    return edges.pair(
        link.pk,
        link.other_pk,
        LINK_LABEL,
        weight=LINK_WEIGHT,
        confidence=cosine,
        auto_extracted=True,
        evidence=[f"cosine {cosine:g}"],
        attributes={"method": LINK_METHOD},
    )


def ends_of(tx: Tx, links: Sequence[Latent]) -> list[tuple[str, str]]:
    """The public ids of both ends."""
    return list(
        zip(
            tx.records.ids([link.pk for link in links]),
            tx.records.ids([link.other_pk for link in links]),
            strict=True,
        )
    )
