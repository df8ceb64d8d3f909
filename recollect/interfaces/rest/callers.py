"""Who is calling: the owner of the store on loopback, or whoever holds a token, as far as that token goes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.errors import AccessDenied
from recollect.facade.handle import engine_of
from recollect.interfaces.lanes import Lanes
from recollect.interfaces.quota import Quota
from recollect.interfaces.rest.problems import Refused
from recollect.limits import TOKEN_REFUSALS_PER_MINUTE
from recollect.memory import Memory
from recollect.model.grant import OWNER
from recollect.model.scope import GLOBAL, Scope
from recollect.store.tokens import AccessToken, Right
from recollect.verbs.verb import Verb

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
        asked = "*" in verb.asks or any(arguments.get(name) for name in verb.asks)
        if asked and not arguments.get("dry_run"):
            self.require(Right.ADMIN)

    def sight(self, named: Mapping[str, Any]) -> Scope | None:
        """The scope that a request which is no verb looks from, by the dimensions it names; None: the whole store."""
        wanted = self.memory.grant.scope_for(named)
        return None if self.whole and wanted == GLOBAL else wanted


class Door:
    """Decides who a request comes from."""

    def __init__(self, memory: Memory, lanes: Lanes, quota: Quota, *, asks_for_token: bool) -> None:
        self._memory = memory
        self._lanes = lanes
        self._quota = quota
        self._asks = asks_for_token
        self._owner = AdmittedCaller(memory=memory, rights=ALL_RIGHTS)
        self._trusted: dict[bytes, tuple[AdmittedCaller, float]] = {}

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
        return caller

    async def _checked(self, token: str, peer: str) -> AdmittedCaller:
        """The token is looked at first: many callers share an address behind a proxy, and one who sends wrong ones
        must not lock the others out. What is limited is how often an address is refused."""
        found = await self._lanes.run(lambda: self._verified(token))
        if found is None:
            self._quota.take(f"refused {peer}", TOKEN_REFUSALS_PER_MINUTE)
            raise unauthorized(
                "that token is unknown, revoked or expired; `recollect token list` shows those there are"
            )
        return self._as(found)

    def _verified(self, token: str) -> AccessToken | None:
        engine = engine_of(self._memory)
        with engine.store.read() as tx:
            return tx.tokens.verified(token, now=engine.clock())

    def _as(self, token: AccessToken) -> AdmittedCaller:
        actor = f"token {token.name}"
        handle = Memory(engine_of(self._memory), grant=OWNER if token.whole else token.grant, actor=actor)
        return AdmittedCaller(memory=handle, rights=token.rights, token=token)

    def _trust(self, print_: bytes, caller: AdmittedCaller) -> None:
        if len(self._trusted) >= _TRUSTED_MAX:
            self._trusted.clear()
        self._trusted[print_] = (caller, time.monotonic() + TRUSTED_S)


def unauthorized(detail: str) -> Refused:
    return Refused(401, detail, like=AccessDenied, headers={"www-authenticate": 'Bearer realm="recollect"'})
