"""The one way in: a path or a text, and the pieces, turns and tree it gives."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from recollect.errors import UsageError
from recollect.structure.detect import HEAD_BYTES, Recognised, detect, named, text_of
from recollect.structure.piece import Document, Parsed, PieceSizes
from recollect.structure.read import FileContents, located, read_file, read_files
from recollect.structure.walk import WalkedFile, walk

_BINARY = "is binary, not text"


def pieces_of(path_or_text: Any, format: str | None = None, *, sizes: PieceSizes = PieceSizes()) -> Parsed:
    """One file or text. A file that cannot be read says why in `skipped`; so does an empty text.

    `UsageError` if there is no such file, it is a folder, or nobody knows the format.
    """
    wanted = named(format) if format is not None else None
    path = located(path_or_text)
    if path is None:
        return _parsed_text(path_or_text, wanted or detect(None, _head(path_or_text)), sizes)
    if path.is_dir():
        raise UsageError(f"{path} is a folder; read it with documents_of")
    return _parsed(read_file(path), wanted, sizes, root=None)


def documents_of(
    path_or_text: Any,
    format: str | None = None,
    *,
    recursive: bool = True,
    sizes: PieceSizes = PieceSizes(),
    unless: Container[str] = (),
) -> Iterator[Parsed]:
    """The documents of a folder in order, each read or skipped by itself; of a file or text the one it is.

    A format that is given holds for all of them. Files whose path is in `unless` are not opened.
    """
    wanted = named(format) if format is not None else None
    path = located(path_or_text)
    if path is not None and str(path) in unless:
        return
    if path is None or not path.is_dir():
        yield pieces_of(path_or_text, format, sizes=sizes)
        return
    left_out: list[WalkedFile] = []
    paths = (each for each in _readable(walk(path, recursive=recursive), left_out) if str(each) not in unless)
    for source in read_files(paths):
        yield _parsed(source, wanted, sizes, root=path)
    for found in left_out:
        yield Parsed(path=str(found.path), skipped=found.skipped)


def _readable(found: Iterator[WalkedFile], left_out: list[WalkedFile]) -> Iterator[Path]:
    for each in found:
        if each.skipped is None:
            yield each.path
        else:
            left_out.append(each)


def _parsed(source: FileContents, wanted: Recognised | None, sizes: PieceSizes, *, root: Path | None) -> Parsed:
    """What a file gave. Nothing a file holds ends the reading of others."""
    path = str(source.path)
    if source.skipped is not None:
        return Parsed(path=path, skipped=source.skipped)
    known = wanted or detect(path, source.data[:HEAD_BYTES])
    if known is None:
        return Parsed(path=path, skipped=_BINARY)
    try:
        text, note = ("", None) if known.format.binary else text_of(source.data)
        document = Document(text=text, data=source.data, path=path, language=known.language, root=root)
        return _read(document, known, (note,) if note else (), sizes)
    except UsageError as error:
        return Parsed(path=path, format=known.name, skipped=error.message)


def _parsed_text(text: str, known: Recognised | None, sizes: PieceSizes) -> Parsed:
    if known is None:
        return Parsed(skipped=_BINARY)
    if known.format.binary:
        raise UsageError(f"a text cannot be {known.name}; give the path of a file")
    return _read(Document(text=text, language=known.language), known, (), sizes)


def _read(document: Document, known: Recognised, notes: tuple[str, ...], sizes: PieceSizes) -> Parsed:
    if not known.format.binary and (not document.text or document.text.isspace()):
        return Parsed(path=document.path, format=known.name, skipped="is empty")
    read = known.format.read(document, sizes)
    return replace(read, path=document.path, format=known.name, notes=(*notes, *read.notes))


def _head(text: Any) -> bytes:
    return text[:HEAD_BYTES].encode("utf-8", "replace") if isinstance(text, str) else b""
