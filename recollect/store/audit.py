"""The audit in the database: a chain of entries in which a removed, changed, moved or inserted one shows.

Each entry has a mark: an HMAC over its columns and the mark before it. How far the chain goes is noted elsewhere
(`meta`), under the key too, so that entries missing at its end show as well. Whoever has the key can forge all of it;
whoever puts an older copy of the whole file in its place is not noticed.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import orjson

from recollect.clock import from_us
from recollect.model.audit import UPKEEP, AuditCaller, AuditEntry, AuditEvent, AuditNote, AuditReport
from recollect.store.base import Group

KEY_NOTE, HEAD_NOTE = "audit_key", "audit_head"
PLAIN = "plain"  # how the key is noted where no vault seals it
_KEY_BYTES, _SALT_BYTES = 32, 16
_ALGORITHM = "sha256"
_START = bytes(32)  # what the first entry follows
_ENTRY = "pk, at, event, verb, channel, count, outcome, told, caller, scope, detail, salt, mark, unnamed"
_SAID = 7  # columns before `told`
_MARK_BYTES = 32
_CHUNK = 1_000


class AuditSeal(Protocol):
    """Keeps the key of the chain: under a vault, or as it is."""

    name: str

    def seal(self, key: bytes) -> str: ...
    def opened(self, sealed: str) -> bytes | None:
        """The key; None where it was sealed otherwise."""


class PlainSeal:
    """No vault: the key lies beside the chain, for whoever can read the file."""

    name = PLAIN

    def seal(self, key: bytes) -> str:
        return key.hex()

    def opened(self, sealed: str) -> bytes | None:
        return bytes.fromhex(sealed)


class _ChainEnd(NamedTuple):
    """Where the chain ends."""

    pk: int
    mark: bytes


class _ChainedEntry(NamedTuple):
    """An entry as it is stored."""

    pk: int
    at: int
    event: str
    verb: str
    channel: str
    counted: int
    outcome: str
    told: bytes | None
    caller: str | None
    scope: str | None
    detail: str | None
    salt: bytes | None
    mark: bytes | None
    unnamed: bytes | None

    def marked(self, key: bytes, before: bytes) -> bytes:
        """The mark of this entry after another one."""
        return _keyed(key, b"entry\0" + before + (self.told or b"") + orjson.dumps(self[:_SAID]))

    def retold(self, key: bytes) -> bytes:
        """What stands for who called, for whom, and the details."""
        return _told(key, self.salt or b"", self.caller, self.scope, self.detail)


class AuditRows(Group):
    """The chain of entries."""

    _known: tuple[str, str, bytes] = ("", "", b"")  # the key as it was last noted, how, and opened

    def key(self, *, make: bool = True) -> bytes | None:
        """The key of the chain; made with the first entry. None where there is none, or where it is sealed otherwise.

        A key that cannot be opened here is left alone, and another one begun: what it marked cannot be checked then.
        """
        seal = self.tx.audit_seal or PlainSeal()
        text = self.tx.meta.text(KEY_NOTE) or "{}"
        if (text, seal.name) == self._known[:2]:  # unsealing takes longer than the rest
            return self._known[2]
        noted: dict[str, str] = orjson.loads(text)
        if seal.name in noted and (key := seal.opened(noted[seal.name])) is not None:
            self._known = (text, seal.name, key)
            return key
        if not make:
            return None
        key = os.urandom(_KEY_BYTES)
        self.tx.meta.note(KEY_NOTE, orjson.dumps({seal.name: seal.seal(key)}).decode())
        return key

    def seal(self, seals: Sequence[AuditSeal]) -> None:
        """Keep the key in these ways, and in no other. For a change of the vault's key: both, and then the new one."""
        key = self.key()
        assert key is not None
        self.tx.meta.note(KEY_NOTE, orjson.dumps({each.name: each.seal(key) for each in seals}).decode())

    def append(
        self,
        event: AuditEvent,
        *,
        at: int,
        verb: str = "",
        actor: str | None = None,
        scope: str | None = None,
        count: int = 1,
        outcome: str = "ok",
        detail: dict[str, Any] | None = None,
    ) -> None:
        """Note something inside the transaction that does it. Who calls is known to the transaction."""
        call = self.tx.call
        calling = UPKEEP if call is None else call.caller
        if call is not None:
            call.noted = True
        caller = calling if actor is None else AuditCaller(actor, calling.channel)
        told = None if detail is None else orjson.dumps(detail).decode()
        self.extend(
            [
                AuditNote(
                    at=at,
                    event=event,
                    caller=caller,
                    verb=verb,
                    scope=scope,
                    times=count,
                    outcome=outcome,
                    detail=told,
                )
            ]
        )

    def extend(self, notes: Iterable[AuditNote]) -> None:
        """Append entries to the chain."""
        key = self.key()
        assert key is not None
        head = self._head(key)
        if head is None or head.pk < (
            self.sql.value("SELECT max(pk) FROM audit") or 0
        ):  # lost, or rows put in after it
            head = self._begun(key)
        rows: list[_ChainedEntry] = []
        for note in notes:
            row = _row_of(note, head.pk + 1, key, head.mark)
            head = _ChainEnd(row.pk, row.mark or b"")
            rows.append(row)
        self.sql.many(f"INSERT INTO audit ({_ENTRY}) VALUES ({', '.join('?' * len(_ChainedEntry._fields))})", rows)
        self._note_head(key, head)

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
        """Entries that fit, newest first; `before`: only those with a lower number."""
        wanted = {"at >= ?": since, "caller = ?": caller, "event = ?": event, "scope = ?": scope, "pk < ?": before}
        given = {condition: value for condition, value in wanted.items() if value is not None}
        where = " AND ".join(given) or "1 = 1"
        rows = self.sql.all(
            f"SELECT {_ENTRY} FROM audit WHERE {where} ORDER BY pk DESC LIMIT ?", [*given.values(), limit]
        )
        return [_entry_of(_ChainedEntry._make(row)) for row in rows]

    def hashed(self, use: str, text: str) -> str:
        """What stands for a text in a detail."""
        key = self.key()
        assert key is not None
        return keyed_hash(key, use, text)

    def size(self) -> int:
        """How many entries there are."""
        return int(self.sql.value("SELECT count(*) FROM audit"))

    def verify(self) -> AuditReport:
        """Look over the whole chain."""
        key = self.key(make=False)
        if key is None:
            empty = self.sql.value("SELECT 1 FROM audit LIMIT 1") is None
            why = "" if empty else "the key of the chain is not known here: nothing can be checked"
            return AuditReport(ok=empty, checked=0, why=why)
        cut = self._cut(key)
        faults: list[tuple[int, str]] = []
        at, before, checked = cut.pk, cut.mark, 0
        for row in self._rows():
            why = _fault(row, key, at, before)
            if why:
                faults.append((row.pk, why))
            at, before, checked = row.pk, row.mark or b"", checked + 1
        head = self._head(key)
        if head is None or head != (at, before):
            told = "the end of the chain is not where it should be: entries after this one are missing"
            faults.append((at, told if head is None or head.pk > at else "the note of where the chain ends is older"))
        first, why = faults[0] if faults else (None, "")
        return AuditReport(
            ok=not faults,
            checked=checked,
            first_bad=first,
            why=why,
            bad=len(faults),
            cut_through=cut.pk or None,
            sealed=self.tx.audit_seal is not None,
        )

    def cut(self, *, at: int, before: int | None = None, rows_max: int | None = None) -> int:
        """Remove entries from before a time, and the oldest beyond a number; how many went.

        The mark of the last one that goes is noted in an entry of its own, so that the rest can still be checked.
        """
        through = 0
        if before is not None:
            newer = self.sql.value("SELECT min(pk) FROM audit WHERE at >= ?", (before,))
            through = (newer or self.sql.value("SELECT coalesce(max(pk), 0) + 1 FROM audit")) - 1
        if rows_max is not None:
            beyond = self.sql.value("SELECT pk FROM audit ORDER BY pk DESC LIMIT 1 OFFSET ?", (rows_max,))
            through = max(through, beyond or 0)
        last = self.sql.value("SELECT mark FROM audit WHERE pk = ?", (through,))
        if last is None:  # nothing is so old, or it is in no chain yet
            return 0
        gone = self.sql.run("DELETE FROM audit WHERE pk <= ?", (through,))
        detail = {"through": through, "mark": last.hex()}
        self.append(AuditEvent.AUDIT_CUT, at=at, verb="retention", count=gone, detail=detail)
        return gone

    def unname(self, user_id: str | None, scopes: Sequence[str] = ()) -> int:
        """Take out who called, for whom and the details, wherever a person or one of these scopes is named.

        How many entries that concerns.
        """
        key = self.key()
        assert key is not None
        if self._head(key) is None and self.sql.value("SELECT 1 FROM audit LIMIT 1"):
            self._note_head(key, self._begun(key))
        theirs = None if user_id is None else f"user_id={len(user_id)}:{user_id};"
        rows = self.sql.all(
            f"SELECT {_ENTRY} FROM audit WHERE caller = ?1 OR substr(scope, length(scope) - length(?2) + 1) = ?2 "
            "OR scope IN (SELECT value FROM EACH_ITEM(?3))",
            (user_id, theirs, orjson.dumps(list(scopes)).decode()),
        )
        marks = [(_unnamed(key, _ChainedEntry._make(row)), row[0]) for row in rows]
        self.sql.many(
            "UPDATE audit SET caller = NULL, scope = NULL, detail = NULL, salt = NULL, unnamed = ? WHERE pk = ?", marks
        )
        return len(marks)

    def _rows(self) -> Iterator[_ChainedEntry]:
        """Every entry in order, in portions: a reader must not hold a million of them."""
        last = 0
        while rows := self.sql.all(f"SELECT {_ENTRY} FROM audit WHERE pk > ? ORDER BY pk LIMIT {_CHUNK}", (last,)):
            yield from map(_ChainedEntry._make, rows)
            last = rows[-1][0]

    def _head(self, key: bytes) -> _ChainEnd | None:
        """Where the chain ends; None where that is not noted, or not by somebody with the key."""
        noted = (self.tx.meta.text(HEAD_NOTE) or "").split(":")
        try:
            head = _ChainEnd(int(noted[0]), bytes.fromhex(noted[1]))
            return head if hmac.compare_digest(bytes.fromhex(noted[2]), _head_mark(key, head)) else None
        except (IndexError, ValueError):
            return None

    def _note_head(self, key: bytes, head: _ChainEnd) -> None:
        self.tx.meta.note(HEAD_NOTE, f"{head.pk}:{head.mark.hex()}:{_head_mark(key, head).hex()}")

    def _begun(self, key: bytes) -> _ChainEnd:
        """A chain from here on. Entries from before there were marks are taken into it as they are.

        Where there was a chain already its end was lost, by accident or by somebody: that is noted, and `verify` tells.
        """
        last = self.sql.one("SELECT pk, mark FROM audit WHERE mark IS NOT NULL ORDER BY pk DESC LIMIT 1")
        if last is not None or self.tx.meta.text(HEAD_NOTE) is not None:
            newest = int(self.sql.value("SELECT coalesce(max(pk), 0) FROM audit"))
            head = _ChainEnd(newest, (last[1] if last is not None and last[0] == newest else None) or _START)
            note = AuditNote(at=self._newest_time(), event=AuditEvent.AUDIT_BROKEN, caller=UPKEEP)
            row = _row_of(note, newest + 1, key, head.mark)
            self.sql.run(f"INSERT INTO audit ({_ENTRY}) VALUES ({', '.join('?' * len(row))})", row)
            return _ChainEnd(row.pk, row.mark or b"")
        head = _ChainEnd(0, _START)
        for row in list(self._rows()):
            salted = row._replace(salt=os.urandom(_SALT_BYTES))
            salted = salted._replace(told=salted.retold(key))
            head = _ChainEnd(row.pk, salted.marked(key, head.mark))
            self.sql.run(
                "UPDATE audit SET told = ?, salt = ?, mark = ? WHERE pk = ?",
                (salted.told, salted.salt, head.mark, row.pk),
            )
        return head

    def _newest_time(self) -> int:
        return int(self.sql.value("SELECT coalesce(max(at), 0) FROM audit"))

    def _cut(self, key: bytes) -> _ChainEnd:
        """What the oldest entry follows: the last one that retention removed, or the beginning."""
        detail = self.sql.value(
            "SELECT detail FROM audit WHERE event = ? ORDER BY pk DESC LIMIT 1", (AuditEvent.AUDIT_CUT.value,)
        )
        try:
            told = orjson.loads(detail or "null")
            return (
                _ChainEnd(0, _START) if told is None else _ChainEnd(int(told["through"]), bytes.fromhex(told["mark"]))
            )
        except (ValueError, KeyError, TypeError):
            return _ChainEnd(0, _START)  # somebody changed it; the chain says so


