"""Records as they may be shown: each in full, in fewer words or as a tag, under a heading that several share.

A heading says what they have in common (day, kind, source), so that it is paid for once; a line has the beginning of
the record's id, how far it is trusted, who says what, and whether it still holds. Of a long text the sentences are
shown that the question is about. An outdated record gives way where what is said now may be shown too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

from recollect.context.pack import Candidate, Form
from recollect.ids import ID_CHARS
from recollect.language.terms import terms_of
from recollect.model.anchor import has_drifted
from recollect.model.context import Detail
from recollect.model.fence import Shown
from recollect.model.record import Brief, Kind
from recollect.model.result import Hit
from recollect.model.screening import SUSPECT
from recollect.providers.tokens import Counter

# Hits are worth less the further down they stand: on chats the chance of holding the answer falls about like this.
_HEAD, _FALL = 5.0, 1.4
_DRIFTED = 0.5  # of its value, where the code it is about has changed since it was written
_OUTDATED = 0.05  # of its value: shown where there is room to spare
_SOURCE_CHARS = 24
GIST_CHARS = 32  # of a record without a short form that has no room
_SHORTER = (Detail.SUMMARY, Detail.KEY_FACT, Detail.TAG)
_NO_BRIEF = Brief(0)
NOTHING_NEAREST: Mapping[str, str] = {}
_WORDS = {
    Kind.EPISODIC: "notes",
    Kind.SEMANTIC: "facts",
    Kind.PROCEDURAL: "procedures",
    Kind.OPINION: "opinions",
    Kind.ENTITY: "entities",
    Kind.SNIPPET: "documents",
    Kind.SCHEMA: "patterns",
}
LONG_CHARS = 360  # shorter texts are shown whole, or as they were perceived
EXTRACT_CHARS = 320
READ_CHARS_MAX = 20_000  # of a longer text the beginning is looked at
SENTENCES_MAX = 120
LEFT_OUT = " … "
_SAME_CHARS = 12  # at an end of a part, by which it is also the end of the text

_END = re.compile(r"(?<=[.!?。！？])\s+|(?<!\s)[^\S\n]*+\n\s*(?:[-*•]\s+)?")


class Offered(NamedTuple):
    """A hit that may be shown, and as what."""

    hit: Hit
    candidate: Candidate
    order: int = 0  # in which it was written


def offered(
    hits: Sequence[Hit],
    briefs: Mapping[str, Brief],
    counter: Counter,
    wanted: frozenset[str] = frozenset(),
    told_by: Mapping[str, str] | None = None,
    *,
    nearest: Mapping[str, str] = NOTHING_NEAREST,
    past: bool = False,
) -> list[Offered]:
    """What there is to choose from for hits, best first. `wanted` are the terms of the question.

    `told_by` says in the heading whom a record comes from. `nearest` is the part of a record that is nearest to the
    question, for records that say several things: what is shown of them where there is no room for more. Unless the
    question is about the `past`, what has ended is worth little beside what is said instead.

    Costs are close, not exact: whoever renders them counts again.
    """
    before_text = counter.count("#1b9d6bcd .82\n") + 1
    headings: dict[str, int] = {}
    out = []
    ids = frozenset() if past else frozenset(hit.id for hit in hits)
    for rank, hit in enumerate(hits):
        outdated = not hit.current and not ids.isdisjoint(hit.replaced_by)
        heading = heading_of(hit, told_by.get(hit.id, "") if told_by else "")
        tokens = headings.get(heading)
        if tokens is None:
            tokens = headings[heading] = counter.count(heading + "\n")
        brief = briefs.get(hit.id, _NO_BRIEF)
        candidate = Candidate(
            id=hit.id,
            value=(_HEAD + rank) ** -_FALL * (_OUTDATED if outdated else _DRIFTED if has_drifted(hit.code) else 1.0),
            forms=_forms(hit, brief, counter, _part(hit, wanted, nearest), before_text),
            heading=heading,
            heading_tokens=tokens,
        )
        out.append(Offered(hit, candidate, brief.order))
    return out


def shown(hit: Hit, text: str) -> Shown:
    """One line of a block."""
    trust = _trust(hit.trust.composite)
    return Shown(hit.id[:ID_CHARS], text, f"{trust} {SUSPECT}" if hit.flags else trust)


def heading_of(hit: Hit, told_by: str = "") -> str:
    """What a hit has in common with its like: `2026-05-03 turns s1:`, `2026-05-03 facts (user, for user_id ana):`."""
    day = (hit.event_time or hit.created_at).date().isoformat()
    said = hit.kind is Kind.EPISODIC and (hit.speaker or hit.role)
    return (
        " ".join(
            part
            for part in (day, "turns" if said else _WORDS[hit.kind], _source(hit), told_by and f"({told_by})")
            if part
        )
        + ":"
    )


def _source(hit: Hit) -> str:
    where = hit.place.file_path or hit.place.url if hit.place else None
    where = where or hit.session_id
    if where is None or len(where) <= _SOURCE_CHARS:
        return where or ""
    return f"…{where[-_SOURCE_CHARS:]}" if "/" in where else f"{where[:ID_CHARS]}…"


def _trust(composite: float) -> str:
    return f"{composite:.2f}".removeprefix("0") if composite < 1.0 else "1"


def _forms(hit: Hit, brief: Brief, counter: Counter, part: str | None, before_text: int) -> tuple[Form, ...]:
    """In full, in short (the `part` that the question is about), as key fact and as tag, each shorter than before."""
    who = (hit.speaker or hit.role) if hit.kind is Kind.EPISODIC else None  # a statement names its subject itself
    said = f"{who}: " if who else ""
    until = f" ({hit.standing})" if hit.standing else ""
    whole = counter.count(said + hit.content + until)
    forms = [Form(Detail.FULL, said + hit.content + until, before_text + whole)]
    length = len(hit.content)
    if not brief.tag:  # nobody has said it in fewer words yet: its beginning is better than nothing
        if length > 2 * GIST_CHARS:
            gist = said + (hit.content[:GIST_CHARS].rpartition(" ")[0] or hit.content[:GIST_CHARS]) + "…" + until
            forms.append(Form(Detail.TAG, gist, before_text + counter.count(gist)))
        return tuple(forms)
    around = counter.count(said) + counter.count(until) + before_text
    scale = (whole - counter.count(said)) / max(1, brief.tokens[0])  # from those of perception to those of this model
    if part is not None and len(part) < length:  # what else it tells in few words is not what was asked for
        return (*forms, Form(Detail.SUMMARY, said + part + until, counter.count(part) + around))
    for detail, text, about in zip(_SHORTER, brief[1:4], brief.tokens[1:], strict=True):
        if len(text) < length:
            forms.append(Form(detail, said + text + until, ceil(about * scale) + around))
            length = len(text)
    return tuple(forms)


def _part(hit: Hit, wanted: frozenset[str], nearest: Mapping[str, str]) -> str | None:
    """What of a hit the question is about: by its words in a long text, else by what is nearest in meaning."""
    part = extract(hit.content, wanted)
    if part is not None or hit.id not in nearest:
        return part
    part = nearest[hit.id]
    before = "" if hit.content.startswith(part[:_SAME_CHARS]) else LEFT_OUT.lstrip()
    return before + part + ("" if hit.content.endswith(part[-_SAME_CHARS:]) else LEFT_OUT.rstrip())


def extract(text: str, wanted: frozenset[str]) -> str | None:
    """The sentences that hold most of the wanted terms, in their order; None where the text is short or none does."""
    if len(text) <= LONG_CHARS or not wanted:
        return None
    sentences = [part for part in _END.split(text[:READ_CHARS_MAX]) if part][:SENTENCES_MAX]
    held = [wanted.intersection(terms_of(sentence)) for sentence in sentences]
    chosen: list[int] = []
    unmet, left = set(wanted), EXTRACT_CHARS
    while unmet:
        at = max(range(len(sentences)), key=lambda at: len(held[at] & unmet) / (40 + len(sentences[at])), default=None)
        if at is None or not held[at] & unmet or (chosen and len(sentences[at]) > left):
            break
        chosen.append(at)
        unmet -= held[at]
        left -= len(sentences[at])
    return _joined(sentences, sorted(chosen)) if chosen else None


def _joined(sentences: list[str], chosen: list[int]) -> str:
    out = "" if chosen[0] == 0 else LEFT_OUT.lstrip()
    for before, at in zip([None, *chosen], chosen, strict=False):
        out += ("" if before is None else " " if at == before + 1 else LEFT_OUT) + _cut(sentences[at])
    return out if chosen[-1] == len(sentences) - 1 else out + LEFT_OUT.rstrip()


def _cut(sentence: str) -> str:
    """A sentence, or the beginning of one that is a paragraph."""
    if len(sentence) <= 2 * EXTRACT_CHARS:
        return sentence
    return sentence[: 2 * EXTRACT_CHARS].rpartition(" ")[0] + "…"
