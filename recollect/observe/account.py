"""Sessions of coding agents as people are told of them: what was done, what came of it, how much is known by now."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from posixpath import dirname

import orjson

from recollect.clock import SECOND_US, Clock, from_us, maybe_from_us
from recollect.config import LiveConfig
from recollect.errors import NotFound, UsageError
from recollect.ids import ID_CHARS
from recollect.model.observed import (
    AgentSession,
    Coverage,
    LearnedRecord,
    ModuleCoverage,
    SessionEnd,
    SessionError,
    SessionRecord,
    Signal,
    SignalKind,
)
from recollect.model.query import Criteria
from recollect.model.record import Record, Tier
from recollect.model.scope import GLOBAL, Reach, Scope
from recollect.observe.meter import Meters
from recollect.observe.phase import EVENTS_LOOKED_AT, phase_of
from recollect.observe.standing import (
    SOURCE,
    InferredStanding,
    TrackRecord,
    files_of,
    may_be_said_unasked,
    may_warn,
    standing_of_record,
)
from recollect.store.base import Store, Tx
from recollect.store.observed import SessionRow, SignalRow

KNOWN_MAX = 10_000  # records about files that are looked at for what is covered, newest first
CLIENTS_MAX = 50  # that have a session of one name
_HOW = {"added": "learned", "again": "again", "stored": "stored", "state": "state"}
_EVERY_TIER = tuple(tier.value for tier in Tier)

Scopes = Callable[[Tx], Sequence[int] | None]


class Accounts:
    """Tells of the sessions of one store."""

    def __init__(self, store: Store, config: LiveConfig, clock: Clock, meters: Meters) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._meters = meters

    def named(self, scope_pks: Scopes, session_id: str, client: str | None) -> SessionRow:
        """The session of a name; `client` tells sessions of one name apart."""
        with self._store.read() as tx:
            found = tx.observed.sessions(scope_pks(tx), session_id=session_id, limit=CLIENTS_MAX)
        found = [each for each in found if client in (None, each.client)]
        if not found:
            raise NotFound("no session of a coding agent has that id here; `observed` lists those there are")
        if len(found) > 1:
            clients = ", ".join(sorted({each.client for each in found}))
            raise UsageError(f"{len(found)} sessions have that id: name the client ({clients}) or the project")
        return found[0]

    def sessions(self, scope_pks: Scopes, *, session_id: str | None, limit: int) -> list[AgentSession]:
        """Sessions with what they show, the newest first. Sequences count from a number of sessions on."""
        with self._store.read() as tx:
            rows = tx.observed.sessions(scope_pks(tx), session_id=session_id, limit=limit)
            scopes = tx.scopes.load_all({row.scope_pk for row in rows})
            return [self._session(tx, row, scopes.get(row.scope_pk, GLOBAL)) for row in rows]

    def ended(self, row: SessionRow) -> SessionEnd:
        """What came of a session that was concluded."""
        with self._store.read() as tx:
            of_name = tx.observed.sessions([row.scope_pk], session_id=row.id, limit=CLIENTS_MAX)
            (now,) = (each for each in of_name if each.pk == row.pk)
            scope = tx.scopes.load(row.scope_pk) or GLOBAL
            told = {**tx.accounts.outcome(row.pk), "stored": tx.observed.named(row.pk)["stored"]}
            records = [each for name in _HOW for each in self._records(tx, scope, told.get(name, ()), _HOW[name])]
            session = self._session(tx, now, scope)
        return SessionEnd(
            session=session,
            records=tuple({each.id: each for each in records[::-1]}.values())[::-1],
            operations=told.get("operations", ()),
            figures=self._meters.of(row),
        )

    def coverage(self, scope_pks: Scopes, scope: Scope | None, *, limit: int) -> Coverage:
        """How much is known; `scope` is whose records count, None for everybody's."""
        now = self._clock()
        with self._store.read() as tx:
            pks = scope_pks(tx)
            log = tx.accounts.log_figures(pks)
            worked = tx.accounts.worked_in(pks)
            reach = Reach.ALL if scope is None else Reach.SCOPE
            whose = Criteria(scope=scope or GLOBAL, reach=reach, tiers=_EVERY_TIER)
            found = tx.records.latest(whose, now=now, limit=KNOWN_MAX)
            records = [record for record in tx.records.load(found).values() if files_of(record)]
        standing = Counter(_standing(record, now).value for record in records if record.source == SOURCE)
        return Coverage(
            sessions=log.sessions,
            open=log.open,
            events=log.events,
            since=maybe_from_us(log.oldest),
            errors=log.errors,
            cured=log.cured,
            standing={each.value: standing[each.value] for each in InferredStanding},
            review=sum(record.source == SOURCE and record.needs_review and _is_kept(record) for record in records),
            modules=tuple(_modules(worked, [record for record in records if _is_kept(record)])[:limit]),
        )

    def learned(self, whose: Criteria, *, standing: str | None, limit: int) -> list[LearnedRecord]:
        """What is known of projects' files by watching, by tests or by word, with its standing, the newest first."""
        now = self._clock()
        with self._store.read() as tx:
            found = tx.records.latest(replace(whose, tiers=_EVERY_TIER), now=now, limit=KNOWN_MAX)
            loaded = tx.records.load(found)
        told = (_learned(loaded[pk], now) for pk in found if pk in loaded)
        return [each for each in told if standing in (None, each.standing)][:limit]

    def _session(self, tx: Tx, row: SessionRow, scope: Scope) -> AgentSession:
        least = self._config.current.observe.sequence_sessions
        signals = tx.observed.signals(row.pk)
        sequences = [each.subject for each in signals if each.kind == SignalKind.SEQUENCE]
        seen = tx.observed.sessions_showing(SignalKind.SEQUENCE.value, sequences, row.scope_pk) if sequences else {}
        told = [each for each in signals if each.kind != SignalKind.SEQUENCE or seen.get(each.subject, 0) >= least]
        named, outcome = tx.observed.named(row.pk), tx.accounts.outcome(row.pk)
        there = {each.id[:ID_CHARS] for each in self._there(tx, scope, named["cited"])}
        return AgentSession(
            id=row.id,
            client=row.client,
            project=scope.project,
            started_at=from_us(row.started_at),
            last_at=from_us(row.last_at),
            ended_at=maybe_from_us(row.ended_at),
            steps=row.steps,
            outside=row.outside,
            files=row.files,
            errors=row.errors,
            shown=named["shown"],
            cited=tuple(each for each in named["cited"] if each in there),
            unknown=tuple(each for each in named["cited"] if each not in there),
            found=named["found"],
            stored=named["stored"],
            used=outcome.get("used", ()),
            in_vain=outcome.get("in_vain", ()),
            learned=outcome.get("added", ()),
            again=outcome.get("again", ()),
            errors_met=tuple(
                SessionError(tool=each.tool, error=each.error, count=each.times, cured_by=_edited(each.cure))
                for each in tx.accounts.errors_met(row.pk)
            ),
            phase=phase_of(tx.observed.events(row.pk, last=EVENTS_LOOKED_AT)),
            signals=tuple(_signal(each, seen) for each in told),
        )

    def _records(self, tx: Tx, scope: Scope, begun: Iterable[str], how: str) -> list[SessionRecord]:
        return [
            SessionRecord(id=each.id, how=how, category=each.category or "", content=each.content)
            for each in self._there(tx, scope, begun)
        ]

    def _there(self, tx: Tx, scope: Scope, begun: Iterable[str]) -> list[Record]:
        """Records by the beginnings of their ids, those that are still there."""
        now, seen = self._clock(), Criteria(scope=scope)
        ids = [id_ for each in begun for id_ in tx.records.ids_beginning(each, seen, now=now)]
        return [each for each in tx.records.load(tx.records.pks_of(ids)).values() if each.retired_at is None]


