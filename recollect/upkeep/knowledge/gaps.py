"""Finds what is not known and should be: raises questions, and settles those that answer themselves.

contradiction   two current statements of one scope contradict each other, and no person has decided between them
stale           a statement is used much, but not said again, changed or confirmed for `upkeep.stale_days`
missing         of an entity that several statements are about, something is not known that others of its sort have
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from recollect.clock import DAY_US
from recollect.model.entity import fold
from recollect.recall.graph import CONTRADICTION_LABELS
from recollect.store.base import Tx
from recollect.store.journal import Op
from recollect.store.questions import Gap
from recollect.upkeep.knowledge.templates import TEMPLATES, missing_field
from recollect.upkeep.runs.run import Run

PORTION = 200  # questions raised in one transaction
EACH_MAX = 1_000  # of a kind in one run, the most important
CONTRADICTION_FIRST, STALE_FIRST, MISSING_FIRST = 2.0, 1.0, 0.0  # then by how much each matters
_STATEMENTS_MIN = 3  # about an entity, before something is missing

_CURRENT = (
    "{0}.head_pk IS NULL AND {0}.retired_at IS NULL AND {0}.tier <> 'archive' "
    "AND ({0}.valid_until IS NULL OR {0}.valid_until > ?)"
)
_CONTRADICTIONS = (
    "SELECT a.scope_pk, min(a.pk, b.pk), max(a.pk, b.pk), max(e.confidence * min(a.confidence, b.confidence)) "
    "FROM edge e JOIN member m ON m.edge_pk = e.pk JOIN member n ON n.edge_pk = e.pk AND n.record_pk > m.record_pk "
    "JOIN record a ON a.pk = m.record_pk JOIN record b ON b.pk = n.record_pk AND b.scope_pk = a.scope_pk "
    f"WHERE e.label IN {CONTRADICTION_LABELS} AND LIVE(e) "
    "AND (e.valid_until IS NULL OR e.valid_until > ?) "
    f"AND {_CURRENT.format('a')} AND {_CURRENT.format('b')} AND a.user_verified = b.user_verified AND {{}} "
    "GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT ?"
)
_STALE = (
    "SELECT a.scope_pk, a.pk, a.access_count + coalesce(t.access_count, 0) AS uses FROM record a "
    "LEFT JOIN record t ON t.pk = a.turn_pk WHERE a.kind IN ('semantic', 'opinion', 'procedural') "
    f"AND {_CURRENT.format('a')} AND a.updated_at <= ? AND uses >= ? AND {{}} ORDER BY uses DESC, a.pk LIMIT ?"
)
_ENTITIES = (
    "SELECT a.scope_pk, a.pk, a.type, a.folded, count(*) FROM entity a JOIN mention m ON m.entity_pk = a.pk "
    "WHERE LIVE(a) AND a.type IN ({}) AND {} GROUP BY a.pk HAVING count(*) >= ? "
    "ORDER BY 5 DESC, a.pk LIMIT ?"
)
_ABOUT = (
    "SELECT a.subject, coalesce(a.predicate, ''), coalesce(a.object, '') FROM record a WHERE a.scope_pk = ? "
    f"AND a.subject COLLATE NOCASE BETWEEN ? AND ? AND {_CURRENT.format('a')}"
)


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
        yield from _stale(tx, run, now)
        yield from _missing(tx, run, now)


def _settle(tx: Tx, op: Op, *, run: Run, settled: Sequence[tuple[int, str]]) -> None:
    tx.questions.settle(op, [pk for pk, _ in settled])
    for _, question_id in settled:
        run.note("answered", question_id, "what it asked for is known, or matters no more")


def _raise(tx: Tx, op: Op, *, run: Run, gaps: Sequence[Gap]) -> None:
    for question_id, gap in tx.questions.raise_all(op, gaps):
        run.note("asked", question_id, gap.kind if gap.field is None else f"{gap.kind}: {gap.field}")


def _contradictions(tx: Tx, run: Run, now: int) -> Iterator[Gap]:
    """Of two where a person confirmed one, that one is right."""
    rows = tx.sql.all(_CONTRADICTIONS.format(_within(run)), (now, now, now, EACH_MAX))
    for scope_pk, one, other, sure in rows:
        yield Gap(scope_pk, "contradiction", CONTRADICTION_FIRST + sure, record_pk=one, other_pk=other)


def _stale(tx: Tx, run: Run, now: int) -> Iterator[Gap]:
    settings = run.config.upkeep
    before = now - int(settings.stale_days * DAY_US)
    for scope_pk, pk, uses in tx.sql.all(_STALE.format(_within(run)), (now, before, settings.stale_uses_min, EACH_MAX)):
        yield Gap(scope_pk, "stale", STALE_FIRST + _share(uses), record_pk=pk)


def _missing(tx: Tx, run: Run, now: int) -> Iterator[Gap]:
    """One thing of each entity at a time: the first that is not known."""
    types = ", ".join(f"'{name}'" for name in TEMPLATES)
    least = run.config.entity.enrich_mentions_min
    for scope_pk, pk, kind, folded, count in tx.sql.all(_ENTITIES.format(types, _within(run)), (least, EACH_MAX)):
        said = _statements_about(tx, scope_pk, folded, now)
        field = missing_field(kind, said) if len(said) >= _STATEMENTS_MIN else None
        if field is not None:
            yield Gap(scope_pk, "missing", MISSING_FIRST + _share(count), entity_pk=pk, field=field.name)


def _statements_about(tx: Tx, scope_pk: int, folded: str, now: int) -> list[str]:
    """What is said of an entity and of what belongs to it ("Ana's job"), without its name."""
    rows = tx.sql.all(_ABOUT, (scope_pk, folded, f"{folded}'\uffff", now))
    rest = [(fold(subject).removeprefix(folded), predicate, object_) for subject, predicate, object_ in rows]
    return [" ".join(said) for said in rest if said[0] == "" or said[0].startswith("'")]


def _within(run: Run) -> str:
    return "1" if run.scope_pks is None else f"a.scope_pk IN ({', '.join(map(str, run.scope_pks)) or 'NULL'})"


def _share(count: int) -> float:
    """More is more, and never as much as 1."""
    return 1.0 - math.exp(-count / 20)
