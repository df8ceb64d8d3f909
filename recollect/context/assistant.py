"""The assistant's block of memories: facts, who and what, what happened, and the words that facts rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from recollect.model.record import Kind
from recollect.model.result import Hit, Recollection
from recollect.recall.pipeline import ReadPath
from recollect.recall.question.query import Query

FACT_KINDS = (Kind.SEMANTIC.value, Kind.OPINION.value, Kind.PROCEDURAL.value)


class Sorted(NamedTuple):
    """Hits by what they are to an assistant, each best first."""

    facts: Sequence[Hit]
    temporal: Sequence[Hit]
    evidence: Sequence[Hit]


def sorted_hits(recall: ReadPath, query: Query, found: Recollection) -> Sorted:
    """Statements drawn from what was found and looked for in their own right; turns that they rest on are evidence."""
    stated = recall.search(replace(query, criteria=replace(query.criteria, kinds=FACT_KINDS)), for_use=False)
    known = {hit.id for hit in stated}
    facts = [*stated, *(hit for hit in found if hit.kind is not Kind.EPISODIC and hit.id not in known)]
    rests_on = {source.id for hit in facts for source in hit.sources}
    turns = [hit for hit in found if hit.kind is Kind.EPISODIC]
    return Sorted(
        facts=facts,
        temporal=[hit for hit in turns if hit.id not in rests_on],
        evidence=[hit for hit in turns if hit.id in rests_on],
    )
