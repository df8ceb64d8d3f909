"""`RecollectStore`: LangGraph's `BaseStore` over one memory.

LangGraph's filters are {"status": "active", "score": {"$gte": 3}, "place": {"city": "Rome"}}. What the database can
decide is asked of it (`asked`), always at least as widely as it is meant; `meets` decides.
"""

from __future__ import annotations

import asyncio
import math
import operator
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Unpack

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from recollect.aio import AsyncMemory
from recollect.clock import from_us
from recollect.compat.bridging import every, exactly_here, memory_of, pieces
from recollect.compat.langgraph import items
from recollect.compat.langgraph.items import MARK, ItemDraft, ItemPlace, Namespace
from recollect.errors import AccessDenied, InvalidQuery, NotFound, UsageError, shown
from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import engine_in_use
from recollect.ingest import check
from recollect.limits import FILTER_VALUES_MAX, PAGE_RECORDS_MAX, TOP_K_MAX
from recollect.memory import Memory
from recollect.model.record import PERCEIVED, Record

CHANNEL = "langgraph"
LIST_MAX = 1_000_000  # how far a list can be paged through
_REFRESHED_AT = 0.9  # of its time that is left: a read that comes sooner writes nothing
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS = ("$eq", "$ne", *_ORDER)
_WHOLE = 2**63


