"""Finds what is not known and should be: raises questions, and settles those that answer themselves.

contradiction   two current statements of one scope contradict each other, and no person has decided between them
change          a later record may have ended an earlier one, and that is not decided
stale           a statement is used much, but not said again, changed or confirmed for `upkeep.stale_days`
missing         of an entity that several statements are about, something is not known that others of its sort have
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from recollect.clock import DAY_US
from recollect.model.edge import CONTRADICTION_LABELS
from recollect.model.entity import fold
from recollect.model.usual import usual_of
from recollect.recall.known.templates import TEMPLATES, missing_field
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.questions import CHANGE, CONTRADICTION, Gap
from recollect.upkeep.runs.run import Run

PORTION = 200  # questions raised in one transaction
EACH_MAX = 1_000  # of a kind in one run, the most important
CONTRADICTION_FIRST, CHANGE_FIRST, STALE_FIRST, MISSING_FIRST = 3.0, 2.0, 1.0, 0.0  # then by how much each matters
_STATEMENTS_MIN = 3  # about an entity, before something is missing


class GapsStep:
    """The step that raises and settles questions."""

    name = "gaps"

    def run(self, run: Run) -> None:
        with run.store.read() as tx:
            found = list(self._found(tx, run))
            asked = tx.questions.still_open(run.scope_pks)
        run.progress(0.5)
        wanted = {gap.about for gap in found}
        settled = [(each.pk, each.id) for each in asked if each.about not in wanted]
        if settled:
            run.portion(partial(_settle, run=run, settled=settled))
        new = [gap for gap in found if gap.about not in {each.about for each in asked}]
        for start in range(0, len(new), PORTION):
            run.portion(partial(_raise, run=run, gaps=new[start : start + PORTION]))

    def _found(self, tx: Tx, run: Run) -> Iterator[Gap]:
        now = run.clock()
        yield from _contradictions(tx, run, now)
        yield from _changes(tx, run.scope_pks, now, limit=EACH_MAX)
        yield from _stale(tx, run, now)
        yield from _missing(tx, run, now)


def _settle(tx: Tx, op: Op, *, run: Run, settled: Sequence[tuple[int, str]]) -> None:
    tx.questions.settle(op, [pk for pk, _ in settled])
    for _, question_id in settled:
        run.note("answered", question_id, "what it asked for is known, or matters no more")


def _raise(tx: Tx, op: Op, *, run: Run, gaps: Sequence[Gap]) -> None:
    for question_id, gap in tx.questions.raise_all(op, gaps):
        run.note("asked", question_id, gap.in_words)


def _contradictions(tx: Tx, run: Run, now: int) -> Iterator[Gap]:
    """Of two where a person confirmed one, that one is right."""
    for each in tx.questions.contradictions(run.scope_pks, CONTRADICTION_LABELS, now=now, limit=EACH_MAX):
        priority = CONTRADICTION_FIRST + each.sure
        yield Gap(each.scope_pk, "contradiction", priority, record_pk=each.one, other_pk=each.other)


def _changes(
    tx: Tx, scope_pks: Sequence[int] | None, now: int, *, limit: int, session_pk: int | None = None
) -> Iterator[Gap]:
    for each in tx.questions.doubtful_changes(scope_pks, now=now, limit=limit, session_pk=session_pk):
        yield Gap(
            each.scope_pk,
            CONTRADICTION,
            CHANGE_FIRST + each.sure,
            record_pk=each.older,
            other_pk=each.newer,
            field=CHANGE,
        )


def ask_about_changes(run: Run, scope_pk: int, session_pk: int | None) -> None:
    """Raise questions about what a session put in doubt, at most as many as an agent is given in a session."""
    with run.store.read() as tx:
        most = run.config.upkeep.session_questions
        found = list(_changes(tx, [scope_pk], run.clock(), limit=most, session_pk=session_pk))
        asked = {each.about for each in tx.questions.still_open([scope_pk])} if found else set()
    new = [gap for gap in found if gap.about not in asked]
    if new:
        run.portion(partial(_raise, run=run, gaps=new))


def _stale(tx: Tx, run: Run, now: int) -> Iterator[Gap]:
    settings = run.config.upkeep
    before = now - int(settings.stale_days * DAY_US)
    found = tx.questions.stale(run.scope_pks, before=before, uses_min=settings.stale_uses_min, now=now, limit=EACH_MAX)
    for each in found:
        yield Gap(each.scope_pk, "stale", STALE_FIRST + _share(each.uses), record_pk=each.pk)


def _missing(tx: Tx, run: Run, now: int) -> Iterator[Gap]:
    """One thing of each entity at a time: the first that is not known."""
    least = run.config.entity.enrich_mentions_min
    own = usual_of(run.config.upkeep.usually_known)
    sorts = tuple(dict.fromkeys((*TEMPLATES, *own)))
    for each in tx.questions.often_named(run.scope_pks, sorts, mentions_min=least, limit=EACH_MAX):
        said = _statements_about(tx, each.scope_pk, each.folded, now)
        field = missing_field(each.type, said, own.get(each.type, ())) if len(said) >= _STATEMENTS_MIN else None
        if field is not None:
            priority = MISSING_FIRST + _share(each.mentions)
            yield Gap(each.scope_pk, "missing", priority, entity_pk=each.pk, field=field.name)


def _statements_about(tx: Tx, scope_pk: int, folded: str, now: int) -> list[str]:
    """What is said of an entity and of what belongs to it ("Ana's job"), without its name."""
    rows = tx.questions.said_of(scope_pk, folded, now=now)
    rest = [(fold(subject).removeprefix(folded), predicate, object_) for subject, predicate, object_ in rows]
    return [" ".join(said) for said in rest if said[0] == "" or said[0].startswith("'")]


def _share(count: int) -> float:
    """More is more, and never as much as 1."""
    return 1.0 - math.exp(-count / 20)
