"""Why a record is there and why it is believed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.model.anchor import CodeAnchor
from recollect.model.edge import Edge
from recollect.model.ending import Doubt, Ending, JudgedDoubt
from recollect.model.record import Record
from recollect.model.result import Operation, Source
from recollect.model.trust import Trust

_RECORDS = (
    "derived_from",
    "derived_into",
    "replaced",
    "replaced_by",
    "supported_by",
    "contradicted_by",
    "evolution",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Where a record comes from, what became of it, and what speaks for and against it, as far as the reader may see.

    `sources` are the episodes it rests on in the end, `derived_from` every record on the way there, nearest first.
    `replaced` are earlier statements it stands in for, `replaced_by` later ones that stand in for it, nearest first.
    `ended_by` says what ended it, when, who decided that and by what probability; `may_have_changed` what may have.
    `judged` are doubts about it that a language model was asked about, and what the model said, the newest first.
    `evolution` is the chain in order: what was said before it of the same thing, itself, and what is said since; each
    record says when it was true. Of a turn all of this is told of the statements drawn from it, too.
    `corroborated_by` are the sessions in which it was said. `trust` leaves relevance out: nothing was asked.
    `code` is what it is about in a project's code, and whether that is as it was.
    `because` says the same in words. `fades_at` is None for what never fades.
    """

    record: Record
    sources: tuple[Source, ...] = ()
    derived_from: tuple[Record, ...] = ()
    derived_into: tuple[Record, ...] = ()
    replaced: tuple[Record, ...] = ()
    replaced_by: tuple[Record, ...] = ()
    supported_by: tuple[Record, ...] = ()
    contradicted_by: tuple[Record, ...] = ()
    ended_by: tuple[Ending, ...] = ()
    may_have_changed: tuple[Doubt, ...] = ()
    judged: tuple[JudgedDoubt, ...] = ()
    evolution: tuple[Record, ...] = ()
    edges: tuple[Edge, ...] = ()
    entities: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    corroborations: int = 0
    corroborated_by: tuple[str, ...] = ()
    confirmed_at: datetime | None = None
    trust: Trust
    strength: float
    fades_at: datetime | None = None
    code: tuple[CodeAnchor, ...] = ()
    because: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {name: [record.to_dict() for record in getattr(self, name)] for name in _RECORDS}
        return {
            "record": self.record.to_dict(),
            "because": list(self.because),
            "trust": self.trust.to_dict(),
            "strength": round(self.strength, 4),
            "fades_at": self.fades_at.isoformat() if self.fades_at else None,
            "sources": [source.to_dict() for source in self.sources],
            **out,
            "ended_by": [each.to_dict() for each in self.ended_by],
            "may_have_changed": [each.to_dict() for each in self.may_have_changed],
            "judged": [each.to_dict() for each in self.judged],
            "edges": [edge.to_dict() for edge in self.edges],
            "entities": list(self.entities),
            "operations": [operation.to_dict() for operation in self.operations],
            "code": [anchor.to_dict() for anchor in self.code],
            "corroborations": self.corroborations,
            "corroborated_by": list(self.corroborated_by),
            "confirmed_at": self.confirmed_at.isoformat() if self.confirmed_at else None,
        }
