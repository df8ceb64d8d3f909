"""Records as they may be shown: each in full, in fewer words or as a tag, under a heading that several share.

A heading says what they have in common (day, kind, source), so that it is paid for once; a line has the beginning of
the record's id, how far it is trusted, and who says what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.context.extract import extract
from recollect.context.pack import Candidate, Form
from recollect.model.context import ID_CHARS, Detail
from recollect.model.fence import Shown, line
from recollect.model.record import Brief, Kind
from recollect.model.result import Hit
from recollect.providers.tokens import Counter

# Hits are worth less the further down they stand: on chats the chance of holding the answer falls about like this.
_HEAD, _FALL = 5.0, 1.4
_SOURCE_CHARS = 24
_WORDS = {
    Kind.EPISODIC: "notes", Kind.SEMANTIC: "facts", Kind.PROCEDURAL: "procedures", Kind.OPINION: "opinions",
    Kind.ENTITY: "entities", Kind.SNIPPET: "documents", Kind.SCHEMA: "patterns",
}  # fmt: skip


class Offered(NamedTuple):
    """A hit that may be shown, and as what."""

    hit: Hit
    candidate: Candidate
    order: int = 0  # in which it was written


def offered(
    hits: Sequence[Hit], briefs: Mapping[str, Brief], counter: Counter, wanted: frozenset[str] = frozenset()
) -> list[Offered]:
    """What there is to choose from for hits, best first. `wanted` are the terms of the question."""
    out = []
    headings: dict[str, int] = {}
    for rank, hit in enumerate(hits):
        heading = heading_of(hit)
        tokens = headings.get(heading)
        if tokens is None:
            tokens = headings[heading] = counter.count(heading + "\n")
        forms = tuple(
            Form(detail, text, counter.count(line(shown(hit, text)) + "\n"))
            for detail, text in _texts(hit, briefs.get(hit.id), wanted)
        )
        candidate = Candidate(
            id=hit.id, value=(_HEAD + rank) ** -_FALL, forms=forms, heading=heading, heading_tokens=tokens
        )
        out.append(Offered(hit, candidate, briefs[hit.id].order if hit.id in briefs else 0))
    return out


def shown(hit: Hit, text: str) -> Shown:
    """One line of a block."""
    return Shown(hit.id[:ID_CHARS], text, _trust(hit.trust.composite))


def heading_of(hit: Hit) -> str:
    """What a hit has in common with its like: `2026-05-03 turns s1:`."""
    day = (hit.event_time or hit.created_at).date().isoformat()
    said = hit.kind is Kind.EPISODIC and (hit.speaker or hit.role)
    return " ".join(part for part in (day, "turns" if said else _WORDS[hit.kind], _source(hit)) if part) + ":"


def _source(hit: Hit) -> str:
    where = hit.place.file_path or hit.place.url if hit.place else None
    where = where or hit.session_id
    if where is None or len(where) <= _SOURCE_CHARS:
        return where or ""
    return f"…{where[-_SOURCE_CHARS:]}" if "/" in where else f"{where[:ID_CHARS]}…"


def _trust(composite: float) -> str:
    return f"{composite:.2f}".removeprefix("0") if composite < 1.0 else "1"


def _texts(hit: Hit, brief: Brief | None, wanted: frozenset[str]) -> list[tuple[Detail, str]]:
    """Its forms, each shorter than the one before."""
    who = (hit.speaker or hit.role) if hit.kind is Kind.EPISODIC else None  # a statement names its subject itself
    said = f"{who}: " if who else ""
    until = f" (until {_day(hit.valid_until)})" if hit.valid_until and hit.kind is not Kind.EPISODIC else ""
    found = [(Detail.FULL, hit.content)]
    if brief is not None:
        found += [
            (Detail.SUMMARY, extract(hit.content, wanted) or brief.summary),
            (Detail.KEY_FACT, brief.key_fact), (Detail.TAG, brief.tag),
        ]  # fmt: skip
    return [(detail, said + text + until) for detail, text in _shrinking(found)]


def _shrinking(forms: Iterable[tuple[Detail, str]]) -> list[tuple[Detail, str]]:
    kept: list[tuple[Detail, str]] = []
    for detail, text in forms:
        if text and (not kept or len(text) < len(kept[-1][1])):
            kept.append((detail, text))
    return kept


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