class RecollectStore(BaseStore):
    """What graphs keep between threads. Safe for many threads; several stores may share one memory.

    Items lie in a channel of their own, so that no other search meets them; `channel=None` leaves it out, for items
    that a user's ordinary searches shall find. Stores of different scopes have nothing in common.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory | AsyncMemory,
        *,
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
        **scope: Unpack[ScopeArgs],
    ) -> None:
        """A store in `memory`, which stays its owner's to close.

        `fields` are the paths by which items are found when `put` names none; by default all of a value. `ttl` is
        LangGraph's: `default_ttl` in minutes and `refresh_on_read`. What has expired is never answered with.
        """
        held = memory_of(memory)
        if "channel" not in scope and held.grant.held.channel is None:
            scope["channel"] = CHANNEL
        try:
            self.memory = held.scoped(**scope)
        except AccessDenied as refused:
            hint = f"a handle for it is made with may_add={{'channel': {CHANNEL!r}}}, or give channel=None"
            raise AccessDenied(f"{refused.message}; items lie in a channel of their own: {hint}") from None
        if not self.memory.grant.held.items():
            raise UsageError("without a channel and without a scope everybody would see the items; give user_id= too")
        self.ttl_config = ttl
        self.fields = None if fields is None else [check.name(each, "each of fields") for each in fields]
        self._own = exactly_here(self.memory)
        self._writing = threading.Lock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads first, in order, then the puts: of two for the same key the later one counts.

        Everything is checked before anything is written. New items are one operation, each change is its own.
        """
        listed = list(ops)
        for op in listed:
            validate_op_namespace(op)
        puts = {ItemPlace(tuple(op.namespace), str(op.key)): op for op in listed if isinstance(op, PutOp)}
        drafts = {place: self._draft(place, op) for place, op in puts.items()}
        results = [None if isinstance(op, PutOp) else self._read(op) for op in listed]
        if puts:
            with self._writing:
                self._write(drafts)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread, since the store blocks."""
        return await asyncio.to_thread(self.batch, list(ops))

    # -- reading --

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise UsageError(f"a store knows get, put, search and list, not {type(op).__name__}")

    def _get(self, op: GetOp) -> Item | None:
        found = self._at(ItemPlace(tuple(op.namespace), str(op.key)))
        if not found:
            return None
        if op.refresh_ttl:
            self._refresh(found[:1])
        return items.item_of(found[0])

    def _search(self, op: SearchOp) -> list[SearchItem]:
        skipped = arguments.count(op.offset, "offset", LIST_MAX, least=0)
        limit = arguments.count(op.limit, "limit", LIST_MAX, least=0)
        conditions, whole = asked(op.filter)
        where = {"AND": [self._own, *items.under(tuple(op.namespace_prefix)), *conditions]}
        found: Iterable[tuple[Record, float | None]]
        if op.query and op.query.strip():
            found = self._ranked(op.query, where, most=skipped + limit if whole else TOP_K_MAX)
        else:
            page = min(skipped + limit + 1, PAGE_RECORDS_MAX)
            found = ((record, None) for record in every(self.memory, where, at_once=page))
        wanted = ((record, score) for record, score in found if meets(items.value_of(record), op.filter or {}))
        chosen = list(islice(wanted, skipped, skipped + limit))
        if op.refresh_ttl:
            self._refresh([record for record, _ in chosen])
        return [items.found_item(record, score) for record, score in chosen]

    def _ranked(self, query: str, where: dict[str, Any], most: int) -> Iterator[tuple[Record, float]]:
        """What a search finds, best first. Items that say the same are one hit, and each of them is meant."""
        if not most:
            return
        searched = {"AND": [where, {f"attributes.{MARK}.indexed": {"eq": True}}]}
        hits = self.memory.search(query, top_k=min(most, TOP_K_MAX), filters=searched)
        saying = {"AND": [searched, {"content": {"in": list({hit.content for hit in hits})}}]}
        by_text: dict[str, list[Record]] = {}
        for record in every(self.memory, saying) if hits else ():
            by_text.setdefault(record.content, []).append(record)
        for hit in hits:
            for record in by_text.pop(hit.content, ()):
                yield record, hit.score

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        skipped = arguments.count(op.offset, "offset", LIST_MAX, least=0)
        limit = arguments.count(op.limit, "limit", LIST_MAX, least=0)
        conditions = op.match_conditions or ()
        found = {items.place_of(record).namespace for record in every(self.memory, self._beneath(conditions))}
        matched = {each[: op.max_depth] for each in found if all(_matches(each, one) for one in conditions)}
        return sorted(matched)[skipped : skipped + limit]

    def _beneath(self, conditions: Sequence[MatchCondition]) -> dict[str, Any]:
        prefixes = (tuple(each.path) for each in conditions if each.match_type == "prefix" and "*" not in each.path)
        return {"AND": [self._own, *items.under(()), *(one for each in prefixes for one in items.under(each))]}

    def _at(self, place: ItemPlace) -> list[Record]:
        """The records at a place, newest first: one, or several if two processes put it at the same moment."""
        return list(every(self.memory, {"AND": [*place.filters, self._own]}, at_once=2))

    def _at_all(self, places: Collection[ItemPlace]) -> dict[ItemPlace, list[Record]]:
        """The same for many places: one look for each thousand keys, since each goes through all items."""
        if len(places) == 1:
            return {place: self._at(place) for place in places}
        found: dict[ItemPlace, list[Record]] = {}
        keys = sorted({place.key for place in places})
        for at in range(0, len(keys), FILTER_VALUES_MAX):
            some = items.with_keys(keys[at : at + FILTER_VALUES_MAX])
            for record in every(self.memory, {"AND": [some, self._own]}):
                found.setdefault(items.place_of(record), []).append(record)
        return found

    # -- writing --

    def _draft(self, place: ItemPlace, op: PutOp) -> ItemDraft | None:
        """What to store, checked; None to delete."""
        if op.value is None:
            return None
        if not place.namespace:
            raise InvalidNamespaceError("Namespace cannot be empty.")
        fields = self.fields if op.index is None else op.index
        made = items.draft(place, op.value, fields=fields, ttl=op.ttl, now=self._now())
        check.mapping(made.value, "the value of an item")
        return made.shortened(pieces(self.memory, made.text)[0])

    def _write(self, drafts: dict[ItemPlace, ItemDraft | None]) -> None:
        new: list[ItemDraft] = []
        held = self._at_all(drafts)
        for place, made in drafts.items():
            there = held.get(place, [])
            if made is not None and not there:
                new.append(made)
            elif made is not None:
                self.memory.update(there[0].id, **made.changes(there[0]))
            for record in there if made is None else there[1:]:
                self.memory.delete(record.id)
        if new:
            self.memory.add([made.message() for made in new], infer=False)

    def _refresh(self, records: Iterable[Record]) -> None:
        """Begin the time of items anew that were read, unless it has hardly begun."""
        now = self._now()
        for record in records:
            minutes = record.attributes[MARK].get("ttl")
            if minutes is None or record.valid_until is None:
                continue
            whole = timedelta(minutes=minutes)
            if record.valid_until - now < whole * _REFRESHED_AT:
                try:
                    self.memory.update(record.id, valid_until=now + whole)
                except NotFound:  # somebody deleted it between the two
                    continue

    def _now(self) -> datetime:
        return from_us(engine_in_use(self.memory).clock())


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends with a path, in which `*` stands for any label."""
    wanted = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise UsageError(f"a namespace is matched by prefix or suffix, not {condition.match_type!r:.40}")
    if len(namespace) < len(wanted):
        return False
    part = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[len(namespace) - len(wanted) :]
    return all(one in ("*", label) for one, label in zip(wanted, part, strict=True))


