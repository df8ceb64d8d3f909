"""What is remembered of a session of work once it is over: signals become records, and records that were seen again,
cited or shown in vain move in their standing.

One session is one operation, so `undo` takes back all that was concluded from it. What is concluded waits for review
and is said to nobody unasked until it has earned that (`observe.standing`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from recollect.clock import SECOND_US, Clock
from recollect.code.pairs import lower_bound
from recollect.config import LiveConfig
from recollect.config.observing import ObserveSettings
from recollect.errors import ProviderError
from recollect.ids import ID_CHARS
from recollect.model.observed import SignalKind
from recollect.model.query import Criteria
from recollect.model.record import Record
from recollect.model.scope import Scope
from recollect.observe.chance import NearByChance
from recollect.observe.inference import (
    KNOWN_COSINE,
    PER_SESSION_MAX,
    WORTH_MIN,
    Backtrack,
    BacktrackCause,
    FilesTogether,
    FromWatching,
    ReadAgain,
    RepeatedError,
    Signal,
    UsualFile,
    inferred,
)
from recollect.observe.modules import ModuleReads
from recollect.observe.phase import phase_of
from recollect.observe.proving import Proof, proved
from recollect.observe.relay import hand_over, left_by
from recollect.observe.retiring import retire
from recollect.observe.standing import ATTRIBUTE, SOURCE, TrackRecord, files_of
from recollect.observe.work_state import WorkStates, task_of
from recollect.providers.base import Embedder
from recollect.store.base import Store, Tx
from recollect.store.journal import adopt
from recollect.store.observed import RepeatedSignal, SessionOver
from recollect.store.rows import from_json, to_json

if TYPE_CHECKING:
    from recollect.ingest.pipeline import Ingest

ACTOR = "observer"
CATEGORIES = ("causal_dependency", "module_insight", "error_pattern", "gotcha", "prefetch_pattern")
SESSIONS_A_PASS = 20
KNOWN_MAX = 2_000  # records of a project that a conclusion is held against, newest first
MODULE_SESSIONS_MAX = 60  # sessions of a project whose files are looked at for what is usual
FIRST_CONFIDENCE = 0.5
TRIGGER_SHARE, TRIGGERS_MAX = 0.8, 3  # of the sessions that met an error, from which on a file they edited is named
CHANGING = frozenset({"edit", "write"})
FIRST_SHARE, FIRST_SESSIONS = 0.8, 5  # from which on one file of a pair is said to come after the other
SURETY = 1.28  # deviations by which a share is taken to be lower than it was: nine times of ten it is not that low
INFERRED_FIELDS: Mapping[str, Any] = {
    "source": SOURCE,
    "needs_review": True,
    "confidence": FIRST_CONFIDENCE,
    "kind": "semantic",
}
CORROBORATION = 0.2  # share of what is missing to certainty that another session makes up for


class Concluded(NamedTuple):
    """What one session came to."""

    session: str
    added: tuple[str, ...] = ()
    corroborated: tuple[str, ...] = ()
    operation: str | None = None


class Conclusions:
    """Concludes sessions of one store."""

    def __init__(
        self,
        store: Store,
        config: LiveConfig,
        clock: Clock,
        *,
        ingest: Callable[[], Ingest],
        embedder: Callable[[], Embedder | None],
        states: WorkStates,
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self._ingest = ingest
        self._embedder = embedder
        self._states = states

    def conclude(self, *, limit: int = SESSIONS_A_PASS, only: int | None = None) -> list[Concluded]:
        """Conclude the sessions that are over, oldest first, or `only` one. Done twice, it changes nothing."""
        settings = self._config.current.observe
        if not (settings.enabled and settings.infer):
            return []
        idle_before = self._clock() - int(settings.idle_minutes * 60) * SECOND_US
        with self._store.read() as tx:
            over = tx.observed.over(idle_before=idle_before, limit=limit, only=only)
        return [self._conclude(session, settings) for session in over]

    def note_states(self) -> None:
        """Write down where sessions whose context was just compacted left the work."""
        with self._store.read() as tx:
            compacted = tx.observed.just_compacted(limit=SESSIONS_A_PASS)
        for session_pk, session_id, scope_pk, root in compacted:
            self._states.note(session_pk, session_id, scope_pk, root, over=False)

    def _conclude(self, session: SessionOver, settings: ObserveSettings) -> Concluded:
        with self._store.read() as tx:
            scope = tx.scopes.load(session.scope_pk)
            assert scope is not None, "a session has a scope"
            found = inferred(_signals(tx, session, settings), settings)
            known = _known(tx, scope, self._clock())
            events = tx.observed.events(session.pk)
            task, stage = (
                task_of(events, session.root),
                left_by(tx, scope, session, events, settings, now=self._clock()),
            )
            proof = proved(
                events,
                tx.observed.signals(session.pk),
                {record.id: record for record in (*known, *_named(tx, scope, session.cited, self._clock()))}.values(),
                cited=session.cited,
            )
        new, again = self._held_against(found, known)
        stored = (
            self._ingest().add(
                [as_item(each) for each in new],
                scope=scope,
                session_id=session.id,
                fields=INFERRED_FIELDS,
                infer=False,
                actor=ACTOR,
                seen_in=[each.sessions for each in new],
            )
            if new
            else None
        )
        seen_again = {record.id: each.sessions for record, each in again}
        state = self._states.note(session.pk, session.id, session.scope_pk, session.root)
        moved = seen_again.keys() | proof.used | proof.in_vain

        def work(tx: Tx) -> str | None:
            at = self._clock()
            changes = [
                change for each in sorted(moved) if (change := _change(tx, session, each, seen_again, proof, at=at))
            ]
            left = tx.records.pks_of([each.id for each in stage])
            added = () if stored is None else stored.ids
            outcome = _outcome(proof, added=added, again=seen_again, state=() if state is None else (state,))
            if stored is None and not changes and not left:
                tx.accounts.note_concluded(session.pk, to=session.to, outcome=outcome)
                return None
            op = tx.journal.begin("observe", at=self._clock(), scope_pk=session.scope_pk, actor=ACTOR)
            for pk, old, columns in changes:
                tx.records.adjust(op, pk, old, columns)
            for pk in left:
                hand_over(tx, op, pk, session.id, phase_of(events) or "", task)
            op.finish(len(changes) + len(left))
            if stored is not None and stored.operation is not None:
                adopt(op, [stored.operation])
            tx.accounts.note_concluded(session.pk, to=session.to, outcome={**outcome, "operations": [op.id]})
            return op.id

        operation = self._store.write(work)
        return Concluded(
            session.id, () if stored is None else stored.ids, tuple(each.id for each, _ in again), operation
        )

    def _held_against(
        self, found: Sequence[FromWatching], known: Sequence[Record]
    ) -> tuple[list[FromWatching], list[tuple[Record, FromWatching]]]:
        """What is new and worth it, the worthiest first; and what speaks for a record that is there."""
        by_key = {record.attributes.get(ATTRIBUTE, {}).get("key"): record for record in known}
        again = [(by_key[each.key], each) for each in found if each.key in by_key]
        fresh = [each for each in found if each.key not in by_key]
        likeness = self._likeness(fresh, known)
        new: list[tuple[float, FromWatching]] = []
        now_s = self._clock() // SECOND_US
        for each, (record, cosine) in zip(fresh, likeness, strict=True):
            worth = each.worth(now_s, cosine)
            if record is not None and cosine >= KNOWN_COSINE:
                again.append((record, each))
            elif worth > WORTH_MIN:
                new.append((worth, each))
        new.sort(key=lambda pair: -pair[0])
        return [each for _, each in new[:PER_SESSION_MAX]], again

    def _likeness(self, found: Sequence[FromWatching], known: Sequence[Record]) -> list[tuple[Record | None, float]]:
        """The record of the same files that is most like each, and how like it is; none without an embedder."""
        about = [[record for record in known if _may_be(each, record)] for each in found]
        texts = list(dict.fromkeys([each.content for each in found] + [one.content for of in about for one in of]))
        vectors: dict[str, Any] = {}
        embedder = self._embedder() if any(about) else None
        if embedder is not None:
            with suppress(ProviderError):
                vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        out: list[tuple[Record | None, float]] = []
        for each, records in zip(found, about, strict=True):
            near = [(float(np.dot(vectors[each.content], vectors[one.content])), one) for one in records if vectors]
            cosine, record = max(near, key=lambda pair: pair[0], default=(0.0, None))
            out.append((record, cosine))
        return out

    def retire(self) -> int:
        """Move what was inferred to where it stands now (`observe.retiring`); how many records."""
        return self._store.write(lambda tx: retire(tx, CATEGORIES, now=self._clock()))


def _may_be(each: FromWatching, record: Record) -> bool:
    """Whether a record may say the same: it is of these files, and no conclusion of its own about others."""
    files = files_of(record)
    own = record.attributes.get(ATTRIBUTE, {}).get("key") is not None and record.category == each.category
    return files == set(each.files) if own else bool(files & set(each.files))


def _short(ids: Iterable[str]) -> list[str]:
    return sorted({each[:ID_CHARS] for each in ids})


def _outcome(proof: Proof, **told: Iterable[str]) -> dict[str, list[str]]:
    """What a session came to: beginnings of ids."""
    return {name: _short(ids) for name, ids in {**told, "used": proof.used, "in_vain": proof.in_vain}.items()}


def _known(tx: Tx, scope: Scope, now: int) -> list[Record]:
    """What was concluded or noted of the files of a project."""
    found = tx.records.latest(Criteria(categories=CATEGORIES, scope=scope), now=now, limit=KNOWN_MAX)
    return _in_order(tx, found)


def _named(tx: Tx, scope: Scope, cited: Collection[str], now: int) -> list[Record]:
    """Records of any sort that a session cited, by the beginnings of their ids."""
    ids = [found for each in cited for found in tx.records.ids_beginning(each, Criteria(scope=scope), now=now)]
    return _in_order(tx, tx.records.pks_of(ids))


def _in_order(tx: Tx, pks: Sequence[int]) -> list[Record]:
    loaded = tx.records.load(pks)
    return [loaded[pk] for pk in pks if pk in loaded]


def as_item(each: FromWatching) -> dict[str, Any]:
    metadata: dict[str, Any] = {"related_files": list(each.files)}
    if each.required_with is not None:
        metadata["required_with"] = list(each.required_with)
    evidence = TrackRecord(seen_in=each.sessions).to_dict()
    return {
        "content": each.content,
        "category": each.category,
        "metadata": metadata,
        "attributes": {ATTRIBUTE: {"key": each.key, **evidence}},
    }


def _change(
    tx: Tx, session: SessionOver, record_id: str, seen_again: Mapping[str, Collection[str]], proof: Proof, *, at: int
) -> tuple[int, Mapping[str, Any], dict[str, Any]] | None:
    """How a record moves because it was seen again, used, or shown in vain; None if this session has moved it already.

    What was seen again is surer, and so is a conclusion that was used. A note of somebody's is no truer for being used.
    """
    for pk in tx.records.pks_of([record_id]):
        old = tx.records.columns_of(pk)
        if old is None:
            continue
        attributes = from_json(old["attributes"], {})
        before = now = TrackRecord.of(attributes)
        if record_id in seen_again:
            now = now.seen((*seen_again[record_id], session.id))
        if record_id in proof.used:
            now = now.used(session.id, at // SECOND_US)
        if record_id in proof.in_vain:
            now = now.was_in_vain(session.id)
        if now == before:
            return None
        kept = attributes.get(ATTRIBUTE)
        attributes[ATTRIBUTE] = (kept if isinstance(kept, dict) else {}) | now.to_dict()
        columns: dict[str, Any] = {"attributes": to_json(attributes)}
        for surer in (now.seen_in != before.seen_in, now.used_in != before.used_in and old["source"] == SOURCE):
            if surer and not old["flagged"]:
                confidence = columns.get("confidence", old["confidence"])
                columns |= {"confidence": confidence + (1.0 - confidence) * CORROBORATION, "updated_at": at}
        if now.seen_in != before.seen_in:
            sessions = list(dict.fromkeys((*from_json(old["provenance_sessions"], ()), *now.seen_in)))
            columns["provenance_sessions"] = to_json(sessions)
        return pk, old, columns
    return None


# --- signals of a session, with what other sessions of its project showed of the same -------------------------------


def _signals(tx: Tx, session: SessionOver, settings: ObserveSettings) -> Iterable[Signal]:
    by_kind: dict[str, dict[tuple[str, str], list[RepeatedSignal]]] = defaultdict(lambda: defaultdict(list))
    for row in tx.observed.repeated(session.pk, session.scope_pk):
        pair = (row.subject, row.other)
        if row.kind == SignalKind.CO_ACCESS:
            pair = (min(pair), max(pair))
        by_kind[row.kind][pair].append(row)
    pairs, again, back = (
        by_kind[each] for each in (SignalKind.CO_ACCESS, SignalKind.TIME_ANOMALY, SignalKind.BACKTRACK)
    )
    files = {path for pair in pairs for path in pair} | {path for path, _ in (*again, *back)}
    touched = tx.observed.sessions_showing(SignalKind.FILE_ACCESS.value, sorted(files), session.scope_pk)
    accesses = tx.observed.accesses(session.scope_pk, sessions_max=MODULE_SESSIONS_MAX)
    chance = NearByChance(accesses, settings.coaccess_steps)
    yield from (_together(rows, touched, chance) for rows in pairs.values() if len(rows) >= settings.together_sessions)
    yield from (_read_again(rows, touched) for rows in again.values())
    yield from (_backtrack(rows, touched, pairs) for rows in back.values())
    for error in tx.observed.errors_of(session.pk):
        edited = (orjson.loads(error.cure) if error.cure else {}).get("edited") or ()
        yield RepeatedError(
            tool=error.tool,
            error=error.text,
            files=tuple(error.files),
            after=_triggers(tx.accounts.edited_before(session.scope_pk, error.tool, error.hash), accesses, edited),
            cured_by=tuple(edited),
            times=error.times,
            last_at_s=error.last_at // SECOND_US,
            sessions=tuple(error.sessions),
        )
    yield from _usual_files(session, accesses)


def _seen(rows: Sequence[RepeatedSignal], times: int) -> dict[str, Any]:
    sessions = tuple(dict.fromkeys(row.session for row in rows))
    return {"times": times, "last_at_s": max(row.at for row in rows) // SECOND_US, "sessions": sessions}


def _together(rows: Sequence[RepeatedSignal], touched: Mapping[str, int], chance: NearByChance) -> FilesTogether:
    """A pair: which of the two comes first is said where four of five sessions, of five at least, agree. `touched`: in
    how many sessions each file was."""
    sessions = {row.session for row in rows}
    first = min(rows[0].subject, rows[0].other)
    second = max(rows[0].subject, rows[0].other)
    ahead = sum(row.subject == first for row in rows)
    if ahead * 2 < len(rows):
        first, second, ahead = second, first, len(rows) - ahead
    steps = [orjson.loads(row.detail).get("steps", 1) if row.detail else 1 for row in rows]
    return FilesTogether(
        first=first,
        second=second,
        steps=sum(steps) / len(steps),
        surety=max(_surety(len(sessions), touched.get(path, 0)) for path in (first, second)),
        by_chance=chance.of(first, second, sessions),
        follows=len(sessions) >= FIRST_SESSIONS and ahead >= FIRST_SHARE * len(rows),
        **_seen(rows, len(sessions)),
    )


def _triggers(
    before: Mapping[str, Collection[str]], accesses: Iterable[RepeatedSignal], cured_by: Collection[str]
) -> tuple[str, ...]:
    """Files that sessions edited before they met an error, and twice as seldom otherwise. `before`: by session."""
    others: dict[str, set[str]] = defaultdict(set)
    sessions = set()
    for row in accesses:
        sessions.add(row.session)
        if row.session not in before and row.detail and orjson.loads(row.detail)["classes"].keys() & CHANGING:
            others[row.subject].add(row.session)
    without = max(1, len(sessions - before.keys()))
    often = Counter(path for paths in before.values() for path in paths)
    telling = [
        path
        for path, times in often.most_common()
        if times > 1
        and times >= TRIGGER_SHARE * len(before)
        and len(others[path]) / without <= times / len(before) / 2
        and path not in cured_by
    ]
    return tuple(telling[:TRIGGERS_MAX])


def _surety(sessions: int, of: int) -> float:
    return lower_bound(sessions / of, of, SURETY) if of else 0.0


def _read_again(rows: Sequence[RepeatedSignal], touched: Mapping[str, int]) -> ReadAgain:
    seen = _seen(rows, max(row.times for row in rows))
    return ReadAgain(
        file=rows[0].subject, surety=_surety(len(seen["sessions"]), touched.get(rows[0].subject, 0)), **seen
    )


def _backtrack(
    rows: Sequence[RepeatedSignal],
    touched: Mapping[str, int],
    near: Mapping[tuple[str, str], Sequence[RepeatedSignal]],
) -> Backtrack:
    """Files that were edited in between are named where several sessions, and half of them, edited those. Such an edit
    is held against the sessions that came to both files, one without them against all that came to its file."""
    file, by_session = rows[0].subject, defaultdict[str, set[str]](set)
    for row in rows:
        by_session[row.session].update(orjson.loads(row.detail).get("paired", ()) if row.detail else ())
    paired = Counter(path for paths in by_session.values() for path in paths)
    others = sorted(path for path, times in paired.items() if times > 1 and 2 * times >= len(by_session))
    both = [len({each.session for each in near.get((min(file, path), max(file, path)), ())}) for path in others]
    sureties = [_surety(paired[path], of) for path, of in zip(others, both, strict=True)]
    return Backtrack(
        file=file,
        cause=BacktrackCause(rows[0].other),
        others=tuple(others),
        surety=max(sureties, default=_surety(len(by_session), touched.get(file, 0))),
        **_seen(rows, sum(row.times for row in rows)),
    )


def _usual_files(session: SessionOver, accesses: Iterable[RepeatedSignal]) -> Iterable[UsualFile]:
    """Files that sessions read at their beginning, of the folders that this one touched."""
    reads = ModuleReads(accesses)
    for usual in reads.of(sorted(reads.touched.get(session.id, ()))):
        yield UsualFile(
            module=usual.module or ".",
            file=usual.path,
            of=usual.of,
            times=len(usual.sessions),
            surety=_surety(len(usual.sessions), usual.of),
            last_at_s=usual.last_at // SECOND_US,
            sessions=usual.sessions,
        )
