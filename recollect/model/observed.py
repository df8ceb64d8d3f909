"""What agents do, as it is kept: events, the signals they make, and what `observe` says of what it was given."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.record import Record


class SignalKind(StrEnum):
    """What can be told from a session by rules alone."""

    FILE_ACCESS = "file_access"  # a file was touched
    CO_ACCESS = "co_access"  # two files within a few steps
    ERROR_RETRY = "error_retry"  # the same error again
    BACKTRACK = "backtrack"  # an edit taken back, or made again on the same lines
    SEQUENCE = "sequence"  # classes of tools in a row
    TIME_ANOMALY = "time_anomaly"  # a file read again and again, and never edited


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedEvent:
    """An event that was not taken in, and why. `index` counts from 0 in what was given."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What became of events: taken in, known already, refused."""

    taken: int = 0
    known: int = 0
    refused: tuple[RefusedEvent, ...] = ()
    sessions: tuple[str, ...] = ()  # that they belong to
    projects: tuple[str, ...] = ()
    cut: int = 0  # lines of a file that were no whole event

    def to_dict(self) -> dict[str, Any]:
        return {
            "taken": self.taken,
            "known": self.known,
            "refused": [{"index": each.index, "reason": each.reason} for each in self.refused],
            "sessions": list(self.sessions),
            "projects": list(self.projects),
            "cut": self.cut,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Something that a session shows. `subject` is a file, an error or a row of classes; `other` a second file."""

    kind: SignalKind
    subject: str
    other: str = ""
    count: int = 1
    at: datetime
    detail: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "subject": self.subject,
            "other": self.other or None,
            "count": self.count,
            "at": self.at.isoformat(),
            **self.detail,
        }


_IDS = ("shown", "cited", "unknown", "found", "stored", "used", "in_vain", "learned", "again")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionError:
    """An error that a session met. `cured_by` are the files that were edited before the same thing went well, None
    where it did not in this session."""

    tool: str
    error: str
    count: int
    cured_by: tuple[str, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        cured = None if self.cured_by is None else list(self.cured_by)
        return {"tool": self.tool, "error": self.error, "count": self.count, "cured_by": cured}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSession:
    """One session of a coding client, in figures, with what it shows."""

    id: str
    client: str
    project: str | None
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None = None
    steps: int = 0
    outside: int = 0
    files: int = 0
    errors: int = 0
    shown: tuple[str, ...] = ()  # beginnings of ids of records that were put before it unasked
    cited: tuple[str, ...] = ()  # … that its answers name
    unknown: tuple[str, ...] = ()  # … that its answers name, and no record has
    found: tuple[str, ...] = ()  # … that it searched for and found
    stored: tuple[str, ...] = ()  # … that its agent stored
    used: tuple[str, ...] = ()  # … that it cited or acted upon, as was concluded when it was over
    in_vain: tuple[str, ...] = ()  # … that warned it of what happened all the same
    learned: tuple[str, ...] = ()  # … that were concluded from it
    again: tuple[str, ...] = ()  # … that it made surer
    errors_met: tuple[SessionError, ...] = ()
    phase: str | None = None  # planning, coding, qa_review, debugging, insights or spec, as its last events say
    signals: tuple[Signal, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "client": self.client,
            "project": self.project,
            "started_at": self.started_at.isoformat(),
            "last_at": self.last_at.isoformat(),
            "ended_at": self.ended_at.isoformat() if self.ended_at else None,
            "steps": self.steps,
            "files": self.files,
            "outside": self.outside,
            "errors": self.errors,
            **{name: list(getattr(self, name)) for name in _IDS},
            "errors_met": [each.to_dict() for each in self.errors_met],
            "phase": self.phase,
            "signals": [each.to_dict() for each in self.signals],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefPart:
    """One part of what a session begins with. `name` is work_state, wanted or warnings."""

    name: str
    text: str
    ids: tuple[str, ...] = ()  # of the records that it tells, as they are cited
    files: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "text": self.text, "ids": list(self.ids), "files": list(self.files)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBrief:
    """What a session of a project begins with: all of it between marks, and part by part."""

    project: str | None
    text: str
    parts: tuple[BriefPart, ...] = ()
    tokens: int = 0  # about how many the text has

    def to_dict(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "text": self.text,
            "parts": [each.to_dict() for each in self.parts],
            "tokens": self.tokens,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterFigures:
    """What sessions cost and were spared. Tokens are about a quarter of the characters; docs/coding.md defines each."""

    sessions: int = 0
    steps: int = 0
    edited: int = 0  # files, session by session
    discovery: int = 0  # searches, lists, first reads of files that the memory had not named
    hinted: int = 0  # first reads of files that it had named
    reads: int = 0
    rereads: int = 0
    errors: int = 0
    recurrences: int = 0  # errors that an earlier session had met
    told: int = 0  # how often the memory said something unasked
    asked: int = 0  # how often it was asked
    tokens_looked: int = 0  # what discovery and rereads brought
    tokens_injected: int = 0  # what the memory said, unasked and asked
    tokens_saved: int | None = None  # less was looked at than is usual without memory; negative if it was more
    tokens_net: int | None = None  # that, less what was injected
    compared: int = 0  # sessions that the two are about: their project has a baseline

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectMeter:
    """The figures of one project."""

    project: str | None
    figures: MeterFigures

    def to_dict(self) -> dict[str, Any]:
        return {"project": self.project, **self.figures.to_dict()}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMeter:
    """The figures of one session."""

    id: str
    client: str
    project: str | None
    at: datetime
    figures: MeterFigures

    def to_dict(self) -> dict[str, Any]:
        told = {"id": self.id, "client": self.client, "project": self.project, "at": self.at.isoformat()}
        return told | self.figures.to_dict()


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """What sessions of a period cost and were spared: in all, without memory and with it, by project, one by one."""

    since: datetime | None
    before: datetime | None
    total: MeterFigures
    quiet: MeterFigures  # sessions that the memory said nothing to
    told: MeterFigures  # sessions that it said something to
    projects: tuple[ProjectMeter, ...] = ()
    sessions: tuple[SessionMeter, ...] = ()  # the newest first

    def to_dict(self) -> dict[str, Any]:
        return {
            "since": self.since.isoformat() if self.since else None,
            "before": self.before.isoformat() if self.before else None,
            "total": self.total.to_dict(),
            "quiet": self.quiet.to_dict(),
            "told": self.told.to_dict(),
            "projects": [each.to_dict() for each in self.projects],
            "sessions": [each.to_dict() for each in self.sessions],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """A record that a session left or moved. `how`: learned, again, stored, or state for where it left the work."""

    id: str
    how: str
    category: str
    content: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnd:
    """A session that is over: what it was, what is remembered and was learned of it, and what it cost."""

    session: AgentSession
    records: tuple[SessionRecord, ...] = ()
    operations: tuple[str, ...] = ()  # which `undo` takes back
    figures: MeterFigures = MeterFigures()

    def to_dict(self) -> dict[str, Any]:
        return {
            "session": self.session.to_dict(),
            "records": [each.to_dict() for each in self.records],
            "operations": list(self.operations),
            "figures": self.figures.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedRecord:
    """Something that is known of a project's files, and how far it may go. `told`: agents are told it unasked."""

    record: Record
    standing: str  # new, trusted, promoted, retired
    told: bool
    files: tuple[str, ...] = ()
    seen: int = 0  # sessions in which it was seen to be so
    used: int = 0  # sessions that cited it or acted upon it
    in_vain: int = 0  # sessions that were told, and met what it warns of all the same
    last_used_at: datetime | None = None

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def content(self) -> str:
        return self.record.content

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "memory": self.content,
            "standing": self.standing,
            "told": self.told,
            "files": list(self.files),
            "seen": self.seen,
            "used": self.used,
            "in_vain": self.in_vain,
            "last_used_at": self.last_used_at.isoformat() if self.last_used_at else None,
            "record": self.record.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleCoverage:
    """A folder that sessions worked in, and what is known of it."""

    module: str
    sessions: int  # most that touched one of its files
    files: int  # that sessions touched
    edited: int
    known: int  # of the files, those that a record is about
    records: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much is known from agents at work, and of which folders nothing is."""

    sessions: int
    open: int  # not concluded since their last event
    events: int
    since: datetime | None  # the oldest event
    errors: int
    cured: int  # errors whose cure is known
    standing: dict[str, int] = field(default_factory=dict)  # what was inferred: new, trusted, promoted, retired
    review: int = 0  # of it, what waits for a person's word
    modules: tuple[ModuleCoverage, ...] = ()  # those most worked in first

    def to_dict(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in ("sessions", "open", "events", "errors", "cured", "review")},
            "since": self.since.isoformat() if self.since else None,
            "standing": dict(self.standing),
            "modules": [each.to_dict() for each in self.modules],
        }
