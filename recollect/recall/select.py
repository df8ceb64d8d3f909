"""Which rows the indexes may return, decided the cheapest way that is exact.

Scope, kind, category, tier, session and times are columns in memory: a few vector operations. Tags and filters over
JSON only the database can decide: it lists the rows that meet them if those are few, and otherwise the candidates
are checked after the search.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    session_pks: Sequence[int] | None = criteria.session_pks
    if criteria.session_id is not None:
        named = sessions.keys(tx, criteria.session_id, visible)
        session_pks = named if session_pks is None else [pk for pk in named if pk in session_pks]
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
        session_pks=session_pks, as_of=criteria.as_of, now=-FOREVER_US if criteria.ended else now,
        after=criteria.after, before=criteria.before,
        pks=listed,
    )  # fmt: skip
    return selection, settled
