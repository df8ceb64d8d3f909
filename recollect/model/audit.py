"""The audit: what is noted of each call, who called, and what a look over the chain of notes found.

An entry holds times, counts and keyed hashes, never what people stored or asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from recollect.errors import AccessDenied, ContentRefused, ContentTooLarge, RateLimited, RecollectError
from recollect.model.scope import Scope


class AuditEvent(StrEnum):
    """What happened."""

    # Reads and writes
    MEMORY_WRITTEN = "memory_written"  # any operation: the verb says which
    MEMORY_SEARCHED = "memory_searched"  # a question was put to the store
    MEMORY_RECALLED = "memory_recalled"  # memories were put into a model's window
    MEMORY_READ = "memory_read"  # records were listed, looked up, or walked to
    STORE_EXAMINED = "store_examined"  # figures, health and settings: nothing of what is stored
    # What is refused
    ACCESS_DENIED = "access_denied"  # somebody reached for what is not theirs: another agent's, another person's
    TOKEN_REFUSED = "token_refused"
    RATE_LIMITED = "rate_limited"
    CONTENT_REFUSED = "content_refused"  # too large, empty, or not what the policy takes
    INJECTION_BLOCKED = "injection_blocked"  # refused, or kept out of recall
    # Keys and fields
    VAULT_OPENED = "vault_opened"
    VAULT_OPEN_FAILED = "vault_open_failed"
    KEY_ROTATION_STARTED = "key_rotation_started"
    KEY_ROTATION_COMPLETED = "key_rotation_completed"
    KEY_EXPORTED = "key_exported"
    FIELD_ENCRYPTED = "field_encrypted"
    FIELD_DECRYPTED = "field_decrypted"
    HIDDEN_VOLUME_ACCESSED = "hidden_volume_accessed"
    CORE_DUMPS_PREVENTED = "core_dumps_prevented"
    MEMORY_LOCK_FAILED = "memory_lock_failed"
    # In and out
    EXPORT_CREATED = "export_created"
    PLAIN_EXPORT_REQUESTED = "plain_export_requested"
    IMPORT_ATTEMPTED = "import_attempted"
    BACKUP_MADE = "backup_made"
    BACKUP_RESTORED = "backup_restored"  # it took the place of the store: what was done after it is not here
    ERASURE_COMPLETED = "erasure_completed"
    PERSON_ERASED = "person_erased"
    # Policy
    TOKEN_MADE = "token_made"
    TOKEN_REVOKED = "token_revoked"
    POLICY_CHANGED = "policy_changed"  # settings of security, grants, retention
    # The audit itself
    AUDIT_READ = "audit_read"
    AUDIT_CUT = "audit_cut"  # retention removed the oldest entries; the last one's mark is kept
    AUDIT_LOST = "audit_lost"  # entries of reads that could not be written in time
    AUDIT_BROKEN = "audit_broken"  # the end of the chain was not where it should be when something was written


READS = frozenset(
    {
        AuditEvent.MEMORY_SEARCHED,
        AuditEvent.MEMORY_RECALLED,
        AuditEvent.MEMORY_READ,
        AuditEvent.STORE_EXAMINED,
        AuditEvent.AUDIT_READ,
    }
)
# A flood of these must not fill the disk: those of one caller in one minute are counted in one entry.
REFUSALS = frozenset(
    {
        AuditEvent.ACCESS_DENIED,
        AuditEvent.TOKEN_REFUSED,
        AuditEvent.RATE_LIMITED,
        AuditEvent.CONTENT_REFUSED,
        AuditEvent.INJECTION_BLOCKED,
        AuditEvent.VAULT_OPEN_FAILED,
    }
)
_REFUSED_WITH: tuple[tuple[type[RecollectError], AuditEvent], ...] = (
    (AccessDenied, AuditEvent.ACCESS_DENIED),
    (RateLimited, AuditEvent.RATE_LIMITED),
    (ContentTooLarge, AuditEvent.CONTENT_REFUSED),
    (ContentRefused, AuditEvent.CONTENT_REFUSED),
)


def refusal_of(error: BaseException) -> AuditEvent | None:
    """The event that an error is where it refuses something; None for any other."""
    return next((event for kind, event in _REFUSED_WITH if isinstance(error, kind)), None)


OWNER_NAME, HANDLE_NAME, UPKEEP_NAME = "owner", "handle", "upkeep"


class AuditCaller(NamedTuple):
    """Who calls: the owner's process, a handle, a token, or upkeep; and the way in: python, rest, mcp, background."""

    name: str
    channel: str


@dataclass(slots=True)
class AuditedCall:
    """A verb that runs: whose it is, and what is learnt on the way."""

    caller: AuditCaller
    verb: str
    scope: Scope | None = None  # the newest one that was asked for, and granted
    noted: bool = False  # a transaction of its own left an entry
    bridge: bool = False  # of another design: verbs that it is made of leave entries of their own


UPKEEP = AuditCaller(UPKEEP_NAME, "background")
# The call that runs now in this thread. None: nobody's, so what is done is upkeep's.
CALLING: ContextVar[AuditedCall | None] = ContextVar("recollect_calling", default=None)


class AuditNote(NamedTuple):
    """What is to be written down of one call. `detail` is JSON."""

    at: int
    event: AuditEvent
    caller: AuditCaller
    verb: str = ""
    scope: str | None = None  # the key of a scope
    times: int = 1  # how many records, or refusals
    outcome: str = "ok"  # or the code of an error
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One entry as it is read. After the erasure of a person, who called, for whom and the details are gone."""

    number: int | None  # None: not written yet
    at: datetime
    event: str
    verb: str
    caller: str | None
    channel: str
    scope: str | None
    count: int
    outcome: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    unnamed: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "at": self.at.isoformat(),
            "event": self.event,
            "verb": self.verb,
            "caller": self.caller,
            "channel": self.channel,
            "scope": self.scope,
            "count": self.count,
            "outcome": self.outcome,
            "detail": dict(self.detail),
            "unnamed": self.unnamed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What a look over the whole chain found. `first_bad` is the number of the first entry that does not fit."""

    ok: bool
    checked: int
    first_bad: int | None = None
    why: str = ""
    bad: int = 0
    cut_through: int | None = None  # retention removed the entries up to this one
    sealed: bool = False  # the key of the chain is under a vault

    def __bool__(self) -> bool:
        return self.ok

    def to_dict(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "checked": self.checked,
            "first_bad": self.first_bad,
            "why": self.why,
            "bad": self.bad,
            "cut_through": self.cut_through,
            "sealed": self.sealed,
        }
