"""What becomes of personal data and secrets on their way into the store, by the settings `security.personal` and
`security.secrets`.

`Privacy` is the policy of one write. Every text that a caller gives passes it before it is read, embedded or stored, so
that statements, names, indexes and the journal never see what was taken out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from recollect.config.guarding import SecuritySettings
from recollect.errors import ConfigInvalid, ContentRefused
from recollect.model.columns import RecordRow
from recollect.model.record import SecurityTier
from recollect.model.scope import DIMENSIONS, Scope
from recollect.security.screening import personal, secrets
from recollect.security.screening.spans import CLEAR, PrivateSpan, SpanType, mark_of, redacted, tier_of
from recollect.store.rows import content_hash

KEEP, TIER, REDACT, REFUSE, REPLACE = "keep", "tier", "redact", "refuse", "replace"
_TAKEN_MIN = 5  # characters of what is also looked for beside its text; a PIN would be found in every number
_STRUCTURED = frozenset({"metadata", "attributes", "tags"})  # columns that hold JSON …
_PLAIN = frozenset({"subject", "predicate", "object", "speaker", "source"})  # … and those that hold words of a caller


class Admitted(NamedTuple):
    """A text as it may be stored, the tier it has by what it holds, and what a receipt says about it.

    `security` is None where the policy leaves the tier to the caller.
    """

    text: str
    security: SecurityTier | None = None
    flags: tuple[str, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()  # what was taken out, and what stands there now


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """What is done with personal data (`keep`, `tier`, `redact`, `refuse`) and with secrets (`keep`, `replace`,
    `refuse`)."""

    personal: str = KEEP
    secrets: str = REPLACE

    @staticmethod
    def of(settings: SecuritySettings, scope: Scope) -> Privacy:
        """The policy for a scope: that of the settings, unless they name another for it."""
        return Privacy(
            personal=_in_scope(settings.personal, settings.personal_in, scope, "personal"),
            secrets=_in_scope(settings.secrets, settings.secrets_in, scope, "secrets"),
        )

    def admit(self, text: str, *, told: str | None = None) -> Admitted:
        """The text as it may be stored; `ContentRefused` where the policy refuses what it holds.

        `told` is the tier that a caller gave: a person has decided, and personal data is kept as that says.
        """
        given, hidden = text, secrets.find(text)
        flags: dict[str, None] = {}
        if hidden:
            text, noted = self._without_secrets(text, hidden)
            flags |= noted
        private: tuple[PrivateSpan, ...] = ()
        if told is None:
            private = tuple(span for span in personal.find(text) if span.type not in CLEAR)
        if not hidden and not private:
            return Admitted(text, SecurityTier.CLEARTEXT if self.personal == TIER and told is None else None)
        taken = _taken(given, hidden) if self.secrets == REPLACE else ()
        taken += _taken(text, private) if self.personal == REDACT else ()
        text, noted = self._without_personal(text, private)
        tier = None
        if self.personal == TIER and told is None:
            kept = hidden if self.secrets == KEEP else ()
            tier = tier_of((*private, *kept))
        return Admitted(text, tier, (*flags, *noted), taken)

    def admit_any(self, value: str, taken: Mapping[str, str], *, told: str | None = None) -> Admitted:
        """The same for a text that may be JSON, without what was taken out of others before."""
        bare = _replaced(value, [*taken.items()])
        admitted = self.admit(bare, told=told)
        if admitted.text == bare or not bare.startswith(("{", "[")):
            return admitted
        try:
            parsed = orjson.loads(bare)
        except orjson.JSONDecodeError:
            return admitted
        return admitted._replace(text=orjson.dumps(self._inside(parsed, "", told)).decode())

    def admit_columns(
        self, columns: Mapping[str, Any], taken: Sequence[tuple[str, str]] = ()
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The columns that change because of what they hold, or of what was taken out of the text beside them; and
        what a receipt says about it."""
        out: dict[str, Any] = {}
        flags: dict[str, None] = {}
        told = columns.get("security")
        for name, value in columns.items():
            if not isinstance(value, str) or name not in _PLAIN | _STRUCTURED:
                continue
            admitted = self.admit_any(value, dict(taken), told=told)
            flags |= dict.fromkeys(admitted.flags)
            if admitted.text != value:
                out[name] = admitted.text
        return out, tuple(flags)

    def admit_row(self, row: RecordRow) -> tuple[str, ...]:
        """The same for a row that is to be stored, in place; what a receipt says about it."""
        admitted = self.admit(row.content)
        if admitted.text != row.content:
            row.content, row.content_hash = admitted.text, content_hash(admitted.text)
        if admitted.security is not None:
            row.security = higher(admitted.security, row.security)
        changed, flags = self.admit_columns({name: getattr(row, name) for name in _PLAIN | _STRUCTURED}, admitted.taken)
        for name, value in changed.items():
            setattr(row, name, value)
        return tuple(dict.fromkeys((*admitted.flags, *flags)))

    def _inside(self, value: Any, key: str, told: str | None) -> Any:
        """A JSON value with what it holds taken out. Its key stands before it: `password` says what follows."""
        if isinstance(value, Mapping):
            return {self.admit(name, told=told).text: self._inside(each, name, told) for name, each in value.items()}
        if isinstance(value, list):
            return [self._inside(each, key, told) for each in value]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return value
        before = f"{key}: "
        after = self.admit(f"{before}{value}", told=told).text
        if after == f"{before}{value}":
            return value
        return after.removeprefix(before)

    def _without_secrets(self, text: str, hidden: tuple[PrivateSpan, ...]) -> tuple[str, dict[str, None]]:
        kinds = list(dict.fromkeys(span.kind for span in hidden))
        if self.secrets == REFUSE:
            raise ContentRefused(
                f"the text holds a secret ({', '.join(kinds)}), and security.secrets says refuse; take it out"
            )
        if self.secrets == KEEP:
            return text, {f"secret:{kind}:kept": None for kind in kinds}
        return redacted(text, hidden), {f"secret:{kind}:replaced": None for kind in kinds}

    def _without_personal(self, text: str, private: tuple[PrivateSpan, ...]) -> tuple[str, dict[str, None]]:
        types: list[SpanType] = list(dict.fromkeys(span.type for span in private))
        if self.personal == REFUSE and any(span.sure for span in private):
            raise ContentRefused(
                f"the text holds personal data ({', '.join(types)}), and security.personal says refuse; take it out of "
                "the text, or give its tier with security="
            )
        if self.personal == REDACT:
            return redacted(text, private), {f"personal:{each}:redacted": None for each in types}
        return text, {f"personal:{each}": None for each in types}