def _row_of(note: AuditNote, pk: int, key: bytes, before: bytes) -> _ChainedEntry:
    """A note as the entry that follows another one."""
    at, event, (name, channel), verb, scope, times, outcome, detail = note
    salt = os.urandom(_SALT_BYTES)
    told = _told(key, salt, name, scope, detail)
    said = (pk, at, event.value, verb, channel, times, outcome)
    mark = _keyed(key, b"entry\0" + before + told + orjson.dumps(said))
    return _ChainedEntry(*said, told, name, scope, detail, salt, mark, None)


def _fault(row: _ChainedEntry, key: bytes, at: int, before: bytes) -> str:
    """What is wrong with an entry after another one; empty if nothing is."""
    if row.event == AuditEvent.AUDIT_BROKEN:
        return "the end of the chain had been lost when this was written: entries before it may be missing"
    if row.mark is None:
        return "it has no mark: it was inserted, or its mark was taken away"
    sizes = (row.told is None or len(row.told) == _MARK_BYTES) and (row.salt is None or len(row.salt) == _SALT_BYTES)
    if not sizes or not hmac.compare_digest(row.mark, row.marked(key, before)):
        if row.pk != at + 1:
            return f"{row.pk - at - 1} entries before it are missing"
        return "it was changed, inserted or moved, or the one before it was"
    if row.unnamed is not None:
        emptied = (row.caller, row.scope, row.detail, row.salt) == (None,) * 4
        return (
            ""
            if emptied and hmac.compare_digest(row.unnamed, _unnamed(key, row))
            else "it was changed after an erasure"
        )
    if not hmac.compare_digest(row.told or b"", row.retold(key)):
        return "who called, for whom, or the details were changed"
    return ""


