"""What a text points at: links, addresses, paths, ids of records, titles between quotation marks, names of code.

Only what is written as a pointer counts: a heading called "Records" is not meant wherever the word stands, and a name
of code must look like one (`Brewer.steep`, `steep()`, `TeaPot`). Which record is behind a pointer, and whether there is
one at all, only the store knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

LINKS_MAX = 64  # of a text with more, the first
NAME_CHARS_MAX = 300

Sort = Literal["id", "url", "path", "title", "code"]

_ID = r"(?P<id>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"
_MARKDOWN = r"\[[^\]\[\n]{0,200}\]\((?P<markdown>[^()\s]{1,300})(?:\s+\"[^\"\n]*\")?\)"
_RST = (
    r":(?:doc|download):`(?:[^`<\n]{0,200}<)?(?P<rst>[^`<>\n]{1,300})>?`"
    r"|`[^`<\n]{1,200}<(?P<target>[^`<>\s]{1,300})>`__?"
)
_URL = r"(?P<url>\bhttps?://[^\s<>()\[\]\"'`|]{3,300})"
_PATH = (
    r"(?P<path>(?<![\w./\\:-])(?!\w\.\w\b)(?:\.{0,2}/)?(?:[\w.-]+/){0,20}"
    r"[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w/]|\.\w))"
)
_TITLE = (
    r"\b(?:[Ss]ee(?: also)?|[Ss]ection|[Cc]hapter|[Uu]nder)\s+(?:the\s+)?(?:section\s+|chapter\s+)?"
    r"(?:\"(?P<quoted>[^\"\n]{3,80})\"|“(?P<curled>[^”\n]{3,80})”|\*{1,2}(?P<strong>[^*\n]{3,80})\*{1,2})"
)
_CODE = r"`(?P<code>[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+|[A-Za-z_]\w*(?=\(\)`)|[A-Z]\w*[a-z][A-Z]\w*)(?:\(\))?`"
_ANY = re.compile("|".join((_MARKDOWN, _RST, _ID, _URL, _TITLE, _PATH, _CODE)))
_MAY_POINT = re.compile(r"[\[/`\"“*]|\w\.[A-Za-z]|-4")  # most texts point at nothing: one look is enough for them
_DEFINITION = re.compile(r"^[ \t]*\[[^\]\n]{1,200}\]:[ \t].*$", re.MULTILINE)  # of a link that stands elsewhere
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SLUG_OUT = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLink:
    """One pointer: `name` as it stands in the text, `target` what it leads to, `anchor` the section of that."""

    sort: Sort
    name: str
    target: str
    anchor: str = ""


def links_in(text: str) -> tuple[TextLink, ...]:
    """What a text points at, in its order, each once."""
    if not _MAY_POINT.search(text):
        return ()
    found: dict[tuple[str, str, str], TextLink] = {}
    for link in _each(text):
        found.setdefault((link.sort, link.target, link.anchor), link)
        if len(found) == LINKS_MAX:
            break
    return tuple(found.values())


def slug_of(title: str) -> str:
    """A heading as links name it: small letters, hyphens for spaces, no marks."""
    return _SLUG_OUT.sub("", title.lower()).strip().replace(" ", "-")


def _each(text: str) -> Iterator[TextLink]:
    for match in _ANY.finditer(_DEFINITION.sub("", text) if "]:" in text else text):
        sort, name = match.lastgroup, match[match.lastgroup or 0]
        if sort in ("markdown", "rst", "target"):
            link = _followed(name)
        elif sort in ("quoted", "curled", "strong"):
            link = TextLink(sort="title", name=name, target=name.strip(" .,:;"))
        elif sort == "id":
            link = TextLink(sort="id", name=name, target=name)
        elif sort == "url":
            link = _followed(name.rstrip(".,;:!?"))
        elif sort == "path":
            link = TextLink(sort="path", name=name, target=name)
        else:
            link = TextLink(sort="code", name=name, target=name)
        if link is not None:
            yield link


def _followed(target: str) -> TextLink | None:
    """Where the target of a link leads; None for mail addresses and the like."""
    address, _, anchor = target.partition("#")
    if address.startswith(("http://", "https://", "file://")):
        return TextLink(sort="url", name=target, target=address, anchor=unquote(anchor))
    if _SCHEME.match(address):
        return None
    return TextLink(sort="path", name=target, target=unquote(address), anchor=unquote(anchor))
