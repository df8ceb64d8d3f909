"""A token made as somebody asked for it: on the command line, or as the owner over HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.clock import SECOND_US, from_us
from recollect.errors import UsageError, shown
from recollect.facade.audited import calling
from recollect.facade.handle import engine_of
from recollect.ids import new_id
from recollect.ingest import check
from recollect.memory import Memory
from recollect.model.audit import AuditEvent
from recollect.model.grant import ANY, OWNER, CallerPolicy, Grant, MayAdd, policy_named
from recollect.model.scope import DIMENSIONS
from recollect.store.tokens import AccessToken, MadeToken, Right

DEFAULT_POLICY = CallerPolicy.OWN_AND_GLOBAL
DEFAULT_RIGHTS = Right.READ.value  # whoever comes over the network reads, unless more is granted
_LASTING = re.compile(r"(\d{1,5})\s*([mhdw])")
_UNITS_S = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}


def issue(
    memory: Memory,
    scope: Mapping[str, Any],
    *,
    name: str | None = None,
    rights: str | Sequence[str] | None = None,
    policy: str | None = None,
    expires: Any = None,
    may_add: MayAdd | None = None,
) -> MadeToken:
    """Make a token; its text is in the answer, and nowhere else from then on. For the owner of the store."""
    engine = engine_of(memory)
    grant, may = wanted(scope, rights=rights, policy=policy, may_add=may_add)
    called = check.name(name, "name") if name else f"token-{new_id()[:8]}"
    now = engine.clock()
    ends = ending(expires, now=now)
    made = engine.store.write(
        lambda tx: tx.tokens.create(name=called, grant=grant, rights=may, at=now, expires_at=ends)
    )
    told = {"token": made.token.id, "rights": sorted(may), "policy": made.token.to_dict()["policy"]}
    with calling(memory, "token"):
        engine.audit.note(AuditEvent.TOKEN_MADE, scope=grant.held, verb="token", detail=told, at_once=True)
    return made


def wanted(
    scope: Mapping[str, Any],
    *,
    rights: str | Sequence[str] | None = None,
    policy: str | None = None,
    may_add: MayAdd | None = None,
) -> tuple[Grant, frozenset[Right]]:
    """The grant and the rights that were asked for. The policy `owner` is every right over everything."""
    said = DEFAULT_POLICY if policy is None else policy_named(policy)
    may = rights_named(rights)
    if said is not CallerPolicy.OWNER:
        return OWNER.narrowed(scope, may_add, said), may
    if may_add is not None or any(scope.get(each) is not None for each in DIMENSIONS):
        raise UsageError("the policy owner is the whole store; leave out the scope and may_add")
    return OWNER.narrowed({}, ANY), frozenset(Right)


def revoke(memory: Memory, which: str) -> AccessToken:
    """End a token for good."""
    engine = engine_of(memory)
    gone = engine.store.write(lambda tx: tx.tokens.revoke(which, at=engine.clock()))
    with calling(memory, "token"):
        engine.audit.note(AuditEvent.TOKEN_REVOKED, verb="token", detail={"token": gone.id}, at_once=True)
    return gone


def issued(memory: Memory) -> list[dict[str, Any]]:
    """Every token that was made, without what opens the door, and whether its time is over."""
    engine = engine_of(memory)
    with engine.store.read() as tx:
        now = from_us(tx.tokens.latest(engine.clock()))
        return [{**each.to_dict(), "expired": each.over(now)} for each in tx.tokens.listed()]


def rights_named(given: str | Sequence[str] | None) -> frozenset[Right]:
    """What `read,write` says. Who may write may read, and `admin` may do all."""
    said = DEFAULT_RIGHTS if given is None else given
    words = said.split(",") if isinstance(said, str) else list(said) if isinstance(said, Sequence) else [said]
    wanted = [each.strip().lower() if isinstance(each, str) else each for each in words]
    unknown = [each for each in wanted if each not in set(Right)]
    if unknown or not wanted:
        raise UsageError(f"rights are read, write and admin, not {shown(unknown[0] if unknown else given, 40)}")
    return frozenset(Right) if Right.ADMIN in wanted else frozenset(map(Right, wanted)) | {Right.READ}


def ending(expires: Any, *, now: int) -> int | None:
    """When a token ends that lasts `30d`, or until a date or `in 30 days`; None: never."""
    lasting = _LASTING.fullmatch(expires.strip().lower()) if isinstance(expires, str) else None
    if lasting is not None:
        return now + int(lasting[1]) * _UNITS_S[lasting[2]] * SECOND_US
    return check.moment(expires, "expires", now=from_us(now))
