"""What is known from further away: who and what a prompt names, and in general what did not fit one by one."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.context import Detail, Item
from recollect.model.entity import Entity
from recollect.model.fence import Shown
from recollect.model.knowledge import Summary, SummaryLevel
from recollect.model.query import Criteria
from recollect.recall.sources.base import Look
from recollect.recall.sources.entity import named_in
from recollect.store.base import Store, Tx

ENTITIES_MAX = 8
SUMMARIES_MAX = 6
STANDS_FOR_MIN = 2  # a summary of one record says less than the record
_DETAILS = {
    SummaryLevel.CLUSTER: Detail.CLUSTER,
    SummaryLevel.DOMAIN: Detail.DOMAIN,
    SummaryLevel.GLOBAL: Detail.GLOBAL,
}

Told = list[tuple[Shown | str, Item]]


def profiles(store: Store, criteria: Criteria, prompt: str, *, now: int) -> Told:
    """A line for each person, project or thing that a prompt names and that there is something to say about."""
    with store.read() as tx:
        look = Look(tx=tx, criteria=criteria, now=now, limit=ENTITIES_MAX, top_k=ENTITIES_MAX, selection=None)
        named = named_in(look, prompt, aliases_max=ENTITIES_MAX)
        pks = list(dict.fromkeys(pk for found in named.pks.values() for pk in found))[:ENTITIES_MAX]
        known = tx.entities.load(pks, *tx.criteria.where(criteria, now=now)) if pks else {}
    return [
        (f"- {said}", Item(id=None, detail=Detail.SUMMARY)) for pk in pks if pk in known and (said := _said(known[pk]))
    ]


def in_general(store: Store, criteria: Criteria, left_out: Sequence[str], *, everything: bool) -> Told:
    """What summaries say that stand for records left out, clusters first; of everything, if that is wanted."""
    with store.read() as tx:
        visible = tx.scopes.visible(criteria.scope, criteria.reach)
        found = _above(tx, visible, left_out)
        if everything:
            found += tx.summaries.global_summary(visible)
    return [(f"- {_line(each)}", Item(id=None, detail=_DETAILS[each.level])) for each in found]


def _above(tx: Tx, visible: Sequence[int] | None, ids: Sequence[str]) -> list[Summary]:
    """The fewest clusters and then domains that stand for most of these records."""
    missing = set(tx.records.pks_of(ids)) if ids else set()
    chosen: list[Summary] = []
    for held in tx.summaries.nodes_for(visible, missing) if missing else ():
        news = missing.intersection(held.pks)
        if held.summary.level is SummaryLevel.GLOBAL or len(news) < STANDS_FOR_MIN:
            continue
        chosen.append(held.summary)
        missing -= news
        if len(chosen) == SUMMARIES_MAX:
            break
    return chosen


def _line(summary: Summary) -> str:
    label = f"{summary.label}: " if summary.label and summary.level is not SummaryLevel.GLOBAL else ""
    return f"{label}{summary.text} ({summary.records} records)"


def _said(entity: Entity) -> str:
    """`Ana (person, also Ann): lives in Lima`; nothing where only the name is known."""
    summary = (entity.summary or "").removeprefix(f"{entity.name} ({entity.type.value}): ")  # which says it as well
    facts = [f"{name}: {value}" for name, value in entity.attributes.items() if isinstance(value, str | int | float)]
    summary = (entity.summary or "").removeprefix(f"{entity.name} ({entity.type.value}): ")  # said once is enough
    told = "; ".join(part for part in (summary, *facts) if part)
    if not told:
        return ""
    also = f", also {', '.join(entity.aliases[:3])}" if entity.aliases else ""
    return f"{entity.name} ({entity.type.value}{also}): {told}"
