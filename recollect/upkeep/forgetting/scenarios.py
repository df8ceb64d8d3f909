"""Rehearsal: a memory is asked for some of what it holds, as a user would ask, to see whether it comes.

The question is made of the first words of a record that tell something; what it says about them is left to be found.
A record that comes late is noted with what stands before it: too much is too like it, or its words are too few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.language.terms import telling, terms_of
from recollect.language.words import WORD
from recollect.model.query import Criteria
from recollect.model.result import Recollection
from recollect.model.scope import Reach
from recollect.recall.question.query import Query
from recollect.upkeep.runs.run import Run

CUE_WORDS = 4
CUE_SHARE = 0.6  # of the telling words of a text: the rest is what is asked for
CHARS_MAX = 600

Asks = Callable[[Query], Recollection]


def rehearse(run: Run, pks: Sequence[int], asks: Asks) -> None:
    """Ask for some of these records, the first of them first; how many came, and which did not."""
    places = run.config.replay.scenario_places
    with run.store.read() as tx:
        texts = tx.records.linkable(pks, now=run.clock())
        chosen = [pk for pk in pks if pk in texts and cue_of(texts[pk][1])][: run.config.replay.scenarios_max]
        ids = dict(zip(chosen, tx.records.ids(chosen), strict=True))
        scopes = tx.scopes.load_all({texts[pk][0] for pk in chosen})
    for at, pk in enumerate(chosen):
        scope_pk, text = texts[pk]
        criteria = Criteria(scope=scopes[scope_pk], reach=Reach.OWN)
        found = asks(Query(text=cue_of(text), criteria=criteria, top_k=places, mood=0.0))
        if any(hit.id == ids[pk] for hit in found):
            run.counts["found again"] += 1
        else:
            before = found[0].id if found.hits else "nothing"
            run.note("hard to find", ids[pk], f"not among the first {places} for its own words, {before} is first")
        run.progress(0.7 + 0.2 * (at + 1) / len(chosen))


def cue_of(text: str) -> str:
    """A question that a text answers: its first telling words; empty for a text that holds too few."""
    words = [word for word in WORD.findall(text[:CHARS_MAX]) if telling(terms_of(word))]
    count = min(CUE_WORDS, int(CUE_SHARE * len(words)))
    return " ".join(words[:count]) if count >= 2 else ""
