"""What left the mind and should last is handed to long-term memory (Engram §8.7)."""

from __future__ import annotations

from recollect.context.request import Request
from recollect.ingest.pipeline import Ingest
from recollect.model.record import Tier
from recollect.recall.pipeline import ReadPath
from recollect.working.background import background
from recollect.working.mind import Mind

SOURCE = "working memory"


def keep(mind: Mind, request: Request, recall: ReadPath, ingest: Ingest, *, said: bool) -> None:
    """Records that were of use count as used; words that are in no record are stored, in the background.

    `said` is False where the turn itself is stored: its words are in a record then.
    """
    kept = mind.to_keep()
    if kept.reinforced:
        recall.reinforce(kept.reinforced, request.session)
    if not said or not kept.said:
        return
    texts = [slot.text for slot in kept.said]

    def store() -> None:
        ingest.add(
            texts,
            scope=request.criteria.scope,
            session_id=request.session,
            fields={"kind": "episodic", "source": SOURCE, "tier": Tier.SESSION.value},
            actor=None,
        )

    background.submit(store)
