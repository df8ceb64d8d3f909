"""Texts longer than one record: cut between paragraphs into snippets that know their place.

The first version reads plain text and Markdown as paragraphs. Structure (headings, code blocks, tables, other
formats) is the work of `structure`, which will hand its chunks to the same write path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import UsageError
from recollect.ingest.drafts import split_text
from recollect.model.place import Place, PositionType

FILE_BYTES_MAX = 64 * 1024 * 1024
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_PATH_LIKE = re.compile(
    r"\S*/\S*|~\S*|\S+\.(?:txt|md|markdown|rst|text|log|html?|pdf|json|py)"
)  # one word, no sentence
_TEXT_SUFFIXES = {".txt", ".md", ".markdown", ".rst", ".text", ".log", ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a text with the lines it stands on (1-based, inclusive)."""

    text: str
    first_line: int
    last_line: int


def read_documents(path_or_text: Any, *, recursive: bool) -> Iterator[tuple[str | None, str]]:
    """(path, text) of a file, of the text files in a folder, or of a text itself."""
    path = _existing(path_or_text)
    if path is None:
        yield None, path_or_text
        return
    files = sorted(path.rglob("*") if recursive else path.iterdir()) if path.is_dir() else [path]
    for file in files:
        if file.is_file() and (file == path or file.suffix.lower() in _TEXT_SUFFIXES):
            yield str(file), _read(file)


def _existing(given: Any) -> Path | None:
    if isinstance(given, Path):
        if not given.exists():
            raise UsageError(f"{given} does not exist")
        return given
    if not isinstance(given, str) or not given.strip():
        raise UsageError("give a path or a text")
    if len(given) > 4096 or "\n" in given or "\x00" in given:
        return None
    path = Path(given).expanduser()
    if path.exists():
        return path
    if _PATH_LIKE.fullmatch(given.strip()):
        raise UsageError(f"{given} does not exist; to remember a text, give a text")
    return None


def _read(file: Path) -> str:
    if file.stat().st_size > FILE_BYTES_MAX:
        raise UsageError(f"{file} is larger than {FILE_BYTES_MAX // 2**20} MiB; split it")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text; convert it first") from None


def chunks_of(text: str, *, bytes_max: int, chars_max: int) -> list[Chunk]:
    """Paragraphs packed together up to a size; one that is larger by itself is cut between words."""
    limit = min(bytes_max, chars_max)
    chunks: list[Chunk] = []
    open_parts: list[str] = []
    open_line = 1
    for paragraph, line in _paragraphs(text):
        if open_parts and len("\n\n".join([*open_parts, paragraph]).encode()) > limit:
            chunks.append(_chunk("\n\n".join(open_parts), open_line))
            open_parts = []
        if len(paragraph.encode()) > limit:
            chunks.extend(_cut(paragraph, line, limit))
            continue
        if not open_parts:
            open_line = line
        open_parts.append(paragraph)
    if open_parts:
        chunks.append(_chunk("\n\n".join(open_parts), open_line))
    return chunks


def place_of(chunk: Chunk, path: str | None) -> Place:
    return Place(position_type=PositionType.DOCUMENT, file_path=path, line_range=(chunk.first_line, chunk.last_line))


def _paragraphs(text: str) -> Iterator[tuple[str, int]]:
    start = 0
    for gap in [*_BLANK_LINES.finditer(text), None]:
        end = gap.start() if gap else len(text)
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip("\n"))
            yield piece.strip("\n"), text.count("\n", 0, start + lead) + 1
        start = gap.end() if gap else end


def _cut(paragraph: str, line: int, limit: int) -> Iterator[Chunk]:
    for piece in split_text(paragraph, limit):
        yield _chunk(piece, line)
        line += piece.count("\n")


def _chunk(text: str, line: int) -> Chunk:
    return Chunk(text=text, first_line=line, last_line=line + text.strip("\n").count("\n"))