def _entry_of(row: _ChainedEntry) -> AuditEntry:
    return AuditEntry(
        number=row.pk,
        at=from_us(row.at),
        event=row.event,
        verb=row.verb,
        caller=row.caller,
        channel=row.channel,
        scope=row.scope,
        count=row.counted,
        outcome=row.outcome,
        detail=orjson.loads(row.detail) if row.detail else {},
        unnamed=row.unnamed is not None,
    )


def _keyed(key: bytes, said: bytes) -> bytes:
    """An HMAC. What is said begins with what it is, and all but the last part of it are of known length."""
    return hmac.digest(key, said, _ALGORITHM)


def _told(key: bytes, salt: bytes, caller: str | None, scope: str | None, detail: str | None) -> bytes:
    return _keyed(key, b"told\0" + salt + orjson.dumps((caller, scope, detail)))


def _head_mark(key: bytes, head: _ChainEnd) -> bytes:
    return _keyed(key, b"head\0%b%d" % (head.mark, head.pk))


def _unnamed(key: bytes, row: _ChainedEntry) -> bytes:
    return _keyed(key, b"unnamed\0%b%d" % (row.mark or b"", row.pk))


def keyed_hash(key: bytes, use: str, text: str) -> str:
    """What stands for a text in a detail: who lacks the key cannot check a guess against it."""
    return _keyed(key, b"%b\0%b" % (use.encode(), text.encode("utf-8", "surrogatepass")))[:16].hex()
