"""Doubts on their way through a language model: which wait for it, how far it was asked, and what it said.

How far is noted for each scope, beside what was said and outside the journal: who undoes what a model decided has the
doubt back, and the model is not asked the same again. A doubt that a caller stated is the caller's, and never waits;
neither does one about what a person confirmed, which no model ends.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import orjson

from recollect.model.ending import MAY_REPLACE, PairJudgement
from recollect.model.pair import PairLabel, SaidText, TextPair
from recollect.store.base import Group
from recollect.store.edges import SOURCE_ROLES, TARGET_ROLES
from recollect.store.endings import JUDGED
from recollect.store.journal import Op
from recollect.store.rows import from_json, to_json

_MARK = "doubts_asked"  # meta, by scope: a `DoubtMark`
_ENDS = (
    f"member m ON m.edge_pk = e.pk AND m.role IN {TARGET_ROLES} "
    f"JOIN member n ON n.edge_pk = e.pk AND n.role IN {SOURCE_ROLES} "
)
_WAITING = (  # doubts are few: from the edges on, not from the records of a scope
    f"FROM edge e CROSS JOIN {_ENDS} JOIN record a ON a.pk = m.record_pk "
    "JOIN record b ON b.pk = n.record_pk AND b.scope_pk = a.scope_pk "
    "LEFT JOIN record s ON s.pk = a.turn_pk LEFT JOIN record t ON t.pk = b.turn_pk "
    f"LEFT JOIN meta known ON known.key = '{_MARK}:' || a.scope_pk "
    f"WHERE e.label = '{MAY_REPLACE}' AND LIVE(e) AND e.auto_extracted = 1 "
    f"AND JSON_TEXT(e.attributes, '$.{JUDGED}') IS NULL AND e.pk > coalesce(JSON_INT(known.value, '$.reached'), 0) "
    "AND HEAD(a) AND LIVE(a) AND a.tier <> 'archive' AND HOLDS(a, ?) AND HEAD(b) AND LIVE(b) AND b.tier <> 'archive' "
    "AND a.user_verified <= b.user_verified AND {within}"
)
_TEXT = (  # a statement was said by who said its turn, and then
    "{0}.pk, {0}.id, {0}.version, {0}.content, coalesce({1}.speaker, {0}.speaker), coalesce({1}.role, {0}.role), "
    "coalesce({1}.event_time, {1}.created_at, {0}.event_time, {0}.created_at)"
)
_PAIR_COLUMNS = f"e.pk, a.scope_pk, {_TEXT.format('a', 's')}, {_TEXT.format('b', 't')}"
_SIDE = 7  # columns of a text
_LABELS = {label.value: label for label in PairLabel}


class DoubtMark(NamedTuple):
    """How far the doubts of a scope were put to a model: the last edge, and how often in vain since."""

    reached: int = 0
    tries: int = 0


class DoubtedText(NamedTuple):
    """One side of a pair, as it is now."""

    pk: int
    id: str
    version: int
    content: str
    speaker: str | None
    role: str | None
    at: int

    @property
    def said(self) -> SaidText:
        return SaidText(text=self.content, speaker=self.speaker, role=self.role, at=self.at)


class DoubtedPair(NamedTuple):
    """A doubt that no model was asked about: its edge, and the two records it is between."""

    edge_pk: int
    scope_pk: int
    older: DoubtedText
    newer: DoubtedText

    @property
    def texts(self) -> TextPair:
        return TextPair(older=self.older.said, newer=self.newer.said)


class JudgedPair(NamedTuple):
    """What a model said of a doubt between two records."""

    older: int
    newer: int
    judgement: PairJudgement


class Doubts(Group):
    """What a model has to be asked, and what it said."""

    def waiting(self, scope_pks: Sequence[int] | None, *, now: int, limit: int) -> list[DoubtedPair]:
        """Doubts of these scopes (None: all) that no model was asked about, scope by scope, the oldest first."""
        sql = f"SELECT {_PAIR_COLUMNS} {_WAITING.format(within=_within(scope_pks))} ORDER BY a.scope_pk, e.pk LIMIT ?"
        return [
            DoubtedPair(edge_pk, scope_pk, DoubtedText(*sides[:_SIDE]), DoubtedText(*sides[_SIDE:]))
            for edge_pk, scope_pk, *sides in self.sql.all(sql, (now, limit))
        ]

    def waiting_count(self, *, now: int) -> int:
        return int(self.sql.value(f"SELECT count(*) {_WAITING.format(within='1 = 1')}", (now,)))

    def mark(self, scope_pk: int) -> DoubtMark:
        """How far the doubts of a scope were put to a model."""
        text = self.tx.meta.text(f"{_MARK}:{scope_pk}")
        return DoubtMark(**orjson.loads(text)) if text else DoubtMark()

    def move_on(self, scope_pk: int, before: DoubtMark, to: DoubtMark) -> bool:
        """Note how far it is now; False if another process was there, and nothing should be kept of what was asked."""
        if self.mark(scope_pk) != before:
            return False
        self.tx.meta.note(f"{_MARK}:{scope_pk}", orjson.dumps(to._asdict()).decode())
        return True

    def is_as_asked(self, pair: DoubtedPair) -> bool:
        """Whether the doubt stands, and both texts still are what the model was shown."""
        stands = pair.edge_pk in self.tx.endings.doubted(older=pair.older.pk, newer=pair.newer.pk)
        return stands and all(self.tx.records.is_at_version(side.pk, side.version) for side in (pair.older, pair.newer))

    def note_judgement(self, op: Op, edge_pk: int, said: PairJudgement) -> None:
        """Keep a model's word with the doubt it is about, whatever follows from it."""
        known = from_json(self.tx.edges.columns_of(edge_pk, ("attributes",))[0], {})
        told = {"model": said.model, "label": said.label, "probability": said.probability, "reason": said.reason}
        self.tx.edges.revise(op, edge_pk, {"attributes": to_json(known | {JUDGED: told})})

    def judged(self, older: Collection[int]) -> list[JudgedPair]:
        """What models said of doubts about these records, whether the doubts stand or not, the newest first."""
        rows = self.sql.all(
            f"SELECT m.record_pk, n.record_pk, e.attributes FROM edge e JOIN {_ENDS} WHERE e.label = '{MAY_REPLACE}' "
            f"AND m.record_pk IN KEYS(?) AND JSON_TEXT(e.attributes, '$.{JUDGED}') IS NOT NULL ORDER BY e.pk DESC",
            (self.sql.keys(older),),
        )
        read = ((one, other, _judgement(from_json(text, {})[JUDGED])) for one, other, text in rows)
        return [JudgedPair(one, other, said) for one, other, said in read if said is not None]


def _judgement(told: object) -> PairJudgement | None:
    """None for what is no judgement: attributes come with imports, too."""
    match told:
        case {"model": str(model), "label": str(label), "probability": int() | float() as sure, "reason": str(reason)}:
            if label in _LABELS:
                return PairJudgement(model=model, label=_LABELS[label], probability=float(sure), reason=reason)
    return None


def _within(scope_pks: Sequence[int] | None) -> str:
    return "1 = 1" if scope_pks is None else f"a.scope_pk IN ({', '.join(map(str, scope_pks)) or 'NULL'})"
