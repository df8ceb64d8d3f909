"""Access tokens: who may come in through the server, as whom, and to do what.

A token is `rcl_<id>_<secret>`. The id finds its row, the secret is random and long, and of it the row holds a hash: no
file, backup or log has anything in it that opens the door.

A token that has expired stays so when the clock is set back: what counts is the latest time that the store has seen.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import orjson

from recollect.clock import SECOND_US, from_us
from recollect.errors import NotFound, UsageError
from recollect.model.grant import EVERYTHING, OWNER, CallerPolicy, Grant
from recollect.model.scope import DIMENSIONS, GLOBAL
from recollect.store.base import Group, Row

_ID_BYTES = 6
_SECRET_BYTES = 32
_FORM = re.compile(r"rcl_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_SELECT = (
    f"SELECT t.id, t.name, t.hash, t.rights, t.made_at, t.expires_at, t.revoked_at, t.used_at, t.policy, t.may_add, "
    f"{', '.join(f's.{name}' for name in DIMENSIONS)} FROM access_token t JOIN scope s ON s.pk = t.scope_pk"
)
_SEEN = "clock_seen"  # in `meta`: the latest time at which a token was looked at
USED_EVERY_US = 3600 * SECOND_US  # when a token was last used is known to the hour
SEEN_EVERY_US = 60 * SECOND_US


class Right(StrEnum):
    """What a token may be used for. `admin` may erase; holding nothing, and with anything to add, it is the owner."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """One token as the store knows it; the secret half is nobody's but the holder's."""

    id: str
    name: str
    grant: Grant
    rights: frozenset[Right]
    made_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None  # the hour of its last use

    @property
    def whole(self) -> bool:
        """Whether the store is theirs as it is its owner's."""
        return Right.ADMIN in self.rights and self.grant.held == GLOBAL and self.grant.may_add == EVERYTHING

    def over(self, now: datetime) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and self.expires_at <= now

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "scope": dict(self.grant.held.items()),
            "policy": CallerPolicy.OWNER.value if self.whole else self.grant.policy,
            "may_add": self.grant.additions_to_dict(),
            "rights": [right.value for right in Right if right in self.rights],
            "made_at": self.made_at.isoformat(),
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
            "revoked_at": self.revoked_at.isoformat() if self.revoked_at else None,
            "used_at": self.used_at.isoformat() if self.used_at else None,
        }


class MadeToken(NamedTuple):
    """A new token and its text, which is shown once and then known to its holder alone."""

    token: AccessToken
    text: str


