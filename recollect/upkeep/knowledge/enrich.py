"""Entities that are named often get a summary of what is said about them every night.

From records of the entity's own scope only, so that a reader who sees the entity may see all that its summary says. The
summary goes at once when a record it may rest on is changed, deleted or erased, and is written anew by the next run.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.language.terms import telling, terms_of
from recollect.model.entity import fold
from recollect.providers.base import Llm
from recollect.store.base import Tx
from recollect.store.enriched import Due, SaidOfEntity
from recollect.store.journal import Op
from recollect.upkeep.knowledge import gist
from recollect.upkeep.knowledge.stored_tree import space_of_tree
from recollect.upkeep.language_model.wording import SummaryWriter
from recollect.upkeep.runs.run import Run

TOKENS_MAX = 80
GROWTH = 1.2  # so many more mentions make a summary worth writing anew
_SHOWN = 30  # things said, best first, that a summary is made of
_ABOUT_IT, _STATED = 1.0, 0.5  # worth of a statement about the entity itself, and of any statement


class EnrichStep:
    """The step."""

    name = "enrich"

    def __init__(self, llm: Llm | None = None) -> None:
        self._llm = llm

    def run(self, run: Run) -> None:
        wording = SummaryWriter(self._llm, run)
        for scope_pk in run.each_scope():
            with run.store.read() as tx:
                found = tx.enriched.due(scope_pk, mentions_min=run.config.entity.enrich_mentions_min)
            for place, entity in enumerate(found):
                if place % 50 == 49:
                    run.progress(0.5)
                _enrich(run, entity, wording)


def _enrich(run: Run, entity: Due, wording: SummaryWriter) -> None:
    with run.store.read() as tx:
        names = tx.entities.names_of([entity.pk]).get(entity.pk, [entity.name])
        shown = tx.entities.as_named_within([entity.pk], entity.scope_pk)
        best = _best(tx.enriched.said_about(entity, now=run.clock()), names)[:_SHOWN]
        direction = tx.profiles.centroids([entity.pk]).get(entity.pk)
        space = space_of_tree(tx)
    anew = entity.summary is None or entity.mentions >= GROWTH * (entity.mentions_before or 0)
    text, waits = entity.summary, False
    if anew and best:
        facts = [_told(each, names) for each in best]
        name = shown[entity.pk].name if entity.pk in shown else entity.name
        plain = f"{name} ({entity.type}): {gist.told(facts, tokens_max=TOKENS_MAX)}"
        text = wording.summary([each.content for each in best], tokens_max=TOKENS_MAX, plain=plain)
        waits = wording.waits
    # Of a summary that waits for the model nothing is counted, so that the next run writes it anew.
    counted = 0 if waits else entity.mentions if anew else entity.mentions_before or 0

    def keep(tx: Tx, op: Op) -> None:
        if not tx.enriched.unchanged(best):
            return  # the words may hold something that was taken back meanwhile; the next run looks again
        tx.enriched.keep(entity, counted, direction, space=space, at=op.at)
        if text is not None and text != entity.summary:
            tx.entities.revise(op, entity.pk, {"summary": text})
            run.note("enriched", entity.id, f"{entity.mentions} records name it")

    run.portion(keep)


def _best(said: Sequence[SaidOfEntity], names: Sequence[str]) -> list[SaidOfEntity]:
    """What tells most about the entity first; of what is worth the same, the newest."""
    known = {fold(name) for name in names}

    def worth(each: SaidOfEntity) -> float:
        about = _ABOUT_IT if fold(each.subject or "") in known else 0.0
        stated = _STATED if each.kind != "episodic" else 0.0
        says = min(1.0, len(telling(terms_of(each.content))) / 4)
        return (each.worth + about + stated) * says

    return sorted(said, key=lambda each: (-worth(each), -each.pk))


def _told(each: SaidOfEntity, names: Sequence[str]) -> str:
    """What is said, without the name that stands before it anyway."""
    about_it = fold(each.subject or "") in {fold(name) for name in names}
    if about_it and each.predicate and each.object and each.polarity == "+":
        return f"{each.predicate} {each.object}"
    return each.content if each.kind != "episodic" else each.key_fact or each.content
