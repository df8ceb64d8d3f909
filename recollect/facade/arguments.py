"""Arguments of the verbs, made sound or refused with a word."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from recollect.errors import InvalidQuery, UsageError, shown
from recollect.ingest import check
from recollect.limits import QUERY_CHARS_MAX
from recollect.model.columns import CLEARABLE


class _Unsaid(int):
    """A number that nobody said: it reads as the default of the contract, and the settings may say another."""


TOP_K: int = _Unsaid(10)


class ScopeArgs(TypedDict, total=False):
    """Who a call is for."""

    user_id: str | None
    agent_id: str | None
    project: str | None
    squad: str | None
    channel: str | None


class AddArgs(ScopeArgs, total=False):
    """What `add` takes beside the content."""

    kind: str | None
    category: str | None
    importance: float | None
    confidence: float | None
    tags: Sequence[str]
    metadata: Mapping[str, Any] | None
    timestamp: Any
    valid_from: Any
    valid_until: Any
    source: str | None
    infer: bool
    session_id: str | None
    run_id: str | None
    tier: str | None
    attributes: Mapping[str, Any] | None
    keep: bool
    needs_review: bool
    half_life_days: float | None


class RecordArgs(ScopeArgs, total=False):
    """Fields of a record that may be changed."""

    kind: str | None
    category: str | None
    importance: float | None
    confidence: float | None
    tags: Sequence[str] | None
    metadata: Mapping[str, Any] | None
    attributes: Mapping[str, Any] | None
    event_time: Any
    valid_from: Any
    valid_until: Any
    source: str | None
    role: str | None
    speaker: str | None
    subject: str | None
    predicate: str | None
    object: str | None
    place: Any
    facets: Any
    tier: str | None
    security: str | None
    strength: float | None
    decay_rate: float | None
    half_life_days: float | None
    needs_review: bool | None
    user_verified: bool | None
    flagged: bool | None


class ReadArgs(ScopeArgs, total=False):
    """Who a read is for, and whether it looks further: `reach="squad"`, `"project"` or, for the owner, `"all"`."""

    reach: str | None


def clearable(names: Any, changes: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of fields that may be emptied and are not set in the same breath."""
    wanted = words(names, lambda value: check.name(value, "each of clear"), "clear") or ()
    for name in wanted:
        if name not in CLEARABLE:
            raise UsageError(f"{name!r:.40} cannot be emptied; these can: {', '.join(CLEARABLE)}")
        if name in changes:
            raise UsageError(f"{name} is both set and cleared; do one of the two")
    return wanted


def parted(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(who it is for, fields that were given) of the arguments of `update`."""
    unknown = given.keys() - RecordArgs.__annotations__.keys() - ScopeArgs.__annotations__.keys()
    if unknown:
        raise UsageError(
            f"a record has no field {sorted(unknown)[0]!r:.40}; known: {', '.join(RecordArgs.__annotations__)}"
        )
    scope = {name: value for name, value in given.items() if name in ScopeArgs.__annotations__}
    return scope, {name: value for name, value in given.items() if name not in scope and value is not None}


def session(session_id: str | None, run_id: str | None) -> str | None:
    if session_id is not None and run_id is not None and session_id != run_id:
        raise UsageError("session_id and run_id are two names of one thing; give one of them")
    return session_id if session_id is not None else run_id


def question(query: Any, *, may_be_empty: bool = False) -> str:
    if not isinstance(query, str):
        raise UsageError(f"the query must be a text, not {shown(query, 40)}")
    if not may_be_empty and not query.strip():
        raise InvalidQuery("the query is empty; ask with at least one word")
    if "\x00" in query:
        raise InvalidQuery("the query holds a NUL character; remove it")
    try:
        query.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidQuery("the query holds half a character (a lone surrogate)") from None
    return query[:QUERY_CHARS_MAX]


def count(value: Any, what: str, most: int, *, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{what} must be a whole number from {least} to {most}, not {shown(value, 20)}")
    return value


def truth(value: Any, what: str) -> bool:
    """A switch. The text "false" would count as true, and `hard` would erase for good."""
    return bool(check.flag(value, what))


def version(value: Any) -> int | None:
    """The version a change was made for, where one is named."""
    return None if value is None else count(value, "if_version", 2**31)


def words(values: Any, checked: Any, what: str) -> tuple[str, ...] | None:
    if values is None:
        return None
    if isinstance(values, str):
        values = [values]
    if not isinstance(values, Sequence | set | frozenset):
        raise UsageError(f"{what} must be a list of texts, not {shown(values, 40)}")
    return tuple(dict.fromkeys(checked(value) for value in values))


def labels(values: Any) -> tuple[str, ...] | None:
    return words(values, lambda v: check.name(v, "label"), "labels")


def members(
    source: str | None, target: str | None, members: Sequence[Sequence[Any]] | None
) -> list[tuple[str, str | None, int]]:
    if members is None:
        if source is None or target is None:
            raise UsageError("relate takes source and target, or members=[(id, role), …]")
        return [(source, None, 0), (target, None, 1)]
    if source is not None or target is not None:
        raise UsageError("give source and target, or members, not both")
    if isinstance(members, str) or not isinstance(members, Sequence):
        raise UsageError(f"members must be a list of (id, role), not {shown(members, 40)}")
    placed: list[tuple[str, str | None, int]] = []
    for index, member in enumerate(members):
        sound = isinstance(member, Sequence) and not isinstance(member, str) and 2 <= len(member) <= 3
        if not sound or (len(member) == 3 and (type(member[2]) is not int or not 0 <= member[2] < 2**31)):
            raise UsageError(f"member {index} must be (id, role) or (id, role, position from 0 on)")
        placed.append((member[0], member[1], member[2] if len(member) == 3 else index))
    return placed


def cursor(pk: int) -> str:
    return base64.urlsafe_b64encode(f"r{pk}".encode()).decode().rstrip("=")


def position(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        if text[0] != "r" or not 0 < int(text[1:]) < 2**63:
            raise ValueError(text)
        return int(text[1:])
    except (ValueError, IndexError, TypeError, binascii.Error):
        raise InvalidQuery("the cursor is not valid; start again without one") from None