class AccessTokens(Group):
    """Access tokens of servers."""

    def create(
        self, *, name: str, grant: Grant, rights: frozenset[Right], at: int, expires_at: int | None = None
    ) -> MadeToken:
        """Make a token. Names are unique, revoked ones included: a log that names one means that one."""
        if self.sql.value("SELECT 1 FROM access_token WHERE name = ?", (name,)):
            raise UsageError(f"there is a token called {name!r} already; choose another name")
        if expires_at is not None and expires_at <= self.latest(at):
            raise UsageError("that token would have expired already; name a time to come")
        id_, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        self.sql.run(
            "INSERT INTO access_token (id, name, hash, scope_pk, may_add, policy, rights, made_at, expires_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                id_,
                name,
                _hash(secret),
                self.tx.scopes.ensure(grant.held),
                orjson.dumps(grant.additions_to_dict()).decode(),
                grant.policy,
                orjson.dumps(sorted(rights)).decode(),
                at,
                expires_at,
            ),
        )
        made = self._row("t.id = ?", id_)
        assert made is not None
        return MadeToken(_token_of(made), f"rcl_{id_}_{secret}")

    def presented(self, text: str) -> AccessToken | None:
        """The token that a text is, unless it was revoked; its time may be over.

        How long a wrong one takes says nothing about the right one.
        """
        form = _FORM.fullmatch(text)
        row = self._row("t.id = ?", form[1]) if form else None
        matches = hmac.compare_digest(row[2] if row else "", _hash(form[2] if form else ""))
        return None if row is None or not matches or row[6] is not None else _token_of(row)

    def verified(self, text: str, *, now: int) -> AccessToken | None:
        """The token that a text is, while it may be used."""
        found = self.presented(text)
        return None if found is None or found.over(from_us(self.latest(now))) else found

    def latest(self, now: int) -> int:
        """Now, or the latest time that the store has seen where the clock was set back behind it."""
        done = self.sql.value("SELECT at FROM operation ORDER BY pk DESC LIMIT 1")
        return max(now, self.tx.meta.number(_SEEN), int(done or 0))

    def note_use(self, id_: str, *, at: int) -> None:
        """A token was used: known to the hour, and from now on no clock says it is earlier than this."""
        hour = at - at % USED_EVERY_US
        self.sql.run("UPDATE access_token SET used_at = ?1 WHERE id = ?2 AND coalesce(used_at, 0) < ?1", (hour, id_))
        if at > self.tx.meta.number(_SEEN):
            self.tx.meta.note(_SEEN, at)

    def listed(self) -> list[AccessToken]:
        """All tokens ever made, oldest first."""
        return [_token_of(row) for row in self.sql.all(f"{_SELECT} ORDER BY t.pk")]

    def usable(self, *, now: int) -> bool:
        """Whether there is any token that opens the door."""
        found = "SELECT 1 FROM access_token WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) LIMIT 1"
        return bool(self.sql.value(found, (self.latest(now),)))

    def over(self, ids: Iterable[str], *, now: int) -> set[str]:
        """Those of these tokens that open the door no longer."""
        wanted = set(ids)
        valid = (
            "SELECT id FROM access_token WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) AND id IN "
        )
        among = orjson.dumps(sorted(wanted)).decode()
        found = self.sql.all(f"{valid} (SELECT value FROM EACH_ITEM(?))", (self.latest(now), among))
        return wanted - {id_ for (id_,) in found}

    def revoke(self, id_or_name: str, *, at: int) -> AccessToken:
        """End a token, for good. One that was revoked stays as it is."""
        self.sql.run(
            "UPDATE access_token SET revoked_at = ? WHERE (id = ?2 OR name = ?2) AND revoked_at IS NULL",
            (at, id_or_name),
        )
        row = self._row("t.id = ?1 OR t.name = ?1", id_or_name)
        if row is None:
            raise NotFound(f"no token is called {id_or_name[:60]!r}; `recollect token list` shows them")
        return _token_of(row)

    def forget_user(self, user_id: str) -> None:
        """No token names this person any more among those it may act for."""
        for pk, said in self.sql.all(
            "SELECT pk, may_add FROM access_token WHERE JSON_TYPE(may_add, '$.user_id') IS NOT NULL"
        ):
            may_add = orjson.loads(said)
            others = [each for each in may_add.pop("user_id") if each != user_id]
            left = {**may_add, **({"user_id": others} if others else {})}
            self.sql.run("UPDATE access_token SET may_add = ? WHERE pk = ?", (orjson.dumps(left).decode(), pk))

    def _row(self, condition: str, value: str) -> Row | None:
        return self.sql.one(f"{_SELECT} WHERE {condition}", (value,))


def _token_of(row: Row) -> AccessToken:
    id_, name, _, rights, made_at, expires_at, revoked_at, used_at, policy, may_add, *where = row
    return AccessToken(
        id=id_,
        name=name,
        rights=frozenset(map(Right, orjson.loads(rights))),
        made_at=from_us(made_at),
        expires_at=from_us(expires_at) if expires_at else None,
        revoked_at=from_us(revoked_at) if revoked_at else None,
        used_at=from_us(used_at) if used_at else None,
        grant=OWNER.narrowed(dict(zip(DIMENSIONS, where, strict=True)), orjson.loads(may_add), policy),
    )


def _hash(secret: str) -> str:
    """One round is enough: 256 random bits cannot be guessed, however fast somebody hashes."""
    return hashlib.sha256(secret.encode()).hexdigest()
