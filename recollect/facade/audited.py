"""Every verb of a memory leaves an entry in the audit, whatever interface it was called through.

The verbs themselves know nothing of it: `audited` goes round a class and puts the same few lines around each of them.
A write notes itself in its own transaction; the rest is noted here when the verb has answered, or has refused to.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

import orjson

from recollect.errors import AccessDenied, RecollectError
from recollect.facade.handle import Handle, UnknownArgument
from recollect.ids import is_id
from recollect.model.audit import CALLING, AuditCaller, AuditedCall, AuditEvent, AuditNote, refusal_of
from recollect.model.record import SecurityTier
from recollect.model.scope import DIMENSIONS

T = TypeVar("T")


class NotedAs(NamedTuple):
    """How a verb is noted. `asked` is its first argument: a question is hashed, an id is kept."""

    event: AuditEvent = AuditEvent.MEMORY_WRITTEN
    asked: str = ""


_SEARCH, _READ, _LOOK = AuditEvent.MEMORY_SEARCHED, AuditEvent.MEMORY_READ, AuditEvent.STORE_EXAMINED
_OF_CODE = (
    "projects paired status impact dependencies callers callees path find outline trace changes map edges notes health"
)
# Any other verb writes, and notes itself where it does.
NOTED = {
    **dict.fromkeys(
        ("update", "correct", "delete", "confirm", "approve", "refuse", "flag", "feedback"), NotedAs(asked="id")
    ),
    **{f"code_{name}": NotedAs(_READ) for name in _OF_CODE.split()},
    "backup": NotedAs(AuditEvent.BACKUP_MADE),
    "backups": NotedAs(_LOOK),
    "export": NotedAs(AuditEvent.EXPORT_CREATED),
    "import_": NotedAs(AuditEvent.IMPORT_ATTEMPTED),
    "erase_user": NotedAs(AuditEvent.PERSON_ERASED),
    "erase": NotedAs(AuditEvent.ERASURE_COMPLETED),
    "erasure_verify": NotedAs(_LOOK),
    "encrypt": NotedAs(AuditEvent.KEY_ROTATION_COMPLETED),
    "rotate": NotedAs(AuditEvent.KEY_ROTATION_COMPLETED),
    "decrypt": NotedAs(AuditEvent.KEY_ROTATION_COMPLETED),
    "export_key": NotedAs(AuditEvent.KEY_EXPORTED),
    "seal": NotedAs(AuditEvent.FIELD_ENCRYPTED),
    "secret": NotedAs(_READ, "ref"),
    "reload": NotedAs(_LOOK),
    "search": NotedAs(_SEARCH, "query"),
    "assess": NotedAs(_SEARCH, "query"),
    "reason": NotedAs(_SEARCH, "question"),
    "timeline": NotedAs(_SEARCH, "topic"),
    "contradictions": NotedAs(_SEARCH, "id_or_text"),
    "context": NotedAs(AuditEvent.MEMORY_RECALLED, "prompt"),
    "turn": NotedAs(AuditEvent.MEMORY_RECALLED, "prompt"),
    "get": NotedAs(_READ, "id"),
    "reveal": NotedAs(_READ, "id"),
    "get_all": NotedAs(_READ),
    "entity": NotedAs(_READ, "name"),
    "entities": NotedAs(_READ),
    "history": NotedAs(_READ, "id"),
    "operations": NotedAs(_READ),
    "related": NotedAs(_READ, "id"),
    "dependencies": NotedAs(_READ, "id"),
    "path": NotedAs(_READ, "a"),
    "relations": NotedAs(_READ),
    "network": NotedAs(_READ),
    "explain": NotedAs(_READ, "id"),
    "knowledge": NotedAs(_READ),
    "summaries": NotedAs(_READ, "about"),
    "gaps": NotedAs(_READ),
    "weak": NotedAs(_READ),
    "reflect": NotedAs(_READ),
    "brief": NotedAs(_READ),
    "observed": NotedAs(_READ),
    "sessions_brief": NotedAs(_READ),
    "bus_inbox": NotedAs(_READ),
    "bus_subscriptions": NotedAs(_LOOK),
    "bus_publications": NotedAs(_READ),
    "sessions_meter": NotedAs(_READ),
    "sessions_coverage": NotedAs(_READ),
    "sessions_learned": NotedAs(_READ),
    "review": NotedAs(_READ),
    "questions": NotedAs(_READ),
    "working_slots": NotedAs(_READ),
    "working_state": NotedAs(_READ),
    "working_minds": NotedAs(_READ),
    "skills_find": NotedAs(_SEARCH, "task"),
    "tools_find": NotedAs(_SEARCH, "need"),
    "turns_begin": NotedAs(AuditEvent.MEMORY_RECALLED, "prompt"),
    "turns_recall": NotedAs(AuditEvent.MEMORY_SEARCHED, "query"),
    "turns_status": NotedAs(_READ),
    "screen": NotedAs(_LOOK, "text"),
    "activity": NotedAs(_LOOK),
    "counts": NotedAs(_LOOK),
    "topology": NotedAs(_LOOK),
    "stats": NotedAs(_LOOK),
    "health": NotedAs(_LOOK),
    "events": NotedAs(_READ),
    "status": NotedAs(_LOOK),
    "audit": NotedAs(AuditEvent.AUDIT_READ),
    "audit_verify": NotedAs(AuditEvent.AUDIT_READ),
}
_WRITES = NotedAs()
_ASKING = (AuditEvent.MEMORY_SEARCHED, AuditEvent.MEMORY_RECALLED)
_QUARANTINED = ("quarantined:", "injection:refuse", "injection:quarantine")
_NO_VERBS = frozenset({"scoped", "close"})  # touch nothing, or note themselves


def audited(cls: type[T], *, prefix: str = "") -> type[T]:
    """Put the noting around every public method of a class of verbs; `prefix` stands before their names."""
    around: dict[Any, Any] = {}
    for name in dir(cls):
        method = getattr(cls, name)
        if not name.startswith("_") and name not in _NO_VERBS and callable(method):
            around[method] = around.get(method) or _noting(method, prefix)  # two names of a verb stay one
            setattr(cls, name, around[method])
    return cls


def _noting(method: Callable[..., Any], prefix: str) -> Callable[..., Any]:
    verb = f"{prefix}{method.__name__}"
    noted = NOTED.get(verb, _WRITES)

    @functools.wraps(method)
    def call(self: Any, *args: Any, **given: Any) -> Any:
        outer = CALLING.get()
        if outer is not None and not outer.bridge:  # a verb that another one is made of
            return method(self, *args, **given)
        if outer is not None:
            outer.noted = True
        handle: Handle = self if isinstance(self, Handle) else self._handle
        return _told(handle, verb, functools.partial(timed_call, handle, self, args, given))

    def timed_call(handle: Handle, self: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        if noted.event in _ASKING and handle._opened.config.current.security.even_timing:
            with handle._opened.oracles.evenly():  # with its note: a refusal is on disk before it is told
                return noted_call(handle, self, args, given)
        return noted_call(handle, self, args, given)

    def noted_call(handle: Handle, self: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        calling = AuditedCall(handle._as_caller(), verb)
        before = CALLING.set(calling)
        try:
            answer = method(self, *args, **given)
            if handle._blurred:
                answer = handle._opened.oracles.blurred(answer, threshold=given.get("threshold"))
        except RecollectError as error:
            _note_failure(handle, calling, noted, error, args, given)
            raise
        except UnknownArgument as error:
            raise UnknownArgument(error.name, _arguments_of(method)) from None
        finally:
            CALLING.reset(before)
        if not calling.noted:
            _note(handle, calling, noted, answer, args, given)
        flags = getattr(answer, "flags", None)
        if (
            flags
            and noted.event is AuditEvent.MEMORY_WRITTEN
            and any(str(flag).startswith(_QUARANTINED) for flag in flags)
        ):
            _tell(handle, calling, AuditEvent.INJECTION_BLOCKED, count=_kept_apart(flags))
        return answer

    return call


def _told(handle: Handle, verb: str, work: Callable[[], Any]) -> Any:
    """Have a verb done; somebody may be told how long it took, and how it ended."""
    telemetry = handle._opened.telemetry
    return work() if telemetry is None else telemetry.verb(verb, handle._channel, work, _size)


def _arguments_of(method: Callable[..., Any]) -> list[str]:
    """What a verb takes, by name: its own arguments, then the dimensions of scope."""
    own = [name for name, each in inspect.signature(method).parameters.items() if each.kind is not each.VAR_KEYWORD]
    return [*own[1:], *DIMENSIONS]


def bridged(cls: type[T]) -> type[T]:
    """The same for a bridge to another design, whose `memory` it goes by: what its methods do below the verbs is
    noted under their names."""
    for name, method in vars(cls).items():
        if not name.startswith("_") and name not in _NO_VERBS and inspect.isfunction(method):
            setattr(cls, name, _bridging(method))
    return cls


def _bridging(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **given: Any) -> Any:
        if CALLING.get() is not None:
            return method(self, *args, **given)
        with calling(self.memory, method.__name__, bridge=True) as this:
            answer = method(self, *args, **given)
        if not this.noted:
            _note(self.memory, this, NotedAs(_READ), answer, args, given)
        return answer

    return call


def _note(
    handle: Handle, call: AuditedCall, noted: NotedAs, answer: Any, args: Sequence[Any], given: Mapping[str, Any]
) -> None:
    audit = handle._opened.audit
    if not audit.takes(noted.event):
        return
    detail = _asked(handle, noted, args, given)
    if (tiers := _tiers(answer)) is not None:
        detail["tiers"] = tiers
    if noted.event is AuditEvent.MEMORY_RECALLED:
        detail["tokens"] = answer.tokens
    told = orjson.dumps(detail).decode() if detail else None
    scope = (call.scope or handle._scope).key
    audit.take(AuditNote(audit.now(), noted.event, call.caller, call.verb, scope, _size(answer), "ok", told))


def _note_failure(
    handle: Handle,
    call: AuditedCall,
    noted: NotedAs,
    error: RecollectError,
    args: Sequence[Any],
    given: Mapping[str, Any],
) -> None:
    """A refusal is on disk before the caller hears of it; any other failure is noted like the call it ended."""
    audit = handle._opened.audit
    refused = refusal_of(error)
    detail = _asked(handle, noted, args, given)
    if isinstance(error, AccessDenied):
        detail["named"] = [name for name in DIMENSIONS if given.get(name)]
    with suppress(RecollectError):  # the error that counts is the one on its way
        audit.note(
            refused or noted.event,
            caller=call.caller,
            scope=call.scope or handle._scope,
            verb=call.verb,
            count=1 if refused else 0,
            outcome=error.code,
            detail=detail,
            at_once=refused is not None,
        )
        error.audited = True


def note_refusal(memory: Handle, error: BaseException, *, verb: str = "", caller: str | None = None) -> None:
    """Note what an interface refused before a verb was called. It is written in a moment, by another thread."""
    event = refusal_of(error)
    if event is None or getattr(error, "audited", False):
        return
    who = memory._as_caller()
    memory._opened.audit.note(
        AuditEvent.TOKEN_REFUSED if caller is not None and event is AuditEvent.ACCESS_DENIED else event,
        caller=who if caller is None else AuditCaller(caller, who.channel),
        scope=memory._scope,
        verb=verb,
        outcome=getattr(error, "code", ""),
    )


@contextmanager
def calling(memory: Handle, verb: str, *, bridge: bool = False) -> Iterator[AuditedCall]:
    """While inside, what is written is this memory's: for what changes a store by no verb of `Memory`."""
    call = AuditedCall(memory._as_caller(), verb, bridge=bridge)
    before = CALLING.set(call)
    try:
        yield call
    finally:
        CALLING.reset(before)


