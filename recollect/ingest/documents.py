"""Texts longer than one record: cut between paragraphs into snippets that know their place.

The first version reads plain text and Markdown as paragraphs. Structure (headings, code blocks, tables, other
formats) is the work of `structure`, which will hand its chunks to the same write path.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.errors import UsageError
from recollect.ingest import check
from recollect.ingest.drafts import split_text
from recollect.model.place import Place, PositionType

FILE_BYTES_MAX = 64 * 1024 * 1024
_GLUE = "\n\n"  # between paragraphs of one chunk
_BLANK_LINES = re.compile(r"\n(?:[ \t\r]*\n)+")  # not the indentation of the line after
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
        yield None, check.content(path_or_text, bytes_max=None, what="the text")
        return
    for file in _files(path, recursive=recursive) if path.is_dir() else [path]:
        yield str(file), _read(file)


def _files(folder: Path, *, recursive: bool) -> list[Path]:
    """The text files of a folder: nothing hidden, and nothing that a link brings in from outside."""
    root = folder.resolve()
    return [
        file
        for file in sorted(folder.rglob("*") if recursive else folder.iterdir())
        if file.suffix.lower() in _TEXT_SUFFIXES
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and file.is_file()
        and file.resolve().is_relative_to(root)
    ]


def _existing(given: Any) -> Path | None:
    if isinstance(given, Path):
        if not given.exists():
            raise UsageError(f"{given} does not exist")
        return given
    if not isinstance(given, str) or not given.strip():
        raise UsageError("give a path or a text")
    if len(given) > 4096 or "\n" in given or "\x00" in given:
        return None
    path = Path(os.path.expanduser(given))  # Path's own refuses "~ 20 people"
    if os.path.exists(path):  # Path's own refuses a name too long to be one
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
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None


def chunks_of(text: str, *, bytes_max: int, chars_max: int) -> list[Chunk]:
    """Paragraphs packed together up to a size; one that is larger by itself is cut between words."""
    limit = min(bytes_max, chars_max)
    chunks: list[Chunk] = []
    together: list[Chunk] = []
    size = 0
    for paragraph, line in _paragraphs(text):
        own = len(paragraph.encode())
        if together and size + len(_GLUE) + own > limit:
            chunks.append(_joined(together))
            together, size = [], 0
        if own > limit:
            chunks.extend(_cut(paragraph, line, limit))
        else:
            size += own + (len(_GLUE) if together else 0)
            together.append(_chunk(paragraph, line))
    return [*chunks, _joined(together)] if together else chunks


def place_of(chunk: Chunk, path: str | None) -> Place:
    return Place(position_type=PositionType.DOCUMENT, file_path=path, line_range=(chunk.first_line, chunk.last_line))


def _paragraphs(text: str) -> Iterator[tuple[str, int]]:
    start = counted = 0
    line = 1
    for gap in [*_BLANK_LINES.finditer(text), None]:
        end = gap.start() if gap else len(text)
        piece = text[start:end].rstrip()
        if piece:
            lead = piece.rfind("\n", 0, len(piece) - len(piece.lstrip())) + 1  # blank lines, not indentation
            line += text.count("\n", counted, start + lead)
            counted = start + lead
            yield piece[lead:], line
        start = gap.end() if gap else end


def _cut(paragraph: str, line: int, limit: int) -> Iterator[Chunk]:
    for piece in split_text(paragraph, limit):
        yield _chunk(piece, line)
        line += piece.count("\n")


def _joined(parts: list[Chunk]) -> Chunk:
    text = "\n\n".join(part.text for part in parts)
    return Chunk(text=text, first_line=parts[0].first_line, last_line=parts[-1].last_line)


def _chunk(text: str, line: int) -> Chunk:
    blank = text[: len(text) - len(text.lstrip())].count("\n")
    return Chunk(text=text, first_line=line + blank, last_line=line + text.rstrip().count("\n"))
