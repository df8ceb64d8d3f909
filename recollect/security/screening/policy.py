"""What becomes of personal data and secrets on their way into the store, by the settings `security.personal` and
`security.secrets`.

`Privacy` is the policy of one write. Every text that a caller gives passes it before it is read, embedded or stored, so
that statements, names, indexes and the journal never see what was taken out. What a tier takes out is sealed, and kept
beside the row (`security.fields`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from recollect.config.guarding import SecuritySettings
from recollect.errors import ConfigInvalid, ContentRefused, EncryptionFailed
from recollect.language.terms import is_withheld
from recollect.model.columns import RecordRow
from recollect.model.record import SecurityTier
from recollect.model.scope import DIMENSIONS, Scope
from recollect.security.screening import personal, secrets
from recollect.security.screening.spans import CLEAR, PrivateSpan, SpanType, mark_of, redacted, tier_of
from recollect.store.rows import content_hash

if TYPE_CHECKING:
    from recollect.security.fields import FieldCipher

KEEP, TIER, REDACT, REFUSE, REPLACE, VAULT, AUTO = "keep", "tier", "redact", "refuse", "replace", "vault", "auto"
SECRETS = "secrets"  # in a box: kind and value of each secret, by its reference
APPROVE = "approve"
_REF_CHARS = 10
_TAKEN_MIN = 5  # characters of what is also looked for beside its text; a PIN would be found in every number
_STRUCTURED = frozenset({"metadata", "attributes", "tags", "place", "facets"})  # columns that hold JSON …
_PLAIN = frozenset({"subject", "predicate", "object", "speaker", "source"})  # … and those that hold words of a caller
WORDED = _STRUCTURED | _PLAIN
# Nothing of these is left in the row of a confidential record; its other columns say how it is filed, not what it says.
_EMPTIED = frozenset({"metadata", "tags", "subject", "predicate", "object", "facets"})
_PERSONAL = "personal:"  # how flags about personal data begin
_KEYLESS = "security.personal is tier, and nothing can be sealed here"


class Admitted(NamedTuple):
    """A text as it may be stored, the tier it has by what it holds, and what a receipt says about it.

    `security` is None where the policy leaves the tier to the caller.
    """

    text: str
    security: SecurityTier | None = None
    flags: tuple[str, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()  # what was taken out, and what stands there now


class AdmittedRecord(NamedTuple):
    """A text with the columns beside it, as they may be stored.

    `columns` are those that change, the tier among them; `originals` is what is to be sealed, empty if nothing is.
    """

    text: str
    columns: dict[str, Any]
    flags: tuple[str, ...]
    originals: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Privacy:
    """What is done with personal data (`keep`, `tier`, `redact`, `refuse`) and with secrets (`keep`, `replace`,
    `vault`, `refuse`). `fields` gives what seals texts of a tier; without it no tier can be kept.

    `kept` is there where a secret can be kept: it collects kind and value of each by its reference.
    """

    personal: str = KEEP
    secrets: str = REPLACE
    fields: Callable[[], FieldCipher] | None = field(default=None, repr=False, compare=False)
    scope: str = ""  # the same secret has another reference in another scope
    kept: dict[str, list[str]] | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(settings: SecuritySettings, scope: Scope, fields: Callable[[], FieldCipher] | None = None) -> Privacy:
        """The policy for a scope: that of the settings, unless they name another for it.

        Where tiers are wanted and there is no key to seal with, the first write is refused, not the first one that
        somebody tells something private in.
        """
        hidden = in_scope(settings.secrets, settings.secrets_in, scope, "secrets")
        if hidden == AUTO:
            hidden = VAULT if fields is not None and fields().in_vault else REPLACE
        made = Privacy(
            personal=in_scope(settings.personal, settings.personal_in, scope, "personal"),
            secrets=hidden,
            fields=fields,
            scope=scope.key,
        )
        if made.personal == TIER or made.secrets == VAULT:
            made.cipher()
        return made

    def cipher(self) -> FieldCipher:
        """What seals texts; `EncryptionFailed` where there is no key for it."""
        if self.fields is None:
            raise EncryptionFailed(_KEYLESS)
        found = self.fields()
        found.require()
        return found

    @property
    def replaces(self) -> bool:
        """Whether something else stands in the place of a secret."""
        return self.secrets in (REPLACE, VAULT)

    @property
    def by_secrets(self) -> Privacy:
        """Where a tier is kept of what a text becomes, only its secrets are taken out of the text as a whole."""
        return replace(self, personal=KEEP) if self.personal == TIER else self

    @property
    def unsealed(self) -> Privacy:
        """For words that have no row of their own to seal anything beside: a tier takes them out for good."""
        return replace(self, personal=REDACT) if self.personal == TIER else self

    def admit(self, text: str, *, told: str | None = None) -> Admitted:
        """The text as it may be stored by itself, where nothing can be sealed beside it; `ContentRefused` where the
        policy refuses what it holds.

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
        taken = self._taken(given, hidden) if self.replaces else ()
        taken += self._taken(text, private) if self.personal in (REDACT, TIER) else ()
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

    def seals(self, told: str | None, least: str | None = None) -> bool:
        """Whether something may have to be sealed of a record for which a caller told a tier, or that has one."""
        if told is not None:
            return told != SecurityTier.CLEARTEXT
        return self.personal == TIER or self.least(least) is not None

    def least(self, security: str | None) -> str | None:
        """The tier that a record has and keeps, whatever it says now; None if it has none, or where nothing can be
        sealed: then it is a word about the record and no more."""
        if security in (None, SecurityTier.CLEARTEXT) or self.fields is None or not self.fields().available:
            return None
        return security

    def admit_record(self, text: str, columns: Mapping[str, Any], least: str | None = None) -> AdmittedRecord:
        """A text and the columns beside it. Where tiers are kept, all of them have the tier of what matters most.

        A caller who tells a tier in the columns decides; `least` is the tier of what the record said before.
        """
        if self.secrets == VAULT and self.kept is None:
            kept: dict[str, list[str]] = {}
            found = replace(self, kept=kept).admit_record(text, columns, least)
            return found._replace(originals=found.originals | {SECRETS: kept}) if kept else found
        told = columns.get("security")
        words = {name: value for name, value in columns.items() if name in WORDED and isinstance(value, str)}
        if self.seals(told, least):
            return self._tiered(text, words, told, self.least(least))
        admitted = self.admit(text, told=told)
        changed: dict[str, Any] = {}
        flags = dict.fromkeys(admitted.flags)
        for name, value in words.items():
            beside = self.admit_any(value, dict(admitted.taken), told=told)
            flags |= dict.fromkeys(beside.flags)
            if beside.text != value:
                changed[name] = beside.text
        return AdmittedRecord(admitted.text, changed, tuple(flags), {})

    def admit_row(
        self, row: RecordRow, *, told: str | None = None, held: Mapping[str, list[str]] | None = None
    ) -> tuple[str, ...]:
        """The same for a row that is to be stored, in place; what a receipt says about it. The row has its id.

        The tier that it has already does not fall, unless another one is `told`. `held` are the secrets that were kept
        with it before.
        """
        columns = {name: getattr(row, name) for name in WORDED} | {"security": told}
        admitted = self.admit_record(row.content, columns, row.security)
        for name, value in {**admitted.columns, "content": admitted.text}.items():
            setattr(row, name, value)
        originals = admitted.originals
        if held:
            originals = originals | {SECRETS: {**held, **originals.get(SECRETS, {})}}
        self.seal(row, originals)
        return admitted.flags

    def seal(self, row: RecordRow, originals: Mapping[str, Any]) -> None:
        """Give a row the box with what was taken out of it. Rows that are alike without it are told apart by it."""
        row.sealed, row.box = None, None
        hidden = {name: value for name, value in originals.items() if name != SECRETS}
        said = [row.content, *hidden.values(), *(getattr(row, name) for name in WORDED)]
        kept = {
            ref: pair
            for ref, pair in originals.get(SECRETS, {}).items()
            if any(isinstance(each, str) and f"#{ref}]" in each for each in said)
        }
        row.content_hash = content_hash(row.content)
        if not hidden and not kept:
            return
        cipher = self.cipher()
        box = cipher.sealed(row.id, hidden | ({SECRETS: kept} if kept else {}))
        row.sealed, row.box = box.ref, box._replace(kinds=tuple((ref, kind) for ref, (kind, _) in kept.items()))
        if is_withheld(row.content):
            row.perceived = "{}"  # read, and nothing looked for
            row.box = row.box._replace(spoken=without_personal(hidden.get("content", "")))
        if hidden:
            row.content_hash = cipher.hash_of(row.content, hidden)

    def digest(self, text: str, plain: Callable[[str], str]) -> str:
        """What a text is known by. Where tiers are kept, nobody can try words on it who has no key."""
        return self.cipher().digest(text)[: len(plain(text))] if self.personal == TIER else plain(text)

    def _tiered(self, text: str, words: Mapping[str, str], told: str | None, least: str | None) -> AdmittedRecord:
        """What the row of a record shows, and what is sealed of it."""
        self.cipher()
        keeping, redacting = replace(self, personal=KEEP), replace(self, personal=REDACT)
        said = keeping.admit(text)
        bare = redacting.admit(text)
        shown, whole, noted = {}, {}, [*said.flags]
        for name, value in words.items():
            kept = keeping.admit_any(value, dict(said.taken))
            noted += kept.flags
            whole[name], shown[name] = kept.text, redacting.admit_any(value, dict(bare.taken)).text
        found = [flag for flag in dict.fromkeys(noted) if flag.startswith(_PERSONAL)]
        types = [SpanType(flag.removeprefix(_PERSONAL)) for flag in found]
        tier = _tier_of_types(types, noted) if self.personal == TIER else SecurityTier.CLEARTEXT
        tier = SecurityTier(told or higher(tier, least or tier))
        flags = [flag for flag in dict.fromkeys(noted) if flag not in found]
        if tier is SecurityTier.CLEARTEXT:
            changed = {name: value for name, value in whole.items() if value != words[name]}
            return AdmittedRecord(said.text, changed | {"security": tier.value}, tuple(flags), {})
        flags += [f"{flag}:sealed" for flag in found] or [f"sealed:{tier}"]
        stands_for, columns = bare.text, dict[str, Any](shown)
        if tier is SecurityTier.CONFIDENTIAL:
            stands_for = withheld(tier, types)
            columns |= dict.fromkeys(_EMPTIED & words.keys())
        elif (told or least) and bare.text == said.text:  # whoever told the tier did not say which part is meant
            stands_for = withheld(tier, types)
        originals = {name: value for name, value in whole.items() if value != columns[name]}
        if stands_for != said.text:
            originals["content"] = said.text
        changed = {name: value for name, value in columns.items() if value != words[name]}
        return AdmittedRecord(stands_for, changed | {"security": tier.value}, tuple(flags), originals)

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
        became = "replaced" if self.kept is None else "sealed"
        return redacted(text, hidden, self._marking(text)), {f"secret:{kind}:{became}": None for kind in kinds}

    def _marking(self, text: str) -> Callable[[PrivateSpan], str]:
        """What stands in a text where a span was: for a secret that is kept, its reference."""

        def mark(span: PrivateSpan) -> str:
            if self.kept is None or span.type is not SpanType.SECRET:
                return mark_of(span)
            value = text[span.start : span.end]
            ref = self.cipher().digest("\0".join((self.scope, span.kind, value)))[:_REF_CHARS]
            self.kept[ref] = [span.kind, value]
            return f"[secret:{span.kind}#{ref}]"

        return mark

    def _taken(self, text: str, spans: Iterable[PrivateSpan]) -> tuple[tuple[str, str], ...]:
        mark = self._marking(text)
        return tuple((text[span.start : span.end], mark(span)) for span in spans if span.end - span.start >= _TAKEN_MIN)

    def _without_personal(self, text: str, private: tuple[PrivateSpan, ...]) -> tuple[str, dict[str, None]]:
        types: list[SpanType] = list(dict.fromkeys(span.type for span in private))
        if self.personal == REFUSE and any(span.sure for span in private):
            raise ContentRefused(
                f"the text holds personal data ({', '.join(types)}), and security.personal says refuse; take it out of "
                "the text, or give its tier with security="
            )
        if self.personal in (REDACT, TIER):
            return redacted(text, private), {f"{_PERSONAL}{each}:redacted": None for each in types}
        return text, {f"{_PERSONAL}{each}": None for each in types}


