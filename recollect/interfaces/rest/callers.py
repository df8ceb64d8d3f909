"""Who is calling: the owner of the store on loopback, or whoever holds a token, as far as that token goes."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from recollect.clock import from_us
from recollect.errors import AccessDenied, RecollectError, TokenExpired
from recollect.facade.audited import note_refusal
from recollect.facade.handle import engine_of, through
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.rest.problems import Refused
from recollect.limits import TOKEN_REFUSALS_PER_MINUTE
from recollect.memory import Memory
from recollect.model.audit import AuditCaller, AuditEvent
from recollect.model.grant import OWNER
from recollect.model.scope import GLOBAL, Scope
from recollect.security.quota import Quota
from recollect.store.tokens import SEEN_EVERY_US, USED_EVERY_US, AccessToken, Right
from recollect.verbs.verb import Verb

STRANGER = "unknown"
CHANNEL = "rest"  # the way in, as the audit names it
ALL_RIGHTS = frozenset(Right)
TRUSTED_S = 1.0  # a token that was checked is not checked again for so long; revoking takes as long to be felt
_TRUSTED_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittedCaller:
    """Somebody who was let in. `memory` is a handle that sees and does no more than they may."""

    memory: Memory
    rights: frozenset[Right]
    token: AccessToken | None = None

    @property
    def name(self) -> str | None:
        return self.token.name if self.token else None

    @property
    def whole(self) -> bool:
        """Whether the whole store is theirs, not a part of it."""
        return self.memory.grant.owner

    def require(self, right: Right) -> None:
        if right not in self.rights:
            raise AccessDenied(f"this needs the right to {right.value}, and the token does not have it")

    def permit(self, verb: Verb, arguments: Mapping[str, Any]) -> None:
        """Refuse what goes beyond the token's rights; how far it sees and acts is its handle's to say.

        What people are asked about in the shell needs `admin` here.
        """
        self.require(Right.WRITE if verb.writes else Right.READ)
        if verb.must_ask(arguments):
            self.require(Right.ADMIN)

    def sight(self, named: Mapping[str, Any]) -> Scope | None:
        """The scope that a request which is no verb looks from, by the dimensions it names; None: the whole store."""
        wanted = self.memory.grant.scope_for(named)
        return None if self.whole and wanted == GLOBAL else wanted


class Door:
    """Decides who a request comes from.

    A request is judged when it begins: one whose token expires meanwhile is finished, the next one is refused. A stream
    ends with its token.
    """

    def __init__(self, memory: Memory, lanes: Lanes, quota: Quota, *, asks_for_token: bool) -> None:
        self._memory = memory
        self._lanes = lanes
        self._quota = quota
        self._asks = asks_for_token
        self._owner = AdmittedCaller(memory=through(memory, CHANNEL), rights=ALL_RIGHTS)
        self._trusted: dict[bytes, tuple[AdmittedCaller, float]] = {}
        self._latest = 0  # the latest time that was seen here; a clock that is set back revives nothing
        self._noted: dict[str, int] = {}  # the time that was last written down for a token
        self._noting: set[asyncio.Task[None]] = set()

    async def caller(self, token: str | None, *, peer: str, proxied: bool = False) -> AdmittedCaller:
        """Whoever holds this token; without one the owner, where none is asked for. Else 401."""
        if token is None:
            if self._asks:
                raise unauthorized("a token is needed: Authorization: Bearer …; `recollect token create` makes one")
            if proxied:
                raise unauthorized("this request came through a proxy, so it needs a token")
            return self._owner
        print_ = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        caller, until = self._trusted.get(print_, (None, 0.0))
        if caller is None or until < time.monotonic():
            caller = await self._checked(token, peer)
            self._trust(print_, caller)
        assert caller.token is not None
        if caller.token.over(from_us(self._now())):
            raise expired()
        self._note_use(caller.token.id)
        return caller

    def note_refusal(self, caller: AdmittedCaller | None, error: RecollectError | Refused) -> None:
        """Note in the audit who was refused; somebody without a valid token has no name there."""
        if isinstance(error, Refused):
            if error.status == HTTPStatus.UNAUTHORIZED and not error.audited:
                note_refusal(self._owner.memory, AccessDenied(""), caller=STRANGER)
        else:
            note_refusal((caller or self._owner).memory, error, caller=None if caller else STRANGER)

    async def _checked(self, token: str, peer: str) -> AdmittedCaller:
        """The token is looked at first: many callers share an address behind a proxy, and one who sends wrong ones
        must not lock the others out. What is limited is how often an address is refused."""
        found = await self._lanes.run(lambda: self._verified(token))
        if found is None or isinstance(found, TokenExpired):
            self._quota.take(f"refused {peer}", TOKEN_REFUSALS_PER_MINUTE)
            await self._lanes.run(lambda: self._note_refusal(found))
        if isinstance(found, TokenExpired):
            raise _already_noted(expired())
        if found is None:
            told = "that token is unknown or was revoked; `recollect token list` shows those there are"
            raise _already_noted(unauthorized(told))
        return self._as(found)

    def _verified(self, token: str) -> AccessToken | TokenExpired | None:
        with engine_of(self._memory).store.read() as tx:
            found = tx.tokens.presented(token)
            if found is not None and found.over(from_us(tx.tokens.latest(self._now()))):
                return TokenExpired("its time is over")
            return found

    def _note_refusal(self, found: TokenExpired | None) -> None:
        code = AccessDenied.code if found is None else found.code
        with suppress(RecollectError):  # a store that cannot be written refuses all the same
            engine_of(self._memory).audit.note(
                AuditEvent.TOKEN_REFUSED, caller=AuditCaller(STRANGER, CHANNEL), outcome=code, at_once=True
            )

    def _as(self, token: AccessToken) -> AdmittedCaller:
        handle = Memory(
            engine_of(self._memory),
            grant=OWNER if token.whole else token.grant,
            actor=f"token {token.name}",
            caller=f"token {token.id}",
            channel=CHANNEL,
        )
        return AdmittedCaller(memory=handle, rights=token.rights, token=token)

    def _now(self) -> int:
        self._latest = max(self._latest, engine_of(self._memory).clock())
        return self._latest

    def _note_use(self, token_id: str) -> None:
        """Write down that a token was used, not with every request, and while nobody waits for it."""
        now, before = self._now(), self._noted.get(token_id, 0)
        if now - before < SEEN_EVERY_US and now // USED_EVERY_US == before // USED_EVERY_US:
            return
        if len(self._noted) >= _TRUSTED_MAX:
            self._noted.clear()
        self._noted[token_id] = now
        task = asyncio.get_running_loop().create_task(self._write_use(token_id, now))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)

    async def _write_use(self, token_id: str, at: int) -> None:
        store = engine_of(self._memory).store
        with suppress(RecollectError):  # a store that is busy or read-only: the next use is written down
            await self._lanes.run(lambda: store.write(lambda tx: tx.tokens.note_use(token_id, at=at)))

    def _trust(self, print_: bytes, caller: AdmittedCaller) -> None:
        if len(self._trusted) >= _TRUSTED_MAX:
            self._trusted.clear()
        self._trusted[print_] = (caller, time.monotonic() + TRUSTED_S)


def expired() -> Refused:
    return Refused(
        401,
        "that token has expired; its owner makes another with `recollect token create`",
        like=TokenExpired,
        headers={"www-authenticate": 'Bearer realm="recollect", error="invalid_token"'},
    )


def _already_noted(refused: Refused) -> Refused:
    refused.audited = True
    return refused


def unauthorized(detail: str) -> Refused:
    return Refused(401, detail, like=AccessDenied, headers={"www-authenticate": 'Bearer realm="recollect"'})