def higher(one: str, other: str) -> str:
    """The tier of two that protects more."""
    return max(one, other, key=[*SecurityTier].index)


def _taken(text: str, spans: Iterable[PrivateSpan]) -> tuple[tuple[str, str], ...]:
    return tuple((text[span.start : span.end], mark_of(span)) for span in spans if span.end - span.start >= _TAKEN_MIN)


def _replaced(text: str, taken: Sequence[tuple[str, str]]) -> str:
    for value, mark in taken:
        text = text.replace(value, mark)
    return text


def without_secrets(text: str) -> str:
    """A reason or a piece of evidence with secrets replaced, whatever the settings: logs and journals show them."""
    return redacted(text, secrets.find(text))


def _in_scope(mode: str, others: str, scope: Scope, name: str) -> str:
    if not others:
        return mode
    held = dict(scope.items())
    for wanted, other in _parsed(others, name):
        if all(held.get(dimension) == value for dimension, value in wanted):
            mode = other
    return mode


_MODES = {"personal": (KEEP, TIER, REDACT, REFUSE), "secrets": (KEEP, REPLACE, REFUSE)}


@lru_cache(maxsize=64)
def _parsed(others: str, name: str) -> tuple[tuple[tuple[tuple[str, str], ...], str], ...]:
    """`project=payroll: redact, user_id=ana project=atlas: keep` as pairs; the last that fits counts."""
    out = []
    for entry in others.split(","):
        where, colon, mode = entry.rpartition(":")
        wanted = tuple((dimension, value) for dimension, _, value in (part.partition("=") for part in where.split()))
        unknown = [dimension for dimension, value in wanted if dimension not in DIMENSIONS or not value]
        if not colon or not wanted or unknown or mode.strip() not in _MODES[name]:
            raise ConfigInvalid(
                f"security.{name}_in: {entry.strip()!r} is not understood; write 'project=payroll: {_MODES[name][-1]}' "
                f"with dimensions of a scope and one of {', '.join(_MODES[name])}"
            )
        out.append((wanted, mode.strip()))
    return tuple(out)
