"""Code, cut where its author divided it: the head of the module, classes, functions, methods.

The pieces are the lines themselves, with comments, decorators and docstrings; `definitions` says which belong together.
Without a grammar, lines are cut where they are indented least.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from recollect.limits import NAME_CHARS_MAX
from recollect.model.place import Place, PositionType
from recollect.structure.blocks import Block
from recollect.structure.cut import cut
from recollect.structure.definitions import Span, spans_of
from recollect.structure.languages import GRAMMARS
from recollect.structure.piece import BlockType, Document, Parsed, Piece, PieceSizes, SectionNode, SectionTree

_TITLES_MAX = 5


def code_pieces(
    text: str, language: str, path: str | None, *, module: str | None = None, sizes: PieceSizes = PieceSizes()
) -> tuple[tuple[Piece, ...], SectionTree, list[str]]:
    """The pieces of a source file in its order, the tree of its classes, and notes on what was not understood."""
    lines = text.split("\n")
    notes: list[str] = []
    spans = spans_of(text, lines, language, notes)
    module = module or module_of(path)
    joint = GRAMMARS[language].joint if language in GRAMMARS else "."
    builder = _CodeBuilder(lines, path, module, language, joint, sizes)
    for group in _grouped(spans, lines, sizes):
        builder.add(group)
    return tuple(builder.pieces), builder.tree(), notes


def read(document: Document, sizes: PieceSizes) -> Parsed:
    """The pieces of a source file, titled by its module."""
    language = document.language or "text"
    module = module_of(_from_package(Path(document.path), document.root) if document.path else None)
    pieces, tree, notes = code_pieces(document.text, language, document.path, module=module, sizes=sizes)
    return Parsed(language=language, title=module, pieces=pieces, tree=tree, notes=tuple(notes))


def _from_package(path: Path, root: Path | None) -> str:
    """The path a module's name is made of: from the outermost Python package on, else from the folder that is read."""
    top = path.parent
    while top != top.parent and os.path.exists(top / "__init__.py"):
        top = top.parent
    if top == path.parent and root is not None:
        top = root
    return path.relative_to(top).as_posix()


def module_of(path: str | None) -> str | None:
    """`src/atlas/sync/__init__.py` is atlas.sync."""
    if path is None:
        return None
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if len(parts) > 1 and parts[0] == "src":
        del parts[0]
    if parts:
        parts[-1] = parts[-1].partition(".")[0] or parts[-1]
    if len(parts) > 1 and parts[-1] in ("__init__", "index", "mod"):
        del parts[-1]
    return ".".join(parts)[-NAME_CHARS_MAX:] or None


def _grouped(spans: list[Span], lines: list[str], sizes: PieceSizes) -> list[list[Span]]:
    """Definitions too small for a piece of their own, with those after them in the same class or module.

    What is small and defines nothing goes with whatever follows it (imports with the first class), or, at the end of a
    class or file, with what stands before it.
    """
    groups: list[list[Span]] = []
    size = 0
    for span in [*spans, None]:
        group = groups[-1] if groups else []
        own = _chars([span], lines) if span else 0
        small = bool(group) and size < sizes.chars_min
        if small and _defines_nothing(group) and (span is None or span.scope != group[-1].scope):
            small = not _joined_back(groups, lines, sizes)
        if span is None:
            break
        if small and size + own <= sizes.chars_max and (span.scope == group[-1].scope or _defines_nothing(group)):
            group.append(span)
            size += own
        else:
            groups.append([span])
            size = own
    return groups


def _joined_back(groups: list[list[Span]], lines: list[str], sizes: PieceSizes) -> bool:
    """Joins the last group with the one before it, if that is of the same scope, or the last one ends the file."""
    if len(groups) < 2:
        return False
    before, last = groups[-2:]
    ends = last[-1].end == len(lines)
    if not (ends or before[-1].scope == last[-1].scope) or _chars(before + last, lines) > sizes.chars_max:
        return False
    groups[-2:] = [before + last]
    return True


def _chars(spans: list[Span], lines: list[str]) -> int:
    return sum(len(line) + 1 for span in spans for line in lines[span.first : span.end])


def _defines_nothing(group: list[Span]) -> bool:
    return all(span.name is None for span in group)


class _CodeBuilder:
    """Makes pieces and the tree of groups of spans."""

    def __init__(
        self, lines: list[str], path: str | None, module: str | None, language: str, joint: str, sizes: PieceSizes
    ) -> None:
        self.pieces: list[Piece] = []
        self._lines = lines
        self._path = path
        self._module = module
        self._language = language
        self._joint = joint
        self._sizes = sizes
        self._numbers: Counter[str] = Counter()
        self._reach: dict[tuple[str, ...], list[int]] = {(): [1, max(1, len(lines))]}

    def add(self, group: list[Span]) -> None:
        largest = max((span for span in group if span.name), key=lambda span: span.end - span.first, default=None)
        scope = (largest or group[-1]).scope
        names = [span.name for span in group if span.name]
        parent = self._joint.join(scope)
        owner = self._joint.join((*scope, names[0])) if names else parent
        title = self._joint.join((*scope, ", ".join(names[:_TITLES_MAX]))) if names else parent or self._module
        for depth in range(1, len(scope) + 1):
            reach = self._reach.setdefault(scope[:depth], [group[0].first + 1, group[-1].end])
            reach[1] = group[-1].end
        for block in self._blocks(group):
            self._numbers[owner] += 1
            place = Place(
                position_type=PositionType.CODE,
                file_path=self._path,
                line_range=(block.first, block.last),
                module_path=self._module,
                class_name=scope[-1] if scope else None,
                function_name=largest.name if largest else None,
                scope_depth=len(scope),
            )
            piece = Piece(
                key=f"{owner}#{self._numbers[owner]}",
                text=block.text,
                place=place,
                order=len(self.pieces),
                parent=parent,
                section_type=self._type(),
                language=self._language,
                title=(title or "")[:NAME_CHARS_MAX],
            )
            self.pieces.append(piece)

    def tree(self) -> SectionTree:
        sections = [
            SectionNode(
                key=self._joint.join(names),
                title=names[-1] if names else self._module or "",
                level=len(names),
                parent=self._joint.join(names[:-1]) if names else None,
                lines=(first, last),
            )
            for names, (first, last) in self._reach.items()
        ]
        return SectionTree(sections=tuple(sections))

    def _blocks(self, group: list[Span]) -> Iterator[Block]:
        first, end = group[0].first, group[-1].end
        while first < end and not self._lines[first].strip():
            first += 1
        text = "\n".join(self._lines[first:end]).rstrip()
        if text.strip():
            yield from cut(Block(self._type(), text, first + 1, first + 1 + text.count("\n")), self._sizes)

    def _type(self) -> BlockType:
        return BlockType.TABLE if self._language == "csv" else BlockType.CODE
