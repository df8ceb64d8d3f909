"""Records that were no help for a question like this one are left out of its answer (Engram §7).

A record may be wrong in one context and right in another: "Ana uses vim" is no answer to which editor she uses now,
and a good one to which tools she knows. So a judgement counts where the question resembles the one it was given for,
for a while, and the newest one decides.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recollect.clock import DAY_US
from recollect.config.reading import Recall
from recollect.index.base import Mask, Pks
from recollect.index.keys import among
from recollect.store.base import Tx
from recollect.store.feedback import Context, any_given, judgements


def suppressed(tx: Tx, pks: Pks, asked: Callable[[], Context], *, now: int, settings: Recall) -> Mask:
    """Which of these records were judged unhelpful in a context like this.

    `asked` makes the question ready for comparison, and is called only if something was said about one of them:
    without feedback this is one look into an index. For searches of the past it is the wrong thing to ask.
    """
    out = np.zeros(len(pks), dtype=np.bool_)
    if not any_given(tx):
        return out
    said = judgements(tx, pks.tolist(), since=now - int(settings.feedback_days * DAY_US))
    if not said:
        return out
    here = asked()
    helpful: dict[int, bool] = {}
    for judgement in said:  # newest first
        if judgement.record_pk not in helpful and alike(here, judgement.context, settings):
            helpful[judgement.record_pk] = judgement.helpful
    unhelpful = [pk for pk, helped in helpful.items() if not helped]
    return among(pks, np.array(unhelpful, dtype=np.int64))


def alike(one: Context, other: Context, settings: Recall) -> bool:
    """Whether two questions are asked in the same context: by meaning where one model saw both, else by their words."""
    if one.vector is not None and other.vector is not None and one.model == other.model:
        return float(one.vector @ other.vector) > settings.feedback_similarity
    common = len(np.intersect1d(one.terms, other.terms, assume_unique=True))
    return common > 0 and common / (len(one.terms) + len(other.terms) - common) >= settings.feedback_overlap