def withheld(tier: SecurityTier, types: Iterable[str]) -> str:
    """What stands in a row for a text of which nothing may be read there: the tier, and what sort of data it holds."""
    sorts = ", ".join(dict.fromkeys(types))
    return f"[{tier}: {sorts}]" if sorts else f"[{tier}]"


def _tier_of_types(types: Sequence[SpanType], flags: Iterable[str]) -> SecurityTier:
    kept = [SpanType.SECRET] if any(flag.startswith("secret:") and flag.endswith(":kept") for flag in flags) else []
    return tier_of(PrivateSpan(0, 0, each) for each in (*types, *kept))


def without_personal(text: str) -> str:
    """The text without what a tier hides."""
    return redacted(text, (span for span in personal.find(text) if span.type not in CLEAR))


def unbroken(text: str) -> str:
    """The text with a letter for every space inside of personal data: what cuts between words leaves that whole."""
    out = list(text)
    for span in personal.find(text):
        out[span.start : span.end] = ["x" if each == " " else each for each in out[span.start : span.end]]
    return "".join(out)


def higher(one: str, other: str) -> str:
    """The tier of two that protects more."""
    return max(one, other, key=[*SecurityTier].index)


def _replaced(text: str, taken: Sequence[tuple[str, str]]) -> str:
    for value, mark in taken:
        text = text.replace(value, mark)
    return text


