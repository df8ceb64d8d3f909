"""Findings of research as callers give them, checked: what was found, where, how sure, and what supports what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from recollect.errors import ContentTooLarge, UsageError, shown
from recollect.ingest import check
from recollect.limits import NAME_CHARS_MAX, QUERY_CHARS_MAX

FINDINGS_MAX = 1_000
URLS_MAX = 64  # of one finding
URL_CHARS_MAX = 2_048
CROSS_REFERENCES_MAX = 10_000
_OF_A_FINDING = ("content", "urls", "source_urls", "url", "title", "confidence", "discovered_at", "tags")
_OF_A_SESSION = ("id", "query", "findings", "cross_references")


class ResearchFinding(NamedTuple):
    """One thing that was found out."""

    content: str
    urls: tuple[str, ...]
    title: str | None
    confidence: float | None
    discovered_at: Any
    tags: tuple[str, ...]


class Findings(NamedTuple):
    """All that one research found. Pairs say that the first finding supports the second."""

    session: str | None
    query: str | None
    each: tuple[ResearchFinding, ...]
    cross_references: tuple[tuple[int, int], ...]


def findings_of(given: Any, *, query: Any, cross_references: Any, session_id: Any) -> Findings:
    """A list of findings, one finding, or a whole research session, as values or as JSON; what is said beside it counts
    before that."""
    given = _parsed(given) if isinstance(given, str) else given
    session = given if isinstance(given, Mapping) and "findings" in given else {}
    _refuse_unknown(session, _OF_A_SESSION, "a research session")
    listed = session.get("findings", given)
    listed = [listed] if isinstance(listed, Mapping) else listed
    if isinstance(listed, str | bytes) or not isinstance(listed, Sequence):
        raise UsageError(f"findings is a list of objects with content and urls, not {shown(listed, 40)}")
    if not listed:
        raise UsageError("there is nothing to remember: the list of findings is empty")
    if len(listed) > FINDINGS_MAX:
        raise ContentTooLarge(f"at most {FINDINGS_MAX} findings a call, not {len(listed)}; give them in portions")
    pairs = cross_references if cross_references else session.get("cross_references") or ()
    asked = query if query is not None else session.get("query")
    name = session_id if session_id is not None else session.get("id")
    return Findings(
        session=None if name is None else check.name(str(name) if isinstance(name, int) else name, "session_id"),
        query=None if asked is None else check.name(asked, "query", chars_max=QUERY_CHARS_MAX),
        each=tuple(_finding(finding, index) for index, finding in enumerate(listed)),
        cross_references=_pairs(pairs, len(listed)),
    )


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise UsageError(f"findings as text must be JSON, not {shown(text, 40)}") from None


def _finding(given: Any, index: int) -> ResearchFinding:
    if not isinstance(given, Mapping):
        raise UsageError(f"finding {index} must be an object with content and urls, not {shown(given, 40)}")
    _refuse_unknown(given, _OF_A_FINDING, f"finding {index}")
    try:
        urls = [url for name in ("urls", "source_urls", "url") for url in _listed(given.get(name), name)]
        if len(urls) > URLS_MAX:
            raise ContentTooLarge(f"at most {URLS_MAX} urls, not {len(urls)}")
        title, confidence = given.get("title"), given.get("confidence")
        return ResearchFinding(
            content=check.content(given.get("content"), bytes_max=None),
            urls=tuple(dict.fromkeys(_url(url) for url in urls)),
            title=None if title is None else check.name(title, "title", chars_max=URL_CHARS_MAX),
            confidence=None if confidence is None else check.share(confidence, "confidence"),
            discovered_at=given.get("discovered_at"),
            tags=tuple(_listed(given.get("tags"), "tags")),
        )
    except UsageError as error:
        raise type(error)(f"finding {index}: {error.message}") from None


def _listed(given: Any, what: str) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping) or not isinstance(given, Sequence):
        raise UsageError(f"{what} is a text or a list of texts, not {shown(given, 40)}")
    return list(given)


def _url(given: Any) -> str:
    """An address on the web; one that a browser would not open is refused, and so are addresses with passwords."""
    said = shown(given, 80)
    if not isinstance(given, str) or not given.isprintable() or len(given.split()) != 1:
        raise UsageError(f"a url is a text such as https://example.org/page, not {said}")
    text = given.strip()
    try:
        parts = urlsplit(text)
        named = parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        named = None
    if not named or parts.scheme.lower() not in ("http", "https"):
        raise UsageError(f"a url begins with http:// or https:// and names a host, unlike {said}")
    if parts.password is not None:
        raise UsageError("a url with a password in it is not kept; take it out")
    if len(text) > URL_CHARS_MAX:
        raise ContentTooLarge(f"a url has at most {URL_CHARS_MAX} characters, not {len(text)}")
    return text


def source_of(url: str) -> str:
    """A url as the source of a record: itself, or its host where that is too long for one."""
    return url if len(url) <= NAME_CHARS_MAX else f"{urlsplit(url).scheme}://{urlsplit(url).hostname}"[:NAME_CHARS_MAX]


def _pairs(given: Any, count: int) -> tuple[tuple[int, int], ...]:
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise UsageError(f"cross_references is a list of pairs of numbers, not {shown(given, 40)}")
    if len(given) > CROSS_REFERENCES_MAX:
        raise ContentTooLarge(f"at most {CROSS_REFERENCES_MAX} cross references, not {len(given)}")
    return tuple(dict.fromkeys(_pair(pair, count) for pair in given))


def _pair(given: Any, count: int) -> tuple[int, int]:
    sound = isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2
    if not sound or any(type(each) is not int or not 0 <= each < count for each in given):
        raise UsageError(
            f"a cross reference is a pair of findings counted from 0 to {count - 1}, not {shown(given, 40)}"
        )
    if given[0] == given[1]:
        raise UsageError(f"finding {given[0]} cannot support itself")
    return given[0], given[1]


def _refuse_unknown(given: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    unknown = sorted(str(name) for name in given if name not in known)
    if unknown:
        raise UsageError(f"{what} has no {unknown[0]!r:.40}; known: {', '.join(known)}")
