"""Erasing a person, a channel or a session: what was stored for them, what was made of it, and every place that names
them.

It cannot be undone. A first transaction blanks the records and notes which they are; a second one removes the rows;
then the file is rewritten, so that no byte is left in it or in its log. Whoever opens the store next finishes what a
killed process left. What others stored that merely speaks of a person stays, and is counted: only people can decide
about that.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from recollect.clock import Clock, from_us
from recollect.errors import StoreError, UsageError
from recollect.exchange.erasure_report import (
    ErasureReport,
    FileSearch,
    KnownBackup,
    backups_of,
    is_scope_of,
    searched,
    traces_of,
    whom_hash,
)
from recollect.model.result import Report
from recollect.recall.access import session_hash
from recollect.security.signing import SigningKey
from recollect.store.base import Store, Tx
from recollect.store.erase import UNTIL_REWRITTEN, Whom
from recollect.store.journal import Begun
from recollect.store.leaving import BegunErasure

ERASE = "erase"
TRACES_MAX = 12  # texts that are looked for afterwards; each costs a pass over every file
Step = Callable[[str], None]
_HASHED = {"user_id": "user", "channel": "channel", "session_id": "session"}  # for what, in the audit
_log = logging.getLogger(__name__)


class _Removed(NamedTuple):
    """What the second step did."""

    records: int
    tables: dict[str, int]
    operation: str
    others: int  # records of others that speak of the person


def _no_step(name: str) -> None:
    """Nobody follows the steps."""


class Erasing:
    """Forgets people, channels and sessions. `forget` lets caches outside the database forget too."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        key: Callable[..., SigningKey | None],
        forget: Callable[[Whom], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._key = key
        self._forget = forget
        self.step: Step = _no_step  # told of each step, for those who test what a kill leaves

    def erase(self, whom: Whom, *, dry_run: bool, actor: str | None, verb: str = ERASE) -> Report:
        """Erase somebody or something; how much there was, and the report to keep."""
        if not whom.told():
            raise UsageError("say what to erase: user_id, channel or session_id")
        with self._store.read() as tx:
            affected = tx.erasure.affected(whom)
            figures = tx.erasure.figures(affected)
            traces = traces_of(tx.erasure.samples(affected, limit=TRACES_MAX))
            backups = backups_of(tx.leaving.files(), whom)
            told = _told(tx, whom)
        if dry_run:
            return Report(figures=figures | {"dry_run": True}, warnings=(*told, *_by_hand(backups)))
        self._forget(whom)  # files beside the database go first: a process killed in between must not leave them
        self.step("begin")
        begun, before = self._store.write(lambda tx: self._blank(tx, whom, verb, actor))
        self.step("blanked")
        removed = self._store.write(lambda tx: self._remove(tx, begun, verb, before))
        self.step("removed")
        self._forget(whom)
        rewritten = self._rewrite()
        self.step("rewritten")
        looked = searched(self._store.path, traces, self._said_elsewhere, encrypted=self._store.encrypted)
        report = self._report(whom, removed, looked, backups, rewritten=not rewritten)
        warnings = (*told, *_by_hand(backups), *rewritten, *_found(looked))
        return Report(figures=figures | {"dry_run": False, "report": report.to_dict()}, warnings=warnings)

    def resume(self) -> int:
        """Finish what a killed process began; how many erasures that were."""
        with self._store.read() as tx:
            waiting = tx.leaving.begun_erasures()
        for begun in waiting:
            whom = Whom(**begun.whom)
            self._forget(whom)
            self._store.write(partial(self._remove, begun=begun, verb=ERASE))
            self._forget(whom)
        if waiting and self._rewrite():
            _log.warning("an erasure was finished, and the file could not be rewritten yet")
        return len(waiting)

    def verify(self, given: Any, whom: Whom) -> Report:
        """Whether a report is this owner's, as it was made; and about whom it is, if somebody is named."""
        report = ErasureReport.read(given)
        key = self._key()
        genuine = key is not None and report.is_signed_by(key)
        figures = {
            "genuine": genuine,
            "at": report.body.get("at"),
            "records": report.body.get("records"),
            "found": sum(file["found"] for file in report.body.get("files", ())) if genuine else None,
        }
        if whom.told():
            figures["about"] = key is not None and report.body.get("whom") == whom_hash(key, whom)
        told = () if genuine else ("the report was changed, or signed under a key that is not this owner's",)
        return Report(figures=figures, warnings=told)

    def _blank(self, tx: Tx, whom: Whom, verb: str, actor: str | None) -> tuple[BegunErasure, dict[str, int]]:
        """The first step; what is to be removed, and how many rows there were by table."""
        at, before = self._clock(), tx.erasure.rows_by_table()
        op = tx.journal.begin(verb, at=at, actor=None if actor == whom.user_id else actor)
        pks = tx.erasure.blank(op, tx.erasure.affected(whom))
        pk = tx.leaving.begin_erasure(whom.told(), pks, operation_pk=op.pk, at=at)
        return BegunErasure(pk, at, whom.told(), pks, op.pk, op.id), before

    def _remove(self, tx: Tx, begun: BegunErasure, verb: str, before: Mapping[str, int] | None = None) -> _Removed:
        """The second step; what went by table since `before`."""
        whom = Whom(**begun.whom)
        before = before or tx.erasure.rows_by_table()
        op = tx.journal.portion(
            Begun(begun.operation_pk, begun.operation), verb, at=self._clock(), scope_pk=None, actor=None
        )
        affected = tx.erasure.affected(whom)
        hashes = [session_hash(each) for each in affected.sessions]
        count = tx.erasure.remove(op, affected, begun.record_pks, sessions=hashes)
        self._forget_notes(tx, whom)
        tx.leaving.end_erasure(begun.pk)
        after = tx.erasure.rows_by_table()
        gone = {name: rows - after[name] for name, rows in before.items() if rows > after[name]}
        op.finish(
            count, final=True, detail={name: tx.audit.hashed(_HASHED[name], each) for name, each in begun.whom.items()}
        )
        return _Removed(count, gone, op.id, tx.erasure.others_speaking_of(whom.user_id) if whom.user_id else 0)

    def _forget_notes(self, tx: Tx, whom: Whom) -> None:
        """Notes of the store itself that name somebody: files that are theirs or called so, rules about them."""
        files = tx.leaving.files()
        theirs = [file.path for file in files if _names(file.path, whom) or is_scope_of(file.of_scope or "", whom)]
        tx.leaving.forget_files(theirs)
        for rule in tx.leaving.rules():
            if _names(rule.rule, whom) or _names(rule.name, whom):
                tx.leaving.drop_rule(rule.name)

    def _rewrite(self) -> tuple[str, ...]:
        """Rewrite the file; a word if that has to wait."""
        try:
            self._store.scrub()
        except StoreError as error:  # what was erased is gone from the tables; only its old places may show
            return (f"the file could not be rewritten now ({error.code}): {UNTIL_REWRITTEN}",)
        return ()

    def _said_elsewhere(self, parts: Sequence[str]) -> set[str]:
        with self._store.read() as tx:
            return tx.erasure.said_elsewhere(parts)

    def _report(
        self,
        whom: Whom,
        removed: _Removed,
        looked: list[FileSearch],
        backups: list[KnownBackup],
        *,
        rewritten: bool,
    ) -> ErasureReport:
        return ErasureReport.made(
            self._key(make=True),
            whom=whom,
            at=from_us(self._clock()),
            operation=removed.operation,
            records=removed.records,
            removed=removed.tables,
            others=removed.others,
            files=looked,
            backups=backups,
            rewritten=rewritten,
        )


def _names(text: str, whom: Whom) -> bool:
    """Whether somebody is named in a text, as a word of it."""
    return any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) for value in whom.told().values())


def _told(tx: Tx, whom: Whom) -> tuple[str, ...]:
    others = tx.erasure.others_speaking_of(whom.user_id) if whom.user_id is not None else 0
    note = f"{others} records outside their scopes speak of them and stay; look at them, and delete what should go"
    return (note,) if others else ()


def _by_hand(backups: list[KnownBackup]) -> tuple[str, ...]:
    """What a person has to do: the only place where files are named."""
    return tuple(
        f"{each.path} was exported on {from_us(each.at):%Y-%m-%d} and may hold them: delete it, or export anew"
        for each in backups
        if each.there
    )


def _found(looked: list[FileSearch]) -> tuple[str, ...]:
    found = sum(file.found for file in looked)
    return (f"{found} erased texts were found in files beside the store; look at `report`",) if found else ()