def note_read(memory: Handle, verb: str) -> None:
    """Note a read that is no verb: a stream of what changes."""
    _note(memory, AuditedCall(memory._as_caller(), verb), NotedAs(_READ), None, (), {})


def note_recalled(handle: Handle, call: AuditedCall, prompt: str, window: Any) -> None:
    """Note a window that was built after the verb had answered: that of a turn, when its block begins."""
    _note(handle, call, NOTED["turn"], window, (prompt,), {})


def _tell(handle: Handle, call: AuditedCall, event: AuditEvent, *, count: int) -> None:
    with suppress(RecollectError):
        handle._opened.audit.note(
            event, caller=call.caller, scope=call.scope or handle._scope, verb=call.verb, count=count, at_once=True
        )


def _asked(handle: Handle, noted: NotedAs, args: Sequence[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked, as it may be kept: hashes, and the ids of records."""
    audit = handle._opened.audit
    detail: dict[str, Any] = {}
    if noted.asked:
        value = args[0] if args else given.get(noted.asked)
        if not isinstance(value, str):
            value = getattr(value, "id", None)
        if is_id(value):
            detail["id"] = value
        elif isinstance(value, str):
            detail[noted.asked] = audit.hashed("asked", value)
    session = given.get("session_id") or given.get("run_id") or given.get("asked_in")
    if isinstance(session, str):
        detail["session"] = audit.hashed("session", session)
    return detail


def _size(answer: Any) -> int:
    """How many records an answer has, as far as it says so."""
    if answer is None:
        return 0
    count = getattr(answer, "count", None)
    if isinstance(count, int):
        return count
    for part in ("hits", "records", "steps", "domains"):
        if isinstance(found := getattr(answer, part, None), Sequence):
            return len(found)
    return len(answer) if isinstance(answer, Sequence) and not isinstance(answer, str) else 1


def _tiers(answer: Any) -> dict[str, int] | None:
    """How many of the records in an answer are of which tier of security."""
    found = getattr(answer, "hits", None) or getattr(answer, "records", None) or answer
    if not isinstance(found, list | tuple):
        found = found if isinstance(found, Sequence) and not isinstance(found, str) else (found,)
    if not found or not hasattr(found[0], "security"):
        return None
    tiers = [each.security for each in found]
    above = [tier.value for tier in tiers if tier is not SecurityTier.CLEARTEXT]
    clear = {SecurityTier.CLEARTEXT.value: len(tiers) - len(above)} if len(above) < len(tiers) else {}
    return {**clear, **Counter(above)} if above else clear


def _kept_apart(flags: Sequence[str]) -> int:
    return sum(str(flag).startswith("quarantined:") for flag in flags) or 1
