"""A master key under a passphrase: argon2id makes a key of the passphrase, AES-256-GCM seals the master key with it.

The passphrase is not the master key. So the cost of guessing can be raised, and the passphrase changed, without
encrypting the store again: only the few bytes here are sealed anew.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.errors import MissingExtra, StoreLocked, UsageError
from recollect.limits import ARGON2_MEMORY_KIB_MAX, PASSPHRASE_CHARS_MAX
from recollect.security.keys import KEY_BYTES, MasterKey

_SALT_BYTES, _NONCE_BYTES, _TAG_BYTES = 16, 12, 16
_LANES_MAX, _ITERATIONS_MAX = 64, 1000
_MEMORY_KIB_MIN = 8 * 1024


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one guess costs. The default is the second recommendation of RFC 9106."""

    memory_kib: int = 64 * 1024
    iterations: int = 3
    lanes: int = 4

    def below(self, other: Cost) -> bool:
        """Whether a guess costs less than with the other, in any respect."""
        return self.memory_kib < other.memory_kib or self.iterations < other.iterations

    def raised_to(self, other: Cost) -> Cost:
        return replace(
            other,
            memory_kib=max(self.memory_kib, other.memory_kib),
            iterations=max(self.iterations, other.iterations),
        )


COST = Cost()  # of a key that is sealed now; one that was sealed for less is sealed anew when it is opened


@dataclass(frozen=True, kw_only=True)
class SealedKey:
    """A master key that a passphrase opens. Everything in it may be seen by anyone."""

    cost: Cost
    salt: bytes = field(repr=False)
    nonce: bytes = field(repr=False)
    sealed: bytes = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kdf": "argon2id",
            "memory_kib": self.cost.memory_kib,
            "iterations": self.cost.iterations,
            "lanes": self.cost.lanes,
            "salt": self.salt.hex(),
            "cipher": "aes-256-gcm",
            "nonce": self.nonce.hex(),
            "sealed": self.sealed.hex(),
        }

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> SealedKey:
        """KeyError, TypeError or ValueError for what is no such thing. Costs are bounded: a file must not be able to
        take all memory."""
        if (told["kdf"], told["cipher"]) != ("argon2id", "aes-256-gcm"):
            raise ValueError("sealed in an unknown way")
        cost = Cost(memory_kib=told["memory_kib"], iterations=told["iterations"], lanes=told["lanes"])
        salt, nonce, sealed = (bytes.fromhex(told[name]) for name in ("salt", "nonce", "sealed"))
        if not all(type(each) is int for each in (cost.memory_kib, cost.iterations, cost.lanes)):
            raise TypeError("costs are numbers")
        within = (
            _MEMORY_KIB_MIN <= cost.memory_kib <= ARGON2_MEMORY_KIB_MAX
            and 1 <= cost.iterations <= _ITERATIONS_MAX
            and 1 <= cost.lanes <= _LANES_MAX
        )
        sizes = (len(salt), len(nonce), len(sealed)) == (_SALT_BYTES, _NONCE_BYTES, KEY_BYTES + _TAG_BYTES)
        if not within or not sizes:
            raise ValueError("costs or sizes out of bounds")
        return cls(cost=cost, salt=salt, nonce=nonce, sealed=sealed)

    def opened(self, passphrase: str, about: bytes) -> MasterKey:
        """The master key. `StoreLocked` for another passphrase."""
        from cryptography.exceptions import InvalidTag

        try:
            return MasterKey(_cipher(passphrase, self.salt, self.cost).decrypt(self.nonce, self.sealed, about))
        except InvalidTag:
            raise StoreLocked("the passphrase does not open this store; nothing was changed") from None
        except MemoryError:
            raise StoreLocked(
                f"to make the key of the passphrase takes {self.cost.memory_kib // 1024} MiB of memory, which are not "
                "free; nothing was changed"
            ) from None


def sealed_with(passphrase: str, master: MasterKey, about: bytes, cost: Cost) -> SealedKey:
    """The master key under a passphrase. `about` is bound to it: sealed for one vault, it opens no other."""
    check_passphrase(passphrase)
    salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
    sealed = _cipher(passphrase, salt, cost).encrypt(nonce, master.raw(), about)
    return SealedKey(cost=cost, salt=salt, nonce=nonce, sealed=sealed)


def check_passphrase(given: Any) -> str:
    """A passphrase that can be used; it is never repeated in a message."""
    if not isinstance(given, str) or not given or len(given) > PASSPHRASE_CHARS_MAX:
        raise UsageError(f"the passphrase must be a text of 1 to {PASSPHRASE_CHARS_MAX} characters")
    if any("\ud800" <= ch <= "\udfff" for ch in given):
        raise UsageError("the passphrase holds half a character (a lone surrogate); it is not valid Unicode")
    return given


def derived_key(passphrase: str, salt: bytes, cost: Cost) -> bytes:
    """The key that argon2id makes of a passphrase (RFC 9106)."""
    try:
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
    except ImportError:
        raise MissingExtra("a vault needs: pip install 'recollect[vault]'") from None
    made = Argon2id(
        salt=salt, length=KEY_BYTES, iterations=cost.iterations, lanes=cost.lanes, memory_cost=cost.memory_kib
    )
    return bytes(made.derive(passphrase.encode()))


def _cipher(passphrase: str, salt: bytes, cost: Cost) -> Any:
    made = derived_key(passphrase, salt, cost)
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(made)
