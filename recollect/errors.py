"""Every error Recollect raises on purpose, and what a caller can do about it.

RecollectError
├── UsageError              the caller can fix it; nothing was changed
│   ├── NotFound            no such record, edge or operation, or not visible from here
│   ├── ContentTooLarge     over a limit that has a name
│   ├── ContentRefused      it holds a secret or personal data that the settings refuse
│   ├── InvalidQuery        a search or filter that means nothing
│   ├── BudgetTooSmall      what must be sent to a model takes more tokens
│   ├── ConfigInvalid       a setting that cannot be clamped into sense
│   ├── CycleRefused        a directed relation would point back at itself
│   ├── VersionConflict     somebody changed the record meanwhile
│   ├── TurnOver            the turn was ended, or stopped by somebody
│   ├── StatementEnded      it holds no longer; the message names what took its place
│   ├── UndoRefused         later work rests on that operation, or it was an erasure
│   └── MissingExtra        an optional library is not installed
├── StoreError              the database refused
│   ├── StoreLocked         wrong key, no key, or a key for a plain file
│   ├── StoreDamaged        not a database, not ours, or corrupt
│   ├── StoreNewer          written by a newer Recollect
│   ├── StoreReadOnly       the file or its folder cannot be written
│   ├── DiskFull            no space for the write; what was acknowledged is safe
│   ├── StoreBusy           another process held the lock too long (retry)
│   ├── StoreUnavailable    the database server does not answer (retry)
│   ├── StoreReplaced       the file was removed or replaced while it was open
│   ├── StoreMoved          it was moved to another place, or is being filled from one
│   ├── MigrationFailed     a schema step failed and was rolled back
│   └── StoreClosed         used after close()
├── ProviderError           a model failed
│   ├── ProviderUnavailable it does not answer (retry)
│   ├── EmbeddingFailed     it answered with something that is not a vector
│   └── DimensionMismatch   vectors of two sizes never meet
├── SearchError             a search could not be carried out
│   ├── SearchTimeout       it took longer than it may (retry)
│   ├── NoIndex             the indexes do not catch up with what was stored (retry)
│   └── RateLimited         more calls than allowed in the window (retry)
├── SecurityError           refused for safety
│   ├── AccessDenied        the scope of the caller does not reach that far
│   │   └── TokenExpired    the token was right, and its time is over
│   ├── EncryptionFailed    a field or bundle could not be encrypted or decrypted
│   └── SandboxError        code in the REPL was refused, failed or ran out of time
└── SystemStrain            the process is in trouble
    ├── Overloaded          more calls at once than can be answered (retry)
    └── Interrupted         shut down while waiting (retry)

Codes are stable and follow one taxonomy: E1 storage, E2 search, E3 embedding, E4 security and limits, E5 system.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

_NAME_CHARS, _NAME_WORDS = 48, 4  # of a name, or a slip of the pen; what is longer may be what somebody told us
_PLAIN = (bool, int, float, type(None))


def shown(value: object, chars: int = 60) -> str:
    """What a caller gave, for a message: short, and never itself the cause of an error.

    Messages end up in logs. A name, a number or a word is repeated; of anything that could be somebody's words, the
    kind and the size are told.
    """
    if isinstance(value, str):
        is_name = len(value) <= _NAME_CHARS and len(value.split()) <= _NAME_WORDS
        return clipped(value, chars) if is_name else f"a text of {len(value)} characters"
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(each, _PLAIN) for each in value):
        return clipped(value, chars)
    return clipped(value, chars) if isinstance(value, _PLAIN) else f"a {type(value).__name__}"


def clipped(value: object, chars: int) -> str:
    """A value as Python writes it, cut; never itself the cause of an error."""
    try:
        return repr(value)[:chars]
    except Exception:  # a number of ten thousand digits, an object with a broken repr
        return f"a {type(value).__name__}"


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean x?` for the word most like the one given, or nothing."""
    from difflib import get_close_matches  # only when something is wrong already

    found = get_close_matches(word[:200], list(known), 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""


class RecollectError(Exception):
    """Base of the tree. `code` is stable across releases; `retryable` says whether waiting can help."""

    code: ClassVar[str] = "E5000"
    retryable: ClassVar[bool] = False
    audited: bool = False  # it is in the audit already

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"[{self.code}] {self.message}"

    def to_dict(self) -> dict[str, object]:
        """The same facts for programs."""
        return {
            "error": type(self).__name__,
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
        }


class UsageError(RecollectError, ValueError):
    """The caller asked for something that makes no sense; nothing was changed."""

    code = "E4005"


class NotFound(UsageError):
    """There is no such thing, or it is not visible from the caller's scope."""

    code = "E2005"


class ContentTooLarge(UsageError):
    """A text, a batch or a structure is over its limit."""

    code = "E4004"


class ContentRefused(UsageError):
    """A text holds a secret, or personal data, that `security.secrets` or `security.personal` refuses."""

    code = "E4009"


class InvalidQuery(UsageError):
    """A query, filter, time or cursor that cannot be understood."""

    code = "E2004"


class BudgetTooSmall(UsageError):
    """A budget of tokens that what must be sent does not fit into. The message says how many it takes."""

    code = "E4008"


class ConfigInvalid(UsageError):
    """A setting of the wrong type or without a sensible neighbour."""

    code = "E5003"


class CycleRefused(UsageError):
    """The relation would close a circle of a kind that must stay acyclic."""

    code = "E4006"


class VersionConflict(UsageError):
    """The record is no longer the version the change was made for; read it again and decide."""

    code = "E1011"


class TurnOver(UsageError):
    """A turn that is over takes nothing more. `state` is how it ended: an agent whose turn was aborted stops."""

    code = "E1015"

    def __init__(self, message: str, *, state: str = "") -> None:
        super().__init__(message)
        self.state = state

    def to_dict(self) -> dict[str, object]:
        return {**super().to_dict(), "state": self.state}


class StatementEnded(UsageError):
    """A statement that has ended can be neither confirmed nor corrected. `replaced_by` are the ids of what took its
    place, as far as the caller may see them; the message names the first of them."""

    code = "E1012"

    def __init__(self, message: str, *, replaced_by: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.replaced_by = replaced_by

    def to_dict(self) -> dict[str, object]:
        return {**super().to_dict(), "replaced_by": list(self.replaced_by)}


class UndoRefused(UsageError):
    """The operation cannot be undone as things stand; the message says what to undo first."""

    code = "E1007"


class MissingExtra(UsageError):
    """An optional library is needed; the message holds the pip line."""

    code = "E5004"


class StoreError(RecollectError):
    """The database refused a write or a read."""

    code = "E1005"


class StoreLocked(StoreError):
    """The key is wrong or missing, or one was given for a file that is not encrypted."""

    code = "E1001"


class StoreDamaged(StoreError):
    """The file is not a Recollect store, or its pages are damaged."""

    code = "E1002"


class StoreNewer(StoreDamaged):
    """A newer Recollect wrote this file; this one does not touch it."""

    code = "E1006"


class StoreReadOnly(StoreError):
    """The file or its folder cannot be written."""

    code = "E1008"


class DiskFull(StoreError):
    """No space left for a write. The write did not happen; everything acknowledged before is safe."""

    code = "E1003"


class StoreBusy(StoreError):
    """Another process held the write lock for longer than `store.busy_timeout_s`."""

    code = "E1009"
    retryable = True


class StoreUnavailable(StoreError):
    """The database server does not answer, or closed the connection. What was not acknowledged did not happen."""

    code = "E1014"
    retryable = True


class StoreReplaced(StoreError):
    """The file was removed, moved or replaced while it was open. What is written now would be lost, so nothing is."""

    code = "E1013"


class StoreMoved(StoreError):
    """The store was moved to another place, or is not yet all here. The message names where it is."""

    code = "E1016"


class MigrationFailed(StoreError):
    """A schema step failed; the file is as it was before."""

    code = "E1004"


class StoreClosed(StoreError):
    """The memory was closed before this call."""

    code = "E1010"


class ProviderError(RecollectError):
    """A model, local or remote, failed."""

    code = "E3002"


class ProviderUnavailable(ProviderError):
    """The model's endpoint does not answer."""

    code = "E3001"
    retryable = True


class EmbeddingFailed(ProviderError):
    """The model answered, but not with usable vectors."""

    code = "E3002"


class DimensionMismatch(ProviderError):
    """A vector of the wrong length for its space."""

    code = "E3003"


class SearchError(RecollectError):
    """A search could not be carried out."""

    code = "E2000"


class SearchTimeout(SearchError):
    """Nothing was found within `recall.timeout_s`."""

    code = "E2001"
    retryable = True


class NoIndex(SearchError):
    """The indexes do not catch up with what was stored, so work that needs them is done later. Searches do without."""

    code = "E2002"
    retryable = True


class RateLimited(SearchError):
    """More calls than allowed in the window. `retry_after` says in how many seconds the next one may come."""

    code = "E2003"
    retryable = True

    def __init__(self, message: str, *, after_s: int = 1) -> None:
        super().__init__(message)
        self.retry_after = after_s

    def to_dict(self) -> dict[str, object]:
        return {**super().to_dict(), "retry_after": self.retry_after}


class SecurityError(RecollectError):
    """Refused for safety."""

    code = "E4000"


class AccessDenied(SecurityError):
    """The caller's scope or rights do not allow it."""

    code = "E4001"


class TokenExpired(AccessDenied):
    """The token was right, and its time is over."""

    code = "E4011"


class EncryptionFailed(SecurityError):
    """A field or bundle could not be encrypted or decrypted."""

    code = "E4002"


class SandboxError(SecurityError):
    """Sandboxed code was refused, failed, or used more time or memory than it may."""

    code = "E4007"


class SystemStrain(RecollectError):
    """The process is in trouble."""

    code = "E5000"


class Overloaded(SystemStrain):
    """More calls at once than the server answers; nothing was done for this one."""

    code = "E5006"
    retryable = True


class Interrupted(SystemStrain):
    """The store was shut down while this call waited."""

    code = "E5005"
    retryable = True
