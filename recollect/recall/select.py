"""Which rows the indexes may return, decided the cheapest way that is exact.

Scope, kind, category, tier, session and times are columns in memory: a few vector operations. Tags and filters over
JSON only the database can decide: it lists the rows that meet them if those are few, and otherwise the candidates
are checked after the search.
"""

from __future__ import annotations

import numpy as np

from recollect.clock import FOREVER_US
from recollect.index.base import Selection
from recollect.index.follow import Indexes
from recollect.model.filters import mentions
from recollect.model.query import Criteria
from recollect.model.record import Tier
from recollect.store import records, scopes, sessions
from recollect.store.base import Tx

LISTED_MAX = 20_000  # rows the database may list for a filter before checking candidates is cheaper
LIVE_TIERS = tuple(tier.value for tier in Tier if tier is not Tier.ARCHIVE)


def select(tx: Tx, indexes: Indexes, criteria: Criteria, *, now: int) -> tuple[Selection, bool]:
    """The rows the indexes may return, and whether that settles it: if not, candidates are checked afterwards."""
    visible = scopes.visible(tx, criteria.scope, criteria.reach)
    session_pks = None if criteria.session_id is None else sessions.keys(tx, criteria.session_id, visible)
    listed, settled = None, True
    if criteria.filters is not None or criteria.tags is not None:
        found = records.matching(tx, criteria, now=now, limit=LISTED_MAX + 1)
        settled = len(found) <= LISTED_MAX
        if settled:
            listed = np.array(found, dtype=np.int64)
    tiers = criteria.tiers
    hides_archive = tiers is None and not mentions(criteria.filters, "tier")
    if hides_archive and indexes.columns.has_tier(Tier.ARCHIVE.value):
        tiers = LIVE_TIERS
    selection = indexes.columns.select(
        scope_pks=visible, kinds=criteria.kinds, categories=criteria.categories, tiers=tiers,
        session_pks=session_pks, as_of=criteria.as_of, now=now if not criteria.ended else -FOREVER_US, after=criteria.after, before=criteria.before,
        pks=listed,
    )  # fmt: skip
    return selection, settled