def meets(value: Any, wanted: Any) -> bool:
    """Whether a value is as wanted: equal, or by operators; of an object only the fields that are named count."""
    if isinstance(wanted, Mapping):
        if _has_operators(wanted):
            return all(_compared(value, name, operand) for name, operand in wanted.items())
        return isinstance(value, Mapping) and all(meets(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(meets(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return bool(value == wanted)


def asked(wanted: Mapping[str, Any] | None) -> tuple[list[dict[str, Any]], bool]:
    """(conditions for the database, whether they say all of it)."""
    conditions: list[dict[str, Any]] = []
    whole = [_ask("metadata", str(name), each, conditions) for name, each in (wanted or {}).items()]
    return conditions, all(whole)


def _ask(root: str, name: str, wanted: Any, into: list[dict[str, Any]]) -> bool:
    field = f"{root}.{name}"
    nameable = name and len(name) <= 128 and not set(name) & {".", '"', "\x00"} and name.isprintable()
    if not nameable or (root == "metadata" and name in PERCEIVED):  # those may come from what was read in the text
        return False
    if isinstance(wanted, Mapping):
        if not _has_operators(wanted):
            inner = [_ask(field, str(key), each, into) for key, each in wanted.items()]
            return bool(inner) and all(inner)
        for sign, operand in wanted.items():
            _check(sign)
            if _is_plain(operand):
                into.append({field: {sign.removeprefix("$"): operand}})
        return all(_is_plain(operand) for operand in wanted.values())
    if not _is_plain(wanted):
        return False
    into.append({field: {"eq": wanted}})
    return True


def _is_plain(value: Any) -> bool:
    """Whether the database compares it as Python does."""
    if isinstance(value, int) and not isinstance(value, bool):
        return -_WHOLE <= value < _WHOLE
    return isinstance(value, str | bool) or (isinstance(value, float) and math.isfinite(value))


def _has_operators(wanted: Mapping[Any, Any]) -> bool:
    return any(isinstance(name, str) and name.startswith("$") for name in wanted)


def _check(sign: Any) -> None:
    if sign not in OPERATORS:
        raise InvalidQuery(f"Unsupported operator: {shown(sign, 40)}; known: {', '.join(OPERATORS)}")


def _compared(value: Any, sign: Any, operand: Any) -> bool:
    """Order compares numbers with numbers and texts with texts; between others there is none."""
    _check(sign)
    if sign in ("$eq", "$ne"):
        return meets(value, operand) is (sign == "$eq")
    alike = (isinstance(value, str) and isinstance(operand, str)) or (_is_number(value) and _is_number(operand))
    return alike and _ORDER[sign](value, operand)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
