"""What a search found, as memories of mem0's: statements instead of the turns they were drawn from.

A search ranks turns, and statements answer through them (docs/adr/0017). Answering with statements alone would lose
what no rule has put into one; docs/adr/0024 has the figures.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.facade.handle import engine_in_use
from recollect import memory as ours
from recollect.model.record import Record
from recollect.model.result import Hit


def memories_of(memory: ours.Memory, hits: Iterable[Hit]) -> list[tuple[Record, Hit]]:
    """Each memory with the hit that speaks for it, best first.

    A turn from which something was drawn is none itself, even when all of that has been forgotten since.
    """
    found: dict[str, tuple[Record, Hit]] = {}
    engine = engine_in_use(memory)
    with engine.store.read() as tx:
        now = engine.clock()
        for hit in hits:
            pk = tx.records.find_pk(hit.id, now=now)
            ever = tx.statements.drawn_from([pk], past=True)
            live = tx.statements.drawn_from([pk]) if ever else [pk]
            loaded = tx.records.load(live)
            for drawn in live:
                found.setdefault(loaded[drawn].id, (loaded[drawn], hit))
    return list(found.values())
