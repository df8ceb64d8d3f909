"""How far a record that was inferred from behaviour may go: found, shown without being asked for, kept, retired.

A record that nobody asked for has to earn its place. Being shown earns nothing: only a person's word, and work that
went on from it (it was searched for and cited, or acted upon), count as use. What is known of that stands in the
record; that it was shown stands in the log of events alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from recollect.model.record import INFERRED, WATCHED, Record, SecurityTier

SOURCE = INFERRED
REPORTED = "qa_auto"  # the source of what a test or a review found
ATTRIBUTE = WATCHED  # under which a record's attributes hold its evidence
CONFIDENCE_MIN = 0.65
USED_SESSIONS_MIN = 2
PROMOTED_SESSIONS = 5
HELPFUL_SHARE = 0.8
SHOWN_IN_VAIN_MAX = 2
UNUSED_DAYS_MAX = 30.0
SESSIONS_KEPT = 20

_DAY_S = 86_400


class InferredStanding(StrEnum):
    """What may be done with a record that was inferred."""

    NEW = "new"  # found by search, never shown without being asked for
    TRUSTED = "trusted"  # may be shown when its file is touched
    PROMOTED = "promoted"  # proved over sessions: no longer waits for review
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackRecord:
    """What is known of how a record did: kept in its attributes, so that every client counts on."""

    used_in: tuple[str, ...] = ()  # sessions in which it was searched for and cited, or acted upon
    seen_in: tuple[str, ...] = ()  # sessions in which its signals were seen
    in_vain: tuple[str, ...] = ()  # sessions to which it was shown, and what it warns of happened all the same
    last_used_s: int = 0
    was_flagged: bool = False

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> Self:
        kept = attributes.get(ATTRIBUTE)
        if not isinstance(kept, Mapping):
            return cls()
        found: dict[str, Any] = {name: kept[name] for name in _COUNTS if isinstance(kept.get(name), int)}
        found |= {name: tuple(map(str, kept[name])) for name in _SESSIONS if isinstance(kept.get(name), list | tuple)}
        return cls(**found)

    def seen(self, sessions: Iterable[str]) -> Self:
        """After its signals were seen in these sessions."""
        return replace(self, seen_in=tuple(dict.fromkeys((*self.seen_in, *sessions)))[-SESSIONS_KEPT:])

    def used(self, session: str, at_s: int) -> Self:
        """After a session went on from it; a session counts once."""
        if session in self.used_in:
            return self
        return replace(self, used_in=(*self.used_in, session)[-SESSIONS_KEPT:], last_used_s=max(at_s, self.last_used_s))

    def was_in_vain(self, session: str) -> Self:
        """After it was shown to a session in vain; a session counts once."""
        return self if session in self.in_vain else replace(self, in_vain=(*self.in_vain, session)[-SESSIONS_KEPT:])

    def to_dict(self) -> dict[str, Any]:
        sessions = {name: list(getattr(self, name)[-SESSIONS_KEPT:]) for name in _SESSIONS}
        return sessions | {name: getattr(self, name) for name in _COUNTS}


_SESSIONS = ("used_in", "seen_in", "in_vain")
_COUNTS = ("last_used_s", "was_flagged")


def standing_of(
    evidence: TrackRecord,
    *,
    confidence: float,
    confirmed: bool,
    flagged: bool,
    helpful: int = 0,
    unhelpful: int = 0,
    files: Collection[str] = (),
    gone: Collection[str] = (),
    created_s: int,
    now_s: int,
) -> InferredStanding:
    """Where a record stands. `gone` are those of its files that are no longer there; `helpful` counts `feedback`."""
    if flagged or len(evidence.in_vain) >= SHOWN_IN_VAIN_MAX or (files and set(files) <= set(gone)):
        return InferredStanding.RETIRED
    if not confirmed:
        idle_days = (now_s - max(evidence.last_used_s, created_s)) / _DAY_S
        if idle_days > UNUSED_DAYS_MAX:
            return InferredStanding.RETIRED
        if confidence < CONFIDENCE_MIN or len(set(evidence.used_in)) < USED_SESSIONS_MIN:
            return InferredStanding.NEW
    proved = len({*evidence.seen_in, *evidence.used_in}) >= PROMOTED_SESSIONS and not evidence.was_flagged
    helps = helpful >= HELPFUL_SHARE * (helpful + unhelpful)
    return InferredStanding.PROMOTED if proved and helps else InferredStanding.TRUSTED


def standing_of_record(record: Record, *, now_s: int, gone: Collection[str] = ()) -> InferredStanding:
    """Where a stored record stands. What somebody told is trusted: only what was inferred has to earn it."""
    return standing_of(
        TrackRecord.of(record.attributes),
        confidence=record.confidence,
        confirmed=record.user_verified or record.source != SOURCE,
        flagged=record.flagged,
        helpful=record.success_count,
        unhelpful=record.failure_count,
        files=files_of(record),
        gone=gone,
        created_s=int(record.created_at.timestamp()),
        now_s=now_s,
    )


def files_of(record: Record) -> set[str]:
    """The files that a record is about."""
    listed = record.metadata.get("related_files")
    return {path for path in listed if isinstance(path, str)} if isinstance(listed, list) else set()


def may_be_said_unasked(record: Record, now_s: int) -> bool:
    """Whether a record may be shown to somebody who did not ask for it.

    A person confirmed it; or somebody told it, and nothing about it waits for review; or it was inferred, and has
    earned it.
    """
    if record.flagged or record.security is not SecurityTier.CLEARTEXT:
        return False
    if record.source == SOURCE:
        return standing_of_record(record, now_s=now_s) in (InferredStanding.TRUSTED, InferredStanding.PROMOTED)
    return not record.needs_review


def may_warn(record: Record) -> bool:
    """Whether it may warn: a person confirmed it, a test or a review said it, or it was inferred and has earned it.

    An agent's own note may not.
    """
    return is_said(record) or record.source == SOURCE


def is_said(record: Record) -> bool:
    """Whether a person confirmed it, or a test or a review reported it."""
    return record.user_verified or record.source == REPORTED