def _edited(cure: str | None) -> tuple[str, ...] | None:
    return None if cure is None else tuple(orjson.loads(cure).get("edited") or ())


def _signal(row: SignalRow, seen: Mapping[str, int]) -> Signal:
    detail = orjson.loads(row.detail) if row.detail else {}
    if row.kind == SignalKind.SEQUENCE:
        detail["sessions"] = seen.get(row.subject, 1)
    return Signal(
        kind=SignalKind(row.kind),
        subject=row.subject,
        other=row.other,
        count=row.times,
        at=from_us(row.at),
        detail=detail,
    )


def _learned(record: Record, now: int) -> LearnedRecord:
    track = TrackRecord.of(record.attributes)
    return LearnedRecord(
        record=record,
        standing=_standing(record, now).value,
        told=_is_kept(record) and may_warn(record) and may_be_said_unasked(record, now // SECOND_US),
        files=tuple(sorted(files_of(record))),
        seen=len(track.seen_in),
        used=len(track.used_in),
        in_vain=len(track.in_vain),
        last_used_at=from_us(track.last_used_s * SECOND_US) if track.last_used_s else None,
    )


def _standing(record: Record, now: int) -> InferredStanding:
    return InferredStanding.RETIRED if not _is_kept(record) else standing_of_record(record, now_s=now // SECOND_US)


def _is_kept(record: Record) -> bool:
    return record.tier is not Tier.ARCHIVE


def _modules(worked: Iterable[tuple[str, int, bool]], records: Iterable[Record]) -> list[ModuleCoverage]:
    """The folders that were worked in, those of most sessions first."""
    about: dict[str, set[str]] = defaultdict(set)  # records by file
    for record in records:
        for path in files_of(record):
            about[path].add(record.id)
    sessions: dict[str, set[int]] = defaultdict(set)
    files: dict[str, dict[str, bool]] = defaultdict(dict)
    for path, session, changed in worked:
        module = dirname(path) or "."
        sessions[module].add(session)
        files[module][path] = files[module].get(path, False) or changed
    found = [
        ModuleCoverage(
            module=module,
            sessions=len(sessions[module]),
            files=len(of),
            edited=sum(of.values()),
            known=sum(path in about for path in of),
            records=len({id_ for path in of for id_ in about.get(path, ())}),
        )
        for module, of in files.items()
    ]
    return sorted(found, key=lambda each: (-each.sessions, -each.edited, each.module))
