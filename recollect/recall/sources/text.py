"""Candidates by their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recollect.index.base import Scored
from recollect.index.follow import Indexes
from recollect.recall.sources.base import Look, SourceRanking
from recollect.store.textual import TextIndexDamaged


def by_words(look: Look, asked: Sequence[str], indexes: Indexes, also: Sequence[str] = ()) -> SourceRanking:
    """BM25 over the question's telling terms, and some more: in memory when warm, on disk when not."""
    terms = [*asked, *also]
    among = look.selection
    if among is not None:
        return SourceRanking("text", look.best(lambda count: indexes.text.search(terms, limit=count, among=among)))
    look.notes.append(f"text: from the index {'of the database' if look.inside else 'on disk'}, on the rarest terms")
    try:
        rows = look.tx.text.search(terms, look.criteria, now=look.now, limit=look.limit)
    except TextIndexDamaged as error:
        look.missing.append(
            f"text: [{error.code}] the index on disk is damaged and is made anew; until then no word counts"
        )
        rows = []
    pks = np.fromiter((pk for pk, _ in rows), dtype=np.int64, count=len(rows))
    scores = np.fromiter((score for _, score in rows), dtype=np.float32, count=len(rows))
    return SourceRanking("text", Scored(pks, scores))
