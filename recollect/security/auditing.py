"""The audit of one open store: every call leaves an entry, without what was stored or asked.

Writes note themselves in their own transaction (`tx.audit`). Reads are noted here, in memory, and written in batches
by the thread that writes how often records were used: a search never waits for the disk. What must be known whatever
happens next (a denial, a decryption, an export) is written before the call returns.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson

from recollect.clock import SECOND_US, Clock, from_us
from recollect.config.root import declared
from recollect.errors import AccessDenied, RecollectError
from recollect.model.audit import (
    CALLING,
    OWNER_NAME,
    READS,
    REFUSALS,
    UPKEEP,
    AuditCaller,
    AuditEntry,
    AuditEvent,
    AuditNote,
    AuditReport,
)
from recollect.store.audit import keyed_hash

if TYPE_CHECKING:
    from recollect.config import Config, LiveConfig
    from recollect.model.scope import Scope
    from recollect.security.keys import MasterKey
    from recollect.store.base import Store, Tx

__all__ = ["Audit", "AuditEvent", "VaultSeal"]

_FLUSH_AFTER_US = 2 * SECOND_US
_MINUTE_US = 60 * SECOND_US
_POLICY_NOTE = "audit_policy"
_POLICY = [key for key in declared() if key.startswith(("security.", "audit."))]
_BY_ID = (AuditEvent.MEMORY_READ, AuditEvent.MEMORY_WRITTEN)
_TEXT_CHARS_MAX = 80  # of a value in a detail; a longer one is no name, and could be content
_REFUSED_MAX = 1_000  # callers that are refused in one minute, told apart


class Audit:
    """Notes what happens, and reads what was noted."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._waiting: deque[AuditNote] = deque()
        self._refused: dict[tuple[Any, ...], AuditNote] = {}  # those after the first one of a minute
        self._lost = 0
        self._lock = threading.Lock()
        self._since_us = clock()
        self._key: bytes | None = None
        self._policy_of: Config | None = None  # the settings that were last compared with those noted in the store

    def note(
        self,
        event: AuditEvent,
        *,
        caller: AuditCaller | str | None = None,
        scope: Scope | None = None,
        verb: str = "",
        count: int = 1,
        outcome: str = "ok",
        detail: Mapping[str, Any] | None = None,
        at_once: bool = False,
    ) -> None:
        """Note something. `at_once`: it is on disk when this returns, and an error of the store is the caller's.

        Who calls is known where a verb runs. `detail` has small plain values and hashes (`hashed`), never content. A
        refusal is written at once the first time; more of them by one caller in a minute are counted in one entry.
        """
        if not self.takes(event):
            return
        call = CALLING.get()
        calling = UPKEEP if call is None else call.caller
        note = AuditNote(
            at=self._clock(),
            event=event,
            caller=AuditCaller(caller, calling.channel) if isinstance(caller, str) else caller or calling,
            verb=verb,
            scope=None if scope is None else scope.key,
            times=count,
            outcome=outcome,
            detail=None if not detail else orjson.dumps({k: self._plain(v) for k, v in detail.items()}).decode(),
        )
        if event in REFUSALS and self._counted(note):
            return
        if at_once:
            self._write([note])
        else:
            self._wait(note)

    def take(self, note: AuditNote) -> None:
        """Have a note of a read written with the next batch."""
        self._wait(note)

    def now(self) -> int:
        return self._clock()

    def takes(self, event: AuditEvent) -> bool:
        """Whether such an event is noted at all."""
        return event not in READS or self._config.current.audit.reads

    def hashed(self, use: str, text: str) -> str:
        """What stands for a text: who lacks the key of the audit cannot check a guess against it."""
        if self._key is None:
            self._key = self._found_key()
        return keyed_hash(self._key, use, text)

    def flush_if_due(self) -> None:
        """For the thread that does small things now and then."""
        due = self._clock() - self._since_us >= _FLUSH_AFTER_US or len(self._waiting) * 2 > self._ring
        if due and (self._waiting or self._refused):
            with suppress(RecollectError):  # a full disk or a long lock: they wait for the next time
                self.flush(all_refusals=False)

    def flush(self, *, all_refusals: bool = True) -> None:
        """Write what waits; refusals of the minute that still goes on only when asked to."""
        with self._lock:
            notes, self._waiting = list(self._waiting), deque()
            lost, self._lost = self._lost, 0
            minute = self._clock() // _MINUTE_US
            over = [key for key in self._refused if all_refusals or key[0] != minute]
            notes += [refused for key in over if (refused := self._refused.pop(key)).times]
            self._since_us = self._clock()
        if lost:
            notes.append(AuditNote(at=self._clock(), event=AuditEvent.AUDIT_LOST, caller=UPKEEP, times=lost))
        if not notes:
            return
        try:
            self._write(notes)
        except RecollectError:
            with self._lock:
                self._lost += lost
                self._waiting.extendleft(reversed([note for note in notes if note.event is not AuditEvent.AUDIT_LOST]))
                self._make_room()
            raise

    def entries(
        self,
        *,
        limit: int,
        since: int | None = None,
        caller: str | None = None,
        event: str | None = None,
        scope: str | None = None,
        before: int | None = None,
    ) -> list[AuditEntry]:
        """Entries that fit, newest first, what still waits included unless only older ones are wanted."""
        with suppress(RecollectError):
            self.flush()
        with self._store.read() as tx:
            written = tx.audit.entries(limit=limit, since=since, caller=caller, event=event, scope=scope, before=before)
        if before is not None:
            return written
        with self._lock:
            waiting = [_entry_of(note) for note in reversed(self._waiting) if _fits(note, since, caller, event, scope)]
        return sorted([*waiting, *written], key=lambda entry: entry.at, reverse=True)[:limit]

    def verify(self) -> AuditReport:
        """Look over the whole chain."""
        with suppress(RecollectError):
            self.flush()
        with self._store.read() as tx:
            return tx.audit.verify()

    def forget_person(self, user_id: str) -> None:
        """After the erasure of a person: nothing that still waits names them."""
        theirs = f"user_id={len(user_id)}:{user_id};"

        def unnamed(note: AuditNote) -> AuditNote:
            if note.caller.name != user_id and not (note.scope or "").endswith(theirs):
                return note
            return note._replace(caller=AuditCaller("", note.caller.channel), scope=None, detail=None)

        with self._lock:
            self._waiting = deque(map(unnamed, self._waiting))
            self._refused = {key: unnamed(note) for key, note in self._refused.items()}

    @property
    def _ring(self) -> int:
        return int(self._config.current.audit.ring)

    def _wait(self, note: AuditNote) -> None:
        with self._lock:
            self._waiting.append(note)
            full = len(self._waiting) >= self._ring
        if full:
            with suppress(RecollectError):
                self.flush(all_refusals=False)
            with self._lock:
                self._make_room()

    def _make_room(self) -> None:
        while len(self._waiting) > self._ring:
            self._waiting.popleft()
            self._lost += 1

    def _counted(self, note: AuditNote) -> bool:
        """Whether a refusal is one more of those that were noted in this minute."""
        minute = note.at // _MINUTE_US
        key: tuple[Any, ...] = (minute, note.event, note.caller, note.scope, note.verb, note.outcome)
        with self._lock:
            if key not in self._refused and len(self._refused) >= _REFUSED_MAX:
                key = (minute, note.event, None, None, "", "")
                note = note._replace(caller=AuditCaller("others", note.caller.channel), scope=None, detail=None)
            before = self._refused.get(key)
            first = before is None
            self._refused[key] = note._replace(times=0 if before is None else before.times + note.times)
        return not first

    def _write(self, notes: list[AuditNote]) -> None:
        config = self._config.current

        def work(tx: Tx) -> None:
            if config is not self._policy_of:
                self._note_policy(tx, config)
            tx.audit.extend([_denied_if_hidden(tx, note) for note in notes])

        self._store.write(work)
        self._policy_of = config

    def _note_policy(self, tx: Tx, config: Config) -> None:
        """Note which settings of security differ from those under which something was noted last."""
        now = {key: config.value(key) for key in _POLICY}
        before = orjson.loads(tx.meta.text(_POLICY_NOTE) or "null")
        text = orjson.dumps(now).decode()
        if before is None or before != orjson.loads(text):
            tx.meta.note(_POLICY_NOTE, text)
        if before is not None and (changed := [key for key in now if before.get(key, now[key]) != now[key]]):
            event = AuditEvent.POLICY_CHANGED
            tx.audit.append(event, at=self._clock(), count=len(changed), detail={"settings": changed})

    def _found_key(self) -> bytes:
        with self._store.read() as tx:
            key = tx.audit.key(make=False)
        if key is None:
            try:
                key = self._store.write(lambda tx: tx.audit.key())
            except RecollectError:  # a store that cannot be written: what is noted goes nowhere
                key = os.urandom(32)
        assert key is not None
        return key

    def _plain(self, value: Any) -> Any:
        """A value as it may stand in a detail: a text that is too long to be a name is hashed."""
        if isinstance(value, Mapping):
            return {str(key)[:_TEXT_CHARS_MAX]: self._plain(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(each) for each in value]
        return self.hashed("text", value) if isinstance(value, str) and len(value) > _TEXT_CHARS_MAX else value


def _denied_if_hidden(tx: Tx, note: AuditNote) -> AuditNote:
    """A read that found nothing by an id which exists, but not for the caller, was a denial.

    The caller was told that there is nothing, as quickly as ever; that there is something is looked up here, later.
    """
    if note.event not in _BY_ID or note.times or note.detail is None or note.caller.name == OWNER_NAME:
        return note
    sought = orjson.loads(note.detail).get("id")
    if sought is None or not tx.records.ids_beginning(sought, None, now=note.at, limit=1):
        return note
    return note._replace(event=AuditEvent.ACCESS_DENIED, outcome=AccessDenied.code)


class VaultSeal:
    """The key of the chain under the vault: AES-256-GCM with a key derived from the master key for this alone."""

    def __init__(self, master: MasterKey) -> None:
        self._master = master
        self.name = master.check

    def seal(self, key: bytes) -> str:
        nonce = os.urandom(12)
        return bytes(nonce + self._cipher().encrypt(nonce, key, self.name.encode())).hex()

    def opened(self, sealed: str) -> bytes | None:
        from cryptography.exceptions import InvalidTag

        raw = bytes.fromhex(sealed)
        try:
            return bytes(self._cipher().decrypt(raw[:12], raw[12:], self.name.encode()))
        except InvalidTag:
            return None

    def _cipher(self) -> Any:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        from recollect.security.keys import Purpose

        return AESGCM(self._master.derived(Purpose.AUDIT))


def _fits(note: AuditNote, since: int | None, caller: str | None, event: str | None, scope: str | None) -> bool:
    wanted = ((caller, note.caller.name), (event, note.event.value), (scope, note.scope))
    return (since is None or note.at >= since) and all(asked is None or asked == has for asked, has in wanted)


def _entry_of(note: AuditNote) -> AuditEntry:
    return AuditEntry(
        number=None,
        at=from_us(note.at),
        event=note.event.value,
        verb=note.verb,
        caller=note.caller.name,
        channel=note.caller.channel,
        scope=note.scope,
        count=note.times,
        outcome=note.outcome,
        detail=orjson.loads(note.detail) if note.detail else {},
    )
