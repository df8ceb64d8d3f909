"""Checks at the edge: every value a caller may give for a record, made sound or refused with a word.

Each function returns the stored form of one value. A refusal names the argument, what is wrong and what would be
right, and happens before anything is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import orjson

from recollect.clock import to_us
from recollect.config.guarding import SecuritySettings
from recollect.errors import ContentTooLarge, UsageError, shown
from recollect.limits import (
    FIGURE_MAX,
    METADATA_BYTES_MAX,
    METADATA_DEPTH_MAX,
    NAME_CHARS_MAX,
    REASON_CHARS_MAX,
    TAG_CHARS_MAX,
    TAGS_MAX,
)
from recollect.model.facets import Facets
from recollect.model.place import Place
from recollect.model.record import Kind, SecurityTier, Tier


def content(value: Any, *, bytes_max: int | None, what: str = "content") -> str:
    """Text with something in it. `bytes_max=None` leaves the length to the caller."""
    if isinstance(value, bytes | bytearray):
        try:
            value = bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            raise UsageError(f"{what} is not UTF-8; decode it with its own encoding first") from None
    if not isinstance(value, str):
        raise UsageError(f"{what} must be a text, not {type(value).__name__}")
    if not value or value.isspace():
        raise UsageError(f"{what} is empty; there is nothing to remember")
    if "\x00" in value:
        raise UsageError(f"{what} holds a NUL character; remove it")
    if not value.isascii():
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError:
            raise UsageError(f"{what} holds half a character (a lone surrogate); it is not valid Unicode") from None
    else:
        size = len(value)
    if bytes_max is not None and size > bytes_max:
        raise ContentTooLarge(
            f"{what} has {size} bytes, one record holds at most {bytes_max} (ingest.content_bytes_max); "
            "give longer texts to ingest()"
        )
    return value


def kind(value: Any) -> str:
    return one_of(Kind, value, "kind")


def tier(value: Any) -> str:
    return one_of(Tier, value, "tier")


def security(value: Any) -> str:
    return one_of(SecurityTier, value, "security")


def one_of(enum: Any, value: Any, what: str) -> str:
    try:
        return str(enum(value).value)
    except ValueError:
        raise UsageError(f"unknown {what} {shown(value, 60)}; known: {', '.join(enum)}") from None


def share(value: Any, what: str) -> float:
    """A number in [0, 1]."""
    return within(value, 0, 1, what)


def within(value: Any, low: float, high: float, what: str) -> float:
    """A number in [low, high]."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise UsageError(f"{what} must be a number from {low:g} to {high:g}, not {shown(value, 40)}")
    return float(value)


def figure(value: Any, what: str, *, least: float = 0.0) -> float:
    """A weight, a strength, a rate: not negative, and not so large that what is worked out of it overflows."""
    return within(value, least, FIGURE_MAX, what)


def flag(value: Any, what: str) -> int:
    if not isinstance(value, bool):
        raise UsageError(f"{what} must be true or false, not {shown(value, 40)}")
    return int(value)


def name(value: Any, what: str, *, chars_max: int = NAME_CHARS_MAX) -> str:
    """A short text: a category, a speaker, a session, a label."""
    if not isinstance(value, str) or not value.strip() or "\x00" in value or not _is_unicode(value):
        raise UsageError(f"{what} must be a non-empty text, not {shown(value, 60)}")
    if len(value) > chars_max:
        raise ContentTooLarge(f"{what} has {len(value)} characters, at most {chars_max} are allowed")
    return value


def reason(value: Any, settings: SecuritySettings) -> str | None:
    """Why something is done. It stands in journals and logs, so a secret in it is replaced whatever the settings."""
    if value is None:
        return None
    from recollect.security.screening.policy import for_journals  # a hundred patterns, which no reader needs

    return for_journals(name(value, "reason", chars_max=REASON_CHARS_MAX), settings)


def tags(value: Any, what: str = "tags") -> str | None:
    """Distinct short texts as a JSON list."""
    if value is None:
        return None
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise UsageError(f"{what} must be a list of texts, not {shown(value, 60)}")
    items = list(dict.fromkeys(name(item, f"each of {what}", chars_max=TAG_CHARS_MAX) for item in value))
    if len(items) > TAGS_MAX:
        raise ContentTooLarge(f"{what}: at most {TAGS_MAX}, not {len(items)}")
    return orjson.dumps(items).decode() if items else None


def mapping(value: Any, what: str = "metadata") -> str | None:
    """A JSON object, bounded in size and depth."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise UsageError(f"{what} must be an object with text keys, not {type(value).__name__}")
    if not value:
        return None
    _check_depth(value, what, METADATA_DEPTH_MAX)
    try:
        text = orjson.dumps(dict(value))
    except (TypeError, ValueError) as error:  # orjson's own error is a TypeError
        raise UsageError(f"{what} must be plain JSON (texts, numbers, lists, objects): {error}") from None
    if len(text) > METADATA_BYTES_MAX:
        raise ContentTooLarge(f"{what} has {len(text)} bytes as JSON, at most {METADATA_BYTES_MAX} are allowed")
    return text.decode()


def _check_depth(value: Any, what: str, left: int) -> None:
    if left < 0:
        raise UsageError(f"{what} is nested deeper than {METADATA_DEPTH_MAX} levels")
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{what} holds {value}, which JSON cannot; use null or a text")
    if isinstance(value, Mapping):
        for item in value.values():
            _check_depth(item, what, left - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_depth(item, what, left - 1)


def moment(value: Any, what: str, *, now: datetime | None = None) -> int | None:
    """Any way of giving a time, as microseconds."""
    if value is None:
        return None
    from recollect.language.times import parse_time  # with the languages that times are written in

    return to_us(parse_time(value, what, now=now))


def place(value: Any) -> str | None:
    return _structured(Place, value, "place")


def facets(value: Any) -> str | None:
    return _structured(Facets, value, "facets")


def _structured(cls: type[Place] | type[Facets], value: Any, what: str) -> str | None:
    if value is None:
        return None
    try:
        parsed = value if isinstance(value, cls) else cls.from_dict(dict(value))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what} is not understood: {error}") from None
    return mapping(parsed.to_dict(), what)


def _is_unicode(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
