"""From blocks to sections, and from sections to pieces.

A section is a heading with what stands below it, up to the next heading. It is a piece of its own, so that what is
found under "Limitations" stands there; headings with nothing below them go with the section they lead to. Where
sections need not be apart, one that is smaller than a piece should be joins the next, unless that stands higher in the
document. One that is too large is cut between its blocks, and a block that is too large by itself inside (`cut`). A
code block or table that fits a piece is never cut.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from recollect.limits import NAME_CHARS_MAX, SECTION_DEPTH_MAX
from recollect.model.place import SECTION_JOINT, Place, PositionType
from recollect.structure.blocks import Block, Blocks
from recollect.structure.cut import cut
from recollect.structure.piece import BlockType, Parsed, Piece, PieceSizes, SectionNode, SectionTree

_GAP = 2  # characters between two blocks
_TITLES_JOINT = ", "  # between the headings of small sections in one piece


@dataclass(slots=True)
class _Part:
    """A section while it is read: its own blocks, without those of sections below it."""

    key: str
    path: tuple[str, ...]
    level: int
    parent: str | None
    first: int
    anchor: str | None = None
    blocks: list[Block] = field(default_factory=list)
    size: int = 0

    @property
    def is_bare(self) -> bool:
        """Whether there is a heading and nothing else."""
        return all(block.level for block in self.blocks)

    def add(self, block: Block, sizes: PieceSizes) -> None:
        self.blocks.append(block)
        self.size += sizes.of(block.text) + _GAP


_Run = list[tuple[Block, _Part]]  # the blocks of one piece, each with its section


def pieces_of_blocks(
    blocks: Blocks, *, path: str | None, sizes: PieceSizes, with_lines: bool = True
) -> tuple[tuple[Piece, ...], SectionTree]:
    """The pieces of a document in its order, and the tree of its sections.

    Where the lines of the blocks are no lines of a file that somebody can open, they are left out of the places.
    """
    parts = _parts_of(blocks.items, sizes)
    numbers: Counter[str] = Counter()
    pieces: list[Piece] = []
    grouped = _apart if sizes.sections_apart else _groups
    for group in grouped([part for part in parts if part.blocks], sizes):
        for run in _runs(group, sizes):
            pieces.append(_piece(run, numbers, order=len(pieces), path=path, with_lines=with_lines))
    return tuple(pieces), SectionTree(sections=_sections(parts, blocks))


def parsed_blocks(blocks: Blocks, path: str | None, sizes: PieceSizes, *, with_lines: bool = True) -> Parsed:
    """What a document of these blocks gives; its title is its own, else its first heading."""
    pieces, tree = pieces_of_blocks(blocks, path=path, sizes=sizes, with_lines=with_lines)
    return Parsed(
        title=blocks.title or next((block.title for block in blocks.items if block.level), None),
        pieces=pieces,
        tree=tree,
        notes=tuple(blocks.notes),
        skipped=None if pieces else "holds no text",
    )


def _parts_of(blocks: list[Block], sizes: PieceSizes) -> list[_Part]:
    parts = [_Part("", (), 0, None, 1)]
    open_parts = [parts[0]]  # from the document down to the section being read
    seen: Counter[str] = Counter()
    for block in blocks:
        if block.level:
            while open_parts[-1].level >= block.level or len(open_parts) > SECTION_DEPTH_MAX:
                open_parts.pop()
            above = open_parts[-1]
            key = f"{above.key}{SECTION_JOINT}{block.title}" if above.key else block.title
            seen[key] += 1
            if seen[key] > 1:
                key = f"{key} ~{seen[key]}"
            parts.append(_Part(key, (*above.path, block.title), block.level, above.key, block.first, block.anchor))
            open_parts.append(parts[-1])
        parts[-1].add(block, sizes)
    return parts


def _apart(parts: list[_Part], sizes: PieceSizes) -> list[list[_Part]]:
    """Each section by itself, with the bare headings above it; headings that lead to no text are together."""
    groups: list[list[_Part]] = []
    bare: list[_Part] = []
    for part in parts:
        if part.is_bare:
            bare.append(part)
            continue
        leading = len(bare)  # where those headings begin that stand above this section
        while leading and part.path[: len(bare[leading - 1].path)] == bare[leading - 1].path:
            leading -= 1
        if leading:
            groups.append(bare[:leading])
        groups.append([*bare[leading:], part])
        bare = []
    return [*groups, bare] if bare else groups


def _groups(parts: list[_Part], sizes: PieceSizes) -> list[list[_Part]]:
    """Sections that share pieces: a small one with those after it, or, before a higher one, with those before it."""
    groups: list[list[_Part]] = []
    for part in parts:
        if groups and part.level >= groups[-1][0].level and _size(groups[-1]) < sizes.chars_min:
            groups[-1].append(part)
        else:
            groups.append([part])
    joined: list[list[_Part]] = []
    for group in groups:
        size = _size(group)
        fits = joined and size < sizes.chars_min and size + _size(joined[-1]) <= sizes.ascii_chars_max
        if fits and group[0].level >= joined[-1][0].level:
            joined[-1].extend(group)
        else:
            joined.append(group)
    return joined


def _size(group: list[_Part]) -> int:
    return sum(part.size for part in group)


def _runs(group: list[_Part], sizes: PieceSizes) -> list[_Run]:
    """The blocks of sections, divided among pieces."""
    whole: _Run = [(block, part) for part in group for block in part.blocks]
    if _size(group) <= sizes.ascii_chars_max:
        return [whole]
    most = sizes.ascii_chars_max
    runs: list[_Run] = [[]]
    size = 0
    for uncut, part in whole:
        for block in cut(uncut, sizes):
            own = sizes.of(block.text) + _GAP
            if runs[-1] and size + own - _GAP > most:
                runs.append(_headings_at_end(runs[-1], sizes, room=most - own))
                size = sum(sizes.of(moved.text) + _GAP for moved, _ in runs[-1])
            runs[-1].append((block, part))
            size += own
    if len(runs) > 1 and size < sizes.chars_min and size + _run_size(runs[-2], sizes) <= most:
        runs[-2:] = [runs[-2] + runs[-1]]
    return runs


def _headings_at_end(run: _Run, sizes: PieceSizes, *, room: int) -> _Run:
    """Takes the headings off that would stand at the end of a piece: they belong to what follows."""
    keep = len(run)
    while keep and run[keep - 1][0].level:
        keep -= 1
    moved = run[keep:]
    if not keep or _run_size(moved, sizes) > room:
        return []
    del run[keep:]
    return moved


def _run_size(run: _Run, sizes: PieceSizes) -> int:
    return sum(sizes.of(block.text) + _GAP for block, _ in run)


def _piece(run: _Run, numbers: Counter[str], *, order: int, path: str | None, with_lines: bool) -> Piece:
    parts = list({part.key: part for _, part in run}.values())
    home = _home(parts)
    numbers[home.key] += 1
    kind = _most(run)
    sections = home.path if len(parts) == 1 or home is not parts[0] else _joined_path(parts)
    return Piece(
        key=f"{home.key}#{numbers[home.key]}",
        text=_text(run),
        order=order,
        parent=home.key,
        section_type=kind,
        language=next((block.language for block, _ in run if block.type is kind and block.language), None),
        title=sections[-1] if sections else None,
        place=Place(
            position_type=PositionType.DOCUMENT,
            file_path=path,
            line_range=(run[0][0].first, run[-1][0].last) if with_lines else None,
            section_path=sections,
            heading_level=home.level,
            anchor=home.anchor,
        ),
    )


def _home(parts: list[_Part]) -> _Part:
    """The section a piece hangs on: the one all others of it stand above, else the first."""
    deepest = parts[-1]
    above = all(deepest.path[: len(part.path)] == part.path for part in parts)
    return deepest if above and deepest.level > parts[0].level else parts[0]


def _joined_path(parts: list[_Part]) -> tuple[str, ...]:
    """What the headings of several sections have in common, then those they differ in as one."""
    common = parts[0].path
    for part in parts:
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(common, part.path, strict=False)))
        common = common[:shared]
    titles = dict.fromkeys(part.path[len(common)] for part in parts if len(part.path) > len(common))
    return (*common, _TITLES_JOINT.join(titles)[:NAME_CHARS_MAX]) if titles else common


def _most(run: _Run) -> BlockType:
    """The type most of the text has, headings aside."""
    sizes: Counter[BlockType] = Counter()
    for block, _ in run:
        sizes[block.type] += 0 if block.level else len(block.text)
    return sizes.most_common(1)[0][0]


def _text(run: _Run) -> str:
    """The blocks as they stood: on the next line, or after a blank one."""
    out = [run[0][0].text]
    for (before, _), (block, _) in pairwise(run):
        out.append("\n" if block.first == before.last + 1 else "\n\n")
        out.append(block.text)
    return "".join(out)


def _sections(parts: list[_Part], blocks: Blocks) -> tuple[SectionNode, ...]:
    """The nodes of the tree. A section reaches to the line before the next one that is not below it."""
    last = max((block.last for block in blocks.items), default=1)
    ends = [last] * len(parts)
    waiting: list[int] = []
    for at, part in enumerate(parts):
        while waiting and parts[waiting[-1]].level >= part.level:
            ends[waiting.pop()] = part.first - 1
        waiting.append(at)
    titles = [blocks.title or "", *(part.path[-1] for part in parts[1:])]
    return tuple(
        SectionNode(
            key=part.key, title=title, level=part.level, parent=part.parent, lines=(part.first, max(part.first, end))
        )
        for part, title, end in zip(parts, titles, ends, strict=True)
    )
