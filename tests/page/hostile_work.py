"""Hostile texts in what agents know and do: skills, gaps, the tree, rhythms, code, warnings, minds, the bus."""

from __future__ import annotations

from collections.abc import Sequence

from recollect import Memory

WHERE = (
    "/knowledge",
    "/knowledge?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "/knowledge/tree",
    "/knowledge/tree/1",
    "/knowledge/tree/2",
    "/knowledge/tree/%3Cscript%3E",
    "/knowledge/gaps",
    "/knowledge/patterns",
    "/knowledge/pages",
    "/knowledge/pages/session",
    "/knowledge/pages/reflect?days=%3Cscript%3E",
)


def fill(memory: Memory, payloads: Sequence[str], ids: Sequence[str]) -> None:
    """Put the payloads wherever the views of knowledge, code and agents take a text from."""
    for text in payloads[:6]:
        memory.skills.teach(text[:60], [text, text[::-1]], task=text)
        memory.skills.done(text[:60], success=False, failed_at=text[:60])
    memory.relate(ids[4], ids[5], "contradicts", evidence=payloads[0])
    memory.maintain()
