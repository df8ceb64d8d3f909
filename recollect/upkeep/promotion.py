"""Promotion: what agents of a project or squad know and what is still strong becomes known to all of it, or beyond.

Each record becomes a copy in the wider scope that says where it came from; the original stays as it is. All copies of
one call are one operation, so `undo` takes them back together. What was said in conversations, what somebody works on
now, and what a person has still to look at is not handed on. A copy that somebody deleted or corrected is not made
again; one that was undone is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from recollect.clock import Clock
from recollect.config import LiveConfig
from recollect.ingest.addition import add
from recollect.ingest.drafts import draft
from recollect.ingest.embedding import Embedding
from recollect.ingest.material import WhenRead, prepare
from recollect.ingest.screening import ScreeningGate
from recollect.model import publication, screening
from recollect.model.promotion import ATTRIBUTE, SOURCE, PromotedRecord, Promotion
from recollect.model.publication import may_be_told, standing_of
from recollect.model.record import WATCHED, Kind, Record
from recollect.model.scope import Reach, Scope
from recollect.model.skill import TOOL
from recollect.store.base import Store, Tx
from recollect.store.journal import Op
from recollect.store.rows import to_json
from recollect.upkeep.forgetting.strength import strength_now

PAGE = 20_000  # records whose strength is worked out at a time
_STAYS = frozenset({"turn", "work_state", TOOL})  # categories that are of use where they are, or not for long
_KEPT = ("kind", "category", "importance", "tags", "metadata", "subject", "predicate", "object", "facets")
_TIMES = ("event_time", "valid_from", "valid_until")
_OWN = frozenset(
    {screening.ATTRIBUTE, publication.ATTRIBUTE, ATTRIBUTE, WATCHED}
)  # attributes that tell of the original


class Sources(NamedTuple):
    """Whose memory is looked over, and where the strong of it goes."""

    below: Scope  # everything that sets at least this …
    squad: str | None  # … and, where this is said, belongs to no other squad
    to: Scope
    seen_from: Scope | None = None  # … and is seen from there with the reach of a project; None sees all


class _Strong(NamedTuple):
    record: Record
    strength: float
    confidence: float


class Promoting:
    """Promotion over one store. `poke` tells who does the jobs that there is one."""

    def __init__(
        self,
        store: Store,
        embedding: Embedding,
        config: LiveConfig,
        clock: Clock,
        gate: ScreeningGate,
        poke: Callable[[], None],
    ) -> None:
        self._store = store
        self._embedding = embedding
        self._config = config
        self._clock = clock
        self._gate = gate
        self._poke = poke

    def promote(
        self,
        of: Sources,
        *,
        by: Scope,
        strength_min: float,
        limit: int,
        review: bool,
        dry_run: bool,
        actor: str | None,
    ) -> Promotion:
        """Hand on what is stronger than `strength_min`, the strongest first, at most so many in one call.

        `by` is the scope of who does it: what is written there may have to wait for approval.
        """
        with self._store.read() as tx:
            strong, held_back = self._strong(tx, of, strength_min, limit)
        if dry_run or not strong:
            told = [_told(each) for each in strong]
            return Promotion(
                scope=of.to,
                records=tuple(told),
                held_back=held_back,
                strength_min=strength_min,
                dry_run=dry_run,
            )
        operation, records, refused = self._store_copies(strong, of.to, by=by, review=review, actor=actor)
        held_back.update({"refused": refused} if refused else {})
        return Promotion(
            scope=of.to,
            records=tuple(records),
            held_back=held_back,
            strength_min=strength_min,
            dry_run=False,
            operation=operation,
        )

    def _strong(self, tx: Tx, of: Sources, least: float, limit: int) -> tuple[list[_Strong], Counter[str]]:
        held_back: Counter[str] = Counter()
        found = sorted(self._by_strength(tx, _scope_pks(tx, of), least, held_back), reverse=True)
        known_in = tx.scopes.visible(of.to) or []
        to = tx.scopes.find(of.to)
        before = set() if to is None else tx.bus.promoted(to)
        standing: dict[str | None, float] = {None: 1.0}
        strong: list[_Strong] = []
        unsure_below = self._config.current.trust.review_below
        for strength, pk in found:
            record = tx.records.load([pk])[pk]
            if len(strong) == limit:
                held_back["left"] += 1
            elif not may_be_told(record):
                held_back["waits"] += 1
            elif record.confidence < unsure_below:
                held_back["unsure"] += 1
            elif record.id in before or any(tx.arrivals.says(record.content_hash, scope_pk) for scope_pk in known_in):
                held_back["known"] += 1
            else:
                agent = record.scope.agent_id
                if agent is not None and agent not in standing:
                    standing[agent] = standing_of(*tx.bus.standing(agent))
                strong.append(_Strong(record, strength, record.confidence * standing[agent]))
        return strong, held_back

    def _by_strength(
        self, tx: Tx, scope_pks: Sequence[int], least: float, held_back: Counter[str]
    ) -> list[tuple[float, int]]:
        """Strength and key of what is strong enough and of a sort that is handed on."""
        now, after = self._clock(), 0
        found: list[tuple[float, int]] = []
        while scope_pks:
            page = tx.imprints.fading(now=now, scope_pks=scope_pks, after_pk=after, limit=PAGE)
            if not len(page.pks):
                break
            after = int(page.pks[-1])
            strengths = strength_now(page, now, self._config.current).tolist()
            for pk, turn_pk, category, strength in zip(
                page.pks.tolist(), page.turn_pks.tolist(), page.category, strengths, strict=True
            ):
                if turn_pk or category in _STAYS:
                    continue
                if strength > least:
                    found.append((strength, pk))
                else:
                    held_back["weak"] += 1
        return found

    def _store_copies(
        self, strong: Sequence[_Strong], to: Scope, *, by: Scope, review: bool, actor: str | None
    ) -> tuple[str | None, list[PromotedRecord], int]:
        now, config = self._clock(), self._config.current
        drafts = draft(
            [_item(each, review) for each in strong],
            {"source": SOURCE},
            timestamp=None,
            now=now,
            bytes_max=config.ingest.content_bytes_max,
            parts_max=config.ingest.turn_parts_max,
            privacy=self._gate.privacy(config.security, to),
        )
        for row, position in zip(drafts.rows, drafts.items, strict=True):
            origin = strong[position].record
            row.attributes = to_json(_attributes(origin))
            if origin.kind is Kind.PROCEDURAL:
                row.success_count, row.failure_count = origin.success_count, origin.failure_count
        drafts = self._gate.admit_drafts(drafts, by)
        if not drafts.rows:
            return None, [], len(strong)
        material = prepare(drafts, self._embedding, config, now=now, read=WhenRead(now=False, later=True))
        told: list[PromotedRecord] = []

        def work(tx: Tx) -> str:
            before = tx.arrivals.newest_key("record")

            def also(tx: Tx, op: Op, pks: list[int]) -> None:
                ids = tx.records.ids(pks)
                told[:] = [
                    _told(strong[position], record=id_, is_new=pk > before)
                    for position, pk, id_ in zip(drafts.items, pks, ids, strict=True)
                ]

            done = add(tx, material, at=self._clock(), scope=to, session=None, actor=actor, verb="promote", also=also)
            return done.operation

        operation = self._store.write(work)
        self._poke()
        return operation, told, len(strong) - len(set(drafts.items))


def _scope_pks(tx: Tx, of: Sources) -> list[int]:
    """The scopes below, without what is another squad's, and private to nobody that the wider scope is not for."""
    loaded = tx.scopes.load_all(tx.scopes.visible(of.below, Reach.INSIDE) or [])
    seen = loaded if of.seen_from is None else tx.scopes.visible(of.seen_from, Reach.PROJECT) or []
    return [
        pk
        for pk, scope in loaded.items()
        if pk in seen
        and scope.user_id == of.to.user_id
        and scope.channel == of.to.channel
        and (of.squad is None or scope.squad in (None, of.squad))
        and not of.to.sees(scope)
    ]


def _item(of: _Strong, review: bool) -> dict[str, Any]:
    """The copy, as `add` takes one."""
    record = of.record
    item: dict[str, Any] = {"content": record.content, "confidence": of.confidence, "needs_review": review}
    item |= {name: value for name in _KEPT if (value := getattr(record, name)) not in (None, (), {})}
    item |= {name: value for name in _TIMES if (value := getattr(record, name)) is not None}
    return item


def _attributes(record: Record) -> dict[str, Any]:
    """Where a copy came from; of a procedure its steps and counts as well. The store's own word."""
    kept = record.attributes if record.kind is Kind.PROCEDURAL else {}
    origin = {"record": record.id, "from": dict(record.scope.items())}
    return {name: value for name, value in kept.items() if name not in _OWN} | {ATTRIBUTE: origin}


def _told(of: _Strong, *, record: str | None = None, is_new: bool = True) -> PromotedRecord:
    return PromotedRecord(
        id=of.record.id,
        content=of.record.content,
        scope=of.record.scope,
        strength=of.strength,
        importance=of.record.importance,
        is_new=is_new,
        record=record,
    )
