"""Files that work in a module usually reads first, put before an agent that has not asked for them yet.

They are read at the moment of saying and stored nowhere: whole where there is room, else as an outline with its lines.
Left out is what lies outside the project or behind a link, what is hidden, binary, generated or minified, and every
file with something in it that looks like a secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.code.project import Content, content_of
from recollect.config.observing import ObserveSettings
from recollect.hook import places
from recollect.hook.failure import print_of_bytes
from recollect.model.fence import INTRODUCTION
from recollect.model.query import Criteria
from recollect.model.record import Tier
from recollect.model.scope import Scope
from recollect.observe.inference import KEY_PARTS, USUAL_KEY
from recollect.observe.modules import EVERYWHERE, OFTEN, ModuleReads, UsualRead
from recollect.observe.saying import Saying, bytes_for, sealed
from recollect.observe.standing import ATTRIBUTE
from recollect.security.screening import secrets
from recollect.store.base import Tx

HEADING = "PRE-LOADED FILES: sessions here usually read these first. As they are now, with line numbers:"
LINE_BYTES = 12  # that a line of an outline takes beside its letters: numbers need more tokens than words
SEAL_BYTES = 135  # that the marks around a file take, whose digits need many tokens
OUTLINE_BYTES = 200  # that are kept free for each further file
CATEGORY = "prefetch_pattern"
_FLAGGED_MAX = 500
_TIERS = tuple(tier.value for tier in Tier)


class PreloadedFile(NamedTuple):
    """A file as it is told, and by what it is known to be still the same."""

    saying: Saying
    path: str
    size: int
    mtime_ns: int
    print: str


class _Found(NamedTuple):
    """A file that may be told."""

    usual: UsualRead
    content: Content
    text: str


def usual_first(
    tx: Tx, scope: Scope, reads: ModuleReads, settings: ObserveSettings, *, now: int, near: str | None = None
) -> list[UsualRead]:
    """Files that the next session will probably read first, the surest first.

    It is expected to work where the last one did, or at `near`, a file or folder; what the whole project's sessions
    read counts too. What somebody flagged is left out.
    """
    if not settings.preload:
        return []
    least = settings.module_sessions
    unwanted = _flagged(tx, scope, now)
    best: dict[str, UsualRead] = {}
    for usual in reads.of(reads.expected(near, least=least)):
        if usual.of < least or usual.share <= OFTEN or usual.confidence < settings.preload_confidence:
            continue
        known = best.get(usual.path)
        if usual.path not in unwanted and (known is None or _rank(usual) > _rank(known)):
            best[usual.path] = usual
    return sorted(best.values(), key=lambda usual: (*(-part for part in _rank(usual)), usual.path))


def preloaded(
    top: str, usual: Iterable[UsualRead], key: bytes, settings: ObserveSettings, *, tokens: int, whole: bool
) -> list[PreloadedFile]:
    """Files of a work tree as they are told within so many tokens; `whole`: their contents, where there is room."""
    found: list[_Found] = []
    for each in usual:
        if len(found) == settings.preload_files:
            break
        if (file := _readable(top, each)) is not None:
            found.append(file)
    told: list[PreloadedFile] = []
    left = bytes_for(tokens) - len(INTRODUCTION) - len(HEADING)
    for at, file in enumerate(found):
        room = left - SEAL_BYTES - OUTLINE_BYTES * (len(found) - at - 1)
        text = _told(file, room, settings.preload_chars, whole=whole)
        if text is None:
            continue
        saying = sealed([text], key, introduced=False)
        left -= len(text.encode("utf-8", "replace")) + SEAL_BYTES
        stamp = file.content.stamp
        told.append(
            PreloadedFile(saying, file.usual.path, stamp.size, stamp.mtime_ns, print_of_bytes(file.content.data))
        )
    return told


def _rank(usual: UsualRead) -> tuple[float, ...]:
    return (usual.always, usual.module is not EVERYWHERE, usual.share, usual.of)


def _flagged(tx: Tx, scope: Scope, now: int) -> set[str]:
    """Files of which somebody said that they need not be read first."""
    found = tx.records.latest(Criteria(scope=scope, categories=(CATEGORY,), tiers=_TIERS), now=now, limit=_FLAGGED_MAX)
    out: set[str] = set()
    for record in tx.records.load(found).values():
        kept = record.attributes.get(ATTRIBUTE)
        key = kept.get("key") if isinstance(kept, dict) else None
        parts = key.split(KEY_PARTS) if isinstance(key, str) else []
        if record.flagged and len(parts) == 3 and parts[0] == USUAL_KEY:
            out.add(parts[2])
    return out


def _readable(top: str, usual: UsualRead) -> _Found | None:
    """A file that may be told as it is now; None of anything else."""
    path = usual.path
    if any(part.startswith(".") for part in path.split("/")) or places.within(path, top, top) != path:
        return None
    content = content_of(Path(top), path)
    if content is None or content.refused or not content.data.strip():
        return None
    try:
        text = content.data.decode()
    except UnicodeDecodeError:
        return None
    if secrets.find(text):
        return None
    return _Found(usual, content, text)


def _told(file: _Found, room: int, chars_max: int, *, whole: bool) -> str | None:
    """A file within so many bytes: whole, its beginning and an outline, or the outline alone."""
    lines = file.text.splitlines()
    seen = f"read in {len(file.usual.sessions)} of {file.usual.of} sessions"
    if whole:
        shown = _beginning(lines, chars_max)
        said = "whole" if shown == len(lines) else f"lines 1-{shown} of {len(lines)}"
        text = "\n".join([f"{file.usual.path}, {said}, {seen}:", *lines[:shown]])
        if shown and len(text.encode()) <= room:
            return text
    head = f"{file.usual.path}, {len(lines)} lines, {seen}:"
    outline = _within(outline_of(file.usual.path, file.text), room - len(head.encode()), chars_max)
    return "\n".join([head, *outline]) if outline else None


def _beginning(lines: Sequence[str], chars_max: int) -> int:
    """How many lines of a file may be told."""
    chars = 0
    for at, line in enumerate(lines):
        chars += len(line) + 1
        if chars > chars_max:
            return at
    return len(lines)


def _within(outline: Sequence[str], room: int, chars_max: int) -> list[str]:
    shown: list[str] = []
    left = min(room, chars_max)
    for at, line in enumerate(outline):
        more = f"and {len(outline) - at} more"
        left -= len(line.encode()) + LINE_BYTES
        if left < len(more) + LINE_BYTES:
            return [*shown, more] if shown else []
        shown.append(line)
    return shown


def outline_of(path: str, text: str) -> list[str]:
    """What a file defines, or its headings, each with its lines: `12-40 Queue.close`."""
    from recollect.structure.definitions import spans_of
    from recollect.structure.languages import EXTENSIONS
    from recollect.structure.parse import pieces_of

    suffix = "." + path.rpartition(".")[2].lower()
    lines = text.splitlines()
    if (language := EXTENSIONS.get(suffix)) is not None:
        spans = [span for span in spans_of(text, lines, language, []) if span.name or span.scope]
        names = [".".join((*span.scope, *([span.name] if span.name else []))) for span in spans]
        ends = [_last_told(lines, span.first, span.end) for span in spans]
        return [f"{span.first + 1}-{end} {name}" for span, end, name in zip(spans, ends, names, strict=True)]
    if suffix not in _HEADED:
        return []
    tree = pieces_of(text, _HEADED[suffix]).tree
    sections = () if tree is None else tree.sections
    return [f"{each.lines[0]}-{each.lines[1]} {each.title}" for each in sections if each.level and each.title]


def _last_told(lines: Sequence[str], first: int, end: int) -> int:
    """The last line of a definition, without the blank ones below it."""
    while end > first + 1 and not lines[end - 1].strip():
        end -= 1
    return end


_HEADED = {".md": "markdown", ".markdown": "markdown", ".rst": "rst"}