def bare_words(chosen: Callable[[], SecuritySettings], text: str, scope: Scope) -> str:
    """What may be written down of words that are no record: of what the policy does not keep as it is, nothing."""
    settings = chosen()
    keeps = in_scope(settings.personal, settings.personal_in, scope, "personal") == KEEP
    shows = in_scope(settings.secrets, settings.secrets_in, scope, "secrets") == KEEP
    policy = Privacy(personal=KEEP if keeps else REDACT, secrets=KEEP if shows else REPLACE)
    return policy.admit(text).text


def for_journals(text: str, settings: SecuritySettings) -> str:
    """A reason or a piece of evidence as logs and journals may show it: without secrets, whatever the settings, and
    where personal data is not kept everywhere, without that."""
    text = redacted(text, secrets.find(text))
    return text if settings.personal == KEEP and not settings.personal_in else without_personal(text)


def in_scope(mode: str, others: str, scope: Scope, name: str) -> str:
    """The mode of a setting for a scope: the last of the other modes that names it, else the one for all."""
    if not others:
        return mode
    held = dict(scope.items())
    for wanted, other in _parsed(others, name):
        if all(held.get(dimension) == value for dimension, value in wanted):
            mode = other
    return mode


def approval_of(settings: SecuritySettings, scope: Scope) -> str:
    """What approval means in a scope: `wait` for what is written there, `approve` for whose word lets in what waits."""
    usual = settings.approval if scope.agent_id is not None else "none"
    return in_scope(usual, settings.approval_in, scope, "approval")


_MODES = {
    "personal": (KEEP, TIER, REDACT, REFUSE),
    "secrets": (AUTO, VAULT, KEEP, REPLACE, REFUSE),
    "sensitive_shown": ("text", "redacted"),
    "approval": ("none", APPROVE, "wait"),
}


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
