"""The one way in: a path or a text, and the pieces, turns and tree it gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import UsageError
from recollect.structure import chats, markdown, pdf, plain, rst, webpage
from recollect.structure.blocks import Blocks
from recollect.structure.code import code_pieces, module_of
from recollect.structure.detect import HEAD_BYTES, Format, detect, named, text_of
from recollect.structure.piece import Parsed, Sizes
from recollect.structure.read import Source, located, read_file, read_files
from recollect.structure.sections import pieces_of_blocks
from recollect.structure.walk import Found, walk

_READERS: Mapping[str, Callable[[str], Blocks]] = {
    "markdown": markdown.read,
    "rst": rst.read,
    "html": webpage.read,
    "text": plain.read,
}


def pieces_of(path_or_text: Any, format: str | None = None, *, sizes: Sizes = Sizes()) -> Parsed:
    """One file or text. A file that cannot be read says why in `skipped`; so does an empty text.

    `UsageError` if there is no such file, it is a folder, or nobody knows the format.
    """
    wanted = named(format) if format is not None else None
    path = located(path_or_text)
    if path is None:
        return _parsed_text(path_or_text, None, wanted or detect(None, _head(path_or_text)), [], sizes, None)
    if path.is_dir():
        raise UsageError(f"{path} is a folder; read it with documents_of")
    return _parsed(read_file(path), wanted, sizes, root=None)


def documents_of(
    path_or_text: Any,
    format: str | None = None,
    *,
    recursive: bool = True,
    sizes: Sizes = Sizes(),
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
    left_out: list[Found] = []
    paths = (each for each in _readable(walk(path, recursive=recursive), left_out) if str(each) not in unless)
    for source in read_files(paths):
        yield _parsed(source, wanted, sizes, root=path)
    for found in left_out:
        yield Parsed(path=str(found.path), skipped=found.skipped)


def _readable(found: Iterator[Found], left_out: list[Found]) -> Iterator[Path]:
    for each in found:
        if each.skipped is None:
            yield each.path
        else:
            left_out.append(each)


def _parsed(source: Source, wanted: Format | None, sizes: Sizes, *, root: Path | None) -> Parsed:
    """What a file gave. Nothing a file holds ends the reading of others."""
    path = str(source.path)
    if source.skipped is not None:
        return Parsed(path=path, skipped=source.skipped)
    known = wanted or detect(path, source.data[:HEAD_BYTES])
    if known is None:
        return Parsed(path=path, skipped="is binary, not text")
    try:
        if known.name == "pdf":
            return _parsed_blocks(pdf.read(source.data), path, known, [], sizes)
        text, note = text_of(source.data)
        return _parsed_text(text, path, known, [note] if note else [], sizes, root)
    except UsageError as error:
        return Parsed(path=path, format=known.name, skipped=error.message)


def _parsed_text(
    text: str, path: str | None, format: Format | None, notes: list[str], sizes: Sizes, root: Path | None
) -> Parsed:
    if format is None:
        return Parsed(path=path, skipped="is binary, not text")
    if not text or text.isspace():
        return Parsed(path=path, format=format.name, skipped="is empty")
    if format.name == "chat":
        turns, left_out = chats.read(text, path)
        return Parsed(path=path, format="chat", turns=tuple(turns), notes=(*notes, *left_out))
    if format.name == "code":
        return _parsed_code(text, path, format, notes, sizes, root)
    if format.name not in _READERS:
        raise UsageError(f"a text cannot be {format.name}; give the path of a file")
    return _parsed_blocks(_READERS[format.name](text), path, format, notes, sizes)


def _parsed_blocks(blocks: Blocks, path: str | None, format: Format, notes: list[str], sizes: Sizes) -> Parsed:
    pieces, tree = pieces_of_blocks(blocks, path=path, sizes=sizes, with_lines=format.name != "pdf")
    title = blocks.title or next((block.title for block in blocks.items if block.level), None)
    return Parsed(
        path=path,
        format=format.name,
        title=title,
        pieces=pieces,
        tree=tree,
        notes=(*notes, *blocks.notes),
        skipped=None if pieces else "holds no text",
    )


def _parsed_code(
    text: str, path: str | None, format: Format, notes: list[str], sizes: Sizes, root: Path | None
) -> Parsed:
    language = format.language or "text"
    module = module_of(_from_package(Path(path), root) if path else None)
    pieces, tree, odd = code_pieces(text, language, path, module=module, sizes=sizes)
    return Parsed(
        path=path, format="code", language=language, title=module, pieces=pieces, tree=tree, notes=(*notes, *odd)
    )


def _from_package(path: Path, root: Path | None) -> str:
    """The path a module's name is made of: from the outermost Python package on, else from the folder that is read."""
    top = path.parent
    while top != top.parent and os.path.exists(top / "__init__.py"):
        top = top.parent
    if top == path.parent and root is not None:
        top = root
    return path.relative_to(top).as_posix()


def _head(text: Any) -> bytes:
    return text[:HEAD_BYTES].encode("utf-8", "replace") if isinstance(text, str) else b""
