"""Parts of a text that are personal or secret: what each is, how much it matters, and the text without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from recollect.model.record import SecurityTier


class SpanType(StrEnum):
    """What a span is: the words of receipts (`personal:email`), of `Screening.spans`, and of `[email]` in a text.

    Where two readings of the same characters are as sure, the one that stands earlier here is the right one.
    """

    SECRET = "secret"
    EMAIL = "email"
    IBAN = "iban"
    CRYPTO = "crypto"
    CARD = "card"
    NATIONAL_ID = "national_id"
    BANK_ACCOUNT = "bank_account"
    IP = "ip"
    DOMAIN = "domain"
    BIRTH_DATE = "birth_date"
    ADDRESS = "address"
    POSTCODE = "postcode"
    PHONE = "phone"
    PERSON = "person"


class PrivateSpan(NamedTuple):
    """A part of a text. `sure`: a check digit, a published format or a word beside it says so, not the shape alone.

    Of a secret, `kind` says which one: `aws-access-key`, `password`.
    """

    start: int
    end: int
    type: SpanType
    sure: bool = True
    kind: str = ""


# What a name or the address of a web page gives away is not worth hiding a memory for: nearly every memory has one.
CLEAR = frozenset({SpanType.PERSON, SpanType.DOMAIN})
CONFIDENTIAL = frozenset(
    {
        SpanType.CARD,
        SpanType.IBAN,
        SpanType.BANK_ACCOUNT,
        SpanType.NATIONAL_ID,
        SpanType.CRYPTO,
        SpanType.SECRET,
    }
)


def tier_of(spans: Iterable[PrivateSpan]) -> SecurityTier:
    """The tier of a text that holds these: that of the span that matters most."""
    types = {span.type for span in spans}
    if types & CONFIDENTIAL:
        return SecurityTier.CONFIDENTIAL
    return SecurityTier.SENSITIVE if types - CLEAR else SecurityTier.CLEARTEXT


def redacted(text: str, spans: Iterable[PrivateSpan], mark: Callable[[PrivateSpan], str] | None = None) -> str:
    """The text with `[TYPE]` in place of each span, and `[secret:KIND]` in place of a secret. Spans may overlap."""
    out: list[str] = []
    at = 0
    for span in joined(spans):
        out += [text[at : span.start], (mark or mark_of)(span)]
        at = span.end
    return "".join([*out, text[at:]])


def mark_of(span: PrivateSpan) -> str:
    """What stands in a text where the span was."""
    return f"[secret:{span.kind}]" if span.type is SpanType.SECRET else f"[{span.type}]"


def joined(spans: Iterable[PrivateSpan]) -> list[PrivateSpan]:
    """The spans in order, without overlaps: spans that overlap become one, of the type that matters most."""
    out: list[PrivateSpan] = []
    for span in sorted(spans):
        if out and span.start < out[-1].end:
            before = out[-1]
            first = max(before, span, key=_weight)
            out[-1] = first._replace(start=before.start, end=max(before.end, span.end))
        else:
            out.append(span)
    return out


def free_of(spans: Sequence[PrivateSpan], taken: Sequence[PrivateSpan]) -> list[PrivateSpan]:
    """Those that overlap none of what is taken."""
    return [span for span in spans if not any(span.start < each.end and each.start < span.end for each in taken)]


def _weight(span: PrivateSpan) -> tuple[int, bool, int]:
    return (
        3 if span.type is SpanType.SECRET else 2 if span.type in CONFIDENTIAL else span.type not in CLEAR,
        span.sure,
        span.end - span.start,
    )
