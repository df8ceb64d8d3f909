"""Which rows the indexes may return, decided the cheapest way that is exact.

Scope, kind, category, tier, session and times are columns in memory: a few vector operations. Tags and filters over
JSON only the database can decide: it lists the rows that meet them if those are few, and otherwise the candidates
are checked after the search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from recollect.clock import FOREVER_US
from recollect.index.base import Pks, Selection
from recollect.index.follow import Indexes
from recollect.model.filters import mentions
from recollect.model.query import Criteria
from recollect.model.record import Tier
from recollect.store.base import Tx

LISTED_MAX = 20_000  # rows the database may list for a filter before checking candidates is cheaper
SAMPLED = 1_000  # rows of a large store that are asked first whether there are more
SAMPLED_FROM = 10 * LISTED_MAX  # rows of a store from which that is quicker than beginning the list
SURE = 4.0  # standard errors by which a sample has to be above the bound
LIVE_TIERS = tuple(tier.value for tier in Tier if tier is not Tier.ARCHIVE)


def select(tx: Tx, indexes: Indexes, criteria: Criteria, *, now: int) -> tuple[Selection, bool]:
    """The rows the indexes may return, and whether that settles it: if not, candidates are checked afterwards."""
    return select_in(tx, indexes, tx.scopes.visible(criteria.scope, criteria.reach), criteria, now=now)


def select_in(
    tx: Tx, indexes: Indexes, visible: list[int] | None, criteria: Criteria, *, now: int
) -> tuple[Selection, bool]:
    """The same where the visible scopes of the criteria are known already; None: all of them."""
    session_pks: Sequence[int] | None = criteria.session_pks
    if criteria.session_id is not None:
        named = tx.sessions.keys(criteria.session_id, visible)
        session_pks = named if session_pks is None else [pk for pk in named if pk in session_pks]
    listed: Pks | None = None
    settled = True
    if criteria.filters is not None or criteria.tags is not None:
        listed = _listed(tx, criteria, now)
        settled = listed is not None
    tiers = criteria.tiers
    hides_archive = tiers is None and not mentions(criteria.filters, "tier")
    if hides_archive and indexes.columns.has_tier(Tier.ARCHIVE.value):
        tiers = LIVE_TIERS
    selection = indexes.columns.select(
        scope_pks=visible,
        kinds=criteria.kinds,
        categories=criteria.categories,
        tiers=tiers,
        session_pks=session_pks,
        drawn=criteria.drawn,
        as_of=criteria.as_of,
        now=-FOREVER_US if criteria.ended else now,
        after=criteria.after,
        before=criteria.before,
        pks=listed,
    )
    return selection, settled


def _listed(tx: Tx, criteria: Criteria, now: int) -> Pks | None:
    """The rows that meet the criteria, None if there are too many to list."""
    if _surely_many(tx, criteria, now):
        return None
    found = tx.records.matching(criteria, now=now, limit=LISTED_MAX + 1)
    return np.array(found, dtype=np.int64) if len(found) <= LISTED_MAX else None


def _surely_many(tx: Tx, criteria: Criteria, now: int) -> bool:
    """Whether a sample of a large store says so: to list the first twenty thousand of a million takes far longer."""
    last = tx.candidates.last_pk()
    if last < SAMPLED_FROM:
        return False
    sample = np.random.default_rng(0).integers(1, last, SAMPLED, endpoint=True)
    asked = np.sort(sample).tolist()
    share = len(tx.records.matching(criteria, now=now, among=asked)) / SAMPLED
    return (share - SURE * math.sqrt(share * (1.0 - share) / SAMPLED)) * last > LISTED_MAX
